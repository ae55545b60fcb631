//! Where the lines of README are typed: a folder with the program on its PATH, and results to look at.

use crate::outcome::text;
use crate::placed::write_script;
use std::path::Path;
use std::process::{Command, Stdio};
use testkit::Scratch;

/// A folder with the program on its PATH, removed at its end.
pub(super) struct CommandFolder(Scratch);

/// `sbc-bench` as README calls it: runs go to the log in this folder, begin at once, and set nothing.
const WRAPPER: &str = r#"#!/bin/sh
case $1 in
run | ab | sensitivity | thermal | efficiency)
    verb=$1; shift
    exec "$PROGRAM" "$verb" --force --quiet --log run.log "$@" ;;
'' | -c) exec "$PROGRAM" --force --quiet --log run.log "$@" ;;
esac
exec "$PROGRAM" "$@"
"#;

const OWN: &str = r#"[[workload]]
name = "quick"
command = "echo total 12"
cpus = "all"
score_regex = 'total (\S+)'
unit = "files/s"
better = "higher"
"#;

impl CommandFolder {
    /// A new one; no two tests share a name.
    pub(super) fn new(name: &str) -> Self {
        let path = Scratch::new(&format!("readme-{name}"));
        std::fs::create_dir_all(path.join("bin")).unwrap();
        let desk = Self(path);
        desk.program("sbc-bench", WRAPPER);
        desk.write("own.toml", OWN);
        let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../logs/src/fixtures/0.9.72-standard.txt");
        std::fs::copy(old, desk.0.join("old.log")).unwrap();
        desk
    }

    /// Writes a file into it.
    pub(super) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    /// Puts a program on its PATH.
    pub(super) fn program(&self, name: &str, text: &str) {
        write_script(self.0.join("bin").join(name), text);
    }

    /// Types a line; its output and exit status.
    pub(super) fn types(&self, line: &str) -> (String, i32) {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("sh");
        command
            .args(["-c", line])
            .current_dir(&*self.0)
            .env("PATH", format!("{}/bin:{path}", self.0.display()))
            .env("PROGRAM", env!("CARGO_BIN_EXE_sbc-bench"))
            .env("HOME", &*self.0)
            .env("STATE_DIRECTORY", self.0.join("state"))
            .env("XDG_RUNTIME_DIR", &*self.0)
            .envs([("NOTUNING", "yes"), testkit::HASTE])
            .stdin(Stdio::null());
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "MODE", "MaxKHz", "MinKHz", "CPUINFOFILE", "ExecuteCommand"] {
            command.env_remove(name);
        }
        let output = command.output().unwrap();
        let all = format!("{}\n{}", text(&output.stdout), text(&output.stderr));
        (all, output.status.code().unwrap_or(-1))
    }
}
