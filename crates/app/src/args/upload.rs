//! Arguments of `upload`.

use clap::Args;
use std::path::PathBuf;

/// What is to be sent, and where.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct UploadArgs {
    /// Logs of any sbc-bench version, result files, streams, recordings [default: what was not sent before]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Address of the hub: https://HOST, or http:// on this host
    #[arg(long, value_name = "URL", env = "SBC_BENCH_HUB")]
    pub(crate) to: String,
    /// File with the token of the hub
    #[arg(long, value_name = "FILE", env = "SBC_BENCH_HUB_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// List the results, so that all people find them
    #[arg(long)]
    pub(crate) publish: bool,
    /// Name of this machine on the hub, for its history [default: its board and cores]
    #[arg(long, value_name = "NAME")]
    pub(crate) machine: Option<String>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub(crate) yes: bool,
}
