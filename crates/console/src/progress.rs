//! Progress of a run on standard error: a bar with the time left on a terminal, a line for each step elsewhere.

mod step_log;
mod words;

use crate::{look, stderr};
use bench::{Progress, TimeLeft};
use facts::lines::padded;
use std::cell::RefCell;
use std::time::{Duration, Instant};
use step_log::StepLog;

/// Columns of the bar itself.
const BAR_COLUMNS: usize = 16;

/// Progress of a run.
pub struct ProgressBar {
    shown: Style,
    began: Instant,
    /// The step that runs: its name, when it began, and what was left then.
    step: RefCell<Option<(String, Instant, Option<TimeLeft>)>>,
    log: RefCell<StepLog>,
    /// In place of the bar, until it is left.
    picture: RefCell<Option<Box<dyn Picture>>>,
}

/// A whole screen that shows a run.
pub trait Picture {
    /// Samples have come. False if nobody looks any more.
    fn sampled(&mut self, record: &record::Record) -> bool;
    /// Shows the current step. False if the reader is gone.
    fn head(&mut self, text: &str) -> bool;
    /// Something is worth a line.
    fn note(&mut self, text: &str);
}

/// Display of progress.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Style {
    /// By a bar below all lines.
    Bar,
    /// By a line for each step.
    Lines,
    /// Not at all.
    Nothing,
}

impl ProgressBar {
    /// A bar on a terminal that can write over it, lines elsewhere, nothing where nothing is wanted.
    pub fn new(quiet: bool) -> Self {
        Self::with_picture(quiet, None)
    }

    /// The same with a screen in place of the bar. What is said meanwhile stands in the terminal when it is left.
    pub fn with_picture(quiet: bool, picture: Option<Box<dyn Picture>>) -> Self {
        stderr::hold(picture.is_some());
        let shown = match (quiet, stderr::is_terminal() && look::has_cursor()) {
            (true, _) => Style::Nothing,
            (false, true) => Style::Bar,
            (false, false) => Style::Lines,
        };
        let (step, log) = (RefCell::default(), RefCell::default());
        Self { shown, began: Instant::now(), step, log, picture: RefCell::new(picture) }
    }

    /// Shows what happens.
    pub fn show(&self, progress: &Progress) {
        match progress {
            Progress::GateWaits(gate, left) => self.busy(gate, *left),
            Progress::Identified(machine) => {
                self.line(&words::beginning(machine));
            }
            Progress::Step { name, left } => {
                *self.step.borrow_mut() = Some((words::of_name(name), Instant::now(), *left));
                self.draw();
            }
            Progress::StepEnded { name, step, runs } => self.ended(&words::ended(name, step, *runs)),
            Progress::Sampled(record) => self.paint(|picture| picture.sampled(record)),
            Progress::Watched(record) => self.watched(record),
            Progress::Left(left) => {
                let left = time_left(Some(left.as_secs()));
                self.line(&format!("Estimated from the measured clock: {left}."));
            }
            Progress::ProgramRuns => self.draw(),
            // A note matters in a pipe as well.
            Progress::Note(note) if self.shown == Style::Bar => self.line(note),
            Progress::Note(note) => crate::output::note(note),
        }
    }

    fn ended(&self, line: &str) {
        match self.shown {
            Style::Lines => self.log.borrow_mut().ended(line),
            Style::Bar => stderr::line(&format!("{} {line}", clock(self.began.elapsed().as_secs()))),
            Style::Nothing => {}
        }
        if let Some(picture) = self.picture.borrow_mut().as_mut() {
            picture.note(line);
        }
    }

    /// Changes the screen, and gives the terminal back where nobody looks at it any more.
    fn paint(&self, change: impl FnOnce(&mut dyn Picture) -> bool) {
        let mut picture = self.picture.borrow_mut();
        if picture.as_mut().is_some_and(|picture| !change(picture.as_mut())) {
            *picture = None;
            stderr::hold(false);
        }
    }

    /// Who keeps the run from starting. It is told every two seconds, which a log need not repeat.
    fn busy(&self, gate: &record::Gate, left: Duration) {
        if self.shown == Style::Lines && !self.log.borrow_mut().was_silent(self.began.elapsed().as_secs()) {
            return;
        }
        let what = if gate.forced {
            "Scores will be lower, and marked for it; Ctrl-C to stop.".to_owned()
        } else {
            format!("Waiting up to {} s; use --force to start now.", left.as_secs())
        };
        self.line(&format!(
            "System is busy ({} % of all CPUs): {}. {what}",
            gate.busy_hundredths_percent / 100,
            facts::view::process_words(&gate.busiest),
        ));
    }

    /// The last sample as a line of the monitor, in a terminal only: in a pipe it would be in the way.
    fn watched(&self, record: &record::Record) {
        let rows = record.samples.at_ms.len();
        if rows >= 2 && self.shown == Style::Bar {
            let facts = facts::Facts::of(record);
            self.line(&explain::monitor::heading(&facts));
            self.line(&explain::monitor::row(&facts, 0, rows - 1));
        }
    }

    /// The bar as it is now, or the line that is due: time gone, and time left.
    fn draw(&self) {
        let step = self.step.borrow();
        let Some((name, began, left)) = step.as_ref() else { return };
        let left = left.map(|left| left.after(began.elapsed()).as_secs());
        let gone = self.began.elapsed().as_secs();
        if self.picture.borrow().is_some() {
            return self.paint(|picture| picture.head(&format!("{}, {name}", time_left(left))));
        }
        match self.shown {
            Style::Bar => {
                stderr::bar(&bar(gone, left, name, stderr::columns()));
            }
            Style::Lines => self.line_if(self.log.borrow_mut().step(gone, name, left)),
            Style::Nothing => {}
        }
    }

    /// Takes the bar away, or says what the last step came to.
    pub fn finish(&self) {
        *self.picture.borrow_mut() = None;
        stderr::hold(false);
        match self.shown {
            Style::Bar => stderr::bar(""),
            Style::Lines => self.line_if(self.log.borrow_mut().finish(self.began.elapsed().as_secs())),
            Style::Nothing => {}
        }
    }

    fn line_if(&self, line: Option<String>) {
        line.iter().for_each(|line| self.line(line));
    }

    fn line(&self, text: &str) {
        if let Some(picture) = self.picture.borrow_mut().as_mut() {
            picture.note(text);
        }
        if self.shown != Style::Nothing {
            stderr::line(text);
        }
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        // The terminal is given back before held output is written, at any end of a run.
        self.picture.get_mut().take();
        stderr::hold(false);
    }
}

/// `00:01:10 [===>            ] about 4 min left: memory`; on a narrow terminal the end is cut off, which is
/// the name.
fn bar(gone_s: u64, left_s: Option<u64>, name: &str, columns: usize) -> String {
    let full = left_s.map_or(0, |left_s| BAR_COLUMNS as u64 * gone_s / (gone_s + left_s).max(1));
    let done = "=".repeat(full as usize);
    let head = if full < BAR_COLUMNS as u64 { ">" } else { "" };
    let (gone, left) = (clock(gone_s), time_left(left_s));
    let bar = format!("{gone} [{:BAR_COLUMNS$}] {left}: {name}", done + head);
    // In the last column some terminals begin another line.
    padded(&bar, columns.saturating_sub(1)).trim_end().to_owned()
}

/// `00:01:10`.
fn clock(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// `about 12 min left`: to the minute from three minutes on, to ten seconds below.
fn time_left(seconds: Option<u64>) -> String {
    let Some(seconds) = seconds else { return "time left unknown".to_owned() };
    match seconds {
        0..10 => "almost done".into(),
        10..180 => format!("about {} s left", seconds.div_ceil(10) * 10),
        180..7200 => format!("about {} min left", seconds.div_ceil(60)),
        _ => format!("about {:.1} h left", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bar_fits_and_fills() {
        for (gone, left, columns, expected) in [
            (0, Some(0), 80, "00:00:00 [>               ] almost done: memory"),
            (7, None, 80, "00:00:07 [>               ] time left unknown: memory"),
            (70, Some(210), 80, "00:01:10 [====>           ] about 4 min left: memory"),
            (3700, Some(0), 80, "01:01:40 [================] almost done: memory"),
            (70, Some(210), 20, "00:01:10 [====>"),
        ] {
            assert_eq!(bar(gone, left, "memory", columns), expected);
        }
    }

    #[test]
    fn time_left_precision() {
        for (seconds, expected) in
            [(3, "almost done"), (31, "about 40 s left"), (601, "about 11 min left"), (9000, "about 2.5 h left")]
        {
            assert_eq!(time_left(Some(seconds)), expected);
        }
    }
}
