//! Figures in other methods.

use super::*;
use crate::Facts;
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
    let figures = in_known_methods(record, &figures(&Facts::of(record)));
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
    let figures = equivalents(&record, &figures(&Facts::of(&record)));
    let estimated = figures.iter().find(|figure| figure.estimate.is_some()).unwrap();
    let estimate = estimated.estimate.as_ref().unwrap();
    assert!(estimate.low < estimated.value && estimated.value < estimate.high, "{estimate:?}");
    assert_eq!((estimate.measured, &estimate.from.to_string()), (4000.0, &"sevenzip@26 single".to_owned()));
}

/// A run of 26.02, followed by 16.02 on one CPU.
fn run_of_both(mips: u32, listed_mips: u32) -> Record {
    let mut record = run(&[(26, mips)]);
    let score = compression(listed_mips);
    record = with_step(record, WorkloadId::SevenZip, Variant::OTHER_VERSION, &[0], (1.0, 2.0), score);
    record.steps.last_mut().unwrap().method = 16;
    record
}

#[test]
fn a_second_version_gives_the_score_of_the_lists_and_the_ratio() {
    let mut record = run_of_both(4200, 4000);
    record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (2.0, 3.0), compression(8400));
    record.steps.last_mut().unwrap().method = 26;
    assert_eq!(
        told(&record),
        [
            "clock@0 cold ",
            "sevenzip@16 single ",
            "sevenzip@16 multi 16.02 equivalent: 8000 (7547 to 8480), from 26 by 1.05"
        ]
    );
    // In the opposite order nothing is estimated, and the second version gives no score.
    let mut record = run(&[(16, 4000)]);
    record = with_step(record, WorkloadId::SevenZip, Variant::OTHER_VERSION, &[0], (1.0, 2.0), compression(4200));
    record.steps.last_mut().unwrap().method = 26;
    assert_eq!(told(&record), ["clock@0 cold ", "sevenzip@16 single "]);
}

#[test]
fn results_meet_in_the_method_that_all_of_them_have() {
    let keys = |records: &[&Record]| -> Vec<Vec<String>> {
        let facts: Vec<Facts<'_>> = records.iter().map(|record| Facts::of(record)).collect();
        let main = |figures: Vec<Figure>| {
            figures.iter().filter(|figure| figure.is_main).map(|figure| figure.key.to_string()).collect()
        };
        in_common_methods(&facts.iter().collect::<Vec<_>>()).into_iter().map(main).collect()
    };
    let (new, other, old) = (run(&[(26, 4000)]), run(&[(26, 4100)]), run(&[(16, 3700)]));
    // No estimate for a single version.
    assert_eq!(keys(&[&new, &other])[0][1], "sevenzip@26 single");
    assert_eq!(
        keys(&[&new, &old]).iter().map(|keys| keys.last().unwrap().clone()).collect::<Vec<_>>(),
        ["sevenzip@16 single"; 2]
    );
    assert_eq!(
        keys(&[&new, &other, &old]).iter().map(|keys| keys.last().unwrap().clone()).collect::<Vec<_>>(),
        ["sevenzip@16 single"; 3]
    );
    // The pair of a run takes precedence over the table.
    let both = run_of_both(4200, 4000);
    let sides = [&new, &both].map(Facts::of);
    let told = in_common_methods(&sides.each_ref());
    let estimates = told[0].iter().filter_map(|figure| figure.estimate.as_ref());
    let ratios: Vec<(f64, Grade)> = estimates.map(|estimate| (estimate.ratio, estimate.grade)).collect();
    assert_eq!(ratios, []);
    let sides = [&new, &old, &both].map(Facts::of);
    let told = in_common_methods(&sides.each_ref());
    let estimate = told[0].iter().find_map(|figure| figure.estimate.as_ref()).unwrap();
    assert_eq!((estimate.ratio, estimate.grade), (1.05, Grade::MeasuredPair));
}

#[test]
fn nothing_known_of_cores_or_programs_takes_no_ratio_of_another_run() {
    let pairs = |record: &Record| Pairs::of(record, &figures(&Facts::of(record)));
    let mut record = run_of_both(4200, 4000);
    let found = pairs(&record).unwrap();
    assert!(found.hold_for(&record));
    record.machine.clusters[0].core_type = Fact::Missing { missing: record::Missing::absent("/proc/cpuinfo") };
    assert!(!found.hold_for(&record));
    assert_eq!(pairs(&run(&[(26, 4000)])), None);
}
