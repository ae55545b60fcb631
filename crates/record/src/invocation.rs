//! Data for resuming a run that died: its command line and its progress.

use crate::{Aftermath, Fact};
use serde::{Deserialize, Serialize};

/// Command that started a run, needed to resume it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Invocation {
    /// Arguments after the program name.
    pub command_line: Vec<String>,
    /// Environment variables that affect the program, as `NAME=value`.
    pub variables: Vec<String>,
    /// Working directory.
    pub folder: String,
    /// The calling user, if different from the user of the run.
    pub user: Option<String>,
}

/// Stage of a run that has begun; it is complete when the next one begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StartedStage {
    /// Name, the same whenever the same run is started.
    pub stage: String,
    /// Index of its first step.
    pub first_step: usize,
}

/// End of a run that died: current step, last event, and findings of the next start.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeathPoint {
    /// Step that had begun but not ended: workload and variant; `None` between steps.
    pub step: Option<String>,
    /// Index of the run of this step, from 0.
    #[serde(default)]
    pub repetition: u32,
    /// Start of that step.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub began_ms: Option<i64>,
    /// Time of the last event in the stream. Streams are written every second.
    #[serde(deserialize_with = "crate::moments::one")]
    pub at_ms: i64,
    /// Findings of the next start; missing until then.
    pub aftermath: Fact<Aftermath>,
    /// The signal that stopped this part, for example SIGINT of Ctrl-C; `None` if nothing announced the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
}

/// A resumption of a run that died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Resumption {
    /// End of the previous part, with findings.
    pub died_in: DeathPoint,
    /// Boot id of the previous part.
    pub boot_id: String,
    /// Start of the next part.
    #[serde(deserialize_with = "crate::moments::one")]
    pub at_ms: i64,
    /// Time between the parts by the machine's clock; `None` if it was reset.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub away_ms: Option<i64>,
}
