//! `sbc-bench ab`: two settings or commands in alternating runs.

use super::{CommandResult, Verb};
use crate::args::Environment;
use crate::args::groups::{ScreenFlags, TuneFlags};
use crate::args::program::ProgramFlags;
use crate::args::run::{RunArgs, RunFlags};
use bench::{Ab, AnyTask, score_both, side};
use workloads::job::pinning::CpuSelection;
use workloads::job::score::ScoreRule;

/// Compare two settings or commands in alternating runs
///
/// Runs A and B in blocks of A-B-B-A and reports the difference with its 95 % interval.
#[derive(Debug, clap::Args)]
pub(crate) struct AbFlags {
    /// Arm A: settings such as governor=schedutil, maxkhz=1416000 or thp=never, or a command
    #[arg(long, value_name = "ARM")]
    a: String,
    /// Arm B, in the same form
    #[arg(long, value_name = "ARM")]
    b: String,
    /// Number of A-B-B-A blocks (minimum 6)
    #[arg(long, value_name = "N", default_value = "11", value_parser = clap::value_parser!(u32).range(6..=1000))]
    blocks: u32,
    #[command(flatten)]
    program: ProgramFlags,
    #[command(flatten)]
    tune: TuneFlags,
    #[command(flatten)]
    screen: ScreenFlags,
    #[command(flatten)]
    flags: RunFlags,
}

impl Verb for AbFlags {
    fn checked(self, environment: &Environment) -> CommandResult {
        let task = AnyTask::of(self.task()?);
        let run = RunArgs::of(task, self.flags, self.tune, environment)?;
        Ok(Box::new(RunArgs { screen: self.screen.tui, ..run }))
    }
}

impl AbFlags {
    /// The task of `ab`.
    fn task(&self) -> Result<Ab, String> {
        let flags = &self.program;
        if flags.load()?.is_some() {
            return Err("ab compares commands and your own workload definitions, not built-in workloads.".into());
        }
        let program = flags.is_given().then(|| flags.definition()).transpose()?;
        let side = |name: &str, words: &str| {
            let mut side = side(words, program.as_ref()).map_err(|why| format!("--{name}: {why}."))?;
            side.definition.name = flags.name.clone().unwrap_or(side.definition.name);
            if program.is_none() {
                side.definition.time_limit = flags.timeout.unwrap_or(side.definition.time_limit);
                side.definition.pinning = flags.cpus.clone().unwrap_or(CpuSelection::All);
                side.definition.others_off = flags.others_off;
            }
            Ok::<_, String>(side)
        };
        let mut ab = Ab { sides: [side("a", &self.a)?, side("b", &self.b)?], blocks: self.blocks };
        if ab.sides[0] == ab.sides[1] {
            // Two equal arms measure the noise of the machine.
            ab.sides[1].words.push_str(" (again)");
        }
        if program.is_none() {
            flags.score.check_of_time(flags.score.rule()? == ScoreRule::Time)?;
        }
        if program.is_none() && flags.score.is_given() {
            let rule = flags.score.rule()?;
            let is_time = rule == ScoreRule::Time;
            let unit = flags.score.unit.clone().unwrap_or_else(|| if is_time { "s" } else { "" }.into());
            score_both(&mut ab, &rule, &unit, !is_time && !flags.score.lower_is_better());
        }
        Ok(ab)
    }
}
