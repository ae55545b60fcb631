//! `sbc-bench review`: measures settings that cost performance, then monitors the machine. `inspect` and `review --inspect` only
//! list them.

use super::known;
use super::start::{source, utc_offset_minutes};
use super::{Command, CommandResult, Verb};
use crate::args::Environment;
use crate::args::groups::{RootFlags, TuneFlags, chosen};
use crate::args::run::{RunArgs, RunFlags};
use crate::paths::replace;
use anyhow::Context as _;
use bench::{AnyTask, Review};
use console::output;
use console::terminal_caps::text_columns;
use explain::Document;
use machine::{Root, Timeline};
use record::{End, Fact, Mode, Record, Run, Survey};
use std::path::PathBuf;
use std::sync::atomic::AtomicI32;

/// Find settings that cost performance, measure, monitor
///
/// Inspects the machine, benchmarks it as found and after tuning each group of settings, runs the standard
/// benchmarks, and monitors until Ctrl-C or until CMD (or $ExecuteCommand) exits. It then restores all settings and
/// reports throttling, power, temperatures, kernel messages and changes. Tuning needs root; without root the
/// machine is only monitored.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ReviewFlags {
    /// Run no benchmarks: inspect, tune, monitor, restore and report (-R)
    #[arg(long)]
    pub(crate) no_benchmarks: bool,
    /// Only inspect; nothing is benchmarked, changed or monitored
    #[arg(long = "inspect", alias = "look")]
    pub(crate) inspect: bool,
    /// Do not monitor after the benchmarks
    #[arg(long)]
    pub(crate) no_watch: bool,
    /// Also run a stress load for five minutes; `-c` with `-r`
    #[arg(skip)]
    pub(crate) heat: bool,
    #[command(flatten)]
    pub(crate) tune: TuneFlags,
    #[command(flatten)]
    pub(crate) run: RunFlags,
    #[command(flatten)]
    pub(crate) root: RootFlags,
    /// Monitor while this command runs instead of until Ctrl-C
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

/// Place of a command after `--`.
pub(crate) const COMMANDS: &str =
    "Use `sbc-bench run -- CMD` to benchmark a command, `sbc-bench -R -- CMD` to monitor the machine while it runs";

impl Verb for ReviewFlags {
    fn checked(self, environment: &Environment) -> CommandResult {
        self.check()?;
        if self.inspect {
            return Ok(Box::new(Inspection { json: self.run.output.json, log: self.run.output.log }));
        }
        let mut given = environment.given();
        given.extend(self.tune.given(environment));
        given.extend(self.given());
        let task = AnyTask::of(self.task(environment));
        let mut run = RunArgs::of(task, self.run, self.tune, environment)?;
        run.options.heat = self.heat;
        Ok(Box::new(RunArgs { given, ..run }))
    }
}

/// An inspection without a review.
#[derive(Debug)]
pub(crate) struct Inspection {
    pub(crate) json: bool,
    /// Additional file for the text.
    pub(crate) log: Option<PathBuf>,
}

impl Command for Inspection {
    fn run(self: Box<Self>, root: &Root) -> anyhow::Result<u8> {
        let record = looked_at(root, workloads::survey::survey(root, 0, &AtomicI32::new(0)));
        let explained = explain::explain(&record);
        let text = if self.json {
            Document::printed(&explained.facts, &explained.assessment) + "\n"
        } else {
            let report = report::find("review").context("Unknown report \"review\"")?;
            report.text_in(&explained, known::reference, text_columns())
        };
        if let Some(path) = &self.log {
            replace(path, &facts::harmless(&text))?;
        }
        if self.json {
            output::print(&text)?
        } else {
            output::print_text(&text)?
        }
        Ok(0)
    }
}

impl ReviewFlags {
    fn check(&self) -> Result<(), String> {
        if self.root.root.is_some() && !self.inspect {
            return Err("--root applies to --inspect only: a review changes and measures the running system.".into());
        }
        let no_runs = [(self.inspect, "--inspect"), (self.no_benchmarks, "--no-benchmarks (-R)")];
        if let (Some(without), Some(option)) = (chosen(no_runs).next(), self.run.idle.given().next()) {
            return Err(format!("{option} does not apply to {without}, which runs no benchmarks."));
        }
        if self.inspect && self.run.upload.given().next().is_some() {
            return Err(
                "--upload does not apply to --inspect, which makes no result file; send what `sbc-bench review \
                        --inspect --json` prints by `sbc-bench upload FILE --to URL`."
                    .into(),
            );
        }
        if self.inspect && !self.command.is_empty() {
            return Err(
                "--inspect does not take a command; use `sbc-bench review --no-benchmarks -- CMD` (-R) to monitor \
                 while CMD runs."
                    .into(),
            );
        }
        if self.no_benchmarks && self.no_watch && !self.inspect {
            return Err(
                "--no-benchmarks with --no-watch leaves nothing to do; use `sbc-bench review --inspect`.".into()
            );
        }
        Ok(())
    }

    fn task(&self, environment: &Environment) -> Review {
        let mut command = self.command.clone();
        if command.is_empty()
            && let Some(line) = environment.get("ExecuteCommand")
        {
            command = split_command(line);
        }
        Review { benchmarks: !self.no_benchmarks, command, watch: !self.no_watch }
    }

    /// Command line for the Record.
    fn given(&self) -> Vec<String> {
        let flags = [
            ("--no-benchmarks", self.no_benchmarks),
            ("--no-watch", self.no_watch),
            ("--force", self.run.idle.force),
            ("-c", self.heat),
        ];
        let flags = flags.iter().filter(|(_, is)| *is);
        let command = Some(self.command.join(" ")).filter(|command| !command.is_empty());
        let command = command.map(|command| format!("-- {command}"));
        flags.map(|(flag, _)| (*flag).to_owned()).chain(command).collect()
    }
}

/// Words of `ExecuteCommand`: a program with its arguments, or a line for a shell if it has characters of one.
fn split_command(line: &str) -> Vec<String> {
    if line.contains(['\'', '"', '|', '&', ';', '<', '>', '$', '`', '\\', '*', '(']) {
        ["sh", "-c", line].map(str::to_owned).to_vec()
    } else {
        line.split_whitespace().map(str::to_owned).collect()
    }
}

/// A Record with machine and survey, without steps.
pub(crate) fn looked_at(root: &Root, survey: Survey) -> Record {
    let timeline = Timeline::start();
    let run = Run {
        started: Fact::Known(timeline.start_utc_ms()),
        utc_offset_minutes: utc_offset_minutes(timeline.start_utc_ms()),
        mode: Mode::Look,
        as_root: machine::is_root(),
        end: End::Finished,
        ..Run::default()
    };
    let mut record = Record::new(source(), run);
    record.machine = workloads::measure::emulation::identified(root);
    record.states = vec![machine::state(root, 0)];
    record.surveys = vec![survey];
    record
}
