//! `view`: results as pages in a browser of this machine.

use clap::Args;
use std::path::PathBuf;

/// What is shown, and where.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct ViewArgs {
    /// Logs of any sbc-bench version, result files or recordings; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Open the address in the browser of this desktop (xdg-open)
    #[arg(long)]
    pub(crate) open: bool,
    /// Port to serve on, always on loopback [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
}
