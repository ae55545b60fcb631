//! The explanation as text, which states each fact once: verdict, losses, a paragraph per cause with consequences and remedy, and
//! notes. Reports lay it out.

mod clauses;
mod sentence;
mod statements;

use crate::monitor::time_of_day;
use facts::lines::capitalised;
use facts::{Cause, Deficit, Diagnosis, Explanation, Facts, Finding, Ledger, Scope, Severity};
use record::StableSort;
use record::Window;
use rules::relation::Relation;
use rules::{Role, relations};
use statements::Statements;
use std::cmp::Reverse;

/// Confidence in percent below which a diagnosis states it with a way to confirm it.
const LIKELY_PERCENT: u8 = 80;

/// Explanation in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Narrative {
    /// Answers to the question of the run.
    pub answers: Vec<String>,
    /// Verdict in one sentence.
    pub verdict: String,
    /// Loss of each main score, in one sentence each, the largest first.
    pub ledgers: Vec<String>,
    /// A paragraph for each cause, the most harmful first.
    pub causes: Vec<Paragraph>,
    /// Notes; unknowns come first.
    pub notes: Vec<String>,
}

/// Paragraph about one cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    /// Severity.
    pub severity: Severity,
    /// Its name, when it was so, and how sure it is if that is not much; empty where the first sentence opens with it.
    pub heading: String,
    /// Evidence, consequences and remedy.
    pub sentences: Vec<String>,
}

impl Paragraph {
    /// Heading and sentences on one line.
    pub fn text(&self) -> String {
        let heading = Some(&self.heading).filter(|heading| !heading.is_empty());
        let heading = heading.map_or_else(String::new, |heading| format!("{heading}. "));
        heading + &self.sentences.join(" ")
    }
}

impl Narrative {
    /// Narrative of this Record.
    pub fn of(facts: &Facts<'_>, explained: &Explanation) -> Self {
        let (minor, diagnoses): (Vec<&Diagnosis>, Vec<&Diagnosis>) =
            explained.worst_first().into_iter().partition(|diagnosis| diagnosis.is_minor());
        let mut statements = Statements::default();
        let verdict = sentence::verdict(explained);
        let mut largest_first: Vec<&Ledger> = explained.ledgers.iter().collect();
        largest_first.stable_sort_by_key(|ledger| Reverse(ledger.lost()));
        let ledgers: Vec<String> = largest_first.into_iter().filter_map(sentence::ledger).collect();
        let answers: Vec<String> =
            explained.answers.iter().map(|index| explained.findings[*index].sentence()).collect();
        let deficit = explained.deficit.iter().filter(|_| verdict.has_deficit).map(|deficit| &deficit.sentence);
        answers.iter().chain(&ledgers).chain(deficit).for_each(|text| statements.add(text));
        // Root findings state the numbers; consequences omit them.
        let roots: Vec<String> =
            diagnoses.iter().map(|diagnosis| root(&explained.findings[diagnosis.root], &mut statements)).collect();
        let told = diagnoses.iter().zip(roots);
        let causes =
            told.map(|(diagnosis, root)| paragraph(facts, explained, diagnosis, root, &mut statements)).collect();
        let minor = minor.into_iter().map(|diagnosis| {
            let root = root(&explained.findings[diagnosis.root], &mut statements);
            format!("{} {root}", sentence::minor(explained, diagnosis)).trim().to_owned()
        });
        let mut all: Vec<String> = minor.collect();
        let unsaid = explained.deficit.iter().filter(|deficit| deficit.is_news && !verdict.has_deficit);
        let unsaid = unsaid.filter(|deficit| !is_of_low_scores(explained, deficit));
        for deficit in unsaid {
            statements.add(&deficit.sentence);
            all.push(capitalised(&deficit.sentence));
        }
        let deficit = explained.deficit.as_ref().filter(|deficit| deficit.is_news || verdict.has_deficit);
        all.extend(notes(explained, deficit, &mut statements));
        Self { answers, verdict: verdict.text, ledgers, causes, notes: all }
    }
}

/// The verdict in one sentence, as in [`Narrative::verdict`].
pub fn verdict_sentence(explained: &Explanation) -> String {
    sentence::verdict(explained).text
}

/// Sentence of the root finding, or its short form if the numbers were stated before.
fn root(finding: &Finding, statements: &mut Statements) -> String {
    let root = sentence_or_short(finding, statements);
    statements.add(&root);
    root
}

/// Sentence of a finding, or its short form if it would repeat numbers.
fn sentence_or_short(finding: &Finding, statements: &Statements) -> String {
    let whole = finding.sentence();
    if statements.contains(&whole) {
        clauses::short(finding, |words| statements.contains(words)).unwrap_or(whole)
    } else {
        whole
    }
}

fn paragraph(
    facts: &Facts<'_>,
    explained: &Explanation,
    diagnosis: &Diagnosis,
    root: String,
    statements: &mut Statements,
) -> Paragraph {
    let heading = heading(facts, diagnosis, &root);
    let mut sentences = vec![root];
    let mut join = |before: &str, indices: &[usize]| {
        let mut phrases = clauses::Phrases::default();
        for finding in indices.iter().map(|index| &explained.findings[*index]) {
            match clauses::clause(finding, |words| statements.contains(words)) {
                Some(words) if words.is_empty() => {}
                Some(words) => {
                    statements.add(&words);
                    phrases.add(words);
                }
                None => sentences.push(finding.sentence()),
            }
        }
        if let Some(phrases) = phrases.listed() {
            sentences.push(format!("{before} {phrases}."));
        }
    };
    // Findings next to an unknown cause are neither its evidence nor its effect.
    if diagnosis.cause == Cause::NotVisible {
        join("Seen with it:", &[&diagnosis.evidence[..], &diagnosis.consequences].concat());
    } else {
        join("The same is shown by", &diagnosis.evidence);
        join("It explains", &diagnosis.consequences);
    }
    join("Against it:", &diagnosis.contradicts);
    if diagnosis.confidence_percent < LIKELY_PERCENT {
        sentences.push(format!("To confirm: {}.", diagnosis.cause.confirm()));
    }
    sentences.push(format!("Remedy: {}", remedy(facts, explained, diagnosis)));
    Paragraph { severity: diagnosis.severity, heading, sentences }
}

/// `Heat (65 % confidence, 12:03:10 to 12:05:00, up to 85.0 °C)`.
fn heading(facts: &Facts<'_>, diagnosis: &Diagnosis, root: &str) -> String {
    let mut about = Vec::new();
    if diagnosis.cause == Cause::NotVisible {
        // Each score has its own diagnosis.
        about.extend(diagnosis.holds_for.iter().map(|score| score.words().to_owned()));
    }
    if diagnosis.confidence_percent < LIKELY_PERCENT {
        about.push(format!("{} % confidence", diagnosis.confidence_percent));
    }
    let has_moments = facts.run.started.known().is_some() && lasts(diagnosis.cause);
    if let Some(span) = diagnosis.span.filter(|_| has_moments) {
        let at = |ms| time_of_day(facts, ms);
        if !root.contains("first after") {
            about.push(if span.from_ms == span.to_ms {
                format!("from {}", at(span.from_ms))
            } else {
                format!("{} to {}", at(span.from_ms), at(span.to_ms))
            });
        }
        let window = Window { start_ms: span.from_ms, end_ms: span.to_ms, ..Window::default() };
        if let Some(heat) = facts.heat(&window).filter(|_| is_of_heat(diagnosis.cause) && !root.contains("°C")) {
            about.push(format!("up to {:.1} °C", heat.millicelsius_max as f64 / 1000.0));
        }
    }
    let name = capitalised(diagnosis.cause.words());
    match about.is_empty() {
        // The sentence names the cause.
        true if root.starts_with(&name) => String::new(),
        true => name,
        false => format!("{name} ({})", about.join(", ")),
    }
}

/// Whether a cause has a start and an end during a run.
fn lasts(cause: Cause) -> bool {
    use Cause::*;
    matches!(
        cause,
        LowVoltage
            | Heat
            | PowerLimit
            | CpusTakenAway
            | TooLittleMemory
            | Background
            | StorageWait
            | KernelOverhead
            | KernelTrouble
    )
}

/// Whether the temperature is relevant to a cause.
fn is_of_heat(cause: Cause) -> bool {
    matches!(cause, Cause::LowVoltage | Cause::Heat | Cause::PowerLimit | Cause::CpusTakenAway)
}

/// Remedy of a diagnosis on this machine: that of its root rule if the rule names no other cause.
pub fn remedy(facts: &Facts<'_>, explained: &Explanation, diagnosis: &Diagnosis) -> &'static str {
    if let Some(remedy) = rules::remedies::instead(facts, diagnosis.cause) {
        return remedy;
    }
    let rule = explained.findings[diagnosis.root].rule;
    let (lines, _) = relations::lines_of(rule);
    let mut roots = lines.iter().filter_map(|(relation, _)| match relation {
        Relation::Root(cause) => Some(*cause),
        _ => None,
    });
    let is_its_own = roots.next() == Some(diagnosis.cause) && roots.next().is_none();
    rules::remedy(rule).filter(|_| is_its_own).unwrap_or(diagnosis.cause.remedy())
}

/// Whether a finding is about a figure of a deficit.
fn is_of_deficit(finding: &Finding, deficit: &Deficit) -> bool {
    let mut figures = deficit.figures.iter();
    matches!(&finding.scope, Some(Scope::Steps(steps)) if figures.any(|(step, _)| steps.contains(step)))
}

/// Whether a deficit without a cause is that of scores which other notes compare with their cores and clocks.
fn is_of_low_scores(explained: &Explanation, deficit: &Deficit) -> bool {
    let low = explained.findings.iter().filter(|finding| finding.rule == rules::SCORE_LOW);
    let steps = low.filter_map(|finding| match &finding.scope {
        Some(Scope::Steps(steps)) => Some(steps),
        _ => None,
    });
    let steps: Vec<usize> = steps.flatten().copied().collect();
    deficit.cause.is_none() && deficit.figures.iter().all(|(step, _)| steps.contains(step))
}

/// Notes, with short forms for repetitions.
fn notes(explained: &Explanation, deficit: Option<&Deficit>, statements: &mut Statements) -> Vec<String> {
    // The deficit covers the same comparison.
    let is_compared = |finding: &Finding| {
        let mut deficits = deficit.iter();
        deficits.any(|deficit| match finding.rule {
            rules::MEMORY_SLOW => is_of_deficit(finding, deficit),
            // Slow memory lowers these scores; else the finding may have a reason that the deficit lacks.
            rules::SCORE_LOW => {
                deficit.cause == Some(Cause::DramClock) || deficit.cause.is_some() && is_of_deficit(finding, deficit)
            }
            _ => false,
        })
    };
    let mut findings: Vec<&Finding> = explained.notes.iter().map(|index| &explained.findings[*index]).collect();
    findings.retain(|finding| !is_compared(finding));
    // Unknowns come first, good news last.
    findings.stable_sort_by_key(|finding| {
        let is_known = finding.unseen.is_none();
        (is_known, is_known == (rules::role(finding) == Role::GoodNews))
    });
    let mut notes: Vec<String> = Vec::new();
    for finding in findings {
        let note = sentence_or_short(finding, statements);
        if !note.is_empty() && !notes.contains(&note) {
            statements.add(&note);
            notes.push(note);
        }
    }
    notes
}

#[cfg(test)]
mod tests;
