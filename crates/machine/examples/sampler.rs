//! Prints what the sampler sees and what it costs:
//! `sampler [SECONDS] [INTERVAL_MS] [--rows] [--sources]`.
//!
//! For looking at a board and at the figures of cost by hand; not the monitor of the program.

#![expect(clippy::print_stdout, reason = "an example is here to be looked at")]

use machine::{Root, Sampler, SamplerOptions, SamplerThread, Timeline};
use record::Event;
use std::time::{Duration, Instant};

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rows_wanted = arguments.iter().any(|argument| argument == "--rows");
    let mut numbers = arguments
        .iter()
        .filter_map(|argument| argument.parse().ok());
    let seconds = numbers.next().unwrap_or(5);
    let interval = Duration::from_millis(numbers.next().unwrap_or(500));

    let begin = Instant::now();
    let options = SamplerOptions {
        interval,
        ..SamplerOptions::default()
    };
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
        Some(choice) => println!("temperature: {}", choice.why),
        None => println!("temperature: none found"),
    }
    if arguments.iter().any(|argument| argument == "--sources") {
        print_source_costs(&mut sampler, &timeline, interval);
    }
    let mut thread = SamplerThread::start(sampler, &timeline)?;
    timeline.sleep(Duration::from_secs(seconds));
    let ids: Vec<String> = thread.channels().iter().map(|c| c.id.clone()).collect();
    let mut events = thread.drain();
    events.extend(thread.stop());
    for event in events {
        match event {
            Event::Samples { at_ms, columns } if rows_wanted => print_rows(&ids, &at_ms, &columns),
            Event::Gap { channel, gap } => {
                println!("gap {channel}: {} ms {}", gap.at_ms, gap.missing)
            }
            Event::SamplerCost { cost } => {
                let us = cost.cpu_ns as f64 / 1000.0 / cost.ticks as f64;
                let percent = cost.cpu_ns as f64 / cost.elapsed_ns as f64 * 100.0;
                println!("{us:.1} us per tick, {percent:.4} % of one core: {cost:?}");
            }
            _ => {}
        }
    }
    Ok(())
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

/// Wall time per read of every source over some ticks with pauses, so that caches are as cold as
/// they are in use.
fn print_source_costs(sampler: &mut Sampler, timeline: &Timeline, interval: Duration) {
    for _ in 0..20 {
        timeline.sleep(interval);
        sampler.tick(timeline);
    }
    for cost in sampler.source_costs() {
        let us = cost.read_ns as f64 / 1000.0 / cost.reads as f64;
        println!("{us:8.1} us  {:3} reads  {}", cost.reads, cost.path);
    }
}
