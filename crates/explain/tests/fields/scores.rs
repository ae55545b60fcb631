//! Scores: memory, 7-zip, AES, cpuminer, stockfish.

use super::{Tally, list, thousandths};
use record::{Cipher, Compression, Outcome, Record, Step, StepMeasurement, Variant, WorkloadId};
use serde_json::Value;

fn done(record: &Record, workload: WorkloadId) -> impl Iterator<Item = (&Step, &StepMeasurement)> {
    record.steps_of(workload).filter_map(|step| match &step.outcome {
        Outcome::Done(measured) => Some((step, measured)),
        _ => None,
    })
}

pub(super) fn memory(name: &str, record: &Record, truth: &Value, tally: &mut Tally) {
    let ours = |words: [&str; 2]| -> Vec<i64> {
        done(record, WorkloadId::MemoryBandwidth)
            .filter_map(|(_, measured)| {
                let StepMeasurement::Bandwidth(bandwidth) = measured else { return None };
                let row = bandwidth.rows.iter().find(|row| words.contains(&row.routine.as_str()))?;
                Some(row.bytes_per_s[0] as i64 / 1000)
            })
            .collect()
    };
    let theirs = |key: &str| -> Vec<i64> {
        list(&truth["tinymembench"]).iter().filter_map(|table| thousandths(&table[key])).collect()
    };
    tally.list("memcpy", name, &ours(["standard memcpy", "libc memcpy copy"]), &theirs("memcpy"));
    tally.list("memset", name, &ours(["standard memset", "libc memset fill"]), &theirs("memset"));
    let latencies = |ramlat: bool| {
        done(record, WorkloadId::MemoryLatency).filter(move |(step, _)| (step.variant == Variant::RAMLAT) == ramlat)
    };
    tally.value("ramlat tables", name, latencies(true).count() as u64, truth["ramlat_tables"].as_u64().unwrap_or(0));
    let rows: usize = latencies(false)
        .map(|(_, measured)| match measured {
            StepMeasurement::Latency(latency) => latency.rows.len(),
            _ => 0,
        })
        .sum();
    tally.value("latency rows", name, rows as u64, truth["latency_rows"].as_u64().unwrap_or(0));
}

pub(super) fn seven_zip(name: &str, record: &Record, truth: &Value, tally: &mut Tally) {
    type Run = (u64, u64, u64, Vec<u64>, Vec<u64>, Vec<u64>);
    let run = |figures: &Compression| -> Run {
        let dictionaries = figures.compressing.iter().map(|row| row.dictionary_log2.into()).collect();
        let compressing = figures.compressing.iter().map(|row| row.rating_mips.into()).collect();
        let decompressing = figures.decompressing.iter().map(|row| row.rating_mips.into()).collect();
        (
            figures.benchmark_threads.unwrap_or(0).into(),
            figures.usage_percent.into(),
            figures.total_mips.into(),
            dictionaries,
            compressing,
            decompressing,
        )
    };
    let runs: Vec<(&Variant, Run)> = done(record, WorkloadId::SevenZip)
        .filter_map(|(step, measured)| match measured {
            StepMeasurement::Compression(figures) => Some((&step.variant, run(figures))),
            _ => None,
        })
        .collect();
    let numbers = |value: &Value| -> Vec<u64> { list(value).iter().filter_map(Value::as_u64).collect() };
    let theirs: Vec<Run> = list(&truth["zip_runs"])
        .iter()
        .map(|run| {
            (
                run["threads"].as_u64().unwrap_or(0),
                run["usage"].as_u64().unwrap_or(0),
                run["tot"].as_u64().unwrap_or(0),
                numbers(&run["dicts"]),
                numbers(&run["comp"]),
                numbers(&run["decomp"]),
            )
        })
        .collect();
    let ours: Vec<Run> = runs.iter().map(|(_, run)| run.clone()).collect();
    tally.list("7-zip runs", name, &ours, &theirs);
    let of = |wanted: &Variant| -> Vec<u64> {
        runs.iter().filter(|(variant, _)| *variant == wanted).map(|(_, run)| run.2).collect()
    };
    let single = numbers(&truth["zip_single_runs"]);
    let multi = numbers(&truth["zip_multi_runs"]);
    if truth["ncpu"] == 1 && single == multi {
        // On one CPU the other extractor lists the same runs under both names.
        let both = [of(&Variant::SINGLE), of(&Variant::MULTI)].concat();
        tally.list("7-zip single", name, &both, &single);
    } else {
        tally.list("7-zip multi", name, &of(&Variant::MULTI), &multi);
        tally.list("7-zip single", name, &of(&Variant::SINGLE), &single);
    }
}

pub(super) fn ciphers(name: &str, record: &Record, truth: &Value, tally: &mut Tally) {
    let row = |cipher: &Cipher| {
        (cipher.algorithm.clone(), cipher.rows.iter().map(|(_, rate)| *rate as i64).collect::<Vec<_>>())
    };
    let ours: Vec<(String, Vec<i64>)> = done(record, WorkloadId::OpenSsl)
        .filter_map(|(_, measured)| match measured {
            StepMeasurement::Cipher(cipher) => Some(row(cipher)),
            _ => None,
        })
        .collect();
    let theirs: Vec<(String, Vec<i64>)> = list(&truth["openssl"])
        .iter()
        .map(|row| {
            (
                row["alg"].as_str().unwrap_or_default().to_string(),
                list(&row["k"]).iter().filter_map(thousandths).collect(),
            )
        })
        .collect();
    tally.list("AES", name, &ours, &theirs);
}

pub(super) fn miner(name: &str, record: &Record, truth: &Value, tally: &mut Tally) {
    let series = |workload, scale: f64| -> Vec<i64> {
        done(record, workload)
            .flat_map(|(_, measured)| match measured {
                StepMeasurement::Series(series) => series.values.clone(),
                _ => Vec::new(),
            })
            .map(|value| (value * scale).round() as i64)
            .collect()
    };
    let theirs: Vec<i64> = list(&truth["cpuminer_totals"]).iter().filter_map(thousandths).collect();
    tally.list("cpuminer", name, &series(WorkloadId::Cpuminer, 1000.0), &theirs);
    let theirs: Vec<i64> = list(&truth["stockfish"]).iter().filter_map(Value::as_i64).collect();
    tally.list("stockfish", name, &series(WorkloadId::Stockfish, 1.0), &theirs);
}
