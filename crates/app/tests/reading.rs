//! What a person reads first, of every log that there is: the first lines of `explain` say whether the result is valid, what it
//! lost to which cause, and which boards are near it. Every terminal from 40 columns on has room for all lines.

use crate::files;
use explain::diagnosis::narrative::Narrative;
use facts::Verdict;
use facts::lines::{width, wrapped_at};

/// Lines that a person reads before deciding to read on.
const FIRST: usize = 5;

#[test]
fn first_lines_answer_whether_how_much_and_than_what() {
    let report = report::find("text").unwrap();
    let (mut wrong, mut told) = (Vec::new(), [0; 2]);
    for (name, text) in files::texts(&files::folders()) {
        let explained = explain::explain(logs::read(&text));
        let facts = explained.facts.for_people();
        if facts.run.is_monitoring() {
            continue;
        }
        let narrative = Narrative::of(facts, &explained.assessment);
        let text = report.text_in(&explained, compare::reference::Reference::builtin, 80);
        wrong.extend(blemishes(&text).map(|line| format!("{name}: {line}")));
        // The place follows the verdict at once, even where that takes all of these lines.
        let verdict_lines = wrapped_at(&narrative.verdict, 0, 80).lines().count();
        let first: Vec<&str> = text.lines().take(FIRST.max(verdict_lines + 1)).collect();
        let first = first.join(" ");
        let begins =
            |sentence: &str| first.contains(&sentence.split_whitespace().take(4).collect::<Vec<_>>().join(" "));
        let has_loss = explained.assessment.verdict == Verdict::Degraded && !narrative.ledgers.is_empty();
        let neighbours = compare::neighbours(facts, &explained.assessment, compare::reference::Reference::builtin())
            .map(|neighbours| neighbours.sentence());
        let expected = [Some(&narrative.verdict), neighbours.as_ref()].into_iter().flatten();
        wrong.extend(expected.filter(|sentence| !begins(sentence)).map(|sentence| format!("{name}: {sentence}")));
        wrong.extend((has_loss && !narrative.verdict.contains(" %")).then(|| format!("{name}: no size of the loss")));
        told = [told[0] + usize::from(has_loss), told[1] + usize::from(neighbours.is_some())];
    }
    assert_eq!(wrong, [""; 0]);
    assert!(told.iter().all(|count| *count > 5), "{told:?}");
}

/// Zeros with a sign, and clocks that fill more than a few lines.
fn blemishes(text: &str) -> impl Iterator<Item = &str> {
    let clocks = text.lines().filter(|line| line.contains("MHz advertised")).skip(10);
    text.lines().filter(|line| line.contains("-0.0 ")).chain(clocks)
}

#[test]
fn reports_fit_into_40_columns() {
    let mut wide = Vec::new();
    for (name, text) in files::texts(&[files::composed()]) {
        let explained = explain::explain(logs::read(&text));
        for report in ["text", "details", "clock", "memory", "core-to-core", "scaling"] {
            let text = report::find(report).unwrap().text_in(&explained, compare::reference::Reference::builtin, 40);
            wide.extend(text.lines().filter(|line| width(line) > 40).map(|line| format!("{name} {report}: {line}")));
        }
    }
    assert_eq!(wide, [""; 0]);
}
