//! `sbc-bench -m`, `sbc-bench monitor`: watches the machine, or shows what was watched before, until
//! interrupted. One stream of samples comes from a source; every view only reads it.

mod export;
mod jsonl;
mod lines;
mod live;
mod recording;
mod replay;
pub(crate) mod running;

pub(crate) use replay::read_recording;

use crate::args::{MonitorArgs, View as Kind};
use crate::signals;
use explain::monitor::Watch;
use machine::Root;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The classic interval of lines.
const LINES_INTERVAL: Duration = Duration::from_secs(5);

/// Where samples come from.
trait Source {
    /// Goes on to the next thing that happens.
    fn poll(&mut self, watch: &mut Watch) -> anyhow::Result<Poll>;
    /// Tells the watch what is known at the end.
    fn end(&mut self, _watch: &mut Watch) {}
}

/// What a source has.
#[derive(Debug)]
enum Poll {
    /// Another run begins: with another machine, or other channels.
    Begin(Watch),
    /// A row was added to the watch.
    Row,
    /// Nothing yet; something comes after so long.
    Wait(Duration),
    /// No more.
    End,
}

/// One way to look at the samples.
trait View {
    /// Another run begins.
    fn begin(&mut self, watch: &Watch) -> anyhow::Result<()>;
    /// A row was added. False if nobody looks any more.
    fn row(&mut self, watch: &Watch) -> anyhow::Result<bool>;
    /// No more rows come.
    fn end(&mut self, _watch: &Watch) -> anyhow::Result<()> {
        Ok(())
    }
}

pub(crate) fn run(root: &Root, args: &MonitorArgs) -> anyhow::Result<u8> {
    let cancelled = signals::watch()?;
    let interval = args.interval.unwrap_or(LINES_INTERVAL);
    let mut source: Box<dyn Source> = match &args.replay {
        Some(replay) => Box::new(replay::Source::open(replay)?),
        None => Box::new(live::Source::start(root, interval, &args.meters)?),
    };
    let mut recording = match &args.record {
        Some(path) => Some(recording::Recording::open(path)?),
        None => None,
    };
    let mut views = views(args)?;
    let mut watch = Watch::new(replay::nothing_known());
    let mut rows = 0;
    while cancelled.load(Ordering::Relaxed) == 0 {
        match source.poll(&mut watch)? {
            Poll::Begin(new) => {
                watch = new;
                if let Some(recording) = &mut recording {
                    recording.begin(&watch);
                }
                for view in &mut views {
                    view.begin(&watch)?;
                }
            }
            Poll::Row => {
                if let Some(recording) = &mut recording {
                    recording.row(&mut watch);
                }
                let mut looked_at = true;
                for view in &mut views {
                    looked_at &= view.row(&watch)?;
                }
                watch.seen();
                rows += 1;
                if !looked_at || args.count == Some(rows) {
                    break;
                }
            }
            // A signal ends the wait.
            Poll::Wait(time) => std::thread::park_timeout(time),
            Poll::End => break,
        }
    }
    source.end(&mut watch);
    if let Some(recording) = &mut recording {
        recording.end(&watch, cancelled.load(Ordering::Relaxed));
    }
    for view in &mut views {
        view.end(&watch)?;
    }
    Ok(0)
}

/// Those that are asked for; what cannot work is told before anything is shown.
fn views(args: &MonitorArgs) -> anyhow::Result<Vec<Box<dyn View>>> {
    let mut views: Vec<Box<dyn View>> = Vec::new();
    if let Some(address) = args.prometheus {
        views.push(Box::new(export::Prometheus::start(address)?));
    }
    if let Some(path) = &args.textfile {
        views.push(Box::new(export::Textfile::new(path)));
    }
    let on_terminal = std::io::stdout().is_terminal();
    match args.view.unwrap_or(Kind::Lines) {
        Kind::Lines | Kind::Screen => views.push(Box::new(lines::Lines::new(on_terminal))),
        Kind::Jsonl => views.push(Box::new(jsonl::Jsonl)),
        Kind::Nothing => {}
    }
    Ok(views)
}
