//! Rule: unread-lines. Reports the parts of a text that were not understood.

use super::Rule;
use facts::{Facts, Finding, Place, Quantity, Severity, Share};
use record::{LogLine, RuleId, Source};

pub(super) const RULE: Rule = Rule::new(RuleId::own("unread-lines"), check);

/// Maximum number of places named.
const PLACES_MAX: usize = 3;
/// Lines within this distance form one place; blank lines are not listed.
const GAP_LINES_MAX: u32 = 3;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let Source::Log(log) = &facts.source else { return Vec::new() };
    let places = places(&log.unread);
    let Some((first, _)) = places.first() else { return Vec::new() };
    let named: Vec<String> = places
        .iter()
        .take(PLACES_MAX)
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first} to {last}") })
        .collect();
    let further = places.len().saturating_sub(PLACES_MAX) as i64;
    let share =
        Share::of(log.unread.len() as f64, f64::from(log.lines.max(1))).filter(|share| share.as_percent() >= 1.0);
    let finding = Finding::new(
        RULE.id,
        Severity::Info,
        "Not understood: [line {line}|lines {lines}][ and {further} more places][ ({percent} of the text)].",
    )
    .confidence(99)
    .at(Place::Line(*first));
    let finding = match places.as_slice() {
        [(first, last)] if first == last => finding.with("line", Quantity::Count((*first).into())),
        _ => finding.with("lines", Quantity::Text(named.join(", "))),
    };
    let finding = if further > 0 { finding.with("further", Quantity::Count(further)) } else { finding };
    vec![match share {
        Some(share) => finding.with("percent", Quantity::Share(share)),
        None => finding,
    }]
}

/// First and last line of each place.
fn places(unread: &[LogLine]) -> Vec<(u32, u32)> {
    let mut places: Vec<(u32, u32)> = Vec::new();
    for LogLine { line, .. } in unread {
        match places.last_mut() {
            Some((_, last)) if line.saturating_sub(*last) <= GAP_LINES_MAX => *last = (*last).max(*line),
            _ => places.push((*line, *line)),
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::sentences;

    #[test]
    fn places_and_share_are_named() {
        let log = "sbc-bench v0.9.72 Board (Mon, 05 Jan 2026 10:00:00 +0000)\n\nExecuting benchmark single-threaded\n";
        for (text, expected) in [
            (log.to_owned(), None),
            (format!("Hello!\n\n{log}"), Some("Not understood: line 1 (25 % of the text).")),
            (format!("Hello!\n\nMy board\n{log}"), Some("Not understood: lines 1 to 3 (40 % of the text).")),
        ] {
            let found = sentences(RULE.id, &logs::read(&text));
            assert_eq!(found.first().map(String::as_str), expected, "{text}");
        }
    }
}
