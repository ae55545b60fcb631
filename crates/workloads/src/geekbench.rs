//! `geekbench`: Geekbench 5 or 6 from PATH or `GEEKBENCH=`.
//!
//! Scores come from the file that it exports or from its output, never from a web page. Without a licence it prints no
//! scores and uploads its results to the vendor; the Record then has the link and the reason. It starts a thread for
//! each online CPU regardless of affinity, so runs on one core type also switch the other CPUs off (`hotplug`).

use super::attributes::{Attributes, ONE_FORM};
use super::scored::{higher, major, number_behind, read, too_little_memory, tool};
use super::{Places, Shape, Workload};
use crate::job::definition::recognised;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use process::tools::ToolKind;
use record::{Failure, Mode, Score, Scores, StepMeasurement, WorkloadId};
use serde::Deserialize;
use std::ffi::OsStr;
use std::sync::Arc;
use std::time::Duration;

/// The entry in the table of workloads.
pub(super) const GEEKBENCH: Workload = Workload {
    id: WorkloadId::Geekbench,
    about: "Geekbench 5 or 6, per core type and twice on all CPUs; the free version uploads its results.",
    link: "https://www.geekbench.com/",
    tool: Some(&KIND),
    shape: Some(Shape { variants: ONE_FORM, places: Places::EachTypeThenAll, repetitions: 2, seconds: 600 }),
    attributes: Attributes { hides_other_cpus: true, mode: Some(&Mode::Geekbench), ..Attributes::PLAIN },
    lacking: |context| too_little_memory(context, "Geekbench needs", NEED_KIB),
    run,
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "Geekbench",
    programs: &["geekbench6", "geekbench5"],
    recognise: &version_line,
    oldest: &[5],
    variable: Some("GEEKBENCH"),
    is_users: true,
    ..ToolKind::PLAIN
};

/// The slowest boards need up to an hour.
const TIME_LIMIT: Duration = Duration::from_secs(2 * 3600);
/// File of results, in Geekbench's working directory.
const RESULTS: &str = "result.json";
/// Upper bound of the size of results.
const RESULTS_BYTES_MAX: u64 = 16 << 20;
/// With less memory it is killed, or swaps for hours.
const NEED_KIB: u64 = 1200 << 10;

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let found = tool(context, &KIND)?;
    // Scores of 5 and 6 have different scales.
    report.method = major(&found.version);
    let folder = context.site.folder_of(context.tools.user()).ok().map(Arc::new);
    // A file name without a path cannot be redirected.
    let in_folder = folder.as_ref().map(|folder| context.in_folder(folder));
    let context = in_folder.as_ref().unwrap_or(context);
    let exported = match &folder {
        Some(_) if !found.version.contains("Tryout") => {
            let arguments = ["--cpu", "--no-upload", "--export-json", RESULTS];
            context.program(report, &found, &arguments, TIME_LIMIT).ok()
        }
        _ => None,
    };
    // Builds of unknown licence refuse the export at once where they have none.
    let output = match exported {
        Some(output) => output,
        None if context.is_cancelled() => return Err(context.interruption()),
        None => context.program(report, &found, &["--cpu"], TIME_LIMIT)?,
    };
    let json = folder.and_then(|folder| {
        let bytes = folder.files().read(OsStr::new(RESULTS), RESULTS_BYTES_MAX);
        String::from_utf8(bytes.ok()?).ok()
    });
    read(&output, |text| parse(text, json.as_deref()))
}

/// `Geekbench 6.3.0 Tryout (Build 603408 (corktown-master-build 6.3.0-...))`.
fn version_line(text: &str) -> Option<String> {
    let name = recognised("", r"^\s*Geekbench \d[^(:\n]*", text)?;
    // Some builds say it in another line.
    let is_tryout = text.contains("tryout mode") && !name.contains("Tryout");
    Some(if is_tryout { name + " Tryout" } else { name })
}

#[derive(Deserialize)]
struct Export {
    sections: Vec<Section>,
}

#[derive(Deserialize)]
struct Section {
    name: String,
    score: f64,
    #[serde(default)]
    workloads: Vec<Part>,
}

#[derive(Deserialize)]
struct Part {
    name: String,
    score: f64,
}

/// Scores of the exported file, otherwise of the output, and links.
pub(super) fn parse(text: &str, json: Option<&str>) -> Result<Scores, String> {
    let exported = json.map(serde_json::from_str::<Export>);
    let rows = match exported {
        Some(Ok(export)) => exported_rows(&export),
        _ => printed_rows(text),
    };
    let links = links(text);
    if rows.is_empty() && links.is_empty() {
        let why = if text.to_lowercase().contains("upload") {
            "the free version of Geekbench shows scores on its web site only, and the upload failed"
        } else {
            "Geekbench printed neither scores nor a link to them"
        };
        return Err(why.into());
    }
    let detail = if rows.is_empty() {
        "the free version of Geekbench prints no scores; see the link".to_owned()
    } else {
        String::new()
    };
    Ok(Scores { rows, detail, links, output: super::scored::shortened(&without_keys(text)) })
}

fn exported_rows(export: &Export) -> Vec<Score> {
    let whole = export.sections.iter().map(|s| (s.name.clone(), s.score));
    let parts = export.sections.iter().flat_map(|section| {
        let named = |part: &Part| (format!("{} {}", section.name, part.name), part.score);
        section.workloads.iter().map(named)
    });
    let scores = whole.chain(parts).filter(|(_, score)| *score > 0.0);
    scores.map(|(name, score)| higher(&name.to_lowercase(), score, "points")).collect()
}

fn printed_rows(text: &str) -> Vec<Score> {
    let labels = [("Single-Core Score", "single-core"), ("Multi-Core Score", "multi-core")];
    let score = |(label, name): (&str, &str)| Some(higher(name, number_behind(text, label)?, "points"));
    labels.into_iter().filter_map(score).collect()
}

/// Links to the results, without the private one that claims them for an account.
fn links(text: &str) -> Vec<String> {
    let words = text.split_whitespace();
    let is_result = |word: &&str| word.contains("browser.geekbench.com/") && !word.contains("claim");
    words.filter(is_result).map(str::to_owned).collect()
}

/// The output without the key that claims the results.
fn without_keys(text: &str) -> String {
    let kept = text.lines().filter(|line| !(line.contains("claim") && line.contains("key=")));
    kept.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::testing::{Bench, Program};
    use record::FailureKind;

    const TRYOUT: &str = include_str!("../tool_output/geekbench/6.3.0-tryout-made.txt");
    const OFFLINE: &str = include_str!("../tool_output/geekbench/6.3.0-tryout-offline-made.txt");
    const TRYOUT_5: &str = include_str!("../tool_output/geekbench/5.5.1-tryout-made.txt");
    const PRO: &str = include_str!("../tool_output/geekbench/5.5.1-pro-made.txt");
    const JSON: &str = include_str!("../tool_output/geekbench/6.3.0-pro-made.json");

    fn words(scores: &Scores) -> Vec<String> {
        let word = |row: &Score| format!("{} {}", row.name, row.value);
        scores.rows.iter().map(word).collect()
    }

    #[test]
    fn scores_come_from_the_file_or_the_output() {
        let printed = parse(PRO, None).unwrap();
        assert_eq!(words(&printed), ["single-core 731", "multi-core 2240"]);
        let exported = parse(PRO, Some(JSON)).unwrap();
        assert_eq!(
            words(&exported),
            [
                "single-core 812",
                "multi-core 2954",
                "single-core file compression 790",
                "single-core navigation 845",
                "multi-core file compression 2101",
            ]
        );
        assert_eq!(words(&parse(PRO, Some("{")).unwrap()), words(&printed));
    }

    #[test]
    fn free_version_gives_link() {
        let scores = parse(TRYOUT, None).unwrap();
        assert!(scores.rows.is_empty() && scores.detail.contains("see the link"));
        assert_eq!(scores.links, ["https://browser.geekbench.com/v6/cpu/1000001"]);
        assert!(!scores.output.contains("424242"));
        let five = parse(TRYOUT_5, None).unwrap();
        assert!(!five.output.contains("313131"));
        assert_eq!(five.links, ["https://browser.geekbench.com/v5/cpu/20000001"]);
        for (text, expected) in [(OFFLINE, "upload failed"), ("Geekbench 6.3.0 Pro\nSingle-Core", "neither scores nor")]
        {
            let why = parse(text, None).unwrap_err();
            assert!(why.contains(expected), "{why}");
        }
    }

    #[test]
    fn versions_are_recognised() {
        for (text, expected) in [
            (TRYOUT, Some("Geekbench 6.3.0 Tryout")),
            (OFFLINE, Some("Geekbench 6.3.0 Tryout")),
            (TRYOUT_5, Some("Geekbench 5.5.1 Tryout")),
            (PRO, Some("Geekbench 5.5.1 Pro")),
            ("Geekbench 6.3.0 Tryout (Build 603408 (corktown-master-build))", Some("Geekbench 6.3.0 Tryout")),
            ("Geekbench", None),
        ] {
            assert_eq!(version_line(text).as_deref(), expected);
        }
    }

    fn check(version: &str, body: &str, expected: Result<&str, FailureKind>) {
        let body = format!("[ \"$1\" = --version ] && {{ echo '{version}'; exit; }}\n{body}");
        let bench = Bench::new(&[Program { name: "geekbench6".into(), body }]);
        let found = bench.with(&Job::default(), |context, report| {
            assert_eq!(GEEKBENCH.missing(context), None);
            run(context, report)
        });
        match (found, expected) {
            (Ok(StepMeasurement::Scores(scores)), Ok(expected)) => {
                assert_eq!(words(&scores).join(" "), expected);
            }
            (Err(failure), Err(kind)) => assert_eq!(failure.kind, kind),
            (found, expected) => panic!("{found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn export_is_used_if_available() {
        let export = "[ \"$3\" = --export-json ] || exit 9\n\
                      echo done; echo '{\"sections\": [{\"name\": \"Single-Core\", \"score\": 5}]}' > \"$4\"";
        check("Geekbench 6.3.0 Pro", export, Ok("single-core 5"));
        let refuses = "[ -n \"$2\" ] && exit 1\necho 'Single-Core Score 7'";
        check("Geekbench 6.3.0", refuses, Ok("single-core 7"));
        check("Geekbench 6.3.0 Tryout", refuses, Ok("single-core 7"));
        check("Geekbench 6.3.0", "exit 1", Err(FailureKind::ExitStatus));
        check("Geekbench 6.3.0 Tryout", ":", Err(FailureKind::Garbled));
    }
}
