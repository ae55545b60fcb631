//! JSON document of a result: verdict, main results, losses by cause, findings, and optionally the Record. Keys are in
//! order of importance.
//!
//! Everything before the Record is derived from it, and readers of Records pass over it.

mod energy;
mod results;
mod values;

use crate::diagnosis::narrative::{remedy, verdict_sentence};
use facts::view::ScoreKey;
use facts::{
    Cause, Deficit, Diagnosis, Explanation, Facts, Finding, Ledger, Place, Points, ScoreVerdict, Severity, Span,
    Tenths, Verdict,
};
use record::{Record, RuleId, Samples};
use serde::Serialize;
use serde_json::{Map, Value};

pub use results::Results;
use values::Values;

/// JSON of one result.
#[derive(Serialize)]
pub struct Document<'a> {
    /// Must be the first key: files are recognised by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    verdict: Verdict,
    verdict_sentence: String,
    results: Results,
    scores: Vec<ScoreVerdict>,
    diagnoses: Vec<DiagnosisElement>,
    ledger: Vec<Value>,
    deficits: Vec<OfDeficit>,
    energy: Value,
    findings: Vec<FindingElement>,
    #[serde(flatten)]
    record: Option<RecordElement<'a>>,
}

/// Element for one file in an array of several.
#[derive(Serialize)]
#[serde(untagged)]
pub enum FileElement {
    /// Readable file.
    Read(Box<Document<'static>>),
    /// Unreadable file.
    Unread {
        /// Its name.
        file: String,
        /// Why, in one sentence.
        error: String,
    },
}

#[derive(Serialize)]
struct DiagnosisElement {
    cause: Cause,
    name: &'static str,
    severity: Severity,
    confidence_percent: u8,
    holds_for: Vec<ScoreKey>,
    sentence: String,
    cost: Vec<Cost>,
    span: Option<Span>,
    also_possible: Vec<Cause>,
    confirm: &'static str,
    remedy: &'static str,
    link: &'static str,
    /// Indices in `findings`, as are all below.
    root: usize,
    evidence: Vec<usize>,
    consequences: Vec<usize>,
    contradicts: Vec<usize>,
}

/// Figures that are lower than those of similar boards.
#[derive(Serialize)]
struct OfDeficit {
    figure: String,
    change_percent: i64,
    cause: Option<Cause>,
    name: Option<&'static str>,
    /// Whether it is the reason of the verdict.
    degrades: bool,
    holds_for: Vec<ScoreKey>,
    sentence: String,
}

/// Loss of one score by a cause.
#[derive(Serialize)]
struct Cost {
    score: ScoreKey,
    #[serde(flatten)]
    points: Points,
    built_up: Option<Tenths>,
}

#[derive(Serialize)]
struct FindingElement {
    rule: RuleId,
    severity: Severity,
    confidence_percent: u8,
    sentence: String,
    values: Values,
    places: Vec<Place>,
}

/// A Record in the form for programs. Samples are most of it and have no values that could be missing with a reason.
#[derive(Serialize)]
struct RecordElement<'a> {
    #[serde(flatten)]
    parts: Map<String, Value>,
    samples: &'a Samples,
}

impl Document<'_> {
    /// Document of this Record, without the Record itself.
    pub fn of(facts: &Facts<'_>, explained: &Explanation) -> Document<'static> {
        Document {
            schema: None,
            file: None,
            verdict: explained.verdict,
            verdict_sentence: verdict_sentence(explained),
            results: Results::of(facts, explained),
            scores: explained.scores.clone(),
            diagnoses: explained.diagnoses.iter().map(|diagnosis| of_diagnosis(facts, explained, diagnosis)).collect(),
            ledger: explained.ledgers.iter().map(of_ledger).collect(),
            deficits: explained.deficit.iter().map(of_deficit).collect(),
            energy: energy::energy(facts),
            findings: explained.findings.iter().map(of_finding).collect(),
            record: None,
        }
    }

    /// Adds the name of the file.
    pub fn from_file(mut self, file: &str) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    /// Printed form of a whole result: derived values, then the Record with missing values as `null` and their reasons
    /// next to them.
    pub fn printed(facts: &Facts<'_>, explained: &Explanation) -> String {
        let flat = |mut value: Value| {
            record::flatten(&mut value);
            value
        };
        Self::with_record(facts, explained, flat)
    }

    /// Saved form of a whole result: derived values, then the Record as in its schema.
    pub fn saved(facts: &Facts<'_>, explained: &Explanation) -> String {
        Self::with_record(facts, explained, |value| value)
    }

    fn with_record(facts: &Facts<'_>, explained: &Explanation, form: impl Fn(Value) -> Value) -> String {
        let record: &Record = facts;
        let bare = Record { samples: Samples::default(), ..record.clone() };
        let mut parts = match serde_json::to_value(&bare).map(form) {
            Ok(Value::Object(parts)) => parts,
            _ => Map::new(),
        };
        parts.remove("samples");
        parts.remove("schema");
        let whole = Document {
            schema: Some(record.schema),
            record: Some(RecordElement { parts, samples: &record.samples }),
            ..Document::of(facts, explained)
        };
        serde_json::to_string(&whole).unwrap_or_default()
    }
}

fn of_diagnosis(facts: &Facts<'_>, explained: &Explanation, diagnosis: &Diagnosis) -> DiagnosisElement {
    let index = explained.diagnoses.iter().position(|known| std::ptr::eq(known, diagnosis));
    let parts = explained.ledgers.iter().flat_map(|ledger| ledger.parts.iter().map(move |part| (ledger, part)));
    let own = parts.filter(|(_, part)| Some(part.diagnosis) == index);
    DiagnosisElement {
        cause: diagnosis.cause,
        name: diagnosis.cause.words(),
        severity: diagnosis.severity,
        confidence_percent: diagnosis.confidence_percent,
        holds_for: diagnosis.holds_for.clone(),
        sentence: explained.findings[diagnosis.root].sentence(),
        cost: own
            .map(|(ledger, part)| Cost { score: ledger.score.clone(), points: part.points, built_up: part.built_up })
            .collect(),
        span: diagnosis.span,
        also_possible: diagnosis.also_possible.clone(),
        confirm: diagnosis.cause.confirm(),
        remedy: remedy(facts, explained, diagnosis),
        link: diagnosis.cause.link(),
        root: diagnosis.root,
        evidence: diagnosis.evidence.clone(),
        consequences: diagnosis.consequences.clone(),
        contradicts: diagnosis.contradicts.clone(),
    }
}

fn of_deficit(deficit: &Deficit) -> OfDeficit {
    // Each core and each figure of a score is one.
    let mut holds_for: Vec<ScoreKey> = Vec::new();
    for score in &deficit.scores {
        if !holds_for.contains(score) {
            holds_for.push(score.clone());
        }
    }
    OfDeficit {
        figure: deficit.figure.clone(),
        change_percent: deficit.change_percent,
        cause: deficit.cause,
        name: deficit.cause.map(Cause::words),
        degrades: deficit.degrades(),
        holds_for,
        sentence: deficit.sentence.clone(),
    }
}

/// Ledger as JSON; a missing expected value is `null` with its reason.
fn of_ledger(ledger: &Ledger) -> Value {
    let mut value = serde_json::to_value(ledger).unwrap_or_default();
    record::flatten(&mut value);
    value
}

/// Findings as JSON: the sentence, and values as an object.
pub fn printed_findings(findings: &[Finding]) -> Value {
    serde_json::to_value(findings.iter().map(of_finding).collect::<Vec<_>>()).unwrap_or_default()
}

fn of_finding(finding: &Finding) -> FindingElement {
    FindingElement {
        rule: finding.rule,
        severity: finding.severity,
        confidence_percent: finding.confidence_percent,
        sentence: finding.sentence(),
        values: Values::of(&finding.values),
        places: finding.places.clone(),
    }
}

#[cfg(test)]
mod tests;
