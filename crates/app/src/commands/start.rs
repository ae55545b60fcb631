//! Start of every run: its identity, leftovers of a killed run, and the place of its files.

use crate::paths::Paths;
use bench::{NewRun, Runs};
use console::output;
use console::progress::ProgressBar;
use machine::Root;
use machine::settings::{journal_entries_left, restore_from_journal};
use record::{RestoreOutcome, Source, UnrestoredSetting};

/// Target triple this binary was built for, in the shape that `rustc` prints.
const TARGET: &str = env!("SBC_BENCH_TARGET");

pub(super) fn source() -> Source {
    Source::Run { version: env!("CARGO_PKG_VERSION").into(), target: TARGET.into() }
}

/// Refuses another machine than the running one, and leaves a real-time scheduling policy.
pub(super) fn begin(root: &Root) -> anyhow::Result<()> {
    anyhow::ensure!(
        root.is_system(),
        "Benchmarks need the running system; --root works with identify, monitor, snapshot, kernel, storage and \
         review --inspect."
    );
    leave_real_time();
    Ok(())
}

/// Leaves a real-time scheduling policy (`chrt -f`), with a note.
fn leave_real_time() {
    let note = match machine::threads::leave_real_time() {
        Ok(None) => return,
        Ok(Some(policy)) => format!(
            "Started with {policy}, which would keep the sampler from running; the run uses the normal scheduling policy."
        ),
        Err(missing) => {
            format!("The real-time scheduling policy cannot be left, so samples may be missing: {missing}.")
        }
    };
    output::note(&note);
}

/// Restores settings of a killed run, or only notes them where nothing may be set.
pub(super) fn restore_leftovers(root: &Root, paths: &Paths, may_set: bool, bar: &ProgressBar) {
    if !may_set {
        return report_leftovers(root, paths, bar);
    }
    let note = match restore_from_journal(root, &paths.journal) {
        Ok(outcomes) if outcomes.is_empty() => return,
        Ok(outcomes) => told_of_leftovers(&outcomes),
        Err(missing) => format!("Settings of earlier runs were not checked: {missing}."),
    };
    bar.show(&bench::Progress::Note(note));
}

/// Sentence about settings that an earlier run left changed, for an unknown reason.
fn told_of_leftovers(outcomes: &[(String, RestoreOutcome)]) -> String {
    let left: Vec<String> = UnrestoredSetting::among(outcomes).map(|left| format!(" {}", left.sentence())).collect();
    let done = outcomes.len() - left.len();
    format!("An earlier run left {} of its settings; restored {done}.{}", outcomes.len(), left.concat())
}

/// Without tuning, a run measures under the settings that a killed run left.
fn report_leftovers(root: &Root, paths: &Paths, bar: &ProgressBar) {
    // An unreadable journal is in use by another run.
    let left = journal_entries_left(root, &paths.journal).unwrap_or_default();
    let Some(first) = left.first() else { return };
    let more = match left.len() {
        1 => String::new(),
        more => format!(" and {} more", more - 1),
    };
    bar.show(&bench::Progress::Note(format!(
        "An earlier run left {first}{more} changed. Settings are not tuned in this run; use `sbc-bench recover`."
    )));
}

/// Directory of all runs, and the stem of the files of this one.
pub(super) struct SavedRun {
    pub(super) runs: Runs,
    pub(super) stem: String,
}

/// Makes the stream of a run, and the place of its results. Notes why there is none.
pub(super) fn places(root: &Root, paths: &Paths, stamp: &str, bar: &ProgressBar) -> (Option<NewRun>, Option<SavedRun>) {
    let note = |sentence| bar.show(&bench::Progress::Note(sentence));
    if let Some(memory) = machine::in_memory(root, &paths.history) {
        note(format!(
            "{} is in RAM ({memory}); if the machine freezes or loses power, this run is lost.",
            paths.history.display()
        ));
    }
    let made = Runs::make(&paths.history).and_then(|runs| Ok((runs.begin(stamp)?, runs)));
    match made {
        Ok((place, runs)) => {
            let stem = place.stem.clone();
            (Some(place), Some(SavedRun { runs, stem }))
        }
        Err(error) => {
            note(format!("Results are kept in RAM until the end of the run: {error}."));
            (None, None)
        }
    }
}

/// `2026-11-21T01-15-00Z`: sorts by time and is a file name everywhere.
pub(super) fn stamp(utc_ms: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(utc_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%dT%H-%M-%SZ").to_string()
}

pub(super) fn utc_offset_minutes(utc_ms: i64) -> i32 {
    let at = jiff::Timestamp::from_millisecond(utc_ms).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    jiff::tz::TimeZone::system().to_offset(at).seconds() / 60
}
