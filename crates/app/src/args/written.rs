//! Output format of texts about several results, and the file of a page.

use clap::ValueEnum;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// For a terminal.
    Text,
    /// Markdown, for reviews and issue trackers.
    Md,
    /// Comma-separated values with all digits.
    Csv,
    /// JSON.
    Json,
    /// A page.
    Html,
}

#[derive(Debug, Clone, PartialEq, clap::Args)]
pub(crate) struct WrittenFlags {
    /// Output format [default: text; of a table of results in a file or pipe: md]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Form>,
    /// Print the result as JSON (same as --format json)
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write an HTML page to FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "json"])]
    html: Option<PathBuf>,
}

impl WrittenFlags {
    /// The format, and the file if it is not printed.
    pub(crate) fn form(&self, usual: Form) -> (Form, Option<&Path>) {
        match (&self.html, self.json) {
            (Some(file), _) => (Form::Html, Some(file)),
            (None, true) => (Form::Json, None),
            (None, false) => (self.format.unwrap_or(usual), None),
        }
    }
}
