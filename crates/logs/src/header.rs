//! Start of a log: its first line, the distribution, the compiler.

use super::draft::Draft;
use super::first_line::{self, FirstLine};
use super::sections::{Line, Section};
use super::text;
use record::Fact;

pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    for line in section.lines {
        if line.is_blank() || super::sections::is_separator(line.text) {
            continue;
        }
        if let Some(header) = first_line::parse(line.text) {
            take_header(&header, line, draft);
        } else if !release_line(line.text, draft) {
            draft.unread(line);
        }
    }
}

fn take_header(header: &FirstLine<'_>, line: &Line<'_>, draft: &mut Draft) {
    draft.log.version = header.version.to_string();
    draft.log.header_name = header.name.map(str::to_string);
    if let Some(name) = header.name {
        // `BOARD / SOC`; the firmware may not name the board.
        draft.machine.board = Fact::Known(name.trim_start_matches("/ ").to_string());
    }
    if let Some(mode) = &header.mode {
        draft.run.mode = mode.clone();
    }
    let Some(date) = header.date else { return };
    match text::rfc2822(date) {
        Some((started_ms, offset)) => {
            draft.run.started = Fact::Known(started_ms);
            draft.run.utc_offset_minutes = offset;
            let local = started_ms + i64::from(offset) * 60_000;
            draft.start_of_day_ms = Some(local.rem_euclid(86_400_000));
        }
        None => draft.unread(line),
    }
}

/// Reads lines of `lsb_release`, the build system and the compiler. Returns false for other lines.
fn release_line(text: &str, draft: &mut Draft) -> bool {
    let text = text.trim();
    if text.starts_with('/') && text.contains("gcc") {
        draft.machine.compiler = Fact::Known(text.to_string());
        return true;
    }
    if kernel_line(text, draft) {
        return true;
    }
    let Some((name, value)) = text.split_once(':') else { return false };
    let value = value.trim();
    match name {
        "Description" => draft.machine.distribution = Fact::Known(value.to_string()),
        "Build system" | "Armbian info" => draft.machine.build_system = Fact::Known(value.to_string()),
        "Architecture" => draft.machine.userland_arch = Fact::Known(value.to_string()),
        // These repeat the description.
        "Distributor ID" | "Release" | "Codename" | "LSB Version" | "No LSB modules are available." => {}
        _ => return false,
    }
    true
}

/// Reads the output of `uname -a`: `Linux HOST RELEASE #1122 SMP DATE armv7l GNU/Linux`. Only the first versions print
/// it.
fn kernel_line(text: &str, draft: &mut Draft) -> bool {
    let Some(words) = text.strip_prefix("Linux ").and_then(|rest| rest.strip_suffix(" GNU/Linux")) else {
        return false;
    };
    let mut words = words.splitn(3, ' ');
    let (Some(hostname), Some(release), Some(rest)) = (words.next(), words.next(), words.next()) else { return false };
    let Some((version, arch)) = rest.rsplit_once(' ') else {
        return false;
    };
    let machine = &mut draft.machine;
    machine.hostname = Fact::Known(hostname.to_string());
    machine.kernel_release = Fact::Known(release.to_string());
    machine.kernel_version = Fact::Known(version.to_string());
    machine.kernel_arch = Fact::Known(arch.to_string());
    true
}
