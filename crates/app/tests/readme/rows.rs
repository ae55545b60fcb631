//! Every command of README and of docs/commands.md, with its test.

/// Test of a command.
pub(super) enum Trial {
    /// This line is typed, and everything it must say follows.
    Line(&'static str, &'static [&'static str]),
    /// These words stand in a row of the tests on virtual boards.
    OnBoard(&'static str),
    /// Tried by another row.
    As(&'static str),
}

use Trial::{As, Line, OnBoard};

/// Commands of README and of docs/commands.md, old spellings among them.
pub(super) const ROWS: &[(&str, Trial)] = &[
    ("sbc-bench", Line("NotReadyYet=yes sbc-bench", &["memory copy", "Results ", "Log: "])),
    ("sbc-bench --help", Line("sbc-bench -h; sbc-bench --help", &["Measure:", "Exit status:", "Earlier commands"])),
    (
        "sbc-bench explain",
        Line("sbc-bench run --repeat 2 -- true && XDG_STATE_HOME=$PWD/none sbc-bench explain run.json", &["Results "]),
    ),
    (
        "sbc-bench explain FILE --html PAGE",
        Line(
            "sbc-bench explain old.log --html both.html --card card.png --plots both && ls both.html card.png both/card.svg",
            &["both.html\n", "card.png\n", "both/card.svg"],
        ),
    ),
    ("sbc-bench explain FILE", Line("sbc-bench old.log; sbc-bench ./old.log", &["Testboard Three"])),
    ("sbc-bench run -- make -C /usr/src/linux -j4", As("sbc-bench run -- CMD...")),
    (
        "sbc-bench ab --a governor=ondemand --b governor=performance -- make -C /usr/src/linux -j4",
        As("sbc-bench ab --a thp=never --b thp=always -- CMD..."),
    ),
    ("sbc-bench measure WHAT", As("sbc-bench measure clock")),
    ("sbc-bench measure clock", Line("sbc-bench measure clock --cpus 0 --readings 1", &["advertised", "usable"])),
    ("sbc-bench measure memory", As("sbc-bench memory [--cpus LIST]")),
    ("sbc-bench measure core-to-core", As("sbc-bench core-to-core [--cpus LIST]")),
    ("sbc-bench measure scaling", As("sbc-bench scaling [--cpus LIST]")),
    (
        "sbc-bench measure power",
        Line("sbc-bench measure power --dry-run --meter shelly:plug", &["measure idle, at most 40 s"]),
    ),
    ("sbc-bench measure workload", Line("sbc-bench measure aes:aes-256-cbc", &["aes 256-CBC"])),
    ("sbc-bench inspect", Line("sbc-bench inspect", &["### Kernel info:"])),
    ("sbc-bench inspect identify", Line("sbc-bench inspect identify && sbc-bench inspect identify old.log", &["CPU"])),
    ("sbc-bench inspect kernel", Line("sbc-bench inspect kernel", &["Kernel "])),
    ("sbc-bench inspect storage", Line("sbc-bench inspect storage", &[])),
    ("sbc-bench inspect doctor", Line("sbc-bench inspect doctor", &["External tools:", "For a bug report"])),
    (
        "sbc-bench compare FILE...",
        Line("sbc-bench compare run.json old.log; sbc-bench compare old.log", &["A  ", "B  ", "known results"]),
    ),
    (
        "sbc-bench share FILE",
        Line(
            "sbc-bench share old.log && ls share-old/page.html share-old/post.md",
            &["post.md ", "share-old/page.html\n"],
        ),
    ),
    (
        "sbc-bench results FILE...",
        Line(
            "sbc-bench results old.log; sbc-bench results old.log --site own.site; sbc-bench results old.log --over-time",
            &["| Testboard Three |", "own.site/index.html: 1 results; "],
        ),
    ),
    ("sbc-bench monitor", Line("sbc-bench monitor 0.1 --count 2", &["load %cpu %sys", "MHz"])),
    ("sbc-bench recover --settings", OnBoard("sbc-bench restore")),
    ("sbc-bench -c", OnBoard("./sbc-bench.sh -c")),
    ("sbc-bench -s", OnBoard("sbc-bench -s")),
    ("sbc-bench -G", OnBoard("sbc-bench -G")),
    ("-P TEST...", OnBoard("sbc-bench -P compress-7zip")),
    (
        "sbc-bench clock [--cpus LIST] [--no-tuning] [--heat TIME]",
        Line("sbc-bench clock --cpus 0 --no-tuning --heat 1s", &["advertised", "usable"]),
    ),
    ("sbc-bench memory [--cpus LIST]", Line("sbc-bench memory --cpus 0", &["copy", "latency"])),
    ("sbc-bench core-to-core [--cpus LIST]", Line("sbc-bench core-to-core", &["Core-to-core latency in ns"])),
    ("sbc-bench scaling [--cpus LIST]", OnBoard("sbc-bench scaling")),
    ("sbc-bench workload ID [VARIANT]", Line("sbc-bench workload aes aes-256-cbc", &["aes 256-CBC"])),
    ("sbc-bench list workloads", Line("sbc-bench list workloads", &["sevenzip", "memory-bandwidth"])),
    (
        "sbc-bench workload drive --dir DIR",
        Line("sbc-bench workload drive --dir no-such-folder; :", &["no-such-folder"]),
    ),
    (
        "sbc-bench workload network --host NAME",
        Line("sbc-bench workload network; :", &["network cannot run: ", "needs --host NAME"]),
    ),
    ("sbc-bench run --workload stress-ng:cpu", Line("sbc-bench run --workload stress-ng:none; :", &["stress-ng"])),
    (
        "sbc-bench run -- CMD...",
        Line("sbc-bench run --repeat 3 -- sleep 0.01", &["sleep 0.01: 0.0", "(median of 3 runs"]),
    ),
    ("sbc-bench run --cpus 4-7 --others-off -- CMD...", OnBoard("sbc-bench run --cpus 0 --others-off")),
    (
        "sbc-bench run --workload NAME [--workload-file FILE]",
        Line("sbc-bench run --repeat 2 --workload quick --workload-file own.toml", &["quick", "12.0 files/s"]),
    ),
    ("sbc-bench ab --a thp=never --b thp=always -- CMD...", OnBoard("sbc-bench ab --a maxkhz=")),
    ("sbc-bench sensitivity [-- CMD...]", OnBoard("sbc-bench sensitivity -- ")),
    ("sbc-bench thermal [-- CMD...]", OnBoard("sbc-bench thermal ")),
    ("-t", OnBoard("sbc-bench -t 60")),
    ("-T", OnBoard("sbc-bench -T 40")),
    ("sbc-bench efficiency [CPUS]", OnBoard("sbc-bench efficiency cores")),
    ("-g", OnBoard("sbc-bench -g all")),
    ("-M", OnBoard("sbc-bench -M")),
    (
        "sbc-bench report FILE --html PAGE",
        Line(
            "sbc-bench report run.json --html page.html; sbc-bench report old.log --format html",
            &["<!DOCTYPE html>"],
        ),
    ),
    ("sbc-bench report FILE --plots DIR", OnBoard("sbc-bench report /var/log/sbc-bench.json --plots plots")),
    ("sbc-bench -m [seconds]", Line("sbc-bench -m 0.1 --count 2", &["load %cpu %sys", "MHz"])),
    ("sbc-bench -m", As("sbc-bench -m [seconds]")),
    (
        "sbc-bench mark TEXT",
        Line("sbc-bench mark; sbc-bench mark a --record no.rec; :", &["TEXT missing", "Cannot add a mark to no.rec"]),
    ),
    ("sbc-bench monitor mark", As("sbc-bench mark TEXT")),
    ("sbc-bench review --inspect", Line("sbc-bench review --inspect", &["### Kernel info:"])),
    ("sbc-bench review [-- CMD]", OnBoard("sbc-bench -r -- sleep 1")),
    ("-r", OnBoard("./sbc-bench.sh -r")),
    ("sbc-bench review --no-benchmarks [-- CMD]", OnBoard("sbc-bench review --no-benchmarks -- ")),
    ("-R", OnBoard("sbc-bench -R -- sleep 2")),
    ("sbc-bench storage", Line("sbc-bench storage && sbc-bench -S", &[])),
    ("-S", As("sbc-bench storage")),
    ("sbc-bench kernel", Line("sbc-bench kernel && sbc-bench -k", &["Kernel "])),
    ("-k", As("sbc-bench kernel")),
    (
        "sbc-bench redact FILE... [--output FILE|DIR]",
        Line(
            "sbc-bench redact run.json --output blank.json; sbc-bench explain blank.json",
            &["run.json: redacted", "Results "],
        ),
    ),
    ("sbc-bench recover", Line("sbc-bench recover --log run.log", &["No runs to recover in "])),
    (
        "sbc-bench explain FILE...",
        Line(
            "sbc-bench explain run.log; sbc-bench explain run.json; sbc-bench explain old.log; \
             sbc-bench explain - < run.log; sbc-bench explain run.log old.log | head -n 2",
            &["Results ", "=== run.log\n"],
        ),
    ),
    (
        "sbc-bench report FILE --format log|text|markdown|csv|summary|record",
        Line(
            "for f in log text markdown csv record findings-json; do sbc-bench report run.json --format $f || exit; done",
            &["##########", "\n| ", "\"schema\":1", "\"findings\": ["],
        ),
    ),
    ("sbc-bench compare FILE [--with FILE|DIR...]", Line("sbc-bench compare old.log", &["known results"])),
    ("sbc-bench compare FILE", As("sbc-bench compare FILE [--with FILE|DIR...]")),
    (
        "sbc-bench upload FILE... --to URL",
        Line("sbc-bench upload run.json --to http://hub.example --yes || true", &["use https://"]),
    ),
    (
        "sbc-bench update --from URL --key FILE",
        Line(
            "echo key > key.pub; sbc-bench update --from http://hub.example --key key.pub || true",
            &["not a public key of minisign"],
        ),
    ),
    ("-u", Line("sbc-bench -u || true", &["knows no key of releases"])),
    ("sbc-bench compare A B...", Line("sbc-bench compare run.json old.log", &["A  ", "B  "])),
    (
        "sbc-bench results FILE... [--sort KEY] [--format md|csv|json|html|text]",
        Line(
            "for f in md csv json html text; do sbc-bench results run.json old.log --format $f || exit; done; \
             sbc-bench results run.json old.log --board testboard --since 2020-01-01 --format text; \
             sbc-bench results old.log --soc nothing-has-this-name; sbc-bench results old.log --since monday; :",
            &[
                "| Testboard Three |",
                "<table",
                "\"sevenzip_multi_mips\": ",
                "board ",
                "1 of 2 results match --board testboard --since 2020-01-01.",
                "None of 1 results matches --soc nothing-has-this-name.",
                "must be a day such as 2026-11-23",
            ],
        ),
    ),
    (
        "sbc-bench site DIR... --out DIR [--url URL]",
        Line(
            "mkdir shelf && cp run.json old.log shelf && sbc-bench site shelf --out shelf.site; \
             sbc-bench site shelf --out shelf.site --url https://example.org && ls shelf.site",
            &["index.html: 2 results; ", " 0 removed.", "No feed and no sitemap", "feed.atom"],
        ),
    ),
    (
        "sbc-bench view FILE... [--port N] [--open]",
        Line(
            "timeout --preserve-status -s INT 5 sbc-bench view old.log run.json",
            &["http://127.0.0.1:", "Ctrl-C ends it."],
        ),
    ),
    ("sbc-bench trend FILE...", Line("sbc-bench trend old.log old.log old.log", &[])),
    ("sbc-bench identify", As("sbc-bench identify [LOG]")),
    ("sbc-bench identify [LOG]", Line("sbc-bench identify && sbc-bench identify old.log", &["CPU"])),
    (
        "sbc-bench doctor [--json]",
        Line("sbc-bench doctor; sbc-bench doctor --json", &["External tools:", "For a bug report", "\"measurable\""]),
    ),
    ("sbc-bench doctor", As("sbc-bench doctor [--json]")),
    ("sbc-bench snapshot", As("sbc-bench snapshot > my.board")),
    (
        "sbc-bench snapshot > my.board",
        Line("sbc-bench snapshot > my.board && sbc-bench --root my.board identify", &["CPU"]),
    ),
    ("sbc-bench --resume", As("sbc-bench --resume [FILE]")),
    ("sbc-bench --resume [FILE]", Line("sbc-bench --resume; :", &["Nothing to resume in"])),
    ("sbc-bench restore", OnBoard("sbc-bench restore")),
    ("sbc-bench list", Line("sbc-bench list all", &["sensors:", "workloads:", "rules:", "reports:"])),
    ("sbc-bench list tools", Line("sbc-bench list tools", &["7-zip", "OpenSSL"])),
    ("install-tools [NAME...]", Line("echo n | sbc-bench install-tools no-such-tool; :", &["no-such-tool"])),
    (
        "MODE=unattended sbc-bench -c | grep -q 'check the log' || tail -n1 /var/log/sbc-bench.log",
        OnBoard("| grep -q 'check the log' || tail -n1 /var/log/sbc-bench.log"),
    ),
    ("sbc-bench run --tui", Line("sbc-bench run --tui -- true; :", &["cannot be combined with", "--tui"])),
];
