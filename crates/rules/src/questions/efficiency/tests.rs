//! Simulated efficiency walks: sweet spot, table and CSV, with and without a meter.

use super::*;
use crate::test_support::{compression, gauge_channel, labelled, own_run, point, with_clocks, with_step};
use facts::Facts;
use record::{MeterChannel, Unit, Wait};

/// Idle for 10 s, then 3 OPPs of 10 s each with these scores and milliwatts.
fn record(opps: &[(u32, u32, i64)]) -> Record {
    let mut record = own_run();
    record.run.mode = Mode::Efficiency;
    let mut power = vec![1_500_000; 20];
    record =
        with_step(record, WorkloadId::Wait, Variant::IDLE, &[], (0.0, 9.9), StepMeasurement::Wait(Wait::default()));
    for (index, (khz, mips, milliwatts)) in opps.iter().enumerate() {
        let start = 10.0 * (index + 1) as f64;
        record = with_clocks(record, Variant::OPP, vec![point(0, *khz, *khz)]);
        record =
            with_step(record, WorkloadId::SevenZip, Variant::OPP, &[0, 1], (start, start + 9.9), compression(*mips));
        let last = record.steps.len();
        for step in &mut record.steps[last - 2..] {
            step.set_clock = Some(SetClock::Khz(*khz));
            step.cpus = vec![0, 1];
        }
        power.extend([*milliwatts * 1000; 20]);
    }
    record = gauge_channel(record, ChannelId::meter(MeterChannel::Power), Unit::Microwatts, &power);
    let mut temperatures = vec![47_000; power.len()];
    temperatures[0] = 46_000;
    record = gauge_channel(record, ChannelId::zone_temperature(0), Unit::Millicelsius, &temperatures);
    labelled(record, "cpu-thermal")
}

#[test]
fn sweet_spot_is_where_work_is_cheapest() {
    let record = record(&[(600_000, 1000, 1900), (1_200_000, 2000, 2500), (1_800_000, 3000, 4600)]);
    let walk = &walks(&Facts::of(&record))[0];
    assert_eq!((walk.cpus.as_slice(), walk.unit.as_str()), (&[0, 1][..], "MIPS"));
    assert_eq!(walk.sweet_spot, Some(1));
    assert_eq!(idle(&Facts::of(&record)).milliwatts, Some(1500.0));
    assert_eq!(walk.points[1].milliwatts, Some(2500.0));
    assert_eq!(walk.points[1].measured_khz, Some(1_200_000));
    let text = text(&Facts::of(&record));
    let row = " 1200 / 1200:     2000   47.0°C    2500mW    1.250  <- sweet spot\n";
    assert!(text.contains(row), "{text}");
    let row = "\"0-1\",1200000,1200000,2000.000,MIPS,1,,10.000,47.000,2500.000,1500.000,1.250,1,\n";
    let table = csv(&Facts::of(&record));
    assert!(table.contains(row), "{table}");
}

#[test]
fn skipped_opps_are_listed() {
    let mut record = record(&[(600_000, 1000, 1900), (1_800_000, 3000, 4600)]);
    for (opps, expected) in [
        (
            &[312_000, 408_000, 600_000, 1_800_000][..],
            "Not tested: 312, 408 MHz (OPPs below 600 MHz take minutes each; set MinKHz=312000 to include them).",
        ),
        (&[600_000, 1_200_000, 1_800_000], "Not tested: 1200 MHz (outside MinKHz and MaxKHz, or not reached)."),
    ] {
        record.machine.policies[0].opps_khz = opps.to_vec();
        assert!(text(&Facts::of(&record)).contains(expected), "{}", text(&Facts::of(&record)));
    }
    record.machine.policies[0].opps_khz = vec![600_000, 1_800_000];
    assert!(!text(&Facts::of(&record)).contains("Left out"));
}

#[test]
fn table_without_power_meter() {
    let mut record = record(&[(600_000, 1000, 1900), (1_800_000, 3000, 4600)]);
    record.samples.channels.retain(|channel| channel.unit != Unit::Microwatts);
    let walk = &walks(&Facts::of(&record))[0];
    assert_eq!((walk.sweet_spot, walk.anomalies.len()), (None, 0));
    assert!(text(&Facts::of(&record)).contains("no power meter"));
    assert_eq!(walks(&Facts::of(&own_run())), []);
    assert_eq!(text(&Facts::of(&own_run())), "");
}
