//! Reviews: `-r`, `-j`, `-R`, with and without a command, ended in every way.

use super::{LOOK, ROW, RUN, Row, check, checked};
use crate::rig::Concurrency;

/// The note that a review watches.
const WATCHING: &str = "Monitoring";
/// Beginning of the closing report.
const REPORT: &str = "### Final report:";
/// The outcome of a setting that the board allows to be raised.
const RAISED: &str = "tuned from";

#[test]
fn review_tunes_monitors_and_reports() {
    let row = Row {
        line: "ExecuteCommand=\"stress-ng --cpu 0 -t 60m\" sbc-bench.sh -R",
        board: "throttling",
        company: Concurrency::Nothing,
        says: &[
            "Tested with sbc-bench v",
            "Monitoring while stress-ng --cpu 0 -t 60m runs.",
            REPORT,
            "while stress-ng --cpu 0 -t 60m ran",
            "Throttling: ",
            "Highest temperature: ",
            "Power: ",
            " W average",
            RAISED,
            ", restored to",
            "Problems while monitoring:",
        ],
        never: &["Performance baseline", "Results validation"],
        ..LOOK
    };
    let left = testkit::found!(checked(&row));
    assert!(left.log.contains(REPORT), "the log has the report as well");
    let record = left.record.expect("a Record");
    assert!(record.settings.iter().any(|change| change.new == "performance"));
    assert!(record.samples.at_ms.len() >= 5, "{} samples", record.samples.at_ms.len());
}

#[test]
fn review_without_benchmarks_exits() {
    check(&[
        Row { line: "sbc-bench -R", end: WATCHING, says: &[REPORT, "Monitored for", RAISED, ", restored to"], ..LOOK },
        Row {
            line: "sbc-bench -R -- sleep 2",
            says: &["Monitoring while sleep 2 runs.", "while sleep 2 ran", RAISED],
            ..LOOK
        },
        Row {
            line: "sbc-bench review --no-benchmarks -- sh -c 'exit 7'",
            flags: "",
            says: &[REPORT, "The command failed"],
            status: &[7],
            ..LOOK
        },
        Row {
            line: "sbc-bench -R -- sleep 60",
            end: "4",
            says: &[REPORT, "while sleep 60 ran", RAISED],
            status: &[130],
            ..LOOK
        },
        // As a service is ended, without a terminal and with everything closed.
        Row {
            line: "the-program -R --quiet <&- & sleep 4; kill -TERM $!; wait $!",
            says: &[REPORT, "Monitored for", ", restored to"],
            ..LOOK
        },
        Row { line: "sbc-bench -R -- sleep 1 | head -n 1", says: &["# "], ..LOOK },
        Row {
            line: "NOTUNING=yes sbc-bench -R -- sleep 1",
            says: &["No setting was tuned: NOTUNING=yes was set"],
            never: &[RAISED],
            ..LOOK
        },
        Row {
            line: "ExecuteCommand='echo one two | grep -c two > counted' sbc-bench -R && cat counted",
            says: &["\n1\n"],
            ..LOOK
        },
        Row {
            line: "sbc-bench -R -- no-such-program",
            says: &["Program no-such-program not found."],
            never: &[REPORT],
            status: &[1],
            ..LOOK
        },
    ]);
}

#[test]
fn review_with_benchmarks() {
    check(&[
        Row {
            line: "sudo /bin/bash ./sbc-bench.sh -r",
            end: WATCHING,
            says: &[
                "### Performance baseline:",
                "### Gain from tuning:",
                "7-zip MIPS",
                REPORT,
                "Monitored for",
                RAISED,
                "Results validation:",
            ],
            ..RUN
        },
        Row {
            line: "NotReadyYet=yes sbc-bench -r -- sleep 1",
            says: &["### Performance baseline", "while sleep 1 ran", REPORT],
            never: &["7-zip MIPS", "`aes-256-cbc"],
            ..RUN
        },
        Row {
            line: "NotReadyYet=yes NOTUNING=yes sbc-bench -j",
            end: WATCHING,
            says: &["### Performance baseline (NOTUNING=yes was set):", REPORT],
            never: &[RAISED],
            ..RUN
        },
    ]);
}

#[test]
fn inspect_changes_nothing() {
    let row = Row {
        line: "sbc-bench review --inspect",
        flags: "",
        says: &["# ", "### Kernel info:"],
        never: &[REPORT, RAISED],
        ..ROW
    };
    let left = testkit::found!(checked(&row));
    assert_eq!(left.log, "", "a look leaves no log");
}
