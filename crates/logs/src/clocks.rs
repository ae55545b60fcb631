//! Clock measurements: every OPP before the benchmarks, again after them, all CPUs at once.
//!
//! The meaning of `Measured:` changed four times between 0.4 and 0.9.7 (a raw value, the maximum, the mean); only the
//! three raw values are the same in all versions. The reader keeps them in descending order, with the printed value.
//! Lines of the Raspberry Pi have no raw values since 0.8.4.

use super::draft::{Draft, MeasuredCluster, done};
use super::sections::{Line, Section};
use super::text;
use record::{ClockPoint, Clocks, Fact, StepMeasurement, Variant, WorkloadId};

/// Maximum plausible number of clusters.
const CLUSTERS_MAX: usize = 512;

/// Reads `Checking cpufreq OPP for cpu0-cpu3 (Cortex-A55):` and its rows.
pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading();
    let mut cluster = MeasuredCluster::default();
    let announced = heading.text.trim_start().starts_with("Checking");
    if announced {
        cluster = heading_cluster(heading.text);
    }
    let is_start =
        draft.log.version.is_empty() && draft.machine.distribution.known().is_none() && draft.steps.is_empty();
    if !announced && is_start {
        // A log that was cut within these rows has lost the fastest of them.
        section.lines.iter().filter(|line| !line.is_blank()).for_each(|line| draft.unread(line));
        return;
    }
    let rows = if announced { section.body() } else { section.lines };
    let mut points = Vec::new();
    let mut pass = Pass { method: 0, variant: if draft.second_pass { Variant::HOT_AFTER } else { Variant::COLD } };
    for line in rows.iter().filter(|line| !line.is_blank()) {
        if let Some(own) = own_pass(line.text) {
            pass = own;
            continue;
        }
        match row(line, cluster.cpus.first().copied()) {
            Some(row) => {
                cluster.opps_khz.extend(row.point.opp_khz);
                points.push(row.point);
                if row.partly {
                    draft.unread(line);
                }
            }
            None if super::unheaded::is_note(line.text) => super::unheaded::note(line, draft),
            None => draft.unread(line),
        }
    }
    let first = cluster.cpus.first();
    let known = |seen: &MeasuredCluster| seen.cpus.first() == first;
    if !draft.second_pass && draft.clusters.len() < CLUSTERS_MAX && !draft.clusters.iter().any(known) {
        draft.clusters.push(cluster);
    }
    add_points(draft, pass, points, heading.number);
}

/// Reads `Testing clockspeeds again. System health now:` with one row of the monitoring.
pub(super) fn read_again(section: &Section<'_, '_>, draft: &mut Draft) {
    draft.second_pass = true;
    super::monitor::read_health(section, draft);
}

/// Reads `Measuring highest clockspeeds for all cores in parallel (idle):` and rows `cpu0: 2991/2999 MHz
/// (2991.997/2991.789/2991.720)`: measured, advertised, raw.
pub(super) fn read_parallel(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading();
    let loaded = heading.text.contains("full load");
    let alone = heading.text.contains("alone");
    let mut pass = Pass { method: 0, variant: if loaded { Variant::PARALLEL_LOADED } else { Variant::PARALLEL_IDLE } };
    let mut points = Vec::new();
    for line in section.body().iter().filter(|line| !line.is_blank()) {
        if let Some(own) = own_pass(line.text) {
            pass = own;
            continue;
        }
        match parallel_row(line) {
            Some(point) => points.push(ClockPoint { all_cpus_at_once: !alone, ..point }),
            None => draft.unread(line),
        }
    }
    add_points(draft, pass, points, heading.number);
}

/// Method and variant of a clock pass. Passes of the bash program have method 0.
struct Pass {
    method: u32,
    variant: Variant,
}

/// Parses `(sbc-bench clock@1 cold-all-cpus)`, which this program writes below the headings of its own passes: it
/// measures at other times than the bash program, below the same headings.
fn own_pass(text: &str) -> Option<Pass> {
    let own = text.trim().strip_prefix("(sbc-bench clock@")?.strip_suffix(')')?;
    let (method, variant) = own.split_once(' ')?;
    Some(Pass { method: method.parse().ok()?, variant: variant.to_owned().into() })
}

/// A pass over all clusters is one step.
fn add_points(draft: &mut Draft, pass: Pass, points: Vec<ClockPoint>, line: u32) {
    if points.is_empty() {
        return;
    }
    let same = draft.clock_steps.get(&pass.variant).copied();
    if let Some(step) = same.and_then(|index| draft.steps.get_mut(index))
        && let record::Outcome::Done(StepMeasurement::Clock(clocks)) = &mut step.outcome
    {
        clocks.points.extend(points);
        return;
    }
    draft.clock_steps.insert(pass.variant.clone(), draft.steps.len());
    let clocks = StepMeasurement::Clock(Clocks { points });
    let step = done(WorkloadId::Clock, pass.method, pass.variant, clocks, line);
    draft.push(step);
}

fn heading_cluster(heading: &str) -> MeasuredCluster {
    let cpus = heading.split_once(" for ").and_then(|(_, rest)| {
        let end = rest.find([' ', ':']).unwrap_or(rest.len());
        text::cpu_ranges(&rest[..end])
    });
    MeasuredCluster {
        cpus: cpus.unwrap_or_default(),
        core_type: text::trailing_parenthesis(heading).map(str::to_string),
        opps_khz: Vec::new(),
    }
}

/// A row, and whether a part of it was implausible.
struct Row {
    point: ClockPoint,
    partly: bool,
}

fn row(line: &Line<'_>, cpu: Option<u32>) -> Option<Row> {
    let text = line.text.trim();
    let (opp, rest) = if let Some(rest) = text.strip_prefix("Cpufreq OPP:") {
        let (opp, rest) = text::leading_number(rest.trim_start())?;
        (Some(opp.checked_mul(1000)?), rest)
    } else {
        (None, text.strip_prefix("No cpufreq support")?)
    };
    let (before, measured) = rest.split_once("Measured")?;
    let firmware_khz = match before.trim().strip_prefix("ThreadX:") {
        Some(mhz) => Some(mhz.trim().parse::<u32>().ok()?.checked_mul(1000)?),
        None => None,
    };
    let (on_cpu, measured) = measured.split_once(':')?;
    let named_cpu = on_cpu.split_whitespace().last().and_then(text::cpu_ranges);
    let cpu = named_cpu.and_then(|cpus| cpus.first().copied()).or(cpu);
    let measured = measured.trim();
    let (readings, printed_mhz, partly) = measured_values(measured)?;
    Some(Row {
        point: ClockPoint {
            cpu: cpu.unwrap_or_default(),
            is_cpu_unnamed: cpu.is_none(),
            opp_khz: opp,
            claimed_khz: Fact::not_in_log(),
            readings_khz: readings,
            printed_mhz,
            counter_khz: Fact::not_in_log(),
            firmware_khz,
            core_microvolts: volts(measured),
            line: Some(line.number),
            ..ClockPoint::default()
        },
        partly,
    })
}

/// Parses `1395 (a/b/c) ...`, `a/b/c` or `1785 @ 0.9098V`: raw values, printed value, and whether a raw value was not a
/// valid clock.
fn measured_values(text: &str) -> Option<(Vec<u32>, Option<u32>, bool)> {
    let end = text.find([' ', '(']).unwrap_or(text.len());
    let (first, rest) = text.split_at(end);
    if first.contains('/') {
        let (readings, partly) = readings(first)?;
        return Some((readings, None, partly));
    }
    let printed: u32 = first.parse().ok()?;
    let raw = rest.split_once('(').and_then(|(_, raw)| raw.split_once(')'));
    match raw {
        Some((raw, _)) if raw.contains('/') => {
            let (readings, partly) = readings(raw)?;
            Some((readings, Some(printed), partly))
        }
        _ => Some((Vec::new(), Some(printed), false)),
    }
}

/// Parses `a/b/c` to kHz in descending order, and whether a part was dropped.
fn readings(text: &str) -> Option<(Vec<u32>, bool)> {
    let count = text.split('/').count();
    if count > 16 {
        return None;
    }
    let mut readings: Vec<u32> = text.split('/').filter_map(text::mhz_to_khz).collect();
    readings.sort_unstable_by(|a, b| b.cmp(a));
    let partly = readings.len() < count;
    Some((readings, partly))
}

/// Parses `@ 0.8650V/0.8690V` to microvolts.
fn volts(text: &str) -> Vec<u32> {
    let Some((_, volts)) = text.split_once('@') else { return Vec::new() };
    let volts = volts.split_whitespace().next().unwrap_or_default();
    volts
        .split('/')
        .filter_map(|volts| text::decimal(volts.strip_suffix('V')?))
        .filter(|volts| (0.0..100.0).contains(volts))
        .map(|volts| (volts * 1e6).round() as u32)
        .collect()
}

fn parallel_row(line: &Line<'_>) -> Option<ClockPoint> {
    let (cpu, rest) = line.text.trim().strip_prefix("cpu")?.split_once(':')?;
    let (values, raw) = rest.split_once("MHz")?;
    let (printed, claimed) = values.trim().split_once('/')?;
    let raw = raw.trim().strip_prefix('(')?;
    let raw = raw.split(')').next().unwrap_or(raw);
    Some(ClockPoint {
        cpu: cpu.trim().parse().ok()?,
        claimed_khz: text::mhz_to_khz(claimed).map_or_else(Fact::not_in_log, Fact::Known),
        readings_khz: readings(raw)?.0,
        printed_mhz: printed.trim().parse().ok(),
        counter_khz: Fact::not_in_log(),
        line: Some(line.number),
        ..ClockPoint::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, opp: Option<u32>, readings: &[u32], printed: Option<u32>) -> ClockPoint {
        let line = Line { number: 7, text };
        let row = row(&line, Some(4)).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(row.point.opp_khz, opp, "{text}");
        assert_eq!(row.point.readings_khz, readings, "{text}");
        assert_eq!(row.point.printed_mhz, printed, "{text}");
        row.point
    }

    #[test]
    fn rows_of_all_versions() {
        check(
            "Cpufreq OPP: 400    Measured: 399.849/399.920/399.872",
            Some(400_000),
            &[399_920, 399_872, 399_849],
            None,
        );
        check(
            "Cpufreq OPP: 1400    Measured: 1395 (1396.1/1395.0/1396.9)",
            Some(1_400_000),
            &[1_396_900, 1_396_100, 1_395_000],
            Some(1395),
        );
        check(
            "Cpufreq OPP:  600    Measured:  590    (591.044/590.842/590.570)     (-1.7%)",
            Some(600_000),
            &[591_044, 590_842, 590_570],
            Some(590),
        );
        let pi = check(
            "Cpufreq OPP: 2400  ThreadX: 2400  Measured: 2399 @ 0.8650V/0.8690V",
            Some(2_400_000),
            &[],
            Some(2399),
        );
        assert_eq!(pi.core_microvolts, [865_000, 869_000]);
        assert_eq!(pi.firmware_khz, Some(2_400_000));
        let old_pi = check(
            "Cpufreq OPP: 1000    ThreadX: 1000    Measured: 998.9/998.1/998.2",
            Some(1_000_000),
            &[998_900, 998_200, 998_100],
            None,
        );
        assert_eq!(old_pi.cpu, 4);
        check(
            "No cpufreq support.  Measured: 1047 (1047.575/1047.470/1047.246)",
            None,
            &[1_047_575, 1_047_470, 1_047_246],
            Some(1047),
        );
        let named = check(
            "No cpufreq support available. Measured on cpu5: 1600 MHz (1600.1/1600.2/1600.3)",
            None,
            &[1_600_300, 1_600_200, 1_600_100],
            Some(1600),
        );
        assert_eq!(named.cpu, 5);
    }

    #[test]
    fn negative_reading_is_skipped_and_reported() {
        let line = Line { number: 1, text: "Cpufreq OPP: 100    Measured: 99 (99.1/-5.0/98.7)" };
        let row = row(&line, None).unwrap();
        assert!(row.partly && row.point.is_cpu_unnamed);
        assert_eq!(row.point.readings_khz, [99_100, 98_700]);
    }
}
