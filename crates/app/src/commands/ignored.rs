//! Tests that no verb ignores an option: for each option of each verb, the command with it differs from the command without it.
//! Tests of the program check the effect.

use super::*;
use record::WorkloadId;

/// Words required with the option; empty for the standard run.
const BASES: &[(&str, &str)] = &[
    ("run", "-- true"),
    ("ab", "--a thp=never --b thp=always -- true"),
    ("monitor mark", "text"),
    ("explain", "a.log"),
    ("measure workload", "aes:aes-256-cbc"),
    ("compare", "a.log"),
    ("results", "a.log"),
    ("view", "a.log"),
    ("redact", "a.log"),
    ("share", "a.log"),
    ("upload", "a.log --to https://hub.example"),
    ("completions", "bash"),
];

/// Options that need others, with the verbs; these words replace the base.
const WITH: &[(&str, &str, &[&str])] = &[
    ("--root", "-k", &[""]),
    ("--workload", "", &["run"]),
    ("--workload-file", "--workload mine", &["run", "sensitivity", "thermal"]),
    ("--others-off", "--cpus 0 -- true", &["run"]),
    ("--better", "--score-regex a -- true", &["run", "sensitivity", "thermal"]),
    ("--unit", "--score-regex a -- true", &["run", "sensitivity", "thermal"]),
    ("--dir", "--workload drive", &["run", "sensitivity", "thermal", "efficiency"]),
    ("--host", "--workload network", &["run", "sensitivity", "thermal", "efficiency"]),
    ("--ssh-config", "--workload sftp --host a", &["run", "sensitivity", "thermal", "efficiency"]),
    ("--a", "--b thp=always -- true", &["ab"]),
    ("--b", "--a thp=always -- true", &["ab"]),
    ("--workload", "--a thp=never --b thp=always --workload-file @FILE", &["ab"]),
    ("--workload-file", "--a thp=never --b thp=always --workload mine", &["ab"]),
    ("--others-off", "--a thp=never --b thp=always --cpus 0 -- true", &["ab"]),
    ("--better", "--a thp=never --b thp=always --score-regex a -- true", &["ab"]),
    ("--unit", "--a thp=never --b thp=always --score-regex a -- true", &["ab"]),
    ("--score-time", "-- true", &["sensitivity", "thermal"]),
    ("--score-regex", "-- true", &["sensitivity", "thermal"]),
    ("--score-json", "-- true", &["sensitivity", "thermal"]),
    ("--timeout", "-- true", &["sensitivity"]),
    ("--cpus", "-- true", &["sensitivity"]),
    ("--wait-temp", "--cool-to 50", &["thermal"]),
    ("--dir", "drive:random-read", &["measure workload"]),
    ("--host", "network:send", &["measure workload"]),
    ("--ssh-config", "sftp --host a", &["measure workload"]),
    ("--speed", "--replay a.rec", &["monitor"]),
    ("--seek", "--replay a.rec", &["monitor"]),
    ("--quiet", "--record a.rec", &["monitor"]),
    ("--fail-if", "--baseline b.log", &["run"]),
    ("--baseline", "--fail-if clock-cold<baseline", &["run"]),
    ("--fail-if", "a.log --baseline b.log", &["explain"]),
    ("--baseline", "a.log --fail-if clock-cold<baseline", &["explain"]),
    ("--url", "shelf --site a", &["results"]),
    ("--to", "a.log", &["upload"]),
    ("--publish", "a.log --to https://hub.example", &["share"]),
    ("--machine", "a.log --to https://hub.example", &["share"]),
    ("--yes", "a.log --to https://hub.example", &["share"]),
    ("--root", "--inspect", &["review"]),
];

/// Options that need `--upload`.
const OF_UPLOAD: &[&str] = &["--token-file", "--publish", "--machine", "--yes"];

/// Example value of an option, by verb and option or by the name of its value.
const VALUES: &[(&str, &str)] = &[
    ("ARM", "thp=never"),
    ("CELSIUS", "55"),
    ("CPUS", "0"),
    ("DIR", "@DIR"),
    ("FACTOR", "7"),
    ("FILE", "@FILE"),
    ("ID", "json"),
    ("PARTS", "idle"),
    ("DEVICE", "usb"),
    ("FORMAT", "csv"),
    ("KHZ|extremes|all", "all"),
    ("METER", "shelly:127.0.0.1"),
    ("N", "7"),
    ("N|auto", "7"),
    // A network is refused.
    ("NETWORK", ""),
    ("PORT", "8080"),
    ("REGEX", "a"),
    ("SECONDS", "7"),
    ("TEST", "compress-7zip"),
    ("TIME", "77s"),
    ("URL", "https://hub.example"),
    ("YYYY-MM-DD", "2026-11-23"),
    ("FILE|DIR", "b.log"),
    ("FILE|DIR|URL", "a.json"),
    ("LIMIT", "clock-cold<baseline"),
    ("[ADDR:]PORT", "9478"),
    ("[USER@]NAME[:PORT]", "a"),
    ("higher|lower", "lower"),
];

/// Options whose effect is not in the command, with reasons.
const ELSEWHERE: &[(&str, &str)] =
    &[("--as-root", "applies under sudo; see the tests of rights"), ("--score-time", "is the default")];

/// Directory for samples, and a file with a definition.
const PLACE: &str = env!("CARGO_MANIFEST_DIR");
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/commands/ignored.toml");

/// Command of these words, and its `--root`.
fn outcome(words: &str) -> Result<String, String> {
    let words = std::iter::once("sbc-bench").chain(words.split_whitespace());
    let word = |word: &str| match word {
        "@FILE" => OsString::from(FILE),
        "@DIR" => OsString::from(PLACE),
        word => OsString::from(word),
    };
    let cli = super::parse(words.map(word)).map_err(|error| error.to_string())?;
    let root = cli.root.clone();
    Ok(format!("{root:?} {:?}", command(cli, &Environment::default())?))
}

fn sample(verb: &str, option: &str, arg: &clap::Arg) -> String {
    let name = arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    match (verb, option) {
        ("ab", "--workload") => "mine".to_owned(),
        (_, "--workload") => WorkloadId::SevenZip.as_str().to_owned(),
        ("results", "--sort") => "khs".to_owned(),
        // A value behind `=` may be left out.
        _ if !arg.get_action().takes_values() || arg.is_require_equals_set() => String::new(),
        _ => VALUES.iter().find(|(known, _)| *known == name).map_or("x", |(_, value)| value).to_owned(),
    }
}

fn has_upload(verb: &clap::Command) -> bool {
    verb.get_arguments().any(|arg| arg.get_long() == Some("upload"))
}

/// Error for an option without effect.
fn problem(verb: &str, arg: &clap::Arg) -> Option<String> {
    let option = match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => return None,
    };
    if ELSEWHERE.iter().any(|(known, _)| *known == option) {
        return None;
    }
    let base = BASES.iter().find(|(known, _)| *known == verb).map_or("", |(_, words)| words);
    let with = WITH.iter().find(|(known, _, verbs)| *known == option && verbs.contains(&verb));
    let base = with.map_or(base, |(_, words, _)| words);
    let is_of_run =
        verb.is_empty() || tests::every_verb(&grammar()).iter().any(|(name, known)| name == verb && has_upload(known));
    let base = if OF_UPLOAD.contains(&option.as_str()) && is_of_run {
        format!("--upload https://hub.example {base}")
    } else {
        base.to_owned()
    };
    let (before, behind) = base.split_once("-- ").map_or((&*base, String::new()), |(a, b)| (a, format!("-- {b}")));
    let value = sample(verb, &option, arg);
    let line = format!("{verb} {before} {option} {value} {behind}");
    match (outcome(&format!("{verb} {base}")), outcome(&line)) {
        (_, Err(why)) => Some(format!("{line}: {}", why.lines().next().unwrap_or_default())),
        (Ok(without), Ok(with)) if without == with => Some(format!("{line}: it is ignored")),
        (_, Ok(_)) => None,
    }
}

#[test]
fn no_verb_ignores_an_option_that_it_lists() {
    let grammar = grammar();
    let mut problems = Vec::new();
    let mut count = 0;
    for (name, verb) in tests::every_verb(&grammar) {
        if ["guard", "manual"].contains(&name.as_str()) {
            continue;
        }
        let options = verb.get_arguments().filter(|arg| !arg.is_hide_set() && !arg.is_positional());
        let options = options.filter(|arg| !["help", "version"].contains(&arg.get_id().as_str()));
        for arg in options {
            count += 1;
            problems.extend(problem(&name, arg));
        }
    }
    assert!(problems.is_empty(), "{} of {count} options:\n{}", problems.len(), problems.join("\n"));
    assert!(count > 150, "{count}");
}
