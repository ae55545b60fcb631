//! Power meters: smart plugs, testers on USB, programs, exporters and other sbc-bench.
//!
//! Each meter has a polling thread with bounded requests; its latest values go to the sampler as a [`LatestValues`].
//! Energy counters of meters are preferred to power. The response time is a channel, so that old values are recognised.
//! Polling costs CPU time; small boards should be measured by a second machine.
//!
//! Values are fetched as a text ([`pages`]), printed by a program ([`lines`]), or sent by a device. To add a kind:
//! write a row of `data/meters.tsv` and a line of [`KINDS`].

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

use address::{AddressForm, Outputs};
use guard::Guard;
use machine::{Caller, Failure, LatestValues};
use record::Channel;
use record::table::Table;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Maximum response time.
const ANSWER_MAX: Duration = Duration::from_secs(2);
/// Time after which a silent meter is reported.
const PATIENCE: Duration = Duration::from_secs(10);

/// A kind of meter.
#[derive(Debug)]
pub struct Kind {
    /// Its name before the colon of `--meter kind:host`.
    pub id: &'static str,
    takes: AddressForm,
    /// Polling interval: the update rate of the meter.
    poll: Duration,
    /// Time after which silence is reported.
    patience: Duration,
    /// True if a program reads the meter, which ends with it.
    runs_program: bool,
    /// Creates the source of its answers, without a question.
    open: Open,
}

type Open = fn(&Address, Option<&Caller>) -> OpenResult;

/// Every kind of meter, in order of id.
pub const KINDS: &[Kind] = &[
    kind(usb::AUTO, AddressForm::MaybeDevice, usb::open_auto),
    program("command", AddressForm::Command, lines::open_command),
    Kind { poll: fnirsi::GATHERED, ..kind(fnirsi::ID, AddressForm::MaybeDevice, fnirsi::open) },
    kind("json", AddressForm::Url, pages::open_json),
    Kind { patience: Duration::from_secs(30), ..program("mqtt", AddressForm::Topic, lines::open_mqtt) },
    Kind { poll: NETIO_POLL, ..kind("netio", AddressForm::Host, pages::open) },
    Kind { poll: NETIO_POLL, ..kind("netio-json", AddressForm::Host, pages::open) },
    kind("prometheus", AddressForm::Url, pages::open_metrics),
    Kind { poll: OTHER_POLL, ..kind("sbc-bench", AddressForm::HostAndPath, pages::open) },
    kind("shelly", AddressForm::Host, pages::open),
    program("sigrok", AddressForm::Device, lines::open_sigrok),
    Kind { poll: UNASKED_POLL, ..kind("smartpower2", AddressForm::Host, smartpower::open_2) },
    Kind { poll: UNASKED_POLL, ..kind("smartpower3", AddressForm::Host, smartpower::open_3) },
    kind("tasmota", AddressForm::Host, pages::open),
];

/// Descriptions of the kinds.
const TEXTS: Table = Table::of(include_str!("../../../../data/meters.tsv"));
const NETIO_POLL: Duration = Duration::from_millis(800);
/// Another sbc-bench has a new value each second, at an unknown moment; repeated ones are recognised by their time stamp.
const OTHER_POLL: Duration = Duration::from_millis(500);
/// Polling interval of sources that send by themselves; limits endless input.
const UNASKED_POLL: Duration = Duration::from_millis(20);

const fn kind(id: &'static str, takes: AddressForm, open: Open) -> Kind {
    Kind { id, takes, poll: Duration::from_secs(1), patience: PATIENCE, runs_program: false, open }
}

const fn program(id: &'static str, takes: AddressForm, open: Open) -> Kind {
    Kind { poll: UNASKED_POLL, runs_program: true, ..kind(id, takes, open) }
}

/// A source, or a sentence for people.
type OpenResult = Result<Box<dyn Source>, String>;

/// Source of answers.
trait Source: Send {
    /// Waits for the next answer, at most [`ANSWER_MAX`]; `None` without new values.
    fn read(&mut self) -> Result<Option<Answer>, Failure>;
}

/// Answer of a meter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Answer {
    /// Name reported by the meter.
    name: String,
    /// Outputs, in order. One without values keeps its place.
    outputs: Vec<Output>,
}

/// Values of one output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Output {
    /// Real power.
    milliwatts: Option<i64>,
    /// Energy counter.
    microjoules: Option<i64>,
    /// Voltage, RMS where it alternates.
    millivolts: Option<i64>,
    /// Current, RMS where it alternates.
    milliamperes: Option<i64>,
    /// Time stamp of the measurement, if any: a number that grows.
    clock: Option<i64>,
}

impl Output {
    fn has_values(&self) -> bool {
        Self { clock: None, ..*self } != Self::default()
    }
}

/// A meter that is polled. Dropping it ends the polling.
#[derive(Debug)]
pub struct Meter {
    feed: LatestValues,
    trouble: Option<String>,
    note: Option<String>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    runs_program: bool,
}

impl Meter {
    /// Queries a meter once for its outputs and starts polling. A meter that does not answer is polled as well;
    /// [`Meter::trouble`] has the reason. `number` distinguishes meters, from 0.
    ///
    /// # Errors
    /// Unknown kind or output; one sentence.
    pub fn start(text: &str, number: usize, user: Option<&Caller>) -> Result<Self, String> {
        let address = Address::parse(text)?;
        let (kind, text) = (address.kind, &address.shown);
        let mut source = (kind.open)(&address, user)?;
        let begin = Instant::now();
        let mut first = source.read();
        // A source that sends by itself may still be starting.
        while matches!(first, Ok(None)) && begin.elapsed() < ANSWER_MAX {
            first = source.read();
        }
        let count = match &first {
            Ok(Some(answer)) => answer.outputs.len(),
            // Assume the requested outputs.
            Ok(None) | Err(_) => address.outputs.least(),
        };
        let chosen = address.outputs.choose(count).ok_or_else(|| {
            let some = if count == 1 { "one output" } else { "outputs" };
            format!("Power meter {text} has {some} numbered 1 to {count}.")
        })?;
        let name = first.as_ref().ok().and_then(Option::as_ref).map_or("", |answer| &answer.name);
        let channels = channels::channels(number, kind, name, &address.outputs, count);
        let feed = LatestValues::new(text.clone(), channels, kind.patience);
        let mut poll = Poll { source, guard: Guard::default(), chosen, feed: feed.clone() };
        let lack = first.as_ref().ok().and_then(|answer| lacking_power(answer.as_ref()?));
        let note = lack.map(|what| format!("The power meter {text} gives {what}."));
        let trouble = poll.put(first, begin).err().map(|failure| {
            let missing = failure.missing(text);
            let is_silent = matches!(failure, Failure::Errno(_) | Failure::Silent(_));
            let what = if is_silent { "does not respond" } else { "gives no reading" };
            format!("The power meter {what} ({missing}). {}", kind.remedy())
        });
        let stop = Arc::new(AtomicBool::new(false));
        let (stopped, interval) = (Arc::clone(&stop), kind.poll);
        let work = move || poll.work(interval, &stopped);
        let thread = std::thread::Builder::new().name("meter".into()).spawn(work);
        let thread = thread.map_err(|error| format!("Cannot create a thread for power meter {text}: {error}."))?;
        Ok(Self { feed, trouble, note, stop, thread: Some(thread), runs_program: kind.runs_program })
    }

    /// Reason why it did not answer at the start, as a sentence.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// What it gives instead of power, as a sentence.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Values for the sampler.
    pub fn feed(&self) -> LatestValues {
        self.feed.clone()
    }

    /// True if a program reads it, which a guard must end if this process is killed.
    pub fn runs_program(&self) -> bool {
        self.runs_program
    }

    /// Channels without values.
    pub fn channels(&self) -> &[Channel] {
        self.feed.channels()
    }
}

impl Drop for Meter {
    /// Ends the polling. Only a thread that must end a program is joined, because an answer may take long.
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let until = Instant::now() + ANSWER_MAX;
            while self.runs_program && !thread.is_finished() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

impl Kind {
    /// Text of a column of `data/meters.tsv`: `usage`, `about`, `needs`, `quality`, `source`.
    pub fn text(&self, column: &str) -> &'static str {
        TEXTS.rows().find(|row| row.get("kind") == self.id).map_or("", |row| row.get(column))
    }

    fn remedy(&self) -> &'static str {
        match self.takes {
            AddressForm::Host => "Check its address and that its API is enabled.",
            _ => "See `sbc-bench list meters` for what it needs.",
        }
    }
}

/// What a meter gives whose outputs have no power and no energy.
fn lacking_power(answer: &Answer) -> Option<&'static str> {
    let has = |value: fn(&Output) -> Option<i64>| answer.outputs.iter().any(|output| value(output).is_some());
    let has_power = has(|output| output.milliwatts.or(output.microjoules));
    match (has(|output| output.millivolts), has(|output| output.milliamperes)) {
        _ if has_power => None,
        (true, true) => Some("voltage and current of the mains, whose product is not power"),
        (true, false) => Some("a voltage but no power or current"),
        (false, true) => Some("a current but no power or voltage"),
        (false, false) => None,
    }
}

/// Starts all named meters and reports failures as sentences. Commands run as the user.
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

/// Polling of one meter.
struct Poll {
    source: Box<dyn Source>,
    guard: Guard,
    /// Indices of the selected outputs.
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
            // The failure is in the feed.
            let _ = self.put(answer, begin);
            // Missed polls are skipped.
            due = (due + interval).max(Instant::now());
        }
    }

    /// Hands the values of the selected outputs to the feed, or the reason why there are none.
    fn put(&mut self, answer: Result<Option<Answer>, Failure>, begin: Instant) -> Result<(), Failure> {
        let elapsed = begin.elapsed();
        let outputs = answer.and_then(|answer| {
            let Some(answer) = answer else { return Ok(None) };
            self.guard.check(answer.outputs.get(self.chosen.clone()).unwrap_or_default(), Instant::now())
        });
        match outputs {
            Ok(None) => Ok(()),
            Ok(Some(outputs)) => {
                self.feed.put(Ok(&channels::values(&outputs, elapsed)), elapsed.as_nanos() as u64);
                Ok(())
            }
            Err(failure) => {
                self.feed.put(Err(failure), elapsed.as_nanos() as u64);
                Err(failure)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_order_and_complete() {
        assert!(KINDS.is_sorted_by(|a, b| a.id < b.id));
        assert!(KINDS.iter().map(|kind| kind.id).eq(TEXTS.rows().map(|row| row.get("kind"))));
        for kind in KINDS {
            assert!(kind.text("about").ends_with('.'), "{}", kind.id);
            for text in written_out(kind.text("usage")) {
                let parsed = Address::parse(&text).unwrap_or_else(|why| panic!("{text}: {why}"));
                assert_eq!(parsed.kind.id, kind.id);
            }
            assert!(!kind.text("needs").is_empty() && !kind.text("quality").is_empty(), "{}", kind.id);
            assert!(kind.text("source").starts_with("https://"), "{}", kind.id);
        }
    }

    /// Addresses of a usage such as `netio:HOST[/N|/all]`: without its optional parts, and with each choice of them.
    fn written_out(usage: &str) -> Vec<String> {
        let Some((before, rest)) = usage.split_once('[') else {
            let names = [
                ("HOST", "plug.lan"),
                ("PORT", "9478"),
                ("/N", "/2"),
                ("/PATH", "/0123456789abcdef"),
                ("hidrawN", "hidraw3"),
            ];
            return vec![names.iter().fold(usage.to_owned(), |text, (name, value)| text.replace(name, value))];
        };
        let (choices, after) = rest.split_once(']').unwrap();
        let whole = |choice: &str| written_out(&format!("{before}{choice}{after}"));
        choices.split('|').chain([""]).flat_map(whole).collect()
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
    fn meter_without_power_is_told() {
        for (command, expected) in [
            ("echo 5.1 V", Some("gives a voltage but no power or current.")),
            ("echo 0.4 A", Some("gives a current but no power or voltage.")),
            ("echo 5.1 V 0.4 A", None),
            ("echo 230 V 0.4 A", Some("whose product is not power.")),
            ("echo 3 J", None),
            ("echo -5 W", Some("gives no reading (command:echo ... reports a power or voltage that no board has).")),
        ] {
            let meter = Meter::start(&format!("command:{command}"), 0, None).unwrap();
            let trouble = meter.trouble().or(meter.note());
            assert_eq!(trouble.is_some(), expected.is_some(), "{command}: {trouble:?}");
            assert!(expected.is_none_or(|words| trouble.unwrap().contains(words)), "{command}: {trouble:?}");
        }
    }

    #[test]
    fn meter_that_does_not_answer_is_a_gap() {
        // Nothing listens at this port.
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
