//! Detects whether something other than the user limits the maximum clock of a policy: the limit in its file is then
//! not the user's.

use super::Node;
use super::node::POLICY;
use crate::Root;
use identify::read_list;

/// Drivers without a table of OPPs round to multiples of the bus clock (Documentation/admin-guide/pm/intel_pstate.rst).
const STEP_KHZ: u32 = 100_000;

/// True if the kernel's cooling limits the clock of this policy now (kernel:
/// Documentation/driver-api/thermal/sysfs-api.rst). A device that does not name its CPUs applies to all of them.
pub(super) fn is_raised(root: &Root, policy: u32) -> bool {
    let cpus = read_list(root, &format!("{POLICY}{policy}/related_cpus")).unwrap_or_default();
    let is_of_policy = |kind: &str| {
        let cpu = kind.strip_prefix("cpufreq-cpu").map(str::parse::<u32>);
        match cpu {
            Some(Ok(cpu)) if !cpus.is_empty() => cpus.contains(&cpu),
            _ => kind.contains("cpu") || kind.contains("processor"),
        }
    };
    let devices = root.list("/sys/class/thermal").unwrap_or_default();
    devices.iter().filter(|name| name.starts_with("cooling_device")).any(|name| {
        let folder = format!("/sys/class/thermal/{name}");
        let kind = root.read_value(&format!("{folder}/type"));
        let kind = kind.unwrap_or_default().to_lowercase();
        let state: u64 = root.read_number(&format!("{folder}/cur_state")).unwrap_or(0);
        state > 0 && is_of_policy(&kind)
    })
}

/// Reason why the limit `current` may not be the user's; none if it is. `scaling_max_freq` shows the lowest of all
/// limits: the user's, those of cooling, and that of the firmware (`bios_limit`).
pub(super) fn hides_limit(root: &Root, node: Node, current: &str) -> Option<String> {
    let Node::ClockMax(policy) = node else { return None };
    let current_khz: u32 = current.parse().ok()?;
    let top_khz: u32 = root.read_number(&format!("{POLICY}{policy}/cpuinfo_max_freq")).ok()?;
    if current_khz >= top_khz {
        return None;
    }
    let firmware: Option<u32> = root.read_number(&format!("{POLICY}{policy}/bios_limit")).ok();
    let who = match () {
        () if is_raised(root, policy) => "cooling",
        () if firmware == Some(current_khz) => "the firmware",
        () => return None,
    };
    Some(format!("{who} limits it to {} MHz, so the original limit is unknown", current_khz / 1000))
}

/// True if a raised cooling device explains that `scaling_max_freq` reads lower than the requested value, so that no
/// other process changed it.
pub(super) fn lowers(root: &Root, node: Node, asked: &str, current: &str) -> bool {
    let Node::ClockMax(policy) = node else { return false };
    match (asked.parse::<u32>(), current.parse::<u32>()) {
        (Ok(asked), Ok(current)) => current < asked && is_raised(root, policy),
        _ => false,
    }
}

/// True if this value is in force, in the form that the kernel gives it: since Linux 5.16 a limit reads as the OPP that
/// it is resolved to, the next one below for the maximum clock and above for the minimum.
pub(super) fn is_in_force(root: &Root, node: Node, wanted: &str, found: &str) -> bool {
    if wanted == found || lowers(root, node, wanted, found) {
        return true;
    }
    let (policy, is_max) = match node {
        Node::ClockMax(policy) => (policy, true),
        Node::ClockMin(policy) => (policy, false),
        _ => return false,
    };
    let (Ok(wanted), Ok(found)) = (wanted.parse::<u32>(), found.parse::<u32>()) else { return false };
    let opps = root.read(&format!("{POLICY}{policy}/scaling_available_frequencies")).unwrap_or_default();
    let opps: Vec<u32> = opps.split_whitespace().filter_map(|khz| khz.parse().ok()).collect();
    let (below, above) = if is_max { (found, wanted) } else { (wanted, found) };
    if opps.is_empty() {
        return (below..=below.saturating_add(STEP_KHZ)).contains(&above);
    }
    let opps = opps.into_iter();
    let resolved =
        if is_max { opps.filter(|khz| *khz <= wanted).max() } else { opps.filter(|khz| *khz >= wanted).min() };
    resolved == Some(found)
}
