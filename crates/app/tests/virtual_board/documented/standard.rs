//! The standard run and what variables of the environment make of it.

use super::{ROW, RUN, Row, check, checked};
use crate::rig::Concurrency;

#[test]
fn first_line_of_every_document() {
    let row = Row {
        line: "sudo /bin/bash ./sbc-bench.sh -c",
        says: &[
            "Executing benchmark single-threaded",
            "aes-256-cbc",
            "Total Scores: 7.99,8.12,8.10",
            "Log: /var/log/sbc-bench.log",
        ],
        ..RUN
    };
    let left = testkit::found!(checked(&row));
    let summary = left.log.lines().last().unwrap_or_default();
    assert!(summary.ends_with("| 8.11 |"), "{summary}");
}

#[test]
fn line_for_regression_tests() {
    // It prints the summary line or, where the results say so, nothing.
    let row = Row {
        line: "MODE=unattended sbc-bench.sh -c | grep -q 'check the log' || tail -n1 /var/log/sbc-bench.log",
        ..ROW
    };
    let left = testkit::found!(checked(&row));
    let is_in_doubt = left.log.contains("check the log");
    let summary = left.log.lines().last().unwrap_or_default();
    assert_eq!(summary.split('|').count(), 12, "{summary}");
    match left.out.as_str() {
        "" => {}
        printed => assert_eq!(printed.trim_end(), summary),
    }
    assert_eq!(
        left.out.is_empty(),
        is_in_doubt
            || left
                .record
                .is_some_and(|record| { explain::explain(&record).assessment.verdict != facts::Verdict::Valid })
    );
}

#[test]
fn busy_system_is_not_measured() {
    let row = Row {
        line: "sh -c 'while :; do :; done' & MODE=unattended sbc-bench; status=$?; kill $!; exit $status",
        company: Concurrency::Nothing,
        flags: "--quiet --wait 1s",
        says: &["The system stayed busy", "sh (PID", "or use --force"],
        status: &[4],
        ..ROW
    };
    check(&[row]);
}

#[test]
fn variables_of_the_environment() {
    check(&[
        Row {
            line: "MODE=extensive MaxKHz=1416000 sbc-bench.sh",
            board: "throttling",
            says: &[
                " extensive (",
                "Cpufreq OPP: 1416 ",
                "AES-256-GCM",
                "Total Scores: 7.99,8.12,8.10",
                "Executing stockfish",
            ],
            never: &["Cpufreq OPP: 1608", "Cpufreq OPP: 1800"],
            ..RUN
        },
        Row {
            line: "cat /sys/devices/system/cpu/cpufreq/policy?/scaling_available_frequencies",
            says: &["720000 1800000"],
            ..ROW
        },
        Row {
            line: "grep -v Serial /proc/cpuinfo | sed 's/^processor.*/&\\nCPU implementer\\t: 0x41\\nCPU architecture: 8\\nCPU variant\\t: 0x4\\nCPU part\\t: 0xd0b\\nCPU revision\\t: 0/' > other; CPUINFOFILE=other NotReadyYet=yes sbc-bench",
            says: &["Cortex-A76"],
            ..RUN
        },
        Row {
            line: "MinKHz=1200000 NotReadyYet=yes sbc-bench",
            board: "throttling",
            says: &["Cpufreq OPP: 1800 ", "Cpufreq OPP: 1200 "],
            never: &["Cpufreq OPP:  816", "7-zip single thread"],
            ..RUN
        },
        Row { line: "sbc-bench -s", says: &["Executing stockfish", "1425291 nodes/s"], ..RUN },
        Row { line: "MODE=fast sbc-bench", says: &["MODE must be extensive or unattended"], status: &[1], ..ROW },
    ]);
}
