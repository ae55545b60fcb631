//! What a monitor shows, made from samples: the same for watching live, for a recording, and for
//! the log of a run.
//!
//! The sampler sees more than the classic rows show; a row is the mean of percentages since the row
//! before and the state at its end. Nothing is printed here, and nothing is read.

mod clocks;
mod columns;
mod follows;
mod gaps;
mod metrics;
mod summary;
mod topology;
mod tracks;
mod watch;

pub use columns::Columns;
pub use gaps::gaps;
pub use metrics::metrics;
pub use summary::summary;
pub use topology::topology;
pub use tracks::{Kind, Track, cores, tracks};
pub use watch::Watch;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use record::Record;

/// The header above rows; its clock column depends on the policies.
pub fn heading(record: &Record) -> String {
    Columns::of(record, None).heading()
}

/// A row from one sample to a later one (indexes of rows); with the same sample twice it has no
/// percentages: `09:07:45: 1680/1416MHz  8.06 100%   0%  99%   0%   0%   0%  79.2°C`
pub fn row(record: &Record, first: usize, last: usize) -> String {
    Columns::of(record, None).row(record, first, last)
}

/// A moment of the run in local time.
pub(crate) fn local_time(record: &Record, at_ms: i64) -> Option<jiff::Zoned> {
    let offset = Offset::from_seconds(record.run.utc_offset_minutes * 60).ok()?;
    let started = record.run.started.known()?;
    let timestamp = Timestamp::from_millisecond(started.saturating_add(at_ms)).ok()?;
    Some(timestamp.to_zoned(TimeZone::fixed(offset)))
}
