//! Figures as the reports print them: taken from the Record by one rule each, so that the summary
//! line, the log and the terminal never disagree.

use record::{BandwidthRow, Measured, MemoryOperation, Outcome, Record, Step};

/// Best copy or fill rate over all clusters in MB/s.
pub(crate) fn memory_mb_per_s(record: &Record, operation: MemoryOperation) -> Option<u64> {
    let rows = record
        .steps_of("memory-bandwidth")
        .filter_map(|step| match done(step)? {
            Measured::Bandwidth(bandwidth) => Some(&bandwidth.rows),
            _ => None,
        });
    let wanted = rows.flatten().filter(|row| {
        // Logs print many variants; theirs is the libc row (`standard` before 0.9.19).
        row.operation == operation
            && (!crate::view::is_log(record)
                || row.routine.starts_with("libc")
                || row.routine.starts_with("standard"))
    });
    wanted
        .filter_map(|row| row.bytes_per_s.iter().max())
        .max()
        .map(|rate| rate / 1_000_000)
}

/// Throughput at 16 KiB blocks (the largest there is) of one cipher in kB/s: the mean of
/// repetitions on one core type, the best over core types.
pub(super) fn cipher_kb_per_s(record: &Record, algorithm: &str) -> Option<u64> {
    let mut by_cpus: Vec<(&[u32], Vec<u64>)> = Vec::new();
    for step in &record.steps {
        if let Some(Measured::Cipher(cipher)) = done(step)
            && cipher.algorithm == algorithm
            && step.threads <= 1
            && let Some((_, rate)) = cipher.rows.last()
        {
            match by_cpus
                .iter_mut()
                .find(|(cpus, _)| *cpus == step.cpus.as_slice())
            {
                Some((_, rates)) => rates.push(*rate),
                None => by_cpus.push((&step.cpus, vec![*rate])),
            }
        }
    }
    let means = by_cpus
        .iter()
        .map(|(_, rates)| rates.iter().sum::<u64>() / rates.len() as u64);
    means.max().map(|rate| rate / 1000)
}

/// Best single-threaded 7-zip rating in MIPS.
pub(super) fn sevenzip_single_mips(record: &Record) -> Option<u32> {
    let steps = record
        .steps_of("sevenzip")
        .filter(|step| step.variant == "single");
    steps.filter_map(total_mips).max()
}

/// Mean 7-zip rating on all CPUs in MIPS; on a machine with one CPU the single-threaded one.
pub(super) fn sevenzip_multi_mips(record: &Record) -> Option<u32> {
    let steps = record
        .steps_of("sevenzip")
        .filter(|step| step.variant == "multi");
    let totals: Vec<u32> = steps.filter_map(total_mips).collect();
    if totals.is_empty() {
        let one_cpu = record.machine.cpus.iter().filter(|cpu| cpu.online).count() == 1;
        return sevenzip_single_mips(record).filter(|_| one_cpu);
    }
    Some((totals.iter().map(|mips| u64::from(*mips)).sum::<u64>() / totals.len() as u64) as u32)
}

/// Median of the second-based rates of a miner, the first left out: it is still warming up.
pub(super) fn series_median(record: &Record, workload: &str) -> Option<f64> {
    record
        .steps_of(workload)
        .find_map(|step| match done(step)? {
            Measured::Series(series) => {
                let mut values: Vec<f64> = series.values.iter().skip(1).copied().collect();
                values.sort_by(f64::total_cmp);
                values.get(values.len() / 2).copied()
            }
            _ => None,
        })
}

fn total_mips(step: &Step) -> Option<u32> {
    match done(step)? {
        Measured::Compression(run) => Some(run.total_mips),
        _ => None,
    }
}

/// What a step measured, if it went well.
pub(super) fn done(step: &Step) -> Option<&Measured> {
    match &step.outcome {
        Outcome::Done(measured) => Some(measured),
        _ => None,
    }
}

/// Rounded to tens, as the summary line has always done.
pub(super) fn tens(value: u64) -> u64 {
    (value + 5) / 10 * 10
}

/// A number, or a dash for what was not measured.
pub(super) fn or_dash<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// Relative standard deviation in percent, or as the log printed it.
pub(super) fn deviation_percent(row: &BandwidthRow) -> Option<f64> {
    let rates = &row.bytes_per_s;
    if rates.len() < 2 {
        return row.printed_deviation_percent;
    }
    let mean = mean(rates);
    let squares: f64 = rates.iter().map(|rate| (*rate as f64 - mean).powi(2)).sum();
    Some(100.0 * (squares / (rates.len() - 1) as f64).sqrt() / mean)
}

/// Mean of a slice of rates.
fn mean(values: &[u64]) -> f64 {
    values.iter().sum::<u64>() as f64 / values.len().max(1) as f64
}
