//! The Record itself: everything that was measured, set, seen or missed in one run.

use crate::{
    Fact, Gate, KernelMessage, Machine, Mark, Missing, Probe, Run, Samples, SettingChange, Source, State, Step, Survey,
    UnmetSetting, WorkloadName, soc_choice::SocTemperature,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the Record's layout. It rises when a reader of the old layout would misread the new
/// one; added fields with a default do not raise it.
pub const SCHEMA_VERSION: u32 = 1;

/// One run of the benchmark, or one log of the bash program turned into the same shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// [`SCHEMA_VERSION`] of the program that wrote this.
    pub schema: u32,
    /// Which program made this, and for a log what could not be read of it.
    pub source: Source,
    /// When, how and with which options it ran, and how it ended.
    pub run: Run,
    /// The busy gate and the other checks before the start.
    pub gate: Fact<Gate>,
    /// What it ran on.
    pub machine: Machine,
    /// State of memory, swap and kernel statistics before the first and after the last step.
    #[serde(default)]
    pub states: Vec<State>,
    /// Every setting that was changed, in order, and how its restoration went.
    #[serde(default)]
    pub settings: Vec<SettingChange>,
    /// Every setting that was wanted and was not in force.
    #[serde(default)]
    pub unmet_settings: Vec<UnmetSetting>,
    /// Every step in the order in which it ran.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// What the background sampler saw.
    #[serde(default)]
    pub samples: Samples,
    /// Which of the channels stands for the temperature of the SoC, and why. Older runs and logs do not say it:
    /// [`crate::soc_temperature::of`] chooses for them.
    #[serde(default, skip_serializing_if = "Fact::is_not_reached")]
    pub soc_temperature: Fact<SocTemperature>,
    /// Marks added during the run.
    #[serde(default)]
    pub marks: Vec<Mark>,
    /// Kernel messages that appeared during the run.
    pub kernel_messages: Fact<Vec<KernelMessage>>,
    /// What looks over the machine found: before the first step, and after the last one.
    #[serde(default)]
    pub surveys: Vec<Survey>,
    /// Steps that were run to learn what each setting gives.
    #[serde(default)]
    pub probes: Vec<Probe>,
    /// What is there and could not be read, by any part of the program: each path once, the first hundred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Missing>,
}

impl Record {
    /// An empty Record of a run of this program: everything not yet known is missing with
    /// the reason that the run did not get that far.
    pub fn new(source: Source, run: Run) -> Self {
        Self {
            schema: SCHEMA_VERSION,
            source,
            run,
            gate: Fact::not_reached(),
            machine: Machine::default(),
            states: Vec::new(),
            settings: Vec::new(),
            unmet_settings: Vec::new(),
            steps: Vec::new(),
            samples: Samples::default(),
            soc_temperature: Fact::not_reached(),
            marks: Vec::new(),
            kernel_messages: Fact::not_reached(),
            surveys: Vec::new(),
            probes: Vec::new(),
            unread: Vec::new(),
        }
    }

    /// Steps of one workload, in order.
    pub fn steps_of(&self, workload: impl Into<WorkloadName>) -> impl Iterator<Item = &Step> {
        let workload = workload.into();
        let steps = self.steps.iter();
        steps.filter(move |step| step.workload == workload)
    }
}
