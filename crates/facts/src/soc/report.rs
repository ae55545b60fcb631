//! The answer as text of at most 80 columns: names, confidence, reason, evidence, next candidates, and what would
//! settle it.

use super::answer::{Answer, Confidence, joined};
use super::evidence::{Evidence, Kind};
use std::fmt::Write;

/// Width of a terminal that every user has.
const WIDTH: usize = 80;
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
    entry(&mut text, "SoC", &title);
    if let ([one], None) = (answer.candidates.as_slice(), &answer.cores)
        && !one.also.is_empty()
    {
        entry(&mut text, "Also called", &one.also.join(", "));
    }
    entry(&mut text, "Confidence", &format!("{}: {}", answer.confidence, answer.why));
    let mut left = usize::MAX;
    for one in &answer.evidence {
        let against = speaks_against(one, answer);
        if one.kind.names() || one.leaves < left || against {
            entry(&mut text, one.kind.words(), &what(one, against));
        }
        left = one.leaves;
    }
    let others: Vec<String> = answer.others.iter().map(|one| one.short_name.clone()).collect();
    if !others.is_empty() && answer.confidence != Confidence::Certain {
        entry(&mut text, "Less likely", &others.join(", "));
    }
    for (index, hint) in answer.settle.iter().enumerate() {
        entry(&mut text, if index == 0 { "To confirm" } else { "" }, hint);
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

/// One entry as text, wrapped like the rest of the report.
pub fn line(name: &str, value: &str) -> String {
    let mut text = String::new();
    entry(&mut text, name, value);
    text
}

/// A name on the left and text on the right, wrapped at blanks.
fn entry(text: &mut String, name: &str, value: &str) {
    // A long list of CPUs on the left is followed by one blank.
    let mut line = format!("{name:<0$}", LEFT - 1) + " ";
    let mut is_empty = true;
    for word in value.split_whitespace() {
        let word: String = word.chars().filter(|c| !c.is_control()).collect();
        for piece in pieces(&word) {
            let wanted = line.chars().count() + usize::from(!is_empty) + piece.chars().count();
            if wanted > WIDTH {
                let _ = writeln!(text, "{}", line.trim_end());
                line = " ".repeat(LEFT);
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line.push_str(&piece);
            is_empty = false;
        }
    }
    let _ = writeln!(text, "{}", line.trim_end());
}

/// A word that is longer than the right column, at its slashes and otherwise anywhere.
fn pieces(word: &str) -> Vec<String> {
    let room = WIDTH - LEFT;
    if word.chars().count() <= room {
        return vec![word.to_owned()];
    }
    let mut pieces = vec![String::new()];
    for part in word.split_inclusive('/') {
        for letter in part.chars().collect::<Vec<_>>().chunks(room) {
            let last = pieces.last_mut().map(|last| last.chars().count()).unwrap_or(0);
            if last + letter.len() > room {
                pieces.push(String::new());
            }
            if let Some(last) = pieces.last_mut() {
                last.extend(letter);
            }
        }
    }
    pieces
}
