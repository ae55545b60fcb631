//! `--resume`: finds the run that died or was stopped, checks that it can continue, and restores its options. `bench` computes the
//! remaining steps.

use super::recover;
use super::resume_hint::{is_resumable, line, why_not_resumable};
use super::start::source;
use crate::args::run::RunArgs;
use crate::args::{Environment, program};
use crate::paths::Paths;
use anyhow::{Context, bail, ensure};
use bench::{AnyTask, Options, PreviousRun, Runs, Standard, other_machine};
use console::output;
use console::read::read;
use machine::{Root, Timeline, Trust};
use record::{Invocation, Machine, Record, Resumption, Run};
use redact::BLANK;
use std::path::Path;

/// Value of `--resume` without FILE.
const LATEST: &str = "latest";

/// Command line of this run; `None` if it is not UTF-8.
pub(super) fn asked(options: &Options) -> Option<Invocation> {
    let words = std::env::args_os().skip(1);
    let words: Option<Vec<String>> = words.map(|word| word.into_string().ok()).collect();
    let user = options.user.as_ref();
    Some(Invocation {
        command_line: words?,
        variables: Environment::read().given(),
        folder: here(),
        user: user.map(|user| user.name.clone()),
    })
}

fn here() -> String {
    let here = std::env::current_dir().unwrap_or_default();
    here.display().to_string()
}

/// The run to continue, if any, with the options that it was started with. Options for output are those typed now.
///
/// # Errors
/// The run cannot continue.
pub(super) fn earlier(root: &Root, typed: RunArgs) -> anyhow::Result<(RunArgs, Option<PreviousRun>)> {
    let Some(path) = &typed.resume else { return Ok((typed, None)) };
    if let Some(why) = typed.task.attributes().not_resumable {
        bail!("This kind of run cannot be resumed because {why}. Start a new run.");
    }
    let mut record = if path == Path::new(LATEST) { newest(root, &typed)? } else { named(path)? };
    record.reopen();
    let now_utc_ms = Timeline::start().start_utc_ms();
    let resumed = Resumption::of(&record.run, now_utc_ms).context("the result file has no start time")?;
    let args = started_as(&record, typed)?;
    Ok((args, Some(PreviousRun { record, resumed })))
}

fn named(path: &Path) -> anyhow::Result<Record> {
    ensure_trusted(path)?;
    let record = read(path)?;
    match why_not_resumable(&record.run) {
        Some(why) => bail!("{} cannot be resumed: {why}.", path.display()),
        None => Ok(record),
    }
}

/// Refuses files that other users can write, because root runs the commands of a Record.
fn ensure_trusted(path: &Path) -> anyhow::Result<()> {
    if !machine::is_root() {
        return Ok(());
    }
    let user = program::calling_user().map_err(anyhow::Error::msg)?;
    let trust = Trust::new(&Root::system(), user.map(|user| user.uid));
    let absolute = std::path::absolute(path)?;
    if let Some(why) = trust.objection(&absolute) {
        bail!(
            "Root does not resume a run of {} because {why}; copy its result file to a directory of your own and check it.",
            path.display()
        );
    }
    Ok(())
}

/// Newest kept run that died or was stopped and was not resumed.
fn newest(root: &Root, typed: &RunArgs) -> anyhow::Result<Record> {
    let history = Paths::choose(machine::is_root(), typed.log.as_deref()).history;
    ensure_trusted(&history)?;
    if typed.log.is_some() {
        // Runs in the usual directory were recovered at the start.
        for sentence in recover::recovered(root, &history) {
            output::note(&sentence);
        }
    }
    let mut all: Vec<Run> = Vec::new();
    let mut unfinished: Vec<Record> = Vec::new();
    let runs = Runs::existing(&history)?;
    let kept = runs.as_ref().map(Runs::kept).transpose()?;
    for record in kept.into_iter().flatten() {
        let record = match record {
            Ok(record) => record,
            Err(missing) => {
                output::note(&format!("One saved run is ignored: {missing}."));
                continue;
            }
        };
        all.push(record.run.clone());
        if is_resumable(&record.run) {
            unfinished.push(record);
        }
    }
    let is_part = |record: &Record| all.iter().any(|whole| record.run.is_part_of(whole));
    let newest = unfinished.into_iter().find(|record| !is_part(record));
    if let Some(newest) = newest {
        return Ok(newest);
    }
    bail!(
        "Nothing to resume in {}: no run there died or was stopped, or it was already resumed. Use `--resume FILE` for a result file \
         elsewhere, or omit --resume to start a new run.",
        history.display()
    )
}

/// The run with its original options, except those that may change.
fn started_as(record: &Record, typed: RunArgs) -> anyhow::Result<RunArgs> {
    let asked = record.run.asked.as_ref();
    let asked = asked.context("The result file has no command line, so the run cannot be resumed. Start a new run.")?;
    let line = line(asked);
    ensure!(
        !asked.command_line.iter().any(|word| word == BLANK),
        "The command line in this result file was redacted. Resume the original in the runs directory."
    );
    ensure!(
        record.source == source(),
        "The run was made by another version of sbc-bench with possibly different workloads. Start a new run: `{line}`."
    );
    ensure!(
        record.run.as_root == machine::is_root(),
        "The run was made {} root, this one is not: {}.",
        if record.run.as_root { "as" } else { "without" },
        if record.run.as_root { "use sudo" } else { "do not use sudo" },
    );
    // Names of commands and files depend on the directory; flags do not.
    let is_of_folder = asked.command_line.iter().any(|word| !word.starts_with('-'));
    ensure!(
        !is_of_folder || asked.folder == here(),
        "The run was started in {0}. Run `cd {0}`, then resume it.",
        asked.folder
    );
    let command = super::parse_recorded(&asked.command_line, &asked.variables);
    let command = command.map_err(|why| anyhow::anyhow!("`{line}` is not valid any more: {why}"))?;
    let Some(started) = command.into_run() else {
        bail!("`{line}` cannot be resumed. Start a new run.");
    };
    if let Some(why) = started.task.attributes().not_resumable {
        bail!("`{line}` cannot be resumed because {why}. Start a new run.");
    }
    let user = started.options.user.as_ref().map(|user| user.name.clone());
    ensure!(
        user == asked.user,
        "The run executed commands as {}, this one would as {}. Start it as the same user.",
        asked.user.as_deref().unwrap_or("the calling user"),
        user.as_deref().unwrap_or("the calling user"),
    );
    ensure!(
        !is_other(&typed, &started),
        "--resume repeats the original command line (`{line}`) and takes no other workload options. Omit them, or \
         start a new run without --resume."
    );
    Ok(merged(typed, started))
}

/// True if the options typed with `--resume` describe another run.
fn is_other(typed: &RunArgs, started: &RunArgs) -> bool {
    let usual = Options::default();
    let measured = |args: &RunArgs| {
        let options = Options { wait: usual.wait, force: false, user: None, ..args.options.clone() };
        (args.task.clone(), options)
    };
    let typed = measured(typed);
    typed != (AnyTask::of(Standard), usual.clone()) && typed != measured(started)
}

fn merged(typed: RunArgs, started: RunArgs) -> RunArgs {
    let is_usual = typed.options.wait == Options::default().wait;
    let options = Options {
        wait: if is_usual { started.options.wait } else { typed.options.wait },
        force: typed.options.force || started.options.force,
        ..started.options
    };
    RunArgs {
        options,
        json: typed.json,
        details: typed.details,
        quiet: typed.quiet,
        screen: typed.screen,
        log: typed.log.or(started.log),
        resume: None,
        upload: if typed.upload.to.is_some() { typed.upload } else { started.upload },
        limits: if typed.limits.baseline.is_some() { typed.limits } else { started.limits },
        ..started
    }
}

/// Returns a sentence about the run that continues.
///
/// # Errors
/// This machine differs from that of the run.
pub(super) fn checked(machine: &Machine, earlier: &PreviousRun) -> anyhow::Result<String> {
    let record = &earlier.record;
    if let Some(differs) = other_machine(&record.machine, machine) {
        bail!(
            "The run cannot be resumed because {differs}; its results would not be comparable. Restore that \
             configuration, or start a new run without --resume."
        );
    }
    let run = &record.run;
    let step = run.died_in.as_ref().and_then(|died| died.step.as_deref());
    let ago = match earlier.resumed.away_ms {
        Some(away_ms) => format!(" {} ago", facts::duration(away_ms)),
        None => String::new(),
    };
    let line = run.asked.as_ref().map(line).unwrap_or_default();
    Ok(format!(
        "Resuming `{line}`, which {}{ago} during {}: {} steps are complete, the rest runs now.",
        if run.died_in.as_ref().is_some_and(|died| died.signal.is_some()) { "was stopped" } else { "died" },
        step.unwrap_or("the time between two steps"),
        record.steps.len(),
    ))
}

/// The timeline of a run, which continues that of the earlier one.
pub(super) fn timeline(earlier: Option<&PreviousRun>) -> Timeline {
    let started = earlier.and_then(|earlier| earlier.record.run.started.known());
    match (started, earlier) {
        (Some(started), Some(earlier)) => Timeline::resume(*started, earlier.resumed.at_ms),
        _ => Timeline::start(),
    }
}
