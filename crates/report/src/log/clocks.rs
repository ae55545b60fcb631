//! Clock sections: every OPP before the workloads, the top OPP again under load and afterwards.

use super::cpus_name;
use facts::Facts;
use facts::figures::main::done;
use record::{ClockPoint, Clocks, Record, Step, StepMeasurement, Total, Variant, WorkloadId};
use std::fmt::Write;

/// Minimum deviation that is printed, in thousandths.
const DEVIATION_PERMILLE: f64 = 10.0;

/// First pass: every OPP of every cluster, then every CPU alone, then all together.
pub(super) fn cold(record: &Record) -> String {
    let mut text = opp_blocks(record, Variant::COLD);
    text.push_str(&cpu_block(record, Variant::COLD_CORES, "Measuring every CPU alone:"));
    text.push_str(&cpu_block(
        record,
        Variant::COLD_ALL_CPUS,
        "Measuring highest clockspeeds for all cores in parallel (idle):",
    ));
    text
}

/// Second pass: during and after the load.
pub(super) fn hot(facts: &Facts<'_>) -> String {
    let loaded =
        cpu_block(facts, Variant::HOT_LOADED, "Measuring highest clockspeeds for all cores in parallel (full load):");
    let after = opp_blocks(facts, Variant::HOT_AFTER);
    if loaded.is_empty() && after.is_empty() {
        return String::new();
    }
    let mut text = "Testing maximum cpufreq again, still under full load. System health now:\n\n".to_owned();
    if let Some(row) = super::monitor::last_row(facts) {
        let _ = write!(text, "{row}\n\n");
    }
    text.push_str(&loaded);
    text.push_str(&after);
    text
}

/// One block for every step of this variant: heading and a row for every OPP.
fn opp_blocks(record: &Record, variant: Variant) -> String {
    let mut text = String::new();
    for (step, clocks) in passes(record, variant) {
        // In a log all clusters are one pass.
        for points in clocks.points.chunk_by(|a, b| a.cpu == b.cpu) {
            text.push_str(&opp_heading(record, points[0].cpu));
            text.push_str(&own_pass(step));
            for point in points {
                let _ = writeln!(text, "{}", opp_row(point));
            }
            text.push('\n');
        }
    }
    text
}

/// `(sbc-bench clock@1 cold)`, by which a reader tells a pass of this program from one of the bash program.
fn own_pass(step: &Step) -> String {
    if step.method == 0 {
        return String::new();
    }
    format!("(sbc-bench {}@{} {})\n\n", step.workload, step.method, step.variant)
}

fn opp_heading(record: &Record, cpu: u32) -> String {
    let clusters = &record.machine.clusters;
    if clusters.len() > 1 {
        let cluster = clusters.iter().find(|cluster| cluster.cpus.contains(&cpu));
        let name = cpus_name(record, cluster.map_or(&[cpu], |cluster| &cluster.cpus));
        return format!("Checking cpufreq OPP for {name}:\n\n");
    }
    let core_type = clusters.first().and_then(|c| c.core_type.known());
    let core_type = core_type.map_or(String::new(), |name| format!(" ({name})"));
    format!("Checking cpufreq OPP{core_type}:\n\n")
}

fn passes(record: &Record, variant: Variant) -> impl Iterator<Item = (&Step, &Clocks)> {
    let steps = record.steps_of(WorkloadId::Clock).filter(move |step| step.variant == variant);
    steps.filter_map(|step| match done(step)? {
        StepMeasurement::Clock(clocks) => Some((step, clocks)),
        _ => None,
    })
}

/// `Cpufreq OPP: 2208    Measured: 2306 (2306.938/2306.459/2306.273)     (+4.4%)`
fn opp_row(point: &ClockPoint) -> String {
    if let (Some(opp_khz), Some(mhz), []) = (point.opp_khz, point.printed_mhz, &*point.readings_khz) {
        return printed_row(point, opp_khz, mhz);
    }
    let (mean, triple) = readings(point);
    let Some(opp_khz) = point.opp_khz else {
        return format!("No cpufreq support.  Measured: {mean:>4} {triple}");
    };
    let mut row = format!("Cpufreq OPP: {:>4}    Measured: {mean:>4} {triple:>28}", opp_khz / 1000);
    if let Some(deviation) = deviation_percent(point, opp_khz) {
        let _ = write!(row, "{:>12}", format!("({deviation:+.1}%)"));
    }
    row
}

/// `Cpufreq OPP: 2400  ThreadX: 2400  Measured: 2399 @ 0.8650V`: row of a log without single readings.
fn printed_row(point: &ClockPoint, opp_khz: u32, mhz: u32) -> String {
    let mut row = format!("Cpufreq OPP: {:>4}", opp_khz / 1000);
    if let Some(firmware_khz) = point.firmware_khz {
        let _ = write!(row, "  ThreadX: {:>4}", firmware_khz / 1000);
    }
    let _ = write!(row, "  Measured: {mhz:>4}");
    let volts = point.core_microvolts.iter();
    let volts: Vec<String> = volts.map(|microvolts| format!("{:.4}V", f64::from(*microvolts) / 1e6)).collect();
    if !volts.is_empty() {
        let _ = write!(row, " @ {}", volts.join("/"));
    }
    row
}

fn readings(point: &ClockPoint) -> (String, String) {
    let khz = &point.readings_khz;
    if khz.is_empty() {
        return ("-".to_owned(), "(not measured)".to_owned());
    }
    let mut sorted = khz.clone();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let mean = sorted.iter().map(|khz| u64::from(*khz)).total::<u64>() / sorted.len() as u64 / 1000;
    let mhz = sorted.iter().map(|khz| format!("{:.3}", f64::from(*khz) / 1000.0));
    (mean.to_string(), format!("({})", mhz.collect::<Vec<_>>().join("/")))
}

/// Deviation in whole thousandths of the ratio of whole MHz, as in logs of the bash program.
fn deviation_percent(point: &ClockPoint, opp_khz: u32) -> Option<f64> {
    let readings = &point.readings_khz;
    let sum: u64 = readings.iter().map(|khz| u64::from(*khz)).total();
    let mean_mhz = sum / readings.len().max(1) as u64 / 1000;
    let permille = (mean_mhz * 1000 / u64::from(opp_khz / 1000).max(1)) as f64 - 1000.0;
    (!readings.is_empty() && permille.abs() > DEVIATION_PERMILLE).then_some(permille / 10.0)
}

/// `cpu0: 2991/2999 MHz (2991.997/2991.789/2991.720)`: measured and advertised.
fn cpu_block(record: &Record, variant: Variant, heading: &str) -> String {
    let mut text = String::new();
    for (step, clocks) in passes(record, variant) {
        let _ = write!(text, "{heading}\n\n{}", own_pass(step));
        for point in &clocks.points {
            let (mean, triple) = readings(point);
            let claimed = point.claimed_khz.known().map(|khz| (khz / 1000).to_string());
            let claimed = claimed.unwrap_or_else(|| "-".to_owned());
            let _ = writeln!(text, "cpu{}: {mean}/{claimed} MHz {triple}", point.cpu);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Fact;

    fn point(opp_khz: Option<u32>, readings_khz: &[u32]) -> ClockPoint {
        ClockPoint { opp_khz, readings_khz: readings_khz.to_vec(), ..ClockPoint::default() }
    }

    #[test]
    fn row_without_readings_is_kept_as_it_was_printed() {
        let mut printed = point(Some(2_400_000), &[]);
        printed.printed_mhz = Some(2399);
        printed.firmware_khz = Some(2_400_000);
        printed.core_microvolts = vec![865_000, 869_000];
        assert_eq!(opp_row(&printed), "Cpufreq OPP: 2400  ThreadX: 2400  Measured: 2399 @ 0.8650V/0.8690V");
    }

    #[test]
    fn classic_row_format() {
        for (opp_khz, readings_khz, expected) in [
            (
                Some(2_208_000),
                &[2_306_459, 2_306_938, 2_306_273][..],
                "Cpufreq OPP: 2208    Measured: 2306 (2306.938/2306.459/2306.273)     (+4.4%)",
            ),
            (
                Some(600_000),
                &[591_044, 590_842, 590_570],
                "Cpufreq OPP:  600    Measured:  590    (591.044/590.842/590.570)     (-1.7%)",
            ),
            (
                Some(1_800_000),
                &[1_799_044, 1_798_842, 1_798_570],
                "Cpufreq OPP: 1800    Measured: 1798 (1799.044/1798.842/1798.570)",
            ),
            (
                None,
                &[1_047_575, 1_047_470, 1_047_246],
                "No cpufreq support.  Measured: 1047 (1047.575/1047.470/1047.246)",
            ),
        ] {
            assert_eq!(opp_row(&point(opp_khz, readings_khz)), expected);
        }
    }

    #[test]
    fn missing_measurement_is_dash() {
        let mut unread = point(Some(1_800_000), &[]);
        unread.claimed_khz = Fact::Known(1_800_000);
        assert_eq!(opp_row(&unread), "Cpufreq OPP: 1800    Measured:    -               (not measured)");
    }
}
