//! The command line as a whole: meanings, errors, and options of each verb.

use super::*;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn parse(line: &str, variables: &[(&str, &str)]) -> CommandResult {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let pair = |(name, value): &(&str, &str)| format!("{name}={value}");
    parse_recorded(&words, &variables.iter().map(pair).collect::<Vec<_>>())
}

/// Meaning of the words.
fn meaning(line: &str) -> String {
    format!("{:?}", parse(line, &[]).unwrap())
}

fn run(line: &str, variables: &[(&str, &str)]) -> RunArgs {
    parse(line, variables).unwrap().into_run().unwrap_or_else(|| panic!("{line} is no run"))
}

/// The interval of a monitor in seconds.
fn seconds(line: &str) -> f64 {
    let meaning = meaning(line);
    let interval = meaning.strip_prefix("MonitorArgs { interval: ").unwrap_or_else(|| panic!("{line}: {meaning}"));
    match interval.strip_prefix("Some(").and_then(|rest| rest.split_once(')')) {
        None => 0.0,
        Some((time, _)) => {
            ::workloads::job::duration::parse_duration(time).unwrap_or_else(|why| panic!("{line}: {why}")).as_secs_f64()
        }
    }
}

#[test]
fn monitor_interval_position() {
    for (line, expected) in [
        ("-m", 0.0),
        ("-m 2", 2.0),
        ("-m 0.5", 0.5),
        ("-m0.5", 0.5),
        ("-m .5", 0.5),
        ("-m 2s", 2.0),
        ("-cm 2", 2.0),
        ("-mc 2", 2.0),
        ("-mc2", 2.0),
        ("-mc", 0.0),
        ("-m -c", 0.0),
        ("-m -c 2", 2.0),
        ("-c -m 2", 2.0),
        ("2 -m", 2.0),
        ("2 -mc", 2.0),
        ("-m --count 3", 0.0),
        ("-m --count 3 --record x", 0.0),
        ("-m 0.1 --count 3", 0.1),
        ("--count 3 -m 2", 2.0),
        ("monitor", 0.0),
        ("monitor 0.2", 0.2),
        ("monitor --count 3 0.2", 0.2),
        ("--root 5 -m", 0.0),
    ] {
        assert_eq!(seconds(line), expected, "{line}");
    }
}

#[test]
fn usage_errors() {
    for (line, variables, expected) in [
        ("-m fast", &[][..], "takes a time of 20ms to 1h"),
        ("-m 0", &[], "20ms to 1h"),
        ("-m nan", &[], "20ms to 1h"),
        ("--record x", &[], "is a monitor option"),
        ("-m --resume", &[], "continues a benchmark run"),
        ("-k --resume x.json", &[], "continues a benchmark run"),
        ("-u -S", &[], "run them one after the other"),
        ("", &[("MODE", "fast")], "extensive or unattended"),
        ("", &[("MaxKHz", "1.4GHz")], "kHz"),
        ("", &[("NOTUNING", "maybe")], "yes or no"),
        ("", &[("MaxKHz", "400000"), ("MinKHz", "500000")], "no OPP is left"),
        // Options without effect are refused.
        ("-k -S", &[], "-k and -S cannot be combined"),
        ("-c -k", &[], "-c cannot be combined with -k"),
        ("-c -t 60", &[], "-c cannot be combined with -t"),
        ("-s -r", &[], "-s cannot be combined with -r"),
        ("-m --json", &[], "--json does not apply to -m; use --jsonl"),
        ("-m --force", &[], "--force does not apply to -m"),
        ("-m --wait 5s", &[], "--wait does not apply to -m"),
        ("-m --no-tuning", &[], "--no-tuning does not apply to -m"),
        ("-k --log x", &[], "--log does not apply to -k"),
        ("-S --meter shelly:plug", &[], "--meter does not apply to -S"),
        ("-R --force", &[], "--force does not apply to --no-benchmarks (-R)"),
        ("review --inspect --wait 5s", &[], "--wait does not apply to --inspect"),
        ("review --inspect -- true", &[], "--inspect does not take a command"),
        ("review --root x.board", &[], "--root applies to --inspect only"),
        ("--root x.board", &[], "--root applies to -m, -k and -S only"),
        ("-m -q", &[], "--quiet needs --record"),
        ("-m -- true", &[], "-m takes no command"),
        ("monitor -q --lines --record x", &[], "--quiet cannot be combined with --lines"),
        ("monitor 5 --replay x", &[], "use --speed"),
        ("monitor --replay x --meter shelly:plug", &[], "--meter does not apply to --replay"),
        ("thermal --wait-temp 1min", &[], "--wait-temp needs --cool-to or --heat-to"),
        ("thermal --duration 1s", &[], "--duration must be 3s to 24h"),
        ("thermal --unit x", &[], "--unit needs a command after --"),
        ("thermal --workload lzma --workload-file x", &[], "--workload-file needs a command after --, or --workload"),
        ("sensitivity --cpus 0", &[], "--cpus needs a command after --"),
        ("sensitivity --workload lzma --timeout 5s", &[], "--timeout needs a command after --, or --workload"),
        ("sensitivity --workload lzma --workload-file x", &[], "--workload-file needs a command"),
        ("ab --a true --b false --unit W", &[], "--unit needs --score-regex or --score-json"),
        ("-k --quiet", &[], "--quiet does not apply to -k"),
        ("run --repeat 3", &[], "--repeat needs a command"),
        ("run --unit x -- true", &[], "--unit needs --score-regex or --score-json"),
        ("run --workload stockfish --timeout 5s", &[], "only --repeat and --cpus apply to it"),
        ("run --workload lzma --workload-file x", &[], "only --repeat and --cpus apply to it"),
        ("run --workload stockfish --dir /", &[], "--dir does not apply to stockfish"),
        ("run --host x -- true", &[], "--host does not apply to this command"),
        ("workload drive --host x", &[], "--host does not apply to drive"),
        ("workload sevenzip bla", &[], "has no variant \"bla\""),
        ("workload aes:aes-1", &[], "has no variant \"aes-1\""),
        ("workload nonsense", &[], "Unknown workload"),
        ("clock --cpus quickest", &[], "must be all, fastest, core-types or a list"),
        ("clock --cpus core-types", &[], "core-types is for workloads and programs"),
    ] {
        let error = parse(line, variables).unwrap_err();
        assert!(error.contains(expected), "{line} {variables:?}: {error}");
    }
}

#[test]
fn old_names_of_options_are_kept() {
    for (old, new) in [
        ("clock --cpu 0-1 --quick", "clock --cpus 0-1 --no-tuning"),
        ("workload drive --folder /", "workload drive --dir /"),
        ("thermal --load lzma --minutes 2", "thermal --workload lzma --duration 2min"),
        ("efficiency --load lzma", "efficiency --workload lzma"),
        ("efficiency cores", "efficiency --cpus cores"),
        ("run --time -- true", "run --score-time -- true"),
        ("run --score-regex x(.) --lower-is-better -- true", "run --score-regex x(.) --better lower -- true"),
        ("review --look", "review --inspect"),
        ("mark a --to x", "mark a --record x"),
        ("workload aes aes-256-cbc", "workload aes:aes-256-cbc"),
    ] {
        assert_eq!(meaning(old), meaning(new), "{old}");
    }
}

/// Verbs of earlier versions and classic letters keep their meaning with all their options.
#[test]
fn old_verbs_are_kept() {
    for (old, new) in [
        ("clock --cpus 0 --readings 5 --heat 60s", "measure clock --cpus 0 --readings 5 --heat 60s"),
        ("memory --json", "measure memory --json"),
        ("core-to-core --no-tuning", "measure core-to-core --no-tuning"),
        ("scaling -q", "measure scaling -q"),
        ("workload aes aes-256-cbc --cpus 0", "measure aes aes-256-cbc --cpus 0"),
        ("workload aes:aes-256-cbc", "measure aes:aes-256-cbc"),
        ("kernel --json", "inspect kernel --json"),
        ("storage --json", "inspect storage --json"),
        ("inspect doctor", "inspect doctor"),
        ("identify --model X", "inspect identify --model X"),
        ("identify a.log --json", "inspect identify a.log --json"),
        ("review --inspect", "inspect"),
        ("review --inspect --json", "inspect --json"),
        ("mark fan off", "monitor mark fan off"),
        ("mark a --record x", "monitor mark a --record x"),
        ("report a.log --format csv", "explain a.log --format csv"),
        ("report a.log --html a.html", "explain a.log --html a.html"),
        ("report a.log --png plots", "explain a.log --plots plots"),
        ("trend a.log b.log --format md", "results --over-time a.log b.log --format md"),
        ("trend a.log --html a.html", "results a.log --over-time --html a.html"),
        ("site a b --out c --url https://a.b", "results a b --site c --url https://a.b"),
        ("restore", "recover --settings"),
        ("-k", "inspect kernel"),
        ("-k --json", "inspect kernel --json"),
        ("-S", "inspect storage"),
        ("-m 2", "monitor 2"),
        ("-m 2 --record x -q", "monitor 2 --record x --quiet"),
        ("-u", "update"),
        ("-j", "-r"),
        ("-R", "review --no-benchmarks"),
        ("-r -- true", "review -- true"),
        ("-t", "thermal --cool-to 50"),
        ("-T 60", "thermal --heat-to 60"),
        ("-g cores", "efficiency cores"),
        ("--force", "run --force"),
        ("a.log", "explain a.log"),
        ("-", "explain -"),
        ("./a b/c", "explain ./a b/c"),
    ] {
        assert_eq!(meaning(old), meaning(new), "{old}");
    }
}

/// Two or more words that follow each other twice: a text that says a thing again.
fn said_twice(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let spans = (2..=words.len() / 2).flat_map(|span| words.windows(2 * span));
    let mut repeated = spans.filter(|both| both[..both.len() / 2] == both[both.len() / 2..]);
    repeated.next().map(|both| both.join(" "))
}

/// Each verb with the words that name it, and those that verbs have themselves.
pub(crate) fn every_verb(program: &clap::Command) -> Vec<(String, &clap::Command)> {
    let mut found = vec![(String::new(), program)];
    for verb in program.get_subcommands().filter(|verb| verb.get_name() != "help") {
        found.push((verb.get_name().to_owned(), verb));
        let inner = verb.get_subcommands().filter(|verb| verb.get_name() != "help");
        found.extend(inner.map(|inner| (format!("{} {}", verb.get_name(), inner.get_name()), inner)));
    }
    found
}

#[test]
fn help_says_nothing_twice() {
    assert!(said_twice("Output format: Output format: md").is_some());
    let mut top = grammar();
    top.build();
    for (_, verb) in every_verb(&top) {
        for argument in verb.get_arguments() {
            let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string);
            assert_eq!(said_twice(&help.unwrap_or_default()), None, "{} {}", verb.get_name(), argument.get_id());
        }
    }
}

/// The long options of each verb that its help lists.
#[test]
fn each_verb_lists_the_options_that_it_uses() {
    const RUN: &str = "as-root force ignore-sensor json log machine meter publish quiet token-file upload wait yes";
    let own = "better name others-off score-json score-regex score-time timeout unit workload workload-file";
    for (verb, expected) in [
        ("run", format!("{RUN} {own} baseline cpus details dir fail-if host no-tuning repeat resume ssh-config tui")),
        ("ab", format!("{RUN} {own} a b blocks cpus no-tuning tui")),
        (
            "sensitivity",
            format!(
                "{RUN} at better cpus dir host resume rounds score-json score-regex score-time ssh-config timeout \
                 tui unit workload workload-file"
            ),
        ),
        (
            "thermal",
            format!(
                "{RUN} better cool-down cool-to dir duration heat-to host max-temp score-json score-regex \
                 score-time ssh-config tui unit wait-temp workload workload-file"
            ),
        ),
        ("efficiency", format!("{RUN} cpus dir host idle point resume ssh-config tui workload")),
        ("measure power", format!("{RUN} all-devices dry-run no-tuning off only suspend watch-off")),
        ("review", format!("{RUN} inspect no-benchmarks no-tuning no-watch root")),
        ("measure clock", "cpus heat ignore-sensor json meter no-tuning quiet readings".into()),
        ("measure memory", "cpus ignore-sensor json meter no-tuning quiet".into()),
        ("measure core-to-core", "cpus ignore-sensor json meter no-tuning quiet".into()),
        ("measure scaling", "cpus ignore-sensor json meter no-tuning quiet".into()),
        ("measure workload", "as-root cpus dir host ignore-sensor json meter no-tuning quiet ssh-config".into()),
        (
            "monitor",
            "count ignore-sensor jsonl lines meter prometheus quiet record replay root seek speed textfile tui web"
                .into(),
        ),
        ("monitor mark", "record".into()),
        ("explain", "baseline card check details fail-if format html json plots".into()),
        ("inspect", "json root".into()),
        ("measure", String::new()),
        ("compare", "details format html json with".into()),
        ("results", "board format html json over-time since site soc sort url valid".into()),
        ("view", "open port".into()),
        ("redact", "output".into()),
        ("share", "machine output publish to token-file yes".into()),
        ("upload", "machine publish to token-file yes".into()),
        ("inspect identify", "compatible cpuinfo json model root".into()),
        ("inspect kernel", "eol-file json root".into()),
        ("inspect storage", "json root".into()),
        ("inspect doctor", "json root".into()),
        ("snapshot", "root".into()),
        ("recover", "log settings".into()),
        ("update", "check from key yes".into()),
        ("list", String::new()),
        ("install-tools", "yes".into()),
        ("completions", String::new()),
    ] {
        let grammar = grammar();
        let verbs = every_verb(&grammar);
        let (_, verb) = verbs.iter().find(|(name, _)| name == verb).unwrap_or_else(|| panic!("there is no {verb}"));
        let options = verb.get_arguments().filter(|option| !option.is_hide_set());
        let mut found: Vec<&str> = options.filter_map(clap::Arg::get_long).collect();
        found.sort_unstable();
        let mut expected: Vec<&str> = expected.split_whitespace().collect();
        expected.sort_unstable();
        assert_eq!(found, expected, "{}", verb.get_name());
    }
    let top = grammar();
    let shown = top.get_arguments().filter(|option| !option.is_hide_set()).filter_map(clap::Arg::get_long);
    let mut shown: Vec<&str> = shown.collect();
    shown.sort_unstable();
    let expected = format!("{RUN} details no-tuning resume root");
    let mut expected: Vec<&str> = expected.split(' ').collect();
    expected.sort_unstable();
    assert_eq!(shown, expected);
}

#[test]
fn resume_by_file_or_latest() {
    for (line, expected) in [
        ("--resume", Some("latest")),
        ("--resume x.json --quiet", Some("x.json")),
        ("efficiency --resume", Some("latest")),
        ("run --resume -- true", Some("latest")),
        ("run -- true --resume", None),
    ] {
        assert_eq!(run(line, &[]).resume.as_deref(), expected.map(std::path::Path::new), "{line}");
    }
}

#[test]
fn root_option_position() {
    for line in ["--root x.board identify", "identify --root x.board", "--root x.board -m"] {
        let words = std::iter::once("sbc-bench").chain(line.split_whitespace());
        let cli = super::parse(words.map(OsString::from)).unwrap();
        assert_eq!(cli.root, Some("x.board".into()), "{line}");
    }
}

#[test]
fn environment_variables() {
    let variables = [("MODE", "extensive"), ("MaxKHz", "1416000"), ("NotReadyYet", "yes")];
    let args = run("-c --wait 5s --force", &variables);
    assert!(args.options.extensive && args.options.heat && args.options.force);
    assert!(!args.options.scores && args.options.tune);
    assert_eq!(args.options.clock_khz_max, Some(1_416_000));
    assert_eq!(args.options.wait, Duration::from_secs(5));
    assert_eq!(args.given, ["MODE=extensive", "MaxKHz=1416000", "NotReadyYet=yes", "--force", "-c"]);
}

/// Messages, rules and documents teach the verbs of today.
#[test]
fn no_text_names_an_old_verb() {
    fn texts(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()) {
            let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if entry.is_dir() && !["tests", "target", "fixtures", "tool_output"].contains(&name.as_str()) {
                texts(&entry, found);
            } else if let Ok(text) = std::fs::read_to_string(&entry) {
                found.push((entry, text));
            }
        }
    }
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["crates", "data", "docs", "packaging"] {
        texts(&top.join(folder), &mut found);
    }
    let mut named = Vec::new();
    for (path, text) in &found {
        for rest in text.split("`sbc-bench ").skip(1) {
            let word = rest.split(|c: char| !c.is_ascii_lowercase() && c != '-').next().unwrap_or_default();
            if arrange::OLD.iter().any(|(old, _)| *old == word) {
                named.push(format!("{}: {word}", path.strip_prefix(&top).unwrap().display()));
            }
        }
    }
    assert!(found.len() > 500, "{}", found.len());
    assert_eq!(named, Vec::<String>::new());
}
