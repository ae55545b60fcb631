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
use anyhow::{Context, Result, bail, ensure};
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

/// Options.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options<'a> {
    binary: Option<&'a str>,
    samples: usize,
    record: Option<&'a str>,
    monitor_only: bool,
    boards: bool,
    kills: bool,
    libc: bool,
    page: bool,
    viewers: bool,
    tick: bool,
    site: Option<usize>,
    hub: Option<&'a str>,
    sevenzip: Option<sevenzip::Versions<'a>>,
    pairs: usize,
    arguments: &'a [&'a str],
}

fn options<'a>(words: &'a [&'a str]) -> Result<Options<'a>> {
    let mut options = Options { samples: 20, pairs: 10, ..Options::default() };
    let mut rest = words;
    loop {
        rest = match rest {
            [] => return Ok(options),
            ["--", arguments @ ..] => {
                options.arguments = arguments;
                &[]
            }
            ["--monitor-only", rest @ ..] => {
                options.monitor_only = true;
                rest
            }
            ["--boards", rest @ ..] => {
                options.boards = true;
                rest
            }
            ["--page", rest @ ..] => {
                options.page = true;
                rest
            }
            ["--viewers", rest @ ..] => {
                options.viewers = true;
                rest
            }
            ["--tick", rest @ ..] => {
                options.tick = true;
                rest
            }
            ["--site", number, rest @ ..] => {
                options.site = Some(number.parse().context("--site takes a number of results")?);
                rest
            }
            ["--hub", results, rest @ ..] => {
                options.hub = Some(results);
                rest
            }
            ["--kills", rest @ ..] => {
                options.kills = true;
                rest
            }
            ["--libc", rest @ ..] => {
                options.libc = true;
                rest
            }
            ["--sevenzip", listed, other, rest @ ..] => {
                options.sevenzip = Some(sevenzip::Versions { listed, other });
                rest
            }
            ["--pairs", number, rest @ ..] => {
                options.pairs = number.parse().context("--pairs takes a number")?;
                rest
            }
            ["--binary", file, rest @ ..] => {
                options.binary = Some(file);
                rest
            }
            ["--record", file, rest @ ..] => {
                options.record = Some(file);
                rest
            }
            ["--samples", number, rest @ ..] => {
                options.samples = number.parse().context("--samples takes a number")?;
                ensure!(options.samples > 1, "--samples takes 2 or more");
                rest
            }
            [other, ..] => bail!("unknown or incomplete option of bench: {other}"),
        };
    }
}

/// Number of timings of a command; the fastest counts.
const TIMES: usize = 5;

/// Measures and prints.
pub(crate) fn main(words: &[&str]) -> Result<()> {
    let options = options(words)?;
    if let Some(path) = options.record {
        report(&read(Path::new(path))?, &[]);
        if let Some(binary) = options.binary {
            let arguments: [&OsStr; 2] = ["compare".as_ref(), path.as_ref()];
            println!("  {}", figures::of_comparison(fastest(Path::new(binary), &arguments)));
        }
        return Ok(());
    }
    if options.kills {
        return kills();
    }
    if options.libc {
        return libc::main();
    }
    if options.boards {
        return boards();
    }
    if let Some(results) = options.hub {
        return hub(results, options.arguments);
    }
    let binary = match options.binary {
        Some(file) => PathBuf::from(file),
        None => newest_release()?,
    };
    println!("{}\n", binary.display());
    if options.page {
        return page::main(&binary);
    }
    if options.viewers {
        return viewers::main(&binary);
    }
    if options.tick {
        return tick::main(&binary);
    }
    if let Some(results) = options.site {
        return site::main(&binary, results);
    }
    if let Some(versions) = options.sevenzip {
        return sevenzip::main(&binary, versions, options.pairs);
    }
    monitor(&binary, options.samples)?;
    println!("{}\n", figures::of_doctor(fastest(&binary, &["doctor".as_ref()])));
    if !options.monitor_only {
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
            binary: Some("b"),
            samples: 5,
            record: None,
            monitor_only: false,
            boards: false,
            kills: false,
            libc: false,
            page: false,
            viewers: false,
            tick: false,
            site: None,
            hub: None,
            sevenzip: None,
            pairs: 10,
            arguments: &["-c", "--samples"],
        };
        assert_eq!(options(&words).unwrap(), expected);
        assert!(options(&["--monitor-only"]).unwrap().monitor_only);
        assert!(options(&["--boards"]).unwrap().boards && options(&["--kills"]).unwrap().kills);
        assert!(options(&["--libc"]).unwrap().libc && options(&["--page"]).unwrap().page);
        assert!(options(&["--viewers"]).unwrap().viewers && options(&["--tick"]).unwrap().tick);
        assert_eq!(options(&["--site", "5000"]).unwrap().site, Some(5000));
        assert_eq!(options(&["--hub", "1000", "--", "sqlite"]).unwrap().hub, Some("1000"));
        let versions = sevenzip::Versions { listed: "a", other: "b" };
        let asked = options(&["--sevenzip", "a", "b", "--pairs", "3"]).unwrap();
        assert_eq!((asked.sevenzip, asked.pairs), (Some(versions), 3));
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
