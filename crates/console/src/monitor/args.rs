//! What the monitor shall do: how often, in which view, into which file, from which file.

use machine::Caller;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Watching, validated.
#[derive(Debug, Clone, PartialEq)]
pub struct MonitorArgs {
    /// Time between two samples; without it each view has its own default.
    pub interval: Option<Duration>,
    /// Stop after N samples.
    pub count: Option<u64>,
    /// How to show it; without it by what standard output is.
    pub view: Option<View>,
    /// Append everything to this file.
    pub record: Option<PathBuf>,
    /// Show this file instead of the machine.
    pub replay: Option<Replay>,
    /// Serve metrics here.
    pub prometheus: Option<SocketAddr>,
    /// Serve the page of the monitor here.
    pub web: Option<SocketAddr>,
    /// Write metrics into this file.
    pub textfile: Option<PathBuf>,
    /// Names of sensors that are not read.
    pub ignored_sensors: Vec<String>,
    /// Power meters to poll, as `kind:host/output`.
    pub meters: Vec<String>,
    /// The user whose commands are run, where root was called by one.
    pub user: Option<Caller>,
}

/// What a row of JSON holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonlRows {
    /// What was read at its moment: slow sources are not in every row.
    Read,
    /// The latest value of every channel, and what people look at.
    Full,
}

/// How samples are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Classic lines.
    Lines,
    /// The whole screen.
    Screen,
    /// One JSON object per line.
    Jsonl(JsonlRows),
    /// Not at all.
    Nothing,
}

/// What to show again.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// A recording, a Record, the stream of a run, or a log.
    pub file: PathBuf,
    /// So many times as fast as it was; none: as fast as it goes.
    pub speed: Option<f64>,
    /// Begin here.
    pub seek: Duration,
}
