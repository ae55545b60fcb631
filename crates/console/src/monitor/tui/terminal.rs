//! Takes over the terminal and gives it back: at the end, when something panics, and when a signal
//! comes, since those end the loop and drop this.

use super::outlet::{self, FrameQueue};
use crate::{look, signals};
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

/// A terminal of this size shows plots that are worth it.
const LARGE: (u16, u16) = (100, 24);
/// A terminal that has not read the last frame after so long does not read any more.
const LAST_PATIENCE: Duration = Duration::from_millis(600);

/// The terminal, taken over.
pub(super) struct Terminal {
    /// Never dropped: its own end prints when the terminal is gone, which would be a panic.
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
        // The message of a panic must not go to the alternate screen.
        let say = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            say(panic);
        }));
        let mut frames = FrameQueue::start()?;
        execute!(frames, EnterAlternateScreen, cursor::Hide)?;
        let backend = CrosstermBackend::new(frames);
        // By default it draws into the size that the terminal reports, which may be zero.
        let area = area();
        let options = TerminalOptions { viewport: Viewport::Fixed(area) };
        let inner = ManuallyDrop::new(ratatui::Terminal::with_options(backend, options)?);
        Ok(Self { inner, area })
    }

    /// Ctrl-C stays a signal, for those who do not always listen to keys.
    pub(super) fn keep_signals(&self) -> anyhow::Result<()> {
        let input = std::io::stdin();
        let mut modes = tcgetattr(&input).context("Cannot read the mode of the terminal")?;
        modes.local_modes.insert(LocalModes::ISIG);
        // A shell could do nothing with a terminal in this state (0 is no key).
        modes.special_codes[SpecialCodeIndex::VSUSP] = 0;
        tcsetattr(&input, OptionalActions::Now, &modes).context("Cannot set the mode of the terminal")
    }

    /// True if it has another size than what was drawn.
    pub(super) fn was_resized(&self) -> bool {
        self.area != area()
    }

    /// Draws what has changed. False where the terminal has not read the last frame yet (a slow or a dead
    /// connection), which the next one makes up for.
    pub(super) fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> anyhow::Result<bool> {
        if !outlet::is_idle_within(Duration::ZERO) {
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

/// All of the terminal.
fn area() -> Rect {
    let (width, height) = look::size(stdout());
    Rect { x: 0, y: 0, width, height }
}

/// True while the terminal is not as it was.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// For an end that drops nothing: the terminal as it was, if it was taken over.
fn give_back_terminal() {
    if IS_TAKEN.load(Ordering::Relaxed) {
        give_back();
    }
    crate::stderr::hold(false);
}

/// As it was. A terminal that is gone cannot be given back, and nobody looks at it.
fn give_back() {
    // Behind half a frame, on a terminal that does not read, it would never be seen.
    if outlet::is_idle_within(LAST_PATIENCE)
        && let Ok(mut frames) = FrameQueue::start()
    {
        let _ = execute!(frames, LeaveAlternateScreen, cursor::Show);
        outlet::is_idle_within(LAST_PATIENCE);
    }
    let _ = disable_raw_mode();
    IS_TAKEN.store(false, Ordering::Relaxed);
}

/// True if standard output and input are a terminal that is large enough for plots.
pub(in super::super) fn is_large(term: Option<&str>) -> bool {
    let able = !matches!(term, None | Some("" | "dumb"));
    let both = stdout().is_terminal() && std::io::stdin().is_terminal();
    let (width, height) = look::size(stdout());
    able && both && width >= LARGE.0 && height >= LARGE.1
}
