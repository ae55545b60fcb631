//! A finding: what a rule saw, how bad it is, how sure that is, and where it stands in the Record.
//!
//! Rules return values, not prose; [`Finding::sentence`] is the one place that turns them into
//! words. What a cause took of a score is not theirs to say: that is in the ledger alone.

mod quantity;
mod scope;

pub use quantity::Quantity;
pub use quantity::mhz;
pub use scope::{Scope, Span, Witness};

use record::{ChannelId, Missing, RuleId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// All is well, or worth knowing: scores are not affected.
    Info,
    /// Scores are lower than they could be, and the finding says why: real, but not the best of
    /// this machine.
    Degraded,
    /// Scores do not mean what they say.
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
    /// The sentence with the names of values in braces: `"clock fell from {cold} to {hot}"`. Brackets hold alternatives,
    /// `"CPUs were busy[: {named}]"` or `"[at {temp}|without a temperature]"`: the sentence has the first one whose values
    /// are all known, or none of them.
    #[serde(skip)]
    pub template: &'static str,
    /// The values named in the template, and others for `--json`.
    pub values: Vec<(&'static str, Quantity)>,
    /// Place in the Record.
    pub places: Vec<Place>,
    /// Which measurements it is about; none if its places say so.
    #[serde(skip)]
    pub scope: Option<Scope>,
    /// When it was so; none if its places say so.
    #[serde(skip)]
    pub span: Option<Span>,
    /// Sources of the evidence. Findings with a common source are one piece of evidence.
    #[serde(skip)]
    pub by: Vec<Witness>,
    /// Why it cannot be known, if that is what the finding says.
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

    /// The same about these steps alone: indices in `Record::steps`.
    pub fn of(mut self, steps: impl IntoIterator<Item = usize>) -> Self {
        self.scope = Some(Scope::Steps(steps.into_iter().collect()));
        self
    }

    /// The same with what it is about, where that is no list of steps.
    pub fn about(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
    }

    /// The same for what was so between two moments in milliseconds of the Record's own time.
    pub fn during(mut self, from_ms: i64, to_ms: i64) -> Self {
        self.span = Some(Span { from_ms, to_ms });
        self
    }

    /// The same with one more witness.
    pub fn seen_by(mut self, witness: Witness) -> Self {
        if !self.by.contains(&witness) {
            self.by.push(witness);
        }
        self
    }

    /// The same with why it cannot be known.
    pub fn unseen_because(mut self, why: Missing) -> Self {
        self.unseen = Some(why);
        self
    }

    /// The same with another confidence.
    pub fn confidence(mut self, confidence_percent: u8) -> Self {
        self.confidence_percent = confidence_percent;
        self
    }

    /// The same with one more value.
    pub fn with(mut self, name: &'static str, value: Quantity) -> Self {
        self.values.push((name, value));
        self
    }

    /// The same with one more value if it is known: a value that is missing is never a number.
    pub fn with_known(self, name: &'static str, value: Option<Quantity>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The same with one more place.
    pub fn at(mut self, place: Place) -> Self {
        self.places.push(place);
        self
    }

    /// The same with more places.
    pub fn at_all(mut self, places: impl IntoIterator<Item = Place>) -> Self {
        self.places.extend(places);
        self
    }

    /// The value of this name, if there is one.
    pub fn value(&self, name: &str) -> Option<&Quantity> {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value)
    }

    /// The finding as one sentence.
    pub fn sentence(&self) -> String {
        self.fill(self.template, |_| Some("?".to_owned())).unwrap_or_default()
    }

    /// True if the value of this name is there and has words.
    fn knows(&self, name: &str) -> bool {
        self.value(name).is_some_and(|value| !matches!(value, Quantity::Text(text) if text.is_empty()))
    }

    /// Another template with the values of this finding; none if it names one that is not there.
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

    /// The template with one alternative of each pair of brackets.
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
    /// The results say what this machine can do as it is.
    Valid,
    /// Nothing that was read shows whether they do.
    Unproven,
    /// The results are real, but something named held the machine back.
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

    /// The line that scripts look for: whenever results are not valid, it holds `check the log`.
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
