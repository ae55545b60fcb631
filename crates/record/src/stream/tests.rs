//! Streams that are cut, damaged, old, or of several sessions.

use super::*;
use crate::recording::{RowWriter, frame};
use crate::{Channel, ChannelId, ChannelKind, End, Unit};

fn line(event: &Event) -> String {
    frame(&serde_json::to_string(event).unwrap())
}

fn started(mode: Mode) -> Event {
    let run = Run { mode, boot_id: "b".into(), ..Run::default() };
    Event::Started { schema: 1, source: nothing_known().source, run: Box::new(run) }
}

fn step_begins(step: &str, at_ms: i64) -> Event {
    Event::StepBegins { step: step.into(), repetition: 0, at_ms }
}

/// Run with a non-ASCII label, two begun steps, and a row before and after each.
fn lines() -> Vec<String> {
    let mut channel = Channel::of(ChannelId::zone_temperature(0));
    channel.label = "SoC °C".into();
    let channels = Event::Channels { interval_ms: 500, channels: vec![channel] };
    let mut rows = RowWriter::default();
    let mut row = |at_ms, value| frame(&rows.row(at_ms, [Some(value)]));
    vec![
        line(&started(Mode::Standard)),
        line(&channels),
        row(0, 40_000),
        line(&step_begins("memory °", 100)),
        row(500, 50_000),
        line(&step_begins("sevenzip multi", 700)),
        row(1000, 60_000),
    ]
}

fn last_seen(bytes: &[u8]) -> Option<(Option<String>, Vec<i64>)> {
    let record = read_stream(bytes).ok()?;
    let step = record.run.died_in.and_then(|died| died.step);
    Some((step, record.samples.at_ms))
}

#[test]
fn truncated_stream_keeps_complete_lines() {
    let lines = lines();
    let bytes = lines.concat().into_bytes();
    let mut ends = Vec::new();
    for line in &lines {
        ends.push(ends.last().unwrap_or(&0) + line.len());
    }
    for cut in 0..bytes.len() {
        // A line is complete even without its newline.
        let whole = ends.iter().filter(|end| **end <= cut + 1).count();
        let step = [None, Some("memory °"), Some("sevenzip multi")];
        let step = step[usize::from(whole > 3) + usize::from(whole > 5)];
        let rows = [0, 500, 1000];
        let rows = &rows[..usize::from(whole > 2) + usize::from(whole > 4) + usize::from(whole > 6)];
        let expected = (whole > 0).then(|| (step.map(str::to_owned), rows.to_vec()));
        assert_eq!(last_seen(&bytes[..cut]), expected, "{cut}");
        let Ok(record) = read_stream(&bytes[..cut]) else { continue };
        assert_eq!(record.run.end, End::Died);
        assert_eq!(record.run.unreadable, [], "a cut is no damage: {cut}");
        // Bytes after the cut of a power loss: zeros or binary garbage.
        for tail in [&[0_u8; 512][..], &[0xff; 512], b"\n\xc3\x28\n"] {
            let damaged = [&bytes[..cut], tail].concat();
            let kept = last_seen(&damaged).map(|(_, rows)| rows);
            // Without its newline a line is complete only at the end of the file.
            let newline = tail[0] == b'\n' || bytes[cut - 1] == b'\n';
            if newline {
                assert_eq!(kept.as_deref(), Some(rows), "{cut}");
            }
            assert_ne!(read_stream(&damaged).unwrap_or(record.clone()).run.unreadable, [], "{cut}");
        }
    }
}

#[test]
fn bad_sector_loses_only_its_lines() {
    let lines = lines();
    let bytes = lines.concat().into_bytes();
    for garbage in [0_u8, 0xff, b'x'] {
        for from in 0..bytes.len() - 64 {
            let mut damaged = bytes.clone();
            damaged[from..from + 64].fill(garbage);
            let record = read_stream(&damaged).unwrap();
            let mut at = 0;
            let mut hit = Vec::new();
            for line in &lines {
                // A lost newline has no effect.
                hit.push(at < from + 64 && from < at + line.len() - 1);
                at += line.len();
            }
            assert_ne!(record.run.unreadable, [], "{from}");
            let step = record.run.died_in.clone().and_then(|died| died.step);
            let expected = match (hit[5], hit[3]) {
                (false, _) => Some("sevenzip multi"),
                (true, false) => Some("memory °"),
                (true, true) => None,
            };
            assert_eq!(step.as_deref(), expected, "{from}");
            assert_eq!(record.run.boot_id.is_empty(), hit[0], "{from}");
            let is_lost = hit[1] || hit[2];
            let known = record.samples.channels.first();
            let is_known = known.is_some_and(|channel| channel.values.iter().any(Option::is_some));
            assert_eq!(!is_known, is_lost, "{from}");
        }
    }
}

#[test]
fn file_without_any_whole_line_says_so() {
    for bytes in [&b""[..], b"x", b"sbc1 5 0000", &[0; 100]] {
        let missing = read_stream(bytes).unwrap_err();
        assert!(missing.to_string().contains("no complete line"), "{missing}");
        assert!(!is_stream(bytes) || is_recording(bytes));
    }
    let bytes = [&[0_u8; 9][..], b"\n", lines()[3].as_bytes()].concat();
    assert!(is_stream(&bytes));
}

#[test]
fn streams_of_older_versions_are_read_as_before() {
    let json = |event: &Event| format!("{}\n", serde_json::to_string(event).unwrap());
    let block = Event::Samples { at_ms: vec![0, 500], columns: vec![vec![Some(1), Some(2)]] };
    let channels = Event::Channels {
        interval_ms: 500,
        channels: vec![Channel::new(ChannelId::own("a"), Unit::Count, ChannelKind::Gauge)],
    };
    let old = [started(Mode::Standard), channels, step_begins("x", 5), block];
    let mut text: String = old.iter().map(json).collect();
    let record = read_stream(text.as_bytes()).unwrap();
    assert_eq!(record.samples.channels[0].values, [Some(1), Some(2)]);
    assert_eq!(record.run.died_in.unwrap().at_ms, 500);
    text.push_str("{\"event\":\"step_begins\",\"st");
    assert_eq!(read_stream(text.as_bytes()).unwrap().run.unreadable, []);
    text.push('\n');
    text.push_str(&json(&Event::Ended { end: End::Finished, elapsed_ms: 9 }));
    let record = read_stream(text.as_bytes()).unwrap();
    assert_eq!((record.run.end, record.run.died_in), (End::Finished, None));
    assert_eq!(record.run.unreadable.len(), 1);
}

#[test]
fn last_usable_session_counts() {
    let mut text = line(&started(Mode::Monitor));
    text.push_str(&lines()[1..3].concat());
    text.push_str(&line(&started(Mode::Monitor)));
    let record = read_stream(text.as_bytes()).unwrap();
    assert_eq!(record.samples.at_ms, [0]);
    // The start of the second session is lost, but its channels indicate it.
    let text = [lines()[0].replace("standard", "monitor"), lines()[1..3].concat()].concat();
    let text = format!("{text}{}", lines()[1..].concat());
    assert_eq!(read_stream(text.as_bytes()).unwrap().samples.at_ms.len(), 3);
}

/// Recording that exceeds the limit: extremes are preserved, counters are right at every time, rows are evenly spaced,
/// and events between them are kept.
#[test]
fn long_recordings_are_folded() {
    const ROWS: i64 = 1000;
    let channels = vec![
        Channel::of(ChannelId::zone_temperature(0)),
        Channel::new(ChannelId::own("count"), Unit::Count, ChannelKind::Counter),
        Channel::of(ChannelId::zone_temperature(1)),
    ];
    let mut text = line(&started(Mode::Monitor));
    text.push_str(&line(&Event::Channels { interval_ms: 100, channels }));
    let mut rows = RowWriter::default();
    for row in 0..ROWS {
        let hot = if row == 617 { 99_000 } else { 40_000 + row % 7 };
        let cold = if row == 998 { -5 } else { 50_000 };
        let rare = (row % 8 == 3).then_some(cold).or((row == 998).then_some(cold));
        text.push_str(&frame(&rows.row(row * 100, [Some(hot), Some(row * 1000), rare])));
        if row == 500 {
            text.push_str(&line(&Event::Mark { mark: crate::Mark { at_ms: 0, text: "here".into() } }));
        }
    }
    let whole = read_stream(text.as_bytes()).unwrap();
    assert_eq!((whole.samples.folds, whole.samples.at_ms.len()), (0, ROWS as usize));
    for values_max in [120, 300, 1499, 2999] {
        let record = read_stream_within(text.as_bytes(), values_max).unwrap();
        let samples = &record.samples;
        assert!(
            samples.folds > 0 && samples.at_ms.len() * 3 <= values_max + 60,
            "{values_max}: {}",
            samples.at_ms.len()
        );
        assert_eq!(samples.interval_ms, 100 << samples.folds);
        let extreme = |at: usize| samples.channels[at].values.iter().flatten().copied();
        assert_eq!(extreme(0).max(), Some(99_000), "{values_max}");
        assert_eq!(extreme(2).min(), Some(-5), "{values_max}");
        for (at_ms, count) in samples.at_ms.iter().zip(&samples.channels[1].values) {
            assert_eq!(*count, Some(at_ms * 10), "{values_max}");
        }
        // Only the last rows, which are fewer than four.
        let uneven = samples.at_ms.windows(2).filter(|pair| pair[1] - pair[0] != samples.interval_ms as i64).count();
        assert!(uneven <= 24, "{values_max}: {uneven} of {}", samples.at_ms.len());
        assert_eq!(record.samples.at_ms.first(), Some(&0));
        assert!(*record.samples.at_ms.last().unwrap() > 99_000 - samples.interval_ms as i64);
        // The mark stays in place even if the writer's clock is behind.
        assert_eq!(record.marks.iter().map(|mark| mark.at_ms).collect::<Vec<_>>(), [50_000]);
    }
    // Interval that cannot be doubled.
    let endless = text.replace("\"interval_ms\":100", "\"interval_ms\":18446744073709551615");
    let endless: String = endless.lines().map(|line| frame(line.splitn(4, ' ').nth(3).unwrap())).collect();
    assert_eq!(read_stream_within(endless.as_bytes(), 300).unwrap().samples.interval_ms, u64::MAX);
    // A few rows with too many channels cannot be folded.
    assert!(read_stream_within(text.as_bytes(), 20).is_err());
}
