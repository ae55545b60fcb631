//! Prints how long change points of a long series take. A printed time is a fact about the machine
//! that ran the test, so nothing is asserted about it.

#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use compare::trend::change_points;
use std::time::Instant;

#[test]
fn ten_thousand_values() {
    // Two levels 1 % apart with a saw tooth of the same size on them.
    let value = |index: usize| {
        let tooth = ((index * 7919) % 101) as f64 / 10.0;
        if index < 5000 { 1000.0 + tooth } else { 990.0 + tooth }
    };
    let values: Vec<f64> = (0..10_000).map(value).collect();
    let start = Instant::now();
    let found = change_points(&values, 0.5);
    eprintln!("10000 values: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let indexes: Vec<usize> = found.iter().map(|point| point.index).collect();
    assert_eq!(indexes, [5000]);
}
