//! Use of each core, second by second, at the highest and the lowest clock side by side: how work moves
//! between cores, which means hide.

use super::text::clock_words;
use super::{Sensitivity, results};
use crate::tables::Report;
use facts::Facts;
use facts::view::core_use_by_second;
use record::{Record, SetClock, Total, Window};
use std::fmt::Write;

pub(super) const REPORT: Report = Report {
    id: "core-use",
    about: "Utilisation of each core of a sensitivity run, second by second, at the highest and lowest clock.",
    fits: |record| !seconds(record).is_empty(),
    ..Report::of(|record, _explained| seconds(record))
};

/// With more cores than this the sum alone is shown: two tables would not fit on a page.
const CORES_MAX: usize = 8;
/// Longer steps are cut: a minute shows what there is to see.
const SECONDS_MAX: usize = 60;

/// Use of each core in one second, in percent.
type Second = Vec<(u32, f64)>;

/// One table for each workload at several clocks; empty for other runs.
pub fn seconds(facts: &Facts<'_>) -> String {
    let mut text = String::new();
    let mut told: Vec<Vec<usize>> = Vec::new();
    for result in results(facts) {
        // Scores of the same steps share a table.
        if told.contains(&result.steps) {
            continue;
        }
        text.push_str(&table(facts, &result));
        told.push(result.steps);
    }
    text
}

fn table(record: &Record, result: &Sensitivity) -> String {
    let (Some(low), Some(high)) = (result.levels.first(), result.levels.last()) else { return String::new() };
    let mut clocks = vec![high.clock];
    clocks.extend((low.clock != high.clock).then_some(low.clock));
    let columns: Vec<Vec<Second>> = clocks.iter().map(|clock| of_clock(record, result, *clock)).collect();
    let name = result.name.split(": ").next().unwrap_or_default();
    let cores = columns.iter().flatten().next().map_or(0, Vec::len);
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    if rows == 0 {
        return String::new();
    }
    let shown = if cores <= CORES_MAX { cores } else { 0 };
    let width = 6 * (shown + 1);
    let mut text = format!("{name}: core utilisation in percent per second, first round\n\n{:8}", "");
    for clock in &clocks {
        let _ = write!(text, "  {:>width$}", clock_words(*clock));
    }
    text.push_str("\nseconds ");
    for column in &columns {
        text.push_str("  ");
        let first = column.first().cloned().unwrap_or_default();
        for (cpu, _) in first.iter().take(shown) {
            let _ = write!(text, "{:>6}", format!("cpu{cpu}"));
        }
        let missing = if column.is_empty() { width - 6 } else { 0 };
        let _ = write!(text, "{:missing$}{:>6}", "", "total");
    }
    text.push('\n');
    for row in 0..rows.min(SECONDS_MAX) {
        let _ = write!(text, "{:>7} ", row + 1);
        let mut line = String::new();
        for column in &columns {
            line.push_str("  ");
            line.push_str(&cells(column.get(row), shown, width));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push('\n');
    text
}

fn cells(second: Option<&Second>, shown: usize, width: usize) -> String {
    let Some(second) = second else { return " ".repeat(width) };
    let cells = second.iter().take(shown).map(|(_, percent)| format!("{percent:6.0}"));
    let total: f64 = second.iter().map(|(_, percent)| percent).total();
    cells.collect::<String>() + &format!("{total:6.0}")
}

/// Seconds of the first round at this clock.
fn of_clock(record: &Record, result: &Sensitivity, clock: SetClock) -> Vec<Second> {
    let steps = result.steps.iter().map(|index| &record.steps[*index]);
    let step = steps.filter(|step| step.set_clock == Some(clock)).min_by_key(|step| step.repetition);
    let Some(step) = step else { return Vec::new() };
    // Samples and steps start independently: the sample before a step begins its first second.
    let reach_ms = record.samples.interval_ms as i64;
    let window = Window { start_ms: step.window.start_ms - reach_ms, ..step.window };
    let rows = core_use_by_second(record, window);
    rows.into_iter().map(|(_, second)| second).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{counter, own_run, with_step};
    use record::{ChannelId, CpuTime, Score, Scores, StepMeasurement, Unit};

    #[test]
    fn clocks_stand_side_by_side() {
        // A row every half second, with one busy and one idle core.
        let ticks: Vec<i64> = (0..20).map(|row| row * 50).collect();
        let mut record = counter(own_run(), ChannelId::cpu_time(0, CpuTime::User), Unit::Ticks, &ticks);
        record = counter(record, ChannelId::cpu_time(1, CpuTime::Idle), Unit::Ticks, &ticks);
        for (khz, start, end) in [(600_000, 0.0, 4.0), (1_500_000, 5.0, 7.0)] {
            let scores = StepMeasurement::Scores(Scores {
                rows: vec![Score {
                    name: String::new(),
                    value: end - start,
                    unit: "s".into(),
                    higher_is_better: false,
                }],
                ..Scores::default()
            });
            record = with_step(record, "work", "", &[], (start, end), scores);
            record.steps.last_mut().unwrap().set_clock = Some(SetClock::Khz(khz));
        }
        let text = seconds(&Facts::of(&record));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[2].contains("1500 MHz") && lines[2].ends_with("600 MHz"), "{text}");
        assert_eq!(lines[3], "seconds     cpu0  cpu1 total    cpu0  cpu1 total");
        assert_eq!(lines[4], "      1      100     0   100     100     0   100");
        // The longer of the two continues alone.
        assert_eq!(lines[7], "      4                          100     0   100");
        assert_eq!(seconds(&Facts::of(&own_run())), "");
    }
}
