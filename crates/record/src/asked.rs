//! What a run keeps so that it can go on after a death: what was typed, and how far it had come.

use crate::{Aftermath, Fact};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was typed to start a run: what it was asked for, and how it is resumed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Asked {
    /// The words behind the name of the program.
    pub command_line: Vec<String>,
    /// The variables that mean something to it, as `NAME=value`.
    pub variables: Vec<String>,
    /// The folder in which it was typed.
    pub folder: String,
    /// The user who called, where that was not the user as whom it ran.
    pub user: Option<String>,
}

/// A stage of a run that has begun; when the next one begins it is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageBegun {
    /// What it is, in words that are the same whenever the same run is started.
    pub stage: String,
    /// Index of its first step.
    pub first_step: usize,
}

/// The end of a run that has none: what ran, the last sign of life, and what the next start found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiedIn {
    /// The step that had begun and not ended: workload and variant; none between steps.
    pub step: Option<String>,
    /// Which repetition of it, from 0.
    #[serde(default)]
    pub repetition: u32,
    /// When that step began.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub began_ms: Option<i64>,
    /// The last moment of which the stream knows anything. A stream is written every second.
    #[serde(deserialize_with = "crate::moments::one")]
    pub at_ms: i64,
    /// What was found by the start that noticed; missing until one has looked.
    pub aftermath: Fact<Aftermath>,
}

/// Where a run died and went on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resumed {
    /// Where it had died, and what was found afterwards.
    pub died_in: DiedIn,
    /// Boot id of the part that died.
    pub boot_id: String,
    /// When the next part began.
    #[serde(deserialize_with = "crate::moments::one")]
    pub at_ms: i64,
    /// How long nothing ran, by the clock of the machine; none if it was reset.
    #[serde(deserialize_with = "crate::moments::maybe", default)]
    pub away_ms: Option<i64>,
}
