//! Terminal output of the bash program: progress, validation, and the totals of each tool.
//!
//! It contains less than a log: totals without tables, and neither versions nor monitoring.

use super::draft::Draft;
use super::review;
use super::rows::CipherPlace;
use super::sections::{Line, Section};
use super::text;
use super::totals::{self, bandwidth_row, miner};
use record::{BandwidthRow, MemoryOperation};

/// Reason why scores of console output stand for themselves.
const NO_VERSIONS: &str = "console output does not contain the version of its tool";

/// Reads lines such as `Checking cpufreq OPP again. Done (16 minutes elapsed).`
pub(super) fn read_progress(section: &Section<'_, '_>, draft: &mut Draft) {
    for line in section.lines.iter().filter(|line| !line.is_blank()) {
        let text = line.text.trim();
        if let Some((before, _)) = text.split_once(" minutes elapsed)") {
            let minutes = before.rsplit('(').next().and_then(|minutes| minutes.trim().parse::<u64>().ok());
            draft.run.elapsed_ms = minutes.and_then(|minutes| minutes.checked_mul(60_000));
            draft.finished = true;
        } else if !super::sections::is_progress(text) && !is_prompt(text) {
            draft.unread(line);
        }
    }
}

/// True for messages of the program below the results.
fn is_prompt(text: &str) -> bool {
    const PROMPTS: [&str; 3] =
        ["Full results uploaded to ", "In case this device is not ", "consider submitting it at "];
    PROMPTS.iter().any(|prompt| text.starts_with(prompt))
}

/// Reads `ATTENTION: ...`, a statement of the program about its own results, with the lines that continue it.
pub(super) fn read_attention(section: &Section<'_, '_>, draft: &mut Draft) {
    let lines = section.lines.iter();
    let whole: Vec<&str> = lines.clone().map(|line| line.text.trim()).take_while(|text| !text.is_empty()).collect();
    draft.verdict(&section.heading(), &whole.join(" "));
    lines.skip(whole.len()).filter(|line| !line.is_blank()).for_each(|line| draft.unread(line));
}

/// Reads `memcpy: 14780.6 MB/s (Cortex-A78C)` and `memset: ...`, a pair for each core type.
pub(super) fn read_memory(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut places: Vec<(Option<String>, Vec<BandwidthRow>)> = Vec::new();
    for line in section.body().iter().filter(|line| !line.is_blank()) {
        let Some((operation, mb_per_s, core_type)) = memory_row(line.text.trim()) else {
            draft.unread(line);
            continue;
        };
        if operation == MemoryOperation::Copy || places.is_empty() {
            places.push((core_type, Vec::new()));
        }
        if let Some((_, rows)) = places.last_mut() {
            rows.push(bandwidth_row(operation, mb_per_s, line.number));
        }
    }
    for (core_type, rows) in places {
        if let Some(step) = totals::memory(rows) {
            draft.push_on_core_type(step, core_type);
        }
    }
}

fn memory_row(text: &str) -> Option<(MemoryOperation, f64, Option<String>)> {
    let (name, rest) = text.split_once(": ")?;
    let operation = match name {
        "memcpy" => MemoryOperation::Copy,
        "memset" => MemoryOperation::Fill,
        _ => return None,
    };
    let (rate, core_type) = rest.split_once(" MB/s")?;
    let rate = text::decimal(rate).filter(|rate| *rate >= 0.0)?;
    Some((operation, rate, core_label(core_type)))
}

/// Core type in parentheses. An instruction set names no core type.
fn core_label(text: &str) -> Option<String> {
    let label = text.trim().strip_prefix('(')?.strip_suffix(')')?.trim();
    (!label.is_empty() && !label.starts_with("rv")).then(|| label.to_owned())
}

/// Reads `7-zip total scores (3 consecutive runs): 35229,35417,35454, single-threaded: 4312`.
pub(super) fn read_sevenzip(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading();
    let steps = review::sevenzip(heading.text, NO_VERSIONS, heading.number);
    if steps.is_empty() {
        draft.unread(&heading);
    }
    steps.into_iter().for_each(|step| draft.push(step));
    unread_body(section, draft);
}

/// Reads `Cpuminer total scores (5 minutes execution): 42.77,42.76,42.75 kH/s`.
pub(super) fn read_cpuminer(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading();
    let list = heading.text.rsplit_once(": ").and_then(|(_, list)| list.trim().strip_suffix("kH/s"));
    let values: Option<Vec<f64>> = list.map(|list| list.split(',').filter_map(text::decimal).collect());
    match values.filter(|values| !values.is_empty()) {
        Some(values) => draft.push(miner(values, heading.number)),
        None => draft.unread(&heading),
    }
    unread_body(section, draft);
}

/// Keeps the line of a tool whose totals have no figure here.
pub(super) fn read_other(section: &Section<'_, '_>, draft: &mut Draft) {
    draft.block("console", section);
}

fn unread_body(section: &Section<'_, '_>, draft: &mut Draft) {
    section.body().iter().filter(|line| !line.is_blank()).for_each(|line| draft.unread(line));
}

/// Reads the table below `OpenSSL results (all 2 CPU clusters measured individually):`.
pub(super) fn read_openssl(section: &Section<'_, '_>, draft: &mut Draft) {
    let from = draft.steps.len();
    let lines: &[Line<'_>] = section.body();
    if !lines.is_empty() {
        super::openssl::read(&Section { kind: section.kind, lines }, draft);
    }
    let places = draft.cipher_places.len();
    let added = draft.steps.len() - from;
    let cores: Vec<Option<String>> = draft.cipher_places[places.saturating_sub(added)..]
        .iter()
        .map(|CipherPlace { core_type, .. }| core_type.clone().filter(|name| !name.starts_with("rv")))
        .collect();
    for (step, core_type) in draft.steps[from..].iter_mut().zip(&cores) {
        step.not_comparable = Some(NO_VERSIONS.to_owned());
        draft.console_core_types.extend(core_type.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_memory() {
        for (text, expected) in [
            ("memcpy: 14780.6 MB/s (Cortex-A78C)", Some((MemoryOperation::Copy, 14780.6, Some("Cortex-A78C".into())))),
            ("memset: 439.4 MB/s ", Some((MemoryOperation::Fill, 439.4, None))),
            ("memset: 439.4 MB/s (rv64imafdc)", Some((MemoryOperation::Fill, 439.4, None))),
            ("memchr: 1 MB/s", None),
            ("memcpy: fast", None),
        ] {
            assert_eq!(memory_row(text), expected, "{text}");
        }
    }
}
