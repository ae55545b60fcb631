//! `cargo xtask kernels --cuts N`: N power cuts at moments spread over runs; every other run is resumed.
//!
//! Half of the cuts end qemu by SIGKILL, half are `reboot -f` of the machine; both lose data that the kernel has not written to
//! disk. Steps on the serial line before the cut are reported: each must be in the result file that the next boot recovers.

use super::Ready;
use super::boot::{self, Start};
use super::tables::{CASES, Machine};
use anyhow::{Context, Result, ensure};
use std::fs;

/// First moment of a cut after the start of the run, and span of all moments.
const MOMENT_MIN_S: f64 = 0.5;
const MOMENT_SPAN_S: f64 = 14.0;

/// Total of all cuts.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    moments: u32,
    /// Steps reported before cuts, of all runs and of the current run.
    reported: usize,
    of_run: usize,
    lost: usize,
    unreadable: u32,
    /// Boots that found a changed setting.
    settings: u32,
}

/// Cuts and boots; prints a row for each and the sum.
pub(super) fn all(count: u32, machine: &Machine, ready: &Ready) -> Result<()> {
    let script = &CASES.cuts;
    let mut tally = Tally::default();
    let mut log = String::new();
    for number in 0..=count {
        // The golden ratio spreads any count of moments evenly.
        let part = (f64::from(number) * 0.618_034).fract();
        let moment = if number == count { 0.0 } else { MOMENT_MIN_S + MOMENT_SPAN_S * part };
        let by = if number / 2 % 2 == 0 { "kill" } else { "reboot" };
        // A step that was cut twice is skipped, so every other run is new.
        let is_new = number % 2 == 0;
        let again = if is_new { "" } else { "--resume" };
        let words = format!("moment={} by={by} again={again}", (moment * 100.0).round() / 100.0);
        let start = Start { plan: &script.plan, is_first: number == 0, words: &words, ends_at_reset: true };
        let booted = boot::boot(machine, &start, ready)?;
        log.push_str(&booted.console);
        fs::write(ready.folder.join(format!("{}-cuts.log", machine.name)), &log)?;
        let text = booted.begun(&script.name).with_context(|| format!("boot {number} did not come to its script"))?;
        let after = After::of(text);
        if number > 0 {
            println!("cut {number:2}: {}", after.judged(&mut tally));
        }
        if is_new {
            tally.of_run = 0;
        }
        let reported = reported(text);
        tally.of_run += reported;
        tally.reported += reported;
    }
    let Tally { moments, reported, lost, unreadable, settings, .. } = &tally;
    println!(
        "{moments} moments, {reported} steps reported, {lost} lost, {unreadable} unreadable, {settings} with settings changed"
    );
    ensure!(tally.lost == 0 && tally.unreadable == 0 && tally.settings == 0, "power cuts cost something");
    Ok(())
}

/// State after a cut.
#[derive(Debug, PartialEq, Eq)]
struct After {
    /// Steps in the newest result file; `None` if it cannot be read.
    steps: Option<usize>,
    /// Whether there is no result file yet.
    is_absent: bool,
    are_settings_back: bool,
}

impl After {
    fn of(console: &str) -> Self {
        let record = console.split_once("@@record\n").and_then(|(_, rest)| rest.split_once("@@recorded"));
        let record = record.map(|(record, _)| record.trim()).unwrap_or_default();
        let settings = console.lines().find_map(|line| line.strip_prefix("@@settings "));
        Self {
            steps: steps(record),
            is_absent: record.is_empty() && !console.contains("unreadable"),
            are_settings_back: settings == Some("0 0-3"),
        }
    }

    fn judged(&self, tally: &mut Tally) -> String {
        tally.moments += 1;
        let found = match self.steps {
            Some(steps) => {
                let lost = tally.of_run.saturating_sub(steps);
                tally.lost += lost;
                // Lost steps count once.
                tally.of_run -= lost;
                format!("{steps} steps, {} reported, {lost} lost", tally.of_run + lost)
            }
            None if self.is_absent && tally.of_run == 0 => "no result file yet, nothing reported".to_owned(),
            None => {
                tally.unreadable += 1;
                format!("no result file can be read, {} steps reported", tally.of_run)
            }
        };
        if !self.are_settings_back {
            tally.settings += 1;
        }
        format!("{found}, settings {}", if self.are_settings_back { "as before" } else { "changed" })
    }
}

/// Number of measured steps of the command in a result file; `None` if it is not a result file.
fn steps(json: &str) -> Option<usize> {
    let record: serde_json::Value = serde_json::from_str(json).ok()?;
    let is_measured = |step: &&serde_json::Value| step["workload"] == "sleep" && step["outcome"].get("done").is_some();
    Some(record["steps"].as_array()?.iter().filter(is_measured).count())
}

/// Number of steps that the run reported: `00:00:05 sleep 0.1: 0.102 s; ...`.
fn reported(console: &str) -> usize {
    // "... which died during sleep 0.1: 7 steps are complete" has no time before it.
    let is_report =
        |line: &&str| line.split_once(" sleep 0.1: ").is_some_and(|(time, _)| time.len() == "00:00:05".len());
    console.lines().filter(is_report).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: &str = r#"{"workload":"sleep","outcome":{"done":{}}}"#;

    fn console(steps: usize, settings: &str) -> String {
        let steps = vec![STEP; steps].join(",");
        format!("@@record\n{{\"steps\":[{steps}]}}\n\n@@recorded\n@@settings {settings}\n")
    }

    #[test]
    fn steps_missing_after_a_cut_are_counted_once() {
        let mut tally = Tally { of_run: 5, ..Tally::default() };
        assert_eq!(
            After::of(&console(5, "0 0-3")).judged(&mut tally),
            "5 steps, 5 reported, 0 lost, settings as before"
        );
        assert_eq!(
            After::of(&console(4, "0 0-3")).judged(&mut tally),
            "4 steps, 5 reported, 1 lost, settings as before"
        );
        tally.of_run += 2;
        assert_eq!(After::of(&console(6, "0 0")).judged(&mut tally), "6 steps, 6 reported, 0 lost, settings changed");
        After::of("@@record\n{\n@@recorded\n@@settings 0 0-3\n").judged(&mut tally);
        assert_eq!(tally, Tally { moments: 4, reported: 0, of_run: 6, lost: 1, unreadable: 1, settings: 1 });
    }

    #[test]
    fn reports_of_steps_are_counted() {
        let lines = "Resuming the run, which died during sleep 0.1: 7 steps are complete\n\
                     00:00:05 sleep 0.1: 0.102 s; almost done\n00:00:06 sle";
        assert_eq!(reported(lines), 1);
    }
}
