//! Reports of this program as text or Markdown, pasted without their log: main figures without evidence.

use super::draft::{Draft, MeasuredCluster};
use super::first_line::report_title;
use super::list_row::{self, number};
use super::posts::report_heading;
use super::rows::CipherPlace;
use super::sections::{Line, Section};
use super::{text, totals};
use record::{BandwidthRow, ClockPoint, Fact, MemoryOperation, Outcome, Step, StepMeasurement, Variant, WorkloadId};

/// Reason why scores of a report stand for themselves.
const NO_VERSIONS: &str = "a report does not contain the versions of its tools";

/// Reads `Board (SoC), 2026-02-20, sbc-bench 1.0.0` and the figures below it.
pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut memory = Vec::new();
    let mut points: [Vec<ClockPoint>; 2] = Default::default();
    for line in section.lines.iter().filter(|line| !line.is_blank()) {
        let text = line.text.trim();
        if let Some((name, version)) = report_title(text) {
            title(name, version, draft);
        } else if let Some((seen, cold, hot)) = clock(line) {
            draft.clusters.push(seen);
            points[0].extend(cold);
            points[1].extend(hot);
        } else if let Some((operation, rate)) = memory_row(text) {
            memory.push(totals::bandwidth_row(operation, rate, line.number));
        } else if !score(line, draft) && !is_other(text) {
            draft.unread(line);
        }
    }
    totals::clocks(points, section.heading().number).for_each(|step| draft.push(step));
    if let Some(step) = totals::memory(memory) {
        draft.push(step);
    }
    draft.finished = true;
}

/// Keeps the sentences above the figures, the first of which is the report's own verdict.
pub(super) fn read_verdict(section: &Section<'_, '_>, draft: &mut Draft) {
    let lines = section.lines.iter();
    let whole: Vec<&str> = lines.map(|line| line.text.trim()).take_while(|text| !text.is_empty()).collect();
    draft.verdict(&section.heading(), whole.join(" ").trim_matches('*'));
    draft.block("report", section);
    if let Some(line) = section.lines.iter().find(|line| line.text.contains(" · ")) {
        machine(line.text, draft);
    }
}

/// Parses `Rockchip RK3588 (35880000) · Linux 5.10.66 · Ubuntu 20.04 LTS · 2022-07-04 · log of sbc-bench 0.9.8`.
fn machine(text: &str, draft: &mut Draft) {
    for (index, part) in text.split(" · ").map(str::trim).enumerate() {
        if let Some((_, version)) = part.split_once("sbc-bench ") {
            draft.log.version = version.to_owned();
        } else if let Some(kernel) = part.strip_prefix("Linux ") {
            draft.machine.kernel_release = Fact::Known(kernel.to_owned());
        } else if let Some(started) = day(part) {
            draft.run.started = Fact::Known(started);
        } else if index == 0 {
            draft.machine.soc = Fact::Known(part.to_owned());
        } else {
            draft.machine.distribution = Fact::Known(part.to_owned());
        }
    }
}

/// Reads the table of figures of a report in Markdown. Of several clusters of one core type it keeps the first.
pub(super) fn read_table(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut memory: Vec<(Option<String>, Vec<BandwidthRow>)> = Vec::new();
    let mut seen: Vec<(String, Option<String>)> = Vec::new();
    for line in section.body().iter().filter(|line| line.text.trim_start().starts_with("| ")) {
        let cells = list_row::cells(line.text);
        let (Some(figure), Some(value)) = (cells.first(), cells.get(1).and_then(|cell| list_row::number(cell))) else {
            continue;
        };
        let (figure, label) = match figure.rsplit_once(" (") {
            Some((figure, label)) => (figure, label.trim_end_matches(')').split(" on CPUs ").next()),
            None => (*figure, None),
        };
        let label = label.filter(|label| !label.starts_with("CPU")).map(str::to_owned);
        let place = (figure.to_owned(), label.clone());
        if seen.contains(&place) {
            continue;
        }
        seen.push(place);
        let variant = match figure {
            "libc memory copy" | "libc memory fill" => {
                let operation = if figure.ends_with("copy") { MemoryOperation::Copy } else { MemoryOperation::Fill };
                let row = totals::bandwidth_row(operation, value, line.number);
                match memory.iter_mut().find(|(of, _)| *of == label) {
                    Some((_, rows)) => rows.push(row),
                    None => memory.push((label, vec![row])),
                }
                continue;
            }
            "7-zip, one CPU" => Variant::SINGLE,
            "7-zip, all CPUs" => Variant::MULTI,
            _ if figure == WorkloadId::Cpuminer.label() => {
                draft.push(totals::miner(vec![value], line.number));
                continue;
            }
            _ => {
                if let Some(algorithm) = figure.strip_suffix(", 16 KiB blocks") {
                    push_cipher(&algorithm.to_ascii_lowercase(), value, label, line, draft);
                }
                continue;
            }
        };
        for step in totals::sevenzip(&variant, [value as u32], NO_VERSIONS, line.number) {
            draft.push_on_core_type(step, label.clone());
        }
    }
    for (label, rows) in memory {
        if let Some(step) = totals::memory(rows) {
            draft.push_on_core_type(step, label);
        }
    }
    draft.finished = true;
}

fn push_cipher(algorithm: &str, thousands: f64, label: Option<String>, line: &Line<'_>, draft: &mut Draft) {
    let rows = vec![(16_384, (thousands * 1000.0) as u64)];
    let step = totals::cipher(algorithm, rows, NO_VERSIONS, line.number);
    draft.cipher_places.push(CipherPlace::of_type(label.clone()));
    draft.push_on_core_type(step, label);
}

/// Reads the heading of a report in Markdown. Returns the lines below it; all lines of other texts.
pub(super) fn without_heading<'a, 't>(lines: &'a [Line<'t>], draft: &mut Draft) -> &'a [Line<'t>] {
    let [first, rest @ ..] = lines else { return lines };
    let Some(board) = report_heading(first, rest) else { return lines };
    name(board, draft);
    rest
}

/// Keeps the name of the board, unless the report says that it has none.
fn name(board: &str, draft: &mut Draft) {
    if !board.eq_ignore_ascii_case("unknown board") {
        draft.machine.board = Fact::Known(board.replace('\\', ""));
    }
}

fn title(title: &str, version: &str, draft: &mut Draft) {
    draft.log.version = version.to_owned();
    let mut machine = title.trim_end();
    while let Some((before, last)) = machine.rsplit_once(", ") {
        match day(last) {
            Some(started) => draft.run.started = Fact::Known(started),
            None if last.starts_with("governor ") => {}
            None => break,
        }
        machine = before;
    }
    let parts = machine.strip_suffix(')').and_then(|machine| machine.rsplit_once(" ("));
    let (board, soc) = parts.map_or((machine, None), |(board, soc)| (board, Some(soc)));
    name(board, draft);
    if let Some(soc) = soc {
        draft.machine.soc = Fact::Known(soc.to_owned());
    }
}

/// Start of a day such as `2026-02-20`, in milliseconds since 1970.
fn day(text: &str) -> Option<i64> {
    (text.len() == 10 && text.split('-').count() == 3).then(|| text::local_ms(&format!("{text} 00:00:00")))?
}

/// Parses `clock of CPU 0-3   1416 MHz advertised,  1415 measured cold,  1414 hot`.
fn clock(line: &Line<'_>) -> Option<(MeasuredCluster, Option<ClockPoint>, Option<ClockPoint>)> {
    let rest = line.text.trim().strip_prefix("clock of CPU ")?.trim_start();
    let (cpus, rest) = rest.split_once(' ')?;
    let cpus = text::cpu_ranges(cpus)?;
    let cpu = *cpus.first()?;
    let mhz = |part: &str| part.split_whitespace().next()?.parse::<u32>().ok();
    let mut parts = rest.split(',');
    let (advertised, cold, hot) = (mhz(parts.next()?), mhz(parts.next()?), mhz(parts.next()?));
    let opp_khz = advertised.and_then(|mhz| mhz.checked_mul(1000));
    let point = |printed_mhz: Option<u32>| {
        printed_mhz.map(|mhz| ClockPoint {
            cpu,
            opp_khz,
            claimed_khz: Fact::not_in_log(),
            printed_mhz: Some(mhz),
            counter_khz: Fact::not_in_log(),
            line: Some(line.number),
            ..ClockPoint::default()
        })
    };
    let seen = MeasuredCluster { cpus, core_type: None, opps_khz: opp_khz.into_iter().collect() };
    Some((seen, point(cold), point(hot)))
}

fn memory_row(text: &str) -> Option<(MemoryOperation, f64)> {
    let (operation, rest) = [
        ("memory copy ", MemoryOperation::Copy),
        ("memory fill ", MemoryOperation::Fill),
        ("memory read ", MemoryOperation::Read),
    ]
    .into_iter()
    .find_map(|(start, operation)| Some((operation, text.strip_prefix(start)?)))?;
    let (rate, _) = rest.trim_start().split_once(" MB/s")?;
    Some((operation, number(rate)?))
}

/// Reads a score; returns false for other lines.
fn score(line: &Line<'_>, draft: &mut Draft) -> bool {
    let text = line.text.trim();
    let value =
        |start: &str, unit: &str| text.strip_prefix(start)?.trim_start().split_once(unit).map(|(value, _)| value);
    if let Some(rate) = value("AES-256-CBC 16 KiB ", " kB/s").and_then(number) {
        push_cipher("aes-256-cbc", rate, None, line, draft);
        return true;
    }
    if let Some(rate) = value("cpuminer ", " kH/s").and_then(number) {
        draft.push(totals::miner(vec![rate], line.number));
        return true;
    }
    for (start, variant) in [("7-zip single thread ", Variant::SINGLE), ("7-zip all CPUs ", Variant::MULTI)] {
        let Some(mips) = value(start, " MIPS").and_then(number) else { continue };
        // A machine with one CPU has one score, which its report prints twice.
        if variant == Variant::MULTI && draft.steps.iter().any(|step| is_single(step, mips as u32)) {
            return true;
        }
        let runs = text.split_once('(').map_or("", |(_, runs)| runs.trim_end_matches(')'));
        let runs: Vec<f64> = runs.split(',').filter_map(text::decimal).collect();
        let runs = if runs.is_empty() { vec![mips] } else { runs };
        let steps = totals::sevenzip(&variant, runs.into_iter().map(|mips| mips as u32), NO_VERSIONS, line.number);
        steps.into_iter().for_each(|step| draft.push(step));
        return true;
    }
    false
}

/// True for a step of 7-zip on one CPU with this rating.
fn is_single(step: &Step, mips: u32) -> bool {
    let is_rating = |outcome: &Outcome| matches!(outcome, Outcome::Done(StepMeasurement::Compression(score)) if score.total_mips == mips);
    step.variant == Variant::SINGLE && is_rating(&step.outcome)
}

/// True for figures of a report that repeat others or have no place in a Record.
fn is_other(text: &str) -> bool {
    const STARTS: [&str; 7] = ["At the start ", "Idle ", "Highest ", "memory latency ", "AES-", "SHA", "temperature "];
    STARTS.iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::{Outcome, StepMeasurement};

    #[test]
    fn report_gives_its_main_figures() {
        let text = "Results are genuine, but heat took 6 % of 7-zip on all CPUs.\n\n\
            Testboard Twenty (Rockchip RK3399), 2026-02-20, sbc-bench 0.9.72\nAt the start 60.0 °C, highest 92.0 °C\n\
            \x20  clock of CPU 0-3       1416 MHz advertised,  1415 measured cold,  1414 hot\n\
            \x20  memory copy            4100 MB/s [0.2 %] libc memcpy copy\n\
            \x20  AES-256-CBC 16 KiB     1141763 kB/s\n\
            \x20  7-zip single thread    1769 MIPS\n   7-zip all CPUs         6666 MIPS (7117, 6619, 6263)\n";
        let [result] = crate::read_all(text).try_into().unwrap();
        assert_eq!(result.record.machine.board.known().unwrap(), "Testboard Twenty");
        let mips: Vec<u32> = result
            .record
            .steps
            .iter()
            .filter_map(|step| match &step.outcome {
                Outcome::Done(StepMeasurement::Compression(score)) => Some(score.total_mips),
                _ => None,
            })
            .collect();
        assert_eq!(mips, [1769, 7117, 6619, 6263]);
        let record::Source::Log(log) = &result.record.source else { panic!("no log") };
        assert_eq!(log.unread, []);
        assert!(log.verdicts[0].text.starts_with("Results are genuine"));
    }

    #[test]
    fn report_in_markdown_gives_its_main_figures() {
        let text = "## Testboard Twenty\n\n**Results are invalid; do not use them: heat.**\n\n\
            Rockchip RK3399 (RK3399) · Linux 6.1 · Debian 12 · 2026-02-20 · log of sbc-bench 0.9.72\n\n\
            | Figure | Value | Unit | Standard deviation | Comparable |\n\
            | :--- | ---: | :--- | ---: | :--- |\n\
            | libc memory copy (Cortex-A53) | 2000 | MB/s | - | yes |\n\
            | libc memory copy (Cortex-A72) | 4000 | MB/s | - | yes |\n\
            | 7-zip, one CPU (Cortex-A72 on CPUs 4-5) | 1769 | MIPS | - | yes |\n\
            | 7-zip, all CPUs | 6666 | MIPS | 0.3 % | yes |\n";
        let [result] = crate::read_all(text).try_into().unwrap();
        let machine = &result.record.machine;
        assert_eq!(machine.board.known().unwrap(), "Testboard Twenty");
        assert_eq!(machine.kernel_release.known().unwrap(), "6.1");
        assert_eq!(result.record.steps.len(), 4);
        let record::Source::Log(log) = &result.record.source else { panic!("no log") };
        assert_eq!((log.version.as_str(), log.verdicts.len(), log.unread.len()), ("0.9.72", 1, 0));
        assert!(log.verdicts[0].text.starts_with("Results are invalid"));
    }

    #[test]
    fn title_over_several_lines_is_one() {
        let text = "Results are valid.\n\nA Board with a Long Name (Rockchip RK3399), 2019-03-30, governor performance,\n   \
            sbc-bench\n   0.6.6\n   7-zip all CPUs         6666 MIPS (7117, 6619, 6263)\n";
        let [result] = crate::read_all(text).try_into().unwrap();
        assert_eq!(result.record.machine.board.known().unwrap(), "A Board with a Long Name");
        assert_eq!(result.record.steps.len(), 3);
    }
}
