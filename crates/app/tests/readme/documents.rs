//! Commands that documents other than README show, and how each is tried.

use crate::readme::rows::Trial::{self, As, Line, OnBoard};

/// A document whose commands are tried.
pub(super) struct Document {
    pub(super) text: &'static str,
    /// Its blocks of a shell are tried here; where not, all of them are by a test of that document.
    pub(super) has_blocks: bool,
}

/// All of them. Tests of the hub type the commands of `sbc-bench-hub`, and xtask those of other programs in farms.md. The
/// pages of rules take their commands from one table.
pub(super) const DOCUMENTS: &[Document] = &[
    Document { text: include_str!("../../../../docs/running.md"), has_blocks: true },
    Document { text: include_str!("../../../../docs/power-meters.md"), has_blocks: true },
    Document { text: include_str!("../../../../docs/reading-results.md"), has_blocks: true },
    Document { text: include_str!("../../../../docs/hub.md"), has_blocks: true },
    Document { text: include_str!("../../../../docs/farms.md"), has_blocks: true },
    Document { text: include_str!("../../../../docs/json.md"), has_blocks: false },
    Document { text: include_str!("../../../../docs/other-systems.md"), has_blocks: false },
    Document { text: include_str!("../../../../docs/kernel-dates.md"), has_blocks: true },
    Document { text: include_str!("../../../../docs/virtual-boards.md"), has_blocks: true },
    Document { text: include_str!("../../../../docs/rules.tsv"), has_blocks: true },
];

/// Every command that README has not.
pub(super) const ROWS: &[(&str, Trial)] = &[
    ("sbc-bench list meters", Line("sbc-bench list meters", &["fnirsi[:hidrawN]", "Quality: ", "Needs "])),
    (
        "sbc-bench monitor --meter 'command:echo 4.2'",
        Line("sbc-bench monitor 0.5 --count 4 --jsonl=full --meter 'command:echo 4.2'", &["4200"]),
    ),
    (
        "sbc-bench explain --details FILE",
        Line(
            "sbc-bench explain --details old.log",
            &["Evidence (rules.md of the package, or docs/rules of the source"],
        ),
    ),
    ("sbc-bench compare A B", Line("cp old.log b.log; sbc-bench compare old.log b.log", &["A  ", "B  "])),
    (
        "sbc-bench results *.txt --format text",
        Line("cp old.log a.txt; sbc-bench results *.txt --format text", &["board ", "Testboard"]),
    ),
    (
        "sbc-bench results DIR --site SITE",
        Line(
            "mkdir one && cp old.log one && sbc-bench results one --site one.site",
            &["one.site/index.html: 1 results; "],
        ),
    ),
    (
        "sbc-bench results *.json --over-time",
        Line(
            "sbc-bench explain old.log --format record > a.json; sbc-bench results *.json --over-time; :",
            &["Testboard Three"],
        ),
    ),
    ("sbc-bench measure flops", Line("sbc-bench measure flops:fp32 --cpus 0", &["fp32", "GFLOPS"])),
    ("sbc-bench list definitions", Line("sbc-bench list definitions", &["No workloads are defined."])),
    ("sbc-bench install-tools", Line("echo n | sbc-bench install-tools no-such-tool; :", &["no-such-tool"])),
    (
        "sbc-bench monitor 0.5 --record night.rec &",
        Line(
            "sbc-bench monitor 0.1 --record night.rec --count 60 >lines & sleep 1.5; \
             sbc-bench monitor mark \"fan off\"; sleep 0.5; sbc-bench mark \"fan on\"; wait; wc -l < lines; grep -e --- lines",
            &["63", "--- fan off", "--- fan on"],
        ),
    ),
    ("sbc-bench monitor mark \"fan off\"", As("sbc-bench monitor 0.5 --record night.rec &")),
    ("sbc-bench monitor mark \"fan on\"", As("sbc-bench monitor mark \"fan off\"")),
    (
        "sbc-bench monitor --replay night.rec --seek 1:30:00",
        Line("sbc-bench monitor --replay night.rec --seek 0:00:01 --speed max", &["MHz"]),
    ),
    (
        "sbc-bench monitor --replay night.rec --speed max --jsonl",
        Line("sbc-bench monitor --replay night.rec --speed max --jsonl | grep -c '\"event\":\"row\"'", &["60"]),
    ),
    ("sbc-bench thermal", OnBoard("sbc-bench thermal ")),
    (
        "sbc-bench upload /var/log/sbc-bench.json --to https://hub.example --token-file /etc/sbc-bench.token --machine \
         shelf-3 --publish --yes",
        As("sbc-bench upload FILE... --to URL"),
    ),
    (
        "sbc-bench compare result.json --with https://hub.example",
        Line("sbc-bench compare old.log --with http://hub.example || true", &["use https://"]),
    ),
    (
        "sbc-bench --upload https://hub.example --token-file /etc/sbc-bench.token --machine shelf-3 --publish --yes",
        Line(
            "NotReadyYet=yes sbc-bench --upload http://hub.example --machine shelf-3 --publish --yes || true",
            &["use https://"],
        ),
    ),
    ("sbc-bench explain FILE --format NAME", Line("sbc-bench explain old.log --format junit", &["<testsuite"])),
    ("sbc-bench explain --check run.json", Line("sbc-bench explain --check old.log", &["Testboard Three"])),
    (
        "sbc-bench explain run.json --fail-if 'sevenzip-multi < baseline - 5 %' --baseline FILE",
        Line("sbc-bench explain old.log --fail-if 'sevenzip-multi < baseline - 5 %' --baseline old.log", &["Limit"]),
    ),
    ("sbc-bench run --repeat 3 -- true", As("sbc-bench run -- CMD...")),
    (
        "sbc-bench inspect kernel --eol-file linux.json",
        Line(
            "echo '[{\"cycle\": \"6.12\", \"lts\": true, \"eol\": \"2028-12-31\", \"latest\": \"6.12.10\", \
             \"latestReleaseDate\": \"2026-11-01\"}]' > linux.json; sbc-bench inspect kernel --eol-file linux.json",
            &["Kernel "],
        ),
    ),
    ("sbc-bench measure clock --heat 5min", Line("sbc-bench measure clock --cpus 0 --heat 1s", &["usable"])),
    ("sbc-bench sensitivity", OnBoard("sbc-bench sensitivity -- ")),
    ("sbc-bench -M", OnBoard("sbc-bench -M")),
    ("sbc-bench efficiency", OnBoard("sbc-bench efficiency cores")),
    ("sbc-bench explain --details", As("sbc-bench explain --details FILE")),
    ("sbc-bench thermal -- CMD", OnBoard("sbc-bench thermal ")),
    ("sbc-bench measure workload ID", As("sbc-bench workload ID [VARIANT]")),
];
