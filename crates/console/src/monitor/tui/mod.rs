//! The whole screen: plots of what happened, why CPUs are held back in words, and keys.

mod draw;
mod glyphs;
mod history;
mod keys;
mod outlet;
mod terminal;

use crate::look::Look;
use crate::output;
use explain::monitor::{Track, Watch, cores, gaps, tracks};
use history::History;
use keys::{Key, KeyEvent};
use record::{ChannelId, Event, LoadSpan};
use std::time::{Duration, Instant};
use terminal::Terminal;

pub(super) use terminal::is_large;

/// Signals and keys are noticed after so long.
const NAP: Duration = Duration::from_millis(200);
/// Samples that one column of the plots stands for.
const ZOOMS: [usize; 7] = [1, 2, 5, 10, 30, 60, 120];
/// A terminal that needs so long for a frame is a slow one, such as a serial console.
const SLOW_FRAME: Duration = Duration::from_millis(20);
/// It is left alone for so many times as long, and until it has shown the last frame.
const SLOW_PAUSE: u32 = 4;
/// Steps of the arrow keys in a replay.
const SEEK_MS: i64 = 30_000;

/// Command of the user.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Action {
    /// No command.
    Nothing,
    /// To go.
    Quit,
    /// To stand still, or to go on.
    Pause,
    /// To go to another moment of a replay.
    Seek(i64),
    /// To replay so many times faster.
    Faster(f64),
}

/// The screen.
pub(crate) struct Screen {
    terminal: Terminal,
    state: State,
    /// Not before this moment, for slow terminals.
    draw_after: Instant,
    changed: bool,
}

/// Content of the screen, independent of the terminal.
#[derive(Debug, Default)]
struct State {
    look: Look,
    board: String,
    tracks: Vec<DisplayedRow>,
    cores: Vec<DisplayedRow>,
    /// True once something has been read that would show lower clocks.
    can_tell: bool,
    /// Why CPUs are held back now.
    throttled: Vec<String>,
    /// Whether they were, over time.
    held_back: History,
    throttled_rows: u64,
    rows: u64,
    time: String,
    load: String,
    interval_ms: u64,
    note: String,
    zoom: usize,
    paused: bool,
    /// Rows that came while it was paused: they are kept, and not shown.
    behind: usize,
    /// Source or target in words.
    file: String,
    replay: bool,
    /// A run is shown, which goes on when the screen is left.
    is_run: bool,
}

/// A track with what it showed so far.
#[derive(Debug)]
struct DisplayedRow {
    track: Track,
    history: History,
    value: Option<f64>,
}

impl Screen {
    /// Takes over the terminal; `file` says what is recorded or replayed.
    ///
    /// # Errors
    /// Standard output or input is no terminal.
    pub(super) fn open(file: String, replay: bool) -> anyhow::Result<Self> {
        let terminal = Terminal::open()?;
        let state = State { look: Look::of_this_terminal(), file, replay, ..State::default() };
        Ok(Self { terminal, state, draw_after: Instant::now(), changed: true })
    }

    /// Takes over the terminal for a run: Ctrl-C stays a signal.
    ///
    /// # Errors
    /// Standard output or input is no terminal.
    pub(crate) fn open_for_run() -> anyhow::Result<Self> {
        let mut screen = Self::open(String::new(), false)?;
        screen.terminal.keep_signals()?;
        screen.state.is_run = true;
        Ok(screen)
    }

    /// Current action, in the first line.
    pub(crate) fn head(&mut self, text: &str) {
        text.clone_into(&mut self.state.file);
        self.changed = true;
    }

    /// A row was added; it is drawn later.
    pub(crate) fn add(&mut self, watch: &Watch) {
        self.state.row(watch);
        self.changed = true;
    }

    /// True if what is shown is the past.
    pub(super) fn is_replay(&self) -> bool {
        self.state.replay
    }

    /// Another run begins.
    pub(crate) fn begin(&mut self, watch: &Watch) {
        self.state.begin(watch);
        self.changed = true;
    }

    /// A row was added.
    pub(super) fn row(&mut self, watch: &Watch) -> anyhow::Result<()> {
        self.state.row(watch);
        self.changed = true;
        self.draw()
    }

    /// Says something about the monitor itself.
    pub(crate) fn note(&mut self, text: &str) {
        self.state.note = text.to_owned();
        self.changed = true;
    }

    /// Waits, but not longer than `time`, for a key.
    pub(crate) fn wait(&mut self, time: Duration) -> anyhow::Result<Action> {
        self.draw()?;
        let keys = match keys::wait(time.min(NAP)) {
            KeyEvent::Keys(keys) => keys,
            KeyEvent::Gone => return Ok(Action::Quit),
        };
        self.changed |= !keys.is_empty() || self.terminal.was_resized();
        let wishes: Vec<Action> = keys.into_iter().map(|key| self.state.key(key)).collect();
        // Of keys typed ahead the last one counts; a request to quit is never lost.
        let go = wishes.contains(&Action::Quit).then_some(Action::Quit);
        Ok(go.or(wishes.last().copied()).unwrap_or(Action::Nothing))
    }

    /// Only what has changed goes over the line, and a slow line gets few frames.
    fn draw(&mut self) -> anyhow::Result<()> {
        let begin = Instant::now();
        if !self.changed || begin < self.draw_after {
            return Ok(());
        }
        let is_drawn = self.terminal.draw(|frame| draw::draw(frame, &self.state))?;
        self.changed = !is_drawn;
        if !outlet::is_idle_within(SLOW_FRAME) || begin.elapsed() > SLOW_FRAME {
            // A frame takes longer than it is waited for.
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
        self.held_back = History::default();
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
        if self.rows == 0 {
            // Chosen with the first row: before it, nobody knows which sensors answer.
            let place = super::live::temperature(watch).map(|(place, _)| place);
            let shown = |track| DisplayedRow { track, history: History::default(), value: None };
            self.tracks = tracks(watch, place).into_iter().map(shown).collect();
            self.cores = cores(watch).into_iter().map(shown).collect();
        }
        let held_back = !watch.throttled().is_empty();
        self.can_tell |= held_back || watch.observable().into_iter().any(facts::throttle::Reason::is_of_speed);
        self.held_back.push(Some(f64::from(u8::from(held_back))));
        self.throttled_rows += u64::from(held_back);
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
        let words =
            |throttle: &facts::throttle::Throttle| format!("{} ({})", throttle.reason.words(), throttle.channel);
        self.throttled = watch.throttled().iter().map(words).collect();
        self.time = output::time_of_day(watch.record(), watch.at_ms());
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

    /// Samples that one column stands for.
    fn samples_per_column(&self) -> usize {
        ZOOMS[self.zoom]
    }
}

#[cfg(test)]
mod tests;
