//! `stockfish`: benchmark of the chess engine on all CPUs, in nodes per second. Integer work with small vectors and a
//! table in memory. The work depends on the neural network, which is part of the score's name.
//!
//! Every position gets one second instead of a fixed depth, which takes a minute on a desktop and hours on the slowest
//! boards at the same rate.

use super::attributes::ONE_FORM;
use super::scored::{higher, major, number_behind, scores, tool};
use super::{Places, Shape, Workload};
use crate::job::definition::recognised;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use process::tools::ToolKind;
use record::{Failure, Scores, StepMeasurement, WorkloadId};
use std::time::Duration;

/// The entry in the table of workloads.
pub(super) const STOCKFISH: Workload = Workload {
    id: WorkloadId::Stockfish,
    about: "Stockfish chess engine benchmark on all CPUs, in nodes per second.",
    link: "https://official-stockfish.github.io/docs/stockfish-wiki/UCI-&-Commands.html",
    tool: Some(&KIND),
    shape: Some(Shape { variants: ONE_FORM, places: Places::All, repetitions: 3, seconds: 60 }),
    run,
    ..Workload::PLAIN
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "Stockfish",
    programs: &["stockfish"],
    version_args: &["quit"],
    // `Stockfish 15.1 by the Stockfish developers (see AUTHORS file)`, `Stockfish 080525 64 by T. ...`.
    recognise: &|text| recognised("Stockfish", r"^Stockfish (.*?) *(?: by .*)?$", text),
    is_users: true,
    ..ToolKind::PLAIN
};

/// Table of positions in MiB: larger than caches, smaller than the memory of any board.
const HASH_MIB: &str = "128";
/// Time for each of about 50 positions.
const MOVE_MS: &str = "1000";
/// About 50 seconds of work, and a network of 50 MB from a slow card.
const TIME_LIMIT: Duration = Duration::from_secs(300);

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let found = tool(context, &KIND)?;
    report.method = method(&found.version);
    let threads = context.job.threads.max(1).to_string();
    let arguments = ["bench", HASH_MIB, &threads, MOVE_MS, "default", "movetime"];
    scores(context, report, &found, &arguments, TIME_LIMIT, parse)
}

/// 15 of `Stockfish 15.1`; 0 of development builds, which carry a date.
fn method(version: &str) -> u32 {
    Some(major(version)).filter(|major| *major < 1000).unwrap_or(0)
}

/// `Nodes/second    : 3421927`, and the network in the lines before it.
pub(super) fn parse(text: &str) -> Result<Scores, String> {
    let rate = number_behind(text, "Nodes/second").ok_or("Stockfish printed no nodes per second")?;
    let is_network = |word: &&str| word.starts_with("nn-") && word.ends_with(".nnue");
    let evaluations = text.lines().filter(|line| line.contains("NNUE evaluation using"));
    let network =
        evaluations.flat_map(str::split_whitespace).find(is_network).map(|name| name.trim_end_matches(".nnue"));
    let detail = match network {
        Some(network) => format!("network {network}"),
        None => "classical evaluation (no network)".into(),
    };
    Ok(Scores {
        // Another network is other work, so scores of different networks have different names.
        rows: vec![higher(network.unwrap_or("classical"), rate, "nodes/s")],
        detail,
        ..Scores::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const V15: &str = include_str!("../tool_output/stockfish/15.1-x86_64.txt");

    #[test]
    fn rate_and_network_are_read() {
        let found = parse(V15).unwrap();
        let rate = number_behind(V15, "Nodes/second").unwrap();
        assert_eq!(found.rows, [higher("nn-ad9b42354671", rate, "nodes/s")]);
        assert!(rate > 1e5);
        let classical = V15.replace("NNUE evaluation using", "evaluation");
        assert_eq!(parse(&classical).unwrap().rows[0].name, "classical");
        for broken in [V15.replace("Nodes/second", "Knoten"), String::new()] {
            assert!(parse(&broken).unwrap_err().contains("no nodes per second"));
        }
    }

    #[test]
    fn versions_are_told_apart() {
        for (text, version, expected) in [
            (V15, Some("Stockfish 15.1"), 15),
            ("Stockfish 17 by the Stockfish developers (see AUTHORS file)", Some("Stockfish 17"), 17),
            ("Stockfish 080525 64 by T. Romstad", Some("Stockfish 080525 64"), 0),
            ("GNU Chess 6.2.9", None, 0),
        ] {
            let found = (KIND.recognise)(text);
            assert_eq!(found.as_deref(), version);
            assert_eq!(method(&found.unwrap_or_default()), expected, "{text}");
        }
    }
}
