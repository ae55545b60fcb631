//! How the user wants a run, regardless of its question, as the command line and the environment leave it. Not how it is read
//! from them (`app`), and not what is asked (`question`).

use machine::Caller;
use process::scratch::Targets;
use std::sync::Arc;
use std::time::Duration;

/// Options of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// `MODE=extensive`: more of everything.
    pub extensive: bool,
    /// `NotReadyYet=yes` switches the workloads off whose scores people publish.
    pub scores: bool,
    /// Change governors and limits for the time of the run. Off with `NOTUNING`, without root,
    /// and on anything but the running system.
    pub tune: bool,
    /// OPPs above are left out, and the clock stays at or below it (`MaxKHz`).
    pub clock_khz_max: Option<u32>,
    /// OPPs below are left out of the clock walk (`MinKHz`).
    pub clock_khz_min: Option<u32>,
    /// Maximum time that the gate waits for a quiet system.
    pub wait: Duration,
    /// Start although the system is busy.
    pub force: bool,
    /// `-c`: five minutes of a load that heats.
    pub heat: bool,
    /// `-s`: the bench of Stockfish as well.
    pub stockfish: bool,
    /// Interval of the background sampler.
    pub interval: Duration,
    /// Power meters to poll, as `kind:host/output`.
    pub meters: Vec<String>,
    /// Names of sensors that are not read.
    pub ignored_sensors: Vec<String>,
    /// The user whose commands are run, where root was called by one; none runs them as root.
    pub user: Option<Arc<Caller>>,
    /// Folder and host of workloads that need more than the machine.
    pub targets: Targets,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            extensive: false,
            scores: true,
            tune: true,
            clock_khz_max: None,
            clock_khz_min: None,
            wait: Duration::from_secs(120),
            force: false,
            heat: false,
            stockfish: false,
            interval: Duration::from_millis(500),
            meters: Vec::new(),
            ignored_sensors: Vec::new(),
            user: None,
            targets: Targets::default(),
        }
    }
}
