//! Prints what the sampler sees and what it costs:
//! `sampler [SECONDS] [INTERVAL_MS] [--rows] [--sources] [--bare]`.
//!
//! For looking at a board and at the figures of cost, by hand or by `cargo xtask bench`; not the
//! monitor of the program.

#![expect(clippy::print_stdout, reason = "an example is here to be looked at")]

use machine::{Root, Sampler, SamplerOptions, SamplerThread, Timeline, timeline};
use record::{Event, SamplerCost};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let asked = |option: &str| arguments.iter().any(|argument| argument == option);
    let mut numbers = arguments.iter().filter_map(|argument| argument.parse().ok());
    let seconds = numbers.next().unwrap_or(5);
    let interval = Duration::from_millis(numbers.next().unwrap_or(500));

    let begin = Instant::now();
    let options = SamplerOptions { interval, ..SamplerOptions::default() };
    let mut sampler = Sampler::new(&Root::system(), &options);
    let discovered = begin.elapsed();
    let timeline = Timeline::start();
    sampler.tick(&timeline);
    println!(
        "{} channels; discovery {discovered:?}; with the first sample {:?}",
        sampler.channels().len(),
        begin.elapsed()
    );
    match sampler.temperature() {
        Ok(choice) => println!("temperature: {}", choice.sentence(sampler.channels())),
        Err(missing) => println!("temperature: {missing}"),
    }
    if asked("--bare") {
        return compare_with_bare_reads(&mut sampler, &timeline, seconds, interval);
    }
    let mut thread = SamplerThread::start(sampler, &timeline)?;
    timeline.sleep(Duration::from_secs(seconds));
    let ids: Vec<String> = thread.channels().iter().map(|c| c.id.to_string()).collect();
    let mut events = thread.drain();
    events.extend(thread.stop());
    let mut total = SamplerCost::default();
    for event in events {
        match event {
            Event::Samples { at_ms, columns } if asked("--rows") => print_rows(&ids, &at_ms, &columns),
            Event::Gap { channel, gap } => {
                println!("gap {channel}: {} ms {}", gap.at_ms, gap.missing)
            }
            Event::SamplerCost { cost } => total = cost,
            _ => {}
        }
    }
    print_cost(&total, asked("--sources"));
    Ok(())
}

fn print_cost(cost: &SamplerCost, sources: bool) {
    let us = cost.cpu_ns as f64 / 1000.0 / cost.ticks as f64;
    let percent = cost.cpu_ns as f64 / cost.elapsed_ns as f64 * 100.0;
    println!("{us:.1} us per tick, {percent:.4} % of one core");
    println!(
        "ticks {} late {} delay_us_max {} slowdowns {} wakeups {}",
        cost.ticks, cost.late_ticks, cost.delay_us_max, cost.slowdowns, cost.wakeups
    );
    for source in cost.sources.iter().filter(|_| sources) {
        let us = source.read_ns as f64 / 1000.0 / source.reads.max(1) as f64;
        println!("{us:8.1} us  {:3} reads  {}", source.reads, source.source);
    }
}

/// One line per sample: time and every value that is there.
fn print_rows(ids: &[String], at_ms: &[i64], columns: &[Vec<Option<i64>>]) {
    for (row, at_ms) in at_ms.iter().enumerate() {
        let values = ids.iter().zip(columns).filter_map(|(id, column)| {
            let value = column[row]?;
            Some(format!("{id}={value}"))
        });
        println!("{at_ms} {}", values.collect::<Vec<_>>().join(" "));
    }
}

/// A tick of the sampler, then the same files read as often by a bare loop of `pread`, in turns: so
/// both see the same machine, and caches as cold as they are in use.
fn compare_with_bare_reads(
    sampler: &mut Sampler,
    timeline: &Timeline,
    seconds: u64,
    interval: Duration,
) -> std::io::Result<()> {
    let root = Root::system();
    let reads = |sampler: &Sampler| -> BTreeMap<String, u64> {
        let costs = sampler.source_costs();
        costs.map(|cost| (cost.path.to_owned(), cost.reads)).collect()
    };
    let mut before = reads(sampler);
    let mut files = BTreeMap::new();
    for path in before.keys() {
        if let Ok(source) = root.source(path) {
            files.insert(path.clone(), source);
        }
    }
    let mut buffer = vec![0; 64 << 10];
    let (mut ticks, mut tick_ns, mut bare_ns, mut bare_reads) = (0_u64, 0, 0, 0_u64);
    let end = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < end {
        timeline.sleep(interval);
        let begin = timeline::thread_cpu_ns();
        sampler.tick(timeline);
        tick_ns += timeline::thread_cpu_ns() - begin;
        ticks += 1;
        let after = reads(sampler);
        let read: Vec<_> =
            files.iter().filter(|(path, _)| after[*path] > before[*path]).map(|(_, file)| file).collect();
        // The other half of the pause, so that caches are as cold for the bare loop.
        timeline.sleep(interval);
        let begin = timeline::thread_cpu_ns();
        for file in &read {
            // Errors cost time as well; the sampler meets the same ones.
            let _ = std::hint::black_box(file.read_into(&mut buffer));
        }
        bare_ns += timeline::thread_cpu_ns() - begin;
        bare_reads += read.len() as u64;
        before = after;
    }
    let us = |ns: u64| ns as f64 / 1000.0 / ticks as f64;
    println!(
        "tick {:.1} us, bare {:.1} us for {:.1} reads, ratio {:.2}",
        us(tick_ns),
        us(bare_ns),
        bare_reads as f64 / ticks as f64,
        tick_ns as f64 / bare_ns as f64
    );
    Ok(())
}
