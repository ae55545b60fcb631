//! 7-zip's benchmark (`7z b`): one step per run, with every dictionary.
//!
//! Up to 0.8.4 the "single" runs used as many threads as CPUs, pinned to one core; later runs use one thread. Low
//! memory removes the largest dictionaries. Both scores are not comparable with others, and the step says so.

use super::draft::{Draft, step, tool};
use super::sections::{Line, Section};
use super::text;
use record::{Compression, DictionaryRow, Failure, FailureKind, Outcome, Step, StepMeasurement, Variant, WorkloadId};

/// Maximum CPU use of a run pinned to one core, in percent; the surplus is rounding.
const ONE_CORE_PERCENT: u32 = 110;

/// Dictionaries of a complete run: 4, 8, 16 and 32 MiB.
const DICTIONARIES: [u32; 4] = [22, 23, 24, 25];

/// Maximum plausible number of runs in a section.
const RUNS_MAX: usize = 64;

/// Values in the heading of a section.
#[derive(Debug, Default)]
struct SectionHeading {
    /// `single`, `multi` or `core-type`; `None` for logs without headings.
    variant: Option<Variant>,
    cpus: Vec<u32>,
    /// Number of runs.
    runs: usize,
}

pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    let announced = announced(section.heading().text);
    let mut runs: Vec<Run> = Vec::new();
    let mut listed = None;
    for line in section.lines {
        let text = line.text.trim();
        if text.starts_with("7-Zip ") && runs.len() < RUNS_MAX {
            runs.push(Run::new(line));
        } else if is_list(text) {
            listed = totals(text).or(listed);
        } else if !runs.last_mut().is_some_and(|run| run.take(line)) && !is_boilerplate(text) {
            // Lines below a run without a total are the reason.
            match runs.last_mut() {
                Some(run) if !run.complete => run.tail.push(line.text.to_string()),
                _ => draft.unread(line),
            }
        }
    }
    let missing = match listed {
        Some(_) => announced.runs.saturating_sub(runs.len()),
        None => 0,
    };
    let variants = match &announced.variant {
        Some(variant) => vec![variant.clone(); runs.len()],
        None => variants(&runs, listed.as_deref()),
    };
    let is_single = |step: &&Step| step.workload == WorkloadId::SevenZip && step.variant == Variant::SINGLE;
    // Without headings every single run is on another core; the clusters determine its CPU later.
    let mut core = draft.steps.iter().filter(is_single).count() as u32;
    let mut repetition = 0;
    for (run, variant) in runs.into_iter().zip(variants) {
        let counter =
            if announced.variant.is_none() && variant == Variant::SINGLE { &mut core } else { &mut repetition };
        // Kernels that switch CPUs off by load bring them back for threads that no mask keeps from them.
        let is_kept = announced.cpus.len() as u32 * ONE_CORE_PERCENT >= run.usage_percent();
        let mut step = run.finish(variant);
        if is_kept {
            step.cpus.clone_from(&announced.cpus);
        }
        step.repetition = *counter;
        *counter += 1;
        draft.push(step);
    }
    for _ in 0..missing {
        let failure = failure("fewer runs than announced printed a result", &[]);
        let outcome = Outcome::Failed(failure);
        let variant = announced.variant.clone().unwrap_or(Variant::MULTI);
        let line = section.heading().number;
        let mut step = step(WorkloadId::SevenZip, 0, variant, outcome, line);
        step.cpus.clone_from(&announced.cpus);
        draft.push(step);
    }
}

/// Parses `Executing benchmark single-threaded on cpu0 (Cortex-A55)`, `Executing benchmark 3 times multi-threaded on
/// CPUs 0-3 (Cortex-A55)`. Core types in a multi-threaded heading mean that only one core type took part.
fn announced(heading: &str) -> SectionHeading {
    let heading = heading.trim();
    let Some(words) = heading.strip_prefix("Executing benchmark ") else { return SectionHeading::default() };
    let cpus = words.split_once(" on ").and_then(|(_, on)| {
        let on = on.trim_start_matches("CPUs ").trim_start_matches("CPU ");
        let end = on.find([' ', ':']).unwrap_or(on.len());
        text::cpu_ranges(&on[..end])
    });
    let runs = text::leading_number(words).map_or(1, |(count, _)| count.min(10) as usize);
    let variant = match () {
        () if words.contains("single-threaded") => Variant::SINGLE,
        () if text::trailing_parenthesis(words).is_some() => Variant::CORE_TYPE,
        () => Variant::MULTI,
    };
    SectionHeading { variant: Some(variant), cpus: cpus.unwrap_or_default(), runs }
}

/// True for `Total: 8803,8844,8848`: lines below the last run that repeat the totals of multi-threaded runs.
fn is_list(text: &str) -> bool {
    ["Compression:", "Decompression:", "Total:"].iter().any(|name| text.starts_with(name))
}

/// Totals of multi-threaded runs; `None` for other lists, empty if no run had a total.
fn totals(text: &str) -> Option<Vec<u32>> {
    let list = text.strip_prefix("Total:")?;
    Some(list.split(',').filter_map(|total| total.trim().parse().ok()).collect())
}

/// Variants of the runs in a section without a heading. In the first logs, single-core runs come first, and the list of
/// totals below contains only the other runs. If the log was cut before that list, CPU use above one core decides.
fn variants(runs: &[Run], listed: Option<&[u32]>) -> Vec<Variant> {
    let by_use = runs.iter().position(|run| run.usage_percent() > ONE_CORE_PERCENT);
    let first_multi = match listed {
        Some(listed) => {
            let first = first_listed(runs, listed).into_iter().chain(by_use).min();
            first.or_else(|| runs.iter().position(|run| !run.complete))
        }
        None => by_use,
    };
    let variant =
        |index| if first_multi.is_some_and(|first| index >= first) { Variant::MULTI } else { Variant::SINGLE };
    (0..runs.len()).map(variant).collect()
}

/// Index of the first run in a list of totals. The search starts at the end: a single-core run may have the same total
/// as another run.
fn first_listed(runs: &[Run], listed: &[u32]) -> Option<usize> {
    let mut left = listed.to_vec();
    let mut first = None;
    for (index, run) in runs.iter().enumerate().rev() {
        if let Some(at) = left.iter().position(|total| run.complete && *total == run.figures.total_mips) {
            left.swap_remove(at);
            first = Some(index);
        }
    }
    first
}

fn is_boilerplate(text: &str) -> bool {
    const STARTS: [&str; 7] = ["Executing", "Compressing", "Dict ", "Speed", "KiB/s", "KB/s", "---"];
    text.is_empty() || text == "LE" || text == "x64" || STARTS.iter().any(|start| text.starts_with(start))
}

/// A run during reading.
struct Run {
    line: u32,
    version: String,
    figures: Compression,
    complete: bool,
    tail: Vec<String>,
}

impl Run {
    /// Parses `7-Zip (a) [64] 16.02 : Copyright ...`, `7-Zip (A) 9.20  Copyright ...`.
    fn new(line: &Line<'_>) -> Self {
        let version = line
            .text
            .split_whitespace()
            .find(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()));
        Self {
            line: line.number,
            version: version.unwrap_or_default().to_string(),
            figures: Compression::default(),
            complete: false,
            tail: Vec::new(),
        }
    }

    /// Reads a line of the tool's output; returns false for other lines.
    fn take(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim();
        let Some((name, rest)) = text.split_once(':') else {
            // On x86 the name of the CPU is between banner and memory.
            return text.starts_with("p7zip Version") || self.figures.ram_size_mb.is_none();
        };
        match name {
            "CPU Freq" => {
                self.figures.cpu_freq_mhz = rest.split_whitespace().filter_map(|mhz| mhz.parse().ok()).collect();
                true
            }
            "RAM size" => self.memory(rest),
            "RAM usage" => self.threads(rest),
            "Avr" => self.averages(rest),
            "Tot" => {
                // Findings quote this line.
                self.line = line.number;
                self.total(rest)
            }
            _ => match name.parse() {
                Ok(dictionary) => self.dictionary(dictionary, rest),
                Err(_) => text.starts_with("p7zip Version"),
            },
        }
    }

    fn memory(&mut self, rest: &str) -> bool {
        self.figures.ram_size_mb = text::leading_number(rest.trim()).map(|(mb, _)| mb);
        self.figures.ram_size_mb.is_some()
    }

    /// Parses `435 MB,  # Benchmark threads:      1`.
    fn threads(&mut self, rest: &str) -> bool {
        self.figures.ram_usage_mb = text::leading_number(rest.trim()).map(|(mb, _)| mb);
        let threads = rest.rsplit_once(':').map(|(_, threads)| threads.trim());
        self.figures.benchmark_threads = threads.and_then(|threads| threads.parse().ok());
        self.figures.ram_usage_mb.is_some()
    }

    fn dictionary(&mut self, dictionary_log2: u32, rest: &str) -> bool {
        let values: Option<Vec<u64>> = numbers(rest).collect();
        let row = |values: &[u64]| DictionaryRow {
            dictionary_log2,
            kib_per_s: values[0],
            usage_percent: small(values[1]),
            rating_per_usage_mips: small(values[2]),
            rating_mips: small(values[3]),
        };
        let Some(values) = values.filter(|values| matches!(values.len(), 4 | 8)) else { return false };
        self.figures.compressing.push(row(&values));
        if let Some(decompressing) = values.get(4..8) {
            self.figures.decompressing.push(row(decompressing));
        }
        true
    }

    fn averages(&mut self, rest: &str) -> bool {
        let values: Vec<Option<u64>> = numbers(rest).collect();
        // Newer versions also print the mean speed before the other values.
        let values = match values.len() {
            8 => [&values[1..4], &values[5..]].concat(),
            _ => values,
        };
        if let [_, _, Some(compressing), _, _, Some(decompressing)] = values[..] {
            self.figures.compressing_mips = small(compressing);
            self.figures.decompressing_mips = small(decompressing);
            return true;
        }
        false
    }

    fn total(&mut self, rest: &str) -> bool {
        let values: Vec<Option<u64>> = numbers(rest).collect();
        if let [Some(usage), _, Some(total)] = values[..] {
            self.figures.usage_percent = small(usage);
            self.figures.total_mips = small(total);
            self.complete = true;
        }
        self.complete
    }

    /// CPU use in percent of one CPU: as printed, else of the largest dictionary so far.
    fn usage_percent(&self) -> u32 {
        if self.complete {
            self.figures.usage_percent
        } else {
            self.figures.compressing.last().map_or(0, |row| row.usage_percent)
        }
    }

    fn finish(self, variant: Variant) -> Step {
        let method = self.version.split('.').next().and_then(|major| major.parse().ok());
        let threads = self.figures.benchmark_threads.unwrap_or(1);
        let not_comparable = self.not_comparable(&variant, threads);
        let outcome = match (self.complete, self.figures.total_mips) {
            (true, 0) => Outcome::Failed(failure("7-zip printed a total of 0", &self.tail)),
            (true, _) => Outcome::Done(StepMeasurement::Compression(self.figures)),
            (false, _) => Outcome::Failed(ended_early(&self.tail)),
        };
        let (id, method) = (WorkloadId::SevenZip, method.unwrap_or(0));
        let mut step = step(id, method, variant, outcome, self.line);
        step.threads = threads;
        step.tool = tool("7-zip", &self.version);
        step.not_comparable = not_comparable;
        step
    }

    fn not_comparable(&self, variant: &Variant, threads: u32) -> Option<String> {
        let dictionaries: Vec<u32> = self.figures.compressing.iter().map(|row| row.dictionary_log2).collect();
        if self.complete && dictionaries != DICTIONARIES {
            let sizes: Vec<String> = dictionaries.iter().map(|log2| format!("2^{log2}")).collect();
            return Some(format!("dictionaries of {} bytes only", sizes.join(", ")));
        }
        (*variant == Variant::SINGLE && threads > 1).then(|| format!("all {threads} threads were pinned to one core"))
    }
}

/// Numbers of a row; a pipe separates its halves.
fn numbers(rest: &str) -> impl Iterator<Item = Option<u64>> {
    rest.split_whitespace().filter(|word| *word != "|").map(|word| word.parse().ok())
}

fn small(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// The shell prints a message if a signal ended the tool.
fn ended_early(tail: &[String]) -> Failure {
    let killed = tail.iter().any(|line| line.contains("Killed"));
    Failure {
        kind: if killed { FailureKind::Signal } else { FailureKind::Garbled },
        ..failure("7-zip printed no total", tail)
    }
}

fn failure(message: &str, tail: &[String]) -> Failure {
    let output: String = tail.join("\n");
    Failure {
        kind: FailureKind::Garbled,
        message: message.to_string(),
        output_tail: output.chars().take(2000).collect(),
        exit_status: None,
    }
}

/// Assigns CPUs to runs of logs without headings when the clusters are known: one single run per cluster, in order;
/// other runs use all CPUs with one thread each.
pub(super) fn place(steps: &mut [Step], clusters: &[record::Cluster], cpu_count: u32) {
    for step in steps.iter_mut().filter(|step| step.workload == WorkloadId::SevenZip) {
        let has_cpus = !step.cpus.is_empty();
        if step.variant == Variant::SINGLE && !has_cpus {
            let cluster = clusters.get(step.repetition as usize).or(clusters.last());
            step.cpus = cluster.and_then(|all| all.cpus.first()).copied().into_iter().collect();
            step.repetition = 0;
        } else if step.variant != Variant::SINGLE {
            if !has_cpus {
                step.cpus = (0..cpu_count).collect();
            }
            // A run that failed before printing its threads had one thread per CPU as well.
            if matches!(step.outcome, Outcome::Failed(_)) {
                step.threads = step.threads.max(step.cpus.len() as u32);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings() {
        for (heading, variant, cpus, runs) in [
            ("Executing benchmark single-threaded on cpu6 (Cortex-A76)", Some(Variant::SINGLE), vec![6], 1),
            ("Executing benchmark 3 times multi-threaded", Some(Variant::MULTI), vec![], 3),
            ("Executing benchmark 3 times multi-threaded on CPUs 0-3", Some(Variant::MULTI), vec![0, 1, 2, 3], 3),
            (
                "Executing benchmark 3 times multi-threaded on CPUs 4-5 (Cortex-A76)",
                Some(Variant::CORE_TYPE),
                vec![4, 5],
                3,
            ),
            ("Executing benchmark single-threaded on CPU 4 (X)", Some(Variant::SINGLE), vec![4], 1),
            ("7-Zip (a) [64] 16.02", None, vec![], 0),
        ] {
            let announced = announced(heading);
            assert_eq!((announced.variant, announced.cpus, announced.runs), (variant, cpus, runs), "{heading}");
        }
    }

    #[test]
    fn run_line_by_line() {
        let lines = "7-Zip (a) [64] 16.02 : Copyright (c) 1999-2016 Igor Pavlov : 2016-05-21\n\
            RAM usage:    435 MB,  # Benchmark threads:      1\n\
            22:       1199   100   1167   1167  |      21415   100   1829   1828\n\
            Avr:             100   1179   1178  |              100   1810   1810\n\
            Tot:             100   1494   1495";
        let lines = super::super::sections::lines(lines);
        let mut run = Run::new(&lines[0]);
        for line in &lines[1..] {
            assert!(run.take(line), "{}", line.text);
        }
        let step = run.finish(Variant::SINGLE);
        assert_eq!((step.method, step.threads), (16, 1));
        assert_eq!(step.not_comparable.as_deref(), Some("dictionaries of 2^22 bytes only"));
        let Outcome::Done(StepMeasurement::Compression(figures)) = step.outcome else {
            panic!("not complete");
        };
        assert_eq!((figures.compressing_mips, figures.total_mips), (1178, 1495));
        assert_eq!(figures.decompressing[0].rating_mips, 1828);
    }

    #[test]
    fn use_beyond_the_listed_cpus_means_all_cpus() {
        for (usage, cpus) in [(363, vec![]), (198, vec![0, 3])] {
            let text = format!(
                "Executing benchmark 3 times multi-threaded on CPUs 0,3\n7-Zip (a) [64] 16.02\n\
                 RAM usage:    435 MB,  # Benchmark threads:      4\nTot:             {usage}    851   3161"
            );
            let mut draft = Draft::default();
            let lines = super::super::sections::lines(&text);
            super::super::sections::split(&lines).iter().for_each(|section| read(section, &mut draft));
            assert_eq!(draft.steps[0].cpus, cpus, "{usage} %");
        }
    }

    #[test]
    fn total_of_zero_is_no_score() {
        let lines = super::super::sections::lines("7-Zip (a) [64] 16.02\nTot:             100      0      0");
        let mut run = Run::new(&lines[0]);
        assert!(run.take(&lines[1]));
        let Outcome::Failed(failure) = run.finish(Variant::SINGLE).outcome else { panic!("a score") };
        assert_eq!(failure.message, "7-zip printed a total of 0");
    }
}
