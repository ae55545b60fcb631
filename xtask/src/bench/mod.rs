//! Figures of the program itself: start, memory, cost of sampling, wall time per step.
//!
//! Measured from outside on the release binary, and from the Record of a run. It prints figures and limits but does not fail
//! because of a figure, as timings depend on the machine.

mod figures;
mod libc;
mod page;
mod process;
mod screen;
mod sevenzip;
mod site;
mod tick;
mod viewers;

use crate::workspace::{self, Words};
use anyhow::{Context, Result, ensure};
use figures::{Resident, limit_ms};
use process::MonitorProcess;
use record::Record;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// Interval of the observed monitor: the sample rate of runs.
const MONITOR_INTERVAL: &str = "0.5";
/// Interval at which the resident memory of a run is read.
const RESIDENT_INTERVAL: Duration = Duration::from_millis(200);

/// Number of timings of a command; the fastest counts.
const TIMES: usize = 5;

/// Measures and prints.
pub(crate) fn main(words: &[&str]) -> Result<()> {
    let at = words.iter().position(|word| *word == "--").unwrap_or(words.len());
    let arguments = words.get(at + 1..).unwrap_or_default();
    let mut words = Words(words[..at].to_vec());
    let flags =
        ["--kills", "--libc", "--boards", "--page", "--screen", "--viewers", "--tick", "--meter", "--monitor-only"];
    let [is_kills, is_libc, is_boards, is_page, is_screen, is_viewers, is_tick, is_meter, monitor_only] =
        flags.map(|name| words.flag(name));
    let [named, record] = ["--binary", "--record"].map(|name| words.value::<PathBuf>(name));
    let (hub_results, site, versions) = (words.values("--hub")?, words.value("--site")?, words.values("--sevenzip")?);
    let (pairs, samples) = (words.value("--pairs")?.unwrap_or(10), words.value::<usize>("--samples")?.unwrap_or(20));
    ensure!(samples > 1, "--samples takes 2 or more");
    words.end()?;
    let named = named?;
    if let Some(path) = record? {
        report(&read(&path)?, &[]);
        if let Some(binary) = named {
            print_comparison(&binary, &path);
        }
        return Ok(());
    }
    if is_kills {
        return kills();
    }
    if is_libc {
        return libc::main();
    }
    if is_boards {
        return boards();
    }
    if is_meter {
        return meter();
    }
    if let Some([results]) = hub_results {
        return hub(results, arguments);
    }
    let binary = named.map_or_else(newest_release, Ok)?;
    println!("{}\n", binary.display());
    if is_page {
        return page::main(&binary);
    }
    if is_screen {
        return screen::main(&binary, arguments);
    }
    if is_viewers {
        return viewers::main(&binary);
    }
    if is_tick {
        return tick::main(&binary);
    }
    if let Some(results) = site {
        return site::main(&binary, results);
    }
    if let Some([listed, other]) = versions {
        return sevenzip::main(&binary, sevenzip::Versions { listed, other }, pairs);
    }
    monitor(&binary, samples)?;
    // It queries the versions of all tools.
    println!("{}\n", limit_ms("what can be measured here (doctor)", fastest(&binary, &["doctor".as_ref()]), 300.0));
    if monitor_only { Ok(()) } else { standard_run(&binary, arguments) }
}

/// Runs the benchmark and prints figures of its Record.
fn standard_run(binary: &Path, arguments: &[&str]) -> Result<()> {
    let started = SystemTime::now();
    let begin = Instant::now();
    let (resident, stream) = run(binary, arguments)?;
    let run_s = begin.elapsed().as_secs_f64();
    let path = newest(&process::record_folders(), "json", started)?
        .context("the run left no Record; name it with --record")?;
    println!("\n{}\n", path.display());
    report(&read(&path)?, &resident);
    print_comparison(binary, &path);
    let percent = stream.as_secs_f64() / run_s * 100.0;
    println!("  the thread that writes the stream was on a CPU for {percent:.3} % of the run");
    Ok(())
}

/// Time to rank a result among the known ones, from the start of the program to its end.
fn print_comparison(binary: &Path, result: &Path) {
    let fastest = fastest(binary, &["compare".as_ref(), result.as_os_str()]);
    println!("  {}", limit_ms("a result among the known ones (compare)", fastest, 50.0));
}

/// Runs that are killed at every call that changes something, on folders and on virtual boards, with failing calls and hostile
/// tools; prints their number, results, and times until settings are restored.
fn kills() -> Result<()> {
    let words = "test --quiet --locked --package sbc-bench --test integration -- fake_tree:: hostile_tools:: --nocapture --test-threads 1";
    let status = workspace::run(workspace::cargo().args(words.split(' ')).env("SBC_BENCH_ALL_KILLS", "1"));
    status.context("a run lost results or left a setting changed")
}

/// Runs the program on virtual boards and prints each figure next to the true one. Figures must be within their stated errors,
/// which needs an idle machine.
fn boards() -> Result<()> {
    let words = "test --quiet --package sbc-bench --bench boards -- --nocapture --test-threads 1";
    let status = workspace::run(workspace::cargo().args(words.split(' ')).env("SBC_BENCH_NO_SKIP", "1"));
    status.context("the boards were not understood")
}

/// Plays a tester on USB for a minute, and prints the CPU time of the thread that reads it.
fn meter() -> Result<()> {
    let words = "test --quiet --locked --release --package sbc-bench-net polling_reads_every_report -- --nocapture";
    let status = workspace::run(workspace::cargo().args(words.split(' ')).env("SBC_BENCH_METER_S", "60"));
    status.context("the tester was not read")
}

/// Load on a hub: results, uploads and queries, on SQLite and PostgreSQL; `arguments` may name one of them.
fn hub(results: &str, arguments: &[&str]) -> Result<()> {
    let words = "bench --quiet --locked --package sbc-bench-hub --profile hub --bench load --";
    workspace::run(workspace::cargo().args(words.split(' ')).arg(results).args(arguments))
        .context("the hub was not measured")
}

/// Watches `sbc-bench -m` until it has printed `samples` samples.
fn monitor(binary: &Path, samples: usize) -> Result<()> {
    let mut watched = MonitorProcess::monitor(binary, MONITOR_INTERVAL)?;
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

/// Compiles a C program to compare with, and returns its path.
fn compiled(folder: &Path, name: &str, source: &str) -> Result<PathBuf> {
    let program = folder.join(name);
    std::fs::write(program.with_extension("c"), source)?;
    let mut compiler = std::process::Command::new("cc");
    workspace::run(compiler.args(["-O2", "-o"]).arg(&program).arg(program.with_extension("c")))?;
    Ok(program)
}

/// The shortest of several calls with these arguments; `None` if one fails.
fn fastest(binary: &Path, arguments: &[&OsStr]) -> Option<Duration> {
    let times = (0..TIMES).map(|_| {
        let begin = Instant::now();
        let output = std::process::Command::new(binary).args(arguments).output().ok()?;
        output.status.success().then(|| begin.elapsed())
    });
    times.collect::<Option<Vec<Duration>>>()?.into_iter().min()
}

/// Runs the benchmark and returns its resident memory over time, and the CPU time of the thread that writes the stream.
fn run(binary: &Path, arguments: &[&str]) -> Result<(Vec<Resident>, Duration)> {
    let mut child =
        std::process::Command::new(binary).args(arguments).spawn().with_context(|| binary.display().to_string())?;
    let mut series = Vec::new();
    let mut stream_ns = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        // The process may end between the two calls.
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
    // 3: finished, results invalid; timings are usable.
    ensure!(matches!(status.code(), Some(0 | 3)), "the run ended with {status}");
    Ok((series, Duration::from_nanos(stream_ns)))
}

/// Prints a Record's figures of the program itself.
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

/// Whether this machine can run the file; builds for other machines are in the same directory.
fn runs_here(file: &Path) -> bool {
    std::process::Command::new(file).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The newest file with this extension that was written after a moment.
fn newest(folders: &[PathBuf], extension: &str, after: SystemTime) -> Result<Option<PathBuf>> {
    let files = folders.iter().filter_map(|folder| workspace::files_of(folder, &[extension]).ok()).flatten();
    let dated = files.map(|path| Ok((path.metadata()?.modified()?, path)));
    let dated = dated.collect::<Result<Vec<(SystemTime, PathBuf)>>>()?.into_iter();
    Ok(dated.filter(|(written, _)| *written >= after).max().map(|(_, path)| path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_this_run_are_found() {
        let folder = testkit::Scratch::new("newest");
        let file = folder.join("run.json");
        std::fs::write(&file, "{}").unwrap();
        std::fs::write(folder.join("run.log"), "").unwrap();
        let written = file.metadata().unwrap().modified().unwrap();
        let folders = [folder.to_path_buf(), folder.join("absent")];
        assert_eq!(newest(&folders, "json", written).unwrap(), Some(file));
        let later = written + Duration::from_secs(1);
        assert_eq!(newest(&folders, "json", later).unwrap(), None);
    }
}
