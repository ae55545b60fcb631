//! Which channels fell silent, and why, in as few sentences as there are reasons.

use super::Watch;
use record::{ChannelId, Event, Missing};

/// One sentence for each reason why channels fell silent with the last row.
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
        // The sampler itself is not silent: something about all channels is told in its name.
        _ if *channel == ChannelId::ALL_CHANNELS_GAP => missing.to_string(),
        0 => format!("{channel} fell silent: {missing}"),
        _ => format!("{channel} and {more} more fell silent: {missing}"),
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
        let expected =
            ["soc.temp and 1 more fell silent: /x does not exist", "cpu.online fell silent: /y does not exist"];
        assert_eq!(gaps(&watch), expected);
    }
}
