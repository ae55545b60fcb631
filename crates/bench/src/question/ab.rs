//! A-B comparison: settings and program of each side, and their order. `rules::ab` separates the difference from noise.

use super::refusal::{StartFacts, no_place};
use super::{Attributes, PlanInput, Question, Task};
use crate::plan::stage::{Stage, between_clocks};
use record::{Machine, Mode, QuestionId, Variant};
use workloads::job::Job;
use workloads::job::definition::Definition;
use workloads::job::pinning::places;
use workloads::job::score::ScoreRule;
use workloads::job::setting::{Setting, impossible};

/// Two sides that alternate as A B B A, so that drift affects both equally.
#[derive(Debug, Clone, PartialEq)]
pub struct Ab {
    /// Sides A and B.
    pub sides: [Side; 2],
    /// Number of blocks of four runs.
    pub blocks: u32,
}

/// One side.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// Words of the command line.
    pub words: String,
    /// Settings in force while it runs.
    pub settings: Vec<Setting>,
    /// Its program.
    pub definition: Definition,
}

pub(super) static QUESTION: Question = Question {
    id: QuestionId::Ab,
    mode: Mode::Ab,
    asked_by: "ab --a ARM --b ARM",
    about: "Does a setting or command make a difference?",
};

impl Task for Ab {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn attributes(&self) -> Attributes {
        let is_of_machine = |setting: &Setting| !matches!(setting, Setting::Cpus(_));
        Attributes {
            asks_for_tools: false,
            changes_machine: self.sides.iter().any(|side| side.settings.iter().any(is_of_machine)),
            not_resumable: Some("its two sides must run alternately within one boot"),
            ..Attributes::default()
        }
    }

    fn stages(&self, planning: &PlanInput) -> Vec<Stage> {
        between_clocks(blocks(planning.machine, self))
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        let mut sides = self.sides.iter();
        let settings = || self.sides.iter().flat_map(|side| side.settings.iter().cloned()).collect::<Vec<Setting>>();
        sides
            .find_map(|side| side.definition.missing_program(asked.options.user.as_deref()))
            .or_else(|| unsettable(asked, &settings()))
    }

    fn definitions(&self) -> Vec<&Definition> {
        self.sides.iter().map(|side| &side.definition).collect()
    }

    fn sides(&self) -> Vec<String> {
        self.sides.iter().map(|side| side.words.clone()).collect()
    }
}

/// Reason why the settings of a side are impossible on this machine; all its runs would fail.
fn unsettable(asked: &StartFacts, settings: &[Setting]) -> Option<String> {
    let cpus = settings.iter().filter_map(|setting| match setting {
        Setting::Cpus(cpus) => Some(cpus),
        _ => None,
    });
    let of_machine: Vec<Setting> = settings.iter().filter(|one| !matches!(one, Setting::Cpus(_))).cloned().collect();
    let not_allowed = || match (of_machine.is_empty(), asked.options.tune) {
        (true, _) => None,
        (false, false) => Some("NOTUNING or --no-tuning leaves settings as they are; a side names some.".to_owned()),
        (false, true) => impossible(asked.identified.root(), asked.identified.machine(), &of_machine),
    };
    no_place(asked, cpus).or_else(not_allowed)
}

/// Parses a side: settings for the common program, or a program.
///
/// # Errors
/// The text is invalid; one sentence.
pub fn side(words: &str, program: Option<&Definition>) -> Result<Side, String> {
    let settings = Setting::parse_list(words)?;
    let (settings, definition) = match (settings, program) {
        (Some(settings), Some(program)) => (settings, program.clone()),
        (Some(_), None) => {
            return Err(format!("{words} is a setting; add the command to run after --"));
        }
        (None, Some(_)) => {
            return Err(format!(
                "{words:?} is not a setting such as governor=schedutil; with a command after -- both sides must be \
                 settings"
            ));
        }
        (None, None) if words.trim().is_empty() => return Err("the side is empty".into()),
        (None, None) => {
            let shell = ["/bin/sh", "-c", words].map(str::to_owned).to_vec();
            (Vec::new(), Definition::of_command(shell))
        }
    };
    Ok(Side { words: words.to_owned(), settings, definition })
}

/// Sets the same score rule for both sides.
pub fn score_both(ab: &mut Ab, score: &ScoreRule, unit: &str, higher_is_better: bool) {
    for side in &mut ab.sides {
        side.definition.score = score.clone();
        side.definition.unit = unit.to_owned();
        side.definition.higher_is_better = higher_is_better;
    }
}

/// Runs that are not part of the result.
const WARM_UP: Variant = Variant::own("warm-up");

/// Blocks A B B A, B A A B, ... after one discarded run of each side, which fills the page cache.
fn blocks(machine: &Machine, ab: &Ab) -> Vec<Stage> {
    let [a, b] = &ab.sides;
    let same_settings = a.settings == b.settings;
    let mut stages = Vec::new();
    let mut run = |side: &Side, variant: Variant, repetition: u32| {
        let pinned = side.settings.iter().find_map(|setting| match setting {
            Setting::Cpus(pinning) => Some(pinning),
            _ => None,
        });
        let pinning = pinned.unwrap_or(&side.definition.pinning);
        let cpus = places(machine, pinning).into_iter().next().unwrap_or_default();
        if !same_settings {
            stages.push(Stage::ApplySettings(side.settings.clone()));
        }
        stages.push(Stage::Job(Job { repetition, variant, ..Job::of_program(&side.definition, cpus) }));
    };
    run(a, WARM_UP, 0);
    run(b, WARM_UP, 1);
    for block in 0..ab.blocks {
        let (first, second) = match block % 2 {
            0 => ((a, Variant::SIDE_A), (b, Variant::SIDE_B)),
            _ => ((b, Variant::SIDE_B), (a, Variant::SIDE_A)),
        };
        for ((side, variant), half) in [(&first, 0), (&second, 0), (&second, 1), (&first, 1)] {
            run(side, variant.clone(), 2 * block + half);
        }
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_side_is_refused() {
        let make = || Definition::of_command(vec!["make".into(), "-j4".into()]);
        for (words, program, expected) in
            [("governor=x", None, "after --"), ("make", Some(make()), "not a setting"), (" ", None, "empty")]
        {
            let error = side(words, program.as_ref()).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
