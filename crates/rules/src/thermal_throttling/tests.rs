//! Tests of causes of throttling: heat and others.

use super::RULE;
use crate::test_support::*;
use crate::tests::{findings_of, sentences};
use facts::Severity;
use record::{ChannelId, CpuChannel, RaspberryPiChannel, Record, Residency, Scope, Unit, Variant, WorkloadId};

/// 7-zip on all CPUs from the second second on, at these clocks and this temperature.
fn run(khz: &[i64], celsius: i64) -> Record {
    let end = khz.len() as f64 / 2.0;
    let record = with_step(own_run(), WorkloadId::OpenSsl, Variant::AES_256_CBC, &[0], (0.0, 1.4), compression(1));
    let record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (1.5, end), compression(1));
    let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, khz);
    let heat = vec![celsius * 1000; khz.len()];
    gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &heat)
}

const TOP: i64 = 1_800_000;
const LOW: i64 = 1_200_000;

#[test]
fn raised_cooling_device_is_throttling() {
    let record = run(&[TOP, TOP, TOP, TOP, LOW, LOW, LOW, LOW], 82);
    let states = [0, 0, 0, 0, 1, 2, 2, 2];
    let record = gauge_channel(record, ChannelId::Cooling(0), Unit::Count, &states);
    let record = labelled(record, "cpufreq-cpu0");
    let found = findings_of(RULE.id, &record);
    assert_eq!(
        found[0].sentence(),
        "The kernel throttled the CPUs, first after 2.0 s at 82.0 °C: under load the clock dropped from 1800 MHz \
         to 1200 MHz, average 1320 MHz (cooling device cpufreq-cpu0)."
    );
    assert_eq!(found[0].severity, Severity::Degraded);
    assert_eq!(found[0].value("temperature_at_first").unwrap().to_string(), "82.0 °C");
}

#[test]
fn clock_drop_needs_heat() {
    let khz = [TOP, TOP, TOP, TOP, LOW, LOW, LOW, TOP];
    assert_eq!(
        sentences(RULE.id, &run(&khz, 84)),
        ["During 7-zip on all CPUs, the clock dropped from 1800 MHz to 1200 MHz (average 1440 MHz) at up to 84.0 \
          °C."]
    );
    assert_eq!(sentences(RULE.id, &run(&khz, 49)), [""; 0]);
    assert_eq!(sentences(RULE.id, &run(&[TOP; 8], 95)), [""; 0]);
}

/// The time of the cause ends with the last lower clock, not with the workload.
#[test]
fn heat_lasts_as_long_as_the_clock_is_low() {
    let record = run(&[TOP, TOP, TOP, TOP, LOW, LOW, TOP, TOP, TOP, TOP], 84);
    let span = findings_of(RULE.id, &record)[0].span.unwrap();
    assert_eq!((span.from_ms, span.to_ms), (2_000, 2_500));
}

/// A hot start lowers the clock of workloads on one CPU; a lower clock in the cold, of an unpinned workload beside other
/// clocks, or of an x86 CPU has other reasons.
#[test]
fn heat_of_a_workload_on_one_cpu_is_throttling() {
    let khz = [LOW, LOW, LOW, LOW, TOP, TOP, TOP, TOP];
    for (celsius, arch, clocks, pinned, expected) in [
        (84, "aarch64", 1, &[0][..], 1),
        (84, "aarch64", 1, &[], 1),
        (49, "aarch64", 1, &[0], 0),
        (84, "aarch64", 2, &[], 0),
        (84, "aarch64", 2, &[0], 1),
        (92, "x86_64", 1, &[0], 0),
    ] {
        let mut record = own_run();
        record.machine.kernel_arch = record::Fact::Known(arch.into());
        let mut record = with_step(record, WorkloadId::SevenZip, Variant::SINGLE, pinned, (0.0, 2.0), compression(1));
        record.steps[0].threads = 1;
        let record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (2.0, 4.0), compression(1));
        let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &khz);
        let record =
            if clocks == 1 { record } else { gauge_channel(record, ChannelId::claimed(4), Unit::Kilohertz, &[TOP; 8]) };
        let record = gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &[celsius * 1000; 8]);
        let found = sentences(RULE.id, &record);
        assert_eq!(found.len(), expected, "{celsius} {arch} {clocks} {pinned:?}: {found:?}");
        assert!(found.iter().all(|sentence| sentence.starts_with("During 7-zip single-threaded,")), "{found:?}");
    }
}

#[test]
fn lowered_limit_is_throttling() {
    let record = run(&[TOP; 8], 90);
    let limits = [TOP, TOP, TOP, TOP, LOW, LOW, TOP, TOP];
    let record = gauge_channel(record, ChannelId::limit_max(0), Unit::Kilohertz, &limits);
    assert_eq!(findings_of(RULE.id, &record).len(), 1);
}

/// An efficiency walk lowers limits itself.
#[test]
fn limit_that_the_run_set_is_not_lowered_by_the_kernel() {
    let limits = [TOP, TOP, LOW, LOW, LOW, LOW, LOW, LOW];
    for (is_ours, expected) in [(true, 0), (false, 1)] {
        let record = run(&[TOP; 8], 90);
        let record = gauge_channel(record, ChannelId::limit_max(0), Unit::Kilohertz, &limits);
        let record = if is_ours { with_limit_set(record, 0, 900, LOW as u32) } else { record };
        assert_eq!(findings_of(RULE.id, &record).len(), expected, "{is_ours}");
    }
}

#[test]
fn x86_counters_count_from_the_start_of_the_run() {
    let events = |values: &[i64]| {
        let record = run(&[TOP; 8], 90);
        let record = counter(record, ChannelId::Cpu(0, CpuChannel::Throttles(Scope::Core)), Unit::Count, values);
        findings_of(RULE.id, &record).len()
    };
    assert_eq!(events(&[700; 8]), 0);
    assert_eq!(events(&[700, 700, 700, 700, 703, 710, 710, 710]), 1);
}

#[test]
fn idle_clusters_below_their_top_are_not_throttled() {
    let mut record = log("0.9.8");
    let mut after = state(None);
    after.residencies =
        vec![Residency { cpus: vec![0, 1, 2, 3], khz_ms: vec![(408_000, 1_977_000), (1_800_000, 900_000)] }];
    record.states.push(after);
    for (celsius, expected) in [(49, 0), (84, 1)] {
        let temp = [celsius * 1000];
        let record = gauge_channel(record.clone(), ChannelId::Soc, Unit::Millicelsius, &temp);
        assert_eq!(findings_of(RULE.id, &record).len(), expected);
    }
}

#[test]
fn firmware_that_throttles_shows_in_the_measured_clock() {
    let record = run(&[TOP; 8], 86);
    let record = with_clocks(record, Variant::COLD_ALL_CPUS, vec![point(0, 1_800_000, 1_799_000)]);
    let record = with_clocks(record, Variant::HOT_LOADED, vec![point(0, 1_800_000, 1_400_000)]);
    assert_eq!(
        sentences(RULE.id, &record),
        ["CPU 0 measured 1799 MHz cold and 1400 MHz under load at up to 86.0 °C, but cpufreq reports no change: the \
          firmware throttles."]
    );
}

/// The kernel does not see a limit of the firmware from the first moment on, and the loss by a weak supply is not heat.
#[test]
fn a_soft_limit_is_told_without_what_the_supply_took() {
    let kernel = [1_400_000; 8];
    let soft = [1_200_000; 8];
    let both = [600_000, 600_000, 600_000, 1_200_000, 600_000, 1_200_000, 600_000, 1_200_000];
    for (firmware, bits, celsius, expected) in [
        (soft, 0x0, 64, Some("from 1400 MHz to 1200 MHz (average 1200 MHz) at up to 64.0 °C")),
        (soft, 0x0, 55, None),
        (both, 0x1_0001, 64, Some("from 1400 MHz to 1200 MHz (average 1200 MHz) at up to 64.0 °C")),
        (both, 0x0, 64, Some("from 1400 MHz to 600 MHz (average 960 MHz) at up to 64.0 °C")),
        ([600_000; 8], 0x1_0001, 64, None),
    ] {
        let mut record = run(&kernel, celsius);
        record.source = log("0.4").source;
        let channel = ChannelId::RaspberryPi(RaspberryPiChannel::LogFirmwareClock);
        record = gauge_channel(record, channel, Unit::Kilohertz, &firmware);
        record.machine.policies[0].opps_khz = vec![600_000, 1_400_000];
        record.states = vec![state(None), state(Some(bits))];
        let found = sentences(RULE.id, &record);
        match expected {
            Some(words) => assert!(found.first().is_some_and(|first| first.contains(words)), "{found:?}"),
            None => assert_eq!(found, [""; 0], "{firmware:?} {bits:x}"),
        }
    }
}
