//! Files of the hub are readable by their owner alone, whatever the umask and the mode of an existing directory are.

use crate::common::hub_process::{HubProcess, program};
use crate::common::{Folder, made};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// Files in a directory that others may access, and the directory itself.
fn open_to_others(directory: &Path) -> Vec<String> {
    let below = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let all = below.chain([directory.to_path_buf()]);
    all.filter(|path| mode(path) & 0o077 != 0).map(|path| format!("{} {:o}", path.display(), mode(&path))).collect()
}

/// Runs a command of the hub with an open umask.
fn with_open_umask(data: &Path, words: &[&str]) -> Output {
    let command = program(data, None, words);
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 000; exec \"$@\"", "sh"]).arg(command.get_program()).args(command.get_args());
    shell.env_remove("SBC_BENCH_HUB_DATABASE").output().unwrap()
}

#[test]
fn files_are_private_in_a_directory_that_others_read() {
    let folder = Folder::new();
    let data = folder.0.join("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::set_permissions(&data, std::fs::Permissions::from_mode(0o755)).unwrap();
    let hub = HubProcess::on(data.clone(), None, &[]);
    hub.keep("?publish=1", &made::log("Board P", 1, 7000.0));
    assert_eq!(open_to_others(&data), [""; 0]);
    let (backup, out) = (folder.0.join("backup.sqlite"), folder.0.join("out"));
    let restored = folder.0.join("restored");
    for (data, words) in [
        (&data, ["backup", backup.to_str().unwrap()].as_slice()),
        (&data, &["export", "--out", out.to_str().unwrap()]),
        (&restored, &["restore", backup.to_str().unwrap()]),
    ] {
        let output = with_open_umask(data, words);
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(mode(&backup), 0o600);
    for directory in [&out, &restored] {
        assert_eq!(open_to_others(directory), [""; 0]);
    }
}

#[test]
fn database_that_others_read_is_closed_to_them() {
    let folder = Folder::new();
    let data = folder.0.join("data");
    let hub = HubProcess::on(data.clone(), None, &[]);
    drop(hub);
    for (path, mode) in [(data.clone(), 0o755), (data.join("hub.sqlite"), 0o644), (data.join("token"), 0o644)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    assert!(with_open_umask(&data, &["verify"]).status.success());
    assert_eq!(open_to_others(&data), [""; 0]);
}

#[test]
fn directory_of_others_is_refused_and_left_as_it_is() {
    let folder = Folder::new();
    for (name, open_mode, has_file) in [("shared", 0o1777, false), ("documents", 0o755, true)] {
        let data = folder.0.join(name);
        std::fs::create_dir(&data).unwrap();
        if has_file {
            std::fs::write(data.join("letter"), "").unwrap();
        }
        std::fs::set_permissions(&data, std::fs::Permissions::from_mode(open_mode)).unwrap();
        let output = with_open_umask(&data, &["serve", "--listen", "127.0.0.1:0"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("is open to other users"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(mode(&data) == open_mode && !data.join("hub.sqlite").exists(), "{name}");
    }
}

#[test]
fn password_of_the_database_is_refused_as_an_argument() {
    let folder = Folder::new();
    // No server listens there.
    let host = folder.0.display().to_string();
    for address in
        [format!("postgres://hub:Hunter2zz@/results?host={host}"), format!("host={host} user=hub password=Hunter2zz")]
    {
        let run = |command: &mut Command| {
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(1) && said.lines().count() == 1, "{said}");
            assert!(!said.contains("Hunter2zz"), "{said}");
            said
        };
        let words = ["serve", "--listen", "127.0.0.1:0"];
        let said = run(&mut program(&folder.0, Some(&address), &words));
        assert!(said.contains("SBC_BENCH_HUB_DATABASE"), "{said}");
        // `serve` would wait for the server.
        let said = run(program(&folder.0, None, &["token", "list"]).env("SBC_BENCH_HUB_DATABASE", &address));
        assert!(said.contains("Cannot open the database"), "{said}");
    }
}
