//! Parser of definitions in TOML files, with places of errors.

use super::{Definition, ProgramRule, Repeat, TIME_LIMIT, kebab, parse_repeat};
use crate::job::duration::parse_duration;
use crate::job::pinning::{CpuSelection, parse_cpu_selection};
use crate::job::score::ScoreRule;
use record::Variant;
use serde::Deserialize;
use std::ops::Range;

/// A file of definitions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    workload: Vec<toml::Spanned<Entry>>,
    #[serde(default)]
    ignore_sensors: Vec<String>,
}

/// Content of a file of definitions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DefinitionFile {
    /// Workloads.
    pub workloads: Vec<Definition>,
    /// Sensors to ignore, as with `--ignore-sensor`.
    pub ignored_sensors: Vec<String>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: toml::Spanned<String>,
    about: Option<String>,
    link: Option<String>,
    command: Option<toml::Spanned<CommandText>>,
    program: Option<toml::Spanned<ProgramEntry>>,
    cpus: Option<toml::Spanned<CpusText>>,
    others_off: Option<toml::Spanned<bool>>,
    repeat: Option<toml::Spanned<RepeatText>>,
    score_regex: Option<toml::Spanned<String>>,
    score_json: Option<String>,
    scale: Option<f64>,
    unit: Option<String>,
    better: Option<BetterDirection>,
    timeout: Option<toml::Spanned<TimeText>>,
    seconds: Option<u64>,
    memory_mib: Option<u64>,
    detail: Option<String>,
    no_score: Option<String>,
    not_comparable: Option<String>,
    #[serde(default)]
    variant: Vec<toml::Spanned<Entry>>,
}

impl Entry {
    /// A variant; missing values come from the workload.
    fn or(&self, workload: &Self) -> Self {
        let has_score = self.score_regex.is_some() || self.score_json.is_some();
        let of_score = if has_score { self } else { workload };
        macro_rules! or {
            ($($field:ident)*) => {
                Self {
                    name: workload.name.clone(),
                    score_regex: of_score.score_regex.clone(),
                    score_json: of_score.score_json.clone(),
                    variant: Vec::new(),
                    $($field: self.$field.clone().or_else(|| workload.$field.clone()),)*
                }
            };
        }
        or!(about link command program cpus others_off repeat scale unit better timeout seconds memory_mib detail
            no_score not_comparable)
    }
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct ProgramEntry {
    name: Option<String>,
    names: Option<Vec<String>>,
    version: String,
    #[serde(default)]
    oldest: Vec<u32>,
    method_digits: Option<u32>,
    #[serde(default)]
    as_root: bool,
}

/// A list of words, or one line for the shell.
#[derive(Deserialize, Clone)]
#[serde(untagged, expecting = "a list of words, or one line for the shell")]
enum CommandText {
    Words(Vec<String>),
    Shell(String),
}

#[derive(Deserialize, Clone)]
#[serde(untagged, expecting = "a list of CPU numbers, or a word such as \"all\" or \"fastest\"")]
enum CpusText {
    List(Vec<u32>),
    Word(String),
}

#[derive(Deserialize, Clone)]
#[serde(untagged, expecting = "a whole number of runs, or a word in quotes")]
enum RepeatText {
    Times(u32),
    Word(String),
}

#[derive(Deserialize, Clone)]
#[serde(untagged, expecting = "a whole number of seconds, or a time in quotes such as \"5min\"")]
enum TimeText {
    Seconds(u64),
    Word(String),
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum BetterDirection {
    Higher,
    Lower,
}

/// Reads a file of definitions:
///
/// ```toml
/// ignore_sensors = ["battery"]   # above the first workload
///
/// [[workload]]
/// name = "kernel-build"
/// command = ["make", "-C", "/usr/src/linux", "-j4"]   # or one line for the shell
/// cpus = "all"              # fastest, core-types, "0-3" or [0, 2]
/// others_off = true         # switch all other CPUs off meanwhile: it starts a thread for each it sees
/// repeat = "auto"           # or a number
/// score_regex = 'total (\S+)'   # or score_json = "results.0.score"; else the time counts
/// unit = "s"
/// better = "lower"          # or higher
/// timeout = "10min"
/// seconds = 40              # expected duration, for the estimate of the run
/// memory_mib = 500          # not run with less memory available
/// detail = "what the score means"
/// no_score = "what is said of an output without a score"
/// not_comparable = "why scores of it cannot be compared"
/// about = "what it does"
/// link = "https://..."
///
/// [workload.program]        # found by name, asked with --version
/// names = ["make", "gmake"] # instead of the first word of the command, best first
/// version = 'GNU Make \S+'  # the version; with a group, that is the version and the name stands before it
/// oldest = [4, 3]
/// method_digits = 2         # scores of different versions are not compared
///
/// [[workload.variant]]      # run as kernel-build:modules; what it does not say is as above
/// name = "modules"
/// command = ["make", "modules", "-j{threads}"]
/// ```
///
/// Each named group of `score_regex` is a further score of that name. In commands, `{threads}` is the number of CPUs and
/// `{half_memory_kib}` half of the available memory for each of them.
///
/// Names for which `is_taken` is true are refused: they have another meaning in Records.
///
/// # Errors
/// One sentence with line and column.
pub fn parse_definitions(text: &str, is_taken: fn(&str) -> bool) -> Result<DefinitionFile, String> {
    let file: File = toml::from_str(text).map_err(|error| {
        let place = error.span().map_or(String::new(), |span| place(text, &span));
        let message = error.message().trim().replace('\n', "; ");
        format!("{place}{message}{}", hint(&message))
    })?;
    let mut definitions: Vec<Definition> = Vec::new();
    for entry in &file.workload {
        let (entry, with_place) = (entry.get_ref(), |(span, why)| format!("{}{why}", place(text, &span)));
        if definitions.iter().any(|known| known.name == *entry.name.get_ref()) {
            return Err(with_place((entry.name.span(), format!("duplicate workload {:?}", entry.name.get_ref()))));
        }
        let mut add = |entry: &Entry, variant| {
            definitions.push(Definition { variant, ..definition(entry, is_taken).map_err(with_place)? });
            Ok::<(), String>(())
        };
        for variant in entry.variant.iter().map(toml::Spanned::get_ref) {
            add(&variant.or(entry), variant.name.get_ref().as_str().into())?;
        }
        if entry.variant.is_empty() {
            add(entry, Variant::ONLY)?;
        }
    }
    Ok(DefinitionFile { workloads: definitions, ignored_sensors: file.ignore_sensors })
}

/// Definitions of a file of `data/workloads`.
///
/// # Panics
/// The file is invalid.
pub(crate) fn built_in(text: &str) -> Vec<Definition> {
    parse_definitions(text, |_| false).expect("definitions of data/workloads are valid").workloads
}

const OTHERS_OF_ALL: &str = "others_off needs cpus = \"fastest\", \"core-types\" or a list such as \"0-3\"";

/// Hint for common errors that the parser's message does not explain.
fn hint(message: &str) -> &'static str {
    let is_outside =
        ["expected a sequence", "expected `workload`", "field `workload`"].iter().any(|words| message.contains(words));
    if is_outside {
        return "; every workload must start with a line [[workload]]";
    }
    if message.contains("escape") { "; write the string in '...' to use backslashes" } else { "" }
}

/// Place and message.
type DefinitionError = (Range<usize>, String);

fn definition(entry: &Entry, is_taken: fn(&str) -> bool) -> Result<Definition, DefinitionError> {
    let name = entry.name.get_ref();
    if name.is_empty() || *name != kebab(name) {
        let why = format!("name may contain only letters, digits, dots and dashes, not {name:?}");
        return Err((entry.name.span(), why));
    }
    if is_taken(name) {
        let why = format!("{name} is a built-in workload; use another name");
        return Err((entry.name.span(), why));
    }
    let Some(written) = &entry.command else { return Err((entry.name.span(), "missing field `command`".into())) };
    let command = match written.get_ref() {
        CommandText::Words(words) => words.clone(),
        CommandText::Shell(line) => vec!["/bin/sh".into(), "-c".into(), line.clone()],
    };
    if command.is_empty() || command.iter().any(|word| word.contains('\0')) {
        return Err((written.span(), "command is empty".into()));
    }
    let score = match (&entry.score_regex, &entry.score_json) {
        (Some(regex), Some(_)) => {
            let why = "score_regex and score_json cannot be combined".into();
            return Err((regex.span(), why));
        }
        (Some(regex), None) => ScoreRule::regex(regex.get_ref()).map_err(|why| (regex.span(), why))?,
        (None, Some(path)) => ScoreRule::Json(path.clone()),
        (None, None) => ScoreRule::Time,
    };
    let is_time = score == ScoreRule::Time;
    let own_unit = if is_time { "s" } else { "" };
    let own_better = if is_time { BetterDirection::Lower } else { BetterDirection::Higher };
    let pinning = with_span(&entry.cpus, |cpus| match cpus {
        CpusText::List(cpus) => Ok(CpuSelection::Cpus(cpus.clone())),
        CpusText::Word(word) => parse_cpu_selection(word),
    })?
    .unwrap_or(CpuSelection::All);
    let others_off = with_span(&entry.others_off, |off| match (*off, &pinning) {
        (true, CpuSelection::All) => Err(OTHERS_OF_ALL.into()),
        (off, _) => Ok(off),
    })?
    .unwrap_or(false);
    Ok(Definition {
        name: name.clone(),
        variant: Variant::ONLY,
        about: entry.about.clone().unwrap_or_default(),
        link: entry.link.clone().unwrap_or_default(),
        command,
        program: with_span(&entry.program, |program| program_rule(name, program))?,
        pinning,
        others_off,
        repeat: with_span(&entry.repeat, |repeat| match repeat {
            RepeatText::Times(times) => parse_repeat(&times.to_string()),
            RepeatText::Word(word) => parse_repeat(word),
        })?
        .unwrap_or(Repeat::UntilSteady),
        score,
        scale: entry.scale.unwrap_or(1.0),
        unit: entry.unit.clone().unwrap_or_else(|| own_unit.into()),
        higher_is_better: entry.better.unwrap_or(own_better) == BetterDirection::Higher,
        time_limit: with_span(&entry.timeout, |time| match time {
            TimeText::Seconds(seconds) => parse_duration(&seconds.to_string()),
            TimeText::Word(word) => parse_duration(word),
        })?
        .unwrap_or(TIME_LIMIT),
        seconds: entry.seconds,
        memory_mib: entry.memory_mib.unwrap_or(0),
        detail: entry.detail.clone().unwrap_or_default(),
        no_score: entry.no_score.clone(),
        not_comparable: entry.not_comparable.clone(),
        file: None,
    })
}

fn program_rule(workload: &str, entry: &ProgramEntry) -> Result<ProgramRule, String> {
    ScoreRule::regex(&entry.version)?;
    if entry.method_digits.is_some_and(|digits| !(1..=2).contains(&digits)) {
        return Err("method_digits must be 1 or 2".into());
    }
    let name = entry.name.clone().unwrap_or_else(|| workload.to_owned());
    Ok(ProgramRule {
        names: entry.names.clone().unwrap_or_else(|| vec![name.clone()]),
        name,
        version: entry.version.clone(),
        oldest: entry.oldest.clone(),
        method_digits: entry.method_digits,
        as_root: entry.as_root,
    })
}

/// Reads an optional value; adds the place to errors.
fn with_span<T, U>(
    value: &Option<toml::Spanned<T>>,
    read: impl Fn(&T) -> Result<U, String>,
) -> Result<Option<U>, DefinitionError> {
    let read = |value: &toml::Spanned<T>| read(value.get_ref()).map_err(|why| (value.span(), why));
    value.as_ref().map(read).transpose()
}

/// `line 3, column 8: `
fn place(text: &str, span: &Range<usize>) -> String {
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    format!("line {line}, column {column}: ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::is_taken;
    use proptest::prelude::*;
    use record::Missing;
    use std::time::Duration;

    const MINIMAL: &str = "[[workload]]\nname = 'a'\ncommand = ['true']\n";

    #[test]
    fn full_definition_is_read() {
        let text = "
            ignore_sensors = ['battery']
            [[workload]]
            name = 'kernel-build'
            command = ['make', '-j4']
            cpus = '0-2'
            repeat = 5
            score_regex = 'total (\\S+)'
            unit = 'files/s'
            better = 'higher'
            timeout = '10min'
            [[workload]]
            name = 'line'
            command = 'a | b'
            cpus = [1]
            others_off = true
            score_json = 'x.y'
            [[workload]]
            name = 'plain'
            command = ['true']
            timeout = 3";
        let file = parse_definitions(text, is_taken).unwrap();
        assert_eq!(file.ignored_sensors, ["battery"]);
        let [build, line, plain] = &file.workloads[..] else { panic!() };
        assert_eq!(build.pinning, CpuSelection::Cpus(vec![0, 1, 2]));
        assert_eq!(build.repeat, Repeat::Times(5));
        assert_eq!(build.time_limit, Duration::from_secs(600));
        assert_eq!((build.unit.as_str(), build.higher_is_better), ("files/s", true));
        assert_eq!(line.command, ["/bin/sh", "-c", "a | b"]);
        assert_eq!(line.score, ScoreRule::Json("x.y".into()));
        assert!(line.higher_is_better && line.others_off && !build.others_off);
        assert_eq!((plain.unit.as_str(), plain.higher_is_better), ("s", false));
        assert_eq!(plain.time_limit, Duration::from_secs(3));
    }

    #[test]
    fn variants_inherit_from_their_workload() {
        let text = "
            [[workload]]
            name = 'a'
            command = ['true', '-j{threads}']
            score_regex = 'total (\\S+)'
            unit = 'x'
            [workload.program]
            names = ['true', 'gtrue']
            version = 'coreutils\\) (\\S+)'
            [[workload.variant]]
            name = 'one'
            [[workload.variant]]
            name = 'two'
            command = 'b'
            score_json = 'c'";
        let workloads = parse_definitions(text, is_taken).unwrap().workloads;
        let [one, two] = &workloads[..] else { panic!() };
        assert_eq!((one.name.as_str(), one.variant.as_str(), two.variant.as_str()), ("a", "one", "two"));
        let unknown = || Err(Missing::unsupported("/proc/meminfo", "it has no MemAvailable"));
        assert_eq!(one.arguments(4, &unknown()), Ok(vec!["-j4".to_owned()]));
        let command = ["x", "{half_memory_kib}k"].map(str::to_owned).to_vec();
        let half = Definition::of_command(command);
        assert_eq!(half.arguments(4, &Ok(8000)), Ok(vec!["1000k".to_owned()]));
        assert_eq!(half.arguments(4, &unknown()), unknown().map(|_: u64| Vec::new()), "never 0");
        assert_eq!((&two.score, two.unit.as_str()), (&ScoreRule::Json("c".into()), "x"));
        let kind = two.program.as_ref().unwrap().kind(true);
        assert_eq!((kind.recognise)("true (GNU coreutils) 9.1").as_deref(), Some("a 9.1"));
    }

    #[test]
    fn definition_errors_have_line_and_column() {
        let with = |line: &str| format!("{MINIMAL}{line}\n");
        for (text, expected) in [
            (with("cpus = 'most'"), "line 4, column 8: CPUs must be all"),
            (with("repeat = 0"), "line 4, column 10: repeat must be"),
            (with("timeout = 'soon'"), "line 4, column 11: a time must be"),
            (with("score_regex = '('"), "line 4, column 15: invalid regular expression"),
            (with("others_off = true"), "line 4, column 14: others_off needs cpus"),
            (with("program = { version = '(' }"), "line 4, column 11: invalid regular expression"),
            (with("cpus = [0]\nothers_off = 1"), "line 5, column 14: invalid type"),
            (with("score_regex = 'a'\nscore_json = 'b'"), "cannot be combined"),
            (with("colour = 'red'"), "line 4, column 1: unknown field `colour`"),
            (with("better = 'faster'"), "line 4, column 10: unknown variant"),
            (with(MINIMAL), "line 5, column 8: duplicate workload \"a\""),
            ("[[workload]]\nname = 'a b'\ncommand = 'x'".into(), "line 2, column 8: name may contain"),
            ("[[workload]]\nname = 'a'\ncommand = []".into(), "line 3, column 11: command is empty"),
            ("[[workload]]\nname = 'aes'\ncommand = 'x'".into(), "line 2, column 8: aes is a built-in workload"),
            ("[workload]\nname = 'a'".into(), "must start with a line [[workload]]"),
            ("name = 'a'".into(), "must start with a line [[workload]]"),
            ("[[workload]]\nname = 'a'\nscore_regex = \"(\\d)\"".into(), "in '...' to use backslashes"),
            ("[[workload]]\nname = 'a'".into(), "missing field `command`"),
            ("[[workload".into(), "line 1, column "),
        ] {
            let error = parse_definitions(&text, is_taken).unwrap_err();
            assert!(error.contains(expected), "{text}\n{error}");
        }
    }

    proptest! {
        #[test]
        fn parse_definitions_never_panics(text in ".{0,300}", line in "[a-z_]{1,10} = .{0,20}") {
            let _ = parse_definitions(&text, is_taken);
            let _ = parse_definitions(&format!("{MINIMAL}{line}\n"), is_taken);
            let _ = parse_duration(&text);
        }
    }
}
