//! Reports for the terminal after a run: verdict, losses with their causes, notes, figures with their machine, and
//! skipped measurements. Each fact is printed once.

use super::machine_line;
use super::more_scores::more_scores;
use crate::details::details;
use compare::neighbours;
use compare::reference::Reference;
use explain::Narrative;
use facts::figures::best_row;
use facts::figures::main::{
    cipher_kb_per_s, deviation_percent, done, memory_latency, series_median, sevenzip_multi_mips, sevenzip_single_mips,
};
use facts::lines::{explanation, fitted, unmeasured, wrapped_at};
use facts::number::{number, with_unit};
use facts::{Explanation, Facts, Figure, Severity, view};
use record::{BandwidthRow, MemoryOperation, Record, StepMeasurement, Variant, WorkloadId};
use rules::Report;
use std::fmt::Write;

pub(super) const REPORT: Report =
    Report { id: "text", about: "Verdict, causes and figures as text.", ..Report::lines(render) };
pub(super) const DETAILS: Report = Report {
    id: "details",
    about: "The same with the evidence behind every statement.",
    ..Report::lines(|record, explained, known, columns| {
        format!("{}\n{}", render(record, explained, known, columns), details(record, explained, columns))
    })
};

/// Widest chart.
const CHART_COLUMNS: usize = 78;

fn render(facts: &Facts<'_>, explained: &Explanation, known: &Reference, columns: usize) -> String {
    let mut text = String::new();
    if facts.run.is_monitoring() {
        let _ = writeln!(text, "{}\n", wrapped_at(&explain::watched::watched(facts), 0, columns));
        text.push_str(&explanation(explained, columns));
        return text;
    }
    text.push_str(&narrative_text(facts, explained, known, columns));
    let _ = write!(text, "\n{}", measured(facts, explained, columns));
    text
}

/// Figures with their machine, answers to questions, and skipped measurements.
pub(super) fn measured(facts: &Facts<'_>, explained: &Explanation, columns: usize) -> String {
    let mut text = machine_line::lines(facts, columns) + &figures(facts, columns);
    if facts.machine.emulated_by().is_none() {
        for section in rules::questions::texts(facts, columns) {
            let _ = write!(text, "\n{section}");
        }
    }
    text.push_str(&energy(facts, columns));
    let mut unmeasured = unmeasured(facts, None, &super::steps_said(explained));
    if let (Err(why), false, false) = (facts.energy(), facts.scores().is_empty(), view::is_log(facts)) {
        unmeasured.push(format!("energy: {why}"));
    }
    if !unmeasured.is_empty() {
        text.push_str("\nNot measured:\n");
        for line in unmeasured {
            let _ = writeln!(text, "{}", wrapped_at(&format!("   {line}"), 6, columns));
        }
    }
    text
}

/// Power and energy score by score; empty without a source.
fn energy(facts: &Facts<'_>, columns: usize) -> String {
    let (Ok(energy), scores) = (facts.energy(), facts.score_energies()) else { return String::new() };
    // A section of its own has the states of a power measurement, with the source.
    if scores.is_empty() && !energy.rests.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", wrapped_at(&format!("Energy, by {}.", energy.sentence()), 0, columns));
    for score in scores {
        let (name, words) = energy_words(score.cells());
        let _ = writeln!(text, "{}", wrapped_at(&format!("   {name:<22} {words}"), 6, columns));
    }
    for other in energy.other_words() {
        let _ = writeln!(text, "{}", wrapped_at(&format!("   {other}"), 6, columns));
    }
    text
}

/// Name of a score, and its known cells in words.
fn energy_words([name, mean, highest, joules, above_idle, work]: [String; 6]) -> (String, String) {
    let up_to = ("up to ", highest, "");
    let above_idle = ("", above_idle, " without idle power");
    let cells = [("", mean, ""), up_to, ("", joules, ""), above_idle, ("", work, "")];
    let known = cells.into_iter().filter(|(_, cell, _)| cell != "-");
    (name, known.map(|(before, cell, after)| format!("{before}{cell}{after}")).collect::<Vec<_>>().join(", "))
}

/// Everything except figures.
fn narrative_text(facts: &Facts<'_>, explained: &Explanation, known: &Reference, columns: usize) -> String {
    let mut text = String::new();
    let told = Narrative::of(facts, explained);
    for sentence in &told.answers {
        let _ = writeln!(text, "{}", wrapped_at(sentence, 0, columns));
    }
    let _ = writeln!(text, "{}", wrapped_at(&told.verdict, 0, columns));
    // The verdict has short losses, so that the place among known boards is within the first lines.
    if let Some(neighbours) = neighbours(facts, explained, known) {
        let _ = writeln!(text, "{}", wrapped_at(&neighbours.sentence(), 0, columns));
        let chart = neighbours.chart(columns.min(CHART_COLUMNS)).join("\n");
        let end = if told.ledgers.is_empty() { "\n" } else { "\n\n" };
        let _ = write!(text, "\n{chart}{end}");
    }
    for sentence in &told.ledgers {
        let _ = writeln!(text, "{}", wrapped_at(sentence, 0, columns));
    }
    if !told.causes.is_empty() {
        text.push('\n');
    }
    for paragraph in &told.causes {
        let mark = match paragraph.severity {
            Severity::Invalid => "!!",
            Severity::Degraded => " !",
            Severity::Info => "  ",
        };
        let line = format!("{mark} {}", paragraph.text());
        let _ = writeln!(text, "{}", wrapped_at(&line, 3, columns));
    }
    if !told.notes.is_empty() {
        text.push('\n');
    }
    for note in &told.notes {
        let _ = writeln!(text, "{}", wrapped_at(&format!("   {note}"), 6, columns));
    }
    text
}

/// Table of figures; empty for an emulated CPU.
fn figures(facts: &Facts<'_>, columns: usize) -> String {
    match facts.machine.emulated_by() {
        Some(_) => String::new(),
        None => clocks(facts, columns) + &scores(facts, facts.figures(), columns),
    }
}

/// Clocks of a cluster in MHz: advertised, measured cold, hot.
type ClockRow = [Option<u32>; 3];

/// Number of clusters that have a line each.
const CLOCK_LINES_MAX: usize = 4;

fn clocks(facts: &Facts<'_>, columns: usize) -> String {
    let mut text = String::new();
    let hot: Vec<view::ClusterClock> = [Variant::HOT_LOADED, Variant::HOT_AFTER]
        .into_iter()
        .flat_map(|variant| facts.cluster_clocks(&variant))
        .collect();
    let cold_clocks = facts.cluster_clocks(&Variant::COLD);
    // A large server can have a policy per CPU; then CPUs of one core type with the same clocks share a line.
    let is_merged = cold_clocks.len() > CLOCK_LINES_MAX;
    // Core type, clocks, CPUs.
    let mut rows: Vec<(Option<String>, ClockRow, Vec<u32>)> = Vec::new();
    for cold in cold_clocks {
        let mhz = |khz: Option<u32>| khz.map(facts::finding::mhz);
        let lowest_hot = hot.iter().filter(|hot| hot.cpu == cold.cpu).map(|hot| hot.measured_khz).min();
        let core = facts::figures::core_name(facts, cold.cpu);
        let clocks = [mhz(cold.claimed_khz), mhz(Some(cold.measured_khz)), mhz(lowest_hot)];
        match rows.iter_mut().find(|row| is_merged && row.0 == core && row.1 == clocks && row.2 != cold.cluster_cpus) {
            Some(row) => row.2.extend(&cold.cluster_cpus),
            None => rows.push((core, clocks, cold.cluster_cpus)),
        }
    }
    for (_, clocks, cpus) in rows {
        let cpus = record::cpu_list(&cpus);
        let known = clocks.into_iter().zip(["advertised", "measured cold", "hot"]);
        let known = known.filter_map(|(mhz, when)| Some((mhz?, when))).enumerate();
        let words = known.map(|(at, (mhz, when))| format!("{mhz:>5} {}{when}", if at == 0 { "MHz " } else { "" }));
        let line = format!("   clock of CPU {cpus:<8} {}", words.collect::<Vec<_>>().join(", "));
        let _ = writeln!(text, "{}", fitted(&line, 6, columns));
    }
    text
}

/// Largest encrypted block: 16 KiB, or 8 KiB with OpenSSL 1.0.
fn aes_block_kib(record: &Record) -> u32 {
    let blocks = record.steps_of(WorkloadId::OpenSsl).filter_map(|step| match done(step)? {
        StepMeasurement::Cipher(cipher) if step.variant == Variant::AES_256_CBC => {
            cipher.rows.last().map(|row| row.0 / 1024)
        }
        _ => None,
    });
    blocks.max().unwrap_or(16)
}

fn scores(facts: &Facts<'_>, figures: &[Figure], columns: usize) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(text, "{}", fitted(&format!("   {name:<22} {value}"), 6, columns));
        }
    };
    for (name, operation) in [
        ("memory copy", MemoryOperation::Copy),
        ("memory fill", MemoryOperation::Fill),
        ("memory read", MemoryOperation::Read),
    ] {
        line(name, rates(facts, operation));
    }
    line("memory latency", latency(facts));
    line(
        &format!("AES-256-CBC {} KiB", aes_block_kib(facts)),
        cipher_kb_per_s(figures, &Variant::AES_256_CBC).map(|rate| with_unit(rate as f64, "kB/s")),
    );
    line("7-zip single thread", sevenzip_single_mips(figures).map(|mips| with_unit(mips.into(), "MIPS")));
    line(
        "7-zip all CPUs",
        sevenzip_multi_mips(facts, figures).map(|mips| {
            let totals = facts.multi_totals();
            let totals: Vec<String> = totals.iter().map(|(_, mips)| number(*mips, "MIPS")).collect();
            let all = with_unit(mips.into(), "MIPS");
            if totals.is_empty() { all } else { format!("{all} ({})", totals.join(", ")) }
        }),
    );
    for (name, value) in more_scores(facts) {
        line(&name, Some(value));
    }
    for workload in [WorkloadId::Lzma, WorkloadId::Cpuminer, WorkloadId::Simd] {
        let unit = facts.steps_of(workload).find_map(|step| match done(step)? {
            StepMeasurement::Series(series) => Some(series.unit.clone()),
            _ => None,
        });
        let median = series_median(figures, workload);
        line(workload.as_str(), median.map(|rate| with_unit(rate, &unit.unwrap_or_default())));
    }
    for program in facts.programs() {
        let line = format!("   {}: {}", program.name, program.words());
        let _ = writeln!(text, "{}", wrapped_at(&line, 6, columns));
    }
    for remark in facts.remarks() {
        let _ = writeln!(text, "{}", wrapped_at(&format!("   {remark}"), 6, columns));
    }
    text
}

/// Bandwidth of the machine's C library, and the best of this program's routines: `14700 MB/s (varied by 1.2 %) libc memcpy copy,
/// 22900 MB/s copy-avx2`, with the relative standard deviation if it is significant.
fn rates(record: &Record, operation: MemoryOperation) -> Option<String> {
    let best = |id| {
        let rows = record.steps_of(id).filter_map(|step| match done(step)? {
            StepMeasurement::Bandwidth(bandwidth) => best_row(record, step, bandwidth, operation),
            _ => None,
        });
        rows.max_by_key(|row| row.bytes_per_s.iter().max().copied())
    };
    let rate = |row: &BandwidthRow| {
        let bytes_per_s = row.bytes_per_s.iter().max()?;
        let deviation = deviation_percent(row).filter(|deviation| *deviation > 0.1);
        let deviation = deviation.map_or_else(String::new, |deviation| format!(" (varied by {deviation:.1} %)"));
        Some(format!("{}{deviation} {}", with_unit(*bytes_per_s as f64 / 1e6, "MB/s"), row.routine))
    };
    let rows = [WorkloadId::MemoryLibc, WorkloadId::MemoryBandwidth].into_iter().filter_map(best);
    let rates: Vec<String> = rows.filter_map(rate).collect();
    (!rates.is_empty()).then(|| rates.join(", "))
}

fn latency(record: &Record) -> Option<String> {
    memory_latency(record).map(|(ns, mib)| format!("{} at {mib} MiB", with_unit(ns, "ns")))
}

#[cfg(test)]
mod tests {
    use super::{energy_words, rates};

    use facts::figures::main::memory_mb_per_s;
    use facts::lines::wrapped_at;
    use record::{
        Bandwidth, BandwidthRow, MemoryOperation, Missing, Outcome, Record, StepMeasurement, Variant, WorkloadId,
    };
    use testkit::records::{own_run, with_step};

    fn with(record: Record, id: WorkloadId, routine: &str, mb_per_s: u64) -> Record {
        let row = BandwidthRow {
            routine: routine.into(),
            operation: MemoryOperation::Copy,
            bytes_per_s: vec![mb_per_s * 1_000_000; 2],
            printed_deviation_percent: None,
            line: None,
        };
        let measured = StepMeasurement::Bandwidth(Bandwidth { rows: vec![row], ..Bandwidth::default() });
        with_step(record, id, Variant::ONLY, &[0], (0.0, 1.0), measured)
    }

    fn check(record: &Record, shown: &str, listed: Option<u64>) {
        assert_eq!(rates(record, MemoryOperation::Copy).unwrap(), shown);
        assert_eq!(memory_mb_per_s(record, facts::Facts::of(record).figures(), MemoryOperation::Copy), listed);
    }

    #[test]
    fn energy_is_separated_on_every_width() {
        for (cells, expected) in [
            (
                ["7-zip", "5.10 W", "6.20 W", "27.3 J ±0.7 %", "-0.0737 J", "-"],
                "5.10 W, up to 6.20 W, 27.3 J ±0.7 %, -0.0737 J without idle power",
            ),
            (
                ["7-zip", "5.10 W", "6.20 W", "27.3 J ±0.7 %", "-", "-12 MIPS/W"],
                "5.10 W, up to 6.20 W, 27.3 J ±0.7 %, -12 MIPS/W",
            ),
            (["7-zip", "-", "-", "not measured, because it was short", "-", "-"], "not measured, because it was short"),
        ] {
            let (_, words) = energy_words(cells.map(str::to_owned));
            assert_eq!(words, expected);
            for columns in 40..=200 {
                let wrapped = wrapped_at(&words, 6, columns);
                assert!(wrapped.lines().all(|line| facts::lines::width(line) <= columns), "{wrapped}");
                assert_eq!(wrapped.split_whitespace().collect::<Vec<_>>().join(" "), expected);
            }
        }
    }

    #[test]
    fn lists_have_the_rate_of_the_c_library() {
        let ours = with(own_run(), WorkloadId::MemoryBandwidth, "copy-avx2", 22900);
        // Run of an older version, which did not measure the machine's C library.
        check(&ours, "22900 MB/s copy-avx2", Some(22900));
        let mut both = with(ours, WorkloadId::MemoryLibc, "libc memcpy copy", 14700);
        check(&both, "14700 MB/s libc memcpy copy, 22900 MB/s copy-avx2", Some(14700));
        let libc = both.steps.last_mut().unwrap();
        libc.outcome = Outcome::Skipped(Missing::unsupported("/bin/sh", "it needs no loader"));
        check(&both, "22900 MB/s copy-avx2", None);
        assert_eq!(rates(&both, MemoryOperation::Fill), None);
    }
}
