//! A run on the monitor's screen, with its step and the time left. The thread of the run draws it between steps and while a
//! program runs that is not timed in this process.

use crate::monitor::tui::{Action, Screen};
use crate::progress::Picture;
use explain::monitor::Watch;
use record::Record;
use std::time::Duration;

/// Screen of a run.
pub struct RunScreen {
    screen: Screen,
    watch: Option<Watch>,
    rows: usize,
}

impl RunScreen {
    /// Takes over the terminal.
    ///
    /// # Errors
    /// Standard output or input is not a terminal.
    pub fn open() -> anyhow::Result<Self> {
        Ok(Self { screen: Screen::open_for_run()?, watch: None, rows: 0 })
    }

    /// Draws changes and reads keys. False if the user leaves the screen, or it cannot be written to.
    fn draw(&mut self) -> bool {
        matches!(self.screen.wait(Duration::ZERO), Ok(wish) if wish != Action::Quit)
    }
}

impl Picture for RunScreen {
    fn sampled(&mut self, record: &Record) -> bool {
        let channels = &record.samples.channels;
        // Another sampler has other channels.
        let watch = self.watch.take().filter(|watch| watch.channels().len() == channels.len());
        let mut watch = watch.unwrap_or_else(|| {
            self.rows = 0;
            let watch = Watch::new(record.clone());
            self.screen.begin(&watch);
            watch
        });
        for (row, at_ms) in record.samples.at_ms.iter().enumerate().skip(self.rows) {
            watch.row(*at_ms, channels.iter().map(|channel| channel.values.get(row).copied().flatten()));
            self.screen.add(&watch);
            watch.seen();
        }
        self.rows = record.samples.at_ms.len();
        self.watch = Some(watch);
        self.draw()
    }

    fn head(&mut self, text: &str) -> bool {
        self.screen.head(text);
        self.draw()
    }

    fn note(&mut self, text: &str) {
        self.screen.note(text);
    }
}
