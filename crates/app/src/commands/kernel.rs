//! `sbc-bench -k`, `sbc-bench inspect kernel`: verdict on the running kernel, or on that of a board file.

use super::Command;
use super::review::looked_at;
use crate::args::groups::RootFlags;
use console::{input, output};
use machine::Root;
use rules::kernel::{Eol, text, verdict};
use std::path::PathBuf;

/// Maximum size of a file of dates, above that of all products on endoflife.date.
const EOL_BYTES_MAX: u64 = 4 << 20;

/// Show the kernel's origin and support status
///
/// Also lists settings of the kernel that cost performance.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Kernel {
    /// Newer end-of-life dates: https://endoflife.date/api/linux.json, or a table like data/kernels.tsv
    #[arg(long, value_name = "FILE")]
    pub(crate) eol_file: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) root: RootFlags,
}

impl Command for Kernel {
    fn run(self: Box<Self>, root: &Root) -> anyhow::Result<u8> {
        let eol = match &self.eol_file {
            None => Eol::shipped(),
            Some(path) => {
                let bytes = input::read(path, EOL_BYTES_MAX)?;
                Eol::parse(&String::from_utf8_lossy(&bytes))
                    .map_err(|why| anyhow::anyhow!("{} contains no kernel end-of-life dates: {why}", path.display()))?
            }
        };
        // The health of disks is not needed for a kernel.
        let record = looked_at(root, machine::survey(root, 0));
        let verdict = verdict(&record, &eol);
        if self.json {
            let mut value = serde_json::to_value(&verdict)?;
            value["findings"] = explain::printed_findings(&verdict.findings);
            value["facts"] = serde_json::to_value(&record.surveys[0].kernel)?;
            record::flatten(&mut value);
            output::print_json(&value)?;
        } else {
            output::print_text(&text(&record, &verdict))?;
        }
        Ok(0)
    }
}
