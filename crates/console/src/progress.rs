//! Progress of a run on standard error: a bar with the time left on a terminal, a line for each step elsewhere.

mod step_log;
mod words;

use crate::run_watch::RunWatch;
use crate::{signals, stderr, terminal_caps};
use bench::{Progress, SHOWN_S_MIN, TimeLeft, TimeLeftDisplay};
use facts::lines::{padded, width};
use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};
use step_log::StepLog;

/// In place of samples during a step that is timed in this process: the bar cannot change.
const SILENT: &str = "display paused while timing";
/// Columns of the bar itself.
const BAR_COLUMNS: usize = 16;

/// Progress of a run.
pub struct ProgressBar {
    shown: Style,
    began: Instant,
    /// Whether machine and plan were printed.
    is_announced: Cell<bool>,
    /// Name of the current step, and whether the bar cannot change during it.
    step: RefCell<Option<(String, bool)>>,
    left: RefCell<TimeLeftDisplay>,
    /// Samples of a run without a screen.
    watch: RefCell<RunWatch>,
    log: RefCell<StepLog>,
    /// Replaces the bar until the user leaves it.
    picture: RefCell<Option<Box<dyn Picture>>>,
}

/// A full screen that shows a run.
pub trait Picture {
    /// Shows new samples. False if the user left the screen.
    fn sampled(&mut self, record: &record::Record) -> bool;
    /// Shows the current step. False if the user left the screen.
    fn head(&mut self, text: &str) -> bool;
    /// Shows a note.
    fn note(&mut self, text: &str);
    /// Lists a step with its result.
    fn step_ended(&mut self, text: &str);
}

/// Display of progress.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Style {
    /// A bar below all lines.
    Bar,
    /// A line for each step.
    Lines,
    Nothing,
}

impl ProgressBar {
    /// A bar on a terminal with a cursor, else lines; nothing if `quiet`.
    pub fn new(quiet: bool) -> Self {
        Self::with_picture(quiet, None)
    }

    /// As [`Self::new`], with a screen in place of the bar. Lines are printed when the user leaves it.
    pub fn with_picture(quiet: bool, picture: Option<Box<dyn Picture>>) -> Self {
        stderr::hold(picture.is_some());
        let shown = match (quiet, stderr::is_terminal() && terminal_caps::has_cursor()) {
            (true, _) => Style::Nothing,
            (false, true) => Style::Bar,
            (false, false) => Style::Lines,
        };
        Self {
            shown,
            began: Instant::now(),
            is_announced: Cell::new(false),
            step: RefCell::default(),
            left: RefCell::default(),
            watch: RefCell::default(),
            log: RefCell::default(),
            picture: RefCell::new(picture),
        }
    }

    /// True if samples are shown.
    pub fn shows_samples(&self) -> bool {
        self.shown == Style::Bar || self.picture.borrow().is_some()
    }

    /// Prints or draws an event of the run.
    pub fn show(&self, progress: &Progress) {
        match progress {
            Progress::GateWaits(gate, left) => self.busy(gate, *left),
            Progress::Planned(plan) => {
                let left = self.estimated(plan.left);
                if !self.is_announced.replace(true) {
                    self.line(&words::beginning(plan, left));
                }
            }
            Progress::Step { name, left, is_silent } => {
                *self.step.borrow_mut() = Some((words::of_name(name), *is_silent));
                self.estimated(*left);
                self.draw();
            }
            Progress::StepEnded { name, step, runs } => self.ended(&words::ended(name, step, *runs)),
            Progress::Sampled(record) if self.picture.borrow().is_some() => {
                self.paint(|picture| picture.sampled(record));
            }
            Progress::Sampled(record) => {
                self.watch.borrow_mut().update(record, |_| {});
                self.draw();
            }
            Progress::Watched(record) => self.watched(record),
            // Nobody waits for the end of a run that stops.
            Progress::Left(_) if signals::received() != 0 => {}
            Progress::Left(left) => {
                let left = time_left(self.estimated(Some(*left)));
                self.line(&format!("Estimated from the measured clock: {left}."));
            }
            Progress::ProgramRuns => self.draw(),
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
            picture.step_ended(line);
        }
    }

    /// Takes an estimate; returns the seconds to show.
    fn estimated(&self, estimate: Option<TimeLeft>) -> Option<u64> {
        let (mut left, at) = (self.left.borrow_mut(), self.began.elapsed());
        left.estimated(estimate, at);
        left.at(at)
    }

    /// Changes the screen, or closes it once the user left it.
    fn paint(&self, change: impl FnOnce(&mut dyn Picture) -> bool) {
        let mut picture = self.picture.borrow_mut();
        if picture.as_mut().is_some_and(|picture| !change(picture.as_mut())) {
            *picture = None;
            stderr::hold(false);
        }
    }

    /// Names the processes that delay the run; in a log once a minute, not every two seconds.
    fn busy(&self, gate: &record::Gate, left: Duration) {
        if self.shown == Style::Lines && !self.log.borrow_mut().was_silent(self.began.elapsed().as_secs()) {
            return;
        }
        let what = if gate.forced {
            "Scores will be marked invalid; Ctrl-C to stop.".to_owned()
        } else {
            format!("Waiting up to {} s; use --force to start now.", left.as_secs())
        };
        let busy = format!("System is busy ({} % of all CPUs)", gate.busy_hundredths_percent / 100);
        self.line(&format!("{}. {what}", facts::view::with_processes(busy, &gate.busiest)));
    }

    /// Prints the last sample as a line of the monitor, on terminals only.
    fn watched(&self, record: &record::Record) {
        let rows = record.samples.at_ms.len();
        if rows >= 2 && self.shown == Style::Bar {
            let facts = facts::Facts::of(record);
            self.line(&explain::monitor::heading(&facts));
            self.line(&explain::monitor::row(&facts, 0, rows - 1));
        }
    }

    /// Draws the bar, or prints a line that is due.
    fn draw(&self) {
        let step = self.step.borrow();
        let Some((name, is_silent)) = step.as_ref() else { return };
        let left = self.left.borrow_mut().at(self.began.elapsed());
        let gone = self.began.elapsed().as_secs();
        if self.picture.borrow().is_some() {
            return self.paint(|picture| picture.head(&format!("{}, {name}", time_left(left))));
        }
        match self.shown {
            Style::Bar => {
                let now = if *is_silent { SILENT.to_owned() } else { self.watch.borrow().words() };
                stderr::bar(&bar((gone, left), &now, name, stderr::columns()));
            }
            Style::Lines => self.line_if(self.log.borrow_mut().step(gone, name, left)),
            Style::Nothing => {}
        }
    }

    /// Removes the bar, or prints the result of the last step.
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
        // Gives the terminal back before held output is written.
        self.picture.get_mut().take();
        stderr::hold(false);
    }
}

/// `00:01:10 [===>            ] about 4 min left, 2400 MHz, 61.3 °C: memory`; narrow terminals omit the bar and cut the name.
fn bar((gone_s, left_s): (u64, Option<u64>), now: &str, name: &str, columns: usize) -> String {
    let full = left_s.map_or(0, |left_s| BAR_COLUMNS as u64 * gone_s / (gone_s + left_s).max(1));
    let done = "=".repeat(full as usize);
    let head = if full < BAR_COLUMNS as u64 { ">" } else { "" };
    let now = if now.is_empty() { String::new() } else { format!(", {now}") };
    let words = format!("{}{now}: {}", time_left(left_s), facts::plain(name));
    let bar = format!("{} [{:BAR_COLUMNS$}] {words}", clock(gone_s), done + head);
    // In the last column some terminals begin another line.
    let room = columns.saturating_sub(1);
    let bar = if width(&bar) <= room { bar } else { format!("{} {words}", clock(gone_s)) };
    padded(&bar, room).trim_end().to_owned()
}

/// `00:01:10`.
fn clock(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// `about 12 min left`.
fn time_left(seconds: Option<u64>) -> String {
    let Some(seconds) = seconds else { return "time left unknown".to_owned() };
    match seconds {
        0..SHOWN_S_MIN => "almost done".into(),
        SHOWN_S_MIN..180 => format!("about {seconds} s left"),
        180..7200 if seconds % 60 == 0 => format!("about {} min left", seconds / 60),
        180..7200 => format!("about {} min {} s left", seconds / 60, seconds % 60),
        _ => format!("about {:.1} h left", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bar_fits_and_fills() {
        let now = "2400 MHz, 61.3 °C, load 4.0";
        for (gone, left, now, columns, expected) in [
            (0, Some(0), "", 80, "00:00:00 [>               ] almost done: memory"),
            (7, None, "", 80, "00:00:07 [>               ] time left unknown: memory"),
            (70, Some(210), "", 80, "00:01:10 [====>           ] about 3 min 30 s left: memory"),
            (70, Some(210), now, 80, "00:01:10 about 3 min 30 s left, 2400 MHz, 61.3 °C, load 4.0: memory"),
            (3700, Some(0), now, 80, "01:01:40 [================] almost done, 2400 MHz, 61.3 °C, load 4.0: memory"),
            (70, Some(210), now, 20, "00:01:10 about 3 mi"),
        ] {
            assert_eq!(bar((gone, left), now, "memory", columns), expected);
        }
    }

    #[test]
    fn time_left_precision() {
        for (seconds, expected) in
            [(3, "almost done"), (32, "about 32 s left"), (660, "about 11 min left"), (9000, "about 2.5 h left")]
        {
            assert_eq!(time_left(Some(seconds)), expected);
        }
    }
}
