//! Arguments of `update`.

use clap::Args;
use std::path::PathBuf;

/// Where the newer program is, and what its signature is verified with.
#[derive(Debug, Clone, Default, PartialEq, Args)]
pub(crate) struct UpdateArgs {
    /// Address of the release: https://..., or http:// on this host [default: that of the project, if it is built in]
    #[arg(long, value_name = "URL")]
    pub(crate) from: Option<String>,
    /// Public key of minisign that the release is signed with [default: that of the project, if it is built in]
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// Only say what would be installed; exit with 1 if there is something newer
    #[arg(long)]
    pub(crate) check: bool,
    /// Do not ask for confirmation
    #[arg(long, short, conflicts_with = "check")]
    pub(crate) yes: bool,
}
