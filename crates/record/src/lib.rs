//! Types of a run: one [`Record`] contains all measurements, settings, observations, missing values.
//!
//! A Record contains facts only: every repetition, every sample, every setting before and after the run, and the reason
//! for every missing value. Medians, findings, scores and tables are computed whenever a Record is read (crate
//! `explain`), so that better rules also apply to old runs. This crate does no I/O and reads no clock.
//!
//! Conventions: units end a name; times are milliseconds since [`Run::started`] on the monotonic clock (`*_ms`) or on
//! UTC since 1970 (`*_utc_ms`); integers have the kernel's units.

#![forbid(unsafe_code)]

mod aftermath;
mod bound;
mod colours;
mod cpu_list;
mod errno;
mod event;
mod fact;
mod flat;
mod hardware;
mod hex;
mod invocation;
pub mod json;
mod machine;
mod measured;
mod memory;
mod moments;
mod newer_schema;
mod power_sensor;
mod record;
pub mod recording;
pub mod report_words;
mod resumed;
mod run;
mod samples;
mod soc_choice;
pub mod soc_temperature;
mod source;
mod stable_sort;
pub mod statistics;
mod step;
mod stream;
mod survey;
pub mod table;
mod tagged;
mod total;
mod unrestored_setting;
mod vocabulary;

pub use aftermath::*;
pub use bound::WorkBound;
pub use colours::without_colours;
pub use cpu_list::*;
pub use errno::errno_words;
pub use event::Event;
pub use fact::{Fact, Missing, MissingReason, Reading};
pub use flat::{DERIVED_KEYS, flatten, from_json};
pub use hardware::*;
pub use hex::hex;
pub use invocation::*;
pub use machine::*;
pub use measured::*;
pub use memory::*;
pub use power_sensor::{INPUT_MILLIVOLTS_MIN, PowerRole, PowerSensor, sensor_names, voltage_of};
pub use record::*;
pub use run::*;
pub use samples::*;
pub use source::*;
pub use stable_sort::StableSort;
pub use statistics::{Group, MedianInterval, RepetitionStats, StopReason, StoppingRule};
pub use step::*;
pub use stream::{VALUES_MAX, is_stream, nothing_known, read_stream, read_stream_within};
pub use survey::*;
pub use total::{Addend, Total};
pub use unrestored_setting::UnrestoredSetting;
pub use vocabulary::*;
