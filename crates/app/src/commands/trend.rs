//! `sbc-bench trend`.

use std::path::PathBuf;
pub(crate) fn run(_files: &[PathBuf], _json: bool) -> anyhow::Result<u8> {
    Ok(0)
}
