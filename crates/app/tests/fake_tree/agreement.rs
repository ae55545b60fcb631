//! The result file, the output, the exit status and the machine agree about settings: if every write that restores a
//! setting is refused from some write on, and after every other failure and kill.

use crate::fake_tree::kills::RUN;
use crate::fake_tree::tree::{Tree, can_run, difference, for_each};
use record::{Record, RestoreOutcome};
use std::process::Output;
use std::sync::Mutex;
use testkit::disagreement;

/// The disagreements after a run on this machine that was not killed.
pub(crate) fn check_agreement(tree: &Tree, output: &Output) -> Result<(), String> {
    let text = std::fs::read_to_string(tree.path("log/sbc-bench.json")).ok();
    // A disk that refused the result file reported it.
    let record = match (text, output.status.code()) {
        (Some(text), _) => Some(record::from_json(&text).map_err(|error| error.to_string())?),
        (None, Some(6)) => return Ok(()),
        (None, _) => None,
    };
    let said = String::from_utf8_lossy(&output.stderr);
    if let Some(differs) = disagreement(record.as_ref(), &said, output.status.code()) {
        return Err(differs);
    }
    record.map_or(Ok(()), |record| check_settings(tree, &record))
}

/// The outcome of a setting in a Record matches its file.
pub(crate) fn check_settings(tree: &Tree, record: &Record) -> Result<(), String> {
    for (at, change) in record.settings.iter().enumerate() {
        let is_first = record.settings[..at].iter().all(|earlier| earlier.path != change.path);
        let Some(file) = change.path.strip_prefix('/').filter(|path| is_first && path.starts_with("sys/")) else {
            continue;
        };
        let now = std::fs::read_to_string(tree.path(file)).unwrap_or_default();
        let is_back = now.trim() == change.old;
        if is_back != (change.restored == RestoreOutcome::Done) {
            return Err(format!("{} was {} and is {now}: {:?}", change.path, change.old, change.restored));
        }
    }
    Ok(())
}

/// Number of writes after the first that is refused.
const WRITES_MAX: usize = 40;

#[test]
fn refused_restores_are_in_the_result_file_told_and_in_the_status() {
    testkit::needs!(can_run());
    let whole = Tree::new();
    whole.run(RUN, "");
    let is_setting = |path: &str| path.contains("/cpufreq/") || path.ends_with("/online");
    let writes = whole.trace().iter().filter(|call| call.word == "write" && is_setting(&call.path)).count();
    let outcomes = Mutex::new(Vec::new());
    // Writes are refused to the run alone, whose guard then restores, or to both.
    let plans: Vec<(usize, bool)> = (1..=writes).flat_map(|first| [(first, false), (first, true)]).collect();
    for_each(&plans, |(first, also_guard)| {
        let tree = Tree::new();
        let before = tree.settings();
        let mut rules: Vec<String> = Vec::new();
        for number in *first..first + WRITES_MAX {
            rules.push(format!("run write /sys/devices/system/cpu/ {number} EBUSY"));
        }
        if *also_guard {
            rules.push("guard write /sys/devices/system/cpu/ 0 EBUSY".into());
        }
        let output = tree.run(RUN, &rules.join(";"));
        let status = output.status.code();
        let mut outcome = tree.wait_for_ends().and_then(|()| check_agreement(&tree, &output));
        // The next run that may set settings restores the rest.
        if outcome.is_ok() {
            let restored = tree.run(&["restore"], "");
            let differs = difference(&before, &tree.settings());
            outcome = if differs.is_empty() { Ok(()) } else { Err(format!("{differs}: {restored:?}")) };
        }
        outcomes.lock().unwrap().push((*first, *also_guard, status, outcome));
    });
    let outcomes = outcomes.into_inner().unwrap();
    let troubles: Vec<_> = outcomes.iter().filter(|(.., outcome)| outcome.is_err()).collect();
    assert!(troubles.is_empty(), "{troubles:#?}");
    let left =
        |guard: bool| outcomes.iter().filter(|(_, also, status, _)| *also == guard && *status == Some(5)).count();
    eprintln!(
        "of {writes} writes refused from one on: {} runs left settings changed, {} without a guard that could",
        left(false),
        left(true)
    );
    assert!(left(true) > 2, "hardly any restore was refused: {outcomes:?}");
}

/// Settings of a CPU that is offline at the end of a run are restored when it returns: the run reports them, and its guard
/// waits.
#[test]
fn settings_of_a_cpu_that_is_off_come_back_with_it() {
    testkit::needs!(can_run());
    let tree = Tree::new();
    let before = tree.settings();
    // The CPU is offline while the run restores, and for the first attempts of its guard.
    let refused = |role: &str, numbers: std::ops::Range<usize>| {
        numbers.map(|number| format!("{role} write /policy1/ {number} EBUSY")).collect::<Vec<_>>()
    };
    let whole = Tree::new();
    whole.run(RUN, "");
    let writes = whole.trace().iter().filter(|call| call.word == "write" && call.path.contains("/policy1/")).count();
    let plan = [refused("run", writes..writes + WRITES_MAX), refused("guard", 1..12)].concat().join(";");
    let output = tree.run(RUN, &plan);
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("/policy1/") && said.contains("(EBUSY); write "), "{said}");
    tree.wait_for(&before).unwrap();
    tree.wait_for_ends().unwrap();
}
