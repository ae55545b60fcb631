//! `sbc-bench clock`, `memory`, `scaling`: one question, answered at once. Nothing is left
//! but where the machine died of it: settings are put back, and the log of the last run stays.

use super::resume;
use super::start::{leave_real_time, places, restore_leftovers, source, stamp, utc_offset_minutes};
use crate::args::OneShotArgs;
use crate::paths::Paths;
use crate::progress::ProgressBar;
use crate::{output, signals, status};
use bench::RunContext;
use explain::Document;
use machine::{LazyMachine, Root, Timeline};
use record::{End, Machine, Outcome, Record};

pub(crate) fn run(root: &Root, args: &OneShotArgs) -> anyhow::Result<u8> {
    anyhow::ensure!(
        root.is_system(),
        "Benchmarks need the running system; --root works with identify, monitor, snapshot, kernel, storage and \
         review --inspect."
    );
    leave_real_time();
    let as_root = machine::is_root();
    let paths = Paths::choose(as_root, None);
    let cancelled = signals::watch()?;
    let bar = ProgressBar::new(args.quiet);
    if as_root {
        // Before anything is asked for: a killed run may have left the CPU off that is wanted.
        restore_leftovers(root, &paths, args.options.tune, &bar);
    }
    let machine = LazyMachine::new(root);
    check_cpus(machine.machine(), &args.task.cpus(machine.machine()))?;
    if let Some(why) = bench::refusal(&*args.task, &machine, &args.options) {
        anyhow::bail!(why);
    }
    let timeline = Timeline::start();
    let (place, kept) = places(root, &paths, &stamp(timeline.start_utc_ms()), &bar);
    let finished = bench::run(RunContext {
        root,
        machine: &machine,
        timeline: &timeline,
        task: &*args.task,
        options: &args.options,
        given: args.given.clone(),
        asked: resume::asked(&args.options),
        earlier: None,
        utc_offset_minutes: utc_offset_minutes(timeline.start_utc_ms()),
        source: source(),
        place,
        journal: as_root.then_some(paths.journal.as_path()),
        cancelled,
        marks: None,
        while_waiting: || {},
        on_settings: &signals::set_restore_handle,
        shows_samples: false,
        progress: &mut |progress| bar.show(&progress),
    });
    bar.finish();
    // Its answer is printed; only a machine that died of the question leaves something.
    kept.iter().for_each(|kept| kept.runs.forget(&kept.stem));
    conclude(&finished.record, args)
}

/// One sentence if a CPU is asked for that there is not.
fn check_cpus(machine: &Machine, wanted: &[u32]) -> anyhow::Result<()> {
    let online = |cpu: &&u32| machine.cpus.iter().any(|c| c.cpu == **cpu && c.online);
    let missing: Vec<u32> = wanted.iter().filter(|cpu| !online(cpu)).copied().collect();
    let known = machine.cpus.iter().filter(|cpu| cpu.online);
    let known: Vec<u32> = known.map(|cpu| cpu.cpu).collect();
    anyhow::ensure!(
        missing.is_empty() || known.is_empty(),
        "CPU {} is not online; online CPUs: {}.",
        record::cpu_list(&missing),
        record::cpu_list(&known)
    );
    Ok(())
}

fn conclude(record: &Record, args: &OneShotArgs) -> anyhow::Result<u8> {
    let explained = explain::explain(record);
    if args.json {
        output::print(&(Document::printed(record, &explained) + "\n"))?;
    } else if let Some(report) = report::find(args.report) {
        output::print(&report.text(record, &explained))?;
    }
    let is_done = |step: &record::Step| matches!(step.outcome, Outcome::Done(_));
    Ok(match record.run.end {
        _ if let Some(status) = status::of_settings(record) => status,
        End::Interrupted { .. } => status::INTERRUPTED,
        _ if !record.steps.iter().any(is_done) => status::FAILURE,
        _ => status::of(explained.verdict),
    })
}
