//! The machine as a source for a screen: the sampler works on a thread of its own, so that no sample
//! is late because a terminal is slow.

use super::Poll;
use super::live::{self, Begun, Zone};
use bench::meters::Meter;
use explain::monitor::Watch;
use machine::{Root, SamplerOptions, SamplerThread, Timeline};
use record::{Event, Record};
use std::collections::VecDeque;
use std::time::Duration;

/// Rows that wait for a terminal: ten minutes at one per second.
const ROWS: usize = 600;
/// How long after its time a sample is looked for.
const GRACE: Duration = Duration::from_millis(5);

/// Samples of this machine.
pub(super) struct Source {
    timeline: Timeline,
    zone: Zone,
    thread: Option<SamplerThread>,
    begin: Option<Record>,
    interval: Duration,
    /// What was fetched and not yet shown.
    waiting: VecDeque<Item>,
    /// When the next sample is expected.
    due_ns: u64,
    /// They poll as long as they live.
    _meters: Vec<Meter>,
}

enum Item {
    Row(i64, Vec<Option<i64>>),
    Event(Box<Event>),
}

impl Source {
    /// Starts to sample at once.
    ///
    /// # Errors
    /// The kernel refuses another thread, or a meter is none.
    pub(super) fn start(
        root: &Root,
        interval: Duration,
        meters: &[String],
    ) -> anyhow::Result<Self> {
        let options = SamplerOptions {
            interval,
            rows: ROWS,
            ..SamplerOptions::default()
        };
        let Begun {
            timeline,
            sampler,
            record,
            meters,
        } = live::begin(root, options, meters)?;
        let thread = SamplerThread::start(sampler, &timeline)?;
        Ok(Self {
            timeline,
            zone: Zone::default(),
            thread: Some(thread),
            begin: Some(record),
            interval,
            waiting: VecDeque::new(),
            due_ns: 0,
            _meters: meters,
        })
    }

    fn fetch(&mut self, events: Vec<Event>) {
        for event in events {
            match event {
                Event::Channels { .. } => {}
                Event::Samples { at_ms, columns } => {
                    for (row, at_ms) in at_ms.into_iter().enumerate() {
                        let value = |column: &Vec<Option<i64>>| column.get(row).copied().flatten();
                        let values = columns.iter().map(value).collect();
                        self.waiting.push_back(Item::Row(at_ms, values));
                    }
                }
                event => self.waiting.push_back(Item::Event(Box::new(event))),
            }
        }
    }
}

impl super::Source for Source {
    fn poll(&mut self, watch: &mut Watch) -> anyhow::Result<Poll> {
        if let Some(record) = self.begin.take() {
            return Ok(Poll::Begin(Box::new(Watch::new(record))));
        }
        let now_ns = self.timeline.now_ns();
        if self.waiting.is_empty() && now_ns >= self.due_ns {
            let events = self.thread.as_mut().map(SamplerThread::drain);
            self.fetch(events.unwrap_or_default());
        }
        self.zone.follow(&self.timeline, watch);
        while let Some(item) = self.waiting.pop_front() {
            match item {
                Item::Event(event) => watch.event(*event),
                Item::Row(at_ms, values) => {
                    watch.row(at_ms, values);
                    let next = Duration::from_millis(at_ms as u64) + self.interval + GRACE;
                    self.due_ns = next.as_nanos() as u64;
                    return Ok(Poll::Row);
                }
            }
        }
        let wait = Duration::from_nanos(self.due_ns.saturating_sub(now_ns));
        Ok(Poll::Wait(wait.max(GRACE)))
    }

    fn end(&mut self, watch: &mut Watch) {
        let events = self.thread.take().map(SamplerThread::stop);
        for event in events.unwrap_or_default() {
            if let Event::SamplerCost { .. } = event {
                watch.event(event);
            }
        }
    }
}
