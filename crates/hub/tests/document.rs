//! Every command of docs/hub.md is typed into a shell in the order of the document, on each database, with values in
//! place of NAME, ID, FILE and DIR.

use crate::common;
use crate::common::hub_process::{HubProcess, told};
use crate::common::{made, on_hubs};
use std::path::Path;
use std::process::Command;

const DOCUMENT: &str = include_str!("../../../docs/hub.md");

/// Lines that are not typed here, by their beginning: commands of other programs, and those of other tests.
const ELSEWHERE: [&str; 5] = [
    // begin.rs types the first two.
    "./hub serve ",
    "./bench upload ",
    // Install the package; `cargo xtask package hub --check` tries it.
    "cargo xtask ",
    "sudo ",
    // A whole benchmark; tests of the program type it.
    "sbc-bench --upload ",
];

/// Commands of shell blocks and code spans.
fn commands() -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_block = false;
    for line in DOCUMENT.lines().map(str::trim) {
        if let Some(kind) = line.strip_prefix("```") {
            is_block = kind == "sh";
        } else if is_block {
            found.push(line.split(" #").next().unwrap_or_default().trim().to_owned());
        } else {
            let spans = line.split('`').skip(1).step_by(2);
            found.extend(spans.filter(|span| is_own(span)).map(str::to_owned));
        }
    }
    found
}

fn is_own(line: &str) -> bool {
    line.starts_with("sbc-bench-hub ")
        || line.starts_with("sbc-bench upload ")
        || line.starts_with("sbc-bench compare ")
}

/// The line with values of this hub. Files are in the working directory.
fn with_values(line: &str, hub: &HubProcess, id: &str) -> String {
    let words = line.split(' ').map(|word| match word {
        "NAME" if line.contains(" hook ") => "owner",
        "NAME" => "farm",
        "ID" => id,
        "FILE" if line.contains(" --target-file ") => "target",
        "FILE" => "backup",
        "DIR" if line.contains(" import ") => "logs",
        "DIR" if line.contains(" export ") => "exported",
        "DIR" => "restored",
        "https://hub.example" => &hub.url,
        "/etc/sbc-bench.token" => "token",
        "/var/log/sbc-bench.json" => "result.json",
        other => other,
    });
    let line = words.collect::<Vec<_>>().join(" ");
    if !line.starts_with("sbc-bench-hub ") || line.contains(" --data ") {
        return line;
    }
    format!("{line} --data {}", hub.data.display())
}

#[test]
fn every_command_of_the_document_works_on_each_database() {
    let programs = Path::new(env!("CARGO_BIN_EXE_sbc-bench-hub")).parent().unwrap();
    if !programs.join("sbc-bench").exists() {
        return testkit::skip("sbc-bench is not built next to the hub (cargo build)");
    }
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    on_hubs(&[], |hub| {
        let home = common::Folder::new();
        std::fs::create_dir(home.0.join("logs")).unwrap();
        for (name, text) in [
            ("result.json", made::log("Board T", 1, 7000.0)),
            ("logs/one.txt", made::log("Board T", 2, 7000.0)),
            ("target", b"smtp://relay:25/?from=hub@example&to=you@example\n".to_vec()),
            ("token", hub.secret.clone().into_bytes()),
        ] {
            std::fs::write(home.0.join(name), text).unwrap();
        }
        let mut count = 0;
        for (number, line) in commands().iter().enumerate() {
            // A backup of PostgreSQL is restored by its own program.
            let is_of_sqlite = line.starts_with("sbc-bench-hub restore ");
            if ELSEWHERE.iter().any(|start| line.starts_with(start)) || is_of_sqlite && hub.database.is_some() {
                continue;
            }
            assert!(is_own(line) || line.starts_with("echo SBC_BENCH_HUB_DATABASE="), "nobody tries {line}");
            if !is_own(line) {
                continue;
            }
            let id = hub.keep("?publish=1", &made::log("Board T", 10 + number as u32, 7000.0));
            let typed = with_values(line, hub, &id);
            let mut shell = Command::new("sh");
            shell.args(["-c", &typed]).current_dir(&home.0).env("PATH", &path).env("HOME", &*home.0);
            shell.env("STATE_DIRECTORY", home.0.join("state")).env("XDG_STATE_HOME", home.0.join("state"));
            shell.env_remove("SBC_BENCH_HUB_DATABASE");
            if let Some(database) = &hub.database {
                shell.env("SBC_BENCH_HUB_DATABASE", database);
            }
            let output = told(&mut shell, "https://hook.example/\n");
            let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{typed}: {said}");
            count += 1;
        }
        assert!(count > 15, "{count} commands");
        hub.verify();
    });
}
