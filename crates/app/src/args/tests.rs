//! The command line as a whole: what it means, what it refuses, and what each verb takes.

use super::*;
use std::time::Duration;

fn parse(line: &str, variables: &[(&str, &str)]) -> Result<Command, String> {
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let pair = |(name, value): &(&str, &str)| format!("{name}={value}");
    parse_recorded(&words, &variables.iter().map(pair).collect::<Vec<_>>())
}

fn seconds(line: &str) -> f64 {
    match parse(line, &[]) {
        Ok(Command::Monitor(args)) => args.interval.map_or(0.0, |time| time.as_secs_f64()),
        other => panic!("{line}: {other:?}"),
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
        // What would be ignored is refused.
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
        assert_eq!(parse(old, &[]).unwrap(), parse(new, &[]).unwrap(), "{old}");
    }
}

/// Two or more words that follow each other twice: a text that says a thing again.
fn said_twice(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let spans = (2..=words.len() / 2).flat_map(|span| words.windows(2 * span));
    let mut repeated = spans.filter(|both| both[..both.len() / 2] == both[both.len() / 2..]);
    repeated.next().map(|both| both.join(" "))
}

#[test]
fn help_says_nothing_twice() {
    assert!(said_twice("Output format: Output format: md").is_some());
    let mut top = grammar();
    top.build();
    for verb in std::iter::once(&top).chain(top.get_subcommands()) {
        for argument in verb.get_arguments() {
            let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string);
            assert_eq!(said_twice(&help.unwrap_or_default()), None, "{} {}", verb.get_name(), argument.get_id());
        }
    }
}

/// The long options of each verb that its help lists.
#[test]
fn each_verb_lists_the_options_that_it_uses() {
    const RUN: &str = "as-root force json log machine meter publish quiet token-file upload wait yes";
    let own = "better name others-off score-json score-regex score-time timeout unit workload workload-file";
    for (verb, expected) in [
        ("run", format!("{RUN} {own} cpus dir host no-tuning repeat resume ssh-config tui")),
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
        ("review", format!("{RUN} inspect no-benchmarks no-tuning no-watch root")),
        ("clock", "cpus heat json no-tuning quiet readings".into()),
        ("memory", "cpus json no-tuning quiet".into()),
        ("core-to-core", "cpus json no-tuning quiet".into()),
        ("scaling", "cpus json no-tuning quiet".into()),
        ("workload", "as-root cpus dir host json no-tuning quiet ssh-config".into()),
        ("monitor", "count jsonl lines meter prometheus quiet record replay root seek speed textfile tui web".into()),
        ("mark", "record".into()),
        ("explain", "check details json".into()),
        ("compare", "format html json with".into()),
        ("trend", "format html json".into()),
        ("results", "board format html json since soc sort valid".into()),
        ("site", "out url".into()),
        ("view", "open port".into()),
        ("report", "format html plots".into()),
        ("redact", "output".into()),
        ("upload", "machine publish to token-file yes".into()),
        ("identify", "compatible cpuinfo json model root".into()),
        ("kernel", "eol-file json root".into()),
        ("storage", "json root".into()),
        ("doctor", "json root".into()),
        ("snapshot", "root".into()),
        ("recover", "log".into()),
        ("restore", String::new()),
        ("list", String::new()),
        ("install-tools", "yes".into()),
        ("completions", String::new()),
    ] {
        let grammar = grammar();
        let verb = grammar.find_subcommand(verb).unwrap();
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
    let expected = format!("{RUN} no-tuning resume root");
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
        let Ok(Command::Run(args)) = parse(line, &[]) else {
            panic!("{line}");
        };
        assert_eq!(args.resume.as_deref(), expected.map(std::path::Path::new), "{line}");
    }
}

#[test]
fn root_option_position() {
    for line in ["--root x.board identify", "identify --root x.board", "--root x.board -m"] {
        let words = std::iter::once("sbc-bench").chain(line.split_whitespace());
        let cli = super::parse(words.map(OsString::from)).unwrap();
        assert_eq!(cli.root(), Some("x.board".into()), "{line}");
    }
}

#[test]
fn environment_variables() {
    let variables = [("MODE", "extensive"), ("MaxKHz", "1416000"), ("NotReadyYet", "yes")];
    let Ok(Command::Run(args)) = parse("-c --wait 5s --force", &variables) else { panic!() };
    assert!(args.options.extensive && args.options.heat && args.options.force);
    assert!(!args.options.scores && args.options.tune);
    assert_eq!(args.options.clock_khz_max, Some(1_416_000));
    assert_eq!(args.options.wait, Duration::from_secs(5));
    assert_eq!(args.given, ["MODE=extensive", "MaxKHz=1416000", "NotReadyYet=yes", "--force", "-c"]);
}
