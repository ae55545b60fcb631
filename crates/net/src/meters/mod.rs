//! Power meters on the network: smart plugs and the meters of ODROID.
//!
//! Each meter is polled by a thread of its own, with every answer bounded in time, and its latest
//! values go to the sampler as a [`LatestValues`]. Energy that the meter itself adds up is preferred over
//! watts of a moment, and how long the meter took to answer is a channel too, so that nobody takes
//! an old value for a new one. Polling costs CPU time: for small boards a second machine is better.
//!
//! To add a kind: write `meters/x.rs` with a `pub(super) const KIND`, and add a line to [`KINDS`].

mod address;
mod channels;
pub mod foreign;
mod http;
mod netio;
mod shelly;
mod smartpower;
mod sockets;
mod tasmota;
#[cfg(test)]
mod testing;

pub use address::Address;

use address::Outputs;
use machine::{Failure, LatestValues};
use record::Channel;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A meter that does not answer within this time has not answered.
const ANSWER_MAX: Duration = Duration::from_secs(2);
/// Silence of a meter is told after this time.
const PATIENCE: Duration = Duration::from_secs(10);

/// A kind of meter.
#[derive(Debug)]
pub struct Kind {
    /// Its name before the colon of `--meter kind:host`.
    pub id: &'static str,
    /// Description in one sentence.
    pub about: &'static str,
    /// Documentation of its answers.
    pub document: &'static str,
    /// Time between two questions: what the meter itself can follow.
    poll: Duration,
    /// Makes the source of its answers. Asks nothing yet.
    open: fn(&Address) -> Result<Box<dyn Source>, String>,
}

/// Every kind of meter, in order of id.
pub const KINDS: &[Kind] =
    &[netio::KIND, netio::KIND_JSON, shelly::KIND, smartpower::KIND_2, smartpower::KIND_3, tasmota::KIND];

/// Something that gives answers.
trait Source: Send {
    /// Waits for the next answer, at most [`ANSWER_MAX`], and gives what it says of each output.
    fn read(&mut self) -> Result<Answer, Failure>;
}

/// Answer of a meter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Answer {
    /// Its name in its own words.
    name: String,
    /// The outputs, the first one first.
    outputs: Vec<Output>,
}

/// Values of one output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Output {
    /// Real power.
    milliwatts: Option<i64>,
    /// Energy since some moment.
    microjoules: Option<i64>,
    /// Voltage, RMS where it alternates.
    millivolts: Option<i64>,
    /// Current, RMS where it alternates.
    milliamperes: Option<i64>,
}

/// A meter that is polled. Dropping it ends the polling.
#[derive(Debug)]
pub struct Meter {
    feed: LatestValues,
    trouble: Option<String>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Meter {
    /// Asks a meter once, to know its outputs, and starts to poll it. A meter that does not answer
    /// is asked again and again; [`Meter::trouble`] tells. `number` tells meters apart, from 0.
    ///
    /// # Errors
    /// One sentence for people: there is no such kind of meter, or it has no such output.
    pub fn start(text: &str, number: usize) -> Result<Self, String> {
        let address = Address::parse(text)?;
        let kind = address.kind;
        let mut source = (kind.open)(&address)?;
        let begin = Instant::now();
        let first = source.read();
        let count = match &first {
            Ok(answer) => answer.outputs.len(),
            // As many as were asked for.
            Err(_) => address.outputs.least(),
        };
        let chosen = address.outputs.choose(count).ok_or_else(|| {
            let some = if count == 1 { "one output" } else { "outputs" };
            format!("Power meter {text} has {some} numbered 1 to {count}.")
        })?;
        let name = first.as_ref().map_or("", |answer| &answer.name);
        let channels = channels::channels(number, kind, name, &address.outputs, count);
        let feed = LatestValues::new(address.shown.clone(), channels, PATIENCE);
        let trouble = first.as_ref().err().map(|failure| {
            let missing = failure.missing(text);
            format!("The power meter does not respond ({missing}). Check its address and that its API is enabled.")
        });
        let mut poll = Poll { source, chosen, feed: feed.clone() };
        poll.put(first, begin);
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, interval) = (Arc::clone(&stop), kind.poll);
        let work = move || poll.work(interval, &stopped);
        let thread = std::thread::Builder::new().name("meter".into()).spawn(work);
        let thread = thread.map_err(|error| format!("Cannot create a thread for power meter {text}: {error}."))?;
        Ok(Self { feed, trouble, stop, thread: Some(thread) })
    }

    /// Why it did not answer at the start, as a sentence for people.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// Its values, for the sampler.
    pub fn feed(&self) -> LatestValues {
        self.feed.clone()
    }

    /// Its channels, without values.
    pub fn channels(&self) -> &[Channel] {
        self.feed.channels()
    }
}

impl Drop for Meter {
    /// The thread ends by itself; it is not waited for, since an answer may take its time.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
        }
    }
}

/// Starts every meter that was asked for, and tells in one sentence what is wrong with one.
pub fn start(texts: &[String], mut tell: impl FnMut(String)) -> Vec<Meter> {
    let mut meters = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        match Meter::start(text, number) {
            Ok(meter) => {
                if let Some(trouble) = meter.trouble() {
                    tell(trouble.to_owned());
                }
                meters.push(meter);
            }
            Err(sentence) => tell(sentence),
        }
    }
    meters
}

/// The polling of one meter.
struct Poll {
    source: Box<dyn Source>,
    /// Places of the outputs that were asked for.
    chosen: std::ops::Range<usize>,
    feed: LatestValues,
}

impl Poll {
    fn work(&mut self, interval: Duration, stop: &AtomicBool) {
        let mut due = Instant::now() + interval;
        while !stop.load(Ordering::Relaxed) {
            let now = Instant::now();
            if now < due {
                std::thread::park_timeout(due - now);
                continue;
            }
            let begin = Instant::now();
            let answer = self.source.read();
            self.put(answer, begin);
            // Questions that were missed are not made up for.
            due = (due + interval).max(Instant::now());
        }
    }

    fn put(&self, answer: Result<Answer, Failure>, begin: Instant) {
        let elapsed = begin.elapsed();
        let values = answer.map(|answer| {
            let outputs = answer.outputs.get(self.chosen.clone()).unwrap_or_default();
            channels::values(outputs, elapsed)
        });
        let outcome = values.as_deref().map_err(|failure| *failure);
        self.feed.put(outcome, elapsed.as_nanos() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_order_and_complete() {
        assert!(KINDS.is_sorted_by(|a, b| a.id < b.id));
        for kind in KINDS {
            assert!(kind.about.ends_with('.'), "{}", kind.id);
            assert!(kind.document.starts_with("https://"), "{}", kind.id);
        }
    }

    #[test]
    fn invalid_meter_error() {
        for (text, words) in [("plug:1.2.3.4", "Unknown power meter kind"), ("netio", "must be KIND:HOST")] {
            let error = Meter::start(text, 0).map(|_| ()).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
        testing::served(&[("/netio.json", netio::EXAMPLE_JSON)], |host| {
            let text = format!("netio-json:{host}/3");
            let error = Meter::start(&text, 0).map(|_| ()).unwrap_err();
            assert!(error.ends_with("has outputs numbered 1 to 2."), "{error}");
        });
    }

    #[test]
    fn meter_that_does_not_answer_is_a_gap() {
        // Nothing listens at the port of echo's old neighbour.
        let meter = Meter::start("netio:127.0.0.1:1/2", 0).unwrap();
        let trouble = meter.trouble().unwrap();
        assert!(trouble.contains("does not respond"), "{trouble}");
        let options =
            machine::SamplerOptions { external_values: vec![meter.feed()], ..machine::SamplerOptions::default() };
        let root = machine::Root::from_board("").unwrap();
        let mut sampler = machine::Sampler::new(&root, &options);
        sampler.tick(&machine::Timeline::fake(0));
        let gaps = sampler.take_gaps();
        assert_eq!(gaps.len(), meter.channels().len(), "{gaps:?}");
    }
}
