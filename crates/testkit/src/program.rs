//! The program as tests start it: the one place that knows which of the caller's variables would
//! change what it does.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// What the program itself, or sudo, reads from the environment.
const READ: [&str; 19] = [
    "CPUINFOFILE",
    "DOAS_USER",
    "ExecuteCommand",
    "GEEKBENCH",
    "MODE",
    "MaxKHz",
    "MinKHz",
    "NOTUNING",
    "NotReadyYet",
    "PKEXEC_UID",
    "SEVENZIP",
    "STATE_DIRECTORY",
    "SUDO_COMMAND",
    "SUDO_GID",
    "SUDO_HOME",
    "SUDO_TTY",
    "SUDO_UID",
    "SUDO_USER",
    "XDG_STATE_HOME",
];

/// Shortens what a run measures and waits for, for tests that look at what it does and not at its figures.
pub const HASTE: (&str, &str) = ("SBC_BENCH_FAULTS_HASTE", "1000");

/// A program as a user of its own starts it who may have so many processes and threads (`ulimit -u`); none where that user
/// cannot be played: it takes root, and setpriv of util-linux. The program has to lie where that user can read it.
pub fn limited_user(program: &Path, processes_max: u32) -> Option<Command> {
    let setpriv = Path::new("/usr/bin/setpriv");
    if !rustix::process::geteuid().is_root() || !setpriv.exists() {
        return None;
    }
    let mut command = Command::new(setpriv);
    command.args(["--reuid=65533", "--regid=65533", "--clear-groups", "sh", "-c"]);
    command.args([&format!("ulimit -u {processes_max}; exec \"$@\""), "sh"]).arg(program);
    Some(command)
}

/// A program with these words, an environment that asks for nothing, and nothing to read.
pub fn clean_command(program: impl AsRef<OsStr>, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null());
    for name in READ {
        command.env_remove(name);
    }
    command
}

/// The same for runs that leave the settings of this machine as they are, in [`HASTE`].
pub fn untuned_command(program: impl AsRef<OsStr>, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = clean_command(program, words);
    command.env("NOTUNING", "yes").envs([HASTE]);
    command
}

/// The words by which the running test program runs this test alone. The test is named by itself, not by a string, which
/// would go on running nothing after it was renamed.
pub fn only<Test>(test: &Test) -> [&'static str; 2] {
    let path = std::any::type_name_of_val(test);
    ["--exact", path.split_once("::").map_or(path, |(_program, test)| test)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_command_environment() {
        let command = untuned_command("program", ["word"]);
        let set: Vec<_> = command.get_envs().filter(|(_, value)| value.is_some()).collect();
        let expected = [("NOTUNING", "yes"), HASTE].map(|(name, value)| (OsStr::new(name), Some(OsStr::new(value))));
        assert_eq!(set, expected);
        assert!(READ.is_sorted());
    }
}
