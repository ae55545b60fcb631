//! Full screen: plots of the past, reasons of throttling in words, and keys.

mod draw;
mod frame_queue;
mod glyphs;
mod history;
mod keys;
mod terminal;

use crate::terminal_caps::TerminalCaps;
use explain::monitor::{LowClock, Track, Watch, cores, gaps, low_clock, time_of_day, tracks};
use history::History;
use keys::{Key, KeyEvent};
use record::{ChannelId, Event, LoadSpan};
use std::time::{Duration, Instant};
use terminal::Terminal;

pub(super) use terminal::is_large;

/// Maximum delay until signals and keys are noticed.
const NAP: Duration = Duration::from_millis(200);
/// Samples per column of a plot.
const ZOOMS: [usize; 7] = [1, 2, 5, 10, 30, 60, 120];
/// Time for a frame from which a terminal counts as slow, such as a serial console.
const SLOW_FRAME: Duration = Duration::from_millis(20);
/// Pause between frames for a slow terminal, in multiples of [`SLOW_FRAME`].
const SLOW_PAUSE: u32 = 4;
/// Rows for which a clock must be low before it is shown: single low readings happen on boards that do not throttle.
const LOW_ROWS_MIN: u32 = 2;
/// Steps of the arrow keys in a replay.
const SEEK_MS: i64 = 30_000;

/// Command of the user.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Action {
    Nothing,
    Quit,
    /// Pauses or continues.
    Pause,
    /// Moves a replay by this time in ms.
    Seek(i64),
    /// Multiplies the speed of a replay.
    Faster(f64),
}

pub(crate) struct Screen {
    terminal: Terminal,
    state: State,
    /// Earliest time of the next frame, for slow terminals.
    draw_after: Instant,
    changed: bool,
}

/// Content of the screen, independent of the terminal.
#[derive(Debug, Default)]
struct State {
    look: TerminalCaps,
    board: String,
    tracks: Vec<DisplayedRow>,
    cores: Vec<DisplayedRow>,
    /// True once a channel that reports throttling had a value.
    is_reported: bool,
    /// Reported reasons of throttling.
    throttled: Vec<String>,
    /// Clock that is low under load, and the number of rows since it is.
    low: Option<LowClock>,
    low_rows: u32,
    /// 1 for rows with throttling, 0 for others.
    throttling: History,
    throttled_rows: u64,
    rows: u64,
    time: String,
    load: String,
    interval_ms: u64,
    note: String,
    /// Steps of a run with their results.
    steps: Vec<String>,
    zoom: usize,
    paused: bool,
    /// Rows since the pause, which are kept and not shown.
    behind: usize,
    /// Source or target in words; the step of a run.
    file: String,
    replay: bool,
    /// True for a run, which continues when the user leaves the screen.
    is_run: bool,
}

/// A track with its past.
#[derive(Debug)]
struct DisplayedRow {
    track: Track,
    history: History,
    value: Option<f64>,
}

impl Screen {
    /// Takes over the terminal. `file` names the recording or replay.
    ///
    /// # Errors
    /// Standard output or input is not a terminal.
    pub(super) fn open(file: String, replay: bool) -> anyhow::Result<Self> {
        let terminal = Terminal::open()?;
        let state = State { look: TerminalCaps::of_this_terminal(), file, replay, ..State::default() };
        Ok(Self { terminal, state, draw_after: Instant::now(), changed: true })
    }

    /// Takes over the terminal for a run; Ctrl-C stays a signal.
    ///
    /// # Errors
    /// Standard output or input is not a terminal.
    pub(crate) fn open_for_run() -> anyhow::Result<Self> {
        let mut screen = Self::open(String::new(), false)?;
        screen.terminal.keep_signals()?;
        screen.state.is_run = true;
        Ok(screen)
    }

    /// Sets the current step in the first line.
    pub(crate) fn head(&mut self, text: &str) {
        text.clone_into(&mut self.state.file);
        self.changed = true;
    }

    /// Adds a row without drawing it.
    pub(crate) fn add(&mut self, watch: &Watch) {
        self.state.row(watch);
        self.changed = true;
    }

    pub(super) fn is_replay(&self) -> bool {
        self.state.replay
    }

    /// Begins a stream with another machine or other channels.
    pub(crate) fn begin(&mut self, watch: &Watch) {
        self.state.begin(watch);
        self.changed = true;
    }

    /// Adds a row and draws it.
    pub(super) fn row(&mut self, watch: &Watch) -> anyhow::Result<()> {
        self.add(watch);
        self.draw()
    }

    /// Lists a step of a run with its result.
    pub(crate) fn step_ended(&mut self, text: &str) {
        self.state.steps.push(text.to_owned());
        self.changed = true;
    }

    /// Shows a note about the monitor.
    pub(crate) fn note(&mut self, text: &str) {
        self.state.note = text.to_owned();
        self.changed = true;
    }

    /// Waits for a key for at most `time`.
    pub(crate) fn wait(&mut self, time: Duration) -> anyhow::Result<Action> {
        self.draw()?;
        let keys = match keys::wait(time.min(NAP)) {
            KeyEvent::Keys(keys) => keys,
            KeyEvent::Gone => return Ok(Action::Quit),
        };
        self.changed |= !keys.is_empty() || self.terminal.was_resized();
        let wishes: Vec<Action> = keys.into_iter().map(|key| self.state.key(key)).collect();
        // The last of several keys counts, but a request to quit is never lost.
        let go = wishes.contains(&Action::Quit).then_some(Action::Quit);
        Ok(go.or(wishes.last().copied()).unwrap_or(Action::Nothing))
    }

    /// Draws changes; slow terminals get fewer frames.
    fn draw(&mut self) -> anyhow::Result<()> {
        let begin = Instant::now();
        if !self.changed || begin < self.draw_after {
            return Ok(());
        }
        let is_drawn = self.terminal.draw(|frame| draw::draw(frame, &self.state))?;
        self.changed = !is_drawn;
        if !frame_queue::is_idle_within(SLOW_FRAME) || begin.elapsed() > SLOW_FRAME {
            self.draw_after = Instant::now() + SLOW_FRAME * SLOW_PAUSE;
        }
        Ok(())
    }
}

impl State {
    fn begin(&mut self, watch: &Watch) {
        let machine = &watch.record().machine;
        let name = machine.board.known().or(machine.soc.known());
        self.board = name.cloned().unwrap_or_else(|| "this machine".into());
        self.interval_ms = watch.record().samples.interval_ms;
        self.tracks.clear();
        self.cores.clear();
        self.throttling = History::default();
        (self.low, self.low_rows) = (None, 0);
        (self.rows, self.throttled_rows) = (0, 0);
    }

    fn row(&mut self, watch: &Watch) {
        for text in gaps(watch).into_iter().filter(|_| self.rows > 0) {
            self.note = text;
        }
        for event in watch.happened() {
            if let Event::Mark { mark } = event {
                self.note = format!("mark: {}", mark.text);
            }
        }
        let place = super::live::temperature(watch).map(|(place, _)| place);
        if self.rows == 0 {
            // The first row shows which sensors respond.
            let shown = |track| DisplayedRow { track, history: History::default(), value: None };
            self.tracks = tracks(watch, place).into_iter().map(shown).collect();
            self.cores = cores(watch).into_iter().map(shown).collect();
        }
        let all = self.tracks.iter().map(|shown| &shown.track);
        let low = low_clock(watch, all, place);
        self.low_rows = if low.is_some() { self.low_rows + 1 } else { 0 };
        let low = low.filter(|_| self.low_rows >= LOW_ROWS_MIN);
        let is_reported = !watch.throttled().is_empty();
        let is_throttled = is_reported || low.as_ref().is_some_and(|low| low.hot_millicelsius.is_some());
        self.is_reported |= is_reported || watch.observable().into_iter().any(facts::throttle::Reason::is_of_speed);
        self.throttling.push(Some(f64::from(u8::from(is_throttled))));
        self.throttled_rows += u64::from(is_throttled);
        self.rows += 1;
        for shown in self.tracks.iter_mut().chain(&mut self.cores) {
            let value = shown.track.value(watch);
            shown.history.push(value);
            if !self.paused {
                shown.value = value;
            }
        }
        if self.paused {
            self.behind += 1;
            return;
        }
        self.behind = 0;
        self.low = low;
        self.throttled = watch.throttled().iter().map(|throttle| throttle.reason.words().to_owned()).collect();
        self.time = time_of_day(watch.record(), watch.at_ms());
        let load = watch.channels().iter().position(|channel| channel.id == ChannelId::Load(LoadSpan::One));
        let load = load.and_then(|place| watch.value(place));
        self.load = load.map_or("-".into(), |h| format!("{:.2}", h as f64 / 100.0));
    }

    fn key(&mut self, key: Key) -> Action {
        match key {
            Key::Char('q') | Key::Escape | Key::Interrupt => return Action::Quit,
            Key::Char('p' | ' ') => {
                self.paused = !self.paused;
                return Action::Pause;
            }
            Key::Char('-' | 'z') => self.zoom = (self.zoom + 1).min(ZOOMS.len() - 1),
            Key::Char('+' | '=' | 'Z') => self.zoom = self.zoom.saturating_sub(1),
            Key::Left if self.replay => return Action::Seek(-SEEK_MS),
            Key::Right if self.replay => return Action::Seek(SEEK_MS),
            Key::Char(']') if self.replay => return Action::Faster(2.0),
            Key::Char('[') if self.replay => return Action::Faster(0.5),
            _ => {}
        }
        Action::Nothing
    }

    fn samples_per_column(&self) -> usize {
        ZOOMS[self.zoom]
    }
}

#[cfg(test)]
mod tests;
