//! Lines between sections, without a heading.

use super::draft::{Draft, NamedGroup};
use super::sections::{Line, Section, is_separator};
use record::Fact;

/// Prefixes of notes: statements of the bash program about the processor before the clock pass.
const NOTES: [&str; 5] =
    ["Intel P-States:", "Intel Hardware Feedback", "Powercap present", "AMD Ryzen detected", "Skipping cpu"];

pub(super) fn is_note(text: &str) -> bool {
    let text = text.trim_start();
    NOTES.iter().any(|note| text.starts_with(note))
}

/// Keeps a note of the log about the machine.
pub(super) fn note(line: &Line<'_>, draft: &mut Draft) {
    let text = line.text.trim();
    match text.split_once(": ") {
        Some(("Intel P-States", value)) => {
            draft.named(NamedGroup::Feature, "intel-p-states".to_string(), value, line);
        }
        _ => draft.verdict(line, text),
    }
}

pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    for line in section.lines {
        let text = line.text.trim();
        if text.is_empty()
            || is_separator(text)
            || is_free_header(text)
            || is_fence(text)
            || text == "Monitoring data for each run:"
        {
            continue;
        }
        if is_note(text) {
            note(line, draft);
        } else if super::trailer::compiler_line(text) {
            draft.machine.compiler = Fact::Known(text.to_string());
        } else {
            draft.unread(line);
        }
    }
}

/// True for a fence of Markdown around a log.
pub(super) fn is_fence(text: &str) -> bool {
    text.starts_with("```") || text.starts_with("~~~")
}

/// True for the column names of `free`.
pub(super) fn is_free_header(text: &str) -> bool {
    text.starts_with("total ") && text.contains("used") || text.starts_with("всего ")
}

/// Reads `Thermal source: /sys/class/hwmon/hwmon0/ (cpu_thermal)`, including wrong sources.
pub(super) fn read_thermal_source(section: &Section<'_, '_>, draft: &mut Draft) {
    let line = section.heading();
    let (name, value) = line.text.split_once(':').unwrap_or(("", line.text));
    if name.starts_with("Wrong") {
        draft.verdict(&line, line.text.trim());
    }
    draft.named(NamedGroup::Feature, "thermal-source".to_string(), value, &line);
    // Some versions add a few lines about alternative sources.
    if section.body().iter().any(|line| !line.is_blank()) {
        draft.block("thermal-source", section);
    }
}
