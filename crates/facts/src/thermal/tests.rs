//! Thermal result of a simulated board that throttles, with and without power.

use super::*;
use crate::Facts;
use crate::test_support::{gauge_channel, labelled, own_run, with_step};
use record::{ClockSeries, Fact, MeterChannel, Variant};

/// A test of 60 s of load from 10 s on, and 30 s of cooling: throttled after 8 s from 1800 to 1200 MHz.
/// Time constant 8 s, 12 K per W, 25 °C around, 7.5 W at first, 4 W then, 1.5 W idle.
fn record(with_power: bool, kernel_tells: bool) -> Record {
    let mut record = own_run();
    let (mut celsius, mut temps, mut power, mut limits) = (43.0_f64, vec![], vec![], vec![]);
    for row in 0..200 {
        let at_s = f64::from(row) * 0.5;
        // A sample has the time of the end of its interval.
        let watts = match at_s - 0.25 {
            load if (10.0..18.0).contains(&load) => 7.5,
            low if (18.0..70.0).contains(&low) => 4.0,
            _ => 1.5,
        };
        let end = 25.0 + 12.0 * watts;
        celsius = end + (celsius - end) * (-0.5_f64 / 8.0).exp();
        temps.push((celsius * 1000.0) as i64);
        power.push((watts * 1e6) as i64);
        let is_low = kernel_tells && (18.0..70.0).contains(&at_s);
        limits.push(if is_low { 1_200_000 } else { 1_800_000 });
    }
    record = gauge_channel(record, ChannelId::zone_temperature(0), Unit::Millicelsius, &temps);
    record = labelled(record, "cpu-thermal");
    record = gauge_channel(record, ChannelId::limit_max(0), Unit::Kilohertz, &limits);
    record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &limits);
    if with_power {
        record = gauge_channel(record, ChannelId::meter(MeterChannel::Power), Unit::Microwatts, &power);
    }
    let share = |second: usize| if second < 8 { 1.0 } else { 2.0 / 3.0 };
    let heated = StepMeasurement::Series(Series {
        unit: "Gop/s".into(),
        higher_is_better: true,
        at_ms: (1..=60).map(|second| second * 1000).collect(),
        values: (0..60).map(|second| 30.0 * share(second)).collect(),
        clocks: vec![ClockSeries { cpu: 0, khz: (0..60).map(|second| (1_800_000.0 * share(second)) as u32).collect() }],
        ..Series::default()
    });
    record = with_step(record, WorkloadId::Heat, Variant::SIMD, &[], (10.0, 70.0), heated);
    let cooled = StepMeasurement::Wait(Wait {
        start_millicelsius: Fact::Known(73_000),
        end_millicelsius: Fact::Known(43_000),
        ..Wait::default()
    });
    with_step(record, WorkloadId::Wait, Variant::COOL_DOWN, &[], (70.0, 100.0), cooled)
}

fn near(found: f64, expected: f64) {
    let percent = 100.0 * (found / expected - 1.0).abs();
    assert!(percent < 5.0, "{found} instead of {expected}");
}

#[test]
fn throttling_board() {
    for kernel_tells in [true, false] {
        let result = result(&Facts::of(&record(true, kernel_tells))).unwrap();
        let fit = result.power_fit.unwrap();
        near(fit.tau_s.unwrap().value, 8.0);
        near(fit.k_per_w.value, 12.0);
        near(fit.ambient_celsius.value, 25.0);
        let throttle = result.throttle.clone().unwrap();
        // Half a second between samples, a second between scores.
        assert!((7_500..=8_500).contains(&throttle.after_ms), "{throttle:?}");
        near(result.steady_clock_percent().unwrap(), 66.7);
        near(result.measured_khz.unwrap()[1], 1_200_000.0);
        near(result.milliwatts.unwrap()[1], 4000.0);
    }
}

#[test]
fn no_resistance_without_power() {
    let record = record(false, true);
    let result = result(&Facts::of(&record)).unwrap();
    assert_eq!(result.power_fit, Err("no power readings"));
    near(result.tau_s().unwrap().value, 8.0);
    near(result.above_idle_k.unwrap(), 30.0);
    let text = text(&Facts::of(&record));
    assert!(text.contains("thermal resistance     unknown: no power readings"), "{text}");
    assert!(text.contains("1800 MHz cold, 1200 MHz sustained (67 %)"), "{text}");
}

/// Resistance and ambient temperature are indistinguishable while the load runs.
#[test]
fn no_resistance_from_load_phase_alone() {
    let mut record = record(true, true);
    record.steps.retain(|step| step.workload == WorkloadId::Heat);
    let result = result(&Facts::of(&record)).unwrap();
    assert!(result.power_fit.unwrap_err().contains("only the load"), "{result:?}");
    assert!(result.above_idle_k.is_err());
    assert!(text(&Facts::of(&record)).contains("only the load was recorded"));
}

#[test]
fn two_heatsinks_can_be_compared() {
    let record = record(true, true);
    let facts = Facts::of(&record);
    let figures = facts.figures();
    let value = |key: &str| {
        let found = figures.iter().find(|figure| figure.key.as_str().ends_with(key));
        found.unwrap().value
    };
    near(value("resistance"), 12.0);
    near(value("sustained clock"), 66.7);
    near(value("first throttled"), 8.0);
}

#[test]
fn other_runs_are_no_thermal_test() {
    assert_eq!(result(&Facts::of(&own_run())), None);
    assert_eq!(text(&Facts::of(&own_run())), "");
}

/// A thermometer that reads 0 or -273 °C now and then is absent at that moment.
#[test]
fn readings_of_an_absent_thermometer_do_not_count() {
    let mut spoiled = record(true, true);
    let channels = &mut spoiled.samples.channels;
    let zone = channels.iter_mut().find(|channel| channel.is_temperature());
    let values = &mut zone.unwrap().values;
    for (row, value) in values.iter_mut().enumerate() {
        match row % 20 {
            5 => *value = Some(0),
            13 => *value = Some(-273_150),
            _ => {}
        }
    }
    let result = result(&Facts::of(&spoiled)).unwrap();
    near(result.power_fit.unwrap().k_per_w.value, 12.0);
    assert!(result.temperature.unwrap()[0] > 20.0);
}
