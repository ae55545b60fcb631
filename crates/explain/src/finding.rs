//! A finding: what a rule saw, how bad it is, how sure that is, and where it stands in the Record.
//!
//! Rules return values, not prose; [`Finding::sentence`] is the one place that turns them into
//! words.

use crate::Share;
use crate::foreign::one_line;
use record::{ChannelId, RuleId};
use serde::Serialize;
use std::fmt;

/// How much a finding harms the results.
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

/// What a rule saw.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// Id of the rule.
    pub rule: RuleId,
    /// How much it harms.
    pub severity: Severity,
    /// How sure it is, in percent.
    pub confidence_percent: u8,
    /// The sentence with the names of values in braces: `"clock fell from {cold} to {hot}"`.
    #[serde(skip)]
    pub template: &'static str,
    /// The values named in the template, and others for `--json`.
    pub values: Vec<(&'static str, Quantity)>,
    /// Where it stands in the Record.
    pub places: Vec<Place>,
    /// The share of a loss of score that it explains, in percent of the score, where it can be had.
    pub explains_percent: Option<Share>,
}

/// Where a finding's evidence stands.
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

/// A value with its unit; its [`fmt::Display`] is how people read it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// A plain number.
    Count(i64),
    /// A clock.
    Khz(u32),
    /// A change, or a ratio to something else, in percent.
    Percent(f64),
    /// A share of time, of CPUs or of a score.
    Share(Share),
    /// A temperature.
    Millicelsius(i64),
    /// A duration.
    Ms(i64),
    /// Memory.
    Kib(u64),
    /// A 7-zip score.
    Mips(f64),
    /// Bytes per second.
    BytesPerS(u64),
    /// A time of one access.
    Ns(f64),
    /// A score in its own unit.
    Score(f64, String),
    /// CPU numbers.
    Cpus(Vec<u32>),
    /// Words: a name, a value of a setting.
    Text(String),
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Count(n) => write!(f, "{n}"),
            Quantity::Khz(khz) => write!(f, "{} MHz", mhz(*khz)),
            Quantity::Percent(percent) if percent.abs() < 10.0 => write!(f, "{percent:.1} %"),
            Quantity::Percent(percent) => write!(f, "{percent:.0} %"),
            Quantity::Share(share) => Quantity::Percent(share.as_percent()).fmt(f),
            Quantity::Millicelsius(temp) => write!(f, "{:.1} °C", *temp as f64 / 1000.0),
            Quantity::Ms(ms) if ms.unsigned_abs() < 1000 => write!(f, "{ms} ms"),
            Quantity::Ms(ms) => write!(f, "{:.1} s", *ms as f64 / 1000.0),
            Quantity::Kib(kib) if *kib < 10_240 => write!(f, "{kib} KiB"),
            Quantity::Kib(kib) => write!(f, "{} MiB", kib / 1024),
            Quantity::Mips(mips) => write!(f, "{mips:.0} MIPS"),
            Quantity::BytesPerS(rate) => write!(f, "{} MB/s", rate / 1_000_000),
            Quantity::Ns(ns) => write!(f, "{ns:.1} ns"),
            Quantity::Score(score, unit) if score.abs() >= 1000.0 => {
                write!(f, "{score:.0} {}", one_line(unit))
            }
            Quantity::Score(score, unit) => {
                write!(f, "{} {}", (score * 100.0).round() / 100.0, one_line(unit))
            }
            Quantity::Cpus(cpus) => f.write_str(&record::cpu_words(cpus)),
            // Names of cards and messages of drivers are anybody's text, and may be endless.
            Quantity::Text(text) => f.write_str(&crate::plain::cut(&one_line(text))),
        }
    }
}

/// A clock in MHz, rounded; whatever a file has claimed to be one.
pub(crate) fn mhz(khz: u32) -> u32 {
    khz.saturating_add(500) / 1000
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
            explains_percent: None,
        }
    }

    /// The same with another confidence.
    pub fn sure(mut self, confidence_percent: u8) -> Self {
        self.confidence_percent = confidence_percent;
        self
    }

    /// The same with one more value.
    pub fn with(mut self, name: &'static str, value: Quantity) -> Self {
        self.values.push((name, value));
        self
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

    /// The same with the share of the score that the cause took, in percent, if it can be told. What is
    /// no share explains nothing.
    pub fn explains(mut self, percent: Option<f64>) -> Self {
        self.explains_percent = percent.and_then(Share::percent);
        self
    }

    /// The value of this name, if there is one.
    pub fn value(&self, name: &str) -> Option<&Quantity> {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value)
    }

    /// The finding as one sentence.
    pub fn sentence(&self) -> String {
        let mut sentence = String::new();
        let mut rest = self.template;
        while let Some(open) = rest.find('{') {
            let (before, from_brace) = rest.split_at(open);
            sentence.push_str(before);
            let Some(close) = from_brace.find('}') else {
                break;
            };
            let name = &from_brace[1..close];
            match self.value(name) {
                Some(value) => sentence.push_str(&value.to_string()),
                None => sentence.push('?'),
            }
            rest = &from_brace[close + 1..];
        }
        sentence.push_str(rest);
        sentence
    }
}

/// The overall word over a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The results say what this machine can do as it is.
    Valid,
    /// The results are real, but something named held the machine back.
    Degraded,
    /// The results must not be used.
    Invalid,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Valid => "valid",
            Verdict::Degraded => "degraded",
            Verdict::Invalid => "invalid",
        })
    }
}

/// The overall word: the worst severity of all findings.
pub fn verdict(findings: &[Finding]) -> Verdict {
    match findings.iter().map(|finding| finding.severity).max() {
        None | Some(Severity::Info) => Verdict::Valid,
        Some(Severity::Degraded) => Verdict::Degraded,
        Some(Severity::Invalid) => Verdict::Invalid,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_claimed_can_be_written_whatever_it_is() {
        for (quantity, expected) in [
            (Quantity::Khz(1_800_499), "1800 MHz"),
            (Quantity::Khz(1_800_500), "1801 MHz"),
            (Quantity::Khz(u32::MAX), "4294967 MHz"),
            (Quantity::Ms(-5), "-5 ms"),
            (Quantity::Ms(i64::MIN), "-9223372036854776.0 s"),
        ] {
            assert_eq!(quantity.to_string(), expected);
        }
    }

    #[test]
    fn a_template_is_filled_with_values() {
        let finding = Finding {
            rule: RuleId::own("x"),
            severity: Severity::Info,
            confidence_percent: 90,
            template: "clock fell from {cold} to {hot}.",
            values: vec![("cold", Quantity::Khz(1_800_000)), ("hot", Quantity::Khz(1_200_400))],
            places: Vec::new(),
            explains_percent: None,
        };
        assert_eq!(finding.sentence(), "clock fell from 1800 MHz to 1200 MHz.");
    }
}
