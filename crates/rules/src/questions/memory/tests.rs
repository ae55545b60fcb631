//! The whole text for a simulated board.

use super::*;
use crate::test_support::{own_run, with_step};
use facts::Facts;
use record::{Bandwidth, BandwidthRow, Cache, CurveRow, Fact, LatencyRow, LoadedRow, Missing, RepetitionStats};

fn repeated(record: &mut Record, name: &str, unit: &str, values: &[f64]) {
    let step = record.steps.last_mut().unwrap();
    step.repeated.extend(RepetitionStats::of(name, unit, values, StopReason::Narrow));
}

fn with_bandwidth(record: Record) -> Record {
    let row = |routine: &str, operation, bytes_per_s: &[u64]| BandwidthRow {
        routine: routine.into(),
        operation,
        bytes_per_s: bytes_per_s.to_vec(),
        printed_deviation_percent: None,
        line: None,
    };
    let rows = vec![
        row("copy-neon", MemoryOperation::Copy, &[4_011_000_000, 4_000_000_000]),
        row("fill-dc-zva", MemoryOperation::Fill, &[9_500_000_000]),
    ];
    let measured = StepMeasurement::Bandwidth(Bandwidth { buffer_bytes: 32 << 20, verified: true, rows });
    let mut record = with_step(record, WorkloadId::MemoryBandwidth, Variant::ONLY, &[0], (0.0, 2.0), measured);
    let copies = [4011.0, 4000.0, 4002.0, 4001.0, 4003.0, 4004.0, 4005.0];
    repeated(&mut record, "copy-neon", "MB/s", &copies);
    let fills = [9500.0, 9510.0, 7000.0, 9505.0, 7010.0, 7005.0, 9505.0, 9507.0];
    repeated(&mut record, "fill-dc-zva", "MB/s", &fills);
    record
}

fn with_latency(record: Record, variant: Variant, clock_khz: Fact<u32>) -> Record {
    let columns: &[&str] = if variant.is_only() { &["1x32", "1xPTR", "2xPTR", "4xPTR", "8xPTR"] } else { &["1xPTR"] };
    let row = |(kib, ns): (u64, f64)| LatencyRow {
        size_bytes: kib << 10,
        rounds_apart_percent: None,
        ns: (0..columns.len()).map(|column| Some(ns / (1 << column) as f64)).collect(),
        line: None,
    };
    let curve = [(16, 2.2), (32, 2.2), (45, 4.0), (64, 8.0), (91, 8.1), (131_072, 130.0)];
    let measured = StepMeasurement::Latency(Latency {
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        rows: curve.map(row).to_vec(),
        pages: "huge pages".into(),
        clock_khz,
    });
    with_step(record, WorkloadId::MemoryLatency, variant, &[0], (2.0, 4.0), measured)
}

#[test]
fn memory_report_of_board() {
    let mut record = own_run();
    let cache =
        |level, kind: &str, kib: u64| Cache { level, kind: kind.into(), size_bytes: kib << 10, shared_cpus: vec![0] };
    record.machine.cpus[0].core_type = Fact::Known("Cortex-A53".into());
    record.machine.cpus[0].caches = vec![cache(1, "Data", 32), cache(1, "Instruction", 32), cache(2, "Unified", 512)];
    let record = with_bandwidth(record);
    let record = with_latency(record, Variant::ONLY, Fact::Known(1_800_000));
    let record = with_latency(record, Variant::SMALL_PAGES, Fact::Known(1_800_000));
    let rows = [(1, 4_000_000_000), (2, 5_000_000_000)].map(|(count, rate)| CurveRow {
        routine: "copy-neon".into(),
        operation: MemoryOperation::Copy,
        cpus: (0..count).rev().collect(),
        buffer_bytes: 32 << 20,
        bytes_per_s: vec![rate],
    });
    let curve = StepMeasurement::BandwidthCurve(BandwidthCurve { rows: rows.to_vec() });
    let record = with_step(record, WorkloadId::MemoryScaling, Variant::ONLY, &[], (4.0, 5.0), curve);
    let loaded = StepMeasurement::LoadedLatency(LoadedLatency {
        cpu: 0,
        load_cpus: vec![1, 2, 3],
        size_bytes: 128 << 20,
        rows: vec![LoadedRow { duty_percent: 100, load_bytes_per_s: 3_000_000_000, ns: vec![250.0, 240.0, 260.0] }],
    });
    let record = with_step(record, WorkloadId::MemoryLoaded, Variant::ONLY, &[], (5.0, 6.0), loaded);
    let text = REPORT.text(&explain::explain(&record), compare::reference::Reference::builtin);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    expect_test::expect![[r#"
        Bandwidth of CPU 0 (Cortex-A53) in MB/s (10^6 bytes copied, filled or read),
        32 MiB per buffer, verified

                                         best     median   interval
        copy-neon                      4011.0     4003.0   +-0.1 % (7)
        fill-dc-zva                    9500.0 9505.0 | 7005.0   none (8) bimodal

        Latency of CPU 0 (Cortex-A53) in ns; 1x to 8x: parallel pointer chains,
        huge pages

              size       1x   cycles       2x       4x       8x  small pages   TLB-light
            16 KiB     1.10     1.98     0.55     0.28     0.14         2.20           -
            32 KiB     1.10     1.98     0.55     0.28     0.14         2.20           -
            45 KiB     2.00     3.60     1.00     0.50     0.25         4.00           -
            64 KiB     4.00     7.20     2.00     1.00     0.50         8.00           -
            91 KiB     4.05     7.29     2.02     1.01     0.51         8.10           -
           128 MiB    65.00    117.0    32.50    16.25     8.12        130.0           -

        Cache boundaries: 32 KiB (L1: 32 KiB reported). Reported but not visible: L2 of
           512 KiB.

        Bandwidth of several CPUs at once in MB/s, best repetition

         CPUs        copy       fill       read   list
             1       4000          -          -   0
             2       5000          -          -   0-1

        Latency of CPU 0 at 128 MiB while CPUs 1-3 read

              duty cycle        MB/s read   ns (best)   ns (median)
                   100 %             3000       240.0         250.0

        Memory bandwidth: 1 of 2 figures are known within 1 % (typically within -); 1
           are bimodal.
        Total time: 8.0 s.
    "#]]
    .assert_eq(&text);
}

#[test]
fn cycles_without_a_clock_are_missing_with_their_reason() {
    let unknown = Fact::from(Missing::unsupported("readings", "the clock reading was disturbed"));
    let text = render(&Facts::of(&with_latency(own_run(), Variant::ONLY, unknown)), &[]);
    assert!(text.contains("Cycles: not measured (the clock reading was disturbed)."));
}

#[test]
fn memory_report_without_measurement() {
    assert!(render(&Facts::of(&own_run()), &[]).starts_with("No memory was measured."));
}
