//! Reports of this program as text, pasted without their log: main figures without evidence.

use super::draft::{ClusterSeen, Draft, done, tool};
use super::first_line::report_title;
use super::list_row::number;
use super::rows::CipherPlace;
use super::sections::{Line, Section};
use super::summary_row::{bandwidth_row, miner};
use super::text;
use record::{
    Bandwidth, Cipher, ClockPoint, Clocks, Compression, Fact, MemoryOperation, StepMeasurement, Variant, WorkloadId,
};

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
            memory.push((bandwidth_row(operation, rate, line.number), line.number));
        } else if !score(line, draft) && !is_other(text) {
            draft.unread(line);
        }
    }
    let number = section.heading().number;
    for (variant, points) in [Variant::COLD, Variant::HOT_AFTER].into_iter().zip(points) {
        if !points.is_empty() {
            draft.push(done(WorkloadId::Clock, 0, variant, StepMeasurement::Clock(Clocks { points }), number));
        }
    }
    if let Some((_, line)) = memory.first() {
        let line = *line;
        let rows = memory.into_iter().map(|(row, _)| row).collect();
        let measured = StepMeasurement::Bandwidth(Bandwidth { buffer_bytes: 0, verified: false, rows });
        let mut step = done(WorkloadId::MemoryBandwidth, 0, Variant::TINYMEMBENCH, measured, line);
        step.tool = tool("tinymembench", "");
        draft.push(step);
    }
    draft.finished = true;
}

/// Keeps the sentences above the figures, the first of which is the report's own verdict.
pub(super) fn read_verdict(section: &Section<'_, '_>, draft: &mut Draft) {
    let lines = section.lines.iter();
    let whole: Vec<&str> = lines.map(|line| line.text.trim()).take_while(|text| !text.is_empty()).collect();
    draft.verdict(&section.heading(), &whole.join(" "));
    draft.block("report", section);
}

fn title(name: &str, version: &str, draft: &mut Draft) {
    draft.log.version = version.to_owned();
    let (name, date) = name.rsplit_once(", ").unwrap_or((name, ""));
    let is_date = date.len() == 10 && date.split('-').count() == 3;
    let name = if is_date { name } else { name.trim_end() };
    let (board, soc) = match name.rsplit_once(" (") {
        Some((board, soc)) => (board, soc.strip_suffix(')')),
        None => (name, None),
    };
    if board != "unknown board" {
        draft.machine.board = Fact::Known(board.to_owned());
    }
    if let Some(soc) = soc {
        draft.machine.soc = Fact::Known(soc.to_owned());
    }
    if let (true, Some(started)) = (is_date, text::local_ms(&format!("{date} 00:00:00"))) {
        draft.run.started = Fact::Known(started);
    }
}

/// Parses `clock of CPU 0-3   1416 MHz advertised,  1415 measured cold,  1414 hot`.
fn clock(line: &Line<'_>) -> Option<(ClusterSeen, Option<ClockPoint>, Option<ClockPoint>)> {
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
    let seen = ClusterSeen { cpus, core_type: None, opps_khz: opp_khz.into_iter().collect() };
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
        let algorithm = "aes-256-cbc".to_owned();
        let variant = Variant::from(algorithm.as_str());
        let cipher = StepMeasurement::Cipher(Cipher { algorithm, rows: vec![(16_384, (rate * 1000.0) as u64)] });
        let mut step = done(WorkloadId::OpenSsl, 0, variant, cipher, line.number);
        step.not_comparable = Some(NO_VERSIONS.to_owned());
        step.tool = tool("openssl", "");
        draft.cipher_places.push(CipherPlace::of_type(None));
        draft.push(step);
        return true;
    }
    if let Some(rate) = value("cpuminer ", " kH/s").and_then(number) {
        draft.push(miner(vec![rate], line.number));
        return true;
    }
    for (start, variant) in [("7-zip single thread ", Variant::SINGLE), ("7-zip all CPUs ", Variant::MULTI)] {
        let Some(mips) = value(start, " MIPS").and_then(number) else { continue };
        let runs = text.split_once('(').map_or("", |(_, runs)| runs.trim_end_matches(')'));
        let runs: Vec<f64> = runs.split(',').filter_map(text::decimal).collect();
        let runs = if runs.is_empty() { vec![mips] } else { runs };
        for (repetition, mips) in runs.into_iter().enumerate() {
            let score = StepMeasurement::Compression(Compression { total_mips: mips as u32, ..Compression::default() });
            let mut step = done(WorkloadId::SevenZip, 0, variant.clone(), score, line.number);
            step.repetition = repetition as u32;
            step.not_comparable = Some(NO_VERSIONS.to_owned());
            step.tool = tool("7z", "");
            draft.push(step);
        }
        return true;
    }
    false
}

/// True for figures of a report that repeat others or have no place in a Record.
fn is_other(text: &str) -> bool {
    const STARTS: [&str; 6] = ["At the start ", "Highest ", "memory latency ", "AES-", "SHA", "temperature "];
    STARTS.iter().any(|start| text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use record::{Outcome, StepMeasurement};

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
}
