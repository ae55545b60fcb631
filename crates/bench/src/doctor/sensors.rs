//! Channels that the sampler can watch.

use super::Availability::{No, Partly, Unknown, Yes};
use super::subjects::{AS_ROOT, OTHER_MACHINE};
use super::{Facts, Finding};
use machine::sensors::known;
use net::meters::usb;
use record::{Channel, ChannelId, Measurand, Missing, MissingReason, PowerSensor, Unit};

/// Maximum number of names in one row.
const NAMES_MAX: usize = 4;

pub(super) fn temperature(facts: &Facts) -> Finding {
    let channels = facts.sampler.channels();
    let is_one = |channel: &Channel| channel.is_temperature();
    match facts.sampler.temperature() {
        Ok(choice) => {
            let value = choice.place(channels).and_then(|place| known(facts.sampler.latest()[place]));
            let sentence = choice.sentence(channels);
            match value {
                Some(millicelsius) => Yes.because(format!("SoC {:.1} °C by {sentence}", millicelsius as f64 / 1000.0)),
                None => silent(facts, is_one, format!("SoC by {sentence}, which gave no value yet")),
            }
        }
        Err(missing) => match channels.iter().filter(|channel| is_one(channel)).count() {
            0 => no_source(
                facts,
                "/sys/class/thermal",
                "no temperature sensor: throttling by heat is seen by clocks alone",
                "",
            ),
            count => Partly.because(format!("{count} sensors, none is known to be the SoC's: {missing}")),
        },
    }
}

pub(super) fn power(facts: &Facts) -> Finding {
    // Chips without power channels name their supplies at the voltages.
    let is_known_supply = |channel: &Channel| channel.unit == Unit::Millivolts && PowerSensor::of(channel).is_known;
    let is_one =
        |channel: &Channel| channel.is_power() || channel.unit == Unit::Microjoules || is_known_supply(channel);
    let names = with_value(facts, is_one);
    let way_out = "use a power meter: `sbc-bench list meters`";
    if !names.is_empty() {
        let channels = facts.sampler.channels().iter().filter(|channel| names.contains(&channel.id.to_string()));
        let sensors: Vec<PowerSensor> = channels.map(PowerSensor::of).collect();
        if let Some(whole) = sensors.iter().find(|sensor| sensor.role.is_whole()) {
            return Yes.because(format!("measured {}: {}", whole.role.words(), shown(&names)));
        }
        let mut parts: Vec<String> = Vec::new();
        for part in sensors.into_iter().filter_map(|sensor| sensor.part) {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        let because = format!("parts of the board only, not what the whole of it draws: {}", shown(&parts));
        return Partly.with_remedy(because, way_out);
    }
    if facts.sampler.channels().iter().any(is_one) {
        return silent(facts, is_one, "power sensors gave no value".into());
    }
    no_source(facts, "/sys/class", "no power sensor: power and energy are unknown", way_out)
}

/// Power meters on USB, and programs that read others.
pub(super) fn meters(facts: &Facts) -> Finding {
    let found = usb::found(facts.root);
    let mut said: Vec<String> = Vec::new();
    for meter in &found {
        said.push(match (&meter.problem, &meter.address) {
            (Some(why), _) => format!("{} cannot be read: {why}", meter.name),
            (None, Some(address)) => format!("{} (--meter {address})", meter.name),
            (None, None) => format!("{}, read with any run", meter.name),
        });
    }
    let readable = found.iter().filter(|meter| meter.problem.is_none()).count();
    if found.is_empty() {
        said.push("no power meter on USB".into());
    }
    if facts.root.is_system() {
        let missing = usb::programs().filter_map(|(_, kind, package)| Some((kind, package?)));
        said.extend(missing.map(|(kind, package)| format!("--meter {kind} needs the package {package}")));
    }
    let because = said.join("; ");
    let others = "name one on the network, or a program that reads one; see `sbc-bench list meters`";
    match (found.len(), readable) {
        (0, _) if !facts.root.is_system() => Unknown.because(format!("{OTHER_MACHINE}, and they name none")),
        (0, _) => No.with_remedy(because, others),
        (all, readable) if all == readable => Yes.because(because),
        (_, 0) => No.because(because),
        _ => Partly.because(because),
    }
}

pub(super) fn throttling(facts: &Facts) -> Finding {
    // Quotas of cgroups, fans and cooling of other chips do not show the clocks of CPUs.
    let is_one = |channel: &Channel| match channel.id {
        ChannelId::ControlGroup(_) => false,
        ChannelId::Cooling(_) => channel.cools_cpus(),
        _ => channel.id.measurand() == Some(Measurand::Throttling),
    };
    let names = with_value(facts, is_one);
    match names.len() {
        0 if facts.sampler.channels().iter().any(is_one) => silent(facts, is_one, "counters gave no value".into()),
        0 => no_source(
            facts,
            "/sys/class",
            "no throttle counter and no cooling device: throttling is seen by measured clocks, its reason is not",
            "",
        ),
        _ => Yes.because(shown(&names)),
    }
}

pub(super) fn all(facts: &Facts) -> Finding {
    let channels = facts.sampler.channels();
    let silent: Vec<&(ChannelId, Missing)> = facts.gaps.iter().collect();
    let total = channels.len();
    match silent.first() {
        None => Yes.because(format!("{total} channels, all that were due gave values")),
        Some((_, why)) => {
            let denied = silent.iter().any(|(_, missing)| missing.why == MissingReason::Denied);
            let because = format!("{} of {total} channels gave no value, the first because {why}", silent.len());
            Partly.with_remedy(because, as_root(denied))
        }
    }
}

/// Names of channels of a kind with a value.
fn with_value(facts: &Facts, is_one: impl Fn(&Channel) -> bool) -> Vec<String> {
    let values = facts.sampler.channels().iter().zip(facts.sampler.latest());
    let values = values.filter(|(channel, value)| is_one(channel) && known(**value).is_some());
    values.map(|(channel, _)| channel.id.to_string()).collect()
}

fn shown(names: &[String]) -> String {
    let more = names.len().saturating_sub(NAMES_MAX);
    let shown = names[..names.len() - more].join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// Finding for sources without a value, with the reason if known.
fn silent(facts: &Facts, is_one: impl Fn(&Channel) -> bool, else_because: String) -> Finding {
    let channels = facts.sampler.channels();
    let is_its = |id: &ChannelId| channels.iter().any(|channel| channel.id == *id && is_one(channel));
    match facts.gaps.iter().find(|(id, _)| is_its(id)) {
        Some((_, missing)) => No.with_remedy(missing.to_string(), as_root(missing.why == MissingReason::Denied)),
        None => Unknown.with_remedy(else_because, "see `sbc-bench -m` for a few seconds"),
    }
}

/// Finding for a missing kind of source; unknown if it would not be visible.
fn no_source(facts: &Facts, folder: &str, because: &str, way_out: &str) -> Finding {
    match facts.root.list(folder) {
        Err(missing) if missing.why == MissingReason::Denied => Unknown.with_remedy(missing.to_string(), as_root(true)),
        // Firmware answers on the running system only.
        _ if !facts.root.is_system() => Unknown.because(format!("{OTHER_MACHINE}, and they hold none")),
        _ => No.with_remedy(because, way_out),
    }
}

pub(super) fn as_root(denied: bool) -> &'static str {
    if denied && !machine::is_root() { AS_ROOT } else { "" }
}
