//! Settings that may be changed: files, values in force, and allowed values.

use super::{DeviceKind, DeviceName};
use crate::Root;
use record::{Missing, Reading};

/// Setting that may be changed. No other file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// `scaling_governor` of a cpufreq policy.
    Governor(u32),
    /// `scaling_min_freq` of a cpufreq policy, in kHz.
    ClockMin(u32),
    /// `scaling_max_freq` of a cpufreq policy, in kHz.
    ClockMax(u32),
    /// Transparent huge pages: when the kernel uses them for memory of programs.
    HugePages,
    /// `governor` of a devfreq device: memory controller, GPU, NPU.
    DeviceGovernor(DeviceName),
    /// Power saving policy of PCI Express links.
    AspmPolicy,
    /// `1` for an online CPU, else `0`. CPUs without this file, often CPU 0, cannot go offline.
    CpuOnline(u32),
    /// Switch of a device.
    Device(DeviceKind, DeviceName),
    /// Kind of sleep behind `mem` of `/sys/power/state`.
    MemSleep,
}

/// Documentation/core-api/cpu_hotplug.rst
pub(super) const CPUS: &str = "/sys/devices/system/cpu";
/// Directory of a policy, without its number.
pub(super) const POLICY: &str = "/sys/devices/system/cpu/cpufreq/policy";
pub(super) const DEVFREQ: &str = "/sys/class/devfreq";
pub(super) const ASPM_POLICY: &str = "/sys/module/pcie_aspm/parameters/policy";
/// Documentation/admin-guide/pm/sleep-states.rst
pub(crate) const MEM_SLEEP: &str = "/sys/power/mem_sleep";
/// Documentation/admin-guide/mm/transhuge.rst
pub(super) const HUGE_PAGES: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

impl Node {
    /// File of the node (kernel: Documentation/admin-guide/pm/cpufreq.rst,
    /// Documentation/ABI/testing/sysfs-class-devfreq, `pcie_aspm.policy` in kernel-parameters.rst).
    pub fn path(self) -> String {
        let (policy, file) = match self {
            Node::HugePages => return HUGE_PAGES.into(),
            Node::Governor(policy) => (policy, "scaling_governor"),
            Node::ClockMin(policy) => (policy, "scaling_min_freq"),
            Node::ClockMax(policy) => (policy, "scaling_max_freq"),
            Node::DeviceGovernor(name) => return format!("{DEVFREQ}/{}/governor", name.as_str()),
            Node::AspmPolicy => return ASPM_POLICY.to_owned(),
            Node::CpuOnline(cpu) => return format!("{CPUS}/cpu{cpu}/online"),
            Node::Device(kind, name) => return kind.path(name),
            Node::MemSleep => return MEM_SLEEP.to_owned(),
        };
        format!("{POLICY}{policy}/{file}")
    }

    /// The value that switches a device off; `None` for other settings, and for a device that is off.
    ///
    /// # Errors
    /// As [`Node::read`].
    pub fn off(self, root: &Root) -> Reading<Option<String>> {
        let Node::Device(kind, _) = self else { return Ok(None) };
        Ok(kind.off(&self.read(root)?))
    }

    /// Value in force.
    ///
    /// # Errors
    /// The node does not exist or cannot be read.
    pub fn read(self, root: &Root) -> Reading<String> {
        let text = root.read_value(&self.path())?;
        match self {
            Node::Device(kind, _) => Ok(kind.settable(text)),
            Node::HugePages | Node::AspmPolicy | Node::MemSleep => {
                parse_chosen(&text).map(str::to_owned).ok_or_else(|| Missing::garbled(self.path(), &text))
            }
            _ => Ok(text),
        }
    }

    /// Checks that the node lists or allows this value.
    ///
    /// # Errors
    /// It does not, or its list or limits cannot be read.
    pub fn allows(self, root: &Root, value: &str) -> Reading<()> {
        let folder = |policy| format!("{POLICY}{policy}");
        match self {
            Node::HugePages => is_listed(root, HUGE_PAGES, value),
            Node::Governor(policy) => {
                let path = format!("{}/scaling_available_governors", folder(policy));
                is_listed(root, &path, value)
            }
            Node::DeviceGovernor(name) => {
                let path = format!("{DEVFREQ}/{}/available_governors", name.as_str());
                is_listed(root, &path, value)
            }
            Node::AspmPolicy => is_listed(root, ASPM_POLICY, value),
            Node::MemSleep => is_listed(root, MEM_SLEEP, value),
            Node::Device(kind, _) if kind.allows(value) => Ok(()),
            Node::Device(..) => {
                Err(Missing::unsupported(self.path(), format!("{value} is not a value of this switch")))
            }
            Node::CpuOnline(_) => match value {
                "0" | "1" => Ok(()),
                _ => Err(Missing::unsupported(self.path(), format!("{value} must be 0 or 1"))),
            },
            Node::ClockMin(policy) | Node::ClockMax(policy) => {
                let min: u32 = root.read_number(&format!("{}/cpuinfo_min_freq", folder(policy)))?;
                let max: u32 = root.read_number(&format!("{}/cpuinfo_max_freq", folder(policy)))?;
                match value.parse::<u32>() {
                    Ok(khz) if (min..=max).contains(&khz) => Ok(()),
                    _ => Err(Missing::unsupported(self.path(), format!("{value} kHz is outside {min} to {max} kHz"))),
                }
            }
        }
    }

    /// Node of a file, if any.
    pub(super) fn from_path(path: &str) -> Option<Self> {
        if path == HUGE_PAGES {
            return Some(Node::HugePages);
        }
        if path == ASPM_POLICY {
            return Some(Node::AspmPolicy);
        }
        if path == MEM_SLEEP {
            return Some(Node::MemSleep);
        }
        if let Some((kind, name)) = DeviceKind::from_path(path) {
            return Some(Node::Device(kind, name));
        }
        if let Some(rest) = path.strip_prefix(DEVFREQ) {
            let name = rest.strip_prefix('/')?.strip_suffix("/governor")?;
            return DeviceName::new(name).map(Node::DeviceGovernor);
        }
        if let Some(cpu) = path.strip_prefix(CPUS).and_then(|rest| rest.strip_prefix("/cpu")?.strip_suffix("/online")) {
            return cpu.parse().ok().map(Node::CpuOnline);
        }
        let rest = path.strip_prefix(POLICY)?;
        let (policy, _) = rest.split_once('/')?;
        let policy = policy.parse().ok()?;
        [Node::Governor(policy), Node::ClockMin(policy), Node::ClockMax(policy)]
            .into_iter()
            .find(|node| node.path() == path)
    }
}

/// Checks that a file lists this value; the selected one is in brackets.
fn is_listed(root: &Root, path: &str, value: &str) -> Reading<()> {
    let listed = root.read_value(path)?;
    let mut words = listed.split_whitespace();
    if words.any(|word| word.trim_matches(['[', ']']) == value) {
        return Ok(());
    }
    let reason = format!("{value} is not one of {listed}");
    Err(Missing::unsupported(path, reason))
}

/// Selected value in a list such as `always [madvise] never`, or the only value.
fn parse_chosen(text: &str) -> Option<&str> {
    let in_brackets = |word: &'_ str| word.starts_with('[') && word.ends_with(']');
    let words: Vec<&str> = text.split_whitespace().collect();
    let chosen = match words.as_slice() {
        [only] => Some(only),
        several => several.iter().find(|word| in_brackets(word)),
    };
    chosen.map(|word| word.trim_matches(['[', ']']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selected_value_in_brackets() {
        for (text, expected) in [
            ("always [madvise] never", Some("madvise")),
            ("[always] madvise never", Some("always")),
            ("never", Some("never")),
            ("always never", None),
            ("", None),
        ] {
            assert_eq!(parse_chosen(text), expected, "{text:?}");
        }
    }

    #[test]
    fn foreign_paths_are_not_nodes() {
        assert_eq!(Node::from_path("/sys/class/devfreq/../../etc/governor"), None);
    }
}
