//! `phoronix`: tests of an installed Phoronix Test Suite, each per core type and on all CPUs. Results are
//! read from the XML that it saves. It counts online CPUs regardless of affinity, so runs on one core type also switch the
//! other CPUs off (`hotplug`). It must be set up for batch runs and the tests must be installed: this module downloads
//! nothing.

use super::attributes::Attributes;
use super::scored::{garbled, positive, tool};
use super::{Places, Shape, Workload};
use crate::job::definition::recognised;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::Caller;
use process::tools::ToolKind;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::Event;
use record::{Failure, Mode, Score, Scores, StepMeasurement, WorkloadId};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The entry in the table of workloads.
pub(super) const PHORONIX: Workload = Workload {
    id: WorkloadId::Phoronix,
    about: "Phoronix Test Suite tests, each per core type and on all CPUs.",
    link: "https://www.phoronix-test-suite.com/",
    tool: Some(&KIND),
    shape: Some(Shape {
        variants: &[],
        places: Places::EachTypeThenAll,
        // The suite repeats each test by its own rule.
        repetitions: 1,
        seconds: 600,
    }),
    attributes: Attributes { hides_other_cpus: true, mode: Some(&Mode::Phoronix), ..Attributes::PLAIN },
    run,
    ..Workload::PLAIN
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "Phoronix Test Suite",
    programs: &["phoronix-test-suite"],
    version_args: &["version"],
    recognise: &|text| recognised("Phoronix Test Suite", r"^\s*Phoronix Test Suite v(.*\S)", text),
    // Batch runs of older versions take no name for their results.
    oldest: &[8],
    is_users: true,
    ..ToolKind::PLAIN
};

/// Some tests build a kernel on one little core.
const TIME_LIMIT: Duration = Duration::from_secs(12 * 3600);
/// Rises when parsing changes; names of scores contain the versions of their tests.
const METHOD: u32 = 1;
/// Upper bound of the size of results.
const RESULTS_BYTES_MAX: u64 = 16 << 20;
/// Name of the results of this run in a file that may contain others.
const IDENTIFIER: &str = "sbc-bench";

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let found = tool(context, &KIND)?;
    report.method = METHOD;
    let test = context.job.variant.to_string();
    let name = results_name(context.job.repetition, &context.job.cpus);
    let environment = vec![
        ("PTS_SILENT_MODE", "1".to_owned()),
        ("TEST_RESULTS_NAME", name.clone()),
        ("TEST_RESULTS_IDENTIFIER", IDENTIFIER.to_owned()),
        ("TEST_RESULTS_DESCRIPTION", "sbc-bench".to_owned()),
    ];
    let context = &WorkloadContext { environment, ..context.clone() };
    let output = context.program(report, &found, &["batch-run", &test], TIME_LIMIT)?;
    let files = result_files(&name, context.tools.user()).into_iter();
    let mut texts = files.filter_map(|file| written_by_program(&file));
    let xml = texts.next().ok_or_else(|| garbled(why_none(&output, &test), &output))?;
    let (rows, failed) = parse(&xml).map_err(|why| garbled(why, &output))?;
    Ok(StepMeasurement::Scores(Scores {
        rows,
        detail: if failed.is_empty() { String::new() } else { format!("no value for {}", failed.join(", ")) },
        links: links(&output),
        output: super::scored::shortened(&output),
    }))
}

/// A new name of letters, digits and dashes, which the suite does not change.
fn results_name(repetition: u32, cpus: &[u32]) -> String {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seconds = since_1970.map_or(0, |time| time.as_secs());
    let first = cpus.first().copied().unwrap_or(0);
    format!("sbc-bench-{seconds}-{}-{first}-{repetition}", std::process::id())
}

/// Folders in which the suite saves results: as root in `/var/lib`, else at home.
fn result_files(name: &str, user: Option<&Caller>) -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let home = user.map(|user| user.home.clone());
    let home = home.or_else(|| variable("HOME"));
    let home = home.map(|home| home.join(".phoronix-test-suite"));
    let folders = [variable("PTS_USER_PATH_OVERRIDE"), home, Some(PathBuf::from("/var/lib/phoronix-test-suite"))];
    let file = |folder: PathBuf| folder.join("test-results").join(name).join("composite.xml");
    folders.into_iter().flatten().map(file).collect()
}

/// Reads a file of results. Its user may have replaced it: links, pipes and endless files are refused.
fn written_by_program(path: &Path) -> Option<String> {
    let bytes = machine::files::read(path, RESULTS_BYTES_MAX).ok()?;
    String::from_utf8(bytes).ok()
}

/// Why no results were saved, by the output.
fn why_none(output: &str, test: &str) -> String {
    let printed = output.to_lowercase();
    if printed.contains("batch mode must first be configured") {
        return "Phoronix Test Suite is not set up for batch runs; run `phoronix-test-suite batch-setup`".into();
    }
    if printed.contains("not installed") {
        return format!("{test} is not installed; run `phoronix-test-suite install {test}`");
    }
    format!("Phoronix Test Suite saved no results for {test}")
}

/// `composite.xml`: one `Result` per test and option, each with an `Entry` per run. Returns scores, and the names of
/// results of this run without a value.
pub(super) fn parse(xml: &str) -> Result<(Vec<Score>, Vec<String>), String> {
    let broken = || "The results are not valid XML".to_owned();
    let mut reader = quick_xml::Reader::from_str(xml);
    let (mut path, mut text) = (Vec::<String>::new(), String::new());
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    let (mut result, mut entry) = (Fields::new(), Fields::new());
    loop {
        match reader.read_event().map_err(|_| broken())? {
            Event::Start(element) => {
                let name = element.local_name().as_ref().to_owned();
                match name.as_str() {
                    "Result" => result.clear(),
                    "Entry" => entry.clear(),
                    _ => {}
                }
                path.push(name);
                text.clear();
            }
            Event::Text(part) => text.push_str(&part),
            Event::CData(part) => text.push_str(&part),
            Event::GeneralRef(name) => match name.resolve_char_ref().map_err(|_| broken())? {
                Some(letter) => text.push(letter),
                None => text.push_str(resolve_xml_entity(&name).unwrap_or_default()),
            },
            Event::End(_) => {
                let name = path.pop().ok_or_else(broken)?;
                let value = text.trim().to_owned();
                match (path.last().map(String::as_str), name.as_str()) {
                    (Some("Entry"), _) => drop(entry.insert(name, value)),
                    (_, "Entry") if is_ours(&entry) => match row(&result, &entry) {
                        Some(row) => rows.push(row),
                        None => failed.push(name_of(&result)),
                    },
                    (Some("Result"), _) => drop(result.insert(name, value)),
                    _ => {}
                }
                text.clear();
            }
            Event::Eof if path.is_empty() => break,
            Event::Eof => return Err(broken()),
            _ => {}
        }
    }
    if rows.is_empty() { Err("The results contain no value; the test failed".into()) } else { Ok((rows, failed)) }
}

/// Text elements of one result or entry.
type Fields = BTreeMap<String, String>;

/// True for entries of this run; a file can contain other runs.
fn is_ours(entry: &Fields) -> bool {
    entry.get("Identifier").map(String::as_str) == Some(IDENTIFIER)
}

/// Test with its version, and the option that was run.
fn name_of(result: &Fields) -> String {
    let of = |name: &str| result.get(name).map_or("", String::as_str);
    let test = of("Identifier").trim_start_matches("pts/");
    format!("{test} {}", of("Description")).trim().to_owned()
}

/// The score of an entry, if it has one.
fn row(result: &Fields, entry: &Fields) -> Option<Score> {
    let of = |name: &str| result.get(name).map_or("", String::as_str);
    Some(Score {
        name: name_of(result),
        value: positive(entry.get("Value")?)?,
        unit: of("Scale").to_owned(),
        // `HIB` is "higher is better", `LIB` the other way round.
        higher_is_better: of("Proportion") != "LIB",
    })
}

fn links(output: &str) -> Vec<String> {
    let words = output.split_whitespace();
    let is_link = |word: &&str| word.contains("openbenchmarking.org/result/");
    words.filter(is_link).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const XML: &str = include_str!("../tool_output/phoronix/10.8.4-made.xml");

    #[test]
    fn own_values_are_read() {
        let (rows, failed) = parse(XML).unwrap();
        assert_eq!(failed, ["x265-1.3.0 Video: 4K", "broken-1.0.0"]);
        let words = |row: &Score| {
            let better = if row.higher_is_better { "more" } else { "less" };
            format!("{}: {} {} {better}", row.name, row.value, row.unit)
        };
        assert_eq!(
            rows.iter().map(words).collect::<Vec<_>>(),
            [
                "compress-7zip-1.11.0 Test: Compression Rating: 7250 MIPS more",
                "build-linux-kernel-1.15.0 Build: defconfig: 1201.5 Seconds less",
                "x265-1.3.0 Video: 1080p & \"fast\" <2>: 12.34 Frames Per Second more",
                "local/own-test: 0.75 ms less",
            ]
        );
    }

    #[test]
    fn missing_values_have_reasons() {
        for (xml, expected) in [
            (XML.replace("<Identifier>sbc-bench<", "<Identifier>x<"), "no value"),
            (
                XML.replace("7250", "").replace("1201.5", "n/a").replace("12.34", "0").replace("0.75", "1.5,1.7"),
                "no value",
            ),
            (XML[..XML.len() / 2].to_owned(), "not valid XML"),
            (String::new(), "no value"),
        ] {
            let why = parse(&xml).unwrap_err();
            assert!(why.contains(expected), "{why}");
        }
        for (output, expected) in [
            ("[ERROR] The batch mode must first be configured.", "batch-setup"),
            ("[PROBLEM] pts/x is not installed.", "install x"),
            ("", "saved no results for x"),
        ] {
            assert!(why_none(output, "x").contains(expected), "{output}");
        }
    }

    #[test]
    fn phoronix_version_line() {
        let version = (KIND.recognise)("\nPhoronix Test Suite v10.8.4\n\n");
        assert_eq!(version.as_deref(), Some("Phoronix Test Suite 10.8.4"));
        let output = "Results Uploaded To: https://openbenchmarking.org/result/1-A-B\n";
        assert_eq!(links(output), ["https://openbenchmarking.org/result/1-A-B"]);
    }

    proptest! {
        #[test]
        fn parse_never_panics(at in 0..XML.len(), with in "[<>/a-zA-Z0-9&;.]{0,12}") {
            if XML.is_char_boundary(at) {
                let _ = parse(&format!("{}{with}{}", &XML[..at], &XML[at..]));
            }
        }
    }
}
