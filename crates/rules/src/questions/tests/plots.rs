//! Tests of all plots: runs with plots, and hostile Records that aim at the cost of a plot.

use crate::questions::plots;
use crate::test_support::{Chance, gauge_channel, own_run, with_step};
use facts::Facts;
use record::{ChannelId, ClockSeries, Mode, Record, Series, StepMeasurement, Unit, Variant, Window, WorkloadId};

#[test]
fn a_standard_run_has_no_plots() {
    assert_eq!(plots(&Facts::of(&own_run())), []);
}

/// A heat test of 20 s with temperatures and clocks.
fn heated() -> Record {
    let temps: Vec<i64> = (0..60).map(|row| 40_000 + 700 * row).collect();
    let record = gauge_channel(own_run(), ChannelId::zone_temperature(0), Unit::Millicelsius, &temps);
    let clocks: Vec<i64> = (0..60).map(|row| 1_800_000 - 10_000 * row).collect();
    let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &clocks);
    let mut record = gauge_channel(record, ChannelId::claimed(4), Unit::Kilohertz, &clocks);
    record.run.mode = Mode::Thermal;
    let series = Series {
        unit: "Gop/s".into(),
        higher_is_better: true,
        at_ms: (1..=20).map(|second| second * 1000).collect(),
        values: (1..=20).map(f64::from).collect(),
        clocks: vec![ClockSeries { cpu: 0, khz: vec![1_800_000; 20] }],
        ..Series::default()
    };
    with_step(record, WorkloadId::Heat, Variant::SIMD, &[], (5.0, 25.0), StepMeasurement::Series(series))
}

/// Every picture. Files must not contain NaN or infinity.
fn draw(record: &Record) -> usize {
    let plots = plots(&Facts::of(record));
    for (id, svg) in &plots {
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{id}");
    }
    plots.len()
}

#[test]
fn invalid_times_do_not_break_plots() {
    assert!(draw(&heated()) > 0);
    let check = |change: fn(&mut Record)| {
        let mut record = heated();
        change(&mut record);
        draw(&record);
    };
    check(|record| {
        let window = &mut record.steps.last_mut().unwrap().window;
        window.end_ms = window.start_ms;
    });
    check(|record| record.samples.at_ms[30] = 1_000_000_000_000_000);
    check(|record| *record.samples.at_ms.last_mut().unwrap() = 1_000_000_000_000_000);
    check(|record| {
        let window = &mut record.steps.last_mut().unwrap().window;
        *window = Window { start_ms: -1_000_000_000_000_000, end_ms: 1_000_000_000_000_000, ..Window::default() };
    });
    check(|record| {
        for step in &mut record.steps {
            if let record::Outcome::Done(StepMeasurement::Series(series)) = &mut step.outcome {
                series.values = vec![f64::NAN; 20];
                series.values[3] = f64::MAX;
                series.values[4] = f64::MIN;
                series.at_ms[7] = 1_000_000_000_000_000;
            }
        }
    });
    check(|record| record.samples.channels[0].values[7] = Some(1_000_000_000_000_000_000));
}

#[test]
fn plots_are_finite_for_any_numbers() {
    const ODD: [i64; 6] = [0, -1, 1, 1_000_000, -1_000_000_000_000, 1_000_000_000_000_000];
    fn mutate(value: &mut serde_json::Value, chance: &mut Chance) {
        match value {
            serde_json::Value::Number(number) if number.is_i64() && chance.uniform() < 0.02 => {
                let place = (chance.uniform() * ODD.len() as f64) as usize;
                *value = ODD[place % ODD.len()].into();
            }
            serde_json::Value::Array(all) => all.iter_mut().for_each(|v| mutate(v, chance)),
            serde_json::Value::Object(all) => all.values_mut().for_each(|v| mutate(v, chance)),
            _ => {}
        }
    }
    let heated = serde_json::to_value(heated()).unwrap();
    let mut drawn = 0;
    for seed in 1..=60 {
        let (mut value, mut chance) = (heated.clone(), Chance(seed));
        mutate(&mut value, &mut chance);
        // Numbers out of range of their type; the reader refuses those files.
        if let Ok(record) = serde_json::from_value(value) {
            drawn += draw(&record);
        }
    }
    assert!(drawn > 0);
}
