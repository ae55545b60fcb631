//! `sbc-bench`, `sbc-bench run`: a run, from leftovers of the last one to the exit status.

mod ending;
mod keep;

use super::known::reference;
use super::limits;
use super::sending::Recipient;
use super::start::{SavedRun, begin, places, restore_leftovers, source, stamp, utc_offset_minutes};
use super::{Command, CommandResult, Verb};
use super::{recover, resume, resume_hint};
use crate::args::Environment;
use crate::args::groups::{ReportFlags, ResumeFlags, TuneFlags};
use crate::args::limits::LimitFlags;
use crate::args::program::{ProgramFlags, RepeatFlags, without_sensors};
use crate::args::run::{RunArgs, TaskFlags};
use crate::paths::Paths;
use anyhow::Context as _;
use bench::{Attributes, FinishedRun, OwnProgram, RunContext};
use compare::reference::Reference;
use compare::{neighbours, rank};
use console::progress::{Picture, ProgressBar};
use console::run_screen::RunScreen;
use console::terminal_caps::{TerminalCaps, text_columns};
use console::{input, output, signals, status, wrap};
use explain::Document;
use explain::monitor::whole_line;
use facts::lines::wrapped_at;
use facts::{Explained, Verdict};
use keep::{Results, StoredPaths, keep, stamp_of};
use machine::files::Stream;
use machine::{LazyMachine, Root, Timeline};
use record::{End, FailureKind, Gate, Outcome, QuestionId, Record, WorkloadId};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

/// Maximum size of cpuinfo, above that of 4096 CPUs.
const CPUINFO_BYTES_MAX: u64 = 16 << 20;

/// Answer to Ctrl-C.
const STOPPING: &str = "Stopping, restoring settings; results are kept. Ctrl-C again ends at once.";

/// Run the standard benchmark, a workload, or a command (-- CMD)
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    #[command(flatten)]
    program: ProgramFlags,
    #[command(flatten)]
    repeat: RepeatFlags,
    #[command(flatten)]
    tune: TuneFlags,
    #[command(flatten)]
    resume: ResumeFlags,
    #[command(flatten)]
    report: ReportFlags,
    #[command(flatten)]
    limits: LimitFlags,
    #[command(flatten)]
    run: TaskFlags,
}

impl Verb for Run {
    fn checked(self, environment: &Environment) -> CommandResult {
        let program = ProgramFlags { repeat: self.repeat.repeat, ..self.program };
        let run = self.run.run(program.task()?, &program.workload_ids(), self.tune, self.resume, environment)?;
        Ok(Box::new(RunArgs { details: self.report.details, limits: self.limits, ..run }))
    }
}

impl Command for RunArgs {
    fn run(self: Box<Self>, root: &Root) -> anyhow::Result<u8> {
        run(root, *self)
    }

    fn into_run(self: Box<Self>) -> Option<RunArgs> {
        Some(*self)
    }
}

fn run(root: &Root, args: RunArgs) -> anyhow::Result<u8> {
    begin(root)?;
    let (args, earlier) = resume::earlier(root, args)?;
    let sending = Recipient::of_run(&args.upload)?;
    limits::check(&args.limits)?;
    let root = with_cpuinfo(root, args.cpuinfo_file.as_deref())?;
    let root = without_sensors(&root, &args.options.ignored_sensors);
    let as_root = machine::is_root();
    let mut to = Places::of(as_root, args.log.as_deref())?;
    let picture = if args.screen { Some(Box::new(RunScreen::open()?) as Box<dyn Picture>) } else { None };
    let bar = ProgressBar::with_picture(args.quiet, picture);
    to.note().into_iter().for_each(|note| bar.show(&bench::Progress::Note(note)));
    let cancelled = signals::watch()?;
    if !args.quiet {
        signals::answer(STOPPING);
    }
    if as_root {
        restore_leftovers(&root, &to.paths, args.options.tune, &bar);
    }
    // Created after leftovers of a killed run (offline CPUs, limits) are restored.
    let machine = LazyMachine::new(&root);
    if let Some(why) = bench::refusal(&*args.task, &machine, &args.options) {
        anyhow::bail!(why);
    }
    if let Some(earlier) = &earlier {
        let goes_on = resume::checked(machine.machine(), earlier)?;
        bar.show(&bench::Progress::Note(goes_on));
    }
    let stamp = stamp(Timeline::start().start_utc_ms());
    let timeline = resume::timeline(earlier.as_ref());
    if args.log.is_some() {
        // Runs in the usual directory were recovered at the start.
        for sentence in recover::recovered(&root, &to.paths.history) {
            bar.show(&bench::Progress::Note(sentence));
        }
    }
    let (place, kept) = places(&root, &to.paths, &stamp, &bar);
    to.kept = kept;
    let typed = TypedLines::of(args.task.attributes().reads_marks);
    let mut marks = || typed.receiver.try_iter().collect::<Vec<String>>();
    let finished = bench::run(RunContext {
        root: &root,
        machine: &machine,
        timeline: &timeline,
        task: &*args.task,
        options: &args.options,
        given: args.given.clone(),
        asked: resume::asked(&args.options),
        earlier,
        utc_offset_minutes: utc_offset_minutes(timeline.start_utc_ms()),
        source: source(),
        place,
        journal: as_root.then_some(to.paths.journal.as_path()),
        cancelled,
        marks: Some(&mut marks),
        while_waiting: facts::soc::read_tables,
        expected_mips: |core, mhz| Reference::builtin().expected_mips(core, mhz),
        on_settings: &signals::set_restore_handle,
        shows_samples: bar.shows_samples(),
        progress: &mut |progress| bar.show(&progress),
    });
    bar.finish();
    typed.end();
    conclude(finished, to, &args, sending.as_ref())
}

/// Replaces `/proc/cpuinfo` if a file is given.
fn with_cpuinfo(root: &Root, path: Option<&Path>) -> anyhow::Result<Root> {
    let Some(path) = path else { return Ok(root.clone()) };
    let content = input::read(path, CPUINFO_BYTES_MAX).context("CPUINFOFILE")?;
    Ok(root.with_file("/proc/cpuinfo", &content))
}

/// Lines typed while a review monitors; none for other runs.
struct TypedLines {
    receiver: Receiver<String>,
    /// Stop reading.
    ended: Arc<AtomicBool>,
}

impl TypedLines {
    fn of(reads_marks: bool) -> Self {
        let (sender, receiver) = std::sync::mpsc::channel();
        let ended = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&ended);
        if reads_marks {
            // A line may never come; the thread then ends with the program.
            let read = move || {
                // The program can be moved to the background between two checks.
                machine::signals::never_stop_here();
                while let Some(line) = typed_line(&is_over) {
                    let text = facts::plain(&line);
                    if !text.is_empty() && sender.send(text).is_err() {
                        return;
                    }
                }
            };
            if let Err(missing) = machine::threads::spawn("typed-lines", read) {
                output::note(&format!("Lines that are typed are not kept: {missing}."));
            }
        }
        Self { receiver, ended }
    }

    fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// Interval at which a background job checks whether it has the terminal again.
const FOREGROUND_LOOK: std::time::Duration = std::time::Duration::from_millis(500);

/// The next line of standard input; none at its end, and on a terminal once `is_over`.
///
/// The kernel stops a program in the background that reads from its terminal (`sbc-bench -R &`), so this waits until the program
/// is in the foreground.
fn typed_line(is_over: &AtomicBool) -> Option<String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let root = machine::Root::system();
        let is_ours = || machine::signals::is_in_front(&root, &stdin);
        let mut typed = [PollFd::new(&stdin, PollFlags::IN)];
        let look = Timespec { tv_sec: 0, tv_nsec: FOREGROUND_LOOK.subsec_nanos().into() };
        while !(is_ours() && matches!(poll(&mut typed, Some(&look)), Ok(1..)) && is_ours()) {
            if !is_ours() {
                std::thread::sleep(FOREGROUND_LOOK);
            }
            if is_over.load(Ordering::Relaxed) {
                return None;
            }
        }
        if is_over.load(Ordering::Relaxed) {
            return None;
        }
    }
    let mut line = Vec::new();
    let is_line = whole_line(&mut stdin.lock(), &mut line).ok()?;
    is_line.then(|| String::from_utf8_lossy(&line).into_owned())
}

/// Destinations of the results of a run.
struct Places {
    paths: Paths,
    /// Destination of the log if it is not a regular file.
    stream: Option<Stream>,
    kept: Option<SavedRun>,
}

impl Places {
    /// Checks the destinations before the run.
    fn of(as_root: bool, log: Option<&Path>) -> anyhow::Result<Self> {
        let paths = Paths::choose(as_root, log);
        let stream = match log {
            Some(_) => paths.stream().map_err(anyhow::Error::msg)?,
            None => None,
        };
        Ok(Self { paths, stream, kept: None })
    }

    /// Note with the path of the result file, if it is not next to the log.
    fn note(&self) -> Option<String> {
        let (log, history) = (self.paths.log.display(), self.paths.history.display());
        let kind = self.stream.as_ref()?.kind;
        Some(format!("--log {log} is {kind}; the log is written to it, and the result file to {history}."))
    }
}

/// Writes log and Record, prints the report, and returns the exit status.
fn conclude(finished: FinishedRun, places: Places, args: &RunArgs, sending: Option<&Recipient>) -> anyhow::Result<u8> {
    let FinishedRun { record, trouble, broken, .. } = finished;
    let Places { paths, stream, kept } = places;
    if record.run.end == End::Refused {
        kept.iter().for_each(|kept| kept.runs.forget(&kept.stem));
        output::note(&refusal(record.gate.known()));
        return Ok(status::of_settings(&record).unwrap_or(status::REFUSED));
    }
    if matches!(record.run.end, End::Interrupted { .. }) && record.steps.is_empty() {
        // Without measurements, keep the log of the last good run.
        kept.iter().for_each(|kept| kept.runs.forget(&kept.stem));
        output::note("Interrupted before the first measurement; earlier results are unchanged.");
        return Ok(status::of_settings(&record).unwrap_or(status::INTERRUPTED));
    }
    let explained = explain::explain(&record);
    let is_review = args.task.question().id == QuestionId::Review;
    let log = rendered(if is_review { "review" } else { "log" }, &explained)?;
    let mut sentences: Vec<String> =
        trouble.map(|missing| format!("The event stream of the run is incomplete: {missing}.")).into_iter().collect();
    let json = Document::saved(&explained.facts, &explained.assessment);
    let kept =
        keep(Results { paths, stream, kept, stamp: stamp_of(&record), json: json.clone(), log: log.clone(), broken });
    // Scripts look for these words.
    sentences.push(kept.place.clone().unwrap_or_else(|| "Do not check the log: it is not of this run.".to_owned()));
    let is_interrupted = matches!(record.run.end, End::Interrupted { .. });
    let is_doubtful = explained.assessment.verdict != Verdict::Valid && !is_interrupted;
    if kept.place.is_some() && is_doubtful && !args.task.attributes().only_watches {
        // Scripts look for these words.
        sentences.push("For the evidence, check the log, or use `sbc-bench explain --details`.".to_owned());
    }
    let keeps_limits = match limits::answers(&args.limits, kept.record.as_deref(), &explained) {
        Ok(answers) => {
            sentences.extend(limits::sentences(&answers).lines().map(str::to_owned));
            !limits::is_failure(&answers)
        }
        Err(error) => {
            sentences.push(format!("The limits were not checked. {error:#}"));
            false
        }
    };
    sentences.extend(kept.record.as_deref().and_then(|file| interrupted(&record, file)));
    if args.json {
        output::print(&(Document::printed(&explained.facts, &explained.assessment) + "\n"))?;
        sentences.iter().for_each(|sentence| output::note(sentence));
    } else {
        let log = Some(log).filter(|_| is_review);
        output::print_text(&report(&explained, args, log, kept.record.as_deref(), &sentences)?)?;
    }
    kept.problems.iter().for_each(|problem| output::note(problem));
    if let Some(sending) = sending {
        sending.after_run(&json, kept.record.as_deref(), args.json);
    }
    Ok(exit_status(&explained, &kept, args.task.attributes(), keeps_limits))
}

/// Output at the end: one screen for a standard run on a terminal, the log of a review, else the whole report.
fn report(
    explained: &Explained<'_>,
    args: &RunArgs,
    log: Option<String>,
    file: Option<&Path>,
    sentences: &[String],
) -> anyhow::Result<String> {
    let is_standard = args.task.question().id == QuestionId::Standard;
    let has_ended = matches!(explained.facts.run.end, End::Finished | End::Interrupted { .. });
    if is_standard && has_ended && !args.details && console::terminal_caps::columns().is_some() {
        let chart = neighbours(explained.facts.in_lines(), &explained.assessment, reference());
        return Ok(ending::ending(explained, chart, file, sentences, text_columns()));
    }
    let text = match log {
        Some(log) => log,
        None => {
            let is_whole = is_standard && explained.facts.run.end == End::Finished;
            let others = if is_whole { among_others(explained) } else { String::new() };
            rendered("text", explained)? + &course(&explained.facts) + &others
        }
    };
    // At most 80 columns on wider terminals, as the text above.
    let line = |sentence: &String| match console::terminal_caps::columns() {
        Some(_) => wrap::line(sentence, text_columns()) + "\n",
        None => format!("{sentence}\n"),
    };
    Ok(format!("{text}\n{}", sentences.iter().map(line).collect::<String>()))
}

/// Sentence about an interrupted run: number of steps, result file, and the command that continues it or starts it again.
fn interrupted(record: &Record, file: &Path) -> Option<String> {
    if !matches!(record.run.end, End::Interrupted { .. }) || record.run.is_monitoring() {
        return None;
    }
    let done = record.steps.iter().filter(|step| matches!(step.outcome, Outcome::Done(_))).count();
    let again = || record.run.asked.as_ref().map(|asked| format!("Use `{}` to start again.", resume_hint::line(asked)));
    let way = resume_hint::way(&record.run, file).or_else(again).unwrap_or_default();
    let done = facts::how_many(done, "measured step");
    Some(format!("Interrupted; {done} in {}. {way}", file.display()).trim_end().to_owned())
}

/// Clock and temperature over the run, for terminals with UTF-8.
fn course(facts: &facts::Facts<'_>) -> String {
    let columns = console::terminal_caps::columns().filter(|_| !TerminalCaps::of_this_terminal().ascii);
    let lines = columns.map(|columns| explain::monitor::sparklines(facts, columns)).unwrap_or_default();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// Comparison of a standard run with similar boards.
fn among_others(explained: &Explained<'_>) -> String {
    let ranking = rank(explained, reference());
    let more = "All figures next to known boards: sbc-bench compare. Page and card: sbc-bench explain --html FILE --card FILE.";
    let line = |text| wrapped_at(text, 0, text_columns());
    format!("\n{}\n{}\n", line(&ranking.answer.sentence), line(more))
}

fn rendered(id: &str, explained: &Explained<'_>) -> anyhow::Result<String> {
    let report = super::explain::find(id)?;
    Ok(report.text_in(explained, reference, text_columns()))
}

fn exit_status(explained: &Explained<'_>, kept: &StoredPaths, attributes: Attributes, keeps_limits: bool) -> u8 {
    let record: &Record = &explained.facts;
    if let Some(status) = status::of_settings(record) {
        return status;
    }
    if !kept.is_whole() {
        return status::NOT_WRITTEN;
    }
    match record.run.end {
        End::Interrupted { .. } => status::INTERRUPTED,
        _ if let Some(status) = status_of_program(record, attributes.own_program) => status,
        // Monitoring has no results to judge.
        _ if attributes.only_watches => 0,
        _ => match status::of(explained.assessment.verdict) {
            status::INVALID => status::INVALID,
            _ if !keeps_limits => status::FAILURE,
            status => status,
        },
    }
}

/// Exit status of a failed command of the user.
fn status_of_program(record: &Record, own: OwnProgram) -> Option<u8> {
    let failed = |step: &record::Step| match &step.outcome {
        Outcome::Failed(failure) if failure.kind == FailureKind::Interrupted => Some(status::INTERRUPTED),
        Outcome::Failed(failure) => {
            let status = failure.exit_status.and_then(|status| u8::try_from(status).ok());
            Some(status.unwrap_or(status::FAILURE))
        }
        _ => None,
    };
    match own {
        OwnProgram::None => None,
        OwnProgram::Measured => record.steps.iter().find_map(failed),
        OwnProgram::Watched => {
            // The step of the command is before that of its monitoring.
            let mut steps = record.steps.iter().rev();
            steps.find(|step| step.workload == WorkloadId::Watch)?;
            failed(steps.next()?)
        }
    }
}

/// Sentence about a run that did not start, with the processes that keep CPUs busy.
fn refusal(gate: Option<&Gate>) -> String {
    let Some(gate) = gate else { return "The system is busy.".into() };
    let (percent, waited_s) = (gate.busy_hundredths_percent / 100, gate.waited_ms / 1000);
    let busy = format!("The system stayed busy ({percent} % of all CPUs) for {waited_s} s");
    let by = if gate.busiest.is_empty() { "what keeps it busy" } else { "these processes" };
    format!("{}. Stop {by} or use --force.", facts::view::with_processes(busy, &gate.busiest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::BusyProcess;

    #[test]
    fn refusal_with_and_without_known_processes() {
        let mut gate = Gate { busy_hundredths_percent: 9_900, waited_ms: 4_000, ..Gate::default() };
        let busy = "The system stayed busy (99 % of all CPUs) for 4 s";
        assert_eq!(refusal(Some(&gate)), format!("{busy}. Stop what keeps it busy or use --force."));
        gate.busiest.push(BusyProcess { pid: 7, name: "cc1".into(), hundredths_percent: 5_000 });
        let named = format!("{busy}: cc1 (PID 7, 50 % of one CPU). Stop these processes or use --force.");
        assert_eq!(refusal(Some(&gate)), named);
    }
}
