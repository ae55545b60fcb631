//! Arguments of `run -- CMD`, `run --workload NAME` and `ab`: command, score, repetitions. They make a [`bench::Task`].

use super::groups::chosen;
use bench::{AnyTask, Load, Loads, Program, Standard};
use console::{input, output};
use machine::{Caller, Root, Trust};
use record::{Variant, WorkloadId};
use std::path::{Path, PathBuf};
use std::time::Duration;
use workloads::job::definition::{Definition, Repeat, parse_definitions, parse_repeat};
use workloads::job::duration::parse_duration;
use workloads::job::pinning::{CpuSelection, parse_cpu_selection};
use workloads::job::score::ScoreRule;

/// Maximum size of a definitions file, in bytes; large farms use tens of KiB.
const BYTES_MAX: u64 = 1 << 20;

/// A command or workload instead of the standard benchmark.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ProgramFlags {
    /// Name of the command in the results (one word)
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Workload to run: one that you defined in TOML (see `sbc-bench list definitions`) or, with `run`, a known one such
    /// as stockfish or stress-ng:cpu (see `sbc-bench list workloads`)
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    pub(crate) workload: Option<String>,
    /// Read workload definitions from FILE, in addition to /etc/sbc-bench/workloads.d and
    /// ~/.config/sbc-bench/workloads.d
    #[arg(long, value_name = "FILE", requires = "workload")]
    pub(crate) workload_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) score: ScoreFlags,
    /// Set from [`RepeatFlags`] by verbs that have them.
    #[arg(skip)]
    pub(crate) repeat: Option<Repeat>,
    /// CPUs to run on: all, fastest, core-types or a list such as 0-3 [default: all]
    #[arg(long, value_name = "CPUS", value_parser = parse_cpu_selection)]
    pub(crate) cpus: Option<CpuSelection>,
    /// Take all other CPUs offline during the run, for programs that start one thread per CPU regardless of affinity
    /// (needs root; the CPUs are brought back online even if the run fails)
    #[arg(long)]
    pub(crate) others_off: bool,
    /// Kill a run that takes longer, for example 90s or 10min [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Command to benchmark, with its arguments
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

/// Repetitions of a command or workload.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct RepeatFlags {
    /// Number of runs, or auto: until the 95 % interval of the median is within 1 % [default: auto]
    #[arg(long, value_name = "N|auto", value_parser = parse_repeat)]
    pub(crate) repeat: Option<Repeat>,
}

/// Source of the score.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ScoreFlags {
    /// Use the run time as the score (default)
    #[arg(long = "score-time", alias = "time", conflicts_with_all = ["score_regex", "score_json"])]
    time: bool,
    /// Use the first capture group of REGEX, at its last match in the output, as the score
    #[arg(long, value_name = "REGEX")]
    score_regex: Option<String>,
    /// Use the number at PATH of the command's JSON output as the score, for example jobs.0.read.bw
    #[arg(long, value_name = "PATH", conflicts_with = "score_regex")]
    score_json: Option<String>,
    /// Unit of the score
    #[arg(long, value_name = "UNIT")]
    pub(crate) unit: Option<String>,
    /// Whether higher or lower scores are better [default: lower for run time, else higher]
    #[arg(long, value_name = "higher|lower", value_parser = parse_better, conflicts_with = "lower_is_better")]
    better: Option<BetterDirection>,
    #[arg(long, hide = true)]
    lower_is_better: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BetterDirection {
    Higher,
    Lower,
}

fn parse_better(text: &str) -> Result<BetterDirection, String> {
    match text {
        "higher" => Ok(BetterDirection::Higher),
        "lower" => Ok(BetterDirection::Lower),
        _ => Err(format!("--better must be higher or lower, not {text:?}")),
    }
}

impl ScoreFlags {
    pub(crate) fn rule(&self) -> Result<ScoreRule, String> {
        match (&self.score_regex, &self.score_json) {
            (Some(regex), _) => ScoreRule::regex(regex),
            (None, Some(path)) => Ok(ScoreRule::Json(path.clone())),
            (None, None) => Ok(ScoreRule::Time),
        }
    }

    pub(crate) fn is_given(&self) -> bool {
        self.time || self.score_regex.is_some() || self.score_json.is_some()
    }

    /// Name of the first given option.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        chosen([
            (self.time, "--score-time"),
            (self.score_regex.is_some(), "--score-regex"),
            (self.score_json.is_some(), "--score-json"),
            (self.unit.is_some(), "--unit"),
            (self.better.is_some() || self.lower_is_better, "--better"),
        ])
        .next()
    }

    pub(crate) fn lower_is_better(&self) -> bool {
        self.lower_is_better || self.better == Some(BetterDirection::Lower)
    }

    /// Refuses unit and direction for a run time, which has its own.
    pub(crate) fn check_of_time(&self, is_time: bool) -> Result<(), String> {
        let wrong =
            [(self.unit.is_some(), "--unit"), (self.better == Some(BetterDirection::Higher), "--better higher")];
        match chosen(wrong).next().filter(|_| is_time) {
            Some(option) => Err(format!("{option} needs --score-regex or --score-json.")),
            None => Ok(()),
        }
    }
}

impl ProgramFlags {
    /// True for anything but the standard run.
    pub(crate) fn is_given(&self) -> bool {
        !self.command.is_empty() || self.workload.is_some()
    }

    /// The task of `run`.
    pub(crate) fn task(&self) -> Result<AnyTask, String> {
        if let Some(load) = self.load()? {
            return Ok(AnyTask::of(Loads(vec![load])));
        }
        if self.is_given() {
            let definition = self.definition()?;
            if definition.others_off && definition.pinning == CpuSelection::All {
                return Err(
                    "--others-off needs --cpus fastest, --cpus core-types or --cpus with a list such as 0-3.".into()
                );
            }
            return Ok(AnyTask::of(Program(definition)));
        }
        let lonely = [
            (self.name.is_some(), "--name"),
            (self.repeat.is_some(), "--repeat"),
            (self.cpus.is_some(), "--cpus"),
            (self.others_off, "--others-off"),
            (self.timeout.is_some(), "--timeout"),
        ];
        match self.score.first_given().or_else(|| chosen(lonely).next()) {
            Some(option) => Err(format!("{option} needs a command: sbc-bench run {option} ... -- CMD.")),
            None => Ok(AnyTask::of(Standard)),
        }
    }

    /// The built-in workload, if one is named.
    pub(crate) fn workload_ids(&self) -> Vec<WorkloadId> {
        let load = self.load().ok().flatten();
        load.map(|load| load.workload).into_iter().collect()
    }

    /// The built-in workload; none for a definition of the user.
    pub(crate) fn load(&self) -> Result<Option<Load>, String> {
        let Some(name) = &self.workload else { return Ok(None) };
        let Some(mut load) = Load::parse(name).map_err(|why| format!("{why}."))? else {
            return Ok(None);
        };
        let own = self.name.is_some() || self.timeout.is_some() || self.others_off || self.workload_file.is_some();
        if own || self.score.first_given().is_some() {
            return Err(format!("{name} is a built-in workload; only --repeat and --cpus apply to it."));
        }
        load.repeat = self.repeat;
        load.pinning = self.cpus.clone();
        Ok(Some(load))
    }

    /// Refuses options that apply to own commands and workloads only, where there is none.
    pub(crate) fn check_own(&self, is_own: bool) -> Result<(), String> {
        let others = [
            (self.cpus.is_some(), "--cpus"),
            (self.timeout.is_some(), "--timeout"),
            (self.workload_file.is_some(), "--workload-file"),
        ];
        match self.score.first_given().or_else(|| chosen(others).next()).filter(|_| !is_own) {
            Some(option) => {
                Err(format!("{option} needs a command after --, or --workload with a definition of your own."))
            }
            None => Ok(()),
        }
    }

    /// These flags for a definition of the user.
    pub(crate) fn of_workload(&self, name: &str) -> Self {
        Self { workload: Some(name.to_owned()), ..self.clone() }
    }

    pub(crate) fn definition(&self) -> Result<Definition, String> {
        let mut definition = match &self.workload {
            Some(name) => self.defined(name)?,
            None => Definition::of_command(self.command.clone()),
        };
        if let Some(name) = &self.name {
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err(format!("--name must be one word, not {name:?}."));
            }
            definition.name = name.clone();
            definition.variant = Variant::ONLY;
        }
        if self.score.is_given() {
            definition.score = self.score.rule()?;
            definition.higher_is_better = definition.score != ScoreRule::Time;
            definition.unit = match definition.score {
                ScoreRule::Time => "s".into(),
                _ => String::new(),
            };
        }
        self.score.check_of_time(definition.score == ScoreRule::Time)?;
        if let Some(unit) = &self.score.unit {
            definition.unit = unit.clone();
        }
        if workloads::is_taken(&definition.name) {
            // Rules and tables would take the step for the built-in workload of this name.
            definition.name.push_str("-command");
        }
        definition.higher_is_better &= !self.score.lower_is_better();
        definition.repeat = self.repeat.unwrap_or(definition.repeat);
        definition.time_limit = self.timeout.unwrap_or(definition.time_limit);
        if let Some(cpus) = &self.cpus {
            definition.pinning = cpus.clone();
        }
        definition.others_off |= self.others_off;
        Ok(definition)
    }

    fn defined(&self, name: &str) -> Result<Definition, String> {
        let definitions = definitions(self.workload_file.as_deref())?;
        let Definitions { all, left_aside, .. } = definitions;
        let names: Vec<String> = all.iter().map(|(_, definition)| definition.spelling()).collect();
        let is_it = |definition: &Definition| definition.name == name || definition.spelling() == name;
        all.into_iter().map(|(_, definition)| definition).find(is_it).ok_or_else(|| {
            let own = if names.is_empty() { String::new() } else { format!(" (defined by you: {})", names.join(", ")) };
            let left: Vec<String> = left_aside
                .iter()
                .map(|(file, why)| format!("; root does not read {} because {why}", file.display()))
                .collect();
            let left = left.concat();
            format!("Unknown workload {name:?}; see `sbc-bench list workloads`{own}{left}.")
        })
    }
}

/// Definitions of the user.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    /// Definitions with their files.
    pub(crate) all: Vec<(PathBuf, Definition)>,
    /// Names of sensors that are not read.
    pub(crate) ignored_sensors: Vec<String>,
    /// Files that root does not read, with reasons.
    pub(crate) left_aside: Vec<(PathBuf, String)>,
}

/// The root without sensors that the command line or a file of definitions ignores. Notes files that cannot be read.
pub(crate) fn without_sensors(root: &Root, named: &[String]) -> Root {
    let defined = definitions(None).unwrap_or_else(|why| {
        output::note(&why);
        Definitions::default()
    });
    root.without_sensors(&[named, &defined.ignored_sensors].concat())
}

/// Reads the definitions of the system, of the user, and of one more file. A later definition replaces an earlier one of the same
/// name. Root reads only files that no other user but the caller can write.
///
/// # Errors
/// One sentence with file, line and column, or with the reason why root does not read the one file.
pub(crate) fn definitions(more: Option<&Path>) -> Result<Definitions, String> {
    let mut files = Vec::new();
    for folder in folders() {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut own: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        own.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        own.sort();
        files.extend(own);
    }
    let more = more.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()));
    files.extend(more.clone());
    let user = calling_user()?.map(|user| user.uid);
    let trust = machine::is_root().then(|| Trust::new(&Root::system(), user));
    let mut found = Definitions::default();
    for file in files {
        let name = file.display();
        if let Some(why) = trust.as_ref().and_then(|trust| trust.objection(&file)) {
            if more.as_ref() == Some(&file) {
                return Err(format!("Root does not read {name} because {why}."));
            }
            found.left_aside.push((file, why));
            continue;
        }
        let bytes = input::read(&file, BYTES_MAX).map_err(|why| format!("{why:#}"))?;
        let text = String::from_utf8(bytes).map_err(|why| format!("{name}: {why}."))?;
        let read = parse_definitions(&text, workloads::is_taken).map_err(|why| format!("{name}, {why}."))?;
        found.ignored_sensors.extend(read.ignored_sensors);
        for definition in read.workloads {
            found.all.retain(|(other, known)| known.name != definition.name || *other == file);
            let definition = Definition { file: Some(file.clone()), ..definition };
            found.all.push((file.clone(), definition));
        }
    }
    Ok(found)
}

/// The user who called sudo; none without root.
pub(crate) fn calling_user() -> Result<Option<Caller>, String> {
    if machine::is_root() { machine::caller(&Root::system(), &|name| std::env::var(name).ok()) } else { Ok(None) }
}

/// XDG Base Directory Specification: `$XDG_CONFIG_HOME`, else `~/.config`.
fn folders() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let user = variable("XDG_CONFIG_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| variable("HOME").map(|home| home.join(".config")));
    let system = PathBuf::from("/etc/sbc-bench/workloads.d");
    let user = user.map(|folder| folder.join("sbc-bench/workloads.d"));
    std::iter::once(system).chain(user).collect()
}
