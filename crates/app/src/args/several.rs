//! The verbs that look at several results: compare, results, site, trend, view.

use super::site::SiteArgs;
use super::view::ViewArgs;
use super::written::WrittenFlags;
use clap::{Args, Subcommand};
use explain::results::{Filter, USUAL_ORDER};
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
        /// Results of your own to rank it against as well: logs, result files, directories of them, or the address of a hub
        ///
        /// Those in /var/lib/sbc-bench/references (of a user: ~/.local/state/sbc-bench/references) always count. What a hub lists is
        /// kept for when it does not answer.
        #[arg(long, value_name = "FILE|DIR|URL", num_args = 1..)]
        with: Vec<PathBuf>,
        #[command(flatten)]
        written: WrittenFlags,
    },
    /// Print a table of many results
    Results(ResultsArgs),
    /// Make a web site of many results
    ///
    /// Writes static pages with relative links: a table with filters, a page for each result, board, SoC and core type, and
    /// all data. What did not change since the last call is not written again.
    Site(SiteArgs),
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
    /// Show results in a browser
    ///
    /// Serves a table, a page for each result, comparisons and the files themselves, on loopback only and at an address with
    /// a random token, until Ctrl-C. To see them from another computer: ssh -L PORT:127.0.0.1:PORT BOARD.
    View(ViewArgs),
}

/// A table of many results.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct ResultsArgs {
    /// Logs or result files; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Sort by 7zip-multi, 7zip-single, aes, clock, device, khs, memcpy or memset
    #[arg(long, value_name = "KEY", default_value = USUAL_ORDER)]
    pub(crate) sort: String,
    /// Output format: md, csv, json, html, or text for a terminal [default: md]
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Print the table as JSON (same as --format json)
    #[arg(long)]
    json: bool,
    /// Write an HTML page to FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "json"])]
    pub(crate) html: Option<PathBuf>,
    /// Only results of SoCs with this text in their name
    #[arg(long, value_name = "TEXT")]
    soc: Option<String>,
    /// Only results of boards with this text in their name
    #[arg(long, value_name = "TEXT")]
    board: Option<String>,
    /// Only results of this day or later
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    since: Option<String>,
    /// Only results whose verdict is valid
    #[arg(long)]
    valid: bool,
}

impl ResultsArgs {
    /// The format that was asked for.
    ///
    /// # Errors
    /// One sentence: it was asked for two.
    pub(crate) fn format(&self) -> anyhow::Result<&str> {
        match (self.format.as_deref(), self.json) {
            (None | Some("json"), true) => Ok("json"),
            (Some(other), true) => anyhow::bail!("--json cannot be combined with --format {other}."),
            (given, false) => Ok(given.unwrap_or("md")),
        }
    }

    /// Which results are wanted.
    pub(crate) fn filter(&self) -> Filter {
        Filter { soc: self.soc.clone(), board: self.board.clone(), since: self.since.clone(), valid: self.valid }
    }
}

/// A day as `2026-11-23`.
fn day(text: &str) -> Result<String, String> {
    let day = text.parse::<jiff::civil::Date>().map_err(|_| "must be a day such as 2026-11-23".to_owned())?;
    Ok(day.to_string())
}
