//! Figures of the program itself: start, memory, cost of sampling, wall time per step.
//!
//! Measured from outside on the release binary, and from the Record that a run leaves. It prints
//! figures and limits and never fails because of a figure: timings
//! depend on the machine, so they are looked at, not asserted.

mod figures;
mod libc;
mod page;
mod process;
mod sevenzip;
mod site;
mod tick;
mod viewers;

use crate::workspace;
use anyhow::{Context, Result, ensure};
use figures::Resident;
use process::Watched;
use record::Record;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Interval of the monitor that is watched: the rate at which runs are sampled.
const MONITOR_INTERVAL: &str = "0.5";
/// Interval at which the resident memory of a run is read.
const RESIDENT_INTERVAL: Duration = Duration::from_millis(200);

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject<'a> {
    /// Monitor, `inspect doctor` and a standard run.
    Program,
    Monitor,
    Record(&'a str),
    Boards,
    Kills,
    Libc,
    Page,
    Viewers,
    Tick,
    /// Site with this number of results.
    Site(usize),
    /// Hub with this number of results.
    Hub(&'a str),
    SevenZip(sevenzip::Versions<'a>),
}

/// Options without a value that select a subject.
const SUBJECTS: [(&str, Subject<'static>); 7] = [
    ("--monitor-only", Subject::Monitor),
    ("--boards", Subject::Boards),
    ("--kills", Subject::Kills),
    ("--libc", Subject::Libc),
    ("--page", Subject::Page),
    ("--viewers", Subject::Viewers),
    ("--tick", Subject::Tick),
];

/// Options.
#[derive(Debug, PartialEq, Eq)]
struct Options<'a> {
    subject: Subject<'a>,
    binary: Option<&'a str>,
    samples: usize,
    pairs: usize,
    arguments: &'a [&'a str],
}

fn options<'a>(words: &'a [&'a str]) -> Result<Options<'a>> {
    let mut options = Options { subject: Subject::Program, binary: None, samples: 20, pairs: 10, arguments: &[] };
    let mut rest = words;
    while let [word, others @ ..] = rest {
        rest = match (*word, others) {
            ("--", arguments) => {
                options.arguments = arguments;
                &[]
            }
            ("--sevenzip", [listed, other, rest @ ..]) => {
                options.subject = Subject::SevenZip(sevenzip::Versions { listed, other });
                rest
            }
            (word, [value, rest @ ..])
                if ["--site", "--hub", "--record", "--binary", "--pairs", "--samples"].contains(&word) =>
            {
                let number = || value.parse::<usize>().with_context(|| format!("{word} takes a number"));
                match word {
                    "--site" => options.subject = Subject::Site(number()?),
                    "--hub" => options.subject = Subject::Hub(value),
                    "--record" => options.subject = Subject::Record(value),
                    "--binary" => options.binary = Some(value),
                    "--pairs" => options.pairs = number()?,
                    _ => options.samples = number()?,
                }
                rest
            }
            (word, rest) => {
                let subject = SUBJECTS.iter().find(|(option, _)| *option == word);
                options.subject = subject.with_context(|| format!("unknown or incomplete option of bench: {word}"))?.1;
                rest
            }
        };
    }
    ensure!(options.samples > 1, "--samples takes 2 or more");
    Ok(options)
}

/// Number of timings of a command; the fastest counts.
const TIMES: usize = 5;

/// Measures and prints.
pub(crate) fn main(words: &[&str]) -> Result<()> {
    let options = options(words)?;
    match options.subject {
        Subject::Record(path) => {
            report(&read(Path::new(path))?, &[]);
            if let Some(binary) = options.binary {
                let arguments: [&OsStr; 2] = ["compare".as_ref(), path.as_ref()];
                println!("  {}", figures::of_comparison(fastest(Path::new(binary), &arguments)));
            }
            return Ok(());
        }
        Subject::Kills => return kills(),
        Subject::Libc => return libc::main(),
        Subject::Boards => return boards(),
        Subject::Hub(results) => return hub(results, options.arguments),
        _ => {}
    }
    let binary = options.binary.map_or_else(newest_release, |file| Ok(PathBuf::from(file)))?;
    println!("{}\n", binary.display());
    match options.subject {
        Subject::Page => return page::main(&binary),
        Subject::Viewers => return viewers::main(&binary),
        Subject::Tick => return tick::main(&binary),
        Subject::Site(results) => return site::main(&binary, results),
        Subject::SevenZip(versions) => return sevenzip::main(&binary, versions, options.pairs),
        _ => {}
    }
    monitor(&binary, options.samples)?;
    println!("{}\n", figures::of_doctor(fastest(&binary, &["doctor".as_ref()])));
    if options.subject == Subject::Program {
        let started = SystemTime::now();
        let begin = Instant::now();
        let (resident, stream) = run(&binary, options.arguments)?;
        let run_s = begin.elapsed().as_secs_f64();
        let path = newest(&process::record_folders(), "json", started)?
            .context("the run left no Record; name it with --record")?;
        println!("\n{}\n", path.display());
        report(&read(&path)?, &resident);
        println!("  {}", figures::of_comparison(fastest(&binary, &["compare".as_ref(), path.as_os_str()])));
        let percent = stream.as_secs_f64() / run_s * 100.0;
        println!("  the thread that writes the stream was on a CPU for {percent:.3} % of the run");
    }
    Ok(())
}

/// Whole runs that are killed at every call that changes something, on folders and on virtual boards, with every
/// call that fails and every tool that prints nonsense: how many, what that came to, and how soon the settings were
/// back.
fn kills() -> Result<()> {
    let status = workspace::cargo()
        .args(["test", "--quiet", "--locked", "--package", "sbc-bench"])
        .args(["--test", "integration", "--", "fake_tree::", "hostile_tools::", "--nocapture", "--test-threads", "1"])
        .env("SBC_BENCH_ALL_KILLS", "1")
        .status()?;
    ensure!(status.success(), "a run lost results or left a setting changed");
    Ok(())
}

/// Runs the program on virtual boards and prints each figure and the true one; here it has to be as near as
/// it says, which takes a machine that does nothing else.
fn boards() -> Result<()> {
    let status = std::process::Command::new("cargo")
        .args(["test", "--quiet", "-p", "sbc-bench", "--bench", "boards"])
        .args(["--", "--nocapture", "--test-threads", "1"])
        .env("SBC_BENCH_NO_SKIP", "1")
        .status()?;
    ensure!(status.success(), "the boards were not understood: {status}");
    Ok(())
}

/// A hub that is filled, sent to and asked, on SQLite and on PostgreSQL; `arguments` may name one of them.
fn hub(results: &str, arguments: &[&str]) -> Result<()> {
    let status = workspace::cargo()
        .args(["bench", "--quiet", "--locked", "--package", "sbc-bench-hub", "--profile", "hub", "--bench", "load"])
        .args(["--", results])
        .args(arguments)
        .status()?;
    ensure!(status.success(), "the hub was not measured: {status}");
    Ok(())
}

/// Watches `sbc-bench -m` until it has printed `samples` samples.
fn monitor(binary: &Path, samples: usize) -> Result<()> {
    let mut watched = Watched::monitor(binary, MONITOR_INTERVAL)?;
    let first = watched.next_sample()?;
    let before = watched.usage()?;
    for _ in 1..samples {
        watched.next_sample()?;
    }
    let after = watched.usage()?;
    watched.end()?;
    println!("sbc-bench -m {MONITOR_INTERVAL}, {samples} samples:");
    for figure in figures::of_monitor(first, before, after) {
        println!("  {figure}");
    }
    println!();
    Ok(())
}

/// The fastest of several calls with these arguments; none if one fails.
fn fastest(binary: &Path, arguments: &[&OsStr]) -> Option<Duration> {
    let times = (0..TIMES).map(|_| {
        let begin = Instant::now();
        let output = std::process::Command::new(binary).args(arguments).output().ok()?;
        output.status.success().then(|| begin.elapsed())
    });
    times.collect::<Option<Vec<Duration>>>()?.into_iter().min()
}

/// Runs the benchmark and returns its resident memory over time, and how long its thread that writes the stream was
/// on a CPU.
fn run(binary: &Path, arguments: &[&str]) -> Result<(Vec<Resident>, Duration)> {
    let mut child =
        std::process::Command::new(binary).args(arguments).spawn().with_context(|| binary.display().to_string())?;
    let mut series = Vec::new();
    let mut stream_ns = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        // The process may be gone between the two calls, so a failure is no news.
        if let Ok(kib) = process::resident_kib(child.id()) {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?;
            let at_utc_ms = i64::try_from(now.as_millis())?;
            series.push(Resident { at_utc_ms, kib });
        }
        if let Ok(Some(ns)) = process::thread_cpu_ns(child.id(), "stream") {
            stream_ns = ns;
        }
        std::thread::sleep(RESIDENT_INTERVAL);
    };
    // 3: finished, but not valid. Its timings are still timings.
    ensure!(matches!(status.code(), Some(0 | 3)), "the run ended with {status}");
    Ok((series, Duration::from_nanos(stream_ns)))
}

/// Prints what a Record says about the program itself.
fn report(record: &Record, resident: &[Resident]) {
    println!("wall time per step, in seconds:");
    for row in figures::rows(record) {
        println!("  {row}");
    }
    println!("\nthe whole run:");
    for figure in figures::of_record(record, resident) {
        println!("  {figure}");
    }
}

fn read(path: &Path) -> Result<Record> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    record::from_json(&text).with_context(|| path.display().to_string())
}

/// The release binary that was built last, for any target.
fn newest_release() -> Result<PathBuf> {
    let target = workspace::target_folder()?;
    let mut folders = vec![target.join("release")];
    for entry in target.read_dir().into_iter().flatten() {
        folders.push(entry?.path().join("release"));
    }
    folders
        .iter()
        .map(|folder| folder.join("sbc-bench"))
        .filter_map(|file| Some((file.metadata().ok()?.modified().ok()?, file)))
        .filter(|(_, file)| !file.ends_with("dist/sbc-bench") && runs_here(file))
        .max()
        .map(|(_, file)| file)
        .context("no release build; run ./bench or name one with --binary")
}

/// True if this machine can run the file: builds for others are in the same directory.
fn runs_here(file: &Path) -> bool {
    std::process::Command::new(file).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The newest file with this extension that was written after a moment.
fn newest(folders: &[PathBuf], extension: &str, after: SystemTime) -> Result<Option<PathBuf>> {
    let mut found = Vec::new();
    for folder in folders {
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries {
            let entry = entry?;
            let written = entry.metadata()?.modified()?;
            let path = entry.path();
            if written >= after && path.extension().is_some_and(|found| found == extension) {
                found.push((written, path));
            }
        }
    }
    Ok(found.into_iter().max().map(|(_, path)| path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_in_any_order() {
        let words = ["--samples", "5", "--binary", "b", "--", "-c", "--samples"];
        let expected = Options {
            subject: Subject::Program,
            binary: Some("b"),
            samples: 5,
            pairs: 10,
            arguments: &["-c", "--samples"],
        };
        assert_eq!(options(&words).unwrap(), expected);
        let subject = |words: &[&str], expected: Subject<'_>| assert_eq!(options(words).unwrap().subject, expected);
        SUBJECTS.iter().for_each(|(option, expected)| subject(&[option], *expected));
        subject(&["--site", "5000"], Subject::Site(5000));
        subject(&["--hub", "1000", "--", "sqlite"], Subject::Hub("1000"));
        subject(&["--record", "r"], Subject::Record("r"));
        let versions = sevenzip::Versions { listed: "a", other: "b" };
        subject(&["--sevenzip", "a", "b", "--pairs", "3"], Subject::SevenZip(versions));
        assert_eq!(options(&["--pairs", "3"]).unwrap().pairs, 3);
        for wrong in [&["--samples"][..], &["--samples", "1"], &["--sample"], &["--sevenzip", "a"], &["x"]] {
            assert!(options(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn only_files_of_this_run_are_found() {
        let folder = std::env::temp_dir().join(format!("sbc-bench-xtask-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("run.json");
        std::fs::write(&file, "{}").unwrap();
        std::fs::write(folder.join("run.log"), "").unwrap();
        let written = file.metadata().unwrap().modified().unwrap();
        let folders = [folder.clone(), folder.join("absent")];
        assert_eq!(newest(&folders, "json", written).unwrap(), Some(file));
        let later = written + Duration::from_secs(1);
        assert_eq!(newest(&folders, "json", later).unwrap(), None);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
