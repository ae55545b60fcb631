//! The whole text for a board, and its short form on large machines.

use super::*;
use crate::test_support::{own_run, point, with_clocks};
use facts::Facts;
use record::{Cluster, CounterClock, Cpu, Missing, Policy};

/// A reading with all values.
fn measured_point(cpu: u32, opp_khz: Option<u32>, measured_khz: u32) -> ClockPoint {
    let mut point = point(cpu, opp_khz.unwrap_or(0), measured_khz);
    point.opp_khz = opp_khz;
    point.claimed_khz = Fact::Known(1_800_000);
    point.readings_khz = vec![measured_khz + 500, measured_khz, measured_khz - 400];
    point.counter_khz = Fact::Known(measured_khz + 90);
    point.counters = vec![
        CounterClock { name: "perf armv8_cortex_a53".into(), khz: Fact::Known(measured_khz + 90) },
        CounterClock {
            name: "cpuinfo_avg_freq".into(),
            khz: Missing::absent("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_avg_freq").into(),
        },
    ];
    let windows = point.windows.as_mut().unwrap();
    windows.multiply_ratio = Some(3.0);
    windows.readings_us = vec![27_000, 4_400, 4_500];
    windows.ramp_us = Some(12_340);
    point
}

#[test]
fn clock_report_of_board() {
    let record = with_clocks(own_run(), Variant::AS_FOUND, vec![measured_point(0, None, 1_797_000)]);
    let opps = [1_800_000, 1_200_000, 408_000].map(|khz| measured_point(0, Some(khz), khz - 2_000));
    let record = with_clocks(record, Variant::COLD, opps.to_vec());
    let alone = (0..4).map(|cpu| measured_point(cpu, None, 1_797_000)).collect();
    let record = with_clocks(record, Variant::COLD_CORES, alone);
    let together = (0..4).map(|cpu| measured_point(cpu, None, 1_796_000)).collect();
    let record = with_clocks(record, Variant::COLD_ALL_CPUS, together);
    let text = REPORT.text(&explain::explain(&record), compare::reference::Reference::builtin);
    expect_test::expect![[r#"
        Clock of each CPU in MHz; usable: effective clock of a program; agree: timing
        windows that agree

        CPU       advertised    alone  all CPUs busy    usable   agree   2nd method
        0               1800   1797.0         1796.0   100.0 %  90.0 %      +0.01 %
        1               1800   1797.0         1796.0   100.0 %  90.0 %      +0.01 %
        2               1800   1797.0         1796.0   100.0 %  90.0 %      +0.01 %
        3               1800   1797.0         1796.0   100.0 %  90.0 %      +0.01 %

        OPPs of CPUs 0-3, measured on CPU 0 in MHz

           set   reported  measured  deviation  agree
           1800      1800    1798.0     -0.1 %   90 %
           1200      1800    1198.0     -0.2 %   90 %
           408       1800     406.0     -0.5 %   90 %

        Clock ramp of CPU 0 from idle: 12.3 ms.
        Second method perf armv8_cortex_a53: within 0.01 % of the first on CPUs 0-3.
        Second method cpuinfo_avg_freq: not available
           (/sys/devices/system/cpu/cpuN/cpufreq/cpuinfo_avg_freq does not exist).
        Second method cpuinfo_avg_freq: not available
           (/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_avg_freq does not exist).
        One reading takes 4.5 ms; 3 of one CPU agree within 0.05 %.
        A multiplication takes 3.00 cycles at this clock.
           Measured clocks match the advertised ones (largest deviation -0.1 %).
    "#]]
    .assert_eq(&text);
    assert!(text.lines().all(|line| line.chars().count() <= 80));
}

#[test]
fn many_cpus_that_are_alike_share_a_line() {
    let mut record = own_run();
    let cpus: Vec<u32> = (0..128).collect();
    record.machine.cpus = vec![Cpu::default(); 128];
    record.machine.clusters = vec![Cluster { cpus: cpus.clone(), ..Cluster::default() }];
    record.machine.policies =
        vec![Policy { cpus: cpus.clone(), clock_khz_max: Fact::Known(3_000_000), ..Policy::default() }];
    let clock = |cpu: &u32| measured_point(*cpu, None, if *cpu == 77 { 2_400_000 } else { 3_000_000 + cpu });
    let record = with_clocks(record, Variant::COLD_CORES, cpus.iter().map(clock).collect());
    let text = super::cpus(&record);
    let heads: Vec<&str> = text.lines().filter_map(|l| l.split_whitespace().next()).collect();
    assert_eq!(heads[heads.len() - 3..], ["0-76", "77", "78-127"]);
}

#[test]
fn clock_report_without_measurement() {
    assert!(render(&Facts::of(&own_run()), &[]).starts_with("No clocks were measured."));
}

#[test]
fn reason_is_printed_once() {
    let emulated = || Missing::unsupported("cpu0", "this CPU is emulated");
    let mut record = with_clocks(own_run(), Variant::AS_FOUND, Vec::new());
    record = with_clocks(record, Variant::COLD, Vec::new());
    for step in &mut record.steps {
        step.outcome = record::Outcome::Skipped(emulated());
    }
    let text = render(&Facts::of(&record), &[]);
    assert!(text.ends_with("Not measured (as found, cold): this CPU is emulated.\n"), "{text}");
}
