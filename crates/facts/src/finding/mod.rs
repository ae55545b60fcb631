//! Findings of rules: severity, confidence, values, and places in the Record.
//!
//! Rules return values; [`Finding::sentence`] is the only place that makes sentences of them. The share that a cause
//! takes of a score is in the ledger only.

mod quantity;
mod scope;

pub use quantity::Quantity;
pub use quantity::mhz;
pub use scope::{EvidenceSource, Scope, Span};

use record::{ChannelId, Missing, RuleId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// All is well, or worth knowing: scores are not affected.
    Info,
    /// Scores are genuine, but lower than the machine can reach, for the reason in the finding.
    Degraded,
    /// Scores are invalid.
    Invalid,
}

/// Result of a rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Id of the rule.
    pub rule: RuleId,
    /// Severity.
    pub severity: Severity,
    /// Confidence in percent.
    pub confidence_percent: u8,
    /// Sentence with names of values in braces: `"clock fell from {cold} to {hot}"`. Brackets hold alternatives, `"CPUs
    /// were busy[: {named}]"` or `"[at {temp}|without a temperature]"`: the first one with known values is used, or
    /// none.
    #[serde(skip)]
    pub template: &'static str,
    /// The values named in the template, and others for `--json`.
    pub values: Vec<(&'static str, Quantity)>,
    /// Place in the Record.
    pub places: Vec<Place>,
    /// Scores that the finding is about; derived from its places if none are set.
    #[serde(skip)]
    pub scope: Option<Scope>,
    /// Time of the finding; derived from its places if not set.
    #[serde(skip)]
    pub span: Option<Span>,
    /// Sources of the evidence. Findings with a common source count as one piece of evidence.
    #[serde(skip)]
    pub by: Vec<EvidenceSource>,
    /// Reason why something cannot be known, if the finding is about that.
    #[serde(skip)]
    pub unseen: Option<Missing>,
}

/// Place of a finding's evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Index in `Record::steps`.
    Step(usize),
    /// Samples of a channel between two moments in milliseconds.
    Samples {
        /// Id of the channel.
        channel: ChannelId,
        /// First moment.
        start_ms: i64,
        /// Last moment.
        end_ms: i64,
    },
    /// Index in `Record::kernel_messages`.
    KernelMessage(usize),
    /// Index in `Record::settings`.
    Setting(usize),
    /// A field of the Record by its path, for example `machine.swaps`.
    Field(String),
    /// Line of a log, from 1.
    Line(u32),
}

impl Finding {
    /// A finding that is very likely (90 %), without values and places yet.
    pub fn new(rule: RuleId, severity: Severity, template: &'static str) -> Self {
        Self {
            rule,
            severity,
            confidence_percent: 90,
            template,
            values: Vec::new(),
            places: Vec::new(),
            scope: None,
            span: None,
            by: Vec::new(),
            unseen: None,
        }
    }

    /// Limits the finding to these steps: indices in `Record::steps`.
    pub fn of(mut self, steps: impl IntoIterator<Item = usize>) -> Self {
        self.scope = Some(Scope::Steps(steps.into_iter().collect()));
        self
    }

    /// Sets the scope of a finding that is not a list of steps.
    pub fn about(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
    }

    /// Sets the time of the finding, in milliseconds since the start of the run.
    pub fn during(mut self, from_ms: i64, to_ms: i64) -> Self {
        self.span = Some(Span { from_ms, to_ms });
        self
    }

    /// Adds a witness.
    pub fn seen_by(mut self, witness: EvidenceSource) -> Self {
        if !self.by.contains(&witness) {
            self.by.push(witness);
        }
        self
    }

    /// Sets the reason why something cannot be known.
    pub fn unseen_because(mut self, why: Missing) -> Self {
        self.unseen = Some(why);
        self
    }

    /// Sets the confidence.
    pub fn confidence(mut self, confidence_percent: u8) -> Self {
        self.confidence_percent = confidence_percent;
        self
    }

    /// Adds a value.
    pub fn with(mut self, name: &'static str, value: Quantity) -> Self {
        self.values.push((name, value));
        self
    }

    /// Adds a value if it is known: a missing value is never a number.
    pub fn with_known(self, name: &'static str, value: Option<Quantity>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a place.
    pub fn at(mut self, place: Place) -> Self {
        self.places.push(place);
        self
    }

    /// Adds places.
    pub fn at_all(mut self, places: impl IntoIterator<Item = Place>) -> Self {
        self.places.extend(places);
        self
    }

    /// Value of this name, if any.
    pub fn value(&self, name: &str) -> Option<&Quantity> {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value)
    }

    /// Sentence of the finding.
    pub fn sentence(&self) -> String {
        self.fill(self.template, |_| Some("?".to_owned())).unwrap_or_default()
    }

    /// True if the value with this name exists and has words.
    fn knows(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| !matches!(value, Quantity::Text(text) if text.is_empty()))
    }

    /// Another template with the values of this finding; `None` if a value is missing.
    pub fn filled(&self, template: &str) -> Option<String> {
        self.fill(template, |_| None)
    }

    fn fill(&self, template: &str, unknown: impl Fn(&str) -> Option<String>) -> Option<String> {
        let chosen = self.chosen(template);
        let mut sentence = String::new();
        let mut rest = chosen.as_str();
        while let Some((before, from_brace)) = rest.split_once('{') {
            let (name, after) = from_brace.split_once('}')?;
            sentence.push_str(before);
            match self.value(name) {
                Some(value) => sentence.push_str(&value.to_string()),
                None => sentence.push_str(&unknown(name)?),
            }
            rest = after;
        }
        sentence.push_str(rest);
        Some(sentence)
    }

    /// Template with one alternative of each pair of brackets.
    fn chosen(&self, template: &str) -> String {
        let parts = template.split('[').map(|part| part.split_once(']').unwrap_or(("", part)));
        let is_known = |text: &&str| {
            let mut names = text.split('{').skip(1).filter_map(|rest| rest.split('}').next());
            names.all(|name| self.knows(name))
        };
        parts.flat_map(|(group, after)| [group.split('|').find(is_known).unwrap_or(""), after]).collect()
    }
}

/// The overall word over a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Results represent the machine as it is.
    Valid,
    /// Nothing in the Record shows whether they do.
    Unproven,
    /// Results are genuine, but a known cause held the machine back.
    Degraded,
    /// The results must not be used.
    Invalid,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Valid => "valid",
            Verdict::Unproven => "unproven",
            Verdict::Degraded => "degraded",
            Verdict::Invalid => "invalid",
        })
    }
}

impl Verdict {
    /// All of them, the best first.
    pub const ALL: [Self; 4] = [Self::Valid, Self::Unproven, Self::Degraded, Self::Invalid];

    /// The word for results that something harms as much.
    pub fn of(severity: Severity) -> Self {
        match severity {
            Severity::Info => Verdict::Valid,
            Severity::Degraded => Verdict::Degraded,
            Severity::Invalid => Verdict::Invalid,
        }
    }

    /// Line for scripts: it contains `check the log` unless results are valid.
    pub fn line(self) -> &'static str {
        match self {
            Verdict::Valid => "Results valid.",
            Verdict::Unproven => "Results unproven, check the log for the reasons:",
            Verdict::Degraded => "Results degraded, check the log for the reasons:",
            Verdict::Invalid => "Results NOT valid, check the log for the reasons:",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_is_filled_with_values() {
        let finding = Finding::new(RuleId::own("x"), Severity::Info, "clock fell from {cold} to {hot}.")
            .with("cold", Quantity::Khz(1_800_000))
            .with("hot", Quantity::Khz(1_200_400));
        assert_eq!(finding.sentence(), "clock fell from 1800 MHz to 1200 MHz.");
    }

    #[test]
    fn group_is_said_if_its_values_are_known() {
        let text = |text: &str| Quantity::Text(text.to_owned());
        for (template, expected) in [
            ("[{a} first]", "A first"),
            ("busy[: {a}].", "busy: A."),
            ("busy[: {none}].", "busy."),
            ("busy[: {empty}][ by {a}].", "busy by A."),
            ("[{a} and {none}|only {a}|nothing].", "only A."),
            ("at [{none}|an unknown time].", "at an unknown time."),
            ("{brackets}, {none}", "[{a}|b], ?"),
        ] {
            let finding = Finding::new(RuleId::own("x"), Severity::Info, template)
                .with("a", text("A"))
                .with("empty", text(""))
                .with("brackets", text("[{a}|b]"))
                .with_known("none", None);
            assert_eq!(finding.sentence(), expected, "{template}");
        }
    }
}
