//! Options of a run that apply to every question. `app` reads them from the command line and the environment.

use machine::Caller;
use process::scratch::Targets;
use std::sync::Arc;
use std::time::Duration;

/// Options of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// `MODE=extensive`: run more steps.
    pub extensive: bool,
    /// `NotReadyYet=yes` disables workloads with published scores.
    pub scores: bool,
    /// Change governors and limits during the run. Disabled by `NOTUNING`, without root, and on anything but the
    /// running system.
    pub tune: bool,
    /// Upper limit of OPPs and clock (`MaxKHz`).
    pub clock_khz_max: Option<u32>,
    /// Lower limit of OPPs in the clock walk (`MinKHz`).
    pub clock_khz_min: Option<u32>,
    /// Maximum time that the gate waits for a quiet system.
    pub wait: Duration,
    /// Start although the system is busy.
    pub force: bool,
    /// `-c`: five minutes of the stress load.
    pub heat: bool,
    /// `-s`: also run the benchmark of Stockfish.
    pub stockfish: bool,
    /// Interval of the background sampler.
    pub interval: Duration,
    /// Power meters to poll, as `kind:host/output`.
    pub meters: Vec<String>,
    /// Names of sensors to ignore.
    pub ignored_sensors: Vec<String>,
    /// User who runs commands, if root was called by one; `None` runs them as root.
    pub user: Option<Arc<Caller>>,
    /// Directory and host of workloads that need them.
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
