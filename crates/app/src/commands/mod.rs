//! One file for each verb: its flags and what it does.

pub(crate) mod ab;
pub(crate) mod compare;
pub(crate) mod doctor;
pub(crate) mod efficiency;
pub(crate) mod explain;
pub(crate) mod identify;
pub(crate) mod inspect;
pub(crate) mod kernel;
pub(crate) mod known;
pub(crate) mod list;
pub(crate) mod many;
pub(crate) mod mark;
pub(crate) mod measure;
pub(crate) mod monitor;
mod plain;
pub(crate) mod recover;
pub(crate) mod redact;
pub(crate) mod restore;
pub(crate) mod results;
mod resume;
pub(crate) mod review;
pub(crate) mod run;
pub(crate) mod sending;
pub(crate) mod sensitivity;
pub(crate) mod site;
pub(crate) mod snapshot;
mod start;
pub(crate) mod storage;
pub(crate) mod thermal;
pub(crate) mod tools;
pub(crate) mod trend;
pub(crate) mod update;
pub(crate) mod upload;
pub(crate) mod view;
pub(crate) mod workloads;

use crate::args::Environment;
use crate::args::run::RunArgs;
use machine::Root;
use std::fmt::Debug;

/// Something to do, with valid arguments.
pub(crate) trait Command: Debug {
    /// True if runs that died are recovered before it starts.
    fn recovers_first(&self) -> bool {
        true
    }

    /// Does it and returns the exit status.
    fn run(self: Box<Self>, root: &Root) -> anyhow::Result<u8>;

    /// The benchmark run that it starts, if it can be resumed.
    fn into_run(self: Box<Self>) -> Option<RunArgs> {
        None
    }
}

/// A valid command, or one sentence about what is wrong with the arguments or a variable.
pub(crate) type Checked = Result<Box<dyn Command>, String>;

/// The flags of a verb.
pub(crate) trait Verb {
    /// Checks what the parser cannot.
    fn checked(self, environment: &Environment) -> Checked;
}

/// Flags that the parser checks completely are the command.
impl<C: Command + 'static> Verb for C {
    fn checked(self, _: &Environment) -> Checked {
        Ok(Box::new(self))
    }
}

/// The verbs of the command line: a line for each file.
macro_rules! verbs {
    ($($verb:ident($flags:ty)),* $(,)?) => {
        /// A verb with its flags.
        #[derive(Debug, clap::Subcommand)]
        pub(crate) enum Verbs {
            $($verb($flags)),*
        }

        impl Verb for Verbs {
            fn checked(self, environment: &Environment) -> Checked {
                match self {
                    $(Self::$verb(flags) => flags.checked(environment)),*
                }
            }
        }
    };
}

verbs! {
    Run(run::Run),
    Ab(ab::AbFlags),
    Sensitivity(sensitivity::SensitivityFlags),
    Thermal(thermal::ThermalFlags),
    Efficiency(efficiency::EfficiencyFlags),
    Measure(measure::Measure),
    Monitor(monitor::MonitorVerb),
    Inspect(inspect::Inspect),
    Explain(explain::Explain),
    Compare(compare::Compare),
    Results(results::Results),
    View(view::View),
    Review(review::ReviewFlags),
    Redact(redact::Redact),
    Upload(upload::Upload),
    Update(update::Update),
    Recover(recover::Recover),
    Guard(restore::Guard),
    List(list::List),
    InstallTools(tools::InstallTools),
    Snapshot(snapshot::Snapshot),
    Completions(list::Completions),
    Manual(list::Manual),
}
