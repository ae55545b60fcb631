//! Settings of one side of a comparison: syntax, and the kernel's files for them.

use crate::job::cpus::settable_opps;
use crate::job::pinning::{CpuSelection, parse_cpu_selection};
use machine::Root;
use machine::settings::Node;
use record::{Machine, Policy};

/// A setting of the machine, or the CPUs of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// Governor of all cpufreq policies.
    Governor(String),
    /// Maximum clock of all policies, in kHz.
    ClockMaxKhz(u32),
    /// Minimum clock of all policies, in kHz.
    ClockMinKhz(u32),
    /// CPUs of the program.
    Cpus(CpuSelection),
    /// Emulated clock: share of CPU time for the program, in percent.
    SharePercent(u32),
    /// Any setting of the kernel, and its value.
    Node(Node, String),
}

impl Setting {
    /// Parses `governor=schedutil,maxkhz=1416000,cpus=0-3`; `None` for a command.
    ///
    /// # Errors
    /// One sentence: an unknown setting or an invalid value.
    pub fn parse_list(text: &str) -> Result<Option<Vec<Setting>>, String> {
        // A list of CPUs contains commas, so a part without `=` belongs to the previous one.
        let mut parts: Vec<String> = Vec::new();
        for part in text.split(',') {
            match parts.last_mut() {
                Some(last) if !part.contains('=') => {
                    last.push(',');
                    last.push_str(part);
                }
                _ => parts.push(part.to_owned()),
            }
        }
        let pairs: Vec<(&str, &str)> = parts.iter().filter_map(|part| part.split_once('=')).collect();
        let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
        if pairs.len() != parts.len() || !pairs.iter().all(|(name, _)| is_name(name)) {
            return Ok(None);
        }
        let settings = pairs.iter().map(|(name, value)| Self::parse(name, value));
        settings.collect::<Result<Vec<_>, _>>().map(Some)
    }

    fn parse(name: &str, value: &str) -> Result<Setting, String> {
        let khz = || {
            let khz = value.parse().ok().filter(|khz| *khz > 0);
            khz.ok_or_else(|| format!("{name} must be a clock in kHz such as 1416000, not {value:?}"))
        };
        match name.to_lowercase().as_str() {
            "governor" => Ok(Setting::Governor(value.to_owned())),
            "maxkhz" => khz().map(Setting::ClockMaxKhz),
            "minkhz" => khz().map(Setting::ClockMinKhz),
            "thp" => Ok(Setting::Node(Node::HugePages, value.to_owned())),
            "cpus" => parse_cpu_selection(value).map(Setting::Cpus),
            _ => Err(format!("unknown setting {name:?}; settings: governor, maxkhz, minkhz, thp, cpus")),
        }
    }
}

/// Why these settings cannot be made here, in one sentence.
pub fn impossible(root: &Root, machine: &Machine, wanted: &[Setting]) -> Option<String> {
    let refused = |(node, value): &(Node, String)| node.allows(root, value).err();
    match nodes(machine, wanted) {
        Ok(nodes) => nodes.iter().find_map(refused).map(|missing| format!("{missing}.")),
        Err(why) => Some(why),
    }
}

/// Files of the kernel for settings, with their values.
///
/// # Errors
/// One sentence: the machine lacks what they set.
pub fn nodes(machine: &Machine, wanted: &[Setting]) -> Result<Vec<(Node, String)>, String> {
    let mut nodes = Vec::new();
    for setting in wanted {
        let (node, value): (fn(u32) -> Node, String) = match setting {
            Setting::Cpus(_) | Setting::SharePercent(_) => continue,
            Setting::Node(node, value) => {
                nodes.push((*node, value.clone()));
                continue;
            }
            Setting::Governor(name) => (Node::Governor, name.clone()),
            Setting::ClockMaxKhz(khz) => (Node::ClockMax, khz.to_string()),
            Setting::ClockMinKhz(khz) => (Node::ClockMin, khz.to_string()),
        };
        if machine.policies.is_empty() {
            return Err("This machine has no cpufreq; clocks and governors cannot be set.".into());
        }
        nodes.extend(machine.policies.iter().map(|policy| (node(policy.policy), value.clone())));
    }
    Ok(nodes)
}

/// Clock limits: policies of the set at this clock or the next lower OPP, all others at their lowest.
pub fn clock_limits(machine: &Machine, khz: u32, is_of_set: impl Fn(&Policy) -> bool) -> Vec<Setting> {
    let limits = machine.policies.iter().filter_map(|policy| {
        let own = settable_opps(policy);
        let lowest = *own.first()?;
        let below = own.iter().rev().find(|opp| **opp <= khz && is_of_set(policy));
        // A higher minimum would override the maximum.
        let max = below.copied().unwrap_or(lowest);
        Some([(Node::ClockMin(policy.policy), lowest), (Node::ClockMax(policy.policy), max)])
    });
    limits.flatten().map(|(node, khz)| Setting::Node(node, khz.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_and_commands_are_distinguished() {
        for (text, expected) in [
            ("governor=schedutil", Ok(Some(1))),
            ("maxKHz=1416000,cpus=0-3,6", Ok(Some(2))),
            ("thp=never,cpus=1", Ok(Some(2))),
            ("make -j4", Ok(None)),
            ("env A=b make", Ok(None)),
            ("true", Ok(None)),
            ("maxkhz=fast", Err("clock in kHz")),
            ("colour=red", Err("governor, maxkhz")),
            ("cpus=many", Err("CPUs must be all")),
        ] {
            let found = Setting::parse_list(text).map(|list| list.map(|list| list.len()));
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
                (Err(why), Err(words)) => assert!(why.contains(words), "{why}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
    }
}
