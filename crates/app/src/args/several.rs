//! The verbs that look at several results: compare, results, trend.

use clap::Subcommand;
use std::path::PathBuf;

/// What is to be done with several results.
#[derive(Debug, Clone, PartialEq, Subcommand)]
pub(crate) enum Several {
    /// Rank one result among known boards, or set several side by side with likely causes
    Compare {
        /// Logs or Records; `-` is standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Tables of many results, as published lists have them
    Results {
        /// Logs or Records
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Column to sort by: 7zip-multi, 7zip-single, aes, clock, device, khs, memcpy, memset
        #[arg(long, value_name = "KEY", default_value = "device")]
        sort: String,
        /// md, csv, json or html
        #[arg(long, default_value = "md")]
        format: String,
    },
    /// Results of one machine by date, and where figures changed for good
    Trend {
        /// Logs or Records, at least four of each machine
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}
