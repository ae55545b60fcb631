//! Where a run without an end died, its last readings, and the likely cause. A run that was resumed may have several
//! deaths.

use super::{channels, gauge, is_log, matching_messages};
use crate::Facts;
use record::{
    Aftermath, ChannelId, DeathPoint, End, HwmonChannel, LastWords, LoadSpan, RaspberryPiChannel, Record, Unit, Window,
};

/// Readings within this time before the end are related to the end.
const JUST_BEFORE_MS: i64 = 10_000;
/// SoCs stop by themselves at about 105 to 125 °C; boards without cooling die well before at the voltages
/// that heat takes from them. Above this, heat is a likely cause.
const HOT_MILLICELSIUS: i64 = 95_000;
/// Above this temperature heat cannot be excluded.
const WARM_MILLICELSIUS: i64 = 85_000;
/// Below this, a 5 V supply is out of its specification (USB 2.0, 7.2.2: 4.75 V at the plug) and boards fail. Applies
/// to 5 V inputs only.
const LOW_MILLIVOLTS: i64 = 4_750;
const FIVE_VOLTS: std::ops::Range<i64> = 4_000..5_600;
/// `WDIOF_CARDRESET` of Documentation/watchdog/watchdog-api.rst: the watchdog caused the last reset.
const BY_WATCHDOG: u32 = 0x20;
/// `WDIOF_OVERHEAT` and `WDIOF_POWERUNDER` of the same document.
const BY_HEAT: u32 = 0x01;
const BY_VOLTAGE: u32 = 0x10;
/// Reset reasons in lower case, from Documentation/ABI/testing/sysfs-platform-power-on-reason and the firmware of a
/// Raspberry Pi: no power before, and low voltage.
const POWER_CAME_ON: [&str; 2] = ["power came on", "regular power-up"];
const BROWN_OUT: [&str; 2] = ["brown-out", "brownout"];
/// Under-voltage now, in the bits of a Raspberry Pi's firmware.
const UNDER_VOLTAGE: i64 = 1;

/// A run without an end.
#[derive(Debug, Clone, PartialEq)]
pub struct Death {
    /// Subject of the death, as the beginning of a sentence.
    pub how: &'static str,
    /// True if the machine lived on, so that a user or the kernel killed the program.
    pub was_killed: bool,
    /// The step in people's words, with its repetition.
    pub step: String,
    /// Duration of that step until then, or of the run if no step had begun.
    pub into_ms: Option<i64>,
    /// Last readings.
    pub seen: Option<LastSample>,
    /// The likely cause as a sentence.
    pub cause: String,
    /// Confidence in percent.
    pub sure_percent: u8,
}

/// The last sample before the end.
#[derive(Debug, Clone, PartialEq)]
pub struct LastSample {
    /// Time before the last sign of life.
    pub before_ms: i64,
    /// The values in words.
    pub words: String,
    /// The temperature among them.
    pub millicelsius: Option<i64>,
    /// Highest advertised clock of a CPU.
    pub khz: Option<i64>,
    /// Advertised clock of the memory in hertz.
    pub dram_hz: Option<i64>,
    /// Power.
    pub milliwatts: Option<f64>,
    /// Supply voltage.
    pub millivolts: Option<i64>,
}

/// First death of a run of this program that was not resumed; `None` if the run ended normally.
pub fn death<'a>(facts: &'a Facts<'_>) -> Option<&'a Death> {
    let has_ended = facts.run.end != End::Died || facts.run.died_in.is_none();
    facts.deaths().last().filter(|_| !has_ended)
}

/// Every time that it died, in order. After each of [`record::Run::resumed`] it went on.
pub(crate) fn deaths(facts: &Facts<'_>) -> Vec<Death> {
    if is_log(facts) || facts.run.is_monitoring() {
        return Vec::new();
    }
    let deaths = facts.run.deaths();
    deaths.map(|died| death_at(facts, died)).collect()
}

fn death_at(facts: &Facts<'_>, died: &DeathPoint) -> Death {
    let aftermath = died.aftermath.known();
    let restarted = aftermath.and_then(|aftermath| aftermath.restarted.known());
    let seen = last_seen(facts, died);
    let (cause, sure_percent) = match (died.signal, restarted) {
        (Some(signal), _) => (format!("Signal {signal} stopped it."), 99),
        (None, Some(false)) => killed(facts, died),
        (None, _) => cause(facts, died, aftermath, seen.as_ref()),
    };
    Death {
        how: match (died.signal, restarted) {
            (Some(_), _) => "The run was stopped",
            (None, Some(true)) => "The board died",
            (None, Some(false)) => "The program was killed",
            (None, None) => "The run died",
        },
        was_killed: died.signal.is_some() || restarted == Some(&false),
        step: step_words(died),
        into_ms: match (&died.step, died.began_ms) {
            (None, None) => Some(died.at_ms),
            (_, began_ms) => began_ms.map(|began_ms| died.at_ms.saturating_sub(began_ms)),
        },
        seen,
        cause,
        sure_percent,
    }
}

/// `stockfish, run 2`; empty between two steps.
fn step_words(died: &DeathPoint) -> String {
    match (&died.step, died.repetition) {
        (None, _) => "the time between two steps".to_owned(),
        (Some(step), 0) => step.clone(),
        (Some(step), repetition) => format!("{step}, run {}", repetition + 1),
    }
}

fn just_before(died: &DeathPoint) -> Window {
    Window { start_ms: died.at_ms.saturating_sub(JUST_BEFORE_MS), end_ms: died.at_ms, ..Window::default() }
}

fn last_seen(facts: &Facts<'_>, died: &DeathPoint) -> Option<LastSample> {
    let mut times = facts.samples.at_ms.iter().rev();
    let last_ms = *times.find(|at_ms| **at_ms <= died.at_ms)?;
    let window = just_before(died);
    let last_of = |is_wanted: fn(&ChannelId) -> bool| {
        let last = |channel| Some(gauge(facts, channel, window).last()?.value);
        channels(facts, is_wanted).filter_map(last).max()
    };
    let millicelsius = last_temperature(facts, window);
    let khz = last_of(ChannelId::is_policy_claim);
    let dram = channels(facts, ChannelId::is_memory_clock).next();
    let dram_hz = dram.and_then(|channel| Some(gauge(facts, channel, window).last()?.value));
    let mut words: Vec<String> = Vec::new();
    words.extend(millicelsius.map(|value| format!("{:.1} °C", value as f64 / 1e3)));
    words.extend(khz.map(|khz| format!("{} MHz", khz.saturating_add(500) / 1000)));
    let power = facts.power_mw(&window);
    let milliwatts = power.last().map(|(_, mw)| *mw);
    words.extend(milliwatts.map(|mw| format!("{:.1} W", mw / 1e3)));
    let millivolts = last_millivolts(facts, window);
    words.extend(millivolts.map(volts));
    let mut words = words.join(", ");
    if let Some(hz) = dram_hz {
        let separator = if words.is_empty() { "" } else { "; " };
        words.push_str(&format!("{separator}DRAM at {} MHz", hz.saturating_add(500_000) / 1_000_000));
    }
    if words.is_empty() {
        // A virtual machine has none of these sensors, but has a load average.
        let load = last_of(|id| *id == ChannelId::Load(LoadSpan::One));
        words = match load {
            Some(hundredths) => format!("load {:.2}", hundredths as f64 / 100.0),
            None => "no temperature, clock, power or voltage readings".to_owned(),
        };
    }
    let before_ms = died.at_ms.saturating_sub(last_ms);
    Some(LastSample { before_ms, words, millicelsius, khz, dram_hz, milliwatts, millivolts })
}

fn last_temperature(facts: &Facts<'_>, window: Window) -> Option<i64> {
    let hottest = facts.heat(&window)?;
    let channel = facts.samples.channel(&hottest.channel)?;
    Some(gauge(facts, channel, window).last()?.value)
}

fn volts(millivolts: i64) -> String {
    format!("{:.2} V", millivolts as f64 / 1e3)
}

/// The lowest last value of what measures a supply of 5 V: a meter, or an input of a board's monitor.
fn last_millivolts(record: &Record, window: Window) -> Option<i64> {
    let voltages = record.samples.channels.iter().filter_map(|channel| {
        let scale = match channel.unit {
            Unit::Millivolts => 1,
            Unit::Microvolts => 1000,
            _ => return None,
        };
        Some(gauge(record, channel, window).last()?.value / scale)
    });
    voltages.filter(|millivolts| FIVE_VOLTS.contains(millivolts)).min()
}

/// Why the program alone ended: the kernel is still the same boot.
fn killed(record: &Record, died: &DeathPoint) -> (String, u8) {
    let is_oom = |text: &str| text.contains("Out of memory") || text.contains("oom-kill");
    let before = |at_ms: Option<i64>| at_ms.is_none_or(|at_ms| at_ms <= died.at_ms);
    let mut messages = matching_messages(record, is_oom).into_iter();
    if let Some((_, message)) = messages.find(|(_, message)| before(message.at_ms)) {
        let text = message.text.trim();
        return (format!("The machine was out of memory: \"{text}\"."), 90);
    }
    let text = "The machine stayed up: the program was killed (a signal, a closed session, systemd) or it crashed.";
    (text.to_owned(), 95)
}

/// Likely cause by confidence.
fn cause(record: &Record, died: &DeathPoint, aftermath: Option<&Aftermath>, seen: Option<&LastSample>) -> (String, u8) {
    let began_utc_ms = record.run.started.known().copied();
    let told = aftermath.and_then(|aftermath| by_aftermath(aftermath, began_utc_ms));
    let told = told.or_else(|| by_messages(record, died));
    let told = told.or_else(|| by_samples(record, died, seen));
    let told = told.or_else(|| aftermath.and_then(by_reset));
    told.unwrap_or_else(|| {
        let text = "Cause unknown: no overheating, under-voltage or memory errors just before. Power loss and a \
                    sudden supply failure leave no trace.";
        (text.to_owned(), 20)
    })
}

/// Cause from records of kernel and hardware about the crash.
fn by_aftermath(aftermath: &Aftermath, began_utc_ms: Option<i64>) -> Option<(String, u8)> {
    // kernel/reboot.c, at the end of each orderly restart.
    const RESTARTED: [&str; 3] = ["reboot: Restarting system", "reboot: Power down", "reboot: System halted"];
    const FAULTS: [&str; 5] =
        ["Kernel panic", "Internal error", "Unable to handle kernel", "kernel BUG at", "Hardware Error"];
    // Persistent memory and the folder of systemd contain traces of earlier crashes.
    let is_of_run = |words: &&LastWords| {
        let times = words.written_utc_ms.zip(began_utc_ms);
        times.is_none_or(|(written, began)| written >= began)
    };
    let words = aftermath.last_words.known().into_iter().flatten();
    let lines = || words.clone().filter(is_of_run).flat_map(|words| words.lines.iter());
    if let Some(line) = lines().find(|line| FAULTS.iter().any(|fault| line.contains(fault))) {
        let line = without_stamp(line);
        return Some((format!("Last kernel message (pstore): \"{line}\"."), 90));
    }
    if let Some(line) = lines().find(|line| RESTARTED.iter().any(|words| line.contains(words))) {
        let line = without_stamp(line);
        let text = format!("It was shut down or rebooted: last kernel message (pstore) \"{line}\".");
        return Some((text, 85));
    }
    let counters = aftermath.memory_errors.known().into_iter().flatten();
    let uncorrected: u64 = counters.fold(0, |sum, counter| sum.saturating_add(counter.uncorrected));
    if uncorrected > 0 {
        let text =
            format!("{uncorrected} uncorrectable memory errors (EDAC): memory is faulty, overclocked or overheating.");
        return Some((text, 80));
    }
    let checks = aftermath.machine_checks.known().into_iter().flatten();
    let checks: u64 = checks.fold(0, |sum, check| sum.saturating_add(check.count));
    if checks > 0 {
        let text = format!("{checks} machine checks were reported after the reboot: CPU, memory or voltage is faulty.");
        return Some((text, 75));
    }
    if let Some(message) = aftermath.hardware_messages.first() {
        let text = format!("A hardware error was reported at the next boot: \"{message}\".");
        return Some((text, 70));
    }
    None
}

/// A line of pstore without its level and its time: `<0>[   57.076715] Kernel panic`.
fn without_stamp(line: &str) -> &str {
    let line = line.trim();
    let text = line.strip_prefix('<').and_then(|rest| rest.split_once(">["));
    let text = text.and_then(|(_, rest)| rest.split_once("] "));
    text.map_or(line, |(_, text)| text)
}

/// Cause from kernel messages of the last seconds.
fn by_messages(record: &Record, died: &DeathPoint) -> Option<(String, u8)> {
    const CAUSES: [(&[&str], &str, u8); 4] = [
        (&["critical temperature", "temperature too high", "Temperature too high"], "It overheated", 95),
        (&["EDAC", "[Hardware Error]", "Machine check"], "The kernel reported memory or CPU errors", 80),
        (&["nder-voltage", "ndervoltage", "brownout"], "The supply voltage was too low", 80),
        (
            &["Kernel panic", "Internal error", "Unable to handle kernel", "lockup", "detected stall"],
            "The kernel failed",
            85,
        ),
    ];
    let window = just_before(died);
    for (words, cause, sure) in &CAUSES {
        let messages = matching_messages(record, |text| words.iter().any(|word| text.contains(word)));
        let late = |at_ms: Option<i64>| at_ms.is_none_or(|at_ms| window.contains(at_ms));
        let mut late = messages.iter().filter(|(_, message)| late(message.at_ms));
        if let Some((_, message)) = late.next_back() {
            let text = message.text.trim();
            return Some((format!("{cause}: the kernel said \"{text}\"."), *sure));
        }
    }
    None
}

/// Cause from samples of the last seconds.
fn by_samples(record: &Record, died: &DeathPoint, seen: Option<&LastSample>) -> Option<(String, u8)> {
    let window = just_before(died);
    let is_alarm = |id: &ChannelId| {
        matches!(id, ChannelId::RaspberryPi(RaspberryPiChannel::Throttled) | ChannelId::Hwmon(_, HwmonChannel::Alarm))
    };
    let is_low = |channel: &record::Channel| {
        let bit = match channel.unit {
            Unit::Bits => UNDER_VOLTAGE,
            _ => i64::MAX,
        };
        gauge(record, channel, window).iter().any(|reading| reading.value & bit != 0)
    };
    let low = last_millivolts(record, window).filter(|millivolts| *millivolts < LOW_MILLIVOLTS);
    if channels(record, is_alarm).any(is_low) {
        let text = "The board's under-voltage alarm was active just before: a weak power supply or cable is the \
                    likely cause.";
        return Some((text.to_owned(), 75));
    }
    if let Some(millivolts) = low {
        let text = format!(
            "The supply voltage was {} just before: a weak power supply or cable is the likely cause.",
            volts(millivolts)
        );
        return Some((text, 65));
    }
    let hot = seen.and_then(|seen| seen.millicelsius)?;
    let degrees = hot as f64 / 1e3;
    if hot >= HOT_MILLICELSIUS {
        let text = format!("The temperature was {degrees:.1} °C just before: overheating is the likely cause.");
        return Some((text, 60));
    }
    (hot >= WARM_MILLICELSIUS).then(|| {
        let text = format!(
            "The temperature was {degrees:.1} °C just before: overheating, or a core voltage too low for this clock, \
             may be the cause."
        );
        (text, 40)
    })
}

/// Cause of the last reset as reported by the hardware.
fn by_reset(aftermath: &Aftermath) -> Option<(String, u8)> {
    let watchdogs = aftermath.watchdogs.known().into_iter().flatten();
    for watchdog in watchdogs {
        let name = &watchdog.identity;
        let bits = watchdog.bootstatus;
        if bits & BY_HEAT != 0 {
            return Some((format!("The watchdog ({name}) reports overheating."), 80));
        }
        if bits & BY_VOLTAGE != 0 {
            return Some((format!("The watchdog ({name}) reports under-voltage."), 80));
        }
        if bits & BY_WATCHDOG != 0 {
            let text = format!("The watchdog ({name}) reset the board because it hung; cause unknown.");
            return Some((text, 60));
        }
    }
    let reason = aftermath.reset_reasons.first()?;
    let says = reason.says.to_lowercase();
    if BROWN_OUT.iter().any(|words| says.contains(words)) {
        let text = format!("Reset reason: \"{}\" ({}). The supply voltage was too low.", reason.says, reason.path);
        return Some((text, 75));
    }
    if POWER_CAME_ON.iter().any(|words| says.contains(words)) {
        let text = format!(
            "Reset reason: \"{}\" ({}). Power was lost: a supply failure, or a power cycle after a freeze.",
            reason.says, reason.path
        );
        return Some((text, 45));
    }
    let text = format!("Cause unknown; reset reason: \"{}\" ({}).", reason.says, reason.path);
    Some((text, 30))
}
