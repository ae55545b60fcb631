//! A hub on PostgreSQL on the controller, to which a play sends its results.

use super::board::HOME;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Starts both, which end with the namespaces. The spool of unsent results is `/var/lib` of the controller.
const START: &str = include_str!("hub.sh");

/// A running hub.
pub(super) struct Hub {
    programs: PathBuf,
}

/// Folder of the newest PostgreSQL.
pub(super) fn postgres() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let folders = versions.map(|version| version.path().join("bin"));
    folders.filter(|folder| folder.join("initdb").exists() && folder.join("psql").exists()).max()
}

impl Hub {
    pub(super) fn start(binary: &Path) -> Result<Self> {
        let programs = postgres().context("PostgreSQL is missing (package postgresql)")?;
        let mut script = Command::new("timeout");
        script.args(["60", "sh", "-c", START, "hub"]).arg(&programs).arg(binary.canonicalize()?);
        let status = script.status().context("timeout (of coreutils)")?;
        let log = || fs::read_to_string(format!("{HOME}/hub.log")).unwrap_or_default();
        ensure!(status.success(), "the hub did not start: {}", log());
        Ok(Self { programs })
    }

    /// Variables of a play that sends results to the hub with this program.
    pub(super) fn variables(program: &Path) -> String {
        let token = format!("{HOME}/hub.token");
        serde_json::json!({
            "sbc_bench_hub": "http://127.0.0.1:8321", "sbc_bench_hub_token": token, "sbc_bench_local": program,
        })
        .to_string()
    }

    /// Number of listed results, and of their machines.
    pub(super) fn results(&self) -> Result<[usize; 2]> {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["-At", "-F", " ", "-h", "/mnt/pg", "-U", "hub", "-d", "hub", "-c"]);
        psql.arg("SELECT count(*), count(DISTINCT alias) FROM result WHERE listed = 1");
        let numbers: Result<Vec<usize>, _> =
            crate::workspace::said(&mut psql)?.split_whitespace().map(str::parse).collect();
        numbers?.try_into().ok().context("psql gave no two numbers")
    }
}
