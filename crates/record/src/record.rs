//! The Record: measurements, settings, observations and missing values of one run.

use crate::{
    Fact, Gate, KernelMessage, Machine, Mark, Missing, Probe, Run, Samples, SettingChange, Source, State, Step, Survey,
    UnmetSetting, WorkloadName, soc_choice::SocTemperature,
};
use serde::{Deserialize, Serialize};

/// Version of the Record's layout. Raised when a reader of the old layout would misread the new one; new fields with a
/// default do not raise it.
pub const SCHEMA_VERSION: u32 = 1;

/// A run of the benchmark, or a log of the bash program in the same form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Record {
    /// [`SCHEMA_VERSION`] of the program that wrote it.
    pub schema: u32,
    /// Program that created it, and for a log the lines that could not be read.
    pub source: Source,
    /// Time, options and end of the run.
    pub run: Run,
    /// Idle check and other checks before the start.
    pub gate: Fact<Gate>,
    /// Machine of the run.
    pub machine: Machine,
    /// State of memory, swap and kernel statistics before the first and after the last step.
    #[serde(default)]
    pub states: Vec<State>,
    /// All changed settings, in order, with the outcome of their restoration.
    #[serde(default)]
    pub settings: Vec<SettingChange>,
    /// All settings that could not be set as wanted.
    #[serde(default)]
    pub unmet_settings: Vec<UnmetSetting>,
    /// All steps in the order of the run.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// Data of the background sampler.
    #[serde(default)]
    pub samples: Samples,
    /// Channel of the SoC temperature, with the reason. Missing in older runs and logs; [`crate::soc_temperature::of`]
    /// chooses for them.
    #[serde(default, skip_serializing_if = "Fact::is_not_reached")]
    pub soc_temperature: Fact<SocTemperature>,
    /// Marks added during the run.
    #[serde(default)]
    pub marks: Vec<Mark>,
    /// Kernel messages that appeared during the run.
    pub kernel_messages: Fact<Vec<KernelMessage>>,
    /// Inspections: before the first step, and after the last one.
    #[serde(default)]
    pub surveys: Vec<Survey>,
    /// Steps that measure the gain of each setting.
    #[serde(default)]
    pub probes: Vec<Probe>,
    /// Sources that exist but could not be read: each path once, the first hundred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Missing>,
}

impl Record {
    /// Record of a run that has just started: all other values are missing because the run has not reached them.
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
