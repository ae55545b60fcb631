//! `sbc-bench snapshot`: this machine as one text file that `--root` can replay.

use crate::output;
use machine::Root;

pub(crate) fn run(root: &Root) -> anyhow::Result<u8> {
    output::print(&machine::snapshot(root))?;
    Ok(0)
}
