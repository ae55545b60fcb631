//! Which code may touch files, sockets, programs, standard streams, clocks, the environment and threads. Each resource has
//! a list of the files and folders that may touch it. All other code is refused, and so is a row that no code needs.
//!
//! The check covers paths and methods without arguments (`path.exists()`). Other forbidden methods are in the
//! `clippy.toml` of their crate. Tests are exempt, as are `testkit` and `xtask`, which are not installed.

use super::Problem;
use super::modules::{Modules, Source};

/// A resource outside of the program's memory.
pub(super) struct Reach {
    /// Name in ARCHITECTURE.md.
    pub(super) name: &'static str,
    /// Prefixes of paths that touch it, and methods as `.method`.
    ways: &'static [&'static str],
    /// Allowed places with their purpose.
    pub(super) places: &'static [Place],
}

/// A place that may touch a resource.
pub(super) struct Place {
    /// A file, or a folder with a trailing `/`, relative to `crates`.
    pub(super) path: &'static str,
    pub(super) what_for: &'static str,
}

const fn at(path: &'static str, what_for: &'static str) -> Place {
    Place { path, what_for }
}

/// Crates that are not installed.
pub(super) const FREE: [&str; 2] = ["testkit", "xtask"];

/// All checked resources.
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
            at("app/src/args/program.rs", "programs of the search path, for an unknown command"),
            at("app/src/args/targets.rs", "the folder that the user named"),
            at("app/src/commands/share.rs", "whether the folder that it writes to is free"),
            at("app/src/commands/known.rs", "the user's own references"),
            at(
                "console/src/monitor/export.rs",
                "the metrics file; removed when the monitor ends, but kept after `--count`",
            ),
            at("app/src/commands/monitor/mark.rs", "appends to a recording"),
            at("console/src/monitor/recording.rs", "the recording"),
            at("console/src/monitor/running.rs", "which recordings are being written"),
            at("console/src/read.rs", "a folder in place of a file"),
            at("app/src/commands/redact.rs", "whether a file would be replaced"),
            at("app/src/commands/site/", "directories of results"),
            at("console/src/input.rs", "files that the user named"),
            at("console/src/output.rs", "what standard output leads to"),
            at("app/src/paths.rs", "where results go"),
            at("workloads/src/job/definition/", "whether a program of the user exists"),
            at("process/src/", "pipes of programs, and whether a file can be run"),
            at("bench/src/run/history/", "Records of earlier runs"),
            at("bench/src/run/tape.rs", "the stream of a run"),
            at("workloads/src/copy.rs", "the file that is copied"),
            at("workloads/src/drive.rs", "room on the drive"),
            at("workloads/src/memory_libc.rs", "a program kept only in memory"),
            at("hub/src/clock.rs", "a step of the clock, in debug builds"),
            at("hub/src/folders.rs", "folders that the operator named"),
            at("hub/src/private.rs", "files and directories of the hub, for its owner alone"),
            at("hub/src/worker/inside.rs", "the OOM score of a worker"),
            at("net/src/meters/fnirsi.rs", "the hidraw file of a power meter"),
            at("net/src/meters/usb.rs", "whether it may be opened"),
            at("machine/src/", "Linux is read and set here"),
        ],
    },
    Reach {
        name: "sockets",
        ways: &["std::net", "std::os::unix::net", "rustix::net", "ureq"],
        places: &[
            at("console/src/monitor/export.rs", "the address for metrics, as it is shown"),
            at("console/src/monitor/args.rs", "addresses for metrics and pages, as values"),
            at("app/src/commands/monitor/mod.rs", "addresses for metrics and pages, as typed"),
            at("console/src/monitor/web.rs", "the address of the page, as it is shown"),
            at("app/src/commands/view/", "the address of the pages, as it is shown"),
            at("net/src/", "power meters, hubs and releases that the user named; pages and metrics, where asked for"),
            at("hub/src/http/", "the address of the client"),
            at("hub/src/outside.rs", "addresses of webhooks and mail servers that the operator named"),
            at("hub/src/hub_state.rs", "the client that a quota belongs to"),
            at("hub/src/rate.rs", "requests per client"),
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
            at("process/src/guard/", "the guard: this program again"),
            at(
                "net/src/update/",
                "package managers, for the owner of the program; and the new program, which must start",
            ),
            at("workloads/src/packages.rs", "the package manager, where `install-tools` was confirmed"),
            at("hub/src/store/pg_dump.rs", "pg_dump and pg_restore, where `backup` was asked for"),
            at("hub/src/curl.rs", "curl, for notices to whom the operator named"),
            at("hub/src/worker/pool.rs", "workers: this program again"),
        ],
    },
    Reach {
        name: "standard streams",
        ways: &["std::io::stdout", "std::io::stderr", "std::io::stdin"],
        places: &[
            at("console/src/monitor/mod.rs", "whether it is a terminal"),
            at("console/src/monitor/tui/", "the screen and its keys"),
            at("app/src/commands/restore.rs", "the guard listens and answers by pipes"),
            at("app/src/commands/run.rs", "lines typed while a program is watched"),
            at("app/src/commands/sending.rs", "the confirmation of `upload` and `--upload`"),
            at("console/src/input.rs", "piped input"),
            at("console/src/look.rs", "whether it is a terminal, and its width"),
            at("console/src/output.rs", "all text of standard output, and questions"),
            at("console/src/stderr.rs", "all text of standard error"),
            at("hub/src/log.rs", "its log, one JSON object per line"),
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
            at("console/src/input.rs", "timeout of a pipe"),
            at("console/src/output.rs", "timeout of a reader"),
            at("console/src/progress.rs", "the bar"),
            at("console/src/signals.rs", "timeout of restored settings"),
            at("console/src/stderr.rs", "the bar"),
            at("workloads/src/measure/", "duration of repetitions"),
            at("net/src/", "timeouts of meters"),
            at("process/src/", "timeouts of programs"),
            at("bench/src/run/heat/", "timeouts of sensors"),
            at("bench/src/run/tape.rs", "timeouts of drives"),
            at("workloads/src/", "durations that are results"),
            at("hub/src/clock.rs", "the time of day"),
            at("hub/src/http/reading.rs", "age of a cached page"),
            at("hub/src/http/routes.rs", "duration of a request"),
            at("hub/src/store/sqlite.rs", "timeout of a reader"),
            at("hub/src/work.rs", "polling for work"),
            at("hub/src/worker/inside.rs", "CPU time of a worker"),
            at("machine/src/outbox.rs", "timeout of a writer"),
            at("machine/src/sampler/", "readers that do not answer"),
            at("machine/src/timeline.rs", "the axis of time of a run"),
        ],
    },
    Reach {
        name: "environment",
        ways: &["std::env"],
        places: &[
            at("app/src/args/", "variables of the bash program; the user behind sudo"),
            at("console/src/monitor/", "TERM, SPACING, the folder of recordings"),
            at("app/src/commands/resume.rs", "arguments and working directory of the program"),
            at("app/src/commands/update.rs", "the path of this program"),
            at("console/src/look.rs", "TERM, NO_COLOR, the locale"),
            at("app/src/main.rs", "arguments"),
            at("app/src/paths.rs", "HOME, XDG folders"),
            at("workloads/src/job/definition/", "the search path of programs"),
            at("hub/src/clock.rs", "a step of the clock, in debug builds"),
            at("process/src/", "the environment of programs"),
            at("net/src/update/mod.rs", "its target architecture"),
            at("workloads/src/opengl.rs", "whether there is a display"),
            at("workloads/src/phoronix.rs", "directories of the test suite"),
            at("microbench/src/arch/riscv64/mod.rs", "requests vectors in tests under an emulator"),
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
            at("console/src/monitor/recorder.rs", "writes the recording, so that a slow drive does not delay a row"),
            at("console/src/monitor/tui/outlet.rs", "writes frames of the screen"),
            at("app/src/commands/run.rs", "reads typed lines"),
            at("app/src/commands/run/keep.rs", "writes the results of a run; given up after 15 s"),
            at("app/src/commands/crew.rs", "reads results and makes their pages, one thread per CPU"),
            at("console/src/signals.rs", "receives signals and restores settings"),
            at("console/src/stderr.rs", "writes standard error and draws the bar"),
            at("workloads/src/measure/context.rs", "a loop on each of several CPUs"),
            at("workloads/src/measure/crew.rs", "the threads of a loop on several CPUs, started together"),
            at("net/src/server/mod.rs", "serves pages and metrics"),
            at("net/src/meters/mod.rs", "reads a power meter"),
            at("net/src/meters/sockets.rs", "the made-up meter of the fuzz targets"),
            at("process/src/child/start.rs", "starts a program, with other rights or in another group"),
            at("process/src/guard/mod.rs", "in the guard: detects a stopped run"),
            at("process/src/tools.rs", "queries the versions of several programs in parallel"),
            at("bench/src/run/clock_pass/mod.rs", "measures a clock, bound to its CPU"),
            at("bench/src/run/heat/gauge.rs", "reads a slow sensor while the chip heats up"),
            at("bench/src/run/heat/mod.rs", "the loads of a thermal test"),
            at("bench/src/run/mod.rs", "surveys the machine while the gate waits, and reads tables"),
            at("bench/src/run/tape.rs", "writes the stream of a run"),
            at("workloads/src/survey/mod.rs", "queries a drive by smartctl"),
            at("workloads/src/core_to_core.rs", "the two sides of an exchange"),
            at("workloads/src/memory_loaded.rs", "latency under the load of other CPUs"),
            at("workloads/src/memory_scaling.rs", "selects the fastest routine, bound to a CPU"),
            at("workloads/src/network_cpu.rs", "load during a transfer"),
            at("hub/src/log.rs", "writes the log, whose reader may hang"),
            at("hub/src/folders.rs", "reads files of an import, one thread per CPU"),
            at("hub/src/worker/inside.rs", "reads requests, while another one waits for the end of the pipe"),
            at("machine/src/identified/running.rs", "reads the type of each CPU, bound to it"),
            at("machine/src/sampler/slow_reader_pool.rs", "reads files that sleep or may hang"),
            at("machine/src/sampler/watchdog.rs", "the sampler, its reader and its watchdog"),
            at("machine/src/settings/journal.rs", "a drive that does not answer blocks only this thread"),
            at("machine/src/threads.rs", "starts threads that the kernel may refuse"),
        ],
    },
];

/// Files that touch a resource without a row, and rows that no file needs.
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

/// The first path in a file that touches the resource, with its line.
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

    /// Problems of a crate whose other modules are allowed.
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
