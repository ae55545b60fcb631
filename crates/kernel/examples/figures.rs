//! Prints the figures of this crate for the CPU it happens to run on: pin it with `taskset`.
//!
//! `cargo run --release -p sbc-bench-kernel --example figures`

#![allow(clippy::print_stdout, reason = "an example is there to be read")]

use kernel::clock::{ClockPlan, measure};
use kernel::timer::now_ns;

fn main() {
    println!("features: {}", kernel::isa_features().join(" "));
    println!("timer: {:?}", kernel::timer::cost());
    let first = measure(&ClockPlan::default());
    println!("cold: ramp {:?} us, {} kHz", first.ramp_us, first.best_khz);
    let mut all = Vec::new();
    for _ in 0..20 {
        let start_ns = now_ns();
        let r = measure(&ClockPlan::warm());
        println!(
            "{:7} kHz sustained {:7} agreeing {:4}/1000 supported {} multiply {:.3} float {:.3} \
             emulated {:?} in {:.2} ms",
            r.best_khz,
            r.sustained_khz,
            r.agreeing_permille,
            r.supported,
            r.multiply_ratio,
            r.float_ratio,
            r.looks_emulated(),
            (now_ns() - start_ns) as f64 / 1e6
        );
        all.push(r.best_khz);
    }
    all.sort_unstable();
    let spread = f64::from(all[19] - all[0]) / f64::from(all[10]) * 100.0;
    println!("spread of 20 readings: {spread:.3} %");
}
