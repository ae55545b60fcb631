//! Options of the monitor: interval, view, recording, replay.

use machine::Caller;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Validated options of the monitor.
#[derive(Debug, Clone, PartialEq)]
pub struct MonitorArgs {
    /// Time between two samples; by default that of the view.
    pub interval: Option<Duration>,
    /// Number of samples after which the monitor ends.
    pub count: Option<u64>,
    /// By default the screen on large terminals, else lines.
    pub view: Option<View>,
    /// Recording to append to.
    pub record: Option<PathBuf>,
    /// File to replay instead of watching the machine.
    pub replay: Option<Replay>,
    /// Address to serve metrics at.
    pub prometheus: Option<SocketAddr>,
    /// Address to serve the page at.
    pub web: Option<SocketAddr>,
    /// File for node_exporter.
    pub textfile: Option<PathBuf>,
    /// Names of sensors that are not read.
    pub ignored_sensors: Vec<String>,
    /// Power meters to poll, as `kind:host/output`.
    pub meters: Vec<String>,
    /// User who called sudo; commands run as this user.
    pub user: Option<Caller>,
}

/// Content of a row of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonlRows {
    /// Values read at this time, without those of slow sources.
    Read,
    /// Latest value of every channel, and derived values.
    Full,
}

/// Display of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Classic lines.
    Lines,
    /// The whole screen.
    Screen,
    /// One JSON object per line.
    Jsonl(JsonlRows),
    /// No display.
    Nothing,
}

/// Replay of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// A recording, a Record, the stream of a run, or a log.
    pub file: PathBuf,
    /// Factor to the original speed; none for no delay.
    pub speed: Option<f64>,
    /// Time of the first row.
    pub seek: Duration,
}
