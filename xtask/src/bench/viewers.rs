//! Cost of browsers that follow `sbc-bench monitor --web`: CPU time of the threads that sample, print rows and serve, with no
//! viewer, with one, and with fifty, ten of which never read.

use super::process;
use crate::workspace::served;
use anyhow::{Context, Result};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Interval of the monitor, the same as in runs.
const INTERVAL: &str = "0.5";
/// Observation time for each number of viewers.
const WATCHED: Duration = Duration::from_secs(30);
/// Number of viewers, and of those that never read.
const VIEWERS: [(usize, usize); 3] = [(0, 0), (1, 0), (50, 10)];

pub(super) fn main(binary: &Path) -> Result<()> {
    println!("sbc-bench monitor {INTERVAL} --web 0 --quiet, {} s each:", WATCHED.as_secs());
    for (viewers, deaf) in VIEWERS {
        line(binary, viewers, deaf)?;
    }
    Ok(())
}

fn line(binary: &Path, viewers: usize, deaf: usize) -> Result<()> {
    let (mut monitor, address) = served(binary, &["monitor", INTERVAL, "--web", "0", "--quiet"])?;
    let (host, path) = address.trim_start_matches("http://").split_once('/').context("no path")?;
    let frames = Arc::new(AtomicU64::new(0));
    let mut followers = Vec::new();
    for viewer in 0..viewers {
        let mut connection = TcpStream::connect(host)?;
        connection.write_all(format!("GET /{path}events HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes())?;
        if viewer < deaf {
            followers.push(connection);
        } else {
            let frames = Arc::clone(&frames);
            std::thread::Builder::new().spawn(move || read_frames(connection, &frames))?;
        }
    }
    let pid = monitor.0.id();
    let cpu_ns = |thread: &str| Ok::<u64, anyhow::Error>(process::thread_cpu_ns(pid, thread)?.unwrap_or_default());
    let begin = Instant::now();
    let before = [cpu_ns("sampler")?, cpu_ns("sbc-bench")?, cpu_ns("web")?];
    std::thread::sleep(WATCHED);
    let after = [cpu_ns("sampler")?, cpu_ns("sbc-bench")?, cpu_ns("web")?];
    let seconds = begin.elapsed().as_secs_f64();
    process::is_running(&mut monitor)?;
    let percent = |at: usize| (after[at] - before[at]) as f64 / 1e7 / seconds;
    let seen = frames.load(Ordering::Relaxed) as f64 / (viewers - deaf).max(1) as f64 / seconds;
    println!(
        "{:>10}, {deaf:>2} of them never read: sampler {:.3} %, rows {:.3} %, server {:.3} % of one CPU; {seen:.1} frames/s each; {:.1} MB resident",
        facts::how_many(viewers, "viewer"),
        percent(0),
        percent(1),
        percent(2),
        process::resident_kib(pid)? as f64 / 1024.0
    );
    drop(followers);
    Ok(())
}

/// Counts received frames.
fn read_frames(mut connection: TcpStream, frames: &AtomicU64) {
    let mut buffer = vec![0; 1 << 16];
    let mut last = 0;
    while let Ok(count @ 1..) = connection.read(&mut buffer) {
        for byte in &buffer[..count] {
            // An empty line ends a frame.
            if (last, *byte) == (b'\n', b'\n') {
                frames.fetch_add(1, Ordering::Relaxed);
            }
            last = *byte;
        }
    }
}
