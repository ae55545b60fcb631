//! `sbc-bench snapshot`: this machine as one text file that `--root` can replay.

use super::Command;
use crate::args::groups::RootFlags;
use console::output;
use machine::Root;

/// Print a snapshot (.board file) of this machine
///
/// The snapshot holds this machine's /proc and /sys as text, without names, addresses and serial numbers, for bug
/// reports and for --root.
#[derive(Debug, clap::Args)]
pub(crate) struct Snapshot {
    #[command(flatten)]
    root: RootFlags,
}

impl Command for Snapshot {
    fn run(self: Box<Self>, root: &Root) -> anyhow::Result<u8> {
        output::print(&machine::snapshot(root))?;
        Ok(0)
    }
}
