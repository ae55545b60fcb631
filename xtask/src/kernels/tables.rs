//! Kernels, machines and commands with their expected results: the rows of `machines.toml` and `cases.toml`.

use super::console::BootOutput;
use crate::workspace;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::slice;
use std::sync::LazyLock;

/// Boots in order, with the same disk.
pub(super) const PLANS: [&str; 4] = ["plain", "trouble", "after-cut", "crash"];

/// A kernel; `machines.toml` describes its fields and those of a machine.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kernel {
    pub(super) package: String,
    pub(super) suite: String,
    pub(super) debian: String,
    pub(super) binary: String,
    pub(super) qemu: String,
    #[serde(default)]
    has_ramoops: bool,
}

/// A machine that qemu emulates.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Machine {
    pub(super) name: String,
    pub(super) kernel: String,
    pub(super) arguments: String,
    pub(super) console: String,
    board: String,
    #[serde(default)]
    pub(super) disks: Vec<String>,
    #[serde(default)]
    pub(super) has_disk: bool,
    #[serde(default)]
    pub(super) is_quick: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Machines {
    kernel: BTreeMap<String, Kernel>,
    machine: Vec<Machine>,
}

/// A command; `cases.toml` describes its fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) plan: String,
    pub(super) script: String,
    #[serde(default)]
    status: i32,
    #[serde(default)]
    dies: bool,
    #[serde(default)]
    says: Vec<String>,
    #[serde(default = "panicked")]
    never: Vec<String>,
    #[serde(default = "a_minute")]
    pub(super) seconds_max: u32,
    #[serde(default)]
    is_quick: bool,
}

fn panicked() -> Vec<String> {
    vec!["panicked".to_owned()]
}

fn a_minute() -> u32 {
    60
}

/// All commands, and that of machines that lose power.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cases {
    case: Vec<Case>,
    pub(super) cuts: Case,
}

static MACHINES: LazyLock<Machines> = LazyLock::new(|| workspace::table(include_str!("machines.toml")));
pub(super) static CASES: LazyLock<Cases> = LazyLock::new(|| workspace::table(include_str!("cases.toml")));

pub(super) fn machines() -> &'static [Machine] {
    &MACHINES.machine
}

impl Machine {
    pub(super) fn kernel(&self) -> &'static Kernel {
        &MACHINES.kernel[&self.kernel]
    }

    /// Kernel parameters of machines that lose power: memory that survives a crash, at the same address in each boot because
    /// the kernel's address is fixed.
    pub(super) fn kernel_words(&self) -> &'static str {
        if self.has_disk { "reserve_mem=1M:4096:oops nokaslr" } else { "" }
    }
}

/// Commands for this machine.
pub(super) fn of(machine: &Machine, quick: bool) -> Vec<&'static Case> {
    let can = |case: &&Case| match case.plan.as_str() {
        "plain" => true,
        "crash" => machine.has_disk && machine.kernel().has_ramoops,
        _ => machine.has_disk,
    };
    CASES.case.iter().filter(can).filter(|case| !quick || case.is_quick).collect()
}

/// The plans of these cases, in their order, which is that of [`PLANS`].
pub(super) fn plans(cases: &[&'static Case]) -> Vec<&'static str> {
    let mut plans: Vec<&str> = cases.iter().map(|case| case.plan.as_str()).collect();
    plans.dedup();
    plans
}

/// Duration of a command, and errors of its result.
pub(super) fn judged(case: &Case, machine: &Machine, booted: &BootOutput) -> (f64, String) {
    if case.dies {
        let complaint = if booted.begun(&case.name).is_some() { "" } else { "did not begin" };
        return (0.0, complaint.to_owned());
    }
    let Some(told) = booted.told(&case.name) else { return (0.0, "did not end".to_owned()) };
    let mut wrong = Vec::new();
    if told.status != case.status {
        wrong.push(format!("ended with {}, not {}", told.status, case.status));
    }
    // Lines are broken where the terminal ends.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(told.text);
    let has = |sentence: &str| text.contains(&words(&sentence.replace("BOARD", &machine.board)));
    let says =
        case.says.iter().flat_map(|says| if says == "DISKS" { &machine.disks[..] } else { slice::from_ref(says) });
    wrong.extend(says.filter(|says| !has(says)).map(|says| format!("does not say {says:?}")));
    wrong.extend(case.never.iter().filter(|never| has(never)).map(|never| format!("says {never:?}")));
    (told.seconds, wrong.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_cases_need_one_boot() {
        for machine in machines() {
            assert_eq!(plans(&of(machine, true)), [PLANS[0]], "{}", machine.name);
        }
        for machine in machines().iter().filter(|machine| machine.has_disk) {
            let count = if machine.kernel().has_ramoops { 4 } else { 3 };
            assert_eq!(plans(&of(machine, false)), PLANS[..count], "{}", machine.name);
        }
    }

    #[test]
    fn unexpected_results_are_named() {
        let machine = &machines()[0];
        let case = CASES.case.iter().find(|case| case.name == "clock-quick").unwrap();
        let judged_of = |status, text: &str| {
            let console = format!("@@begin clock-quick\n{text}\n@@end clock-quick {status} 1.0 3.5\n");
            judged(case, machine, &BootOutput { console })
        };
        assert_eq!(judged_of(1, "Not measured: this CPU\n   is emulated"), (2.5, String::new()));
        let (_, complaint) = judged_of(0, "believe 3842 MHz as clock");
        assert_eq!(complaint, "ended with 0, not 1; does not say \"this CPU is emulated\"; says \"believe\"");
        assert_eq!(judged(case, machine, &BootOutput { console: String::new() }).1, "did not end");
    }
}
