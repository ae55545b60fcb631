//! Progress of a run: a bar with the time left, on standard error and only on a terminal.

use bench::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// The bar of one run.
pub(crate) struct Bar {
    bar: ProgressBar,
    quiet: bool,
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
        let style = ProgressStyle::with_template(
            "{elapsed_precise} [{bar:24}] {msg:!28} {eta_precise:>8} left",
        );
        // The template is a constant; the default style is as good if it were wrong.
        let style = style
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ");
        let bar = ProgressBar::with_draw_target(None, target).with_style(style);
        Self {
            bar,
            quiet: !visible,
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
            Progress::Step { name, done, total } => {
                self.bar.set_length(*total);
                self.bar.set_position(*done);
                self.bar.set_message((*name).to_owned());
            }
            Progress::Watched(record) => self.watched(record),
            Progress::Beat => self.bar.tick(),
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

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&self, text: &str) {
        self.bar.println(text);
    }
}
