//! Options of uploads to a hub.

use super::groups::chosen;
use std::path::PathBuf;

/// Options of every upload.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct SendFlags {
    /// File with the token of the hub
    #[arg(long, value_name = "FILE", env = "SBC_BENCH_HUB_TOKEN_FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// List the result on the hub, so that all people find it
    #[arg(long, requires = "hub")]
    pub(crate) publish: bool,
    /// Name of this machine on the hub, for its history [default: its board and cores]
    #[arg(long, value_name = "NAME", requires = "hub")]
    pub(crate) machine: Option<String>,
    /// Do not ask for confirmation
    #[arg(long, short, requires = "hub")]
    pub(crate) yes: bool,
}

/// Upload of the result of a run.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct RunUploadFlags {
    /// Redact the result, ask, and send it to this hub: https://HOST, or http:// on this host
    #[arg(id = "hub", long = "upload", value_name = "URL")]
    pub(crate) to: Option<String>,
    #[command(flatten)]
    pub(crate) how: SendFlags,
}

impl RunUploadFlags {
    /// Names of the given options.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        chosen([(self.to.is_some(), "--upload")])
    }
}
