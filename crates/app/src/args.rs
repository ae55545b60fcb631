//! The command line: the verbs, and the classic flags of the bash program. Everything that can be wrong with the arguments
//! is found before anything runs. A verb's own flags are in its file in `commands`; here are those that several share.

mod arrange;
mod classic;
mod classic_loads;
mod environment;
pub(crate) mod groups;
mod help;
#[cfg(test)]
mod ignored;
pub(crate) mod meters;
pub(crate) mod program;
pub(crate) mod run;
pub(crate) mod targets;
#[cfg(test)]
pub(crate) mod tests;
mod usage_error;
pub(crate) mod written;

use arrange::reorder;
pub(crate) use environment::Environment;
pub(crate) use usage_error::sentence;

use crate::commands::monitor::MonitorFlags;
use crate::commands::{Checked, Verb, Verbs};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};
use classic::Classic;
use groups::{ResumeFlags, TuneFlags};
use run::RunFlags;
use std::ffi::OsString;
use std::path::PathBuf;

/// Benchmark a single-board computer or small server, and explain the result.
///
/// Without a command, run the standard benchmark. It takes a few minutes and needs no installation. As root it also
/// sets the cpufreq governors to performance during the run and restores them afterwards.
#[derive(Debug, Parser)]
#[command(name = "sbc-bench", version = env!("SBC_BENCH_VERSION"), max_term_width = 80, args_conflicts_with_subcommands = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    verb: Option<Verbs>,
    #[command(flatten)]
    classic: Classic,
    #[command(flatten)]
    run: RunFlags,
    #[command(flatten)]
    tune: TuneFlags,
    #[command(flatten)]
    resume: ResumeFlags,
    /// With -m, -k or -S: read from this directory or .board snapshot instead of the running system
    #[arg(long, value_name = "DIR|FILE.board")]
    pub(crate) root: Option<PathBuf>,
    #[command(flatten)]
    monitor: MonitorFlags,
}

/// The `--root` of a verb, or of a verb of it.
fn root_of(matches: &ArgMatches) -> Option<PathBuf> {
    let own = || matches.try_get_one::<PathBuf>("root").ok().flatten().cloned();
    matches.subcommand().and_then(|(_, verb)| root_of(verb)).or_else(own)
}

/// The grammar of the command line.
pub(crate) fn grammar() -> clap::Command {
    help::with_help(Cli::command())
}

/// Reads the words of a command line, the name of the program first.
///
/// # Errors
/// What clap says: wrong words, or a help text.
pub(crate) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let grammar = grammar();
    let matches = grammar.clone().try_get_matches_from(reorder(words, &grammar))?;
    Ok(Cli { root: root_of(&matches), ..Cli::from_arg_matches(&matches)? })
}

/// The command of these words and variables, as they were typed for an earlier run.
pub(crate) fn parse_recorded(words: &[String], variables: &[String]) -> Checked {
    let words = std::iter::once("sbc-bench").chain(words.iter().map(String::as_str));
    let cli = parse(words.map(OsString::from));
    let pairs = variables.iter().filter_map(|text| text.split_once('='));
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let environment = Environment { variables: pairs.map(own).collect() };
    command(cli.map_err(|error| error.to_string())?, &environment)
}

/// The command, or one sentence about what is wrong with the arguments.
pub(crate) fn command(cli: Cli, environment: &Environment) -> Checked {
    match cli.verb {
        Some(verb) => verb.checked(environment),
        None if cli.root.is_some() && !cli.classic.reads_other_machines() => {
            Err("--root applies to -m, -k and -S only: a benchmark measures the running system.".into())
        }
        None => cli.classic.command(cli.run, cli.tune, cli.resume, cli.monitor, environment),
    }
}
