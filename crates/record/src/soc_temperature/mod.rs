//! Chooses the SoC temperature among all temperatures, with a reason; shared by monitor, runs and reports.
//!
//! Criteria: names given by kernels and vendors (`data/sensors.tsv`), plausible values, and correlation with the load
//! if it was observed long enough.

mod load_correlation;
mod names;

pub use crate::soc_choice::{SocReason, SocTemperature};
pub use load_correlation::LoadCorrelation;

use crate::{Channel, ChannelId, Fact, Missing, MissingReason, Reading, Record, Samples};
use std::cell::OnceCell;
use std::ops::{Range, RangeInclusive};

/// Plausible readings of a working sensor, in thousandths of a degree Celsius, other than exactly 0; boards may be
/// below freezing.
const READING: Range<i64> = -39_999..150_000;
/// Plausible temperatures of a running SoC when it is chosen, in thousandths of a degree Celsius. Some firmware returns
/// -1 or 398 °C.
const CHOSEN: RangeInclusive<i64> = -20_000..=125_000;
/// Text before the names of other sensors.
const LEFT_OUT: &str = "; ignored: ";
/// Maximum number of named other sensors.
const NAMED_MAX: usize = 3;
/// A correlation below this means that a sensor does not follow the load.
const FOLLOWS_NOT: f64 = 0.5;
/// A correlation above this means that a sensor follows the load, so that one which does not cannot be that of the SoC.
const FOLLOWS: f64 = 0.7;

/// True for a plausible reading. Absent sensors read exactly 0, and some firmware returns -274 or 398 °C.
pub fn is_reading(millicelsius: i64) -> bool {
    millicelsius != 0 && READING.contains(&millicelsius)
}

/// Choice of a Record: the stored one, else one based on its samples, because a run may have died before a sensor was
/// readable.
///
/// # Errors
/// No sensor reports the SoC temperature; the reason lists the other sensors.
pub fn of(record: &Record) -> Reading<SocTemperature> {
    match &record.soc_temperature {
        Fact::Known(choice) => Ok(choice.clone()),
        Fact::Missing { .. } => of_samples(&record.samples),
    }
}

/// Choice based on all rows of samples.
///
/// # Errors
/// No sensor reports the SoC temperature; the reason lists the other sensors.
pub fn of_samples(samples: &Samples) -> Reading<SocTemperature> {
    let first = |place: usize| {
        let values = || samples.channels[place].values.iter().flatten().copied();
        values().find(|value| is_reading(*value)).or_else(|| values().next())
    };
    let follows = OnceCell::new();
    let follows_load = |place: usize| follows.get_or_init(|| LoadCorrelation::of_rows(samples)).correlation(place);
    choose(&samples.channels, first, follows_load)
}

/// Chooses the SoC temperature among the channels. `latest` returns a value of a channel, if known, to exclude
/// implausible ones; `follows_load` returns its correlation with the load, if enough data was observed, and is called
/// only if there is more than one candidate.
///
/// # Errors
/// No channel has a name of a SoC temperature; the reason lists the other sensors.
pub fn choose(
    channels: &[Channel],
    latest: impl Fn(usize) -> Option<i64>,
    follows_load: impl Fn(usize) -> Option<f64>,
) -> Reading<SocTemperature> {
    if channels.iter().any(|channel| channel.id == ChannelId::Soc) {
        let (channel, why) = (ChannelId::Soc, SocReason::OnlyOneOfLog);
        return Ok(SocTemperature { channel, why });
    }
    let (candidates, others) = judge(channels, latest);
    let Some((_, _, by_name, about)) = candidates.first().copied() else {
        let why = format!("no SoC temperature sensor found{}", in_words(&others));
        return Err(Missing::unsupported("/sys/class/thermal", why));
    };
    let chosen = |place: usize, why: SocReason| {
        let channel = channels[place].id.clone();
        Ok(SocTemperature { channel, why })
    };
    let hundredths = |correlation: f64| (correlation * 100.0).round() as i32;
    let of_best = if candidates.len() > 1 { follows_load(by_name) } else { None };
    if let Some(its) = of_best.filter(|value| *value < FOLLOWS_NOT) {
        let follower = candidates.iter().find_map(|(_, _, place, about)| {
            let value = follows_load(*place).filter(|value| *value > FOLLOWS)?;
            Some((*place, *about, value))
        });
        if let Some((place, about, value)) = follower {
            let why = SocReason::FollowsLoad {
                about: about.to_owned(),
                hundredths: hundredths(value),
                instead_of: channels[by_name].id.clone(),
                its_hundredths: hundredths(its),
            };
            return chosen(place, why);
        }
    }
    let about = about.to_owned();
    chosen(by_name, SocReason::Name { about })
}

/// Candidate: whether its value is missing or exactly 0 (as of absent sensors), its rank, index and meaning.
type Candidate = (bool, u32, usize, &'static str);

/// Candidates, the best one first, and the other sensors, each with the reason.
fn judge(channels: &[Channel], latest: impl Fn(usize) -> Option<i64>) -> (Vec<Candidate>, Vec<String>) {
    let (mut candidates, mut others) = (Vec::new(), Vec::new());
    for (place, channel) in channels.iter().enumerate() {
        let Some(meaning) = names::meaning(channel) else { continue };
        let value = latest(place);
        let why = match (meaning.rank, value) {
            (None, _) => meaning.about.to_owned(),
            (Some(_), Some(value)) if !CHOSEN.contains(&value) => format!("reads {:.0} °C", value as f64 / 1000.0),
            (Some(rank), _) => {
                candidates.push((value.unwrap_or(0) == 0, rank, place, meaning.about));
                continue;
            }
        };
        others.push(format!("{} ({why})", channel.label));
    }
    candidates.sort();
    (candidates, others)
}

/// Excluded sensors, each with its meaning, if the reason for no choice lists any.
pub fn left_out(no_choice: &Missing) -> Option<&str> {
    match &no_choice.why {
        MissingReason::Unsupported(reason) => reason.split_once(LEFT_OUT).map(|(_, sensors)| sensors),
        _ => None,
    }
}

/// First of the other sensors, as a suffix of a sentence.
fn in_words(others: &[String]) -> String {
    let named = others.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    match others.len() {
        0 => String::new(),
        count if count > NAMED_MAX => format!("{LEFT_OUT}{named} and {} more", count - NAMED_MAX),
        _ => format!("{LEFT_OUT}{named}"),
    }
}

/// True if `label` of the chip `name`, as lm-sensors prints both, is a temperature of the SoC: the kernel shows thermal zones
/// as chips of the same name.
pub fn is_name_of_soc(name: &str, label: &str) -> bool {
    let [zone, chip] = [names::named("zone", name), names::named("hwmon", &format!("{name} {label}"))];
    zone.or(chip).is_some_and(|meaning| meaning.rank.is_some())
}

/// True if this channel may be the SoC temperature, so that short peaks matter.
pub fn may_be_soc(channel: &Channel) -> bool {
    names::meaning(channel).is_some_and(|meaning| meaning.rank.is_some())
}

impl SocTemperature {
    /// Index of the channel among `channels`.
    pub fn place(&self, channels: &[Channel]) -> Option<usize> {
        channels.iter().position(|channel| channel.id == self.channel)
    }

    /// Sensor and reason as a sentence for users.
    pub fn sentence(&self, channels: &[Channel]) -> String {
        let channel = |id: &ChannelId| channels.iter().find(|channel| channel.id == *id);
        let label = |id| channel(id).map_or("", |channel| channel.label.as_str());
        let source = channel(&self.channel).map_or("", |channel| channel.source.as_str());
        let sensor = format!("{source} ({})", label(&self.channel));
        match &self.why {
            SocReason::OnlyOneOfLog => "the only one in the log".to_owned(),
            SocReason::Name { about } => format!("{sensor}: {about}"),
            SocReason::FollowsLoad { about, hundredths, instead_of, its_hundredths } => {
                let [of_this, of_that] = [hundredths, its_hundredths].map(|h| f64::from(*h) / 100.0);
                let that = label(instead_of);
                format!(
                    "{sensor}: {about}; it follows the load (correlation {of_this:.2}), {that} does not ({of_that:.2})"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests;
