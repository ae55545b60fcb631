//! Question: thermal test with start temperature, load and cooling. `run/heat` executes it, `facts::thermal` evaluates
//! it.

pub use crate::plan::heat::{StartAt, Thermal};

use super::refusal::{StartFacts, no_stage_runs};
use super::{Attributes, PlanInput, Question, Task};
use crate::plan::heat::heat_job;
use crate::plan::stage::Stage;
use crate::plan::variant::{Form, RepeatedWorkload};
use record::{Mode, QuestionId, Variant};
use std::time::Duration;
use workloads::job::definition::Definition;

/// Share of one core that the sampler may use, in millionths: the moment of throttling matters more here than the last
/// 0.1 % of a score, and slow cores need long to read sensors.
const SAMPLER_PPM: u32 = 10_000;

/// Interval of the sampler: the moment of throttling must be exact.
const INTERVAL: Duration = Duration::from_millis(200);

/// Fraction of the idle time before the load: only idle and load together separate thermal resistance from ambient
/// temperature, and cooling alone shows it late.
const IDLE_PART: u32 = 6;

/// Stress load of this name; `None` if the table has no such workload.
///
/// # Errors
/// The workload has no such variant; one sentence.
pub fn heat_load(name: &str) -> Result<Option<RepeatedWorkload>, String> {
    if let Some(form) = Form::first(name).map_err(|why| format!("{why}."))? {
        return Ok(Some(RepeatedWorkload::Form(form)));
    }
    let known = workloads::named(name).filter(|known| !known.attributes.is_users_own);
    Ok(known.map(|known| RepeatedWorkload::Form(Form { workload: known.id, variant: known.attributes.heats.clone() })))
}

pub(super) static QUESTION: Question = Question {
    id: QuestionId::Thermal,
    mode: Mode::Thermal,
    asked_by: "thermal",
    about: "What can the cooling dissipate?",
};

impl Task for Thermal {
    fn question(&self) -> &'static Question {
        &QUESTION
    }

    fn attributes(&self) -> Attributes {
        Attributes {
            sampler_ppm: Some(SAMPLER_PPM),
            interval: INTERVAL,
            not_resumable: Some("heating and cooling must be recorded without interruption"),
            ..Attributes::default()
        }
    }

    fn stages(&self, _: &PlanInput) -> Vec<Stage> {
        stages(self)
    }

    fn refusal(&self, asked: &StartFacts) -> Option<String> {
        match self.load.program() {
            Some(definition) => definition.missing_program(asked.options.user.as_deref()),
            None => no_stage_runs(asked, vec![Stage::Job(heat_job(&self.load, asked.identified.machine()))]),
        }
    }

    fn definitions(&self) -> Vec<&Definition> {
        self.load.program().into_iter().collect()
    }
}

fn stages(thermal: &Thermal) -> Vec<Stage> {
    let mut stages = vec![Stage::ColdClocks];
    let mut cool_down = thermal.cool_down;
    match thermal.start {
        // The wait already has an idle phase.
        Some(start) => stages.push(Stage::WaitFor(start, thermal.wait)),
        None if !cool_down.is_zero() => {
            let idle = cool_down / IDLE_PART;
            cool_down -= idle;
            stages.push(Stage::Rest(Variant::IDLE, idle));
        }
        None => {}
    }
    stages.push(Stage::Heat(thermal.clone()));
    if !cool_down.is_zero() {
        stages.push(Stage::Rest(Variant::COOL_DOWN, cool_down));
    }
    stages
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::WorkloadId;

    #[test]
    fn loads_are_known_by_name() {
        for (name, workload, variant) in [
            (WorkloadId::Simd.as_str(), WorkloadId::Simd, Variant::MULTI),
            (WorkloadId::Lzma.as_str(), WorkloadId::Lzma, Variant::MULTI),
            ("video:hevc-1080p", WorkloadId::Video, Variant::own("hevc-1080p")),
        ] {
            assert_eq!(heat_load(name), Ok(Some(RepeatedWorkload::Form(Form { workload, variant }))));
        }
        assert!(heat_load("video:fast").unwrap_err().contains("hevc-1080p"));
        for name in [WorkloadId::Program.as_str(), "fire"] {
            assert_eq!(heat_load(name), Ok(None), "{name}");
        }
    }

    #[test]
    fn idle_phase_before_load() {
        let rests = stages(&Thermal::default()).into_iter().filter_map(|stage| match stage {
            Stage::Rest(name, time) => Some((name, time.as_secs())),
            _ => None,
        });
        let rests: Vec<_> = rests.collect();
        assert_eq!(rests, [(Variant::IDLE, 10), (Variant::COOL_DOWN, 50)]);
        let bare = Thermal { cool_down: Duration::ZERO, ..Thermal::default() };
        assert_eq!(stages(&bare).len(), 2);
        let cooled = Thermal { start: Some(StartAt::CoolTo(50_000)), cool_down: Duration::ZERO, ..Thermal::default() };
        assert_eq!(stages(&cooled).len(), 3);
    }
}
