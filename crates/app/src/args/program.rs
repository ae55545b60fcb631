//! Arguments of `run -- CMD`, `run --workload NAME` and `ab`: what to run, where its score stands,
//! how often. They end in a [`bench::Task`].

use crate::input;
use bench::{
    Ab, AnyTask, Definition, Load, Loads, Pinning, Program, Repeat, ScoreRule, Standard, parse_definitions,
    parse_duration, parse_pinning, parse_repeat, score_both, side,
};
use machine::{Caller, Root, Trust};
use record::Variant;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Definitions of a whole board farm have some tens of KiB.
const BYTES_MAX: u64 = 1 << 20;

/// What to run instead of the standard benchmark.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ProgramFlags {
    /// Name of the command in the results
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// A load of the table such as stockfish or stress-ng:cpu (see `sbc-bench list workloads`), or one
    /// that you defined in TOML (see `sbc-bench list definitions`)
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    pub(super) workload: Option<String>,
    /// A file of definitions, besides those in /etc/sbc-bench/workloads.d and
    /// ~/.config/sbc-bench/workloads.d
    #[arg(long, value_name = "FILE")]
    pub(super) workload_file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) score: ScoreFlags,
    /// So many times, or auto: until the median is known within 1 % [default: auto]
    #[arg(long, value_name = "N|auto", value_parser = parse_repeat)]
    pub(super) repeat: Option<Repeat>,
    /// all, fastest, core-types or a list such as 0-3 [default: all]
    #[arg(long, value_name = "CPUS", value_parser = parse_pinning)]
    pub(super) cpus: Option<Pinning>,
    /// Switch all other CPUs off while it runs, for a program that starts a thread for each CPU it sees,
    /// whatever --cpus says (as root; they come back however the run ends)
    #[arg(long)]
    pub(super) others_off: bool,
    /// End a run that takes longer, for example 90s or 10min [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(super) timeout: Option<Duration>,
    /// The command to measure, with its arguments
    #[arg(last = true, value_name = "CMD")]
    pub(super) command: Vec<String>,
}

/// Where the score stands.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ScoreFlags {
    /// The time it takes is the score (the default)
    #[arg(long, conflicts_with_all = ["score_regex", "score_json"])]
    time: bool,
    /// The first group of this expression is the score, at its last match in the output
    #[arg(long, value_name = "REGEX")]
    score_regex: Option<String>,
    /// The number at this path of the JSON it prints is the score, for example jobs.0.read.bw
    #[arg(long, value_name = "PATH", conflicts_with = "score_regex")]
    score_json: Option<String>,
    /// Unit of the score
    #[arg(long, value_name = "UNIT")]
    unit: Option<String>,
    /// A lower score is better (the default for time)
    #[arg(long)]
    lower_is_better: bool,
}

/// Arguments of `ab` besides those of a run.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct AbFlags {
    /// First side: settings such as governor=schedutil, maxkhz=1416000 or thp=never, or a command
    #[arg(long, value_name = "SIDE")]
    a: String,
    /// Second side
    #[arg(long, value_name = "SIDE")]
    b: String,
    /// Blocks of four runs (A B B A); six are the least for an answer
    #[arg(long, value_name = "N", default_value = "11", value_parser = clap::value_parser!(u32).range(6..=1000))]
    blocks: u32,
}

impl ScoreFlags {
    fn rule(&self) -> Result<ScoreRule, String> {
        match (&self.score_regex, &self.score_json) {
            (Some(regex), _) => ScoreRule::regex(regex),
            (None, Some(path)) => Ok(ScoreRule::Json(path.clone())),
            (None, None) => Ok(ScoreRule::Time),
        }
    }

    fn is_given(&self) -> bool {
        self.time || self.score_regex.is_some() || self.score_json.is_some()
    }
}

impl ProgramFlags {
    /// True if something else than the standard run is asked for.
    fn is_given(&self) -> bool {
        !self.command.is_empty() || self.workload.is_some()
    }

    /// The task of `run`.
    ///
    /// # Errors
    /// One sentence about what is wrong.
    pub(crate) fn task(&self) -> Result<AnyTask, String> {
        if let Some(load) = self.load()? {
            return Ok(AnyTask::of(Loads(vec![load])));
        }
        if self.is_given() {
            let definition = self.definition()?;
            if definition.others_off && definition.pinning == Pinning::All {
                return Err("--others-off needs --cpus: fastest, core-types or a list such as 0-3.".into());
            }
            return Ok(AnyTask::of(Program(definition)));
        }
        let lonely = self.name.is_some()
            || self.score.is_given()
            || self.repeat.is_some()
            || self.cpus.is_some()
            || self.others_off
            || self.timeout.is_some();
        match lonely {
            true => Err("this needs a command: sbc-bench run ... -- CMD.".into()),
            false => Ok(AnyTask::of(Standard)),
        }
    }

    /// A load of the table, unless it is a workload of the user's own.
    fn load(&self) -> Result<Option<Load>, String> {
        let Some(name) = &self.workload else {
            return Ok(None);
        };
        let Some(mut load) = Load::parse(name).map_err(|why| format!("{why}."))? else {
            return Ok(None);
        };
        let own = self.name.is_some() || self.score.is_given() || self.timeout.is_some();
        if own || self.others_off {
            return Err(format!("{name} has its own name, score and time limit; only --repeat and --cpus go with it."));
        }
        load.repeat = self.repeat;
        load.pinning = self.cpus.clone();
        Ok(Some(load))
    }

    /// The task of `ab`.
    ///
    /// # Errors
    /// One sentence about what is wrong.
    pub(crate) fn ab(&self, flags: &AbFlags) -> Result<Ab, String> {
        if self.repeat.is_some() {
            return Err("ab takes --blocks instead of --repeat.".into());
        }
        if self.load()?.is_some() {
            return Err("ab takes commands and workloads of your own, not those of the table.".into());
        }
        let program = self.is_given().then(|| self.definition()).transpose()?;
        let side = |name: &str, words: &str| {
            let mut side = side(words, program.as_ref()).map_err(|why| format!("--{name}: {why}."))?;
            side.definition.name = self.name.clone().unwrap_or(side.definition.name);
            if program.is_none() {
                side.definition.time_limit = self.timeout.unwrap_or(side.definition.time_limit);
                side.definition.pinning = self.cpus.clone().unwrap_or(Pinning::All);
                side.definition.others_off = self.others_off;
            }
            Ok::<_, String>(side)
        };
        let mut ab = Ab { sides: [side("a", &flags.a)?, side("b", &flags.b)?], blocks: flags.blocks };
        if ab.sides[0] == ab.sides[1] {
            // Asking whether a thing differs from itself shows what the machine's noise is.
            ab.sides[1].words.push_str(" (again)");
        }
        if program.is_none() && self.score.is_given() {
            let rule = self.score.rule()?;
            let is_time = rule == ScoreRule::Time;
            let unit = self.score.unit.clone().unwrap_or_else(|| if is_time { "s" } else { "" }.into());
            score_both(&mut ab, &rule, &unit, !is_time && !self.score.lower_is_better);
        }
        Ok(ab)
    }

    /// The same for a workload that the user defined.
    pub(super) fn of_workload(&self, name: &str) -> Self {
        Self { workload: Some(name.to_owned()), ..self.clone() }
    }

    /// # Errors
    /// One sentence about what is wrong.
    pub(super) fn definition(&self) -> Result<Definition, String> {
        let mut definition = match &self.workload {
            Some(name) => self.defined(name)?,
            None => Definition::of_command(self.command.clone()),
        };
        if let Some(name) = &self.name {
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err(format!("--name is one word, not {name:?}."));
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
        if let Some(unit) = &self.score.unit {
            definition.unit = unit.clone();
        }
        if bench::is_taken(&definition.name) {
            // Rules and tables know what such a step means; this one only has its name.
            definition.name.push_str("-command");
        }
        definition.higher_is_better &= !self.score.lower_is_better;
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
        let Definitions { all, left_aside } = definitions;
        let names: Vec<String> = all.iter().map(|(_, d)| d.name.clone()).collect();
        all.into_iter().map(|(_, definition)| definition).find(|definition| definition.name == name).ok_or_else(|| {
            let own = match names.is_empty() {
                true => String::new(),
                false => format!(" (own ones: {})", names.join(", ")),
            };
            let left: Vec<String> = left_aside
                .iter()
                .map(|(file, why)| format!("; {} is not read by root, because {why}", file.display()))
                .collect();
            let left = left.concat();
            format!("there is no workload {name:?}; `sbc-bench list workloads` names all{own}{left}.")
        })
    }
}

/// Definitions of the user's, and files that hold some and are not read.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    /// Those that can be used, each with its file.
    pub(crate) all: Vec<(PathBuf, Definition)>,
    /// Files that root does not read, each with the reason.
    pub(crate) left_aside: Vec<(PathBuf, String)>,
}

/// All definitions: those of the system, of the user, and of one more file. A later one replaces an
/// earlier one of the same name. Root reads only what nobody else can write but the user who called.
///
/// # Errors
/// One sentence with file, line and column; or about the one file, if root does not read it.
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
                return Err(format!("{name} is not read by root, because {why}."));
            }
            found.left_aside.push((file, why));
            continue;
        }
        let bytes = input::read(&file, BYTES_MAX).map_err(|why| format!("{why:#}"))?;
        let text = String::from_utf8(bytes).map_err(|why| format!("{name}: {why}."))?;
        for definition in parse_definitions(&text, bench::is_taken).map_err(|why| format!("{name}, {why}."))? {
            found.all.retain(|(_, known)| known.name != definition.name);
            let definition = Definition { file: Some(file.clone()), ..definition };
            found.all.push((file.clone(), definition));
        }
    }
    Ok(found)
}

/// The user who called, where this is root; none otherwise.
///
/// # Errors
/// One sentence: a variable of sudo's names a user that there is not.
pub(crate) fn calling_user() -> Result<Option<Caller>, String> {
    match machine::is_root() {
        true => machine::caller(&Root::system(), &|name| std::env::var(name).ok()),
        false => Ok(None),
    }
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
