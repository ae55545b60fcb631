//! The whole program on boards that throttle, lie and lose cores: what it finds must be what was true.
//!
//! A virtual board takes root, FUSE, mount namespaces and control groups of version 1; without them these
//! tests say so and pass. Nothing is said about how fast anything is: this machine's neighbours are free.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use explain::{Finding, rules};
use record::Record;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use testkit::virtual_board::{Board, Done, host_khz, lacking, run};

/// There is one `/sys`.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
/// Keeps both CPUs busy for so many seconds.
const LOAD: &str = "for i in 1 2; do timeout 12 sh -c 'while :; do :; done' & done; wait; true";

/// Runs the program with a load on a board; none where no board can run.
fn on(name: &str) -> Option<(Record, Vec<Finding>, Done)> {
    if let Some(what) = lacking() {
        eprintln!("skipped: no virtual board can run here, {what}");
        return None;
    }
    let Some(host_khz) = host_khz() else {
        eprintln!("skipped: /proc/cpuinfo does not tell the clock of this machine");
        return None;
    };
    let _only = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards/virtual");
    let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).unwrap();
    let out = std::env::temp_dir().join(format!("sbc-bench-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&out).unwrap();
    let record = out.join("record.json");
    let command: Vec<OsString> = [
        env!("CARGO_BIN_EXE_sbc-bench"),
        "run",
        "--force",
        "--repeat",
        "1",
        "--log",
        out.join("log").to_str().unwrap(),
        "--",
        "sh",
        "-c",
        LOAD,
    ]
    .map(OsString::from)
    .to_vec();
    let done = run(Board::parse(&text).unwrap(), host_khz, &command).unwrap();
    let record = read(&out, &record);
    let _ = std::fs::remove_dir_all(&out);
    let findings = rules::check(&record);
    Some((record, findings, done))
}

/// The Record beside the log.
fn read(folder: &Path, _: &Path) -> Record {
    let json: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    let text = std::fs::read_to_string(json.first().expect("a Record was written")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn has(findings: &[Finding], rule: &str) -> bool {
    findings.iter().any(|finding| finding.rule == rule)
}

/// What every run on a board must leave: the settings as they were found.
fn check_restored(done: &Done) {
    for (spec, state) in done.model.board.policy.iter().zip(&done.model.policies) {
        assert_eq!(state.governor, spec.governor);
        assert_eq!(
            (state.khz_min, state.khz_max),
            (spec.khz_min(), spec.khz_max())
        );
    }
}

#[test]
fn a_board_without_heatsink_is_throttled() {
    let Some((record, findings, done)) = on("throttling") else {
        return;
    };
    check_restored(&done);
    let deepest = done.trace.iter().map(|truth| truth.level).max().unwrap();
    assert!(deepest > 0, "the board itself did not throttle");
    let words: Vec<String> = findings.iter().map(Finding::sentence).collect();
    assert!(has(&findings, "thermal-throttling"), "{words:#?}");
    assert_eq!(record.machine.policies.len(), 1);
}

#[test]
fn a_good_heatsink_is_no_throttling() {
    let Some((_, findings, done)) = on("good-heatsink") else {
        return;
    };
    check_restored(&done);
    assert!(done.trace.iter().all(|truth| truth.level == 0));
    assert!(!has(&findings, "thermal-throttling") && !has(&findings, "cores-killed"));
}
