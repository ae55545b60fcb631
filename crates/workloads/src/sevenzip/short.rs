//! Short run of 7-zip, for questions that repeat it at many clocks: passes over one small dictionary until their median is
//! known or time is up.
//!
//! Before the first pass 7-zip measures the clock for about 4e9 cycles, seven seconds at 600 MHz. So it is started once, and
//! its output is read after each pass.

use super::super::scored::garbled;
use super::parse::parse_passes;
use super::{time_limit, wrong_data};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use process::tools::InstalledProgram;
use record::{Compression, Failure, RepetitionStats, StopReason, StoppingRule};
use std::time::{Duration, Instant};

/// Minimum time of a pass: the work for one dictionary.
const TIME: &str = "-mtime=0";
/// The smallest dictionary, for many passes on slow boards.
const DICTIONARY: &str = "-md=18";
/// Maximum number of passes.
const PASSES_MAX: usize = 100;
/// Number of passes without a terminal, where output arrives at the end.
const PASSES_BLIND: &str = "3";

/// Runs passes until their median is known or `time` is used up; at least one.
pub(super) fn run(
    context: &WorkloadContext,
    report: &mut StepReport,
    found: &InstalledProgram,
    time: Duration,
) -> Result<Compression, Failure> {
    let why = "short run with a small dictionary; comparable only with other short runs";
    report.not_comparable = Some(why.into());
    let threads = format!("-mmt={}", context.job.threads.max(1));
    let limit = time_limit(context.job);
    let most = PASSES_MAX.to_string();
    let Ok(terminal) = machine::terminal() else {
        let arguments = ["b", PASSES_BLIND, TIME, &threads, DICTIONARY];
        let output = context.program(report, found, &arguments, limit).map_err(wrong_data)?;
        return finish(report, &output, StopReason::Times);
    };
    let arguments = ["b", most.as_str(), TIME, &threads, DICTIONARY];
    let rule = StoppingRule::new(PASSES_MAX, time);
    let mut progress = Progress::new(rule);
    let timeline = context.timeline;
    let mut began = None;
    let mut enough = |text: &str| {
        // The load before the table measures the clock and does not count.
        if began.is_none() && text.contains("Rating") {
            began = Some((timeline.now_ms(), timeline.utc_ms()));
        }
        progress.is_enough(text)
    };
    let output =
        context.program_until(report, found, &arguments, limit, (terminal, &mut enough)).map_err(wrong_data)?;
    let ended = progress.ended.unwrap_or(StopReason::Times);
    report.began_ms = began;
    finish(report, &output, ended)
}

fn finish(report: &mut StepReport, output: &str, ended: StopReason) -> Result<Compression, Failure> {
    let (measured, _) = parse_passes(output).map_err(|why| garbled(why, output))?;
    let passes = measured.rows_mips();
    report.repeated.extend(RepetitionStats::of("pass", "MIPS", &passes, ended));
    Ok(measured)
}

struct Progress {
    rule: StoppingRule,
    started: Instant,
    /// Length of the text that was parsed.
    parsed_bytes: usize,
    passes: Vec<f64>,
    ended: Option<StopReason>,
}

impl Progress {
    fn new(rule: StoppingRule) -> Self {
        Self { rule, started: Instant::now(), parsed_bytes: 0, passes: Vec::new(), ended: None }
    }

    fn is_enough(&mut self, text: &str) -> bool {
        let elapsed = self.started.elapsed();
        let known = self.passes.len();
        // Parsing takes time of the CPU under test, so it runs only for new output.
        if text.len() > self.parsed_bytes {
            self.parsed_bytes = text.len();
            self.passes = parse_passes(text).map_or(Vec::new(), |(found, _)| found.rows_mips());
        }
        // The rule checks certain counts only, and several passes can arrive at once.
        let news = (known + 1)..=self.passes.len();
        let mut ends = news.filter_map(|count| self.rule.ended(&self.passes[..count], elapsed));
        let is_late = elapsed >= self.rule.time_max && !self.passes.is_empty();
        self.ended = ends.next().or(is_late.then_some(StopReason::Time));
        self.ended.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "\
RAM size:   24105 MB (LP),  # CPU hardware threads:   1 / 2 : 2\r
RAM usage:      6 MB (LP),  # Benchmark threads:      1\r
\r
                       Compressing  |                  Decompressing\r
Dict     Speed Usage    R/U Rating  |      Speed Usage    R/U Rating\r
         KiB/s     %   MIPS   MIPS  |      KiB/s     %   MIPS   MIPS\r
\r
";

    fn printed(ratings: &[u32]) -> String {
        let row = |mips: &u32| format!("18:       9292   102   8145   {mips}  |      60085    97   5032   {mips}\r\n");
        HEAD.to_owned() + &ratings.iter().map(row).collect::<String>()
    }

    fn check(ratings: &[u32], time: Duration, expected: Option<StopReason>) {
        let mut progress = Progress::new(StoppingRule::new(PASSES_MAX, time));
        assert_eq!(progress.is_enough(&printed(ratings)), expected.is_some(), "{ratings:?}");
        assert_eq!(progress.ended, expected, "{ratings:?}");
    }

    #[test]
    fn passes_stop_when_stable_or_at_time_limit() {
        let long = Duration::from_secs(600);
        check(&[5000; 7], long, Some(StopReason::Narrow));
        check(&[5000; 9], long, Some(StopReason::Narrow));
        check(&[5000; 6], long, None);
        check(&[5000, 6000, 4000, 5500, 4500, 5000, 7000], long, None);
        check(&[5000], Duration::ZERO, Some(StopReason::Time));
        // At least one pass is needed.
        check(&[], Duration::ZERO, None);
    }

    #[test]
    fn half_a_pass_does_not_count() {
        let text = printed(&[5000, 5200, 5100]) + "18:       9292   102";
        let (found, unread) = parse_passes(&text).unwrap();
        assert_eq!(found.rows_mips(), [5000.0, 5200.0, 5100.0]);
        assert_eq!((found.total_mips, found.compressing_mips), (5100, 5100));
        assert_eq!(unread, Vec::<String>::new());
        assert!(parse_passes(HEAD).unwrap_err().contains("no pass"));
    }
}
