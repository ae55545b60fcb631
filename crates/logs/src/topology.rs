//! The table of CPUs and the output of `lscpu`.

use super::draft::{Draft, NamedGroup};
use super::rows::TopologyRow;
use super::sections::{Line, Section};
use super::text;
use record::Fact;

pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut rows = Vec::new();
    for line in section.body() {
        let words = line.text.trim();
        let is_header = words.starts_with("cpufreq") || words.starts_with("CPU ");
        match row(line) {
            Some(row) if rows.len() <= text::CPU_MAX as usize => rows.push(row),
            None if words.is_empty() || is_header || words.ends_with(" KB available RAM") => {}
            _ => draft.unread(line),
        }
    }
    if !rows.is_empty() {
        draft.topology = rows;
    }
}

/// Parses `  6        0        6      416    2002   Cortex-A76 / r4p1`.
fn row(line: &Line<'_>) -> Option<TopologyRow> {
    let mut words = line.text.split_whitespace();
    let cpu = words.next()?.parse().ok().filter(|cpu| *cpu <= text::CPU_MAX)?;
    let cluster = words.next()?.parse().ok()?;
    let policy = words.next()?;
    let mhz = |word: &str| word.parse::<u32>().ok().and_then(|mhz| mhz.checked_mul(1000));
    let (khz_min, khz_max) = (mhz(words.next()?), mhz(words.next()?));
    let name = words.collect::<Vec<_>>().join(" ");
    let (core_type, stepping) = match name.rsplit_once(" / ") {
        Some((core_type, stepping)) if stepping.starts_with('r') => (core_type, Some(stepping)),
        _ => (name.as_str(), None),
    };
    let core_type = Some(core_type).filter(|name| !name.is_empty() && *name != "-");
    Some(TopologyRow {
        cpu,
        cluster,
        policy: policy.parse().ok().filter(|_| khz_max.is_some()),
        khz_min,
        khz_max,
        core_type: core_type.map(str::to_string),
        stepping: stepping.map(str::to_string),
    })
}

/// Reads the values of `lscpu` that are nowhere else in the log; the complete output is kept as a block.
pub(super) fn read_lscpu(section: &Section<'_, '_>, draft: &mut Draft) {
    for line in section.lines {
        let Some((name, value)) = line.text.split_once(':') else { continue };
        let value = value.trim();
        match name.trim() {
            "Architecture" | "Архитектура" if draft.machine.kernel_arch.known().is_none() => {
                draft.machine.kernel_arch = Fact::Known(value.to_string());
            }
            "CPU(s)" if draft.cpu_count.is_none() => draft.cpu_count = value.parse().ok(),
            "On-line CPU(s) list" => {
                let cpus = record::parse_cpu_list(value).unwrap_or_default();
                draft.online_cpus = cpus.into_iter().filter(|cpu| *cpu <= text::CPU_MAX).collect();
            }
            "Hypervisor vendor" if is_hypervisor(value) => {
                draft.machine.virtualisation = Fact::Known(value.to_string())
            }
            name if is_wanted(name) => {
                draft.named(NamedGroup::Feature, format!("lscpu/{name}"), value, line);
            }
            _ => {}
        }
    }
    draft.block("lscpu", section);
}

/// False for placeholders of lscpu: the text of a null pointer on 32-bit ARM, the virtualisation type instead of the
/// vendor with some old kernels.
fn is_hypervisor(vendor: &str) -> bool {
    !matches!(vendor, "" | "(null)" | "horizontal" | "none" | "-")
}

/// Value of a line of `lscpu`.
pub(super) fn lscpu<'a>(machine: &'a record::Machine, name: &str) -> Option<&'a str> {
    let wanted = machine.features.iter().find(|value| value.name.strip_prefix("lscpu/") == Some(name));
    wanted.map(|value| value.value.as_str())
}

/// Fields of `lscpu` that become values of the machine or of a state.
const LSCPU_VALUES: [&str; 4] = ["Architecture", "CPU(s)", "On-line CPU(s) list", "Hypervisor vendor"];
/// Fields of `lscpu` that are kept by their names.
const LSCPU_NAMES: [&str; 6] =
    ["Model name", "CPU max MHz", "CPU min MHz", "Frequency boost", "Thread(s) per core", "Virtualization"];
/// End of the names of further fields that are kept.
const LSCPU_ENDING: &str = "cache";

/// All fields of `lscpu` that are read.
pub(super) fn lscpu_fields() -> impl Iterator<Item = &'static str> {
    LSCPU_VALUES.into_iter().chain(LSCPU_NAMES).chain([LSCPU_ENDING])
}

fn is_wanted(name: &str) -> bool {
    LSCPU_NAMES.contains(&name) || name.rsplit(' ').next() == Some(LSCPU_ENDING)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hypervisor_that_is_none() {
        for (vendor, found) in [("KVM", Some("KVM")), ("(null)", None), ("horizontal", None), ("", None)] {
            let text = format!("Architecture: armv7l\nHypervisor vendor:     {vendor}\n");
            let lines = super::super::sections::lines(&text);
            let mut draft = Draft::default();
            read_lscpu(&Section { kind: crate::section_kind::Kind::Lscpu, lines: &lines }, &mut draft);
            assert_eq!(draft.machine.virtualisation.known().map(String::as_str), found, "{vendor}");
        }
    }

    #[test]
    fn offline_cpus_are_not_in_the_list() {
        for (value, expected) in [("0-2", &[0, 1, 2][..]), ("0,1", &[0, 1]), ("0-x", &[])] {
            let text = format!("CPU(s):                4\nOn-line CPU(s) list:   {value}\n");
            let lines = super::super::sections::lines(&text);
            let mut draft = Draft::default();
            read_lscpu(&Section { kind: crate::section_kind::Kind::Lscpu, lines: &lines }, &mut draft);
            assert_eq!(draft.online_cpus, expected, "{value}");
        }
    }

    #[test]
    fn rows_with_and_without_cpufreq() {
        for (text, policy, core_type, stepping) in [
            ("  6        0        6      416    2002   Cortex-A76 / r4p1", Some(6), Some("Cortex-A76"), Some("r4p1")),
            ("  0       -1        0       -      -     rv64imafdvcsu", None, Some("rv64imafdvcsu"), None),
            (" 31        0       31      625    5188       -", Some(31), None, None),
            (
                "  0        0        0      133    1333   Celeron J1900 @ 1.99GHz",
                Some(0),
                Some("Celeron J1900 @ 1.99GHz"),
                None,
            ),
            (
                "  0        0        0      133    1333   Qualcomm Falkor V1/Kryo / r10p1",
                Some(0),
                Some("Qualcomm Falkor V1/Kryo"),
                Some("r10p1"),
            ),
        ] {
            let row = row(&Line { number: 1, text }).unwrap();
            assert_eq!(row.policy, policy);
            assert_eq!(row.core_type.as_deref(), core_type);
            assert_eq!(row.stepping.as_deref(), stepping);
        }
    }
}
