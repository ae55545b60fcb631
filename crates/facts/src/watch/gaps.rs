//! Which channels stopped delivering values, and why, in as few sentences as there are reasons.

use super::Watch;
use record::{ChannelId, Event, Missing};

/// One sentence for each reason why channels stopped with the last row.
pub fn gaps(watch: &Watch) -> Vec<String> {
    // Reason, first channel, how many more.
    let mut found: Vec<(&Missing, &ChannelId, usize)> = Vec::new();
    for event in watch.happened() {
        let Event::Gap { channel, gap } = event else {
            continue;
        };
        if is_not_offered(watch, channel) {
            continue;
        }
        match found.iter_mut().find(|(known, ..)| **known == gap.missing) {
            Some((.., more)) => *more += 1,
            None => found.push((&gap.missing, channel, 0)),
        }
    }
    let sentence = |(missing, channel, more): (&Missing, &ChannelId, usize)| match more {
        // A gap of all channels names the sampler in its reason.
        _ if *channel == ChannelId::ALL_CHANNELS_GAP => missing.to_string(),
        0 => format!("No more readings from {channel}: {missing}"),
        1 => format!("No more readings from {channel} and 1 other: {missing}"),
        _ => format!("No more readings from {channel} and {more} others: {missing}"),
    };
    found.into_iter().map(sentence).collect()
}

/// True for a quantity that a meter never had while it has others: most count no energy or measure no current.
fn is_not_offered(watch: &Watch, channel: &ChannelId) -> bool {
    let channels = || watch.channels().iter().enumerate();
    let Some((place, own)) = channels().find(|(_, known)| known.id == *channel) else { return false };
    let has_others = || channels().any(|(other, known)| known.source == own.source && watch.value(other).is_some());
    channel.is_meter() && !watch.was_known(place) && has_others()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{own_run, with_channel};
    use record::{AllCpus, ChannelKind, Gap, LoadSpan, MeterChannel, Unit};

    #[test]
    fn one_sentence_for_each_reason() {
        let mut watch = Watch::new(own_run());
        for (channel, path) in [
            (ChannelId::Soc, "/x"),
            (ChannelId::Load(LoadSpan::One), "/x"),
            (ChannelId::AllCpus(AllCpus::Online), "/y"),
        ] {
            let missing = Missing::absent(path);
            let gap = Gap { at_ms: 5, missing };
            watch.event(Event::Gap { channel, gap });
        }
        let expected = [
            "No more readings from soc.temp and 1 other: /x does not exist",
            "No more readings from cpu.online: /y does not exist",
        ];
        assert_eq!(gaps(&watch), expected);
    }

    #[test]
    fn quantity_that_a_meter_never_had_is_not_told() {
        let channels = [
            (MeterChannel::Power, Unit::Milliwatts),
            (MeterChannel::Energy, Unit::Microjoules),
            (MeterChannel::Voltage, Unit::Millivolts),
        ];
        let record = channels.iter().fold(own_run(), |record, (what, unit)| {
            with_channel(record, ChannelId::meter(*what), unit.clone(), ChannelKind::Gauge, &[])
        });
        let mut watch = Watch::new(record);
        watch.row(0, [Some(5_000), None, Some(5_100)]);
        for what in [MeterChannel::Power, MeterChannel::Energy] {
            let gap = Gap { at_ms: 5, missing: Missing::absent("/x") };
            watch.event(Event::Gap { channel: ChannelId::meter(what), gap });
        }
        assert_eq!(gaps(&watch), ["No more readings from meter.power: /x does not exist"]);
    }
}
