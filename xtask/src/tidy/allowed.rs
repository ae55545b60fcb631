//! Who may touch what: files, sockets, programs, standard streams, clocks, the environment, threads. Each has a list of
//! the files and folders that may; a crate that is in none of its lists cannot, and a row that nothing needs is refused.
//!
//! It looks at paths and at methods that take nothing (`path.exists()`); others that must not be called are in the
//! `clippy.toml` of their crate. Tests may do anything, and so may `testkit` and `xtask`, which nobody installs.

use super::Problem;
use super::modules::{Modules, Source};

/// Something outside of a program's own memory.
pub(super) struct Reach {
    /// Name in ARCHITECTURE.md.
    pub(super) name: &'static str,
    /// The paths by which it is touched, each with all that it leads to, and methods as `.method`.
    ways: &'static [&'static str],
    /// Allowed places with their purpose.
    pub(super) places: &'static [Place],
}

/// Allowed place.
pub(super) struct Place {
    /// A file, or a folder with its `/`, from `crates`.
    pub(super) path: &'static str,
    pub(super) what_for: &'static str,
}

const fn at(path: &'static str, what_for: &'static str) -> Place {
    Place { path, what_for }
}

/// Crates that are no part of what is installed.
pub(super) const FREE: [&str; 2] = ["testkit", "xtask"];

/// Everything that is looked for.
pub(super) const REACHES: &[Reach] = &[
    Reach {
        name: "files",
        ways: &[
            "std::fs",
            "std::os::unix::fs",
            "rustix::fs",
            ".canonicalize",
            ".exists",
            ".is_dir",
            ".is_file",
            ".metadata",
            ".read_dir",
            ".read_link",
            ".symlink_metadata",
            ".try_exists",
        ],
        places: &[
            at("app/src/commands/arrange.rs", "a file in place of a verb"),
            at("app/src/args/program.rs", "programs of the search path, for a word that is none of ours"),
            at("app/src/args/targets.rs", "the folder that the user named"),
            at("app/src/commands/share.rs", "whether the folder that it writes to is free"),
            at("app/src/commands/known.rs", "results of the user's own among the known ones"),
            at(
                "console/src/monitor/export.rs",
                "the metrics file; it is removed when the monitor ends, but kept after `--count`",
            ),
            at("app/src/commands/monitor/mark.rs", "a line behind a recording"),
            at("console/src/monitor/recording.rs", "the recording"),
            at("console/src/monitor/running.rs", "which recordings are being written"),
            at("console/src/read.rs", "a folder in place of a file"),
            at("app/src/commands/redact.rs", "whether a file would be replaced"),
            at("app/src/commands/site/", "directories of results"),
            at("console/src/input.rs", "files that the user named"),
            at("console/src/output.rs", "what standard output leads to"),
            at("app/src/paths.rs", "where results go"),
            at("workloads/src/job/definition/", "whether a program of the user is there"),
            at("process/src/", "pipes of programs, and whether a file can be run"),
            at("bench/src/run/history/", "Records of earlier runs"),
            at("bench/src/run/tape.rs", "the stream of a run"),
            at("workloads/src/copy.rs", "the file that is copied"),
            at("workloads/src/drive.rs", "room on the drive"),
            at("workloads/src/memory_libc.rs", "a program that is kept in memory alone"),
            at("hub/src/clock.rs", "a step of the clock, in debug builds"),
            at("hub/src/folders.rs", "folders that the operator named"),
            at("hub/src/private.rs", "files and directories of the hub, for its owner alone"),
            at("hub/src/worker/inside.rs", "whom the kernel ends where memory runs out"),
            at("net/src/meters/fnirsi.rs", "the hidraw file of a power meter"),
            at("net/src/meters/usb.rs", "may it be opened?"),
            at("machine/src/", "Linux is read and set here"),
        ],
    },
    Reach {
        name: "sockets",
        ways: &["std::net", "std::os::unix::net", "rustix::net", "ureq"],
        places: &[
            at("console/src/monitor/export.rs", "the address for metrics, as it is shown"),
            at("console/src/monitor/args.rs", "addresses for metrics and pages, as values"),
            at("app/src/commands/monitor/mod.rs", "addresses for metrics and pages, as they were typed"),
            at("console/src/monitor/web.rs", "the address of the page, as it is shown"),
            at("app/src/commands/view/", "the address of the pages, as it is shown"),
            at("net/src/", "power meters, hubs and releases that the user named; pages and metrics, where asked for"),
            at("hub/src/http/", "who asks"),
            at("hub/src/outside.rs", "addresses of webhooks and mail servers that the operator named"),
            at("hub/src/hub_state.rs", "whose share something is"),
            at("hub/src/rate.rs", "who asks how often"),
            at("hub/src/serve.rs", "the address that it serves"),
        ],
    },
    Reach {
        name: "programs",
        ways: &["std::process::Command", "std::os::unix::process"],
        places: &[
            at("net/src/browser.rs", "xdg-open, where `view --open` asked for it"),
            at("net/src/curl.rs", "curl, for HTTPS to a hub or release that the user named"),
            at("process/src/child/", "every program that a run starts"),
            at("process/src/guard/", "the guard: this program once more"),
            at("net/src/update/", "package managers, whose program is it? And the new program, which must start"),
            at("workloads/src/packages.rs", "the package manager, where `install-tools` was confirmed"),
            at("hub/src/store/pg_dump.rs", "pg_dump and pg_restore, where `backup` was asked for"),
            at("hub/src/curl.rs", "curl, for notices to whom the operator named"),
            at("hub/src/worker/pool.rs", "workers: this program once more"),
        ],
    },
    Reach {
        name: "standard streams",
        ways: &["std::io::stdout", "std::io::stderr", "std::io::stdin"],
        places: &[
            at("console/src/monitor/mod.rs", "is it a terminal?"),
            at("console/src/monitor/tui/", "the screen and its keys"),
            at("app/src/commands/restore.rs", "the guard listens and answers by pipes"),
            at("app/src/commands/run.rs", "lines typed while something is watched"),
            at("app/src/commands/sending.rs", "the confirmation of `upload` and `--upload`"),
            at("console/src/input.rs", "what is piped in"),
            at("console/src/look.rs", "is it a terminal, and how wide?"),
            at("console/src/output.rs", "all text of standard output, and questions"),
            at("console/src/stderr.rs", "all text of standard error"),
            at("hub/src/log.rs", "its log, one JSON object a line"),
            at("hub/src/worker/inside.rs", "the pipes between a worker and its hub"),
        ],
    },
    Reach {
        name: "clocks",
        ways: &[
            "std::time::Instant::now",
            "std::time::SystemTime",
            "jiff::Zoned::now",
            "jiff::Timestamp::now",
            "rustix::time",
        ],
        places: &[
            at("console/src/monitor/", "replays, the screen, the beat of recordings"),
            at("console/src/input.rs", "patience with a pipe"),
            at("console/src/output.rs", "patience with a reader"),
            at("console/src/progress.rs", "the bar"),
            at("console/src/signals.rs", "patience with what is put back"),
            at("console/src/stderr.rs", "the bar"),
            at("workloads/src/measure/", "how long something is repeated"),
            at("net/src/", "patience with meters"),
            at("process/src/", "patience with programs"),
            at("bench/src/run/heat/", "patience with sensors"),
            at("bench/src/run/tape.rs", "patience with drives"),
            at("workloads/src/", "what is timed"),
            at("hub/src/clock.rs", "the time of day"),
            at("hub/src/http/reading.rs", "how old a page is that was made before"),
            at("hub/src/http/routes.rs", "how long a request took"),
            at("hub/src/store/sqlite.rs", "when a reader has waited too long"),
            at("hub/src/work.rs", "pauses between two looks for work"),
            at("hub/src/worker/inside.rs", "CPU time that a worker has used"),
            at("machine/src/outbox.rs", "how long a writer is waited for"),
            at("machine/src/sampler/", "who does not answer"),
            at("machine/src/timeline.rs", "the axis of time of a run"),
        ],
    },
    Reach {
        name: "environment",
        ways: &["std::env"],
        places: &[
            at("app/src/args/", "variables of the bash program; the caller behind sudo"),
            at("console/src/monitor/", "TERM, SPACING, the folder of recordings"),
            at("app/src/commands/resume.rs", "how the program was called, and where"),
            at("app/src/commands/update.rs", "where this program is"),
            at("console/src/look.rs", "TERM, NO_COLOR, the locale"),
            at("app/src/main.rs", "arguments"),
            at("app/src/paths.rs", "HOME, XDG folders"),
            at("workloads/src/job/definition/", "the search path of programs"),
            at("hub/src/clock.rs", "a step of the clock, in debug builds"),
            at("process/src/", "the environment of programs"),
            at("net/src/update/mod.rs", "the architecture that it was built for"),
            at("workloads/src/opengl.rs", "is there a display?"),
            at("workloads/src/phoronix.rs", "folders of the test suite"),
            at("microbench/src/arch/riscv64/mod.rs", "tests under an emulator ask for vectors"),
        ],
    },
    Reach {
        name: "threads",
        ways: &[
            "std::thread::Builder",
            "std::thread::spawn",
            "std::thread::scope",
            "machine::threads::run",
            "machine::threads::spawn_scoped",
            "machine::threads::spawn",
            "crate::threads::run",
            "crate::threads::spawn_scoped",
            "crate::threads::spawn",
        ],
        places: &[
            at("console/src/monitor/recorder.rs", "writes the recording, so that no drive holds a row up"),
            at("console/src/monitor/tui/outlet.rs", "writes frames of the screen"),
            at("app/src/commands/run.rs", "hears typed lines"),
            at("app/src/commands/run/keep.rs", "writes the results of a run; given up after 15 s"),
            at("app/src/commands/crew.rs", "reads results and makes their pages, one thread for each CPU"),
            at("console/src/signals.rs", "hears signals; puts settings back after one"),
            at("console/src/stderr.rs", "writes standard error and draws the bar"),
            at("workloads/src/measure/context.rs", "a loop on each of several CPUs"),
            at("workloads/src/measure/crew.rs", "the threads of a loop on several CPUs, begun together"),
            at("net/src/server/mod.rs", "serves pages and metrics"),
            at("net/src/meters/mod.rs", "asks a power meter"),
            at("net/src/meters/sockets.rs", "the made-up meter of the fuzz targets"),
            at("process/src/child/start.rs", "starts a program, with other rights or in another group"),
            at("process/src/guard/mod.rs", "in the guard: sees that the run is stopped"),
            at("process/src/tools.rs", "asks several programs for their version at once"),
            at("bench/src/run/clock_pass/mod.rs", "measures a clock, bound to its CPU"),
            at("bench/src/run/heat/gauge.rs", "asks a slow sensor while the chip is heated"),
            at("bench/src/run/heat/mod.rs", "the loads of a thermal test"),
            at("bench/src/run/mod.rs", "looks at the machine while the gate waits, and reads tables"),
            at("bench/src/run/tape.rs", "writes the stream of a run"),
            at("workloads/src/survey/mod.rs", "asks a drive by smartctl"),
            at("workloads/src/core_to_core.rs", "the two sides of an exchange"),
            at("workloads/src/memory_loaded.rs", "latency under the load of other CPUs"),
            at("workloads/src/memory_scaling.rs", "looks for the quickest routine, bound to a CPU"),
            at("workloads/src/network_cpu.rs", "load during a transfer"),
            at("hub/src/log.rs", "writes the log, which may not be read"),
            at("hub/src/folders.rs", "reads files of an import, one thread for each CPU"),
            at("hub/src/worker/inside.rs", "reads what was sent, while another one hears the end of the pipe"),
            at("machine/src/identified/running.rs", "asks each CPU for its type, bound to it"),
            at("machine/src/sampler/slow_reader_pool.rs", "reads what sleeps or may hang"),
            at("machine/src/sampler/watchdog.rs", "the sampler, its reader and its watchdog"),
            at("machine/src/settings/journal.rs", "a drive that does not answer keeps this thread alone"),
            at("machine/src/threads.rs", "starts threads that the kernel may refuse"),
        ],
    },
];

/// Files that touch what they may not, and rows that nothing needs.
pub(super) fn check(crates: &[Modules]) -> Vec<Problem> {
    check_by(REACHES, crates)
}

fn check_by(reaches: &[Reach], crates: &[Modules]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for reach in reaches {
        let mut needed = vec![false; reach.places.len()];
        for module in
            crates.iter().filter(|modules| !FREE.contains(&modules.krate.as_str())).flat_map(|modules| &modules.all)
        {
            let Some((line, path)) = first_touch(&module.source, reach) else { continue };
            let file = module.file.strip_prefix("crates/").unwrap_or(&module.file);
            match reach.places.iter().position(|place| is_in(file, place.path)) {
                Some(place) => needed[place] = true,
                None => {
                    let message =
                        format!("`{path}` is not allowed here: {THIS_FILE} says who may touch {}", reach.name);
                    problems.push(Problem::new(&module.file, line, message));
                }
            }
        }
        let dead = reach.places.iter().zip(needed).filter(|(_, needed)| !needed);
        problems.extend(dead.map(|(place, _)| {
            let message = format!("{} ({}) does not touch {}: delete the row", place.path, place.what_for, reach.name);
            Problem::new(THIS_FILE, None, message)
        }));
    }
    problems
}

/// File of these lists.
const THIS_FILE: &str = "xtask/src/tidy/allowed.rs";

/// The first path in a file by which it touches something.
fn first_touch(source: &Source, reach: &Reach) -> Option<(usize, String)> {
    source.named.iter().find_map(|named| {
        let path = source.whole(&named.segments).join("::");
        let leads = |way: &&str| path.strip_prefix(*way).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        reach.ways.iter().any(leads).then_some((named.line, path))
    })
}

fn is_in(file: &str, place: &str) -> bool {
    file == place || place.ends_with('/') && file.starts_with(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::arrows::Package;
    use crate::workspace::File;

    const FILES: &[Reach] = &[Reach {
        name: "files",
        ways: &["std::fs", "rustix::fs", ".exists"],
        places: &[at("x/src/a.rs", "its table"), at("x/src/b/", "its folder")],
    }];

    /// Problems of a made-up crate whose other modules touch what they may.
    fn check(name: &str, c: &str, expected: &[&str]) {
        let package = Package { name: name.into(), dependencies: Vec::new() };
        let file =
            |path: &str, text: &str| File { path: format!("{}/src/{path}", package.folder()), text: text.into() };
        let files = [
            file("lib.rs", "mod a; mod b; mod c;"),
            file("a.rs", "use std::fs; fn a() { fs::read(\"x\") }"),
            file("b/mod.rs", "mod d;"),
            file("b/d.rs", "fn d() { rustix::fs::stat() }"),
            file("c.rs", c),
        ];
        let problems = check_by(FILES, &[Modules::of(&package, &files)]);
        let found: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert_eq!(found, expected, "{c}");
    }

    #[test]
    fn only_listed_files_pass() {
        let refused = |path: &str, line: usize| {
            format!("crates/x/src/c.rs:{line}: `{path}` is not allowed here: {THIS_FILE} says who may touch files")
        };
        check("x", "fn c() { a::b() }", &[]);
        check("x", "fn c() {\nstd::fs::read(\"x\") }", &[&refused("std::fs::read", 2)]);
        check("x", "use std::{env, fs::File};", &[&refused("std::fs::File", 1)]);
        check("x", "use rustix as r;\nfn c() { r::fs::stat() }", &[&refused("rustix::fs::stat", 2)]);
        check("x", "fn c() { path.exists() }", &[&refused(".exists", 1)]);
        check("x", "fn c() { root.exists(path); self.exists }", &[]);
        check("x", "// std::fs\nfn c() { std::fsx::a(\"std::fs\") }", &[]);
        check("x", "#[cfg(test)] mod tests { use std::fs; }", &[]);
    }

    #[test]
    fn a_row_that_nothing_needs_is_refused() {
        let dead = |row: &str| format!("{THIS_FILE}: {row} does not touch files: delete the row");
        // Code used only by tests needs no row.
        check(
            "testkit",
            "fn c() { std::fs::read() }",
            &[&dead("x/src/a.rs (its table)"), &dead("x/src/b/ (its folder)")],
        );
    }
}
