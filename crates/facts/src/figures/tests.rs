//! Figures of small Records.

use super::*;
use crate::Facts;
use crate::test_support::{compression, log, own_run, point, series, with_clocks, with_step};
use expect_test::{Expect, expect};
use record::{
    Bandwidth, BandwidthRow, Cipher, Cluster, Fact, Latency, LatencyRow, MemoryOperation, NamedValue, Record, SetClock,
    StepMeasurement, Tool, Variant, WorkloadId,
};

fn keyed(figure: &Figure) -> String {
    let core = figure.core.as_ref().map_or(String::new(), |core| format!(" ({})", core.label()));
    format!("{}{core}", figure.key)
}

fn check(record: &Record, expected: &Expect) {
    let lines: Vec<String> = figures(&Facts::of(record))
        .iter()
        .map(|figure| {
            let spread = figure.spread_percent.map_or(String::new(), |spread| format!(" +-{spread:.1} %"));
            let not = figure.not_comparable.clone().unwrap_or_default();
            let main = if figure.is_main { "main" } else { "detail" };
            format!(
                "{}: {:.1} {}{spread} of {} {main} {not}",
                keyed(figure),
                figure.value,
                figure.unit,
                figure.repetitions,
            )
        })
        .collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    expected.assert_eq(&(lines.join("\n") + "\n"));
}

fn bandwidth(rows: &[(&str, MemoryOperation, &[u64])]) -> StepMeasurement {
    let row = |(routine, operation, mb): &(&str, MemoryOperation, &[u64])| BandwidthRow {
        routine: (*routine).into(),
        operation: *operation,
        bytes_per_s: mb.iter().map(|mb| mb * 1_000_000).collect(),
        printed_deviation_percent: None,
        line: None,
    };
    StepMeasurement::Bandwidth(Bandwidth {
        buffer_bytes: 1 << 25,
        verified: true,
        rows: rows.iter().map(row).collect(),
    })
}

fn step(record: Record, workload: WorkloadId, variant: Variant, cpus: &[u32], what: StepMeasurement) -> Record {
    with_step(record, workload, variant, cpus, (0.0, 1.0), what)
}

#[test]
fn scores_at_clocks_that_were_set_stay_apart() {
    let mut record = own_run();
    for (khz, mips) in [(408_000, 1000), (408_000, 1010), (1_800_000, 4400)] {
        record = step(record, WorkloadId::SevenZip, Variant::MULTI, &[], compression(mips));
        record.steps.last_mut().unwrap().set_clock = Some(SetClock::Khz(khz));
    }
    check(
        &record,
        &expect![[r#"
            sevenzip@1 multi: 1005.0 MIPS +-0.7 % of 2 detail measured at a set clock of 408 MHz
            sevenzip@1 multi: 4400.0 MIPS of 1 detail measured at a set clock of 1800 MHz
        "#]],
    );
}

#[test]
fn scores_of_one_cluster() {
    let mut record = with_clocks(own_run(), Variant::COLD, vec![point(0, 1_800_000, 1_799_000)]);
    record = step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], compression(1420));
    record = step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], compression(1430));
    for mips in [5300, 5400] {
        record = step(record, WorkloadId::SevenZip, Variant::MULTI, &[], compression(mips));
    }
    record = step(record, WorkloadId::SevenZip, Variant::MULTI, &[0, 1], compression(2700));
    record = step(record, WorkloadId::SevenZip, Variant::MULTI, &[], compression(5000));
    record.steps.last_mut().unwrap().not_comparable = Some("small dictionaries".into());
    record = step(record, WorkloadId::Cpuminer, Variant::ONLY, &[], series(&[1.0, 9.0, 8.0, 7.0]));
    check(
        &record,
        &expect![[r#"
        clock@1 cold (Cortex-A53): 1799.0 MHz of 1 main
        sevenzip@1 single (Cortex-A53): 1430.0 MIPS +-0.5 % of 2 main
        sevenzip@1 multi: 5350.0 MIPS +-1.3 % of 2 main
        sevenzip@1 multi: 5000.0 MIPS of 1 main small dictionaries
        cpuminer@1: 8.0 kH/s +-12.5 % of 3 main
    "#]],
    );
}

#[test]
fn ciphers_are_kept_by_version_of_the_library() {
    let cipher = || {
        StepMeasurement::Cipher(Cipher {
            algorithm: Variant::AES_256_CBC.to_string(),
            rows: vec![(16, 60_000_000), (16_384, 78_000_000)],
        })
    };
    let mut record = own_run();
    for version in ["OpenSSL 3.0.22 25 Aug 2026", "LibreSSL 3.8.2"] {
        record = step(record, WorkloadId::OpenSsl, Variant::AES_256_CBC, &[0], cipher());
        // The method of a cipher is the major version of its library.
        record.steps.last_mut().unwrap().method = 3;
        record.steps.last_mut().unwrap().tool =
            Some(Tool { name: "openssl".into(), path: String::new(), version: version.into(), argv: Vec::new() });
    }
    check(
        &record,
        &expect![[r#"
        openssl@3 aes-256-cbc 16 (Cortex-A53): 60000.0 kB/s of 1 detail
        openssl@3 aes-256-cbc 16384 (Cortex-A53): 78000.0 kB/s of 1 main
        libressl@3 aes-256-cbc 16 (Cortex-A53): 60000.0 kB/s of 1 detail
        libressl@3 aes-256-cbc 16384 (Cortex-A53): 78000.0 kB/s of 1 main
    "#]],
    );
}

#[test]
fn memory_of_a_log_is_that_of_the_c_library() {
    let rows = [
        ("libc memcpy copy", MemoryOperation::Copy, &[2700_u64][..]),
        ("NEON LDP/STP copy", MemoryOperation::Copy, &[2900]),
        ("libc memset fill", MemoryOperation::Fill, &[3000]),
    ];
    let latency = || {
        StepMeasurement::Latency(Latency {
            columns: vec!["1x32".into(), "1xPTR".into()],
            rows: vec![
                LatencyRow {
                    size_bytes: 16 << 20,
                    rounds_apart_percent: None,
                    ns: vec![Some(170.0), Some(180.0)],
                    line: None,
                },
                LatencyRow {
                    size_bytes: 128 << 20,
                    rounds_apart_percent: None,
                    ns: vec![Some(190.0), None],
                    line: None,
                },
            ],
            pages: String::new(),
            clock_khz: record::Fact::not_in_log(),
        })
    };
    let mut record = log("0.9.72");
    record = step(record, WorkloadId::MemoryBandwidth, Variant::TINYMEMBENCH, &[0], bandwidth(&rows));
    record = step(record, WorkloadId::MemoryLatency, Variant::RAMLAT, &[0], latency());
    check(
        &record,
        &expect![[r#"
        memory-libc@1 copy (Cortex-A53): 2700.0 MB/s of 1 main
        memory-libc@1 fill (Cortex-A53): 3000.0 MB/s of 1 main
        memory-latency@1 ramlat 16M (Cortex-A53): 180.0 ns of 1 main
    "#]],
    );
    let rows = [
        ("copy-libc", MemoryOperation::Copy, &[2700_u64, 2800][..]),
        ("copy-avx2", MemoryOperation::Copy, &[2900, 2890]),
    ];
    let record = step(own_run(), WorkloadId::MemoryBandwidth, Variant::ONLY, &[0], bandwidth(&rows));
    check(
        &record,
        &expect![[r#"
        memory-bandwidth@1 copy (Cortex-A53): 2900.0 MB/s +-0.2 % of 2 main
    "#]],
    );
    // The key is that of the log, so the two are comparable.
    let rows = [("libc memcpy copy", MemoryOperation::Copy, &[2650_u64, 2640][..])];
    let record = step(own_run(), WorkloadId::MemoryLibc, Variant::ONLY, &[0], bandwidth(&rows));
    check(
        &record,
        &expect![[r#"
        memory-libc@1 copy (Cortex-A53): 2650.0 MB/s +-0.3 % of 2 main
    "#]],
    );
}

#[test]
fn clusters_of_one_core_type_are_kept_apart() {
    let mut record = own_run();
    record.machine.clusters = [&[0_u32, 1][..], &[2, 3]]
        .map(|cpus| Cluster { cpus: cpus.to_vec(), core_type: Fact::Known("Cortex-A76".into()), policy: None })
        .to_vec();
    record = step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], compression(2900));
    record = step(record, WorkloadId::SevenZip, Variant::SINGLE, &[2], compression(3000));
    let figures = figures(&Facts::of(&record));
    let main = figures.iter().filter(|figure| figure.is_main);
    let found: Vec<(usize, f64)> = main.map(|figure| (figure.core.as_ref().unwrap().cluster, figure.value)).collect();
    assert_eq!(found, [(0, 2900.0), (1, 3000.0)]);
    let names: Vec<String> = figures.iter().filter(|figure| figure.is_main).map(Figure::name).collect();
    let expected = ["7-zip, one CPU (Cortex-A76 on CPUs 0-1)", "7-zip, one CPU (Cortex-A76 on CPUs 2-3)"];
    assert_eq!(names, expected);
}

#[test]
fn log_without_core_types_names_the_model_of_its_only_cluster() {
    for (model, expected) in
        [("Cortex-A53", "7-zip, one CPU (Cortex-A53)"), ("ARMv7 Processor rev 5 (v7l)", "7-zip, one CPU (CPUs 0-3)")]
    {
        let mut record = step(log("0.7"), WorkloadId::SevenZip, Variant::SINGLE, &[0], compression(900));
        record.machine.clusters[0].core_type = Fact::not_in_log();
        record.machine.features.push(NamedValue {
            name: "lscpu/Model name".into(),
            value: model.into(),
            from: String::new(),
        });
        assert_eq!(figures(&Facts::of(&record))[0].name(), expected);
    }
}

#[test]
fn gain_sign() {
    let record = step(own_run(), WorkloadId::SevenZip, Variant::SINGLE, &[0], compression(1100));
    let mut figure = figures(&Facts::of(&record)).remove(0);
    assert_eq!(figure.gain_percent(1000.0).map(f64::round), Some(10.0));
    figure.higher_is_better = false;
    assert_eq!(figure.gain_percent(1100.0), Some(0.0));
    assert!(figure.gain_percent(550.0).unwrap() < 0.0);
    assert_eq!(figure.gain_percent(0.0), None);
}
