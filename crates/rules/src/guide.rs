//! Content of the tables for a rule in words, for its page in the documentation.

use super::relation::{Relation, RelationCondition, ScoreScope};
use super::{ANSWERS, of, relations};
use record::{RuleId, WorkBound};

/// Documentation of a rule in addition to its own text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guide {
    /// Loads that it checks; empty for a rule that checks the result as a whole.
    pub looks_at: String,
    /// Scores that it applies to.
    pub judges: &'static str,
    /// Evidence required before it reports lower scores.
    pub harm: &'static str,
    /// Relations of its findings to causes, with conditions: one sentence each, in order of evaluation.
    pub relations: Vec<String>,
    /// Remedy; empty if its causes have one.
    pub remedy: &'static str,
}

/// Documentation of a rule.
pub fn guide(rule: RuleId) -> Guide {
    let (lines, judges) = relations::lines_of(rule);
    let row = relations::of(rule);
    let looks_at = of(rule).filter(|rule| !rule.loads.is_empty()).map_or_else(String::new, |rule| loads(rule.loads));
    let is_answer = ANSWERS.iter().flat_map(|answer| answer.rules).any(|known| known.id == rule);
    Guide {
        looks_at,
        judges: if is_answer { "what the run was made for" } else { scores(judges) },
        harm: row.map_or("none: it is a result", |row| row.harm),
        relations: lines.iter().map(|(relation, when)| sentence(*relation, *when)).collect(),
        remedy: row.map_or("", |row| row.remedy),
    }
}

fn loads(bounds: &[WorkBound]) -> String {
    let words = bounds.iter().map(|bound| match bound {
        WorkBound::Cpu => "the CPU",
        WorkBound::Memory => "memory",
        WorkBound::Storage => "storage",
        WorkBound::Network => "the network",
        WorkBound::Gpu => "the GPU",
        WorkBound::Kernel => "services of the kernel",
        WorkBound::Idle => "nothing",
        WorkBound::Unknown => "what is unknown (commands of the user)",
    });
    facts::lines::listed(&words.map(str::to_owned).collect::<Vec<_>>())
}

fn scores(judges: ScoreScope) -> &'static str {
    match judges {
        ScoreScope::All => "all scores",
        ScoreScope::FullLoad => "scores of workloads that keep all CPUs busy",
        ScoreScope::Compression => "scores of 7-zip and of what stands in for it",
        ScoreScope::CompressionMulti => "scores of 7-zip, and of what stands in for it, on all CPUs",
        ScoreScope::CompressionSingle => "scores of 7-zip, and of what stands in for it, on one CPU",
        ScoreScope::Memory => "latency and bandwidth of memory",
        ScoreScope::Nothing => "no score: it is about the machine, a reading, or what a log says",
    }
}

fn sentence(relation: Relation, when: RelationCondition) -> String {
    let cause = relation.cause().map_or("", facts::Cause::words);
    let words = match relation {
        Relation::Root(_) => format!("It names the cause \"{cause}\""),
        Relation::Alone(_) => format!("It names the cause \"{cause}\" where nothing else explains it"),
        Relation::Evidence(_) => format!("It is evidence of the cause \"{cause}\""),
        Relation::Follows(_) => format!("It is a consequence of the cause \"{cause}\", where that was found"),
        Relation::Contradicts(_) => format!("It contradicts the cause \"{cause}\""),
        Relation::Note => "It is a note".to_owned(),
        Relation::Answer => "It is the answer to the question of the run".to_owned(),
    };
    match condition(when) {
        Some(condition) => format!("{words}, if {condition}."),
        None => format!("{words}."),
    }
}

fn condition(when: RelationCondition) -> Option<String> {
    let words = match when {
        RelationCondition::Always => return None,
        RelationCondition::Hot => "the SoC was at its temperature limit at that time",
        RelationCondition::Swapped => "memory was swapped during the run",
        RelationCondition::OutOfMemory => "the OOM killer ran",
        RelationCondition::Says(words) => return Some(format!("the message contains \"{words}\"")),
        RelationCondition::Bit(bit) => return Some(format!("it is about bit {bit} of the firmware's status")),
        RelationCondition::SupplyClock => "the clock is that of the firmware during under-voltage",
        RelationCondition::ByDesign => "the design of the machine is its reason",
        RelationCondition::FirmwareAsked => "the firmware was asked",
        RelationCondition::TemperatureKnown => "the temperature of the whole SoC was read at that time",
        RelationCondition::HotUncapped => {
            "the SoC was at its temperature limit at that time, and no OPP shows a cap of the clock"
        }
        RelationCondition::Uncapped => "no OPP shows a cap of the clock",
        RelationCondition::CiphersAlone => "only ciphers of OpenSSL were affected",
        RelationCondition::ManyNodes => "the machine has several NUMA nodes or packages",
        RelationCondition::Unsteady => "readings of the same clock contradict each other",
        RelationCondition::UseFell => "the threads got less CPU time than before, and other tasks had it",
        RelationCondition::RateFell => "the threads did less work with the CPU time that they got",
        RelationCondition::Stolen => "steal time rose meanwhile",
        RelationCondition::Withheld => "a guest or container got less CPU time than it has CPUs",
        RelationCondition::CpusWereBusy => "the CPUs were busy meanwhile",
        RelationCondition::Overclocked => "`config.txt` raises clocks",
        RelationCondition::Harmless => "it is no harm by itself",
        RelationCondition::Reasoned => "the reason is known",
        RelationCondition::Skipped => "the step was skipped",
    };
    Some(words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RULES;

    #[test]
    fn every_rule_has_its_guide() {
        for rule in RULES.iter() {
            let guide = guide(rule.id);
            assert!(!guide.relations.is_empty() && !guide.harm.is_empty(), "{}", rule.id);
            let sentences = guide.relations.iter();
            assert!({ sentences }.all(|words| words.ends_with('.') && !words.contains("\"\"")), "{guide:?}");
        }
    }
}
