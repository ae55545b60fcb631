//! Report: measured clocks next to the advertised ones: every CPU alone and with all others, every OPP, the time to
//! full clock, and the results of other methods.

use crate::tables::{Answer, Report, Subject};
use facts::lines::{sentences, unmeasured, wrapped};
use facts::stats::median;
use facts::text_table::{NO_VALUE, TextTable};
use facts::{Facts, Finding, view};
use record::{ClockPoint, Fact, QuestionId, Record, Variant, WorkloadId, cpu_list};
use std::fmt::Write;

/// The answer to it.
pub(super) const ANSWER: Answer =
    Answer { id: QuestionId::Clock, text: Answer::NO_TEXT, reports: &[REPORT], plots: &[], rules: &[] };

const REPORT: Report = Report {
    id: "clock",
    about: "Measured and advertised clocks: single CPUs, all CPUs, OPPs, ramps, cross-checks.",
    fits: |record| record.steps_of(WorkloadId::Clock).next().is_some(),
    ..Report::part(Subject::Clock, render)
};

/// Number of CPUs above which equal CPUs of a cluster share a line.
const LINES_MAX: usize = 16;
/// Clocks this close to each other are alike.
const ALIKE: f64 = 0.005;

fn render(facts: &Facts<'_>, findings: &[Finding]) -> String {
    let tables = [cpus(facts), opps(facts), hot(facts)];
    let mut text = tables.concat();
    let lines = [ramps(facts), methods(facts), checks(facts)].concat();
    for line in lines {
        let _ = writeln!(text, "{}", wrapped(&line, 3));
    }
    if text.is_empty() {
        text.push_str("No clocks were measured.\n");
    }
    text.push_str(&sentences(findings));
    for (why, passes) in not_measured(facts) {
        let line = if passes.is_empty() {
            format!("Not measured: {why}")
        } else {
            format!("Not measured ({}): {why}.", passes.join(", "))
        };
        let _ = writeln!(text, "{}", wrapped(&line, 3));
    }
    text
}

/// Distinct reasons, each with the passes that it ended.
fn not_measured(record: &Record) -> Vec<(String, Vec<String>)> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for line in unmeasured(record, Some(WorkloadId::Clock), &[]) {
        let (pass, why) = match line.strip_prefix("clock ").and_then(|line| line.split_once(": ")) {
            Some((pass, why)) => (Some(pass.to_owned()), why.to_owned()),
            None => (None, line),
        };
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, passes)) => passes.extend(pass),
            None => reasons.push((why, pass.into_iter().collect())),
        }
    }
    reasons
}

fn points<'a>(record: &'a Record, variant: &Variant) -> Vec<&'a ClockPoint> {
    let passes = view::clock_passes(record, variant);
    passes.flat_map(|(_, clocks)| &clocks.points).collect()
}

struct Row {
    cpus: Vec<u32>,
    points: Vec<ClockPoint>,
    together_khz: Vec<f64>,
}

fn cpus(record: &Record) -> String {
    let alone = points(record, &Variant::COLD_CORES);
    let together = points(record, &Variant::COLD_ALL_CPUS);
    if alone.is_empty() {
        return String::new();
    }
    let mut rows: Vec<Row> = Vec::new();
    for point in &alone {
        let other = together.iter().find(|other| other.cpu == point.cpu);
        let row = Row {
            cpus: vec![point.cpu],
            points: vec![(*point).clone()],
            together_khz: other.and_then(|point| khz(point)).into_iter().collect(),
        };
        match rows.last_mut() {
            Some(last) if alone.len() > LINES_MAX && is_alike(record, last, &row) => {
                last.cpus.extend(row.cpus);
                last.points.extend(row.points);
                last.together_khz.extend(row.together_khz);
            }
            _ => rows.push(row),
        }
    }
    let mut text = "Clock of each CPU in MHz; usable: effective clock of a program; agree: timing\nwindows that \
                    agree\n\nCPU       advertised    alone  all CPUs busy    usable   agree   2nd method\n"
        .to_owned();
    rows.iter().for_each(|row| text.push_str(&row.line(record)));
    text.push('\n');
    text
}

fn is_alike(record: &Record, last: &Row, row: &Row) -> bool {
    let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a / b - 1.0).abs() <= ALIKE,
        (a, b) => a.is_none() && b.is_none(),
    };
    let clusters = record.machine.clusters.iter();
    let is_one = |cpus: &[u32]| cpus.contains(&last.cpus[0]) && cpus.contains(&row.cpus[0]);
    let (last_point, point) = (&last.points[0], &row.points[0]);
    clusters.map(|c| c.cpus.as_slice()).any(is_one)
        && near(khz(last_point), khz(point))
        && near(median(&last.together_khz), median(&row.together_khz))
}

impl Row {
    fn line(&self, record: &Record) -> String {
        let middle = |figure: &dyn Fn(&ClockPoint) -> Option<f64>| {
            let values: Vec<f64> = self.points.iter().filter_map(figure).collect();
            median(&values)
        };
        let share = |figure: fn(&record::ClockWindows) -> f64| {
            let percent = middle(&|point| point.windows.as_ref().map(figure));
            percent.map_or("-".into(), |percent| format!("{percent:.1} %"))
        };
        let arrives = share(|w| 100.0 * f64::from(w.sustained_khz) / f64::from(w.best_khz.max(1)));
        let agree = share(|w| f64::from(w.agreeing_permille) / 10.0);
        let second = middle(&|point| {
            let counted = f64::from(*point.counter_khz.known()?);
            Some(100.0 * (counted / best_khz(point)? - 1.0))
        });
        let claimed = middle(&|point| claimed_khz(record, point));
        format!(
            "{:<12} {:>7} {:>8}  {:>13}  {arrives:>8} {agree:>7}   {:>10}\n",
            cpu_list(&self.cpus),
            mhz(claimed, 0),
            mhz(middle(&khz), 1),
            mhz(median(&self.together_khz), 1),
            second.map_or("-".into(), |percent| format!("{percent:+.2} %")),
        )
    }
}

fn claimed_khz(record: &Record, point: &ClockPoint) -> Option<f64> {
    let policies = record.machine.policies.iter();
    let mut own = policies.filter(|policy| policy.cpus.contains(&point.cpu));
    let claimed = own.find_map(|policy| policy.clock_khz_max.known().copied());
    claimed.or(point.claimed_khz.known().copied()).map(f64::from)
}

fn opps(record: &Record) -> String {
    let mut text = String::new();
    for (_, clocks) in view::clock_passes(record, &Variant::COLD) {
        let asked: Vec<&ClockPoint> = clocks.points.iter().filter(|p| p.opp_khz.is_some()).collect();
        let [first, _, ..] = asked.as_slice() else { continue };
        let cpus = cpu_list(&cluster_of(record, first.cpu));
        let _ = write!(text, "OPPs of CPUs {cpus}, measured on CPU {} in MHz\n\n", first.cpu);
        let header = ["set", "reported", "measured", "deviation", "agree"];
        let mut table = TextTable::new(header.map(str::to_owned).to_vec());
        for point in asked {
            let opp = point.opp_khz.map(f64::from);
            let measured = khz(point);
            let off = opp.zip(measured).map(|(opp, khz)| 100.0 * (khz / opp - 1.0));
            let agree = point.windows.as_ref().map(|w| w.agreeing_permille / 10);
            table.row(vec![
                mhz(opp, 0),
                mhz(point.claimed_khz.known().copied().map(f64::from), 0),
                mhz(measured, 1),
                off.map_or(NO_VALUE.into(), |off| format!("{off:+.1} %")),
                agree.map_or(NO_VALUE.into(), |agree| format!("{agree} %")),
            ]);
        }
        text.push_str(&table.text(usize::MAX));
        text.push('\n');
    }
    text
}

fn hot(record: &Record) -> String {
    let after = points(record, &Variant::HOT_AFTER);
    let mut text = String::new();
    for loaded in points(record, &Variant::HOT_LOADED) {
        let later = after.iter().find(|point| point.cpu == loaded.cpu);
        let _ = writeln!(
            text,
            "CPU {:<8} {:>8} MHz with all CPUs busy, {:>8} right after",
            loaded.cpu,
            mhz(khz(loaded), 1),
            mhz(later.and_then(|point| khz(point)), 1),
        );
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn ramps(record: &Record) -> Vec<String> {
    let line = |point: &&ClockPoint| {
        let windows = point.windows.as_ref()?;
        let cpu = point.cpu;
        let policies = record.machine.policies.iter();
        let mut own = policies.filter(|policy| policy.cpus.contains(&cpu));
        let governor = own.find_map(|policy| policy.governor.known());
        let governor = governor.map_or(String::new(), |name| format!(" (governor {name})"));
        Some(match windows.ramp_us {
            Some(0..1000) => format!("Clock ramp of CPU {cpu} from idle: immediate{governor}."),
            Some(us) => {
                let ms = f64::from(us) / 1000.0;
                format!("Clock ramp of CPU {cpu} from idle: {ms:.1} ms{governor}.")
            }
            None => format!(
                "Clock ramp of CPU {cpu} from idle: not measured; the clock was still rising at the end of the \
                 warm-up{governor}."
            ),
        })
    };
    points(record, &Variant::AS_FOUND).iter().filter_map(line).collect()
}

/// Result of each other method, or the reason why it is missing.
fn methods(record: &Record) -> Vec<String> {
    let mut found: Vec<(String, String, Vec<u32>, Vec<f64>)> = Vec::new();
    for point in points(record, &Variant::COLD_CORES) {
        for counter in &point.counters {
            let (words, off) = match (&counter.khz, best_khz(point)) {
                (Fact::Known(khz), Some(best)) => (String::new(), Some(f64::from(*khz) / best - 1.0)),
                (Fact::Missing { missing }, _) => (without_cpu(&missing.to_string(), point.cpu), None),
                _ => continue,
            };
            let known = found.iter_mut().find(|(name, why, ..)| *name == counter.name && *why == words);
            match known {
                Some((_, _, cpus, offs)) => {
                    cpus.push(point.cpu);
                    offs.extend(off);
                }
                None => found.push((counter.name.clone(), words, vec![point.cpu], off.into_iter().collect())),
            }
        }
    }
    let line = |(name, why, cpus, offs): &(String, String, Vec<u32>, Vec<f64>)| {
        let cpus = cpu_list(cpus);
        let farthest = offs.iter().map(|off| 100.0 * off.abs()).reduce(f64::max);
        match farthest {
            Some(percent) => {
                format!("Second method {name}: within {percent:.2} % of the first on CPUs {cpus}.")
            }
            None => format!("Second method {name}: not available ({why})."),
        }
    };
    found.iter().map(line).collect()
}

/// Reason without the number of the CPU, for grouping.
fn without_cpu(why: &str, cpu: u32) -> String {
    why.replace(&format!("/cpu{cpu}/"), "/cpuN/").replace(&format!("/cpu/{cpu}/"), "/cpu/N/")
}

/// Duration and spread of the readings, and the chains used as a check.
fn checks(record: &Record) -> Vec<String> {
    let points = points(record, &Variant::COLD_CORES);
    let windows = points.iter().filter_map(|point| point.windows.as_ref());
    let mut times: Vec<f64> = Vec::new();
    for windows in windows.clone() {
        times.extend(windows.readings_us.iter().skip(1).map(|us| f64::from(*us) / 1000.0));
    }
    let mut lines = Vec::new();
    let spread = points.iter().filter_map(|point| {
        let readings: Vec<f64> = point.readings_khz.iter().map(|khz| f64::from(*khz)).collect();
        let (max, min) = (readings.first()?, readings.last()?);
        Some(100.0 * (max - min) / median(&readings)?)
    });
    if let (Some(time), Some(spread)) = (median(&times), spread.reduce(f64::max)) {
        let each = points.iter().map(|point| point.readings_khz.len()).max();
        let each = each.unwrap_or(0);
        lines.push(format!("One reading takes {time:.1} ms; {each} of one CPU agree within {spread:.2} %."));
    }
    let ratios: Vec<f64> = windows.filter_map(|windows| windows.multiply_ratio).collect();
    if let Some(ratio) = median(&ratios) {
        lines.push(format!("A multiplication takes {ratio:.2} cycles at this clock."));
    }
    lines
}

fn cluster_of(record: &Record, cpu: u32) -> Vec<u32> {
    let clusters = record.machine.clusters.iter();
    let mut own = clusters.map(|cluster| &cluster.cpus);
    own.find(|cpus| cpus.contains(&cpu)).cloned().unwrap_or_else(|| vec![cpu])
}

fn khz(point: &ClockPoint) -> Option<f64> {
    view::measured_khz(point).map(f64::from)
}

/// Clock of the CPU itself, even under a quota.
fn best_khz(point: &ClockPoint) -> Option<f64> {
    let best = point.windows.as_ref()?.best_khz;
    (best > 0).then(|| f64::from(best))
}

fn mhz(khz: Option<f64>, decimals: usize) -> String {
    khz.map_or_else(|| "-".to_owned(), |khz| format!("{:.decimals$}", khz / 1000.0))
}

#[cfg(test)]
mod tests;
