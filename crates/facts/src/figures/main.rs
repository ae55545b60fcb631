//! Main figures of reports. Each has one definition, so the summary line, the log and the terminal agree.

use crate::Facts;
use crate::figures::{Figure, FigureKey};
use crate::number::with_unit;
use record::{BandwidthRow, MemoryOperation, Outcome, Record, Step, StepMeasurement, Total, Variant, WorkloadId};
use std::collections::BTreeSet;

/// 7-zip version of published lists: 16.02, with which nearly all known scores were made.
pub const LISTED: (WorkloadId, u32) = (WorkloadId::SevenZip, 16);

/// Best copy or fill rate over all clusters in MB/s with the C library of the machine, as in published lists. Without
/// that measurement, the rate of the best routine; nothing if the measurement failed.
pub fn memory_mb_per_s(record: &Record, figures: &[Figure], operation: MemoryOperation) -> Option<u64> {
    let is_it = |figure: &Figure| figure.key.name() == operation.as_str();
    let of = |id| best(figures, |figure: &Figure| figure.key.is_of(id) && is_it(figure));
    let best = match record.steps_of(WorkloadId::MemoryLibc).next() {
        Some(_) => of(WorkloadId::MemoryLibc),
        None => of(WorkloadId::MemoryLibc).or_else(|| of(WorkloadId::MemoryBandwidth)),
    };
    best.map(|rate| rate.round() as u64)
}

/// Throughput of one cipher at 16 KiB blocks (the largest) in kB/s: mean of the repetitions on one core type, best over
/// core types.
pub fn cipher_kb_per_s(figures: &[Figure], algorithm: &Variant) -> Option<u64> {
    let is_cipher = |figure: &Figure| {
        figure.is_main
            && figure.key.is_of(WorkloadId::OpenSsl)
            && figure.unit == "kB/s"
            && figure.key.is_form(algorithm)
    };
    best(figures, is_cipher).map(|rate| rate.round() as u64)
}

/// Best single-threaded 7-zip rating in MIPS.
pub fn sevenzip_single_mips(figures: &[Figure]) -> Option<u32> {
    sevenzip_mips(figures, &Variant::SINGLE)
}

/// Mean 7-zip rating on all CPUs in MIPS; on a machine with one CPU, the single-threaded one.
pub fn sevenzip_multi_mips(record: &Record, figures: &[Figure]) -> Option<u32> {
    let one_cpu = || record.machine.cpus.iter().filter(|cpu| cpu.online).count() == 1;
    sevenzip_mips(figures, &Variant::MULTI).or_else(|| sevenzip_single_mips(figures).filter(|_| one_cpu()))
}

fn sevenzip_mips(figures: &[Figure], variant: &Variant) -> Option<u32> {
    let is_score =
        |figure: &Figure| figure.is_main && figure.key.is_of(WorkloadId::SevenZip) && figure.key.is_form(variant);
    best(figures, is_score).map(|mips| mips.round() as u32)
}

/// Whether the scores on all CPUs and on one are comparable with lists. A machine with one CPU has one score for both.
pub fn comparable(all: &[Figure]) -> [bool; 2] {
    let of = |variant: &Variant| -> Option<bool> {
        let mut scores = all
            .iter()
            .filter(|figure| figure.is_main && figure.key.is_of(LISTED.0))
            .filter(|figure| figure.key.is_form(variant))
            .peekable();
        scores.peek()?;
        let is_listed = |figure: &Figure| figure.key.method() == LISTED.1;
        Some(scores.all(|figure| is_listed(figure) && figure.not_comparable.is_none()))
    };
    let single = of(&Variant::SINGLE).unwrap_or(false);
    [of(&Variant::MULTI).unwrap_or(single), single]
}

/// Median rate of a load that reports a series of values.
pub fn series_median(figures: &[Figure], workload: WorkloadId) -> Option<f64> {
    let is_rate = |figure: &&Figure| figure.key.is_of(workload);
    figures.iter().find(is_rate).map(|figure| figure.value)
}

/// Latency in ns at the largest measured size, and that size in MiB. Uses the fastest cluster and the method of the first
/// step.
pub fn memory_latency<'a>(record: &'a Record) -> Option<(f64, u64)> {
    let of_step = |step: &'a Step| match done(step)? {
        StepMeasurement::Latency(latency) => {
            let row = latency.rows.iter().max_by_key(|row| row.size_bytes)?;
            Some((&step.variant, row.size_bytes >> 20, row.ns.first().copied().flatten()?))
        }
        _ => None,
    };
    let all: Vec<(&Variant, u64, f64)> = record.steps_of(WorkloadId::MemoryLatency).filter_map(of_step).collect();
    let (variant, mib, _) = all.first()?;
    let alike = all.iter().filter(|(of, size, _)| (of, size) == (variant, mib));
    Some((alike.map(|(.., ns)| *ns).reduce(f64::min)?, *mib))
}

/// A figure that people ask for first.
#[derive(Debug)]
pub struct Headline {
    workload: WorkloadId,
    form: Option<Variant>,
    name: Option<&'static str>,
    /// In a list of figures: `7-zip, all CPUs`.
    pub title: &'static str,
    /// In a sentence: `7-zip on all CPUs`.
    pub words: &'static str,
}

/// Figures that people ask for first, the most telling one at the front. Reports, pages and charts have them in this order.
pub static HEADLINES: [Headline; 5] = {
    const fn of(
        workload: WorkloadId,
        form: Option<Variant>,
        name: Option<&'static str>,
        title: &'static str,
        words: &'static str,
    ) -> Headline {
        Headline { workload, form, name, title, words }
    }
    const COPY: Option<&str> = Some(MemoryOperation::Copy.as_str());
    [
        of(WorkloadId::SevenZip, Some(Variant::MULTI), None, "7-zip, all CPUs", "7-zip on all CPUs"),
        of(WorkloadId::SevenZip, Some(Variant::SINGLE), None, "7-zip, one CPU", "7-zip on one CPU"),
        of(WorkloadId::OpenSsl, Some(Variant::AES_256_CBC), Some("16384"), "AES-256-CBC", "AES-256-CBC"),
        of(WorkloadId::MemoryLibc, None, COPY, "memory copy", "memory copy"),
        // The largest size that nearly all known results have; a list has the largest of its own result.
        of(WorkloadId::MemoryLatency, Some(Variant::RAMLAT), Some("16M"), "memory latency", "memory latency at 16 MiB"),
    ]
};

impl Headline {
    /// True for the key of this figure.
    pub fn is_of(&self, key: &FigureKey) -> bool {
        key.is_of(self.workload)
            && self.form.as_ref().is_none_or(|form| key.is_form(form))
            && self.name.is_none_or(|name| key.name() == name)
    }

    /// The best comparable value among these figures.
    pub fn best<'a>(&self, figures: &'a [Figure]) -> Option<&'a Figure> {
        let all = figures.iter();
        let all = all.filter(|figure| figure.is_main && figure.not_comparable.is_none() && self.is_of(&figure.key));
        all.reduce(|best, next| if next.gain_percent(best.value) > Some(0.0) { next } else { best })
    }
}

/// The figures of [`HEADLINES`] and the clock in words with units: measured ones, or known estimates (`≈`). Empty for an
/// emulated CPU.
pub fn headlines(facts: &Facts<'_>) -> Vec<(&'static str, String)> {
    if facts.machine.emulated_by().is_some() {
        return Vec::new();
    }
    let value = |of: &dyn Fn(&[Figure]) -> Option<f64>, unit: &str| {
        let estimate = || of(facts.known_figures()).map(|value| format!("≈{}", with_unit(value, unit)));
        of(facts.figures()).map(|value| with_unit(value, unit)).or_else(estimate)
    };
    let aes = |known: &[Figure]| cipher_kb_per_s(known, &Variant::AES_256_CBC).map(|rate| rate as f64);
    let copy = |known: &[Figure]| memory_mb_per_s(facts, known, MemoryOperation::Copy).map(|rate| rate as f64);
    let values = [
        value(&|known| sevenzip_multi_mips(facts, known).map(f64::from), "MIPS"),
        value(&|known| sevenzip_single_mips(known).map(f64::from), "MIPS"),
        value(&aes, "kB/s"),
        value(&copy, "MB/s"),
        memory_latency(facts).map(|(ns, mib)| format!("{} at {mib} MiB", with_unit(ns, "ns"))),
    ];
    let titles = HEADLINES.iter().map(|headline| headline.title);
    let all = titles.zip(values).chain([(WorkloadId::Clock.label(), clock_words(facts))]);
    all.filter_map(|(name, value)| Some((name, value?))).collect()
}

/// `1800 and 2400 MHz`: measured before any load, of each cluster.
fn clock_words(facts: &Facts<'_>) -> Option<String> {
    let clocks = facts.cluster_clocks(&Variant::COLD);
    let mhz: BTreeSet<u32> = clocks.iter().map(|clock| crate::finding::mhz(clock.measured_khz)).collect();
    let words: Vec<String> = mhz.iter().map(ToString::to_string).collect();
    (!words.is_empty()).then(|| format!("{} MHz", crate::lines::listed(&words)))
}

fn best(figures: &[Figure], is_wanted: impl Fn(&Figure) -> bool) -> Option<f64> {
    let wanted = figures.iter().filter(|figure| is_wanted(figure));
    wanted.map(|figure| figure.value).reduce(f64::max)
}

/// Measurement of a completed step.
pub fn done(step: &Step) -> Option<&StepMeasurement> {
    match &step.outcome {
        Outcome::Done(measured) => Some(measured),
        _ => None,
    }
}

/// Rounded to tens, as the summary line has always done.
pub fn tens(value: u64) -> u64 {
    value.saturating_add(5) / 10 * 10
}

/// A number, or a dash if not measured.
pub fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// Relative standard deviation in percent, or as the log printed it.
pub fn deviation_percent(row: &BandwidthRow) -> Option<f64> {
    let rates = &row.bytes_per_s;
    if rates.len() < 2 {
        return row.printed_deviation_percent;
    }
    let mean = mean(rates);
    let squares: f64 = rates.iter().map(|rate| (*rate as f64 - mean).powi(2)).total();
    Some(100.0 * (squares / (rates.len() - 1) as f64).sqrt() / mean)
}

fn mean(values: &[u64]) -> f64 {
    values.iter().total::<u64>() as f64 / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{log, with_step};
    use record::{Latency, LatencyRow};

    #[test]
    fn numbers_of_a_hostile_record_do_not_overflow() {
        assert_eq!(mean(&[u64::MAX, u64::MAX]), u64::MAX as f64 / 2.0);
        assert_eq!(tens(u64::MAX), u64::MAX / 10 * 10);
        assert_eq!(tens(27_444), 27_440);
    }

    /// Bandwidth and scores are those of the fastest cluster as well.
    #[test]
    fn latency_is_that_of_the_fastest_cluster() {
        let latency = |ns: f64| {
            let row = LatencyRow { size_bytes: 64 << 20, ns: vec![Some(ns)], rounds_apart_percent: None, line: None };
            StepMeasurement::Latency(Latency { rows: vec![row], ..Latency::default() })
        };
        let record = [149.6, 140.1].into_iter().fold(log("0.9.2"), |record, ns| {
            with_step(record, WorkloadId::MemoryLatency, Variant::ONLY, &[], (0.0, 1.0), latency(ns))
        });
        assert_eq!(memory_latency(&record), Some((140.1, 64)));
    }
}
