//! Progress of a run: a bar with the time left, on standard error and only on a terminal.

use bench::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::RefCell;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// The bar of one run.
pub(crate) struct Bar {
    bar: ProgressBar,
    quiet: bool,
    /// The step that runs: its name, when it began, and what was left then.
    step: RefCell<Option<(String, Instant, Duration)>>,
}

impl Bar {
    /// A bar, or nothing visible where standard error is no terminal.
    pub(crate) fn new(quiet: bool) -> Self {
        let visible = !quiet && std::io::stderr().is_terminal();
        let target = if visible {
            ProgressDrawTarget::stderr_with_hz(2)
        } else {
            ProgressDrawTarget::hidden()
        };
        let style = ProgressStyle::with_template("{elapsed_precise} [{bar:16}] {wide_msg}");
        // The template is a constant; the default style is as good if it were wrong.
        let style = style
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ");
        let bar = ProgressBar::with_draw_target(None, target).with_style(style);
        Self {
            bar,
            quiet: !visible,
            step: RefCell::default(),
        }
    }

    /// Shows what happens.
    pub(crate) fn show(&self, progress: &Progress) {
        match progress {
            Progress::Waiting(gate, left) => {
                let busiest: Vec<String> = gate
                    .busiest
                    .iter()
                    .take(3)
                    .map(|process| {
                        let percent = process.hundredths_percent / 100;
                        format!("{} (PID {}, {percent} %)", process.name, process.pid)
                    })
                    .collect();
                self.line(&format!(
                    "System busy ({} % of all CPUs): {}. Waiting up to {} s; --force starts at once.",
                    gate.busy_hundredths_percent / 100,
                    busiest.join(", "),
                    left.as_secs()
                ));
            }
            Progress::Identified(machine) => {
                let board = machine.board.known().map_or("this machine", String::as_str);
                self.line(&format!("Measuring {board}."));
            }
            Progress::Step { name, left } => {
                *self.step.borrow_mut() = Some(((*name).to_owned(), Instant::now(), *left));
                self.draw();
                // Built-in steps are not disturbed by a bar: what is not drawn now is only drawn when they end.
                self.bar.force_draw();
            }
            Progress::Watched(record) => self.watched(record),
            Progress::Left(left) => {
                let left = time_left(left.as_secs());
                self.line(&format!("By the clock that was measured: {left}."));
            }
            Progress::Beat => self.draw(),
            Progress::Note(note) => {
                // A note matters in a pipe as well.
                if self.quiet {
                    eprintln!("sbc-bench: {note}")
                } else {
                    self.line(note)
                }
            }
        }
    }

    /// The last sample as a line of the monitor, in a terminal only: in a pipe it would be in the way.
    fn watched(&self, record: &record::Record) {
        let rows = record.samples.at_ms.len();
        if rows >= 2 {
            self.line(&explain::monitor::heading(record));
            self.line(&explain::monitor::row(record, 0, rows - 1));
        }
    }

    /// The bar as it is now: time gone of time gone and left.
    fn draw(&self) {
        let step = self.step.borrow();
        let Some((name, began, left)) = step.as_ref() else {
            return;
        };
        // A step that takes longer than was thought leaves what comes behind it as it is.
        let left = left.saturating_sub(began.elapsed()).as_secs();
        let gone = self.bar.elapsed().as_secs();
        self.bar.set_length((gone + left).max(1));
        self.bar.set_position(gone);
        // On a narrow terminal the end is cut off, which is the name.
        self.bar.set_message(format!("{}: {name}", time_left(left)));
        self.bar.tick();
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&self, text: &str) {
        self.bar.println(text);
    }
}

/// `about 12 min left`: to the minute from three minutes on, to ten seconds below.
fn time_left(seconds: u64) -> String {
    match seconds {
        0..10 => "nearly done".into(),
        10..180 => format!("about {} s left", seconds.div_ceil(10) * 10),
        180..7200 => format!("about {} min left", seconds.div_ceil(60)),
        _ => format!("about {:.1} h left", seconds as f64 / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::time_left;

    #[test]
    fn time_is_told_as_exactly_as_it_is_known() {
        for (seconds, expected) in [
            (3, "nearly done"),
            (31, "about 40 s left"),
            (601, "about 11 min left"),
            (9000, "about 2.5 h left"),
        ] {
            assert_eq!(time_left(seconds), expected);
        }
    }
}
