//! Busy gate: decides by CPU time over a short window whether the system is idle enough. The load average still
//! contains the boot for minutes.

use crate::plan::options::Options;
use machine::processes::{BusyWindow, CpuTimeBaseline};
use machine::{Root, Timeline};
use record::{Gate, Machine, Reading};
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

/// Length of a window: long compared with ticks of 10 ms, short enough that an idle system passes at once.
const WINDOW: Duration = Duration::from_secs(2);
/// Maximum use of all CPUs, in hundredths of a percent: half that of a desktop monitor on a small board. It changes a
/// 7-zip score by no more than this.
const BUSY_HUNDREDTHS_MAX: u32 = 500;
/// Maximum use of one core by one process, in hundredths of a percent: negligible in the total of many cores, it still
/// disturbs its own core.
const PROCESS_HUNDREDTHS_MAX: u32 = 1500;
/// Maximum number of named processes.
pub(super) const NAMED_MAX: usize = 5;

/// Waits until the system is idle, up to the limit of the options. Calls `on_busy` after every busy window.
pub(crate) fn wait_until_idle(
    (root, timeline): (&Root, &Timeline),
    options: &Options,
    cancelled: &AtomicI32,
    on_busy: &mut dyn FnMut(&Gate, Duration),
) -> Gate {
    let start_ms = timeline.now_ms();
    let mut gate = Gate { forced: options.force, ..Gate::default() };
    loop {
        match window(root, timeline) {
            Ok(window) => judge(&mut gate, window),
            // Without CPU times, a run is not refused.
            Err(_) => gate.passed = true,
        }
        gate.waited_ms = (timeline.now_ms() - start_ms) as u64;
        let waited = Duration::from_millis(gate.waited_ms);
        if gate.forced && !gate.passed {
            on_busy(&gate, Duration::ZERO);
        }
        let over = gate.passed || gate.forced || waited >= options.wait;
        if over || cancelled.load(Ordering::Relaxed) != 0 {
            return gate;
        }
        on_busy(&gate, options.wait - waited);
    }
}

fn window(root: &Root, timeline: &Timeline) -> Reading<BusyWindow> {
    let busy = CpuTimeBaseline::start(root)?;
    timeline.sleep(WINDOW);
    busy.finish()
}

fn judge(gate: &mut Gate, window: BusyWindow) {
    let alone = window.processes.first().map_or(0, |process| process.hundredths_percent);
    gate.busy_hundredths_percent = window.busy_hundredths_percent;
    gate.passed = window.busy_hundredths_percent <= BUSY_HUNDREDTHS_MAX && alone <= PROCESS_HUNDREDTHS_MAX;
    gate.busiest = window.processes;
    gate.busiest.truncate(NAMED_MAX);
}

/// Records the other facts before the start.
pub(crate) fn check_facts(gate: &mut Gate, root: &Root, machine: &Machine, boot_messages: Reading<bool>) {
    let offline = machine.cpus.iter().filter(|cpu| !cpu.online);
    gate.offline_cpus = offline.map(|cpu| cpu.cpu).collect();
    gate.denied_cpus = machine::denied_cpus(root, machine);
    gate.boot_messages_present = boot_messages.into();
    gate.on_battery = machine::on_battery(root).into();
    gate.available_kib = machine::available_kib(root).into();
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::BusyProcess;

    fn check(all: u32, processes: &[u32], passes: bool) {
        let process = |(pid, share): (usize, &u32)| BusyProcess {
            pid: pid as u32,
            name: "cc1".into(),
            hundredths_percent: *share,
        };
        let window = BusyWindow {
            busy_hundredths_percent: all,
            own_hundredths_percent: 0,
            processes: processes.iter().enumerate().map(process).collect(),
        };
        let mut gate = Gate::default();
        judge(&mut gate, window);
        assert_eq!(gate.passed, passes, "{all} {processes:?}");
        assert!(gate.busiest.len() <= NAMED_MAX);
    }

    #[test]
    fn quiet_system_passes() {
        check(0, &[], true);
        check(200, &[100, 50, 50, 10, 5, 5], true);
    }

    #[test]
    fn busy_system_or_one_busy_process_does_not() {
        check(5000, &[9900], false);
        check(600, &[], false);
        // One full core of 96.
        check(104, &[9900], false);
    }
}
