//! The help of the program as a whole: verbs in groups, then the classic flags, variables and exit statuses.

use super::arrange::OLD;
use super::monitor::MonitorFlags;
use clap::{Args, Command};
use std::fmt::Write;

/// Groups of verbs in the help. Other verbs are hidden: they are for scripts, packages and compatibility.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Measure", &["run", "measure", "thermal", "efficiency", "sensitivity", "ab"]),
    ("This machine", &["monitor", "inspect", "review", "snapshot"]),
    ("Results", &["explain", "compare", "results"]),
    ("Share", &["share", "redact"]),
    ("Maintain", &["recover", "list"]),
];

/// Column of the descriptions.
const COLUMN: usize = 15;

const TEMPLATE: &str = "{about-with-newline}\n{usage-heading} {usage}\n{before-help}{options}{after-help}";

const USAGE: &str = "sbc-bench [COMMAND | FILE...] [OPTIONS]";

const DEFAULTS: &str = "Without COMMAND it runs the standard benchmark; FILE is explained.";

const AFTER_LONG: &str = "Environment:
  MODE             extensive: more steps, and an estimate of the time;
                   unattended: as usual
  MaxKHz, MinKHz   highest and lowest clock to measure, in kHz
  NotReadyYet      yes: no scores
  NOTUNING         yes: change no settings
  ExecuteCommand   command of -r and -R
  CPUINFOFILE      file to identify CPUs by instead of /proc/cpuinfo
  Netio            network power meter, as host/socket
  SEVENZIP         7-zip to use: a program or its directory
  GEEKBENCH        directory of Geekbench
  SBC_BENCH_HUB    address of the hub for upload
  SBC_BENCH_HUB_TOKEN_FILE
                   file with the token of the hub
  NO_COLOR         any value: no colours

Exit status:
  0    finished, results valid
  1    usage error or failure
  2    finished, results degraded
  3    finished, results invalid
  4    not started because the system is busy
  5    a setting was left changed
  6    the results could not be written
  7    finished, nothing shows whether the results are valid
  130  interrupted
If your own command fails, its exit status is returned.";

/// Adds help to the grammar. Only `monitor` lists options of the monitor, which `-m` takes as well.
pub(super) fn with_help(grammar: Command) -> Command {
    let of_monitor = MonitorFlags::augment_args(Command::new("monitor"));
    let is_of_monitor = move |arg: &clap::Arg| of_monitor.get_arguments().any(|known| known.get_id() == arg.get_id());
    let (groups, others) = (groups(&grammar), others(&grammar));
    let grammar = grammar.mut_args(move |arg| {
        let hide = is_of_monitor(&arg) || arg.is_hide_set();
        arg.hide(hide).hide_short_help(true)
    });
    grammar
        .help_template(TEMPLATE)
        .override_usage(USAGE)
        .before_help(format!("{DEFAULTS}\n\n{groups}"))
        .before_long_help(format!("{DEFAULTS}\n\n{groups}\n\nOptions:"))
        .after_long_help(format!("{}\n\n{AFTER_LONG}", others))
}

/// Verbs with their descriptions.
fn groups(grammar: &Command) -> String {
    let mut text = String::new();
    for (heading, verbs) in GROUPS {
        let _ = writeln!(text, "{heading}:");
        for name in verbs {
            let about = grammar.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "{:COLUMN$}{about}", format!("  {name}"));
        }
    }
    text.trim_end().to_owned()
}

/// Verbs outside of the groups, and those of earlier versions.
fn others(grammar: &Command) -> String {
    let mut text = "Other commands:\n".to_owned();
    for verb in grammar.get_subcommands().filter(|verb| verb.is_hide_set() && verb.get_name() != "guard") {
        let _ = writeln!(text, "{:17}{}", format!("  {}", verb.get_name()), verb.get_about().unwrap_or_default());
    }
    text.push_str("\nEarlier commands, which still work:\n");
    for (old, new) in OLD {
        let _ = writeln!(text, "{:17}{}", format!("  {old}"), new.join(" "));
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::grammar;

    #[test]
    fn every_visible_verb_stands_in_one_group() {
        let grammar = grammar();
        let visible = grammar.get_subcommands().filter(|verb| !verb.is_hide_set());
        let mut visible: Vec<&str> = visible.map(Command::get_name).collect();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, verbs)| verbs.iter().copied()).collect();
        visible.sort_unstable();
        listed.sort_unstable();
        assert_eq!(visible, listed);
        assert!(listed.len() <= 17, "{listed:?}");
    }

    #[test]
    fn short_help_fits_into_30_lines_of_80_columns() {
        let help = grammar().render_help().to_string();
        assert!(help.trim_end().lines().count() <= 30, "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
}
