//! What a user sees of a run on a terminal of 80 columns and 24 lines: how the time left changes, the lines at its end, and how
//! soon Ctrl-C is answered.

use super::figures::limit;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Times of Ctrl-C after the start, in seconds: waiting, memory, memory latency, a program of others.
const STOPS_S: [u64; 4] = [2, 8, 20, 45];
/// First word of the answer to Ctrl-C.
const ANSWER: &str = "Stopping";
/// Rewrites the live line.
const LIVE: &str = "\u{1b}[K";
/// Less time left is shown in words, in seconds.
const SHOWN_S_MIN: f64 = 10.0;

/// Text on the screen, with the time since the start in seconds.
type Screen = Vec<(f64, String)>;

/// Runs the benchmark once to its end, and stops it several times.
pub(super) fn main(binary: &Path, arguments: &[&str]) -> Result<()> {
    let whole = screen(binary, arguments, None)?;
    let end_s = whole.last().map_or(0.0, |(at_s, _)| *at_s);
    let left: Vec<(f64, f64)> =
        whole.iter().flat_map(|(at_s, text)| times_left(text).map(|left_s| (*at_s, left_s))).collect();
    let rise =
        left.windows(2).map(|pair| pair[1].1.max(SHOWN_S_MIN) / pair[0].1.max(SHOWN_S_MIN) - 1.0).reduce(f64::max);
    let half = left.iter().find(|(at_s, _)| *at_s >= end_s / 2.0);
    let error = half.map(|(at_s, left_s)| left_s / (end_s - at_s) - 1.0);
    let text: String = whole.iter().map(|(_, text)| text.as_str()).collect();
    let report = text.rsplit(LIVE).next().unwrap_or_default();
    let columns = report.lines().map(|line| facts::lines::width(&without_colours(line))).max();
    println!("a run of {end_s:.0} s:");
    println!("  {}", limit("largest rise of the time left", rise.map(|rise| 100.0 * rise), 10.1, "%"));
    println!("  {}", limit("error of the time left at half time", error.map(|error| 100.0 * error.abs()), 15.0, "%"));
    println!("  {}", limit("lines at the end", Some(report.lines().count() as f64), 25.0, ""));
    println!("  {}", limit("widest line at the end", columns.map(|columns| columns as f64), 81.0, "columns"));
    for stop_s in STOPS_S {
        let stop = Duration::from_secs(stop_s);
        let stopped = screen(binary, arguments, Some(stop))?;
        let answer = stopped.iter().find(|(_, text)| text.contains(ANSWER));
        let answer_s = answer.map(|(at_s, _)| at_s - stop.as_secs_f64());
        println!("  {} (pressed at {stop_s} s)", limit("Ctrl-C is answered after", answer_s, 0.2, "s"));
    }
    Ok(())
}

/// All that the program writes to a terminal of its own, where Ctrl-C is pressed after this time.
fn screen(binary: &Path, arguments: &[&str], stop: Option<Duration>) -> Result<Screen> {
    let (reader, writer) = testkit::terminal().context("no pseudo-terminal")?;
    let mut command = Command::new("setsid");
    command.args(["--ctty", "--wait", "sh", "-c", r#"stty cols 80 rows 24; exec "$0" "$@""#]).arg(binary);
    command.args(arguments).env("TERM", "xterm").env("LANG", "C.UTF-8");
    command.stdin(Stdio::from(writer.try_clone()?)).stderr(Stdio::from(writer.try_clone()?));
    let start = Instant::now();
    let mut child = command.stdout(Stdio::from(writer)).spawn().context("setsid")?;
    // It holds the other end until it is gone.
    drop(command);
    let mut terminal = File::from(reader);
    if let Some(stop) = stop {
        let mut keys = terminal.try_clone()?;
        machine::threads::spawn("keys", move || {
            std::thread::sleep(stop.saturating_sub(start.elapsed()));
            // The run may be over.
            let _ = keys.write_all(b"\x03");
        })?;
    }
    let (mut screen, mut bytes) = (Screen::new(), [0; 1 << 16]);
    // The end of a pseudo-terminal is an error.
    while let Ok(count @ 1..) = terminal.read(&mut bytes) {
        screen.push((start.elapsed().as_secs_f64(), String::from_utf8_lossy(&bytes[..count]).into_owned()));
    }
    child.wait()?;
    Ok(screen)
}

/// Times left in a text, in seconds: `about 160 s left`, `about 3 min 20 s left`.
fn times_left(text: &str) -> impl Iterator<Item = f64> {
    let parts = text.split("about ").skip(1).filter_map(|rest| rest.split_once(" left"));
    parts.filter_map(|(words, _)| {
        let words: Vec<&str> = words.split(' ').collect();
        words.chunks(2).map(seconds).sum()
    })
}

fn without_colours(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().unwrap_or_default();
    let others = parts.filter_map(|part| part.split_once('m')).map(|(_, text)| text);
    std::iter::once(first).chain(others).collect()
}

fn seconds(pair: &[&str]) -> Option<f64> {
    let [number, unit] = pair else { return None };
    let unit_s = match *unit {
        "s" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * unit_s)
}

#[cfg(test)]
mod tests {
    use super::{times_left, without_colours};

    #[test]
    fn colours_take_no_columns() {
        assert_eq!(without_colours("\u{1b}[1;31mResults are invalid\u{1b}[0m; why"), "Results are invalid; why");
    }

    #[test]
    fn times_are_read_from_the_screen() {
        let text =
            "\r\u{1b}[K00:00:03 about 3 min 20 s left, load 2: a\r00:01 about 160 s left\rabout 1.5 h left, about this";
        assert_eq!(times_left(text).collect::<Vec<_>>(), [200.0, 160.0, 5400.0]);
    }
}
