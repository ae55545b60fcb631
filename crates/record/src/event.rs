//! Events of a Record's stream, which are appended to disk during a run.
//!
//! A run that freezes or loses power leaves the events written so far (in the format of [`crate::recording`]); applying
//! them gives a Record that ends where the run died ([`crate::End::Died`], [`crate::DeathPoint`]).

mod apply;

pub(crate) use apply::SettingRestores;

use crate::soc_temperature::SocTemperature;
use crate::tagged::tagged;
use crate::{
    Channel, ChannelId, End, Fact, Gap, Gate, KernelMessage, Machine, Mark, Missing, Probe, RestoreOutcome, Run,
    SamplerCost, SettingChange, Source, State, Step, Survey, UnmetSetting,
};

tagged! { "event", "Event",
/// An event of a run.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Event {
    /// First event of every run.
    Started {
        /// Version of the Record's layout.
        schema: u32,
        /// The program.
        source: Source,
        /// Time and options of the run.
        run: Box<Run>,
    },
    /// The idle check passed or failed.
    Gate {
        /// Result of the idle check.
        gate: Gate,
    },
    /// The machine was identified.
    Machine {
        /// Description of the machine.
        machine: Box<Machine>,
    },
    /// The machine was inspected.
    Survey {
        /// Result of the inspection.
        survey: Box<Survey>,
    },
    /// A step that measures the gain of a setting has ended.
    Probe {
        /// The step and the changed settings.
        probe: Box<Probe>,
    },
    /// State of memory, swap and statistics at one moment.
    State {
        /// The state.
        state: State,
    },
    /// A setting was changed.
    SettingChanged {
        /// Change of the setting.
        change: SettingChange,
    },
    /// A setting does not have the wanted value.
    SettingUnmet {
        /// Wanted and actual value.
        unmet: UnmetSetting,
    },
    /// A setting was restored, or the restoration failed.
    SettingRestored {
        /// The file.
        path: String,
        /// Outcome of the restoration.
        restored: RestoreOutcome,
    },
    /// A stage begins; the previous one is complete.
    StageBegins {
        /// Name of the stage.
        stage: String,
    },
    /// A step begins. The run died in it if this is the last event.
    StepBegins {
        /// Workload and variant.
        step: String,
        /// Index of the run, from 0.
        #[serde(default)]
        repetition: u32,
        /// Time of the start.
        #[serde(deserialize_with = "crate::moments::one")]
        at_ms: i64,
    },
    /// A step has ended.
    Step {
        /// The step.
        step: Box<Step>,
    },
    /// The sampler has discovered its channels, which have no values yet.
    Channels {
        /// Interval in milliseconds.
        interval_ms: u64,
        /// The channels.
        channels: Vec<Channel>,
    },
    /// A block of samples with a column per channel.
    Samples {
        /// Times of the samples.
        #[serde(deserialize_with = "crate::moments::many")]
        at_ms: Vec<i64>,
        /// One column per channel.
        columns: Vec<Vec<Option<i64>>>,
    },
    /// Choice of the channel for the SoC temperature; the last one is valid.
    SocTemperature {
        /// Channel with the reason, or the reason for no choice.
        choice: Fact<SocTemperature>,
    },
    /// A channel stopped reporting.
    Gap {
        /// Id of the channel.
        channel: ChannelId,
        /// Start and reason.
        gap: Gap,
    },
    /// Overhead of sampling so far.
    SamplerCost {
        /// Overhead.
        cost: SamplerCost,
    },
    /// A mark was added.
    Mark {
        /// Text and time of the mark.
        mark: Mark,
    },
    /// A source exists but cannot be read.
    Unread {
        /// Source and reason.
        missing: Missing,
    },
    /// New kernel messages, or the reason why they cannot be read.
    KernelMessages {
        /// The messages.
        messages: Fact<Vec<KernelMessage>>,
    },
    /// The system time was set, so the start of the run was corrected.
    TimeSet {
        /// Corrected start, in milliseconds since 1970.
        started: i64,
    },
    /// Last event of every run that ended.
    Ended {
        /// Reason of the end.
        end: End,
        /// Length in milliseconds.
        elapsed_ms: u64,
    },
}
}
