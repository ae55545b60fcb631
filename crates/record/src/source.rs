//! Who made a Record: this program, or a log of the bash program that was read back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The program behind a Record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Source {
    /// A run of this program.
    Run {
        /// Version of this program.
        version: String,
        /// Target triple it was built for, for example `aarch64-unknown-linux-musl`.
        target: String,
    },
    /// A text log.
    Log(Log),
}

impl Source {
    /// Version of the program; empty for logs older than 0.4.
    pub fn version(&self) -> &str {
        match self {
            Self::Run { version, .. } => version,
            Self::Log(log) => &log.version,
        }
    }
}

/// What only a text log has: its own words, and what could not be understood.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Log {
    /// Version in the header, for example `0.9.72`; empty for logs older than 0.4.
    pub version: String,
    /// Name of the board or host in the header.
    #[serde(default)]
    pub header_name: Option<String>,
    /// Number of lines of the log.
    pub lines: u32,
    /// Verdicts the log itself prints (section `Results validation` and others).
    #[serde(default)]
    pub verdicts: Vec<LogLine>,
    /// The summary line, as printed.
    #[serde(default)]
    pub summary: Option<LogLine>,
    /// Lines that could not be understood.
    #[serde(default)]
    pub unread: Vec<LogLine>,
    /// Free-text blocks kept whole for reports: `swapon`, `lscpu`, OPP tables, review sections ...
    #[serde(default)]
    pub blocks: Vec<LogBlock>,
    /// Lines that figures were read from, as printed, in their order: what a statement about a figure quotes. Long
    /// ones are cut, and not all are kept where there are many.
    #[serde(default)]
    pub cited: Vec<LogLine>,
}

impl Log {
    /// The text of a line by its number, as far as it was kept: a figure's, a verdict, the summary, or one that
    /// could not be understood.
    pub fn line(&self, number: u32) -> Option<&str> {
        let others = self.verdicts.iter().chain(&self.summary).chain(&self.unread);
        let found = || others.clone().find(|line| line.line == number).map(|line| line.text.as_str());
        let cited = self.cited.binary_search_by_key(&number, |line| line.line);
        cited.ok().map(|at| self.cited[at].text.as_str()).or_else(found)
    }
}

/// One line of a log and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogLine {
    /// Line number, from 1.
    pub line: u32,
    /// The line itself.
    pub text: String,
}

/// A block of lines under one heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogBlock {
    /// Line number of the heading, from 1.
    pub line: u32,
    /// What it is, for example `swapon`, `lscpu`, `opp-tables`.
    pub heading: String,
    /// Its lines.
    pub text: String,
}

impl LogBlock {
    /// Heading of the first lines of runs that stand before the last one in the same file.
    pub const EARLIER_RUNS: &str = "earlier runs in the same file (ignored)";
}
