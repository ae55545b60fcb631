//! Prints the figures of this crate for the CPU it happens to run on: pin it with `taskset`.
//!
//! `cargo run --release -p sbc-bench-microbench --example figures`. Memory has its own command,
//! `sbc-bench memory`.

#![allow(clippy::print_stdout, reason = "an example is there to be read")]

use microbench::clock::{ClockPlan, emulation_sign, measure};
use microbench::load::{Load, spin};
use microbench::timer::now_ns;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn main() {
    println!("features: {}", microbench::isa_features().join(" "));
    println!("timer: {:?}", microbench::timer::cost());
    clock();
    loads();
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
            if reading.supported { "" } else { " (not supported)" },
            reading.multiply_ratio,
            reading.float_ratio,
            emulation_sign(&reading, || measure(&ClockPlan::warm()))
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
