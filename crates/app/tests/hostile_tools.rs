//! Programs that answer to the name and version of a tool and then print what no tool prints: bytes that are no
//! text, escape sequences, a hundred megabytes, figures that are not figures, nothing. The whole binary has to come
//! to its end, believe none of it, and let nothing of it steer a terminal.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use record::{Outcome, Record, StepMeasurement};
use std::path::Path;
use std::process::Output;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use testkit::Scratch;

/// Every tool by its loads on the command line: what it answers when asked for its version, and what it really
/// printed once.
const TOOLS: &[(&str, &str, &str, &str)] = &[
    ("7zz", "sevenzip", "7-Zip (z) 26.02 (x64) : Copyright (c) 1999-2026 Igor Pavlov", "7zz/26.02-x86_64-multi.txt"),
    ("openssl", "openssl", "OpenSSL 3.0.22 25 Aug 2026", "openssl/3.0.22-x86_64-aes-256-cbc.txt"),
    ("sysbench", "sysbench", "sysbench 1.0.20", "sysbench/1.0.20-x86_64-cpu.txt"),
    (
        "stress-ng",
        "stress-ng",
        "stress-ng, version 0.15.06 (gcc 12.2, x86_64 Linux)",
        "stress-ng/0.15.06-x86_64-cpu.txt",
    ),
    ("perf", "perf-bench", "perf version 6.1.192", "perf/6.1.192-x86_64-sched-pipe.txt"),
    ("stockfish", "stockfish", "Stockfish 15.1 by the Stockfish developers", "stockfish/15.1-x86_64.txt"),
    ("minerd", "cpuminer", "cpuminer 2.5.1", "cpuminer/minerd-2.5.1-made.txt"),
    ("fio", "drive", "fio-3.33", "fio/3.33-x86_64-read.txt"),
    ("iperf3", "network", "iperf 3.12 (cJSON 1.7.15)", "iperf3/3.12-x86_64-send.txt"),
    ("ffmpeg", "video", "ffmpeg version 5.1.9 Copyright (c) 2000-2026", "ffmpeg/5.1.9-x86_64-e540.txt"),
    ("glmark2", "opengl", "glmark2 2023.01", "glmark2/2023.01-llvmpipe.txt"),
    ("geekbench6", "geekbench", "Geekbench 6.3.0 Pro (Build 1)", "geekbench/6.3.0-tryout-made.txt"),
    ("ssh", "sftp", "OpenSSH_9.2p1 Debian-2, OpenSSL 3.0", "iperf3/3.12-x86_64-refused.txt"),
    ("rsync", "rsync", "rsync  version 3.5.0  protocol version 32", "iperf3/3.12-x86_64-refused.txt"),
    ("phoronix-test-suite", "phoronix", "Phoronix Test Suite v10.8.4", "phoronix/10.8.4-made.xml"),
];

/// Lines of shell that print it; `$REAL` is what the tool really printed.
const OUTPUTS: &[(&str, &str)] = &[
    ("nothing", ":"),
    ("binary", "head -c 65536 /dev/urandom"),
    ("escapes", r"printf '\033[2J\033]0;owned\007\r\b\302\233c'; cat $REAL | tr e '\033'"),
    ("zero", r"sed -E 's/[0-9]+([.][0-9]+)?/0/g' $REAL"),
    ("negative", r"sed -E 's/(^|[^0-9a-zA-Z.])([0-9]+([.][0-9]+)?)/\1-\2/g' $REAL"),
    ("nan", r"sed -E 's/(^|[^0-9a-zA-Z.])[0-9]+([.][0-9]+)?/\1NaN/g' $REAL"),
    ("infinite", r"sed -E 's/(^|[^0-9a-zA-Z.])[0-9]+([.][0-9]+)?/\1inf/g' $REAL"),
    ("huge", r"sed -E 's/(^|[^0-9a-zA-Z.])[0-9]+([.][0-9]+)?/\199999999999999999999999999/g' $REAL"),
    ("exponent", r"sed -E 's/(^|[^0-9a-zA-Z.])[0-9]+([.][0-9]+)?/\11e999/g' $REAL"),
    ("nested", "head -c 200000 /dev/zero | tr '\\0' '['"),
    ("long", "yes 'events per second: MIPS Tot: Nodes/second' | head -c 100000000"),
];

/// A folder of programs and results, removed at its end.
struct Folder(Scratch);

impl Folder {
    fn new(name: &str) -> Self {
        Self(Scratch::new(&format!("hostile-{name}")))
    }

    /// A tool that tells its version when asked for it, and else prints that.
    fn tool(&self, name: &str, version: &str, real: &str, prints: &str) {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
        let real = crates.join("workloads/tool_output").join(real);
        assert!(real.exists(), "{}", real.display());
        let body = format!(
            "PATH=/usr/bin:/bin; REAL={}\n\
             case \"$*\" in ''|quit|version|-V|*-version) echo '{version}'; exit;; esac\n{prints}\n",
            real.display()
        );
        // Another test's fork may hold it open for a moment, so the shell reads it instead of the kernel.
        crate::outcome::put_tool(&self.0.join("bin"), name, &body);
    }

    fn run(&self, words: &[&str]) -> Output {
        let out = |name: &str| std::fs::File::create(self.0.join(name)).unwrap();
        let mut command = crate::outcome::sbc_bench(words);
        command.current_dir(&self.0).env("PATH", self.0.join("bin"));
        let mut child = command.stdout(out("out")).stderr(out("err")).spawn().unwrap();
        let status = testkit::ended(&mut child).unwrap_or_else(|| panic!("{words:?} hangs"));
        let read = |name: &str| std::fs::read(self.0.join(name)).unwrap();
        Output { status, stdout: read("out"), stderr: read("err") }
    }
}

/// The program ended by itself, and its output does not control the terminal.
fn check_harmless(what: &str, output: &Output) {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&both).into_owned();
    assert!(matches!(output.status.code(), Some(0..=5)), "{what}: {}: {text}", output.status);
    assert!(!text.contains("panicked"), "{what}: {text}");
    let steers = |c: &char| c.is_control() && !matches!(c, '\n' | '\t');
    assert_eq!(text.chars().find(steers), None, "{what}: {text:?}");
    assert!(text.len() < 1 << 20, "{what}: {} bytes are said", text.len());
}

/// Runs the workloads of a tool with this output. Returns the accepted results.
fn believed(tool: &(&str, &str, &str, &str), output: &(&str, &str)) -> Vec<String> {
    let (name, load, version, real) = tool;
    let what = format!("{name}, {}", output.0);
    let folder = Folder::new(&format!("{name}-{}", output.0));
    folder.tool(name, version, real, output.1);
    let mut words = vec!["run", "--force", "--wait", "0s", "--quiet", "--repeat", "1"];
    words.extend(["--log", "run.log", "--workload", load, "--host", "127.0.0.1"]);
    let done = folder.run(&words);
    check_harmless(&what, &done);
    let Ok(json) = std::fs::read(folder.0.join("run.json")) else {
        // The run was refused.
        assert_ne!(done.status.code(), Some(0), "{what}");
        assert!(!done.stderr.is_empty(), "{what}");
        return Vec::new();
    };
    let log = std::fs::read(folder.0.join("run.log")).unwrap();
    let log = Output { stdout: log, stderr: Vec::new(), status: done.status };
    check_harmless(&what, &log);
    let record: Record = serde_json::from_slice(&json).unwrap();
    let steps = record.steps_of(*load);
    let done = steps.filter_map(|step| match &step.outcome {
        // A text without a figure is not a result.
        Outcome::Done(StepMeasurement::Scores(scores)) if scores.rows.is_empty() => None,
        // Its figures are true, regardless of the text around them.
        _ if output.0 == "escapes" => None,
        Outcome::Done(measured) => Some(format!("{what}: {} is {measured:?}", step.variant)),
        _ => None,
    });
    done.collect()
}

/// Set by `cargo xtask bench --kills` to test every pair of tool and output; else one in [`SAMPLED`].
const ALL: &str = "SBC_BENCH_ALL_KILLS";
const SAMPLED: usize = 4;

#[test]
fn implausible_tool_output_is_rejected() {
    let is_whole = std::env::var_os(ALL).is_some();
    let tools = TOOLS.iter().enumerate();
    let pairs = tools.flat_map(|(number, tool)| {
        let outputs = OUTPUTS.iter().enumerate();
        let wanted = move |(other, _): &(usize, _)| is_whole || (number + other) % SAMPLED == 0;
        outputs.filter(wanted).map(move |(_, output)| (tool, output))
    });
    let pairs: Vec<_> = pairs.collect();
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        // They mostly wait for their programs.
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some((tool, output)) = pairs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    all.lock().unwrap().extend(believed(tool, output));
                }
            });
        }
    });
    let (tools, outputs, runs) = (TOOLS.len(), OUTPUTS.len(), pairs.len());
    eprintln!("hostile output: {tools} tools, {outputs} kinds of output, {runs} runs");
    assert_eq!(all.into_inner().unwrap(), [""; 0]);
}

#[test]
fn storage_report_survives_hostile_drive_names() {
    for output in OUTPUTS {
        let what = format!("smartctl, {}", output.0);
        let folder = Folder::new(&format!("smartctl-{}", output.0));
        let version = "smartctl 7.4 2023-08-01 r5530 [x86_64-linux]";
        folder.tool("smartctl", version, "smartctl/7.4-nvme.json", output.1);
        let done = folder.run(&["review", "--inspect"]);
        check_harmless(&what, &done);
        assert!(!done.stdout.is_empty(), "{what}");
    }
}
