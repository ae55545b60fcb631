//! `sbc-bench inspect`: properties of this machine; changes and measures nothing.

use super::doctor::Doctor;
use super::identify::Identify;
use super::kernel::Kernel;
use super::review::Inspection;
use super::storage::Storage;
use super::{Checked, Verb};
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
    what: Option<What>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    root: RootFlags,
}

#[derive(Debug, clap::Subcommand)]
#[command(subcommand_value_name = "WHAT", subcommand_help_heading = "What")]
enum What {
    Identify(Identify),
    Kernel(Kernel),
    Storage(Storage),
    Doctor(Doctor),
}

impl Verb for Inspect {
    fn checked(self, _: &Environment) -> Checked {
        match self.what {
            None => Ok(Box::new(Inspection { json: self.json, log: None })),
            Some(What::Identify(identify)) => Ok(Box::new(identify)),
            Some(What::Kernel(kernel)) => Ok(Box::new(kernel)),
            Some(What::Storage(storage)) => Ok(Box::new(storage)),
            Some(What::Doctor(doctor)) => Ok(Box::new(doctor)),
        }
    }
}
