//! What the machine draws, state by state: idle with several governors, with every number of CPUs at work, with devices
//! switched off, suspended, and off as a meter at another machine reads it. The answer is computed from the Record
//! (`rules::questions::power`).

mod states;

use super::refusal::StartFacts;
use super::{Attributes, PlanInput, Question, Task};
use crate::plan::stage::{PowerState, Stage, load_step};
use core::net::IpAddr;
use machine::suspend::{SleepState, sleep_states};
use machine::switchable_device::{SwitchableDevice, switchable};
use machine::{Root, Sampler, SamplerOptions, Timeline};
use net::meters::usb;
use record::{Channel, ChannelId, INPUT_MILLIVOLTS_MIN, Machine, Mode, PowerSensor, QuestionId, Unit, Variant};
use states::{OFF_LIMIT, idle, stages};
use std::time::Duration;
use workloads::job::setting::nodes;

const POWER: &str = "power";

pub(super) static QUESTION: Question = Question {
    id: QuestionId::own(POWER),
    mode: Mode::own(POWER),
    asked_by: "measure power",
    about: "What does the machine draw, idle, at work, suspended and off?",
};

/// A part of the states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Idle, with each governor.
    Idle,
    /// Idle, with devices switched off.
    Devices,
    /// Every number of CPUs at work.
    Load,
    /// Each sleep state.
    Suspend,
}

impl Part {
    /// Words of `--only`.
    pub const ALL: [(&'static str, Self); 4] =
        [("idle", Self::Idle), ("devices", Self::Devices), ("load", Self::Load), ("suspend", Self::Suspend)];
}

/// Power of the states of a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Power {
    /// Parts to measure.
    pub parts: Vec<Part>,
    /// Devices to switch off, one after the other.
    pub devices: Vec<SwitchableDevice>,
    /// Sleep states to measure.
    pub sleeps: Vec<SleepState>,
    /// Sentences about what cannot be measured.
    pub notes: Vec<String>,
}

/// A meter at this machine reads another one that is off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchOff;

/// Interval of the sampler: peaks of a tenth of a second are seen where the meter is as fast.
const INTERVAL: Duration = Duration::from_millis(100);
/// Share of one core that the sampler may use, in millionths.
const SAMPLER_PPM: u32 = 10_000;

impl Power {
    /// The states of this machine. `words` name devices to switch off; `peers` are addresses of logins, whose links stay on.
    ///
    /// # Errors
    /// No device has this name, or it must stay on; one sentence.
    pub fn of(root: &Root, parts: &[Part], words: &[String], all: bool, peers: &[IpAddr]) -> Result<Self, String> {
        let found = switchable(root, peers);
        let mut devices: Vec<SwitchableDevice> = Vec::new();
        let mut notes = Vec::new();
        for word in words {
            let named: Vec<&SwitchableDevice> = found.iter().filter(|device| device.is_named(word)).collect();
            if named.is_empty() {
                let known: Vec<&str> = found.iter().map(|device| device.name.as_str()).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(format!("No device {word:?} can be switched off; devices: {known}."));
            }
            if let [SwitchableDevice { label, kept: Some(why), .. }] = named[..] {
                return Err(format!("{label} stays on, because {why}."));
            }
            devices.extend(named.into_iter().cloned());
        }
        if all {
            devices = found;
        }
        devices.dedup();
        devices.retain(|device| match &device.kept {
            Some(why) => {
                notes.push(format!("{} stays on, because {why}.", device.label));
                false
            }
            None => parts.contains(&Part::Devices),
        });
        let sleeps = match parts.contains(&Part::Suspend).then(|| sleep_states(root)) {
            Some(Ok(states)) => states,
            Some(Err(missing)) => {
                notes.push(format!("The machine is not suspended: {missing}."));
                Vec::new()
            }
            None => Vec::new(),
        };
        Ok(Self { parts: parts.to_vec(), devices, sleeps, notes })
    }

    /// What a run would do, line by line.
    pub fn outline(&self, machine: &Machine, can_set: bool) -> Vec<String> {
        let mut lines = Vec::new();
        let mut seconds_max = 0;
        let mut is_changed = false;
        for stage in stages(self, machine, can_set) {
            match stage {
                Stage::ApplySettings(settings) if settings.is_empty() => {
                    let back = std::mem::take(&mut is_changed).then(|| "put all settings back".to_owned());
                    lines.extend(back);
                }
                Stage::ApplySettings(settings) => {
                    let nodes = nodes(machine, &settings).unwrap_or_default();
                    is_changed |= !nodes.is_empty();
                    lines.extend(nodes.iter().map(|(node, value)| format!("set {} to {value}", node.path())));
                }
                Stage::Power(PowerState { name, limit, .. }) => {
                    seconds_max += limit.as_secs();
                    lines.push(format!("measure {name}, at most {} s", limit.as_secs()));
                }
                Stage::LoadStep => {
                    let seconds = load_step::BUSY.as_secs();
                    seconds_max += seconds;
                    lines.push(format!("load all CPUs for {seconds} s, for the delay of the meter"));
                }
                Stage::Suspend(state, time) => {
                    seconds_max += time.as_secs();
                    lines.push(format!("suspend to {}, for {} s", state.name(), time.as_secs()));
                }
                _ => {}
            }
        }
        let (minutes, seconds) = (seconds_max / 60, seconds_max % 60);
        lines.push(format!("at most {minutes} min {seconds} s in all, without the pauses between"));
        lines.extend(self.notes.iter().cloned());
        lines
    }
}

/// Behaviour of both tasks.
fn attributes() -> Attributes {
    Attributes {
        has_ramps: false,
        is_tuned: false,
        asks_for_tools: false,
        changes_machine: true,
        sampler_ppm: Some(SAMPLER_PPM),
        follows_power: true,
        interval: INTERVAL,
        not_resumable: Some("all states must be measured in one run"),
        ..Attributes::default()
    }
}

impl Task for Power {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn attributes(&self) -> Attributes {
        attributes()
    }

    fn stages(&self, planning: &PlanInput) -> Vec<Stage> {
        stages(self, planning.machine, planning.options.tune)
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        no_source(asked)
    }
}

impl Task for WatchOff {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn attributes(&self) -> Attributes {
        Attributes { is_whole_run: false, changes_machine: false, ..attributes() }
    }

    fn stages(&self, _: &PlanInput) -> Vec<Stage> {
        vec![idle(Variant::own("off"), OFF_LIMIT)]
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        match named_meters(asked) {
            Meters::None => Some(
                "--watch-off needs the meter of the other machine: use --meter, see `sbc-bench list meters`.".into(),
            ),
            Meters::NotFound(why) => Some(why),
            Meters::Some | Meters::OfKernel => None,
        }
    }
}

/// Meters of `--meter`.
enum Meters {
    None,
    Some,
    /// `auto` found one that the kernel reads.
    OfKernel,
    /// `auto` found no meter, for this reason.
    NotFound(String),
}

fn named_meters(asked: &StartFacts) -> Meters {
    let named = &asked.options.meters;
    match usb::auto(asked.identified.root()) {
        _ if named.is_empty() => Meters::None,
        _ if named.iter().any(|meter| meter != usb::AUTO) => Meters::Some,
        Ok(addresses) if addresses.is_empty() => Meters::OfKernel,
        Ok(_) => Meters::Some,
        Err(why) => Meters::NotFound(why),
    }
}

/// Nothing measures the whole board: no state would have a figure.
fn no_source(asked: &StartFacts) -> Option<String> {
    let meters = named_meters(asked);
    if let Meters::Some = meters {
        return None;
    }
    let mut sampler = Sampler::new(asked.identified.root(), &SamplerOptions::default());
    sampler.tick(&Timeline::start());
    let way_out = "use a power meter: `sbc-bench list meters`";
    match meters {
        _ if has_source(sampler.channels(), sampler.latest()) => None,
        Meters::NotFound(why) => Some(why),
        _ => Some(format!("Nothing measures the power of the whole board, so no state was measured; {way_out}.")),
    }
}

/// True if a channel measures the whole board, or is that of an unlabelled chip with the voltage of an input.
fn has_source(channels: &[Channel], latest: &[i64]) -> bool {
    let is_input = |chip: &ChannelId| {
        let mut values = channels.iter().zip(latest);
        values.any(|(channel, value)| {
            let is_of_chip = channel.unit == Unit::Millivolts && channel.id.is_of_same_chip(chip);
            is_of_chip && *value >= i64::from(INPUT_MILLIVOLTS_MIN)
        })
    };
    channels.iter().any(|channel| {
        let sensor = PowerSensor::of(channel);
        let is_power = channel.is_power() || matches!(channel.unit, Unit::Microjoules | Unit::Millivolts);
        let is_chip = channel.is_power() && sensor.is_unlabelled_chip(channel);
        is_power && (sensor.role.is_whole() || (is_chip && is_input(&channel.id)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::refusal::refusal;
    use super::*;
    use crate::Options;
    use machine::LazyMachine;
    use record::{ChannelKind, HwmonChannel, HwmonKind};
    use workloads::testing::machine;

    const BOARD: &str = "\
== /sys/class/backlight/panel/bl_power
0
== /sys/class/rfkill/rfkill0/soft
0
== /sys/class/rfkill/rfkill0/type
wlan
== /sys/power/state
mem
== /sys/power/mem_sleep
[s2idle] deep
== /sys/class/rtc/rtc0/wakealarm

== /sys/class/rtc/rtc0/since_epoch
7
";

    fn outline(parts: &[Part], words: &[&str], all: bool) -> Vec<String> {
        let mut board = machine(&[("A55", 2, 1800)]);
        board.policies[0].governors = vec!["performance".into(), "schedutil".into()];
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Power::of(&Root::from_board(BOARD).unwrap(), parts, &words, all, &[]).unwrap().outline(&board, true)
    }

    const GOVERNOR: &str = "set /sys/devices/system/cpu/cpufreq/policy0/scaling_governor to performance";
    const BACK: &str = "put all settings back";

    #[test]
    fn every_state_is_told_with_its_settings() {
        let idle = outline(&[Part::Idle], &[], false);
        let powers = [
            "load all CPUs for 2 s, for the delay of the meter",
            "measure idle, at most 40 s",
            GOVERNOR,
            "measure idle, performance, at most 40 s",
            BACK,
            "at most 1 min 22 s in all, without the pauses between",
        ];
        assert_eq!(idle, powers);
        let devices = outline(&[Part::Devices], &["wifi"], false);
        let soft = "set /sys/class/rfkill/rfkill0/soft to 1";
        assert_eq!(devices[2..5], [soft, "measure idle, wifi rfkill0 off, at most 40 s", BACK]);
        let nothing_set = outline(&[Part::Devices], &[], false);
        assert_eq!(nothing_set[1..], [powers[1], "at most 0 min 42 s in all, without the pauses between"]);
        assert_eq!(outline(&[Part::Devices], &[], true)[2], "set /sys/class/backlight/panel/bl_power to 4");
        let sleep = outline(&[Part::Suspend], &[], false);
        let of = |kind: &str| [format!("set /sys/power/mem_sleep to {kind}"), format!("suspend to {kind}, for 20 s")];
        assert_eq!(
            sleep[1..sleep.len() - 1],
            [of("s2idle").as_slice(), of("deep").as_slice(), &[BACK.to_owned()]].concat()
        );
        let load = outline(&[Part::Load], &[], true);
        assert_eq!(load[1..3], [GOVERNOR, "measure lzma on 1 CPU, at most 16 s"]);
        let all = "measure lzma, flops, memory copy, drive and opengl at once, at most 16 s";
        assert_eq!(load[load.len() - 3..load.len() - 1], [all, BACK]);
        assert!(!load.iter().any(|line| line.contains("bl_power")), "only with the part of devices: {load:?}");
    }

    #[test]
    fn unknown_and_used_devices_are_refused() {
        let of = |board: &str, word: &str| {
            Power::of(&Root::from_board(board).unwrap(), &[Part::Devices], &[word.to_owned()], false, &[]).unwrap_err()
        };
        assert_eq!(of(BOARD, "fan"), "No device \"fan\" can be switched off; devices: panel, rfkill0.");
        let drive = "== /sys/bus/usb/devices/1-3/authorized\n1\n== /sys/bus/usb/devices/1-3/bDeviceClass\n00\n\
                     == /sys/class/block/sda -> ../../devices/usb1/1-3/1-3:1.0/block/sda\n";
        assert_eq!(of(drive, "1-3"), "USB device 1-3 stays on, because sda is a drive.");
        let none = Power::of(&Root::empty(), &[Part::Suspend], &[], true, &[]).unwrap();
        assert!(none.sleeps.is_empty() && none.notes[0].starts_with("The machine is not suspended: "), "{none:?}");
    }

    #[test]
    fn auto_without_a_tester_is_no_meter() {
        const TESTER: &str = "== /sys/class/hidraw/hidraw3/device/uevent\nHID_ID=0003:00002E3C:00005558\n";
        const INPUT: &str = "== /sys/class/hwmon/hwmon0/name\npower_meter\n\
                             == /sys/class/hwmon/hwmon0/power1_average\n4400000\n";
        let all = Power { parts: Vec::new(), devices: Vec::new(), sleeps: Vec::new(), notes: Vec::new() };
        let (auto, named) = (["auto"].as_slice(), ["auto", "shelly:plug"].as_slice());
        for (board, meters, of_board, of_other) in [
            ("", auto, Some("No power meter is on USB; name one"), Some("No power meter is on USB; name one")),
            ("", named, None, None),
            ("", &[], Some("Nothing measures the power"), Some("--watch-off needs the meter")),
            (TESTER, auto, None, None),
            (INPUT, auto, None, Some("No power meter is on USB; name one")),
        ] {
            let root = Root::from_board(board).unwrap();
            let identified = LazyMachine::new(&root);
            let meters: Vec<String> = meters.iter().map(|meter| (*meter).to_owned()).collect();
            let options = Options { meters, ..Options::default() };
            for (task, expected) in [(&all as &dyn Task, of_board), (&WatchOff, of_other)] {
                let found = refusal(task, &identified, &options);
                let is_it = found.as_ref().map(|why| expected.is_some_and(|words| why.starts_with(words)));
                assert_eq!(is_it, expected.map(|_| true), "{board} {options:?}: {found:?}");
            }
        }
    }

    #[test]
    fn only_a_meter_or_the_input_is_a_source() {
        let channel = |kind, label: &str, unit| Channel {
            label: label.into(),
            ..Channel::new(ChannelId::Hwmon(0, HwmonChannel::Sensor(kind, 1)), unit, ChannelKind::Gauge)
        };
        for (label, millivolts, expected) in [
            ("power_meter", 900, true),
            ("ina226", 12_000, true),
            ("ina226", 900, false),
            ("ina3221 VDD_CPU", 12_000, false),
        ] {
            let channels = [
                channel(HwmonKind::Power, label, Unit::Microwatts),
                channel(HwmonKind::Voltage, "ina226", Unit::Millivolts),
            ];
            assert_eq!(has_source(&channels, &[5_000_000, millivolts]), expected, "{label} {millivolts}");
        }
    }
}
