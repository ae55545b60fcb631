//! Estimates from synthetic windows.

use super::*;
use proptest::prelude::*;

const OPERATIONS: u64 = 300_000;

/// Window with the usual number of operations at a rate.
fn window(khz: u32) -> Window {
    Window { operations: OPERATIONS, elapsed_ns: OPERATIONS * 1_000_000 / u64::from(khz) }
}

fn windows(rates: &[(usize, u32)]) -> Vec<Window> {
    rates.iter().flat_map(|(count, khz)| std::iter::repeat_n(window(*khz), *count)).collect()
}

/// Checks the best rate within the rounding of a window, support and agreement.
fn check(rates: &[(usize, u32)], best_khz: u32, supported: bool, agreeing_permille: u32) {
    let found = estimate(&windows(rates)).unwrap();
    assert!(found.best_khz.abs_diff(best_khz) <= best_khz / 10_000, "{rates:?}: {found:?}");
    assert_eq!(found.supported, supported, "{rates:?}: {found:?}");
    assert_eq!(found.agreeing_permille, agreeing_permille, "{rates:?}: {found:?}");
}

#[test]
fn quiet_windows_give_their_rate() {
    check(&[(60, 1_800_000)], 1_800_000, true, 1000);
}

#[test]
fn stolen_windows_do_not_lower_the_clock() {
    check(&[(6, 2_400_000), (14, 2_100_000), (40, 900_000)], 2_400_000, true, 100);
    check(&[(3, 2_400_000), (1, 2_000_000), (1, 1_000_000)], 2_400_000, true, 600);
}

#[test]
fn faster_mode_needs_three_windows() {
    check(&[(10, 2_400_000), (50, 1_800_000)], 2_400_000, true, 166);
    check(&[(2, 2_400_000), (58, 1_800_000)], 1_800_000, true, 966);
}

#[test]
fn window_that_is_too_fast_does_not_win() {
    check(&[(1, 9_000_000), (59, 1_500_000)], 1_500_000, true, 983);
    check(&[(1, 9_000_000), (1, 1_600_000), (58, 1_500_000)], 1_500_000, true, 966);
    check(&[(1, 9_000_000), (1, 8_999_999), (8, 1_500_000)], 1_500_000, true, 800);
    // Slightly too fast but within the agreement: the middle of three is unaffected.
    check(&[(1, 1_501_400), (59, 1_500_000)], 1_500_000, true, 1000);
}

#[test]
fn closest_windows_without_support() {
    check(&[(1, 2_000_000), (1, 1_994_000), (1, 1_980_000)], 1_994_000, false, 666);
    check(&[(1, 3_000_000), (1, 1_000_000), (1, 500_000)], 1_000_000, false, 333);
}

#[test]
fn fewer_than_three_windows_are_not_trusted_upwards() {
    assert_eq!(estimate(&[]), None);
    assert_eq!(estimate(&[Window { operations: 5, elapsed_ns: 0 }]), None);
    check(&[(1, 1_000_000)], 1_000_000, false, 1000);
    check(&[(1, 1_200_000), (1, 1_000_000)], 1_000_000, false, 500);
}

#[test]
fn sustained_rate() {
    // Half of the time at full clock, half of it throttled: a quota of 50 %.
    let mut duty_cycle = windows(&[(99, 1_000_000)]);
    let busy_ns: u64 = duty_cycle.iter().map(|window| window.elapsed_ns).sum();
    let pause_ns = busy_ns + 2 * window(1_000_000).elapsed_ns;
    duty_cycle.push(Window { operations: OPERATIONS, elapsed_ns: pause_ns - OPERATIONS });
    let found = estimate(&duty_cycle).unwrap();
    assert_eq!(found.best_khz, 1_000_000);
    assert!(found.sustained_khz.abs_diff(500_000) < 10_000, "{found:?}");
}

proptest! {
    #[test]
    fn stealing_time_anywhere_but_from_three_windows_changes_nothing(
        khz in 100_000u32..6_000_000,
        stolen_percent in prop::collection::vec(0u64..400, 3..60),
    ) {
        let mut all = windows(&[(3, khz)]);
        for percent in stolen_percent {
            let clean = window(khz);
            let elapsed_ns = clean.elapsed_ns * (101 + percent) / 100;
            all.push(Window { elapsed_ns, ..clean });
        }
        let found = estimate(&all).unwrap();
        prop_assert!(found.supported);
        prop_assert!(found.best_khz.abs_diff(khz) <= khz / 1000);
        prop_assert!(found.sustained_khz <= found.best_khz + 1);
    }

    #[test]
    fn estimate_is_within_window_range(
        all in prop::collection::vec((1u64..1_000_000_000, 1u64..1_000_000_000), 1..100),
    ) {
        let all: Vec<Window> = all
            .into_iter()
            .map(|(operations, elapsed_ns)| Window { operations, elapsed_ns })
            .filter(|window| window.khz() > 0)
            .collect();
        prop_assume!(!all.is_empty());
        let found = estimate(&all).unwrap();
        let rates: Vec<u32> = all.iter().map(Window::khz).collect();
        prop_assert!(rates.contains(&found.best_khz));
        prop_assert!(found.agreeing_permille <= 1000);
        prop_assert!(found.sustained_khz <= *rates.iter().max().unwrap());
    }
}
