//! Clock and temperature of a whole run in one line each, for a terminal that has UTF-8: `▇▇▇▇▅▅▄▄`.

use super::{Kind, Track, Watch, tracks};
use facts::lines::{padded, width};
use facts::watch::before_rows;
use facts::{Facts, view};

use std::fmt::Write;

/// Bars from the lowest to the highest value.
const PARTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Width of names, and of the values for the lowest and highest bar.
const NAME_WIDTH: usize = 24;
const RANGE_WIDTH: usize = 19;
/// Minimum number of cells for a useful line.
const CELLS_MIN: usize = 8;

/// A line per clock and for the SoC temperature over the run, within this many columns; empty without samples or on a
/// narrow terminal. A cell shows the lowest clock and the highest temperature of its time.
pub fn sparklines(facts: &Facts<'_>, columns: usize) -> String {
    let cells = columns.min(120).saturating_sub(NAME_WIDTH + RANGE_WIDTH + 6);
    let times = &facts.samples.at_ms;
    let (Some(first_ms), Some(last_ms)) = (times.first(), times.last()) else { return String::new() };
    if cells < CELLS_MIN || last_ms <= first_ms {
        return String::new();
    }
    let mut watch = Watch::new(before_rows(facts));
    let soc = facts.soc_temperature();
    let place = soc.and_then(|soc| watch.channels().iter().position(|channel| channel.id == soc.id));
    let is_shown = |track: &Track| match track.kind {
        Kind::Clock => true,
        Kind::Temperature => place.is_some() && track.is_of(place),
        Kind::Busy | Kind::Power => false,
    };
    let mut lines: Vec<Line> = tracks(&watch, place)
        .into_iter()
        .filter(is_shown)
        .map(|track| Line { track, cells: vec![None; cells] })
        .collect();
    let cell = |at_ms: i64| {
        let share = (at_ms - first_ms).max(0) as f64 / (last_ms - first_ms + 1) as f64;
        ((share * cells as f64) as usize).min(cells - 1)
    };
    for (row, at_ms) in times.iter().enumerate() {
        let channels = facts.samples.channels.iter();
        watch.row(*at_ms, channels.map(|channel| channel.values.get(row).copied().flatten()));
        for line in lines.iter_mut().filter(|line| line.track.kind == Kind::Clock) {
            line.add(cell(*at_ms), line.track.value(&watch));
        }
    }
    // Drops implausible readings.
    let readings = soc.map(|soc| view::temperatures(facts, soc, view::whole_run()));
    for line in lines.iter_mut().filter(|line| line.track.kind == Kind::Temperature) {
        for reading in readings.iter().flatten() {
            line.add(cell(reading.at_ms), Some(reading.value as f64 / 1e3));
        }
    }
    let text: String = lines.iter().filter_map(Line::text).collect();
    if text.is_empty() {
        text
    } else {
        format!("Over the run of {}:\n{text}", facts::lines::duration(last_ms - first_ms))
    }
}

/// One quantity over the run.
struct Line {
    track: Track,
    cells: Vec<Option<f64>>,
}

impl Line {
    fn add(&mut self, cell: usize, value: Option<f64>) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        let choose = match self.track.kind {
            Kind::Clock => f64::min,
            _ => f64::max,
        };
        self.cells[cell] = Some(self.cells[cell].map_or(value, |known| choose(known, value)));
    }

    /// `None` if it was never read.
    fn text(&self) -> Option<String> {
        let known = || self.cells.iter().flatten().copied();
        let (low, high) = (known().reduce(f64::min)?, known().reduce(f64::max)?);
        let bar = |value: &Option<f64>| value.map_or(' ', |value| part(value, low, high));
        let bars: String = self.cells.iter().map(bar).collect();
        // Wider values are neither clocks nor temperatures.
        let range = Some(range(&self.track, low, high)).filter(|range| width(range) <= RANGE_WIDTH)?;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "   {} {} {}",
            padded(&self.track.label, NAME_WIDTH),
            padded(&range, RANGE_WIDTH),
            bars.trim_end()
        );
        Some(text)
    }
}

/// `600 to 1416 MHz`, or one value where it did not change.
fn range(track: &Track, low: f64, high: f64) -> String {
    let words = |value: f64| track.text(Some(value));
    let (from, to) = (words(low), words(high));
    if from == to {
        return to;
    }
    let from = from.split_once(' ').map_or(from.as_str(), |(number, _)| number);
    format!("{from} to {to}")
}

fn part(value: f64, low: f64, high: f64) -> char {
    if high <= low {
        return PARTS[PARTS.len() / 2];
    }
    let share = (value - low) / (high - low);
    PARTS[((share * PARTS.len() as f64) as usize).min(PARTS.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{gauge_channel, own_run};
    use record::{ChannelId, Record, Unit};

    /// Four samples, one every half second.
    fn record(khz: &[i64], millicelsius: &[i64]) -> Record {
        let record = gauge_channel(own_run(), ChannelId::claimed(0), Unit::Kilohertz, khz);
        gauge_channel(record, ChannelId::zone_temperature(0), Unit::Millicelsius, millicelsius)
    }

    #[test]
    fn course_of_clock_and_temperature() {
        let record = record(&[1_800_000, 1_800_000, 1_200_000, 600_000], &[40_000, 60_000, 80_000, 80_000]);
        let expected = expect_test::expect![[r#"
            Over the run of 1.5 s:
               clock 0-3 Cortex-A53     600 to 1800 MHz     █   █   ▅   ▁
               SoC temperature          40.0 to 80.0 °C     ▁   ▅   █   █
        "#]];
        expected.assert_eq(&sparklines(&Facts::from(record), 62));
    }

    #[test]
    fn constant_values_are_level_and_missing_ones_absent() {
        let steady = sparklines(&Facts::from(record(&[1_800_000; 4], &[])), 80);
        assert!(steady.contains(" 1800 MHz ") && steady.contains('▅') && !steady.contains("temp"), "{steady}");
        assert_eq!(sparklines(&Facts::from(own_run()), 80), "");
        assert_eq!(sparklines(&Facts::from(record(&[1; 4], &[1; 4])), 20), "");
        assert_eq!(sparklines(&Facts::from(record(&[1; 4], &[1; 4])), 0), "");
        assert_eq!(sparklines(&Facts::from(record(&[], &[])), 200), "");
    }

    #[test]
    fn lines_fit_the_terminal() {
        for columns in [58, 80, 120, 200] {
            let fits = |text: &str| text.lines().all(|line| line.chars().count() <= columns);
            let hostile = sparklines(&Facts::from(record(&[i64::MAX, 0, 1, -5], &[i64::MIN, 0, 1, 2])), columns);
            assert!(fits(&hostile), "{columns}: {hostile}");
            let text = sparklines(&Facts::from(record(&[5_400_000, 600_000], &[-40_000, 120_000])), columns);
            assert!(text.lines().count() == 3 && fits(&text), "{columns}: {text}");
        }
    }
}
