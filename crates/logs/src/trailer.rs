//! Facts printed after the benchmarks: SoC, device tree, compiler, kernel, caches.

use super::draft::{Draft, NamedGroup};
use super::sections::{Line, Section};
use super::text;
use record::{Cache, Cpu, Fact, KernelMessage, NamedValue};

/// True for `/usr/bin/gcc (Debian 12.2.0-14) 12.2.0`.
pub(super) fn compiler_line(text: &str) -> bool {
    text.starts_with('/') && (text.contains("gcc") || text.contains("clang"))
}

/// Reads `SoC guess:`, `DT compat:`, ` Compiler:`, `   Kernel:` and others, each with its continuation lines.
pub(super) fn read_labels(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut last = "";
    for line in section.lines {
        if line.is_blank() {
            continue;
        }
        let text = line.text.trim();
        let label = text.split_once(':').filter(|(name, _)| is_label(name));
        let (name, value) = match label {
            Some((name, value)) => (name, value.trim()),
            None => (last, text),
        };
        last = name;
        take_label(name, value, line, draft);
    }
}

fn is_label(name: &str) -> bool {
    const LABELS: [&str; 11] = [
        "SoC guess",
        "Signature",
        "DMC gov",
        "DT compat",
        "Boot env",
        "Compiler",
        "Userland",
        "ThreadX",
        "Page size",
        "Kernel",
        "cpuinfo",
    ];
    LABELS.contains(&name)
}

fn take_label(name: &str, value: &str, line: &Line<'_>, draft: &mut Draft) {
    if value.is_empty() {
        return;
    }
    match name {
        "SoC guess" => {
            // The bash program appends a warning to an uncertain guess: `Snapdragon 8 Gen1 / guess flawed since running in proot`.
            let value = value.split_once(" / guess flawed").map_or(value, |(guess, _)| guess);
            draft.machine.soc = Fact::Known(value.to_string());
            draft.machine.chip.push(NamedValue {
                name: "guess".to_string(),
                value: value.to_string(),
                from: format!("line {}", line.number),
            });
        }
        "DT compat" => draft.machine.compatible.push(value.to_string()),
        "Compiler" => draft.machine.compiler = Fact::Known(value.to_string()),
        "Userland" => draft.machine.userland_arch = Fact::Known(value.to_string()),
        "Page size" => {
            draft.machine.page_size_bytes = page_size_bytes(value).map_or_else(Fact::not_in_log, Fact::Known);
        }
        "Kernel" if value.contains('/') && !value.starts_with("CONFIG") => kernel(value, draft),
        "" => draft.unread(line),
        _ => {
            let option = value.strip_prefix("CONFIG_").and_then(|_| value.split_once('='));
            let shown = option.map_or(value, |(_, shown)| shown);
            draft.named(NamedGroup::Feature, feature_name(name, value), shown, line);
        }
    }
}

/// Parses `6.6.98-vendor/aarch64`, `5.10.110/aarch64 (docker)` or `6.6.20/aarch64 (16kB)`.
fn kernel(value: &str, draft: &mut Draft) {
    let (release, rest) = value.rsplit_once('/').unwrap_or((value, ""));
    if draft.machine.kernel_release.known().is_none() {
        draft.machine.kernel_release = Fact::Known(release.to_string());
    }
    if let Some((_, virtualisation)) = rest.split_once('(') {
        let name = virtualisation.trim_end_matches(')');
        // Some versions print the size of large pages in the same brackets.
        match page_size_bytes(name) {
            Some(bytes) => draft.machine.page_size_bytes = Fact::Known(bytes),
            None if name.starts_with(|c: char| c.is_ascii_digit()) => {}
            None => draft.machine.virtualisation = Fact::Known(name.to_string()),
        }
    }
}

/// Parses `16kB`.
fn page_size_bytes(text: &str) -> Option<u32> {
    let (kib, _) = text::leading_number(text)?;
    kib.checked_mul(1024)
}

/// Name of a kernel option below `Kernel:`, derived from the option itself.
fn feature_name(name: &str, value: &str) -> String {
    match name {
        "Kernel" if value.starts_with("CONFIG_") => value.split('=').next().unwrap_or(value).to_string(),
        "Kernel" => "kernel-message".to_string(),
        _ => name.to_ascii_lowercase().replace(' ', "-"),
    }
}

/// Reads `cpu0/index0: 32K, level: 1, type: Data`.
pub(super) fn read_caches(section: &Section<'_, '_>, draft: &mut Draft) {
    for line in section.lines.iter().filter(|line| !line.is_blank()) {
        let Some((cpu, cache)) = cache(line.text).filter(|(cpu, _)| *cpu <= text::CPU_MAX) else {
            draft.unread(line);
            continue;
        };
        let known = draft.machine.cpus.iter().position(|known| known.cpu == cpu);
        let index = known.unwrap_or_else(|| {
            draft.machine.cpus.push(Cpu { cpu, ..Cpu::default() });
            draft.machine.cpus.len() - 1
        });
        draft.machine.cpus[index].caches.push(cache);
    }
    draft.block("caches", section);
}

fn cache(text: &str) -> Option<(u32, Cache)> {
    let (place, rest) = text.trim().split_once(": ")?;
    let cpu = place.split_once("cpu")?.1.split('/').find_map(|part| part.trim_start_matches("cpu").parse().ok())?;
    let mut fields = rest.split(", ");
    let size_bytes = text::size_kib(fields.next()?)?.checked_mul(1024)?;
    let level = fields.next()?.strip_prefix("level: ")?.trim().parse().ok()?;
    let kind = fields.next()?.strip_prefix("type: ")?.trim().to_string();
    Some((cpu, Cache { level, kind, size_bytes, shared_cpus: Vec::new() }))
}

/// Reads `dmesg output while running the benchmarks:` and raw lines. Times count from boot here; assembling the Record
/// makes them relative to the start of the run.
pub(super) fn read_kernel_messages(section: &Section<'_, '_>, draft: &mut Draft) {
    let messages = draft.kernel_messages.get_or_insert_default();
    for line in section.body().iter().filter(|line| !line.is_blank()) {
        let stamped = stamp(line.text);
        messages.push(KernelMessage {
            at_ms: stamped.map(|(at_ms, _)| at_ms),
            text: stamped.map_or(line.text.trim(), |(_, text)| text).to_string(),
            line: Some(line.number),
        });
    }
}

/// Parses `[  973.048215] [     T10] text`: milliseconds since boot, and the text without timestamp and caller id.
fn stamp(text: &str) -> Option<(i64, &str)> {
    let (seconds, rest) = text.trim_start().strip_prefix('[')?.split_once(']')?;
    let seconds = text::decimal(seconds)?;
    let rest = rest.trim_start();
    let caller = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let message = match caller {
        Some((id, message)) if is_caller(id.trim()) => message.trim_start(),
        _ => rest,
    };
    Some(((seconds * 1000.0) as i64, message))
}

fn is_caller(id: &str) -> bool {
    let digits = id.strip_prefix(['T', 'C']).unwrap_or("x");
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_of_both_forms() {
        for text in [
            "cpu4/index0: 32K, level: 1, type: Data",
            "/sys/devices/system/cpu/cpu4/cache/index0/size: 32K, level: 1, type: Data",
        ] {
            let (cpu, cache) = cache(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((cpu, cache.level, cache.size_bytes), (4, 1, 32_768));
        }
    }

    #[test]
    fn brackets_behind_a_kernel_are_pages_or_a_hypervisor() {
        for (text, bytes, guest) in [
            ("6.6.20+rpt-rpi-2712/aarch64 (16kB)", Some(16 << 10), None),
            ("6.6.38/aarch64 (vm-other)", None, Some("vm-other")),
            ("6.1.0/aarch64", None, None),
            ("6.1.0/aarch64 (4294967295kB)", None, None),
        ] {
            let mut draft = Draft::default();
            kernel(text, &mut draft);
            let machine = &draft.machine;
            let found = (machine.page_size_bytes.known().copied(), machine.virtualisation.known().map(String::as_str));
            assert_eq!(found, (bytes, guest), "{text}");
        }
    }

    #[test]
    fn stamps_of_kernel_messages() {
        for (text, at_ms, message) in [
            ("[  973.048215] [     T10] app_cmp", 973_048, "app_cmp"),
            ("[   12.5] [drm] ready", 12_500, "[drm] ready"),
        ] {
            assert_eq!(stamp(text), Some((at_ms, message)));
        }
        assert_eq!(stamp("  *** CAUTION ***"), None);
    }
}
