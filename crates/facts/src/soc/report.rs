//! The answer as text of at most 80 columns: names, confidence, reason, evidence, next candidates, and what would
//! settle it.

use super::answer::{Answer, Confidence, joined};
use super::evidence::{Evidence, Kind};
use crate::lines::wrapped;

/// Width of the left column.
const LEFT: usize = 16;

/// The whole answer.
pub fn report(answer: &Answer) -> String {
    let mut text = String::new();
    let title = match (answer.candidates.as_slice(), &answer.cores) {
        ([], _) => "unknown".to_owned(),
        (_, Some(cores)) => format!("not named; {cores}; known chips with these cores: {}", some(&answer.names())),
        ([one], _) => one.short_name.clone(),
        (several, _) => format!("one of {}: {}", several.len(), some(&answer.names())),
    };
    text += &line("SoC", &title);
    if let ([one], None) = (answer.candidates.as_slice(), &answer.cores)
        && !one.also.is_empty()
    {
        text += &line("Also called", &one.also.join(", "));
    }
    text += &line("Confidence", &format!("{}: {}", answer.confidence, answer.why));
    let mut left = usize::MAX;
    for one in &answer.evidence {
        let against = speaks_against(one, answer);
        if one.kind.names() || one.leaves < left || against {
            text += &line(one.kind.words(), &what(one, against));
        }
        left = one.leaves;
    }
    let others: Vec<String> = answer.others.iter().map(|one| one.short_name.clone()).collect();
    if !others.is_empty() && answer.confidence != Confidence::Certain {
        text += &line("Less likely", &others.join(", "));
    }
    for (index, hint) in answer.settle.iter().enumerate() {
        text += &line(if index == 0 { "To confirm" } else { "" }, hint);
    }
    text
}

/// The first names, and how many more there are.
fn some(names: &[String]) -> String {
    const SHOWN_MAX: usize = 6;
    let shown = joined(&names[..names.len().min(SHOWN_MAX)]);
    match names.len().saturating_sub(SHOWN_MAX) {
        0 => shown,
        more => format!("{shown}, and {more} more"),
    }
}

fn speaks_against(one: &Evidence, answer: &Answer) -> bool {
    let first = answer.candidates.first();
    one.kind != Kind::Guess && first.is_some_and(|first| first.contradicted_by.contains(&one.kind))
}

/// Evidence, and the number of SoCs that remain possible.
fn what(one: &Evidence, against: bool) -> String {
    match one.leaves {
        _ if against => format!("{}: contradicts it", one.says),
        0 | 1 => one.says.clone(),
        count => format!("{}: {count} SoCs match", one.says),
    }
}

/// One entry: a name on the left and text on the right, wrapped like the rest of the report.
pub fn line(name: &str, value: &str) -> String {
    // A long list of CPUs on the left is followed by one blank.
    let name = format!("{name:<0$} ", LEFT - 1);
    let value: String = value.chars().filter(|c| c.is_whitespace() || !c.is_control()).collect();
    let text = wrapped(&format!("{:1$}{value}", "", name.len()), LEFT);
    format!("{name}{}", text.trim_start()).trim_end().to_owned() + "\n"
}
