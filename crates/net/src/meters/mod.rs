//! Power meters that the user named: smart plugs, testers on USB, other programs, exporters and another sbc-bench.
//!
//! Each meter is polled by a thread of its own, with every answer bounded in time, and its latest
//! values go to the sampler as a [`LatestValues`]. Energy that the meter itself adds up is preferred over
//! watts of a moment, and how long the meter took to answer is a channel too, so that nobody takes
//! an old value for a new one. Polling costs CPU time: for small boards a second machine is better.
//!
//! Values come in three ways: in a text that is fetched ([`pages`]), in lines of another program ([`lines`]), or as what a
//! device sends by itself. To add a kind: write its `const` next to those of its way, and add a line to [`KINDS`].

mod address;
mod channels;
#[cfg(test)]
mod faults;
mod fields;
mod fnirsi;
pub mod foreign;
mod guard;
mod http;
mod lines;
mod pages;
mod reading;
mod smartpower;
mod sockets;
#[cfg(test)]
mod testing;
pub mod usb;

pub use address::Address;

use address::{Outputs, Takes};
use guard::Guard;
use machine::{Caller, Failure, LatestValues};
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
    /// Spelling after `--meter`.
    pub usage: &'static str,
    /// Description in one sentence.
    pub about: &'static str,
    /// What has to be there: a program, a right, a setting of the meter.
    pub needs: &'static str,
    /// Resolution, rate, and whether energy is added up.
    pub quality: &'static str,
    /// Documentation of its answers.
    pub document: &'static str,
    takes: Takes,
    /// Time between two questions: what the meter itself can follow.
    poll: Duration,
    /// Silence is reported after this time.
    patience: Duration,
    /// True if the thread ends a program and must be joined.
    is_joined: bool,
    /// Makes the source of its answers. Asks nothing yet.
    open: fn(&Address, Option<&Caller>) -> Opened,
}

/// Every kind of meter, in order of id.
pub const KINDS: &[Kind] = &[
    usb::AUTO,
    lines::COMMAND,
    fnirsi::KIND,
    pages::JSON,
    lines::MQTT,
    pages::NETIO,
    pages::NETIO_JSON,
    pages::PROMETHEUS,
    pages::SBC_BENCH,
    pages::SHELLY,
    lines::SIGROK,
    smartpower::KIND_2,
    smartpower::KIND_3,
    pages::TASMOTA,
];

/// What kinds on the network have in common.
const NETWORK: Kind = Kind {
    id: "",
    usage: "",
    about: "",
    needs: "nothing",
    quality: "",
    document: "",
    takes: Takes::Host,
    poll: Duration::from_secs(1),
    patience: PATIENCE,
    is_joined: false,
    open: |address, _| Err(format!("{} is not a meter.", address.shown)),
};

/// A source of answers, or a sentence for people.
type Opened = Result<Box<dyn Source>, String>;

/// Something that gives answers.
trait Source: Send {
    /// Waits for the next answer, at most [`ANSWER_MAX`], and gives what it says of each output; nothing where nothing
    /// new has come.
    fn read(&mut self) -> Result<Option<Answer>, Failure>;
}

/// Answer of a meter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Answer {
    /// Its name in its own words.
    name: String,
    /// The outputs, the first one first.
    outputs: Vec<Output>,
    /// When it was measured, if the meter says so: a number that grows with each measurement.
    clock: Option<i64>,
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
    is_joined: bool,
}

impl Meter {
    /// Asks a meter once, to know its outputs, and starts to poll it. A meter that does not answer
    /// is asked again and again; [`Meter::trouble`] tells. `number` tells meters apart, from 0.
    ///
    /// # Errors
    /// One sentence for people: there is no such kind of meter, or it has no such output.
    pub fn start(text: &str, number: usize, user: Option<&Caller>) -> Result<Self, String> {
        let address = Address::parse(text)?;
        let (kind, text) = (address.kind, &address.shown);
        let mut source = (kind.open)(&address, user)?;
        let begin = Instant::now();
        let mut first = source.read();
        // A source that sends unasked may still be starting.
        while matches!(first, Ok(None)) && begin.elapsed() < ANSWER_MAX {
            first = source.read();
        }
        let count = match &first {
            Ok(Some(answer)) => answer.outputs.len(),
            // As many as were asked for.
            Ok(None) | Err(_) => address.outputs.least(),
        };
        let chosen = address.outputs.choose(count).ok_or_else(|| {
            let some = if count == 1 { "one output" } else { "outputs" };
            format!("Power meter {text} has {some} numbered 1 to {count}.")
        })?;
        let name = first.as_ref().ok().and_then(Option::as_ref).map_or("", |answer| &answer.name);
        let channels = channels::channels(number, kind, name, &address.outputs, count);
        let feed = LatestValues::new(text.clone(), channels, kind.patience);
        let trouble = first.as_ref().err().map(|failure| {
            let missing = failure.missing(text);
            format!("The power meter does not respond ({missing}). {}", kind.remedy())
        });
        let mut poll = Poll { source, guard: Guard::default(), chosen, feed: feed.clone() };
        poll.put(first, begin);
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, interval) = (Arc::clone(&stop), kind.poll);
        let work = move || poll.work(interval, &stopped);
        let thread = std::thread::Builder::new().name("meter".into()).spawn(work);
        let thread = thread.map_err(|error| format!("Cannot create a thread for power meter {text}: {error}."))?;
        Ok(Self { feed, trouble, stop, thread: Some(thread), is_joined: kind.is_joined })
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
    /// The thread ends by itself. It is waited for only where it ends a program, since an answer may take its time.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let until = Instant::now() + ANSWER_MAX;
            while self.is_joined && !thread.is_finished() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

impl Kind {
    fn remedy(&self) -> &'static str {
        match self.takes {
            Takes::Host => "Check its address and that its API is enabled.",
            _ => "See `sbc-bench list meters` for what it needs.",
        }
    }
}

/// Starts every meter that was asked for, and tells in one sentence what is wrong with one. Commands run as the user.
pub fn start(texts: &[String], user: Option<&Caller>, mut tell: impl FnMut(String)) -> Vec<Meter> {
    let mut meters = Vec::new();
    let texts = texts.iter().flat_map(|text| usb::expand(text, &machine::Root::system()));
    for (number, text) in texts.enumerate() {
        match Meter::start(&text, number, user) {
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
    guard: Guard,
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

    fn put(&mut self, answer: Result<Option<Answer>, Failure>, begin: Instant) {
        let elapsed = begin.elapsed();
        let checked = match answer {
            Ok(Some(answer)) => self.guard.check(answer, Instant::now()),
            Ok(None) => Ok(None),
            Err(failure) => Err(failure),
        };
        let values = checked.map(|answer| {
            let answer = answer?;
            let outputs = answer.outputs.get(self.chosen.clone()).unwrap_or_default();
            Some(channels::values(outputs, elapsed))
        });
        match values {
            Ok(None) => {}
            Ok(Some(values)) => self.feed.put(Ok(&values), elapsed.as_nanos() as u64),
            Err(failure) => self.feed.put(Err(failure), elapsed.as_nanos() as u64),
        }
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
            assert!(kind.usage.starts_with(kind.id), "{}", kind.id);
            assert!(!kind.needs.is_empty() && !kind.quality.is_empty(), "{}", kind.id);
            assert!(kind.document.starts_with("https://"), "{}", kind.id);
        }
    }

    #[test]
    fn invalid_meter_error() {
        for (text, words) in [("plug:1.2.3.4", "Unknown power meter kind"), ("netio", "must be netio:HOST")] {
            let error = Meter::start(text, 0, None).map(|_| ()).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
        testing::served(&[("/netio.json", r#"{"Outputs":[{"Load":1},{"Load":2}]}"#)], |host| {
            let text = format!("netio-json:{host}/3");
            let error = Meter::start(&text, 0, None).map(|_| ()).unwrap_err();
            assert!(error.ends_with("has outputs numbered 1 to 2."), "{error}");
        });
    }

    #[test]
    fn meter_that_does_not_answer_is_a_gap() {
        // Nothing listens at the port of echo's old neighbour.
        let meter = Meter::start("netio:127.0.0.1:1/2", 0, None).unwrap();
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
