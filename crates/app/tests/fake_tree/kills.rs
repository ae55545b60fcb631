//! SIGKILL at every call of a whole run that changes anything: of the run, of the guard, of both in either
//! order, of the process group. Then the guard, the next start or `sbc-bench recover` puts everything back,
//! and everything that was measured can be read. On a virtual board it is every write to its `/sys`, before and
//! after.

use crate::fake_tree::tree::{Call, ON_BOARD, Tree, can_run, difference, for_each, is_on_board};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A run that changes governors, limits and CPUs.
pub(crate) const RUN: &[&str] =
    &["run", "--force", "--wait", "0s", "--quiet", "--repeat", "1", "--cpus", "0", "--others-off", "--", "true"];

/// The run; on a virtual board, whose CPUs are those of this machine and stay on, another one.
fn words() -> Vec<String> {
    let own = || RUN.iter().map(|word| (*word).to_owned()).collect();
    let on_board = std::env::var(ON_BOARD).ok();
    let on_board = on_board.map(|line| line.split(' ').map(str::to_owned).collect());
    on_board.unwrap_or_else(own)
}

fn strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// Set by `cargo xtask bench --kills`: every one of them is killed at every call.
pub(crate) const ALL: &str = "SBC_BENCH_ALL_KILLS";
/// Elsewhere, group and guard are killed at every call of this number.
const SAMPLED: usize = 4;
/// On a board, where one is run after the other, a call of this number has one kill.
const SAMPLED_ON_BOARD: usize = 7;

/// Processes that are killed at the call; others restore the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kill {
    /// The run; its guard restores.
    Run,
    /// The run's process group; the guard restores.
    Group,
    /// The guard. The run continues to its end and restores.
    Guard,
    /// The guard and right after it the run; the next start restores.
    Both,
    /// The run, and the guard while it restores; `sbc-bench recover` does the rest.
    RunThenGuard,
}

const KILLS: [Kill; 5] = [Kill::Run, Kill::Group, Kill::Guard, Kill::Both, Kill::RunThenGuard];

/// Part of the paths of settings on a board.
const CPUFREQ: &str = "/cpufreq/";

/// Outcomes of all kills.
#[derive(Debug, Default)]
struct Tally {
    points: usize,
    /// Kill points at which something was not as before.
    changed: usize,
    /// Time from the death of the run to the last setting, where the guard did it.
    restored: Vec<Duration>,
    troubles: Vec<String>,
}

#[test]
pub(crate) fn kill_at_every_call_restores_settings_and_keeps_results() {
    testkit::needs!(can_run());
    let calls = changes_of_a_whole_run();
    let is_whole = std::env::var_os(ALL).is_some();
    let is_wanted = |(number, kill): &(usize, Kill)| match (is_whole, is_on_board()) {
        (true, _) => true,
        (false, true) => (number * KILLS.len() + *kill as usize).is_multiple_of(SAMPLED_ON_BOARD),
        // A group is its run and nothing else, and without its guard a run takes its whole time.
        (false, false) => !matches!(kill, Kill::Group | Kill::Guard) || number % SAMPLED == 0,
    };
    // After the last write to a board, no other event marks the moment.
    let last = if is_on_board() { 2 * calls } else { calls };
    let points = (1..=last).flat_map(|number| KILLS.map(|kill| (number, kill)));
    let points: Vec<(usize, Kill)> = points.filter(is_wanted).collect();
    let tally = Mutex::new(Tally::default());
    for_each(&points, |(number, kill)| {
        let outcome = kill_at(*number, *kill);
        let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.add(outcome, *number, *kill);
    });
    let mut tally = tally.into_inner().unwrap();
    tally.restored.sort_unstable();
    let slowest = tally.restored.last().copied().unwrap_or_default();
    let median = tally.restored.get(tally.restored.len() / 2).copied().unwrap_or_default();
    eprintln!(
        "kill points{}: {} ({calls} calls of a run that change something, {} at which something was changed); \
         settings different from before or results lost: {}; restored by the guard after {} ms, {} ms at the \
         latest",
        if is_on_board() { " on a board" } else { "" },
        tally.points,
        tally.changed,
        tally.troubles.len(),
        median.as_millis(),
        slowest.as_millis(),
    );
    assert_eq!(tally.troubles, [""; 0]);
    assert!(2 * tally.points > points.len(), "hardly any call was reached: {}", tally.points);
    assert!(tally.changed * 2 > tally.points, "nothing was changed: {}", tally.changed);
}

impl Tally {
    fn add(&mut self, outcome: Result<Option<Point>, String>, number: usize, kill: Kill) {
        match outcome {
            // A run whose samples came in another order had a call less.
            Ok(None) => {}
            Ok(Some(point)) => {
                self.points += 1;
                self.changed += usize::from(point.was_changed);
                self.restored.extend(point.restored);
            }
            Err(trouble) => {
                self.points += 1;
                eprintln!("call {number}, {kill:?}: {trouble}");
                self.troubles.push(format!("call {number}, {kill:?}: {trouble}"));
            }
        }
    }
}

/// Outcome of a kill.
struct Point {
    was_changed: bool,
    restored: Option<Duration>,
}

/// Number of calls of a run that change something; verifies that such a run succeeds.
fn changes_of_a_whole_run() -> usize {
    let tree = Tree::new();
    let before = tree.settings();
    let output = tree.run(&strs(&words()), "");
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 2 | 3)), "{output:?}");
    assert_eq!(difference(&before, &tree.settings()), "");
    let trace = tree.trace();
    trace.iter().filter(|call| is_change(call)).count()
}

fn is_change(call: &Call) -> bool {
    let words = ["write", "sync", "rename", "remove", "folder"];
    let is_counted = if is_on_board() {
        call.word == "write" && call.path.contains(CPUFREQ)
    } else {
        words.contains(&call.word.as_str())
    };
    call.role == "run" && is_counted
}

/// Kills at the call of that number; none if the run ended before it.
fn kill_at(number: usize, kill: Kill) -> Result<Option<Point>, String> {
    let word = match kill {
        Kill::Run | Kill::RunThenGuard => "kill-run",
        Kill::Group => "kill-group",
        Kill::Guard => "kill-guard",
        Kill::Both => "kill-both",
    };
    let mut plan = match is_on_board() {
        false => format!("run change * {number} {word}"),
        true if number % 2 == 1 => format!("run write {CPUFREQ} {} {word}", number / 2 + 1),
        true => format!("run write {CPUFREQ} {} {word}-after", number / 2),
    };
    if kill == Kill::RunThenGuard {
        plan += &format!("; guard change * {} kill-guard", 1 + number % 5);
    }
    let tree = Tree::new();
    let before = tree.settings();
    let mut child = tree.command(&strs(&words()), &plan);
    let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = child.wait().unwrap();
    let trace = tree.trace();
    let was_met = trace.iter().any(|call| call.planned.starts_with("Kill") && call.role == "run");
    if !was_met {
        return Ok(None);
    }
    let was_changed = kill == Kill::Guard || tree.settings() != before;
    if kill == Kill::Guard {
        if !matches!(status.code(), Some(0 | 2 | 3)) {
            return Err(format!("without its guard the run ended by {status}"));
        }
    } else if status.signal() != Some(9) {
        return Err(format!("it was not killed but ended by {status}"));
    }
    let restored = match kill {
        Kill::Run | Kill::Group => Some(tree.wait_for(&before)?),
        Kill::Guard => None,
        Kill::Both | Kill::RunThenGuard => None,
    };
    tree.wait_for_ends()?;
    if kill != Kill::Guard {
        check_kept(&tree, &trace)?;
    }
    // The next start restores the rest.
    match kill {
        Kill::Both => next(&tree, &["clock", "--cpu", "0", "--quiet"])?,
        Kill::RunThenGuard => next(&tree, &["restore"])?,
        _ => {}
    }
    for path in tree.kept() {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let record = record::from_json(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        // Threads of tests that run at the same time change their own affinity.
        let is_own =
            |sentence: &String| !sentence.contains("CPUs of thread") || !sentence.contains("by something else");
        if let Some(sentence) = record.not_restored().map(|(_, left)| left.sentence()).find(is_own) {
            return Err(format!("{}: {sentence}", path.display()));
        }
    }
    match difference(&before, &tree.settings()) {
        nothing if nothing.is_empty() => Ok(Some(Point { was_changed, restored })),
        differs => Err(differs),
    }
}

/// The next start, which must go well.
fn next(tree: &Tree, words: &[&str]) -> Result<(), String> {
    let output = tree.run(words, "");
    match output.status.code() {
        Some(0 | 2 | 3) => Ok(()),
        _ => Err(format!("{words:?}: {output:?}")),
    }
}

/// Every step written before the kill can be read back.
fn check_kept(tree: &Tree, trace: &[Call]) -> Result<(), String> {
    let is_stream = |path: &str| path.contains("/sbc-bench/") && !path.contains("journal");
    let written = |call: &&Call| {
        call.role == "run" && call.word == "write" && is_stream(&call.path) && !call.planned.contains("Before")
    };
    let steps = |call: &Call| call.content.matches(r#""event":"step","#).count();
    let expected: usize = trace.iter().filter(written).map(steps).sum();
    let folder = tree.path("lib/sbc-bench/runs");
    let runs = bench::Runs::existing(&folder).ok().flatten();
    let left = runs.and_then(|runs| runs.left_behind().ok()).unwrap_or_default();
    let died = left.iter().filter_map(|left| match left {
        bench::Leftover::Run(run) => Some(run.record.steps.len()),
        bench::Leftover::Unreadable { .. } => None,
    });
    // A run that was killed after its end has a Record in place of its stream.
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let kept = entries.filter_map(|entry| {
        let bytes = std::fs::read(entry.path()).ok()?;
        let record: record::Record = serde_json::from_slice(&bytes).ok()?;
        Some(record.steps.len())
    });
    let found = died.chain(kept).max().unwrap_or(0);
    if found >= expected { Ok(()) } else { Err(format!("{found} of {expected} measured steps can be read")) }
}
