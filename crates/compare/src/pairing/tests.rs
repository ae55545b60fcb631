//! Cores of two results next to each other in a comparison.

use crate::test_support::{compression, own_run, point, with_clocks, with_step};
use crate::tests::{board, compared};
use crate::{CauseOfSeveral, left_out_lines};
use record::{Fact, Record, StepMeasurement as Score, Variant, WorkloadId};
use std::collections::BTreeSet;

/// Machine with two clusters, each with core type, 7-zip score and latency.
fn two_clusters(clusters: [(Option<&str>, u32, f64); 2]) -> Record {
    let mut record = own_run();
    record.machine.clusters.clear();
    record.machine.cpus.clear();
    for (cpu, (core_type, mips, ns)) in (0..).zip(clusters) {
        let core_type = core_type.map_or_else(Fact::not_reached, |name| Fact::Known(name.to_owned()));
        record.machine.clusters.push(record::Cluster { cpus: vec![cpu], core_type, policy: None });
        record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[cpu], (0.0, 1.0), compression(mips));
        let rows = vec![record::LatencyRow {
            size_bytes: 64 << 20,
            ns: vec![Some(ns)],
            rounds_apart_percent: None,
            line: None,
        }];
        let latency = Score::Latency(record::Latency { columns: vec!["1xPTR".into()], rows, ..Default::default() });
        record = with_step(record, WorkloadId::MemoryLatency, Variant::RAMLAT, &[cpu], (0.0, 1.0), latency);
    }
    record
}

#[test]
fn cores_are_paired_by_type() {
    let mut a = board("One", 1_500_000, 1140, &[]);
    let mut b = board("Two", 1_500_000, 1140, &[]);
    let types: [(&mut Record, [(&str, u32); 2]); 2] = [
        (&mut a, [("Cortex-A53", 1000), ("Cortex-A72", 2000)]),
        (&mut b, [("Cortex-A76", 3000), ("Cortex-A53", 1100)]),
    ];
    for (record, clusters) in types {
        record.steps.clear();
        record.machine.clusters.clear();
        for (cpu, (core_type, mips)) in (0..).zip(clusters) {
            record.machine.clusters.push(record::Cluster {
                cpus: vec![cpu],
                core_type: Fact::Known(core_type.into()),
                policy: None,
            });
            let score = compression(mips);
            *record = with_step(record.clone(), WorkloadId::SevenZip, Variant::SINGLE, &[cpu], (0.0, 1.0), score);
        }
    }
    let lines: Vec<String> =
        compared(&a, &b).lines.iter().map(|line| format!("{} {:?}", line.cores.join(" | "), line.values)).collect();
    assert_eq!(
        lines,
        ["Cortex-A72 | Cortex-A76 [Some(2000.0), Some(3000.0)]", "Cortex-A53 [Some(1000.0), Some(1100.0)]"]
    );
}

#[test]
fn every_figure_pairs_the_same_cores() {
    let (a53, a72, a76) = (Some("Cortex-A53"), Some("Cortex-A72"), Some("Cortex-A76"));
    let check = |a: [(Option<&str>, u32, f64); 2], b: [(Option<&str>, u32, f64); 2], expected: &[&str]| {
        let (a, b) = (two_clusters(a), two_clusters(b));
        let comparison = compared(&a, &b);
        let mains = comparison.lines.iter().filter(|line| line.is_main);
        let rows: Vec<String> = mains.map(|line| format!("{} {}", line.unit, line.cores.join(" | "))).collect();
        assert_eq!(rows, expected);
    };
    // Slow cores with the lower latency pair with the slow cores of the other.
    for (fast, slow) in [(185.0, 170.0), (170.0, 185.0)] {
        check(
            [(None, 1000, slow), (None, 1500, fast)],
            [(a53, 1000, 343.6), (a72, 1470, 200.4)],
            &["MIPS CPU 1 | Cortex-A72", "MIPS CPU 0 | Cortex-A53", "ns CPU 1 | Cortex-A72", "ns CPU 0 | Cortex-A53"],
        );
    }
    check(
        [(a53, 1000, 100.0), (a72, 1500, 90.0)],
        [(a72, 1500, 90.0), (a53, 1000, 100.0)],
        &["MIPS Cortex-A72", "MIPS Cortex-A53", "ns Cortex-A72", "ns Cortex-A53"],
    );
    // The fast cores of one are the slow ones of the other: the others have no counterpart.
    check(
        [(a53, 1000, 100.0), (a72, 1500, 90.0)],
        [(a72, 1500, 90.0), (a76, 2500, 80.0)],
        &["MIPS Cortex-A72", "ns Cortex-A72"],
    );
}

/// A cause names the cores of its figures if there are several types, and clusters of one type are told once.
#[test]
fn causes_are_of_core_types() {
    let a53 = (Some("Cortex-A53"), 1000, 100.0);
    let (slow, a72) = ((Some("Cortex-A53"), 800, 125.0), (Some("Cortex-A72"), 1500, 90.0));
    let advertised = "The advertised clock is 1200 MHz instead of 1500 MHz (clock, measured cold).";
    let score = "it explains the difference (7-zip, one CPU); ";
    // The opening sentence has the only score.
    for (a, b, fast_mhz, cores, score) in
        [([a53, a72], [slow, a72], 1500, ", Cortex-A53", score), ([a53; 2], [slow; 2], 1200, "", "")]
    {
        let clocked = |clusters, mhz: [u32; 2]| {
            let points = (0..).zip(mhz).map(|(cpu, mhz)| point(cpu, mhz * 1000, mhz * 1000)).collect();
            with_clocks(two_clusters(clusters), Variant::COLD, points)
        };
        let comparison = compared(&clocked(a, [1500; 2]), &clocked(b, [1200, fast_mhz]));
        let causes: BTreeSet<String> = comparison.causes().iter().map(CauseOfSeveral::sentence).collect();
        let measured = format!(
            "The measured clock is 1200 MHz instead of 1500 MHz; {score}it alone would give -20 %, but memory has its own \
             clock (memory latency 64 MiB, ramlat)."
        );
        assert_eq!(causes, [advertised, &measured].map(|words| format!("B{cores}: {words}")).into());
    }
}

#[test]
fn cores_without_counterpart_are_one_line_for_each_result() {
    let a = two_clusters([(Some("Cortex-A53"), 1000, 100.0), (Some("Cortex-A72"), 1500, 90.0)]);
    let b = two_clusters([(Some("Cortex-A72"), 1500, 90.0), (Some("Cortex-A76"), 2500, 80.0)]);
    let lines = left_out_lines(&compared(&a, &b).left_out);
    let figures = "7-zip, one CPU; memory latency 64 MiB, ramlat";
    assert_eq!(
        lines,
        ["A", "B"].map(|letter| format!("{figures}: measured on cores of {letter} that have no counterpart"))
    );
}
