//! Which of all temperatures is that of the SoC, and why: the one choice for monitor, runs and reports.
//!
//! By the names that kernels and vendors give (`data/sensors.tsv`), by what can be true, and by how they follow the
//! load, where that was watched long enough to tell.

mod follows;
mod names;

pub use crate::soc_choice::{SocReason, SocTemperature};
pub use follows::Follows;

use crate::{Channel, ChannelId, Fact, Missing, Reading, Record, Samples, Why};
use std::cell::OnceCell;
use std::ops::{Range, RangeInclusive};

/// What a sensor that is there and works can read, in thousandths of a degree Celsius, if it is not exactly 0: boards
/// in the cold are below zero.
const READING: Range<i64> = -39_999..150_000;
/// What a SoC that runs can have when it is chosen, in thousandths of a degree Celsius. Firmware is known to answer -1
/// or 398 °C.
const CHOSEN: RangeInclusive<i64> = -20_000..=125_000;
/// What stands before the names of sensors that are not the SoC's.
const LEFT_OUT: &str = "; ignored: ";
/// So many of them are named.
const NAMED_MAX: usize = 3;
/// A sensor whose correlation with the load is below this does not follow it.
const FOLLOWS_NOT: f64 = 0.5;
/// One above this does, so that a sensor that does not cannot be that of the SoC.
const FOLLOWS: f64 = 0.7;

/// True if a sensor that is there and works can read so. Exactly 0 is what absent ones read, and firmware is known to
/// answer -274 or 398 °C.
pub fn is_reading(millicelsius: i64) -> bool {
    millicelsius != 0 && READING.contains(&millicelsius)
}

/// The choice of a Record: the one that is kept, else the one that its samples allow, as a run may have died before a
/// sensor answered.
///
/// # Errors
/// No sensor tells the temperature of the SoC; which others there are.
pub fn of(record: &Record) -> Reading<SocTemperature> {
    match &record.soc_temperature {
        Fact::Known(choice) => Ok(choice.clone()),
        Fact::Missing { .. } => of_samples(&record.samples),
    }
}

/// The choice that samples allow, by all of their rows.
///
/// # Errors
/// No sensor tells the temperature of the SoC; which others there are.
pub fn of_samples(samples: &Samples) -> Reading<SocTemperature> {
    let first = |place: usize| {
        let values = || samples.channels[place].values.iter().flatten().copied();
        values().find(|value| is_reading(*value)).or_else(|| values().next())
    };
    let follows = OnceCell::new();
    let follows_load = |place: usize| follows.get_or_init(|| Follows::of_rows(samples)).correlation(place);
    choose(&samples.channels, first, follows_load)
}

/// Chooses the temperature of the SoC among the channels. `latest` gives a value of the channel at a place, if one is
/// known, to leave out what cannot be true; `follows_load` gives its correlation with the load, if enough was seen,
/// and is asked where there is more than one sensor to choose from.
///
/// # Errors
/// No channel is named like a temperature of the SoC; which others there are.
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

/// A sensor that may be the SoC's: whether it tells nothing, or exactly 0, as absent ones do; its rank, place and
/// meaning.
type Candidate = (bool, u32, usize, &'static str);

/// The sensors that may be the SoC's, the best one first, and the others, each with the reason.
fn judge(channels: &[Channel], latest: impl Fn(usize) -> Option<i64>) -> (Vec<Candidate>, Vec<String>) {
    let (mut candidates, mut others) = (Vec::new(), Vec::new());
    for (place, channel) in channels.iter().enumerate() {
        let Some(meaning) = names::meaning(channel) else {
            continue;
        };
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

/// The sensors that were left out, each with what it is, where the reason for no choice names any.
pub fn left_out(no_choice: &Missing) -> Option<&str> {
    match &no_choice.why {
        Why::Unsupported(reason) => reason.split_once(LEFT_OUT).map(|(_, sensors)| sensors),
        _ => None,
    }
}

/// The first of the sensors that are not the SoC's, to be appended to a sentence.
fn in_words(others: &[String]) -> String {
    let named = others.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    match others.len() {
        0 => String::new(),
        count if count > NAMED_MAX => format!("{LEFT_OUT}{named} and {} more", count - NAMED_MAX),
        _ => format!("{LEFT_OUT}{named}"),
    }
}

/// True if this may be the temperature of the SoC, so that short peaks matter.
pub fn may_be_soc(channel: &Channel) -> bool {
    names::meaning(channel).is_some_and(|meaning| meaning.rank.is_some())
}

impl SocTemperature {
    /// The place of the channel among `channels`.
    pub fn place(&self, channels: &[Channel]) -> Option<usize> {
        channels.iter().position(|channel| channel.id == self.channel)
    }

    /// Which sensor it is and why, as a sentence for people.
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
