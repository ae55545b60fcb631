//! Starts the program for tests, without the caller's environment variables that would change its behaviour.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Variables that the program itself or sudo reads.
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

/// Shortens measurements and waits, for tests of behaviour rather than figures.
pub const HASTE: (&str, &str) = ("SBC_BENCH_FAULTS_HASTE", "1000");

/// Command that runs a program as a separate user with a limit of processes and threads (`ulimit -u`). `None` without
/// root or setpriv of util-linux. That user needs read access to the program.
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

/// Command with these arguments, a neutral environment, no input, and a state folder that no user writes to. The program
/// creates the folder where it has something to keep.
pub fn clean_command(program: impl AsRef<OsStr>, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null());
    for name in READ {
        command.env_remove(name);
    }
    let state = std::env::temp_dir().join(format!("sbc-bench-state-{}", std::process::id()));
    command.env("STATE_DIRECTORY", &state).env("XDG_STATE_HOME", state);
    command
}

/// The same for runs that leave the settings of this machine unchanged, with [`HASTE`].
pub fn untuned_command(program: impl AsRef<OsStr>, words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = clean_command(program, words);
    command.env("NOTUNING", "yes").envs([HASTE]);
    command
}

/// Arguments with which the running test binary runs only this test. The name is derived from the function, because a
/// string would silently match nothing after a rename.
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
        let own = ["STATE_DIRECTORY", "XDG_STATE_HOME"].map(OsStr::new);
        let (own, set): (Vec<_>, Vec<_>) =
            command.get_envs().filter(|(_, value)| value.is_some()).partition(|(name, _)| own.contains(name));
        assert!(own.len() == 2 && own.iter().all(|(_, value)| value.unwrap().as_encoded_bytes().starts_with(b"/")));
        let expected = [("NOTUNING", "yes"), HASTE].map(|(name, value)| (OsStr::new(name), Some(OsStr::new(value))));
        assert_eq!(set, expected);
        assert!(READ.is_sorted());
    }
}
