//! The verbs that look at several results: compare, results, trend.

use super::written::WrittenFlags;
use clap::Subcommand;
use std::path::PathBuf;

/// What is to be done with several results.
#[derive(Debug, Clone, PartialEq, Subcommand)]
pub(crate) enum FileCommand {
    /// Rank one result or compare several
    ///
    /// One result is ranked against known boards; several are compared, with the likely causes of differences.
    Compare {
        /// Logs or result files; `-` reads standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Results of your own to rank it against as well: logs, result files, or directories of them
        ///
        /// Those in /var/lib/sbc-bench/references (of a user: ~/.local/state/sbc-bench/references) always count.
        #[arg(long, value_name = "FILE|DIR", num_args = 1..)]
        with: Vec<PathBuf>,
        #[command(flatten)]
        written: WrittenFlags,
    },
    /// Print a table of many results
    Results {
        /// Logs or result files; `-` reads standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Sort by 7zip-multi, 7zip-single, aes, clock, device, khs, memcpy or memset
        #[arg(long, value_name = "KEY", default_value = "device")]
        sort: String,
        /// Output format: md, csv, json or html [default: md]
        #[arg(long, value_name = "FORMAT")]
        format: Option<String>,
        /// Print the table as JSON (same as --format json)
        #[arg(long)]
        json: bool,
    },
    /// Show where figures of a machine changed permanently
    ///
    /// Lists the results of each machine by date.
    Trend {
        /// Logs or result files; at least four per machine are needed
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        written: WrittenFlags,
    },
}
