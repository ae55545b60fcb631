//! Suspends the machine and wakes it by the alarm of its clock (Documentation/admin-guide/pm/sleep-states.rst,
//! Documentation/admin-guide/rtc.rst). Hibernation is not among the states: it needs a swap device and a kernel option.

use crate::settings::{MEM_SLEEP, Node};
use crate::timeline::suspended_ms;
use crate::{Root, Timeline};
use record::{Missing, Reading};
use std::time::Duration;

const STATE: &str = "/sys/power/state";
const CLOCKS: &str = "/sys/class/rtc";
const WAKEUP_IRQ: &str = "/sys/power/pm_wakeup_irq";
/// Pause between two readings of the clock, whose next second is awaited.
const TICK_LOOK: Duration = Duration::from_millis(10);
/// Maximum time until the next second of the clock.
const TICK_WAIT: Duration = Duration::from_millis(1_500);

/// A state that the kernel offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SleepState {
    /// Word of `/sys/power/state`: `freeze`, `standby` or `mem`.
    pub state: &'static str,
    /// Kind of `mem`: `s2idle`, `shallow` or `deep`.
    pub mem_sleep: Option<String>,
}

/// Course of one suspend.
#[derive(Debug, Clone, PartialEq)]
pub struct Suspend {
    /// Time from the request until the machine slept, in milliseconds; `None` if it did not sleep.
    pub to_sleep_ms: Option<i64>,
    /// Time asleep, in milliseconds.
    pub asleep_ms: i64,
    /// Time from the alarm until the program ran again, in milliseconds; `None` if the machine woke before it.
    pub to_wake_ms: Option<i64>,
    /// The interrupt that woke it.
    pub woken_by: Reading<String>,
}

impl SleepState {
    /// Name of the state: `deep`, `s2idle`, `freeze`.
    pub fn name(&self) -> &str {
        self.mem_sleep.as_deref().unwrap_or(self.state)
    }

    /// The setting that selects it.
    pub fn setting(&self) -> Option<(Node, String)> {
        self.mem_sleep.clone().map(|kind| (Node::MemSleep, kind))
    }
}

/// States from which the clock of the machine can wake it.
///
/// # Errors
/// The kernel has no such state, no clock of the machine has an alarm, or the alarm is in use.
pub fn sleep_states(root: &Root) -> Reading<Vec<SleepState>> {
    let states = parse_states(&root.read(STATE)?, &root.read(MEM_SLEEP).unwrap_or_default());
    if states.is_empty() {
        return Err(Missing::unsupported(STATE, "the kernel offers no sleep state"));
    }
    alarm_clock(root).map(|_| states)
}

/// Parses `/sys/power/state` and `/sys/power/mem_sleep`.
fn parse_states(states: &str, mem_sleep: &str) -> Vec<SleepState> {
    let kinds: Vec<&str> = mem_sleep.split_whitespace().map(|kind| kind.trim_matches(['[', ']'])).collect();
    let mut found = Vec::new();
    for state in ["freeze", "standby", "mem"] {
        let is_offered = states.split_whitespace().any(|word| word == state);
        match (state, kinds.as_slice()) {
            _ if !is_offered => {}
            // The same state has two names.
            ("freeze", kinds) if kinds.contains(&"s2idle") => {}
            ("mem", kinds) if !kinds.is_empty() => {
                found.extend(kinds.iter().map(|kind| SleepState { state, mem_sleep: Some((*kind).to_owned()) }));
            }
            _ => found.push(SleepState { state, mem_sleep: None }),
        }
    }
    found
}

/// Directory of a clock with a free alarm.
fn alarm_clock(root: &Root) -> Reading<String> {
    let mut why = Missing::unsupported(CLOCKS, "no clock of this machine has an alarm to wake it");
    for name in root.list(CLOCKS).unwrap_or_default() {
        let alarm = format!("{CLOCKS}/{name}/wakealarm");
        match root.read(&alarm) {
            Ok(set) if set.trim().is_empty() => return Ok(format!("{CLOCKS}/{name}")),
            Ok(_) => why = Missing::unsupported(alarm, "an alarm is already set"),
            Err(_) => {}
        }
    }
    Err(why)
}

/// Suspends the machine for this time. [`SleepState::setting`] must be in force.
///
/// # Errors
/// The alarm could not be set, or the kernel refused to suspend: the machine has not slept.
pub fn suspend(root: &Root, timeline: &Timeline, state: &SleepState, time: Duration) -> Reading<Suspend> {
    let clock = alarm_clock(root)?;
    let alarm = format!("{clock}/wakealarm");
    let second = || root.read_number::<u64>(&format!("{clock}/since_epoch"));
    let start_ms = timeline.now_ms();
    let mut now = second()?;
    let first = now;
    while now == first && timeline.now_ms() - start_ms < TICK_WAIT.as_millis() as i64 {
        timeline.sleep(TICK_LOOK);
        now = second()?;
    }
    // Monotonic time stops while the machine sleeps.
    let moment = || (timeline.now_ms(), suspended_ms());
    let tick = moment();
    root.write(&alarm, &(now + time.as_secs()).to_string())?;
    let before = moment();
    let slept = root.write(STATE, state.state);
    let after = moment();
    let cleared = root.write(&alarm, "0");
    slept.and(cleared.or_else(|missing| {
        // An alarm that went off is gone.
        if root.read(&alarm).is_ok_and(|set| set.trim().is_empty()) { Ok(()) } else { Err(missing) }
    }))?;
    let asleep_ms = after.1 - before.1;
    let late_ms = after.0 - tick.0 + asleep_ms - time.as_millis() as i64;
    let to_wake_ms = (late_ms >= 0).then_some(late_ms);
    Ok(Suspend {
        to_sleep_ms: to_wake_ms.map(|wake_ms| (after.0 - before.0 - wake_ms).max(0)).filter(|_| asleep_ms > 0),
        asleep_ms,
        to_wake_ms,
        woken_by: woken_by(root),
    })
}

fn woken_by(root: &Root) -> Reading<String> {
    let number: u32 = root.read_number(WAKEUP_IRQ)?;
    let name = parse_interrupt(&root.read("/proc/interrupts")?, number);
    Ok(name.map_or_else(|| format!("interrupt {number}"), |name| format!("{name} (interrupt {number})")))
}

/// Parses `/proc/interrupts`: the name of this interrupt.
fn parse_interrupt(text: &str, number: u32) -> Option<String> {
    let row = text.lines().find_map(|line| {
        let (own, rest) = line.split_once(':')?;
        (own.trim().parse() == Ok(number)).then_some(rest)
    })?;
    let name = row.split_whitespace().last()?;
    Some(name.chars().filter(|letter| !letter.is_control()).collect())
}

/// Parses files of the kernel; for fuzzing.
pub(crate) fn foreign(text: &str) {
    parse_states(text, text);
    parse_interrupt(text, 9);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WritePolicy;
    use proptest::prelude::*;

    const BOARD: &str = "\
== /sys/power/state
freeze mem disk
== /sys/power/mem_sleep
s2idle [deep]
== /sys/power/pm_wakeup_irq
9
== /proc/interrupts
  8:          1          0   IO-APIC   8-edge      timer
  9:          0          2   IO-APIC   9-fasteoi   rtc0
== /sys/class/rtc/rtc0/wakealarm

== /sys/class/rtc/rtc0/since_epoch
1700000000
";

    fn names(states: &str, mem_sleep: &str) -> String {
        parse_states(states, mem_sleep).iter().map(SleepState::name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn states_of_kernels() {
        for (states, mem_sleep, expected) in [
            ("freeze mem disk", "s2idle [deep]", "s2idle deep"),
            ("freeze standby mem", "", "freeze standby mem"),
            ("freeze", "", "freeze"),
            ("freeze mem", "[s2idle]", "s2idle"),
            ("disk", "", ""),
        ] {
            assert_eq!(names(states, mem_sleep), expected, "{states} {mem_sleep}");
        }
        let states = sleep_states(&Root::from_board(BOARD).unwrap()).unwrap();
        assert_eq!(states.last().unwrap().setting(), Some((Node::MemSleep, "deep".into())));
    }

    #[test]
    fn no_state_without_a_free_alarm() {
        for (from, to, words) in [
            ("/sys/class/rtc/rtc0/wakealarm\n", "/sys/class/rtc/rtc0/wakealarm\n1700000100", "already set"),
            ("/sys/class/rtc/rtc0/wakealarm", "/sys/class/rtc/rtc0/none", "has an alarm"),
            ("freeze mem disk", "disk", "no sleep state"),
        ] {
            let root = Root::from_board(&BOARD.replace(from, to)).unwrap();
            let why = sleep_states(&root).unwrap_err().to_string();
            assert!(why.contains(words), "{why}");
        }
    }

    #[test]
    fn alarm_is_set_before_the_machine_sleeps_and_is_gone_afterwards() {
        let timeline = Timeline::fake(0);
        let state = SleepState { state: "mem", mem_sleep: Some("deep".into()) };
        for refuses in [false, true] {
            let root = Root::from_board(BOARD).unwrap();
            let before = root.clone();
            // A kernel that wakes 700 ms after the alarm of 5 s, and one that refuses.
            let clock = timeline.clone();
            let asleep = root.with_write_policy(WritePolicy::new(move |path, value| match path {
                "/sys/class/rtc/rtc0/wakealarm" if value == "0" => Ok(String::new()),
                "/sys/power/state" => {
                    assert_eq!(before.read_value("/sys/class/rtc/rtc0/wakealarm").unwrap(), "1700000005");
                    clock.sleep(Duration::from_millis(5_700));
                    if refuses { Err(libc::EBUSY) } else { Ok("freeze mem disk".into()) }
                }
                _ => Ok(value.to_owned()),
            }));
            let done = suspend(&asleep, &timeline, &state, Duration::from_secs(5));
            assert_eq!(root.read("/sys/class/rtc/rtc0/wakealarm").unwrap().trim(), "");
            if refuses {
                assert!(done.unwrap_err().to_string().contains("busy"));
                continue;
            }
            let done = done.unwrap();
            assert_eq!((done.to_wake_ms, done.asleep_ms, done.to_sleep_ms), (Some(700), 0, None));
            assert_eq!(done.woken_by.unwrap(), "rtc0 (interrupt 9)");
        }
    }

    proptest! {
        #[test]
        fn foreign_never_panics(text in "(( [0-9]{1,3}|\\[mem\\]|freeze): \\PC{0,12}\n){0,6}") {
            foreign(&text);
        }
    }
}
