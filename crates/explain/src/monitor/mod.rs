//! View of a monitor, made from samples: the same for live watching, for a recording, and for the log of a run.
//!
//! The sampler has more values than the classic rows show; a row is the mean of percentages since the previous row, and
//! the state at its end. Nothing here reads or prints.

mod cells;
mod clocks;
mod columns;
mod history;
mod low_clocks;
mod metrics;
mod now;
mod replay;
mod sparklines;
mod summary;
mod tracks;

pub use columns::Columns;
pub use history::{Moment, MonitorHistory};
pub use low_clocks::{LowClock, low_clock};
pub use metrics::metrics;
pub use now::LatestValues;
pub use replay::{Item, RecordingLines, items_of_record, whole_line};
pub use sparklines::sparklines;
pub use summary::summary;
pub use tracks::{Kind, Track, cores, tracks};

pub use facts::watch::{Watch, gaps};

use facts::Facts;
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use record::Record;

/// The header above rows; its clock column depends on the policies.
pub fn heading(facts: &Facts<'_>) -> String {
    Columns::of(facts, *facts.soc_channel()).heading()
}

/// A row from one sample to a later one (indexes of rows); with the same sample twice it has no
/// percentages: `09:07:45: 1680/1416MHz  8.06 100%   0%  99%   0%   0%   0%  79.2°C`
pub fn row(facts: &Facts<'_>, first: usize, last: usize) -> String {
    Columns::of(facts, *facts.soc_channel()).row(facts, first, last)
}

/// A moment of a run as the time of day where it ran, `23:59:59`, or dashes where that is not known.
///
/// Plain arithmetic instead of a calendar: a monitor does this at every row, and should cost nothing.
pub fn time_of_day(record: &Record, at_ms: i64) -> String {
    let mut text = String::new();
    push_time_of_day(&mut text, record, at_ms);
    text
}

fn push_time_of_day(text: &mut String, record: &Record, at_ms: i64) {
    let Some(started_ms) = record.run.started.known() else {
        text.push_str("--:--:--");
        return;
    };
    let offset_s = i64::from(record.run.utc_offset_minutes) * 60;
    let second = started_ms.saturating_add(at_ms).div_euclid(1000);
    let second = second.saturating_add(offset_s).rem_euclid(86_400);
    for (place, part) in [second / 3600, second / 60 % 60, second % 60].into_iter().enumerate() {
        if place > 0 {
            text.push(':');
        }
        cells::two_digits(text, part.unsigned_abs());
    }
}

/// The day on which a run began, where it ran: `2026-11-23`. None where that is not known.
pub fn day(record: &Record) -> Option<String> {
    local_time(record, 0).map(|at| at.strftime("%Y-%m-%d").to_string())
}

/// A moment of a run in the time of the place where it ran.
pub fn local_time(record: &Record, at_ms: i64) -> Option<jiff::Zoned> {
    let offset = Offset::from_seconds(record.run.utc_offset_minutes.saturating_mul(60)).ok()?;
    let started = record.run.started.known()?;
    let timestamp = Timestamp::from_millisecond(started.saturating_add(at_ms)).ok()?;
    Some(timestamp.to_zoned(TimeZone::fixed(offset)))
}
