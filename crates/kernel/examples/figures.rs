//! Prints the figures of this crate for the CPU it happens to run on: pin it with `taskset`.
//!
//! `cargo run --release -p sbc-bench-kernel --example figures`, optionally with the size of
//! the largest buffer in MiB (128 if not given).

#![allow(clippy::print_stdout, reason = "an example is there to be read")]

use kernel::arch::ROUTINES;
use kernel::buffer::{Buffer, Pages};
use kernel::clock::{ClockPlan, measure};
use kernel::latency::{LatencyPlan, Order, Walk};
use kernel::load::{Load, spin};
use kernel::memory::{BandwidthPlan, bandwidth, scatter, verify};
use kernel::timer::now_ns;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn main() {
    let mib = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(128usize);
    println!("features: {}", kernel::isa_features().join(" "));
    println!("timer: {:?}", kernel::timer::cost());
    clock();
    loads();
    latency(mib << 20);
    memory(mib << 20);
}

fn clock() {
    let first = measure(&ClockPlan::default());
    println!("cold: {} kHz after {:?} us", first.best_khz, first.ramp_us);
    let mut all = Vec::new();
    for _ in 0..20 {
        let start_ns = now_ns();
        let reading = measure(&ClockPlan::warm());
        println!(
            "{:7} kHz, sustained {:7}, agreeing {:4}/1000{}, multiply {:.3?}, float {:.3?}{}, {:.2} ms",
            reading.best_khz,
            reading.sustained_khz,
            reading.agreeing_permille,
            if reading.supported {
                ""
            } else {
                " (not supported)"
            },
            reading.multiply_ratio,
            reading.float_ratio,
            reading
                .looks_emulated()
                .map_or(String::new(), |sign| format!(" ({sign:?})")),
            (now_ns() - start_ns) as f64 / 1e6
        );
        all.push(reading.best_khz);
    }
    all.sort_unstable();
    let spread = f64::from(all[19] - all[0]) / f64::from(all[10]) * 100.0;
    println!("spread of 20 readings: {spread:.3} %");
    let long = measure(&ClockPlan::lasting(300_000_000));
    println!(
        "over 0.3 s: {} kHz, sustained {}, agreeing {}/1000",
        long.best_khz, long.sustained_khz, long.agreeing_permille
    );
}

fn loads() {
    for load in [Load::Integer, Load::Widest] {
        let stop = AtomicBool::new(false);
        let start_ns = now_ns();
        let operations = std::thread::scope(|scope| {
            let worker = scope.spawn(|| spin(&stop, load));
            std::thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::Relaxed);
            worker.join().unwrap_or(0)
        });
        let per_ns = operations as f64 / (now_ns() - start_ns) as f64;
        println!("{load:?} load: {per_ns:.2} operations per ns");
    }
}

fn latency(size_bytes_max: usize) {
    let begin_ns = now_ns();
    for pages in [Pages::Huge, Pages::Small] {
        let Ok(mut buffer) = Buffer::new(size_bytes_max, pages) else {
            return;
        };
        println!(
            "\n{pages:?} pages, ns per access with 1, 2, 4, 8 chains, and page by page with 1"
        );
        let mut size_bytes = 4096;
        while size_bytes <= size_bytes_max {
            let plan = LatencyPlan::default();
            let mut walk = Walk::new(&mut buffer, size_bytes, Order::Random, 1);
            let ns = [1, 2, 4, 8].map(|chains| walk.measure(chains, &plan).best_ns);
            let mut walk = Walk::new(&mut buffer, size_bytes, Order::PageByPage, 1);
            let page = walk.measure(1, &plan).best_ns;
            let [one, two, four, eight] = ns;
            let kib = size_bytes >> 10;
            println!("{kib:7} KiB {one:8.3} {two:8.3} {four:8.3} {eight:8.3} {page:8.3}");
            size_bytes *= 2;
        }
    }
    println!(
        "both tables took {:.2} s",
        (now_ns() - begin_ns) as f64 / 1e9
    );
}

fn memory(size_bytes_max: usize) {
    let begin_ns = now_ns();
    let (Ok(mut source), Ok(mut destination)) = (
        Buffer::new(size_bytes_max, Pages::Huge),
        Buffer::new(size_bytes_max, Pages::Huge),
    ) else {
        return;
    };
    scatter(source.as_mut_slice(), 1);
    let sizes = [16 << 10, 256 << 10, 4 << 20, size_bytes_max].map(|size| size.min(size_bytes_max));
    println!(
        "\nMB/s at {} KiB",
        sizes.map(|size| (size >> 10).to_string()).join(", ")
    );
    for routine in ROUTINES.iter().filter(|routine| (routine.available)()) {
        let mut right = true;
        let rates = sizes.map(|size| {
            let passes = ((4 << 20) / size).max(1) as u32;
            let plan = BandwidthPlan {
                passes,
                ..BandwidthPlan::default()
            };
            let (to, from) = (
                &mut destination.as_mut_slice()[..size],
                &source.as_slice()[..size],
            );
            let all_ns = bandwidth(routine, to, from, &plan);
            right &= verify(routine, to, from, 1);
            let best_ns = all_ns.into_iter().min().unwrap_or(1).max(1);
            let mb_per_s = size as u64 * u64::from(passes) * 1000 / best_ns;
            format!("{mb_per_s:8}")
        });
        let verdict = if right { "" } else { "  WRONG" };
        println!("{:24} {}{verdict}", routine.id, rates.join(" "));
    }
    println!("the table took {:.2} s", (now_ns() - begin_ns) as f64 / 1e9);
}
