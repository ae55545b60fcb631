//! Runs a command on a virtual board: `virtual-board BOARD.toml [--truth FILE] [--host-khz N] -- CMD...`.
//!
//! Exits with the status of the command, with 128 plus the number of its signal, or with 125 if the board itself
//! failed.

#![allow(clippy::print_stderr)]

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use testkit::virtual_board::{Board, FinishedRun, lacking, run};

const USAGE: &str = "usage: virtual-board BOARD.toml [--truth FILE] [--host-khz N] -- CMD...";

fn main() -> ExitCode {
    match try_main() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("virtual-board: {error}");
            ExitCode::from(125)
        }
    }
}

fn try_main() -> Result<ExitCode, String> {
    let mut words = std::env::args_os().skip(1);
    let file = words.next().ok_or(USAGE)?;
    let (mut truth, mut host_khz) = (None, None);
    loop {
        match words.next().ok_or(USAGE)?.to_str() {
            Some("--truth") => truth = Some(words.next().ok_or(USAGE)?),
            Some("--host-khz") => {
                let khz = words.next().ok_or(USAGE)?;
                host_khz = Some(khz.to_string_lossy().parse().map_err(|_| USAGE)?);
            }
            Some("--") => break,
            _ => return Err(USAGE.into()),
        }
    }
    let command: Vec<OsString> = words.collect();
    if command.is_empty() {
        return Err(USAGE.into());
    }
    if let Some(what) = lacking() {
        return Err(format!("a virtual board cannot run here: {what}"));
    }
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    // The command also receives Ctrl-C; the board waits for it to end and is then removed.
    let is_asked = Arc::new(AtomicBool::new(false));
    let handler = signal_hook::flag::register(signal_hook::consts::SIGINT, is_asked);
    handler.map_err(|e| format!("SIGINT: {e}"))?;
    let done = run(Board::parse(&text)?, host_khz, &command)?;
    if let Some(path) = truth {
        std::fs::write(&path, trace(&done)).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    if !done.left_running.is_empty() {
        eprintln!("virtual-board: left running, and killed: {}", done.left_running.join(", "));
    }
    let by_signal = done.status.signal().map(|signal| 128 + signal);
    let code = done.status.code().or(by_signal).unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// One JSON object per line.
fn trace(done: &FinishedRun) -> String {
    let line = |truth: &testkit::virtual_board::Truth| {
        format!(
            "{{\"at_s\":{:.2},\"temp_c\":{:.2},\"power_w\":{:.3},\"real_khz\":{:?},\"shown_khz\":{:?},\"level\":{},\"host_khz\":{}}}\n",
            truth.at_s, truth.temp_c, truth.power_w, truth.real_khz, truth.shown_khz, truth.level, truth.host_khz
        )
    };
    done.trace.iter().map(line).collect()
}
