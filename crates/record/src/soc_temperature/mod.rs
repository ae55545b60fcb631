//! Which of all temperatures is that of the SoC, and why: the one choice for monitor, runs and reports.
//!
//! By the names that kernels and vendors give (`data/sensors.tsv`), by what can be true, and by how they follow the
//! load, where that was watched long enough to tell.

mod follows;
mod names;

pub use follows::Follows;

use crate::{Channel, ChannelId, Missing, Reading};

/// What a SoC that runs can have when it is chosen, in thousandths of a degree Celsius. Firmware is known to answer -1
/// or 398 °C.
const CHOSEN: std::ops::RangeInclusive<i64> = -20_000..=125_000;
/// A sensor whose correlation with the load is below this does not follow it.
const FOLLOWS_NOT: f64 = 0.5;
/// One above this does, so that a sensor that does not cannot be that of the SoC.
const FOLLOWS: f64 = 0.7;

/// Which channel stands for the temperature of the SoC, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SocTemperature {
    /// The channel.
    pub channel: ChannelId,
    /// Why this one.
    pub why: SocReason,
}

/// Why a channel stands for the temperature of the SoC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SocReason {
    /// Its name stands best in the table.
    Name {
        /// What the name means.
        about: String,
    },
    /// The channel with the best name does not follow the load, and this one does.
    FollowsLoad {
        /// What its name means.
        about: String,
        /// Its correlation with the load, times 100.
        hundredths: i32,
        /// The channel with the best name.
        instead_of: ChannelId,
        /// The correlation of that one, times 100.
        its_hundredths: i32,
    },
    /// A log has one temperature, and does not always tell of which sensor.
    OnlyOneOfLog,
}

/// Chooses the temperature of the SoC among the channels. `latest` gives a value of the channel at a place, if one is
/// known, to leave out what cannot be true; `follows_load` gives its correlation with the load, if enough was seen.
///
/// # Errors
/// No channel is named like a temperature of the SoC.
pub fn choose(
    channels: &[Channel],
    latest: impl Fn(usize) -> Option<i64>,
    follows_load: impl Fn(usize) -> Option<f64>,
) -> Reading<SocTemperature> {
    if channels.iter().any(|channel| channel.id == ChannelId::Soc) {
        let (channel, why) = (ChannelId::Soc, SocReason::OnlyOneOfLog);
        return Ok(SocTemperature { channel, why });
    }
    let is_plausible = |place: usize| latest(place).is_none_or(|value| CHOSEN.contains(&value));
    let candidates = channels.iter().enumerate();
    let candidates = candidates.filter_map(|(place, channel)| {
        let meaning = names::meaning(channel)?;
        let rank = meaning.rank?;
        is_plausible(place).then_some((rank, place, meaning.about))
    });
    let mut candidates: Vec<(u32, usize, &str)> = candidates.collect();
    candidates.sort();
    let Some((_, by_name, about)) = candidates.first().copied() else {
        let why = "no sensor tells the temperature of the SoC";
        return Err(Missing::unsupported("/sys/class/thermal", why));
    };
    let chosen = |place: usize, why: SocReason| {
        let channel = channels[place].id.clone();
        Ok(SocTemperature { channel, why })
    };
    let hundredths = |correlation: f64| (correlation * 100.0).round() as i32;
    if let Some(its) = follows_load(by_name).filter(|value| *value < FOLLOWS_NOT) {
        let follower = candidates.iter().find_map(|(_, place, about)| {
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
            SocReason::OnlyOneOfLog => "the one that the log has".to_owned(),
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
