//! A run on the monitor's screen, with its step and the time left. The thread of the run draws it between steps and while a
//! program runs that is not timed in this process.

use crate::monitor::tui::{Action, Screen};
use crate::progress::Picture;
use crate::run_watch::{Change, RunWatch};
use record::Record;
use std::time::Duration;

/// Screen of a run.
pub struct RunScreen {
    screen: Screen,
    watch: RunWatch,
}

impl RunScreen {
    /// Takes over the terminal.
    ///
    /// # Errors
    /// Standard output or input is not a terminal.
    pub fn open() -> anyhow::Result<Self> {
        Ok(Self { screen: Screen::open_for_run()?, watch: RunWatch::default() })
    }

    /// Draws changes and reads keys. False if the user leaves the screen, or it cannot be written to.
    fn draw(&mut self) -> bool {
        matches!(self.screen.wait(Duration::ZERO), Ok(wish) if wish != Action::Quit)
    }
}

impl Picture for RunScreen {
    fn sampled(&mut self, record: &Record) -> bool {
        let screen = &mut self.screen;
        self.watch.update(record, |change| match change {
            Change::Begin(watch) => screen.begin(watch),
            Change::Row(watch) => screen.add(watch),
        });
        self.draw()
    }

    fn head(&mut self, text: &str) -> bool {
        self.screen.head(text);
        self.draw()
    }

    fn note(&mut self, text: &str) {
        self.screen.note(text);
    }

    fn step_ended(&mut self, text: &str) {
        self.screen.step_ended(text);
    }
}
