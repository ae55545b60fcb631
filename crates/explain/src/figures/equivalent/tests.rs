//! Figures in other methods.

use super::*;
use crate::figures::figures;
use crate::test_support::{compression, own_run, point, with_clocks, with_step};
use record::{Fact, Variant, WorkloadId};

/// A run on one core with 7-zip of these versions.
fn run(methods: &[(u32, u32)]) -> Record {
    let mut record = with_clocks(own_run(), Variant::COLD, vec![point(0, 2_000_000, 1_999_000)]);
    record.machine.userland_arch = Fact::Known("amd64".into());
    for (method, mips) in methods {
        record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, &[0], (0.0, 1.0), compression(*mips));
        record.steps.last_mut().unwrap().method = *method;
    }
    record
}

fn told(record: &Record) -> Vec<String> {
    let figures = in_known_methods(record, &figures(record));
    let told = figures.iter().filter(|figure| figure.is_main);
    told.map(|figure| format!("{} {}", figure.key, figure.estimated_words(None).unwrap_or_default())).collect()
}

#[test]
fn clocks_mean_the_same_and_scores_are_estimated() {
    let found = told(&run(&[(26, 4000)]));
    assert_eq!(found[0], "clock@0 cold ");
    assert!(found[1].starts_with("sevenzip@16 single 16.02 equivalent: 3"), "{found:?}");
    assert!(found[1].contains(", from 26 by 1."), "{found:?}");
}

#[test]
fn nothing_is_estimated_where_both_were_measured_or_nothing_is_known() {
    assert_eq!(told(&run(&[(26, 4000), (16, 3800)])), ["clock@0 cold ", "sevenzip@16 single "]);
    assert_eq!(told(&run(&[(21, 4000)])), ["clock@0 cold ", "sevenzip@21 single "]);
    let mut other = run(&[(26, 4000)]);
    other.machine.userland_arch = Fact::Known("riscv64".into());
    assert_eq!(told(&other)[1], "sevenzip@26 single ");
}

#[test]
fn the_interval_holds_the_value() {
    let record = run(&[(26, 4000)]);
    let figures = equivalents(&record, &figures(&record));
    let estimated = figures.iter().find(|figure| figure.estimate.is_some()).unwrap();
    let estimate = estimated.estimate.as_ref().unwrap();
    assert!(estimate.low < estimated.value && estimated.value < estimate.high, "{estimate:?}");
    assert_eq!((estimate.measured, &estimate.from.to_string()), (4000.0, &"sevenzip@26 single".to_owned()));
}
