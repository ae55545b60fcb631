//! The stream behind a Record: what is appended to disk while a run goes on.
//!
//! A run that freezes or loses power leaves the events written until then (in the form of
//! [`crate::recording`]); folding them gives a Record that ends where the run died
//! ([`crate::End::Died`], [`crate::DiedIn`]).

mod applied;

pub(crate) use applied::Restores;

use crate::soc_temperature::SocTemperature;
use crate::{
    Channel, ChannelId, End, Fact, Gap, Gate, KernelMessage, Machine, Mark, Missing, Probe, Restored, Run, SamplerCost,
    SettingChange, Source, State, Step, Survey, UnmetSetting,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The first line of every run.
    Started {
        /// Layout of the Record.
        schema: u32,
        /// The program.
        source: Source,
        /// When and how.
        run: Box<Run>,
    },
    /// The gate was passed or refused.
    Gate {
        /// What it saw.
        gate: Gate,
    },
    /// The machine was identified.
    Machine {
        /// What was found.
        machine: Box<Machine>,
    },
    /// A look over the machine.
    Survey {
        /// What was found.
        survey: Box<Survey>,
    },
    /// A step that was run to learn what a setting gives has ended.
    Probe {
        /// The step and what was raised.
        probe: Box<Probe>,
    },
    /// State of memory, swap and statistics at one moment.
    State {
        /// The state.
        state: State,
    },
    /// A setting was changed.
    SettingChanged {
        /// What was changed.
        change: SettingChange,
    },
    /// A setting is not as it was wanted.
    SettingUnmet {
        /// What was wanted and what is.
        unmet: UnmetSetting,
    },
    /// A setting was put back, or not.
    SettingRestored {
        /// The file.
        path: String,
        /// How it went.
        restored: Restored,
    },
    /// A stage begins, and the one before it is done.
    StageBegins {
        /// What it is.
        stage: String,
    },
    /// A step begins: where a run died, if nothing comes behind it.
    StepBegins {
        /// Workload and variant.
        step: String,
        /// Which repetition, from 0.
        #[serde(default)]
        repetition: u32,
        /// When.
        #[serde(deserialize_with = "crate::moments::one")]
        at_ms: i64,
    },
    /// A step has ended.
    Step {
        /// The step.
        step: Box<Step>,
    },
    /// The sampler knows its channels. Values of the channels are empty here.
    Channels {
        /// Interval in milliseconds.
        interval_ms: u64,
        /// The channels.
        channels: Vec<Channel>,
    },
    /// A block of samples, column by column in the order of the channels.
    Samples {
        /// Moments.
        #[serde(deserialize_with = "crate::moments::many")]
        at_ms: Vec<i64>,
        /// One column for each channel.
        columns: Vec<Vec<Option<i64>>>,
    },
    /// Which channel stands for the temperature of the SoC from now on; the last one counts.
    SocTemperature {
        /// The channel and why, or why there is none.
        choice: Fact<SocTemperature>,
    },
    /// A channel went silent.
    Gap {
        /// Id of the channel.
        channel: ChannelId,
        /// Since when and why.
        gap: Gap,
    },
    /// What the sampling cost so far.
    SamplerCost {
        /// The cost.
        cost: SamplerCost,
    },
    /// A mark was added.
    Mark {
        /// What and when.
        mark: Mark,
    },
    /// Something is there and could not be read.
    Unread {
        /// What, and why.
        missing: Missing,
    },
    /// Kernel messages that appeared, or why they cannot be read.
    KernelMessages {
        /// The messages.
        messages: Fact<Vec<KernelMessage>>,
    },
    /// The time of day was set, and the run began at another one than was thought.
    TimeSet {
        /// Its start, in milliseconds since 1970.
        started: i64,
    },
    /// The last line of every run that ended.
    Ended {
        /// How.
        end: End,
        /// Length in milliseconds.
        elapsed_ms: u64,
    },
}
