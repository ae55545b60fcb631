//! `sbc-bench -m`, `sbc-bench monitor`: a line every few seconds until interrupted. Reads the same
//! stream of samples that a run keeps in its Record, and prints the same rows.

use crate::args::MonitorArgs;
use crate::{output, signals};
use explain::monitor::{heading, row};
use machine::{Root, Sampler, SamplerOptions, Timeline};
use record::{Channel, Record, Run, Samples, Source};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The heading is repeated after so many lines on a terminal.
const LINES_PER_HEADING: u64 = 15;
/// A signal is noticed after so long.
const NAP: Duration = Duration::from_millis(100);

pub(crate) fn run(root: &Root, args: &MonitorArgs) -> anyhow::Result<u8> {
    let cancelled = signals::watch()?;
    let timeline = Timeline::start();
    let mut trouble = None;
    let meters = bench::meters::start(&args.meters, |sentence| trouble = Some(sentence));
    if let Some(sentence) = trouble {
        anyhow::bail!("{sentence}");
    }
    let options = SamplerOptions {
        interval: args.interval,
        feeds: meters.iter().map(bench::meters::Meter::feed).collect(),
        ..SamplerOptions::default()
    };
    let mut sampler = Sampler::new(root, &options);
    let mut record = record_of(sampler.channels(), &timeline);
    let repeat = std::io::IsTerminal::is_terminal(&std::io::stdout());
    let mut lines = 0_u64;
    let mut due_ns = timeline.now_ns();
    while cancelled.load(Ordering::Relaxed) == 0 && args.count.is_none_or(|count| lines < count) {
        sampler.tick(&timeline);
        keep_two(&mut record.samples, sampler.at_ms(), sampler.latest());
        let mut text = String::new();
        if lines == 0 || (repeat && lines.is_multiple_of(LINES_PER_HEADING)) {
            text = format!(
                "{}{}\n",
                if lines > 0 { "\n" } else { "" },
                heading(&record)
            );
        }
        text.push_str(&row(&record, 0, record.samples.at_ms.len() - 1));
        text.push('\n');
        if !output::print_while_read(&text)? {
            break;
        }
        lines += 1;
        if args.count == Some(lines) {
            break;
        }
        due_ns += sampler.interval().as_nanos() as u64;
        sleep_until(&timeline, due_ns, || cancelled.load(Ordering::Relaxed) != 0);
    }
    Ok(0)
}

/// A Record that holds nothing but the channels.
fn record_of(channels: &[Channel], timeline: &Timeline) -> Record {
    let source = Source::Run {
        version: env!("CARGO_PKG_VERSION").into(),
        target: String::new(),
    };
    let at = jiff::Timestamp::from_millisecond(timeline.start_utc_ms());
    let at = at.unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    let run = Run {
        started: record::Fact::Known(timeline.start_utc_ms()),
        utc_offset_minutes: jiff::tz::TimeZone::system().to_offset(at).seconds() / 60,
        mode: "monitor".into(),
        ..Run::default()
    };
    let mut record = Record::new(source, run);
    record.samples.channels = channels.to_vec();
    record
}

/// A row needs the sample before it and its own, no more; so memory does not grow.
fn keep_two(samples: &mut Samples, at_ms: i64, values: &[i64]) {
    if samples.at_ms.len() == 2 {
        samples.at_ms.remove(0);
        samples.channels.iter_mut().for_each(|channel| {
            channel.values.remove(0);
        });
    }
    samples.at_ms.push(at_ms);
    for (channel, value) in samples.channels.iter_mut().zip(values) {
        channel
            .values
            .push((*value != machine::sensors::NONE).then_some(*value));
    }
}

/// Sleeps to an absolute moment, in naps, so that Ctrl-C is noticed soon.
fn sleep_until(timeline: &Timeline, due_ns: u64, cancelled: impl Fn() -> bool) {
    while !cancelled() {
        let left = Duration::from_nanos(due_ns.saturating_sub(timeline.now_ns()));
        if left.is_zero() {
            return;
        }
        timeline.sleep(left.min(NAP));
    }
}
