//! Boards whose power is known at every millisecond, with meters that see less of it.

use super::*;
use crate::test_support::{Chance, compression, labelled, own_run, with_channel, with_step};
use record::{
    AllCpus, ChannelId, ChannelKind, CpuPercent, Gap, HwmonChannel, HwmonKind, MeterChannel, MeterOutput, Missing,
    Record, Total, Unit, Variant,
};

const IDLE_W: f64 = 2.2;
/// Three loads of 30 s between times of rest.
const STEPS_MS: [(i64, i64); 3] = [(20_130, 50_130), (60_570, 90_570), (100_910, 130_910)];
const END_MS: i64 = 145_000;

/// Power under load in watts, by the time since it began and a random number.
type Profile = fn(f64, f64) -> f64;

const PROFILES: [(&str, Profile); 12] = [
    ("constant", |_, _| 5.5),
    ("rising", |s, _| 4.0 + s / 15.0),
    ("throttled", |s, _| if s < 8.0 { 7.0 } else { 4.5 }),
    ("slow waves", |s, _| 5.0 + 0.4 * (s * 0.9).sin()),
    ("two phases", |s, _| if s % 7.4 < 3.7 { 5.0 } else { 6.0 }),
    ("noise", |_, chance| 5.0 + 0.3 * (chance - 0.5)),
    ("heating", |s, _| 5.0 + 0.8 * (1.0 - (-s / 9.0).exp())),
    ("falling", |s, _| 5.0 + 2.0 * (-s / 6.0).exp()),
    ("late start", |s, _| 2.2 + 3.8 * s.min(1.0)),
    ("pauses", |s, _| if s % 5.0 < 4.9 { 5.5 } else { 3.0 }),
    ("small load", |_, _| 2.5),
    ("server", |s, chance| 80.0 + 5.0 * (s * 0.4).cos() + chance),
];

/// Power in watts of every millisecond.
fn truth(profile: Profile, chance: &mut Chance) -> Vec<f64> {
    let at = |at_ms: i64| {
        let load = STEPS_MS.iter().find(|(from, to)| (*from..*to).contains(&at_ms));
        (load.copied(), at_ms)
    };
    let mut noise = 0.5;
    let mut watts = |(load, at_ms): (Option<(i64, i64)>, i64)| {
        // Noise of the load changes every 40 ms.
        if at_ms % 40 == 0 {
            noise = chance.uniform();
        }
        load.map_or(IDLE_W, |(from, _)| profile((at_ms - from) as f64 / 1000.0, noise))
    };
    (0..END_MS).map(|at_ms| watts(at(at_ms))).collect()
}

/// A meter.
#[derive(Debug, Clone, Copy)]
struct Meter {
    period_ms: i64,
    resolution_mw: f64,
    delay_ms: i64,
    /// True if it reads the mean since its last reading, false for the power of a moment.
    averages: bool,
}

/// Record of such a run. A row of the sampler contains new readings only.
fn record(truth: &[f64], meter: Meter, chance: &mut Chance) -> Record {
    let row_ms = meter.period_ms.min(500);
    let phase = (chance.uniform() * meter.period_ms as f64) as i64;
    let mut record = own_run();
    for (from, to) in STEPS_MS {
        let window = (from as f64 / 1000.0, to as f64 / 1000.0);
        record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], window, compression(6000));
    }
    let mean = |from: i64, to: i64| {
        let [from, to] = [from, to].map(|at| at.clamp(0, truth.len() as i64) as usize);
        if to > from { truth[from..to].iter().total::<f64>() / (to - from) as f64 } else { IDLE_W }
    };
    let reading = |at_ms: i64| {
        let seen = at_ms - meter.delay_ms;
        let watts = if meter.averages { mean(seen - meter.period_ms, seen) } else { mean(seen, seen + 1) };
        ((watts * 1000.0 / meter.resolution_mw).round() * meter.resolution_mw * 1000.0) as i64
    };
    let rows: Vec<i64> = (0..END_MS / row_ms).map(|row| row * row_ms).collect();
    let number = |at_ms: i64| (at_ms - phase).div_euclid(meter.period_ms);
    let power = rows.iter().map(|at_ms| {
        let is_new = number(*at_ms) > number(at_ms - row_ms);
        is_new.then(|| reading(number(*at_ms) * meter.period_ms + phase))
    });
    let busy = rows.iter().map(|at_ms| {
        let overlap = |(from, to): &(i64, i64)| (at_ms.min(to) - (at_ms - row_ms).max(*from)).max(0);
        Some(1 + 99 * STEPS_MS.iter().map(overlap).total::<i64>() / row_ms)
    });
    let (power, busy): (Vec<_>, Vec<_>) = (power.collect(), busy.collect());
    let channel = |id, unit, values| record::Channel { values, ..record::Channel::new(id, unit, ChannelKind::Gauge) };
    record.samples.interval_ms = row_ms as u64;
    record.samples.channels = vec![
        channel(ChannelId::meter(MeterChannel::Power), Unit::Microwatts, power),
        channel(ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy)), Unit::Percent, busy),
    ];
    record.samples.at_ms = rows;
    record
}

#[test]
fn joules_are_within_their_interval() {
    let mut chance = Chance(0x5eed);
    let (mut inside, mut all) = (0, 0);
    let (mut outside, mut halves) = (Vec::new(), Vec::new());
    for (name, profile) in PROFILES {
        let truth = truth(profile, &mut chance);
        for (period_ms, resolution_mw, delay_ms) in [
            (1000, 0.1, 0),
            (1000, 1.0, 2300),
            (1000, 10.0, 700),
            (1000, 100.0, 5000),
            (1000, 100.0, 0),
            (100, 0.1, 0),
            (100, 10.0, 3000),
            (100, 100.0, 1100),
            (10, 1.0, 400),
        ] {
            for averages in [false, true] {
                let meter = Meter { period_ms, resolution_mw, delay_ms, averages };
                let record = record(&truth, meter, &mut chance);
                let facts = Facts::of(&record);
                let energy = facts.energy().as_ref().unwrap();
                for ((_, measured), (from, to)) in energy.steps.iter().zip(STEPS_MS) {
                    let measured = measured.as_ref().unwrap_or_else(|why| panic!("{name} {meter:?}: {why}"));
                    let joules = truth[from as usize..to as usize].iter().total::<f64>() / 1000.0;
                    all += 1;
                    let words = || {
                        let StepEnergy { joules_low: low, joules_high: high, .. } = measured;
                        format!("{name} {meter:?}: {joules:.2} J, {low:.2} to {high:.2}, late {:?}", energy.late_ms)
                    };
                    if (measured.joules_low..=measured.joules_high).contains(&joules) {
                        inside += 1;
                    } else {
                        outside.push(words());
                    }
                    if period_ms == 1000 {
                        halves.push(measured.percent());
                    }
                }
            }
        }
    }
    assert!(inside * 100 >= all * 95, "{inside} of {all}: {outside:#?}");
    // Half the interval, as printed behind "±". Timestamps of one second cannot resolve short pauses: those are wide, and correct.
    let below = |limit: f64| halves.iter().filter(|percent| **percent < limit).count();
    assert!(below(3.0) * 100 >= halves.len() * 98, "{} of {}", below(3.0), halves.len());
    // Both halves together. A resolution of 100 mW alone is 4 % of a load of 2.5 W.
    assert!(below(1.5) * 100 >= halves.len() * 75, "{} of {}", below(1.5), halves.len());
    assert!(median(&halves).unwrap() < 1.5, "{halves:?}");
}

/// A run of a steady load with a meter that reads once a second.
fn steady() -> Record {
    let mut chance = Chance(7);
    let truth = truth(|_, noise| 5.0 + 0.1 * noise, &mut chance);
    record(&truth, Meter { period_ms: 1000, resolution_mw: 1.0, delay_ms: 0, averages: true }, &mut chance)
}

/// Energy of the steps of a Record, with the power of the meter changed in place; the argument is time in milliseconds.
fn of_changed(change: impl Fn(i64, &mut Option<i64>), gap: Option<Gap>) -> Vec<Result<StepEnergy, String>> {
    let mut record = steady();
    let at_ms = record.samples.at_ms.clone();
    let power = &mut record.samples.channels[0];
    at_ms.iter().zip(&mut power.values).filter(|(_, value)| value.is_some()).for_each(|(at, value)| change(*at, value));
    power.gaps.extend(gap);
    let facts = Facts::of(&record);
    facts.energy().as_ref().unwrap().steps.iter().map(|(_, measured)| measured.clone()).collect()
}

#[test]
fn faults_of_a_meter_are_gaps_with_a_reason() {
    let second = |at_ms: i64| (60_570..90_570).contains(&at_ms);
    let unplugged = Gap { at_ms: 70_000, missing: Missing::unsupported("netio:plug", "connection refused") };
    type Change = fn(i64, &mut Option<i64>);
    let cases: [(Change, Option<Gap>, &str); 6] = [
        (|at, value| *value = value.filter(|_| !(70_000..75_000).contains(&at)), None, "no reading for "),
        (|at, value| *value = value.filter(|_| !(70_000..75_000).contains(&at)), Some(unplugged), "connection refused"),
        (
            |at, value| *value = value.map(|uw| if (70_000..75_000).contains(&at) { uw * 1000 } else { uw }),
            None,
            "jump from",
        ),
        (
            |at, value| *value = value.map(|uw| if (70_000..75_000).contains(&at) { uw / 1000 } else { uw }),
            None,
            "jump from",
        ),
        (
            |at, value| *value = value.map(|uw| if (70_000..72_000).contains(&at) { 0 } else { uw }),
            None,
            "reading of 0.00 W",
        ),
        (
            |at, value| *value = value.map(|uw| if (70_000..98_000).contains(&at) { 5_000_000 } else { uw }),
            None,
            "the same reading",
        ),
    ];
    for (change, gap, words) in cases {
        let steps = of_changed(change, gap);
        let is_other_known = steps[0].is_ok() && steps[2].is_ok();
        assert!(is_other_known, "{words}: {steps:?}");
        let why = steps[1].as_ref().unwrap_err();
        assert!(why.contains(words), "{words}: {why}");
    }
    assert!(of_changed(|at, value| *value = value.filter(|_| !second(at)), None)[1].is_err());
    assert!(of_changed(|_, _| (), None).iter().all(Result::is_ok));
}

/// Adds an energy counter with this step, which begins again at a limit.
fn with_counter(quantum_j: f64, limit_j: f64) -> Record {
    let mut record = steady();
    let mut joules = 1000.0;
    let power = record.samples.channels[0].values.clone();
    let values = power.iter().map(|power| {
        joules += (*power)? as f64 / 1e6;
        Some(((joules % limit_j / quantum_j).floor() * quantum_j * 1e6) as i64)
    });
    let id = ChannelId::meter(MeterChannel::Energy);
    let values = values.collect();
    record.samples.channels.push(record::Channel { values, ..record::Channel::of(id) });
    record
}

#[test]
fn counter_of_a_meter_tells_energy_if_it_is_finer() {
    for (quantum_j, limit_j, is_counted) in [(0.1, 1e9, true), (3600.0, 1e9, false), (0.1, 1300.0, false)] {
        let record = with_counter(quantum_j, limit_j);
        let facts = Facts::of(&record);
        let energy = facts.energy().as_ref().unwrap();
        let second = energy.steps[1].1.as_ref().unwrap();
        assert_eq!(second.is_counted, is_counted, "{quantum_j} {limit_j} {second:?}");
        assert!((150.0..152.5).contains(&second.joules), "{second:?}");
    }
    // Watt hours reported as joules.
    let mut record = with_counter(0.1, 1e9);
    record.samples.channels[2].values.iter_mut().flatten().for_each(|microjoules| *microjoules /= 3600);
    let facts = Facts::of(&record);
    let why = facts.energy().as_ref().unwrap().steps[1].1.clone().unwrap_err();
    assert!(why.contains("energy counter adds up to"), "{why}");
}

#[test]
fn energy_has_work_idle_power_and_another_source() {
    let mut record = steady();
    let rows = record.samples.at_ms.len();
    let power = record.samples.channels[0].values.clone();
    let id = ChannelId::Hwmon(0, HwmonChannel::Sensor(HwmonKind::Power, 1));
    // Behind a supply with a loss of 10 % and 0.3 W.
    let values: Vec<i64> = (0..rows).map(|_| 0).collect();
    let (interval, at_ms) = (record.samples.interval_ms, record.samples.at_ms.clone());
    record = labelled(with_channel(record, id, Unit::Microwatts, ChannelKind::Gauge, &values), "power_meter");
    record.samples.channels[2].values =
        power.iter().map(|power| power.map(|uw| (0.9 * uw as f64 - 300_000.0) as i64)).collect();
    (record.samples.interval_ms, record.samples.at_ms) = (interval, at_ms);
    let facts = Facts::of(&record);
    let energy = facts.energy().as_ref().unwrap();
    assert!((energy.idle_mw.unwrap() - 2200.0).abs() < 20.0, "{:?}", energy.idle_mw);
    let [other] = energy.others.as_slice() else { panic!("{:?}", energy.others) };
    let line = other.line.unwrap();
    let second = energy.steps[1].1.as_ref().unwrap();
    let above_idle = second.joules_above_idle.unwrap();
    assert!((above_idle - (second.joules - 30.0 * 2.2)).abs() < 1.0, "{second:?}");
    assert_eq!(second.drift_mw, None);
    assert!((line.slope - 0.9).abs() < 0.01 && (line.offset + 300.0).abs() < 20.0, "{line:?}");
    assert!(other.words().starts_with("power_meter at the input of the board"), "{}", other.words());
    let scores = score_energies(&facts);
    let (value, unit) = scores[0].work.clone().unwrap();
    assert!((value - 6000.0 / 5.05).abs() < 20.0 && unit == "MIPS/W", "{value} {unit}");
    let keys: Vec<&str> = facts.figures().iter().map(|figure| figure.key.as_str()).collect();
    let of_power = ["idle meter", "sevenzip@1 multi per-energy meter", "sevenzip@1 multi mean meter"];
    for key in of_power.map(|rest| format!("power@1 {rest}")) {
        assert!(keys.contains(&key.as_str()), "{key}: {keys:?}");
    }
    let silent = &mut record.samples.channels;
    silent.truncate(1);
    silent[0].values.fill(None);
    silent[0].source = "shelly:plug".into();
    silent[0].gaps = vec![Gap { at_ms: 0, missing: Missing::unsupported("", "command:echo ended without a reading") }];
    let why = Facts::of(&record).energy().clone().unwrap_err();
    assert_eq!(why, "the meter gave no power: command:echo ended without a reading");
    let values: Vec<i64> = vec![5_100; record.samples.at_ms.len()];
    let voltage = ChannelId::meter(MeterChannel::Voltage);
    let volts_only = with_channel(record.clone(), voltage, Unit::Millivolts, ChannelKind::Gauge, &values);
    let why = Facts::of(&volts_only).energy().clone().unwrap_err();
    assert_eq!(why, "the meter gave no power: shelly:plug gives a voltage but no power or current");
    let why = Facts::of(&own_run()).energy().clone().unwrap_err();
    assert_eq!(why, "no sensor measures power; use a power meter: `sbc-bench list meters`");
}

/// Readings of a second source, twice a second.
fn beside(mut record: Record, values: impl Fn(usize, Option<i64>) -> Option<i64>) -> Record {
    let power = record.samples.channels[0].values.clone();
    let mut channel = record.samples.channels[0].clone();
    channel.id = ChannelId::Meter(MeterOutput::of(2, None), MeterChannel::Power);
    channel.values = power.into_iter().enumerate().map(|(row, power)| values(row, power)).collect();
    if channel.values.iter().all(Option::is_none) {
        channel.gaps = vec![Gap { at_ms: 0, missing: Missing::unsupported("", "connection refused") }];
    }
    record.samples.channels.push(channel);
    record
}

#[test]
fn every_second_meter_is_told() {
    let constant = |mut record: Record| {
        let readings = record.samples.channels[0].values.iter_mut().flatten().enumerate();
        readings.for_each(|(number, uw)| *uw = 4_000_000 + 1_000 * (number as i64 % 5));
        record
    };
    for (record, expected) in [
        (beside(steady(), |_, _| None), "gave no power, because connection refused"),
        (
            beside(constant(steady()), |row, power| power.map(|_| 3_900_000 + 1_000 * (row as i64 % 7))),
            "power did not change enough",
        ),
        (beside(steady(), |row, power| power.map(|_| 3_000_000 + 1_000 * (row as i64 % 7))), "does not follow it"),
        (beside(steady(), |row, power| power.filter(|_| row < 8)), "too few readings are of the same time"),
    ] {
        let words = Facts::of(&record).energy().as_ref().unwrap().other_words().join("; ");
        assert!(words.contains(expected), "{expected}: {words}");
    }
}

#[test]
fn part_with_the_cpus_has_energy_under_its_own_name() {
    for (label, place, name) in [
        ("ina3221 VDD_IN", "module", "the module without the carrier board"),
        ("ina3221 VDD_CPU_GPU_CV", "the-cpu-gpu-and-cv-engines", "the CPU, GPU and CV engines"),
    ] {
        let mut record = steady();
        record.samples.channels[0].id = ChannelId::Hwmon(0, HwmonChannel::Sensor(HwmonKind::Power, 1));
        record.samples.channels[0].label = label.into();
        let facts = Facts::of(&record);
        let energy = facts.energy().as_ref().unwrap();
        assert!(energy.sentence().contains(name) && energy.steps[1].1.is_ok(), "{}", energy.sentence());
        assert!(source_of_board(&facts).unwrap_err().starts_with("no sensor measures the whole board"));
        let figures: Vec<_> = facts.figures().iter().filter(|figure| figure.key.is_power()).collect();
        assert!(!figures.is_empty() && figures.iter().all(|figure| figure.key.name() == place && !figure.is_main));
    }
    // The power of one rail is not that of a step.
    let mut record = steady();
    record.samples.channels[0].id = ChannelId::Hwmon(0, HwmonChannel::Sensor(HwmonKind::Power, 1));
    record.samples.channels[0].label = "ina3221 VDD_SOC".into();
    assert!(Facts::of(&record).energy().is_err());
}

#[test]
fn states_of_a_power_measurement_are_figures() {
    let mut record = steady();
    record.run.mode = POWER;
    for (at, variant) in [(0, "idle"), (1, "idle, performance"), (2, "off")] {
        record.steps[at].workload = WorkloadId::Wait.into();
        record.steps[at].variant = variant.into();
        record.steps[at].outcome = Outcome::Done(StepMeasurement::Wait(record::Wait::default()));
    }
    let facts = Facts::of(&record);
    let figures = facts.figures().iter().filter(|figure| figure.key.is_power());
    let names: Vec<String> = figures.clone().map(crate::figures::Figure::name).collect();
    let expected = ["idle", "idle, performance", "off"].map(|name| format!("power when {name}, at the meter"));
    assert_eq!(names, expected);
    // One number for the idle machine, even if its CPUs were never idle.
    let idle = figures.clone().next().unwrap().value;
    let energy = facts.energy().as_ref().unwrap();
    assert!((energy.idle_mw.unwrap() / 1000.0 - idle).abs() < 1e-9);
    assert!(energy.sentence().contains(&format!("idle {idle:.2} W")), "{}", energy.sentence());
}

#[test]
fn loads_of_different_numbers_of_cpus_have_figures_of_their_own() {
    let mut record = steady();
    for (step, count) in record.steps.iter_mut().zip([1, 2, 4]) {
        (step.workload, step.variant) = (WorkloadId::Flops.into(), "fp64".into());
        (step.cpus, step.threads) = ((0..count).collect(), count);
    }
    let facts = Facts::of(&record);
    let means = facts.figures().iter().filter(|figure| figure.key.is_power() && figure.key.as_str().contains(" mean "));
    let names: Vec<(&str, usize)> = means.map(|figure| (figure.key.as_str(), figure.repetitions)).collect();
    let expected =
        ["fp64", "fp64 on-2-cpus", "fp64 on-4-cpus"].map(|form| format!("power@1 flops@1 {form} mean meter"));
    assert_eq!(names, expected.each_ref().map(|key| (key.as_str(), 1)));
}
