//! Takes over the terminal and gives it back: at the end, after a panic, and after a signal, which ends the loop.

use super::frame_queue::{self, FrameQueue};
use crate::{signals, terminal_caps};
use anyhow::Context;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::crossterm::{cursor, execute};
use ratatui::layout::Rect;
use ratatui::{Frame, TerminalOptions, Viewport};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
use std::io::{IsTerminal, stdout};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Columns and rows from which the screen is the default view.
const LARGE: (u16, u16) = (80, 24);
/// Maximum wait for the terminal to read the last frame.
const LAST_PATIENCE: Duration = Duration::from_millis(600);

pub(super) struct Terminal {
    /// Never dropped: dropping prints, which panics if the terminal is gone.
    inner: ManuallyDrop<ratatui::Terminal<CrosstermBackend<FrameQueue>>>,
    /// Area of the last frame.
    area: Rect,
}

impl Terminal {
    pub(super) fn open() -> anyhow::Result<Self> {
        anyhow::ensure!(stdout().is_terminal() && std::io::stdin().is_terminal(), "--tui needs a terminal.");
        enable_raw_mode().context("Cannot switch the terminal to full-screen mode")?;
        IS_TAKEN.store(true, Ordering::Relaxed);
        signals::give_back_by(give_back_terminal);
        // Prints the message of a panic outside of the alternate screen.
        let say = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            say(panic);
        }));
        let mut frames = FrameQueue::start()?;
        execute!(frames, EnterAlternateScreen, cursor::Hide)?;
        let backend = CrosstermBackend::new(frames);
        // The size that the terminal reports may be zero.
        let area = area();
        let options = TerminalOptions { viewport: Viewport::Fixed(area) };
        let inner = ManuallyDrop::new(ratatui::Terminal::with_options(backend, options)?);
        Ok(Self { inner, area })
    }

    /// Keeps Ctrl-C a signal, for runs that do not read keys at all times.
    pub(super) fn keep_signals(&self) -> anyhow::Result<()> {
        let input = std::io::stdin();
        let mut modes = tcgetattr(&input).context("Cannot read the mode of the terminal")?;
        modes.local_modes.insert(LocalModes::ISIG);
        // Disables Ctrl-Z: a shell cannot use a terminal in this state.
        modes.special_codes[SpecialCodeIndex::VSUSP] = 0;
        tcsetattr(&input, OptionalActions::Now, &modes).context("Cannot set the mode of the terminal")
    }

    /// True if the size changed since the last frame.
    pub(super) fn was_resized(&self) -> bool {
        self.area != area()
    }

    /// Draws changes. False if the terminal has not read the last frame yet; the next frame then has all changes.
    pub(super) fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> anyhow::Result<bool> {
        if !frame_queue::is_idle_within(Duration::ZERO) {
            return Ok(false);
        }
        if self.was_resized() {
            self.area = area();
            self.inner.resize(self.area).context("Cannot write to the terminal")?;
        }
        let drawn = self.inner.draw(render).map(|_| true);
        drawn.context("Cannot write to the terminal")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

fn area() -> Rect {
    let (width, height) = terminal_caps::size(stdout());
    Rect { x: 0, y: 0, width, height }
}

/// True while the terminal is taken over.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Gives the terminal back, if it was taken over, at an exit that drops nothing.
fn give_back_terminal() {
    if IS_TAKEN.load(Ordering::Relaxed) {
        give_back();
    }
    crate::stderr::hold(false);
}

/// Restores the terminal, unless it does not read.
fn give_back() {
    if frame_queue::is_idle_within(LAST_PATIENCE)
        && let Ok(mut frames) = FrameQueue::start()
    {
        let _ = execute!(frames, LeaveAlternateScreen, cursor::Show);
        frame_queue::is_idle_within(LAST_PATIENCE);
    }
    let _ = disable_raw_mode();
    IS_TAKEN.store(false, Ordering::Relaxed);
}

/// True if standard output and input are a terminal that is large enough for plots.
pub(in super::super) fn is_large(term: Option<&str>) -> bool {
    let able = !matches!(term, None | Some("" | "dumb"));
    let both = stdout().is_terminal() && std::io::stdin().is_terminal();
    let (width, height) = terminal_caps::size(stdout());
    able && both && width >= LARGE.0 && height >= LARGE.1
}
