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
        match found.iter_mut().find(|(known, ..)| **known == gap.missing) {
            Some((.., more)) => *more += 1,
            None => found.push((&gap.missing, channel, 0)),
        }
    }
    let sentence = |(missing, channel, more): (&Missing, &ChannelId, usize)| match more {
        // A gap of all channels names the sampler in its reason.
        _ if *channel == ChannelId::ALL_CHANNELS_GAP => missing.to_string(),
        0 => format!("No more readings from {channel}: {missing}"),
        _ => format!("No more readings from {channel} and {more} others: {missing}"),
    };
    found.into_iter().map(sentence).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::own_run;
    use record::{AllCpus, Gap, LoadSpan};

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
            "No more readings from soc.temp and 1 others: /x does not exist",
            "No more readings from cpu.online: /y does not exist",
        ];
        assert_eq!(gaps(&watch), expected);
    }
}
