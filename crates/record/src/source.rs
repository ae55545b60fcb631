//! Origin of a Record: this program, or a log of the bash program.

use crate::tagged::tagged;
use serde::{Deserialize, Serialize};

tagged! { "kind", "Source",
/// Program that created a Record.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Source {
    /// Run of this program.
    Run {
        /// Version of this program.
        version: String,
        /// Target triple of the build, for example `aarch64-unknown-linux-musl`.
        target: String,
    },
    /// Text log.
    Log(Log),
}
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

/// Data of text logs only: printed lines, and unreadable ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Log {
    /// Version in the header, for example `0.9.72`; empty for logs older than 0.4.
    pub version: String,
    /// Name of the board or host in the header.
    #[serde(default)]
    pub header_name: Option<String>,
    /// Number of lines of the log.
    pub lines: u32,
    /// Verdicts printed by the log (section `Results validation` and others).
    #[serde(default)]
    pub verdicts: Vec<LogLine>,
    /// The summary line, as printed.
    #[serde(default)]
    pub summary: Option<LogLine>,
    /// Unreadable lines.
    #[serde(default)]
    pub unread: Vec<LogLine>,
    /// Free-text blocks for reports: `swapon`, `lscpu`, OPP tables, review sections ...
    #[serde(default)]
    pub blocks: Vec<LogBlock>,
    /// Lines with figures, as printed, in order, for quotations. Long lines are cut, and not all are kept if there are
    /// many.
    #[serde(default)]
    pub cited: Vec<LogLine>,
}

impl Log {
    /// Text of a line by its number, if it was kept: figures, verdicts, the summary, and unreadable lines.
    pub fn line(&self, number: u32) -> Option<&str> {
        let others = self.verdicts.iter().chain(&self.summary).chain(&self.unread);
        let found = || others.clone().find(|line| line.line == number).map(|line| line.text.as_str());
        let cited = self.cited.binary_search_by_key(&number, |line| line.line);
        cited.ok().map(|at| self.cited[at].text.as_str()).or_else(found)
    }
}

/// Line of a log with its number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogLine {
    /// Line number, from 1.
    pub line: u32,
    /// Text of the line.
    pub text: String,
}

/// Block of lines below a heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LogBlock {
    /// Line number of the heading, from 1.
    pub line: u32,
    /// Kind of block, for example `swapon`, `lscpu`, `opp-tables`.
    pub heading: String,
    /// Its lines.
    pub text: String,
}
