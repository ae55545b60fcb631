//! Summary of a recording: duration, reasons of throttling, temperatures, and unreadable sources. A recording has no
//! results and thus no verdict.

use crate::monitor::{Watch, time_of_day};
use facts::lines::duration;
use facts::throttle::Reason;
use facts::watch::before_rows;
use facts::{Facts, view};
use record::{ChannelId, End, Record};
use std::collections::BTreeSet;

/// More gaps than this are only counted.
const GAPS_MAX: usize = 3;

/// A paragraph about a recording.
pub fn watched(facts: &Facts<'_>) -> String {
    let mut sentences = vec![span(facts), damaged(facts), folded(facts), slowed_down(facts), heat(facts), gaps(facts)];
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}

/// Duration and end of the recording.
fn span(record: &Record) -> String {
    let times = &record.samples.at_ms;
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return "This recording contains no samples.".to_owned();
    };
    let end = match record.run.end {
        End::Died => {
            ". It has no end: it is still in progress, the monitor was killed, or the machine froze or lost power"
        }
        _ => "",
    };
    format!(
        "Recorded {}: {} samples from {} to {}{end}.",
        duration(last - first),
        times.len(),
        time_of_day(record, *first),
        time_of_day(record, *last)
    )
}

/// Unreadable parts of the file; empty if all was readable.
fn damaged(record: &Record) -> String {
    let parts = &record.run.unreadable;
    let Some(first) = parts.first() else { return String::new() };
    let bytes = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.bytes));
    format!(
        "The recording is damaged ({} bytes from byte {}): samples from there to the next row with the values of all channels \
         are lost.",
        bytes, first.from_byte
    )
}

/// Note about samples thinned to fit into memory; empty if all are present.
pub fn folded(record: &Record) -> String {
    let samples = &record.samples;
    if samples.folds == 0 {
        return String::new();
    }
    let of = 2_u64.saturating_pow(samples.folds + 1);
    let span_ms = samples.interval_ms.saturating_mul(2);
    format!(
        "To fit into memory, two samples stand for {of} of the recording, with the least and the greatest value of \
         each channel: what was short seems up to {span_ms} ms long. `sbc-bench monitor --replay` reads all."
    )
}

/// Reasons of throttling with their share of the time; empty without samples.
pub fn slowed_down(record: &Record) -> String {
    let mut seen: Vec<(Reason, usize, i64)> = Vec::new();
    let mut watch = Watch::new(before_rows(record));
    let channels = &record.samples.channels;
    for (row, at_ms) in record.samples.at_ms.iter().enumerate() {
        let values = channels.iter().map(|channel| channel.values.get(row));
        watch.row(*at_ms, values.map(|value| value.copied().flatten()));
        for throttle in watch.throttled() {
            match seen.iter_mut().find(|(known, ..)| *known == throttle.reason) {
                Some((_, rows, _)) => *rows += 1,
                None => seen.push((throttle.reason, 1, *at_ms)),
            }
        }
    }
    if record.samples.at_ms.is_empty() {
        return String::new();
    }
    if seen.is_empty() {
        return nothing_seen(record);
    }
    let all = record.samples.at_ms.len() as f64;
    let words = seen.iter().map(|(reason, rows, first_ms)| {
        let percent = 100.0 * *rows as f64 / all;
        let at = time_of_day(record, *first_ms);
        format!("{} ({percent:.1} % of the time, first at {at})", reason.words())
    });
    format!("Throttling: {}.", words.collect::<Vec<_>>().join(", "))
}

/// Sentence for no throttling: reasons that would have been visible.
fn nothing_seen(record: &Record) -> String {
    let channels = record.samples.channels.iter();
    let speaking: Vec<_> = channels.filter(|channel| channel.values.iter().any(Option::is_some)).collect();
    let observable = facts::throttle::observable(&speaking);
    let words: Vec<&str> = observable.into_iter().map(Reason::words).collect();
    match words.as_slice() {
        [] => "Whether the CPUs were throttled cannot be known: nothing that was read would show it.".to_owned(),
        words => format!("No throttling detected (checked: {}).", words.join(", ")),
    }
}

fn heat(facts: &Facts<'_>) -> String {
    match facts.heat(&view::whole_run()) {
        Some(heat) => format!(
            "Highest temperature: {:.1}°C at {} ({}).",
            heat.millicelsius_max as f64 / 1000.0,
            time_of_day(facts, heat.at_ms),
            heat.channel
        ),
        None => String::new(),
    }
}

/// Unreadable sources with reasons.
fn gaps(record: &Record) -> String {
    let channels = record.samples.channels.iter();
    // Gaps of all channels come first: suspend, a clock that was set.
    let mut gaps: Vec<(bool, i64, String)> = channels
        .flat_map(|channel| {
            let sentence = move |gap: &record::Gap| match &channel.id {
                // Problems of all channels carry the sampler's name.
                &ChannelId::ALL_CHANNELS_GAP => gap.missing.to_string(),
                id => format!("{id}: {}", gap.missing),
            };
            let is_of_one = channel.id != ChannelId::ALL_CHANNELS_GAP;
            channel.gaps.iter().map(move |gap| (is_of_one, gap.at_ms, sentence(gap)))
        })
        .collect();
    gaps.sort();
    // Lists one gap of each kind before a second one: intervals increase often, a machine sleeps once.
    let mut kinds = BTreeSet::new();
    let is_new = |(_, _, sentence): &&(bool, i64, String)| {
        kinds.insert(sentence.replace(|letter: char| letter.is_ascii_digit(), ""))
    };
    let (first, others): (Vec<_>, Vec<_>) = gaps.iter().partition(is_new);
    let count = gaps.len();
    let told = first.into_iter().chain(others).take(GAPS_MAX);
    let told: Vec<String> =
        told.map(|(_, at_ms, sentence)| format!("{} {sentence}", time_of_day(record, *at_ms))).collect();
    match count {
        0 => "No gaps.".to_owned(),
        1 => format!("1 gap: {}.", told.join("; ")),
        2..=GAPS_MAX => format!("{count} gaps: {}.", told.join("; ")),
        _ => format!("{count} gaps, among them: {}.", told.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{gauge_channel, own_run};
    use record::{Fact, Gap, Missing, Mode, Unit, UnreadableRange};

    /// A recording of two samples per second.
    fn recording(limits_khz: &[i64], millicelsius: &[i64]) -> Record {
        let mut record = own_run();
        record.run.mode = Mode::Monitor;
        record.run.started = Fact::Known(0);
        record.run.end = End::Interrupted { signal: 15 };
        let id = ChannelId::limit_max(0);
        record = gauge_channel(record, id, Unit::Kilohertz, limits_khz);
        gauge_channel(record, ChannelId::zone_temperature(0), Unit::Millicelsius, millicelsius)
    }

    #[test]
    fn recording_summary_text() {
        let steady = recording(&[1_800_000; 4], &[40_000, 41_000, 45_500, 44_000]);
        let expected = "Recorded 1.5 s: 4 samples from 00:00:00 to 00:00:01. No throttling detected (checked: \
                        clock limit lowered). Highest temperature: 45.5°C at 00:00:01 (thermal_zone0.temp). No gaps.";
        assert_eq!(watched(&Facts::of(&steady)), expected);
        let mut hot = recording(&[1_800_000, 1_800_000, 1_200_000, 1_200_000], &[80_000; 4]);
        let missing = Missing::absent("/sys/x");
        let gap = Gap { at_ms: 500, missing };
        hot.samples.channels[1].gaps.push(gap);
        hot.run.end = End::Died;
        let text = watched(&Facts::of(&hot));
        for part in [
            "It has no end",
            "Throttling: clock limit lowered (50.0 % of the time, first at 00:00:01)",
            "1 gap: 00:00:00 ",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn gaps_of_all_channels_come_first() {
        let mut record = recording(&[1_800_000; 4], &[40_000; 4]);
        let gap = |at_ms, path: &str| Gap { at_ms, missing: Missing::absent(path) };
        let mut all = record.samples.channels[0].clone();
        (all.id, all.gaps) = (ChannelId::ALL_CHANNELS_GAP, vec![gap(1500, "the machine")]);
        record.samples.channels[0].gaps = (0..5).map(|at| gap(at, "/sys/x")).collect();
        record.samples.channels.push(all);
        let text = watched(&Facts::of(&record));
        assert!(text.contains("6 gaps, among them: 00:00:01 the machine does not exist; 00:00:00 policy0"), "{text}");
        // One of five of a kind is reported, then other kinds.
        let slower = |at: i64| gap(100 * at, &format!("/sys/interval{at}"));
        let last = record.samples.channels.last_mut().unwrap();
        last.gaps = (0..5).map(slower).chain([gap(1500, "the machine")]).collect();
        let text = watched(&Facts::of(&record));
        assert!(
            text.contains("11 gaps, among them: 00:00:00 /sys/interval0 does not exist; 00:00:01 the machine"),
            "{text}"
        );
    }

    #[test]
    fn damage_of_the_file_is_told() {
        let mut damaged = recording(&[1_800_000; 4], &[40_000; 4]);
        damaged.run.unreadable =
            vec![UnreadableRange { from_byte: 120, bytes: 44 }, UnreadableRange { from_byte: 400, bytes: 1 }];
        let text = watched(&Facts::of(&damaged));
        assert!(text.contains("The recording is damaged (45 bytes from byte 120): samples"), "{text}");
    }

    #[test]
    fn nothing_seen_needs_who_would_have_seen_it() {
        let mut steady = recording(&[1_800_000; 4], &[40_000; 4]);
        steady.samples.channels.remove(0);
        let text = watched(&Facts::of(&steady));
        assert!(text.contains("cannot be known") && !text.contains("No throttling"), "{text}");
    }
}
