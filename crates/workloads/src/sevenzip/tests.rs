//! Hostile programs named `7zz`, and dictionaries by memory.

use super::*;
use crate::testing::{Bench, Program};
use record::{Counters, Variant};

const SINGLE: &str = include_str!("../../tool_output/7zz/26.02-x86_64-single.txt");
const BANNER: &str = "7-Zip (z) 26.02 (x64) : Copyright (c) 1999-2026 Igor Pavlov : 2026-06-25";

/// A program that prints its banner without arguments, and runs `script` as its benchmark.
fn sevenzip(script: &str) -> Program {
    let body = format!("if [ $# = 0 ]; then echo '{BANNER}'; exit 0; fi\n{script}");
    Program { name: "7zz".into(), body }
}

fn job(threads: u32) -> Job {
    Job { workload: WorkloadId::SevenZip, variant: Variant::SINGLE, threads, ..Job::default() }
}

fn fails(script: &str, kind: FailureKind, message: &str) {
    let bench = Bench::new(&[sevenzip(script)]);
    let failure = bench.with(&job(1), run).unwrap_err();
    assert_eq!(failure.kind, kind, "{script}: {failure:?}");
    assert!(failure.message.contains(message), "{script}: {failure:?}");
}

#[test]
fn good_run_is_recorded_with_its_tool() {
    let bench = Bench::new(&[sevenzip(&format!("cat <<'END'\n{SINGLE}END"))]);
    bench.with(&job(1), |context, report| {
        assert_eq!(lacking(context), None);
        let StepMeasurement::Compression(measured) = run(context, report).unwrap() else {
            panic!("7-zip measures compression");
        };
        assert_eq!(measured.total_mips, 4597);
        assert_eq!((report.method, &report.not_comparable), (26, &None));
        let tool = report.tool.clone().unwrap();
        assert_eq!((tool.name.as_str(), tool.version.as_str()), ("7zz", "7-Zip (z) 26.02 (x64)"));
        assert_eq!(tool.argv[1..], ["b", "-mmt=1"]);
        assert_ne!(report.counters, Counters::default());
    });
}

#[test]
fn failure_reasons() {
    fails("kill -SEGV $$", FailureKind::Signal, "SIGSEGV");
    fails("echo 'ERROR: no memory' >&2; exit 8", FailureKind::ExitStatus, "exited with status 8");
    fails("echo 'Decoding ERROR'; exit 2", FailureKind::WrongAnswer, "unstable");
    fails("echo 'Aufruf: 7zz [Optionen]'", FailureKind::Garbled, "no means (Avr:)");
    fails("printf '\\377\\376\\000'", FailureKind::Garbled, "no means (Avr:)");
    fails("true", FailureKind::Garbled, "no means (Avr:)");
}

#[test]
fn reduced_run_is_marked() {
    let text = SINGLE.replace("25:  ", "21:  ").replace("24:  ", "20:  ");
    let text = text.replace("23:  ", "19:  ").replace("22:  ", "18:  ");
    let bench = Bench::new(&[sevenzip(&format!("echo $@\ncat <<'END'\n{text}END"))]);
    bench.root.write("/proc/meminfo", "MemAvailable: 100000 kB").unwrap();
    bench.with(&job(1), |context, report| {
        run(context, report).unwrap();
        assert_eq!(report.tool.as_ref().unwrap().argv[1..], ["b", "-mmt=1", "-md=22"]);
        let why = report.not_comparable.clone().unwrap();
        assert_eq!(why, "largest dictionary 2 MiB instead of 32 MiB for lack of memory");
    });
}

#[test]
fn another_number_of_threads_is_marked() {
    let bench = Bench::new(&[sevenzip(&format!("cat <<'END'\n{SINGLE}END"))]);
    bench.with(&job(4), |context, report| {
        run(context, report).unwrap();
        let why = report.not_comparable.clone().unwrap();
        assert_eq!(why, "7-zip ran 1 threads instead of 4");
    });
}

#[test]
fn foreign_program_with_same_name_is_skipped() {
    let other = |name: &str| Program { name: name.into(), body: "echo 'Zebra 7'".into() };
    let bench = Bench::new(&[other("7zz"), other("7za")]);
    bench.with(&job(1), |context, report| {
        let reason = lacking(context).unwrap().to_string();
        assert!(reason.contains("/7zz is not 7-zip: it printed \"Zebra 7\""), "{reason}");
        assert_eq!(run(context, report).unwrap_err().kind, FailureKind::NotStarted);
    });
    let mut real = sevenzip("true");
    real.name = "7zr".into();
    let bench = Bench::new(&[other("7zz"), real]);
    bench.with(&job(1), |context, _| assert_eq!(lacking(context), None));
    let bench = Bench::new(&[]);
    bench.with(&job(1), |context, _| {
        let reason = lacking(context).unwrap().to_string();
        assert_eq!(reason, "7-zip is not installed (no 7zz, 7za, 7z, 7zr in PATH)");
    });
}

#[test]
fn banners_of_all_versions_give_their_class() {
    for (text, version, class, narrow) in [
        (BANNER, "7-Zip (z) 26.02 (x64)", 26, false),
        ("7-Zip (z) 22.01 (arm64) : Copyright", "7-Zip (z) 22.01 (arm64)", 22, false),
        ("7-Zip (z) 21.07 (arm) : Copyright", "7-Zip (z) 21.07 (arm)", 21, true),
        ("7-Zip (a) [64] 16.02 : Copyright", "7-Zip (a) [64] 16.02", 16, false),
        ("\n7-Zip (a) [32] 16.02 : Copyright", "7-Zip (a) [32] 16.02", 16, true),
        ("7-Zip (A) 9.20  Copyright", "7-Zip (A) 9.20", 9, false),
    ] {
        assert_eq!(banner(text).as_deref(), Some(version));
        assert_eq!((method(version), is_32_bit(version)), (class, narrow), "{version}");
    }
    for text in ["", "7-Zip", "zip 3.0", "7-Zip (z) : Copyright"] {
        assert_eq!(banner(text), None, "{text}");
    }
}

/// `(threads, dictionary, MB that 7-zip prints)`: of 26.02 by own runs, of other versions by published logs.
const PRINTED: &[(u32, u32, u64)] = &[
    (1, 18, 6),
    (1, 20, 17),
    (1, 22, 57),
    (1, 23, 111),
    (1, 24, 220),
    (1, 25, 437),
    (2, 18, 14),
    (2, 22, 65),
    (2, 25, 444),
    (3, 22, 65),
    (3, 25, 444),
    (4, 22, 130),
    (4, 24, 455),
    (4, 25, 889),
    (6, 25, 1334),
    (8, 24, 911),
    (8, 25, 1779),
    (12, 25, 2647),
    (16, 25, 3559),
    (22, 25, 4853),
    (32, 25, 7060),
    (96, 25, 21180),
    (192, 25, 42360),
];

#[test]
fn memory_need_estimate() {
    for &(threads, log2, printed_mb) in PRINTED {
        let need_mb = need_kib(threads, log2) / 1024;
        let pairs = u64::from(threads.div_ceil(2));
        assert!(need_mb >= printed_mb, "{threads} threads, 2^{log2}: {need_mb}");
        assert!(need_mb <= printed_mb + 9 * pairs, "{threads} threads, 2^{log2}: {need_mb}");
    }
}

#[test]
fn dictionary_follows_the_memory() {
    // (available MiB, threads, banner, dictionary)
    let x64 = "7-Zip (z) 26.02 (x64)";
    let cases = [
        (24_000, 2, x64, Some(25)),
        (480, 1, x64, Some(25)),
        (470, 1, x64, Some(24)),
        (300, 4, x64, Some(23)),
        (64, 1, x64, Some(20)),
        (40, 1, x64, None),
        (400, 64, x64, None),
        (16_000, 16, x64, Some(25)),
        (16_000, 16, "7-Zip (a) [32] 16.02", Some(24)),
    ];
    for (available_mib, threads, version, expected) in cases {
        let bench = Bench::new(&[]);
        let available = format!("MemAvailable: {} kB", available_mib << 10);
        bench.root.write("/proc/meminfo", &available).unwrap();
        let found = InstalledProgram {
            name: String::new(),
            path: String::new(),
            version: version.into(),
            runs_as_caller: false,
        };
        bench.with(&job(threads), |context, _| {
            let chosen = choose_dictionary(context, &found);
            assert_eq!(chosen.as_ref().ok(), expected.as_ref(), "{available_mib} MiB, {threads}");
        });
    }
}

#[test]
fn threads_that_share_cpus_get_more_time() {
    let shared = Job { threads: 4, cpus: vec![0], ..Job::default() };
    assert_eq!(time_limit(&shared), TIME_LIMIT * 4);
    assert_eq!(time_limit(&job(4)), TIME_LIMIT);
}
