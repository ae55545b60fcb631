//! Sections of workloads with scores: ciphers, 7-zip, series.

use super::{core_type, cpus_name};
use facts::Facts;
use facts::figures::main::done;
use record::{Compression, DictionaryRow, Outcome, Record, Step, StepMeasurement, Tool, Total, Variant, WorkloadId};
use std::fmt::Write;

/// OpenSSL's rows, or those of the built-in cipher in the same layout.
pub(super) fn ciphers(record: &Record) -> String {
    let steps: Vec<&Step> =
        record.steps.iter().filter(|step| matches!(done(step), Some(StepMeasurement::Cipher(_)))).collect();
    let Some(first) = steps.first() else {
        return String::new();
    };
    let clusters = &record.machine.clusters;
    let cluster_of = |step: &Step| {
        let first = step.cpus.first();
        clusters.iter().position(|cluster| first.is_some_and(|first| cluster.cpus.contains(first))).unwrap_or(0)
    };
    let single = || steps.iter().filter(|step| step.threads <= 1);
    let only = cluster_of(first);
    // Clusters of one core type are represented by the fastest of them, which makes one place.
    let several = single().any(|step| cluster_of(step) != only);
    let mut text = if several {
        "Executing benchmark on each cluster individually\n\n".to_owned()
    } else {
        let core_type = clusters.get(only).and_then(|c| c.core_type.known());
        let core_type = core_type.map_or(String::new(), |name| format!(" ({name})"));
        format!("Executing benchmark twice on cluster {only}{core_type}\n\n")
    };
    match &first.tool {
        Some(tool) => {
            let _ = writeln!(text, "{}", version_line("OpenSSL", tool));
        }
        None => {
            let _ = writeln!(text, "sbc-bench {}@{} (built in)", first.workload, first.method);
        }
    }
    let Some(StepMeasurement::Cipher(cipher)) = done(first) else {
        return String::new();
    };
    let _ = write!(text, "{:<12}", "type");
    for (bytes, _) in &cipher.rows {
        let _ = write!(text, "{:>13}", format!("{bytes} bytes"));
    }
    text.push('\n');
    for step in steps {
        let Some(StepMeasurement::Cipher(cipher)) = done(step) else {
            continue;
        };
        let _ = write!(text, "{:<12}", cipher.algorithm);
        for (_, rate) in &cipher.rows {
            let _ = write!(text, "{:>13}", format!("{:.2}k", *rate as f64 / 1000.0));
        }
        if step.threads > 1 {
            text.push_str(" (fully parallel)");
        } else if several {
            let name = cpus_name(record, &step.cpus);
            let core_type = name.split_once(" (").map_or(name.as_str(), |(_, rest)| rest);
            let _ = write!(text, " ({})", core_type.trim_end_matches(')'));
        }
        text.push('\n');
    }
    text
}

/// All runs of 7-zip: single-threaded first, then the three on all CPUs with their lists.
pub(super) fn sevenzip(record: &Record) -> String {
    let mut text = String::new();
    for step in record.steps_of(WorkloadId::SevenZip).filter(|step| step.variant == Variant::SINGLE) {
        let cpus = cpus_name(record, &step.cpus);
        let _ = write!(text, "Executing benchmark single-threaded on {cpus}\n\n");
        text.push_str(&run(step));
    }
    for variant in [&Variant::MULTI, &Variant::CORE_TYPE] {
        for group in groups(record, variant) {
            if !text.is_empty() {
                let _ = write!(text, "{}\n\n", super::SEPARATOR);
            }
            let mut cpus = record::cpu_list(&group[0].cpus);
            let count = group.len();
            // A core type in the heading means that not all CPUs took part.
            if *variant == Variant::CORE_TYPE
                && let Some(name) = core_type(record, &group[0].cpus)
            {
                let _ = write!(cpus, " ({name})");
            }
            let _ = write!(text, "Executing benchmark {count} times multi-threaded on CPUs {cpus}\n\n");
            group.iter().for_each(|step| text.push_str(&run(step)));
            text.push_str(&lists(&group));
        }
    }
    text
}

/// Runs of one variant, grouped by CPUs.
fn groups<'a>(record: &'a Record, variant: &Variant) -> Vec<Vec<&'a Step>> {
    let mut groups: Vec<Vec<&Step>> = Vec::new();
    for step in record.steps_of(WorkloadId::SevenZip).filter(|step| step.variant == *variant) {
        match groups.last_mut().filter(|group| group[0].cpus == step.cpus) {
            Some(group) => group.push(step),
            None => groups.push(vec![step]),
        }
    }
    groups
}

/// Line with a tool's name and version. For tools in a log only the version number is known.
fn version_line(name: &str, tool: &Tool) -> String {
    let version = tool.version.as_str();
    if version.starts_with(|c: char| c.is_ascii_digit()) { format!("{name} {version}") } else { version.to_owned() }
}

/// A run in the format of 7-zip.
fn run(step: &Step) -> String {
    let measured = match &step.outcome {
        Outcome::Done(StepMeasurement::Compression(measured)) => measured,
        Outcome::Failed(failure) => return format!("{}\n\n", failure.message),
        Outcome::Skipped(missing) => return format!("{missing}\n\n"),
        Outcome::Done(_) => return String::new(),
    };
    let mut text = String::new();
    if let Some(tool) = &step.tool {
        let _ = write!(text, "{}\n\n", version_line("7-Zip", tool));
    }
    if let Some(reason) = &step.not_comparable {
        let _ = write!(text, "Not comparable: {reason}\n\n");
    }
    let number = |value: Option<u32>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    let _ = write!(
        text,
        "RAM size:  {:>6} MB,  # CPU hardware threads: {:>3}\nRAM usage: {:>6} MB,  # Benchmark threads:    {:>3}\n\n",
        number(measured.ram_size_mb),
        step.cpus.len(),
        number(measured.ram_usage_mb),
        number(measured.benchmark_threads)
    );
    text.push_str(
        "                       Compressing  |                  Decompressing\n\
         Dict     Speed Usage    R/U Rating  |      Speed Usage    R/U Rating\n\
         \x20        KiB/s     %   MIPS   MIPS  |      KiB/s     %   MIPS   MIPS\n\n",
    );
    text.push_str(&table(measured));
    text
}

fn table(measured: &Compression) -> String {
    let mut text = String::new();
    let half = |row: &DictionaryRow| (row.kib_per_s, row.usage_percent, row.rating_per_usage_mips, row.rating_mips);
    for (pack, unpack) in measured.compressing.iter().zip(&measured.decompressing) {
        let (speed, usage, per_usage, rating) = half(pack);
        let _ = write!(text, "{:>2}: {speed:>10} {usage:>5} {per_usage:>6} {rating:>6}  |", pack.dictionary_log2);
        let (speed, usage, per_usage, rating) = half(unpack);
        let _ = writeln!(text, " {speed:>10} {usage:>5} {per_usage:>6} {rating:>6}");
    }
    let _ = writeln!(text, "----------------------------------  | ------------------------------");
    let averages = [&measured.compressing, &measured.decompressing].map(|rows| average(rows));
    let _ = write!(text, "Avr:{:>11} {:>5} {:>6}", averages[0].0, averages[0].1, averages[0].2);
    let _ = write!(text, " {:>6}  |", measured.compressing_mips);
    let _ = write!(text, " {:>10} {:>5} {:>6}", averages[1].0, averages[1].1, averages[1].2);
    let _ = writeln!(text, " {:>6}", measured.decompressing_mips);
    let per_usage = u64::from(measured.total_mips) * 100 / u64::from(measured.usage_percent.max(1));
    let _ = write!(text, "Tot: {:>15} {per_usage:>6} {:>6}\n\n", measured.usage_percent, measured.total_mips);
    text
}

/// Rounded means of speed, usage and rating per usage, as 7-zip prints them behind `Avr:`.
fn average(rows: &[DictionaryRow]) -> (u64, u64, u64) {
    let count = rows.len().max(1) as u64;
    let mean =
        |figure: fn(&DictionaryRow) -> u64| rows.iter().map(figure).total::<u64>().saturating_add(count / 2) / count;
    (mean(|row| row.kib_per_s), mean(|row| row.usage_percent.into()), mean(|row| row.rating_per_usage_mips.into()))
}

/// `Compression: 5990,6075,6081` and the other lists.
fn lists(group: &[&Step]) -> String {
    let runs: Vec<&Compression> = group
        .iter()
        .filter_map(|step| match done(step)? {
            StepMeasurement::Compression(run) => Some(run),
            _ => None,
        })
        .collect();
    let list =
        |figure: fn(&Compression) -> u32| runs.iter().map(|run| figure(run).to_string()).collect::<Vec<_>>().join(",");
    format!(
        "Compression: {}\nDecompression: {}\nTotal: {}\n\n",
        list(|run| run.compressing_mips),
        list(|run| run.decompressing_mips),
        list(|run| run.total_mips)
    )
}

/// Workloads with a series of values.
pub(super) fn series(record: &Record) -> String {
    let mut text = String::new();
    for step in &record.steps {
        let Some(StepMeasurement::Series(series)) = done(step) else {
            continue;
        };
        let cpus = record::cpu_list(&step.cpus);
        let name = format!("{}@{} {}", step.workload, step.method, step.variant);
        let _ = write!(text, "Executing {} on CPUs {cpus}", name.trim_end());
        let _ = writeln!(text, " ({})", series.detail);
        let values: Vec<String> = series.values.iter().map(|value| format!("{value:.2}")).collect();
        let _ = write!(text, "\nTotal Scores: {} {}\n\n", values.join(","), series.unit);
    }
    text
}

/// All other programs with their repetitions, and notes about their scores.
pub(super) fn programs(facts: &Facts<'_>) -> String {
    let mut text = String::new();
    for program in facts.programs().iter().filter(|program| !program.is_series) {
        let values: Vec<String> = program.values.iter().map(f64::to_string).collect();
        let _ = write!(text, "Executing {}\n\nTotal Scores: {} {}\n\n", program.name, values.join(","), program.unit);
    }
    for remark in facts.remarks() {
        let _ = writeln!(text, "{remark}");
    }
    text
}
