//! `sbc-bench inspect`: properties of this machine; changes and measures nothing.

use super::doctor::Doctor;
use super::identify::Identify;
use super::kernel::Kernel;
use super::review::Inspection;
use super::storage::Storage;
use super::{CommandResult, Verb};
use crate::args::Environment;
use crate::args::groups::RootFlags;

/// Show this machine, and settings that cost performance
///
/// Without WHAT it lists settings that cost performance: governors, links, cards, swap, firmware. Changes nothing and
/// measures nothing.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Inspect {
    #[command(subcommand)]
    what: Option<Subject>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootFlags,
}

#[derive(Debug, clap::Subcommand)]
#[command(subcommand_value_name = "WHAT", subcommand_help_heading = "What")]
enum Subject {
    Identify(Identify),
    Kernel(Kernel),
    Storage(Storage),
    Doctor(Doctor),
}

impl Verb for Inspect {
    fn checked(self, _: &Environment) -> CommandResult {
        match self.what {
            None => Ok(Box::new(Inspection { json: self.json, log: None })),
            Some(Subject::Identify(identify)) => Ok(Box::new(identify)),
            Some(Subject::Kernel(kernel)) => Ok(Box::new(kernel)),
            Some(Subject::Storage(storage)) => Ok(Box::new(storage)),
            Some(Subject::Doctor(doctor)) => Ok(Box::new(doctor)),
        }
    }
}
