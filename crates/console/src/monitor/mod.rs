//! `sbc-bench -m`, `sbc-bench monitor`: watches the machine, or shows what was watched before, until
//! interrupted. One stream of samples comes from a source; every view only reads it.

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
use machine::Root;
use recorder::Recorder;
use rows::RowPrinter;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tui::{Action, Screen};

/// The classic interval of lines.
const LINES_INTERVAL: Duration = Duration::from_secs(5);
/// Plots want more.
const PLOT_INTERVAL: Duration = Duration::from_secs(1);

/// Source of samples.
trait Source {
    /// Goes on to the next thing that happens.
    fn poll(&mut self, watch: &mut Watch) -> anyhow::Result<Poll>;
    /// Tells the watch what is known at the end.
    fn end(&mut self, _watch: &mut Watch) {}
    /// Goes to another moment, where it can.
    fn seek(&mut self, _at_ms: i64) -> anyhow::Result<()> {
        Ok(())
    }
    /// Shows the past so many times faster than before.
    fn faster(&mut self, _factor: f64) {}
}

/// State of a source.
#[derive(Debug)]
enum Poll {
    /// Another run begins: with another machine, or other channels.
    Begin(Box<Watch>),
    /// A row was added to the watch.
    Row,
    /// No data yet; poll again after this delay.
    Wait(Duration),
    /// No more.
    End,
}

/// One way to look at the samples.
trait Viewer {
    /// Another run begins.
    fn begin(&mut self, watch: &Watch) -> anyhow::Result<()>;
    /// A row was added. False if nobody looks any more.
    fn row(&mut self, watch: &Watch) -> anyhow::Result<bool>;
    /// Notes about the view since the last call.
    fn take_notes(&mut self, _notes: &mut Vec<String>) {}
    /// No more rows come.
    fn end(&mut self, _watch: &Watch) -> anyhow::Result<()> {
        Ok(())
    }
}

/// Everything that looks at one stream.
struct Monitor {
    source: Box<dyn Source>,
    recording: Option<Recorder>,
    views: Vec<Box<dyn Viewer>>,
    screen: Option<Screen>,
    watch: Watch,
    /// Pending notes about the monitor.
    notes: Vec<String>,
    rows: u64,
    /// The source stands still, because the user paused a replay.
    paused: bool,
}

/// Watches until a signal, a key or the end of the source, and returns the exit status.
///
/// # Errors
/// The machine cannot be sampled, or an output that was asked for cannot be opened.
pub fn run(root: &Root, args: &MonitorArgs) -> anyhow::Result<u8> {
    let cancelled = signals::watch()?;
    let mut monitor = Monitor::open(root, args)?;
    while cancelled.load(Ordering::Relaxed) == 0 {
        let goes_on = if monitor.paused {
            monitor.wait(Duration::MAX)?
        } else {
            monitor.step()? && args.count != Some(monitor.rows)
        };
        if !goes_on {
            break;
        }
    }
    monitor.end(cancelled.load(Ordering::Relaxed))
}

impl Monitor {
    /// Reports impossible options before any output.
    fn open(root: &Root, args: &MonitorArgs) -> anyhow::Result<Self> {
        let term = std::env::var("TERM").ok();
        let kind = args.view.unwrap_or_else(|| if tui::is_large(term.as_deref()) { Kind::Screen } else { Kind::Lines });
        let on_screen = kind == Kind::Screen;
        let has_plots = on_screen || args.web.is_some();
        let usual = if has_plots { PLOT_INTERVAL } else { LINES_INTERVAL };
        let interval = args.interval.unwrap_or(usual);
        let recording = args.record.as_deref().map(Recorder::open).transpose()?;
        let mut views = views(args, kind)?;
        let mut notes = Vec::new();
        views.iter_mut().for_each(|view| view.take_notes(&mut notes));
        let source: Box<dyn Source> = match &args.replay {
            Some(replay) => Box::new(replay::Source::open(replay)?),
            None => Box::new(live::Source::start(root, interval, &args.meters)?),
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
            paused: false,
        };
        notes.iter().for_each(|note| monitor.note(note));
        Ok(monitor)
    }

    /// The next thing that happens. False if it is over.
    fn step(&mut self) -> anyhow::Result<bool> {
        match self.source.poll(&mut self.watch)? {
            Poll::Begin(watch) => self.begin(*watch).map(|()| true),
            Poll::Row => self.row(),
            Poll::Wait(time) => self.wait(time),
            Poll::End if self.screen.is_some() => {
                self.note("End of recording. ← to go back");
                self.wait(Duration::MAX)
            }
            Poll::End => Ok(false),
        }
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
        self.watch.seen();
        Ok(looked_at)
    }

    /// Says something about the monitor itself, where it disturbs no view.
    fn note(&mut self, text: &str) {
        match &mut self.screen {
            Some(screen) => screen.note(text),
            None => output::note(text),
        }
    }

    /// Waits, at most so long. Signals and keys end the wait. False if the user quits.
    fn wait(&mut self, time: Duration) -> anyhow::Result<bool> {
        let Some(screen) = &mut self.screen else {
            signals::wait(time);
            return Ok(true);
        };
        match screen.wait(time)? {
            Action::Nothing => {}
            Action::Quit => return Ok(false),
            // The machine does not stand still; only what is shown of it.
            Action::Pause => self.paused = !self.paused && screen.is_replay(),
            Action::Seek(ms) => self.source.seek(self.watch.at_ms() + ms)?,
            Action::Faster(factor) => self.source.faster(factor),
        }
        Ok(true)
    }

    /// The exit status: a recording whose end could not be written is a failure.
    fn end(mut self, signal: i32) -> anyhow::Result<u8> {
        // The terminal first: what follows may have something to say.
        self.screen = None;
        self.source.end(&mut self.watch);
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

/// Those that are asked for; what cannot work is told before anything is shown.
fn views(args: &MonitorArgs, kind: Kind) -> anyhow::Result<Vec<Box<dyn Viewer>>> {
    let mut views: Vec<Box<dyn Viewer>> = Vec::new();
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
    let serves = args.prometheus.is_some() || args.web.is_some();
    let others = args.record.is_some() || serves || args.textfile.is_some();
    let rows = RowPrinter::new(others && args.replay.is_none());
    match kind {
        Kind::Lines => views.push(Box::new(lines::Lines::new(on_terminal, rows))),
        Kind::Jsonl(holds) => views.push(Box::new(jsonl::Jsonl { holds, rows })),
        // The screen is looked after by itself: it also has keys.
        Kind::Screen | Kind::Nothing => {}
    }
    Ok(views)
}
