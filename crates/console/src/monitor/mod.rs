//! `sbc-bench -m`, `sbc-bench monitor`: watches the machine or replays a file until interrupted. A source gives one stream of
//! samples; views only read it.

mod args;
mod export;
mod jsonl;
mod lines;
mod live;
mod recorder;
mod recording;
mod replay;
mod rows;
pub mod running;
pub(crate) mod tui;
mod web;

use crate::{output, signals, status};
use args::View as Kind;
pub use args::{JsonlRows, MonitorArgs, Replay, View};
use explain::monitor::Watch;
pub(crate) use live::soc_temperature;
use machine::Root;
use recorder::Recorder;
use rows::RowPrinter;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tui::{Action, Screen};

/// Default interval of lines.
const LINES_INTERVAL: Duration = Duration::from_secs(5);
/// Default interval of views with plots, and of a power meter for another machine.
const SHORT_INTERVAL: Duration = Duration::from_secs(1);

trait Source {
    /// Advances to the next event.
    fn poll(&mut self, watch: &mut Watch) -> anyhow::Result<Poll>;
    /// Sets work to do after each row, where rows come from a thread.
    fn after_rows(&mut self, _work: Box<dyn FnMut() + Send>) {}
    /// Hands final events to the watch.
    fn end(&mut self, _watch: &mut Watch) {}
    /// Moves a replay to this time.
    fn seek(&mut self, _at_ms: i64) -> anyhow::Result<()> {
        Ok(())
    }
    /// Multiplies the speed of a replay.
    fn faster(&mut self, _factor: f64) {}
}

/// State of a source.
#[derive(Debug)]
enum Poll {
    /// A stream with another machine or other channels begins.
    Begin(Box<Watch>),
    /// A row was added to the watch.
    Row,
    /// No data yet; poll again after this delay.
    Wait(Duration),
    End,
}

/// Result of a step.
enum Step {
    /// Continue at once.
    Now,
    /// Continue after this delay.
    After(Duration),
    End,
}

/// A view of the samples.
trait Viewer {
    /// A stream with another machine or other channels begins.
    fn begin(&mut self, watch: &Watch) -> anyhow::Result<()>;
    /// Shows a row. False if the reader is gone.
    fn row(&mut self, watch: &Watch) -> anyhow::Result<bool>;
    /// Moves notes about the view since the last call to `_notes`.
    fn take_notes(&mut self, _notes: &mut Vec<String>) {}
    /// Shows what follows the last row.
    fn end(&mut self, _watch: &Watch) -> anyhow::Result<()> {
        Ok(())
    }
}

/// A source with its recording and views.
struct Monitor {
    source: Box<dyn Source + Send>,
    recording: Option<Recorder>,
    views: Vec<Box<dyn Viewer + Send>>,
    screen: Option<Screen>,
    watch: Watch,
    /// Pending notes about the monitor.
    notes: Vec<String>,
    rows: u64,
    /// Number of rows after which it ends.
    count: Option<u64>,
    /// Result, where the sampling thread ended the monitor.
    ended: Option<anyhow::Result<()>>,
    /// The user paused a replay.
    paused: bool,
}

/// Watches until a signal, a key or the end of the source. Returns the exit status.
///
/// # Errors
/// The machine cannot be sampled, or an output cannot be opened.
pub fn run(root: &Root, args: &MonitorArgs) -> anyhow::Result<u8> {
    let cancelled = signals::watch()?;
    let monitor = Arc::new(Mutex::new(Monitor::open(root, args)?));
    if lock(&monitor).screen.is_none() {
        show_on_sampler(&monitor);
    }
    let outcome = loop {
        if cancelled.load(Ordering::Relaxed) != 0 {
            break Ok(());
        }
        let step = lock(&monitor).step();
        match step {
            Ok(Step::Now) => {}
            Ok(Step::After(time)) => signals::wait(time),
            Ok(Step::End) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    lock(&monitor).end(outcome, cancelled.load(Ordering::Relaxed))
}

/// Lets the sampling thread show its rows, because waking another thread would double the cost of a row. The calling thread
/// wakes for the first row, at the end, and for slow readers, which must not delay samples.
fn show_on_sampler(monitor: &Arc<Mutex<Monitor>>) {
    let (shown, caller) = (Arc::downgrade(monitor), std::thread::current());
    lock(monitor).source.after_rows(Box::new(move || {
        let monitor = shown.upgrade();
        let is_shown = monitor.is_some_and(|monitor| monitor.try_lock().is_ok_and(|mut monitor| monitor.show_row()));
        if !is_shown {
            caller.unpark();
        }
    }));
}

fn lock(monitor: &Mutex<Monitor>) -> MutexGuard<'_, Monitor> {
    monitor.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Monitor {
    /// Reports impossible options before any output.
    fn open(root: &Root, args: &MonitorArgs) -> anyhow::Result<Self> {
        let term = std::env::var("TERM").ok();
        let kind = args.view.unwrap_or_else(|| if tui::is_large(term.as_deref()) { Kind::Screen } else { Kind::Lines });
        let on_screen = kind == Kind::Screen;
        let passes_on_meters = args.prometheus.is_some() && !args.meters.is_empty();
        let is_short = on_screen || args.web.is_some() || passes_on_meters;
        let interval = args.interval.unwrap_or(if is_short { SHORT_INTERVAL } else { LINES_INTERVAL });
        let recording = args.record.as_deref().map(Recorder::open).transpose()?;
        let mut views = views(args, kind)?;
        let mut notes = Vec::new();
        views.iter_mut().for_each(|view| view.take_notes(&mut notes));
        let source: Box<dyn Source + Send> = match &args.replay {
            Some(replay) => Box::new(replay::Source::open(replay)?),
            None => {
                let has_only_lines = kind == Kind::Lines && !has_other_readers(args);
                Box::new(live::Source::start(root, interval, args, has_only_lines)?)
            }
        };
        let file = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
        let file = match (&args.record, &args.replay) {
            (Some(path), _) => format!("recording {}", file(path)),
            (_, Some(replay)) => format!("replay of {}", file(&replay.file)),
            _ => String::new(),
        };
        let screen = on_screen.then(|| Screen::open(file, args.replay.is_some()));
        let mut monitor = Self {
            source,
            recording,
            views,
            screen: screen.transpose()?,
            watch: Watch::new(record::nothing_known()),
            notes: Vec::new(),
            rows: 0,
            count: args.count,
            ended: None,
            paused: false,
        };
        notes.iter().for_each(|note| monitor.note(note));
        Ok(monitor)
    }

    /// Handles the next event of the source.
    fn step(&mut self) -> anyhow::Result<Step> {
        if let Some(ended) = self.ended.take() {
            return ended.map(|()| Step::End);
        }
        if self.paused {
            return self.wait(Duration::MAX);
        }
        match self.source.poll(&mut self.watch)? {
            Poll::Begin(watch) => self.begin(*watch).map(|()| Step::Now),
            Poll::Row => {
                let goes_on = self.row()? && self.count != Some(self.rows);
                Ok(if goes_on { Step::Now } else { Step::End })
            }
            Poll::Wait(time) => self.wait(time),
            Poll::End if self.screen.is_some() => {
                self.note("End of recording. ← to go back");
                self.wait(Duration::MAX)
            }
            Poll::End => Ok(Step::End),
        }
    }

    /// Shows a row from the sampling thread, unless the reader is slow. False if the main thread has to continue.
    fn show_row(&mut self) -> bool {
        if self.rows == 0 || self.ended.is_some() || !output::has_room_for_line() {
            return false;
        }
        match self.step() {
            Ok(Step::End) => self.ended = Some(Ok(())),
            Ok(_) => {}
            Err(error) => self.ended = Some(Err(error)),
        }
        self.ended.is_none()
    }

    fn begin(&mut self, watch: Watch) -> anyhow::Result<()> {
        self.watch = watch;
        if let Some(recording) = &mut self.recording {
            recording.begin(&self.watch);
        }
        for view in &mut self.views {
            view.begin(&self.watch)?;
        }
        if let Some(screen) = &mut self.screen {
            screen.begin(&self.watch);
        }
        Ok(())
    }

    fn row(&mut self) -> anyhow::Result<bool> {
        self.rows += 1;
        if let Some(recording) = &mut self.recording {
            recording.row(&mut self.watch);
            self.notes.append(&mut recording.take_notes());
        }
        let mut looked_at = true;
        for view in &mut self.views {
            looked_at &= view.row(&self.watch)?;
            view.take_notes(&mut self.notes);
        }
        if !self.notes.is_empty() {
            let notes = std::mem::take(&mut self.notes);
            notes.iter().for_each(|note| self.note(note));
        }
        if let Some(screen) = &mut self.screen {
            screen.row(&self.watch)?;
        }
        self.watch.discard_events();
        Ok(looked_at)
    }

    /// Shows a note outside of the views.
    fn note(&mut self, text: &str) {
        match &mut self.screen {
            Some(screen) => screen.note(text),
            None => output::note(text),
        }
    }

    /// Waits for keys for at most `time`; without a screen the caller waits.
    fn wait(&mut self, time: Duration) -> anyhow::Result<Step> {
        let Some(screen) = &mut self.screen else { return Ok(Step::After(time)) };
        match screen.wait(time)? {
            Action::Nothing => {}
            Action::Quit => return Ok(Step::End),
            // Only a replay stops; samples of a machine continue.
            Action::Pause => self.paused = !self.paused && screen.is_replay(),
            Action::Seek(ms) => self.source.seek(self.watch.at_ms() + ms)?,
            Action::Faster(factor) => self.source.faster(factor),
        }
        Ok(Step::Now)
    }

    /// Ends source, recording and views. Returns the exit status: failure if the end of the recording was not written.
    fn end(&mut self, outcome: anyhow::Result<()>, signal: i32) -> anyhow::Result<u8> {
        // Notes below go to the terminal.
        self.screen = None;
        self.source.end(&mut self.watch);
        outcome?;
        let mut ended = 0;
        if let Some(recording) = &mut self.recording {
            let is_written = recording.end(&self.watch, signal);
            ended = if is_written { 0 } else { status::FAILURE };
            let notes = recording.take_notes();
            notes.iter().for_each(|note| self.note(note));
        }
        for view in &mut self.views {
            view.end(&self.watch)?;
        }
        Ok(ended)
    }
}

/// True if rows have readers besides standard output.
fn has_other_readers(args: &MonitorArgs) -> bool {
    let serves = args.prometheus.is_some() || args.web.is_some();
    args.record.is_some() || serves || args.textfile.is_some()
}

/// Opens the views.
fn views(args: &MonitorArgs, kind: Kind) -> anyhow::Result<Vec<Box<dyn Viewer + Send>>> {
    let mut views: Vec<Box<dyn Viewer + Send>> = Vec::new();
    if let Some(address) = args.prometheus {
        views.push(Box::new(export::Prometheus::start(address)?));
    }
    if let Some(address) = args.web {
        views.push(Box::new(web::Web::start(address)?));
    }
    if let Some(path) = &args.textfile {
        views.push(Box::new(export::Textfile::new(path, args.count.is_some())));
    }
    let on_terminal = std::io::stdout().is_terminal();
    let rows = RowPrinter::new(has_other_readers(args) && args.replay.is_none());
    match kind {
        Kind::Lines => views.push(Box::new(lines::Lines::new(on_terminal, rows))),
        Kind::Jsonl(holds) => views.push(Box::new(jsonl::Jsonl { holds, rows })),
        // The screen also has keys and is not in this list.
        Kind::Screen | Kind::Nothing => {}
    }
    Ok(views)
}
