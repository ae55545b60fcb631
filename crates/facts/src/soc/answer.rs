//! Result of the identification of a SoC: candidates, confidence and names.

use super::evidence::{Evidence, Kind};
use serde::Serialize;
use std::fmt;

/// Certainty of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// No source names it, and no known SoC matches, or all do.
    Unknown,
    /// The cores fit, but no evidence names it.
    Possible,
    /// Named by evidence that is not the chip itself, or not unique.
    Likely,
    /// The chip, its firmware or its device tree names it.
    Certain,
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "unknown",
            Self::Possible => "possible",
            Self::Likely => "likely",
            Self::Certain => "certain",
        })
    }
}

/// One SoC with its evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// Vendor and name, with other names in brackets.
    pub name: String,
    /// Vendor and name alone.
    pub short_name: String,
    /// Other names: marketing names, families, packages of the same chip.
    pub also: Vec<String>,
    /// Sum of weights.
    pub score: u32,
    /// Kinds of evidence that allow it.
    pub supported_by: Vec<Kind>,
    /// Kinds of evidence that do not.
    pub contradicted_by: Vec<Kind>,
    /// Source of the facts about it; `None` for a name outside of the table.
    pub source: Option<&'static str>,
}

/// Result of the identification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Certainty.
    pub confidence: Confidence,
    /// Reason, in one sentence.
    pub why: String,
    /// Indistinguishable SoCs; empty if the SoC is unknown.
    pub candidates: Vec<Candidate>,
    /// Next candidates.
    pub others: Vec<Candidate>,
    /// All evidence, the most authoritative first.
    pub evidence: Vec<Evidence>,
    /// Files that would settle it; empty if the answer is certain.
    pub settle: Vec<String>,
    /// Cores, if no evidence names the SoC and the candidates are known chips with these cores.
    pub cores: Option<String>,
}

impl Answer {
    /// One name, or the names of indistinguishable SoCs: `Amlogic S905X2/S905Y2`; `None` if unknown.
    pub fn title(&self) -> Option<String> {
        (!self.candidates.is_empty() && self.cores.is_none()).then(|| joined(&self.names()))
    }

    /// Vendors and names of the candidates.
    pub fn names(&self) -> Vec<String> {
        self.candidates.iter().map(|one| one.short_name.clone()).collect()
    }
}

/// Names in one text, with each vendor once: `Rockchip RK3328/RK3318 or NXP i.MX8QM`.
pub(super) fn joined(names: &[String]) -> String {
    let mut vendors: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let (vendor, part) = name.split_once(' ').unwrap_or((name.as_str(), ""));
        match vendors.iter_mut().find(|(known, _)| *known == vendor) {
            Some((_, parts)) => parts.push(part),
            None => vendors.push((vendor, vec![part])),
        }
    }
    let one = |(vendor, parts): &(&str, Vec<&str>)| format!("{vendor} {}", parts.join("/"));
    let all: Vec<String> = vendors.iter().map(one).collect();
    all.join(" or ").trim().to_owned()
}
