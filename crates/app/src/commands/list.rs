//! `sbc-bench list`: the tables of questions, sensors, workloads, rules and reports; completions, manual and licences.

use super::Command;
use console::output;
use machine::files::Access;
use std::borrow::Cow;
use std::fmt::Write;

/// One table: its name, and `(id, about)` of each entry.
type Table = (&'static str, Vec<(&'static str, Cow<'static, str>)>);

fn tables() -> [Table; 6] {
    let meter = |kind: &net::meters::Kind| {
        format!("{} Quality: {}. Needs {}.", kind.text("about"), kind.text("quality"), kind.text("needs"))
    };
    let plain = |(id, about): (&'static str, &'static str)| (id, Cow::Borrowed(about));
    let mut questions: Vec<_> = bench::QUESTIONS.iter().map(|q| plain((q.asked_by, q.about))).collect();
    questions.sort_unstable();
    [
        ("questions", questions),
        ("sensors", machine::sensors::SENSORS.iter().map(|s| plain((s.id, s.about()))).collect()),
        ("meters", net::meters::KINDS.iter().map(|kind| (kind.text("usage"), meter(kind).into())).collect()),
        ("workloads", workloads::WORKLOADS.iter().map(|w| plain((w.id.as_str(), w.about))).collect()),
        ("rules", rules::of_runs().map(|r| plain((r.id.as_str(), r.about))).collect()),
        ("reports", super::explain::all_reports().into_iter().map(|r| plain((r.id, r.about))).collect()),
    ]
}

/// What can be listed, in the order of the overview.
const TABLES: [(&str, &str); 9] = [
    ("questions", "What a run can answer, with its command."),
    ("workloads", "Programs and loops that are timed, and whether they can run here."),
    ("sensors", "Temperatures, clocks, power and other values that are sampled."),
    ("meters", "Power meters that --meter reads."),
    ("rules", "What results are checked for."),
    ("reports", "Formats of `explain --format`."),
    ("tools", "Programs that workloads need, with their packages."),
    ("definitions", "Workloads that you defined."),
    ("all", "Questions, sensors, meters, workloads, rules and reports."),
];

fn overview() -> String {
    let rows = TABLES.map(|(name, about)| output::row(&format!("  {name}"), 17, about));
    format!("Use `sbc-bench list TABLE` with one of:\n\n{}", rows.concat())
}

/// List sensors, power meters, workloads, rules and more
#[derive(Debug, clap::Args)]
pub(crate) struct List {
    /// What to list: questions, sensors, meters, workloads, rules, reports, tools, definitions or all
    what: Option<String>,
}

impl Command for List {
    fn recovers_first(&self) -> bool {
        false
    }

    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        let what = self.what.as_deref();
        match what {
            None => {
                output::print_text(&overview())?;
                return Ok(0);
            }
            Some("definitions") => return definitions(),
            Some("tools") => return super::tools::list(),
            Some("workloads") => {
                output::print_text(&super::workloads::text()?)?;
                return Ok(0);
            }
            _ => {}
        }
        let tables = tables();
        let is_wanted = |(name, _): &&Table| what.is_some_and(|what| what == "all" || what == *name);
        let wanted: Vec<&Table> = tables.iter().filter(is_wanted).collect();
        if wanted.is_empty() {
            let names = TABLES.map(|(name, _)| name);
            anyhow::bail!("Unknown table {:?}; known tables: {}.", what.unwrap_or(""), names.join(", "));
        }
        let mut text = String::new();
        for (name, entries) in wanted {
            let _ = writeln!(text, "{name}:");
            for (id, about) in entries {
                text.push_str(&output::row(&format!("  {id}"), 31, about));
            }
        }
        output::print_text(&text)?;
        Ok(0)
    }
}

/// Print shell completions
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Completions {
    /// bash, elvish, fish, powershell or zsh
    shell: clap_complete::Shell,
}

impl Command for Completions {
    fn recovers_first(&self) -> bool {
        false
    }

    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut super::grammar(), "sbc-bench", &mut text);
        output::print(&String::from_utf8_lossy(&text))?;
        Ok(0)
    }
}

/// Print the manual page
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Manual {
    /// Write it and the page of each command into this directory instead
    directory: Option<std::path::PathBuf>,
}

impl Command for Manual {
    fn recovers_first(&self) -> bool {
        false
    }

    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        let whole = |verb: clap::Command| verb.mut_args(|option| option.hide_short_help(false));
        let grammar = whole(super::grammar()).mut_subcommands(whole);
        let mut text = Vec::new();
        clap_mangen::Man::new(grammar.clone().disable_help_subcommand(true)).render(&mut text)?;
        let page = with_sections(&String::from_utf8_lossy(&text));
        match self.directory {
            Some(directory) => {
                // The page above lists these verbs among the other commands.
                let has_page = |verb: &clap::Command| verb.get_name() != "guard";
                let shown = |verb: clap::Command| if has_page(&verb) { verb.hide(false) } else { verb };
                clap_mangen::generate_to(grammar.mut_subcommands(shown), &directory)?;
                machine::files::replace_unsynced(&directory.join("sbc-bench.1"), page.as_bytes(), Access::World)?;
            }
            None => output::print(&page)?,
        }
        Ok(0)
    }
}

/// Further sections of the manual.
const MORE: &str = include_str!("manual.roff");
/// Headings at the end of the help, and their sections in the manual.
const SECTIONS: [(&str, &str); 4] = [
    ("Other commands:", "OTHER COMMANDS"),
    ("Earlier commands, which still work:", "EARLIER COMMANDS"),
    ("Environment:", "ENVIRONMENT"),
    ("Exit status:", "EXIT STATUS"),
];

/// Splits the last section of the manual into the usual sections.
fn with_sections(page: &str) -> String {
    let page = page.replace(".SH EXTRA\n", "");
    let page = SECTIONS
        .iter()
        .fold(page, |page, (line, section)| page.replacen(&format!("{line}\n"), &format!(".SH {section}\n.nf\n"), 1));
    page.replacen("If your own command", ".fi\nIf your own command", 1).replacen(
        ".SH VERSION",
        &format!("{MORE}.SH VERSION"),
        1,
    )
}

/// Print the notices of what the program contains
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct Licences {}

impl Command for Licences {
    fn recovers_first(&self) -> bool {
        false
    }

    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        output::print(&licences::text())?;
        Ok(0)
    }
}

/// Prints the workloads that the user defined.
fn definitions() -> anyhow::Result<u8> {
    let definitions = crate::args::program::definitions(None).map_err(anyhow::Error::msg)?;
    let mut text = String::new();
    for (file, definition) in &definitions.all {
        let line = definition.command_line();
        let _ = writeln!(text, "  {:<28} {line}\n{:31}{}", definition.spelling(), "", file.display());
    }
    if definitions.all.is_empty() {
        text = "No workloads are defined. Put TOML files into ~/.config/sbc-bench/workloads.d:\n\n[[workload]]\nname \
                = \"kernel-build\"\ncommand = [\"make\", \"-C\", \"/usr/src/linux\", \"-j4\"]\n"
            .into();
    }
    if !definitions.ignored_sensors.is_empty() {
        let _ = writeln!(text, "Sensors that are not read: {}", definitions.ignored_sensors.join(", "));
    }
    for (file, why) in &definitions.left_aside {
        let _ = writeln!(text, "Root does not read {} because {why}.", file.display());
    }
    output::print_text(&text)?;
    Ok(0)
}

#[cfg(test)]
mod tests {
    #[test]
    fn questions_are_sorted() {
        let [(name, questions), ..] = super::tables();
        assert_eq!(name, "questions");
        assert!(questions.is_sorted(), "{questions:?}");
    }

    #[test]
    fn every_question_has_an_answer_and_words_that_ask_it() {
        let answers: Vec<_> = rules::ANSWERS.iter().map(|answer| &answer.id).collect();
        assert_eq!(bench::QUESTIONS.iter().map(|question| &question.id).collect::<Vec<_>>(), answers);
        let grammar = crate::commands::grammar();
        let verbs = crate::commands::tests::every_verb(&grammar);
        for question in bench::QUESTIONS {
            let word = question.asked_by.split(' ').next().unwrap_or_default();
            let is_known = match word.strip_prefix('-') {
                Some(flag) => grammar.get_arguments().any(|argument| argument.get_short() == flag.chars().next()),
                None => verbs.iter().any(|(_, verb)| verb.get_name() == word),
            };
            assert!(is_known, "{word}");
        }
    }
}
