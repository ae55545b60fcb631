//! Runs one line as a reader types it, in a shell on a virtual board, with stand-ins for programs that take
//! minutes: they print at once what the real ones printed.

use super::Row;
use crate::rig::{BoardSlot, Folder, PROGRAM, board};
use record::Record;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use testkit::virtual_board::{FinishedRun, Model, run};

/// Outcome of a line.
pub(super) struct LineOutcome {
    /// Standard output.
    pub(super) out: String,
    /// Standard error.
    pub(super) errors: String,
    /// `/var/log/sbc-bench.log`; empty if there is none.
    pub(super) log: String,
    /// The Record next to it.
    pub(super) record: Option<Record>,
    /// Exit status of the line.
    pub(super) status: i32,
    /// The board as it was left.
    done: FinishedRun,
}

impl LineOutcome {
    /// All output, for messages and for words that may be anywhere.
    pub(super) fn all(&self) -> String {
        format!("{}\n== standard error\n{}\n== log\n{}", self.out, self.errors, self.log)
    }

    /// The settings are as they were found, and nothing runs.
    pub(super) fn check_left(&self, what: &str) {
        let before = Model::new(self.done.model.board.clone());
        for (before, after) in before.policies.iter().zip(&self.done.model.policies) {
            let told = self.all();
            assert_eq!(before.governor, after.governor, "{what}\n{told}");
            assert_eq!(before.khz_min, after.khz_min, "{what}\n{told}");
            assert_eq!(before.khz_max, after.khz_max, "{what}\n{told}");
        }
        assert_eq!(self.done.left_running, [""; 0], "{what}");
    }
}

/// Runs a line; nothing where no board can run.
pub(super) fn play(row: &Row) -> Option<LineOutcome> {
    let board = board(row.board)?;
    let _turn = BoardSlot::wait(row.company);
    let folder = Folder::new();
    let file = |name: &str| folder.0.join(name);
    write_programs(&file("bin"), row.without);
    std::fs::write(file("stage.sh"), include_str!("stage.sh")).unwrap();
    let stage = file("stage.sh").into_os_string();
    let variables = [format!("FLAGS={}", row.flags), format!("END={}", row.end)];
    let mut command: Vec<OsString> = vec!["env".into()];
    command.extend(variables.map(OsString::from));
    command.extend(["bash".into(), stage, folder.0.as_os_str().to_owned()]);
    command.extend([PROGRAM.into(), row.line.into()]);
    let done = run(board, None, &command).unwrap();
    let text = |name: &str| {
        let bytes = std::fs::read(file(name)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Some(LineOutcome {
        out: text("stdout"),
        errors: text("stderr"),
        log: text("log"),
        record: record::from_json(&text("log.json")).ok(),
        status: text("status").trim().parse().unwrap_or(-1),
        done,
    })
}

/// What the real programs print, by name: body of a shell script, with `$texts` for the folder of texts.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "7zz",
        r#"case "$*" in *-mmt=1*) cat "$texts/7zz/26.02-x86_64-single.txt" ;; *) cat "$texts/7zz/26.02-x86_64-multi.txt" ;; esac"#,
    ),
    (
        "openssl",
        r#"[ "$1" = version ] && { echo 'OpenSSL 3.0.22 21 Oct 2026'; exit; }
        for word; do case $word in aes-*) name=$(echo "$word" | tr a-z A-Z) ;; esac; done
        sed "s/AES-256-CBC/$name/" "$texts/openssl/3.0.22-x86_64-aes-256-cbc.txt""#,
    ),
    ("cpuminer", r#"cat "$texts/cpuminer/1.3.7-made.txt""#),
    ("stockfish", r#"cat "$texts/stockfish/15.1-x86_64.txt""#),
    ("geekbench6", r#"cat "$texts/geekbench/6.3.0-tryout-made.txt""#),
    (
        "phoronix-test-suite",
        r#"[ "$1" = version ] && { echo 'Phoronix Test Suite v10.8.4'; exit; }
        results="$HOME/.phoronix-test-suite/test-results/$TEST_RESULTS_NAME"
        mkdir -p "$results" && cp "$texts/phoronix/10.8.4-made.xml" "$results/composite.xml""#,
    ),
    // An hour of load in twelve seconds.
    (
        "stress-ng",
        r#"echo "stress-ng $*"
        for cpu in 0 1; do timeout 12 sh -c 'while :; do :; done' & done; wait; true"#,
    ),
    ("sudo", r#"exec "$@""#),
    // Information from outside of the board must not differ from machine to machine.
    ("smartctl", "exit 1"),
];

fn write_programs(folder: &Path, without: &str) {
    std::fs::create_dir_all(folder).unwrap();
    let texts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../workloads/tool_output");
    let texts = texts.canonicalize().unwrap();
    let program = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    };
    program("sbc-bench", include_str!("sbc-bench.sh"));
    for (name, body) in PROGRAMS.iter().filter(|(name, _)| *name != without) {
        program(name, &format!("#!/bin/sh\ntexts={}\n{body}\n", texts.display()));
    }
}
