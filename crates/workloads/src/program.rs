//! Workload: a program of the user, scored by its time or by a number in its output. The job has its
//! [`Definition`](crate::job::definition::Definition).

use super::Workload;
use super::attributes::Attributes;
use super::scored::{garbled, not_started, shortened, too_little_memory, tool};
use crate::job::cpus::online_cpus;
use crate::job::definition::{Definition, METHOD};
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::available_kib;
use process::tools::InstalledProgram;
use record::{Failure, Missing, Score, Scores, StepMeasurement, WorkloadId};

pub(super) const PROGRAM: Workload = Workload {
    id: WorkloadId::Program,
    about: "Runs your own command; the score is its run time or a number from its output.",
    link: "https://github.com/ThomasKaiser/sbc-bench",
    attributes: Attributes { is_users_own: true, ..Attributes::PLAIN },
    lacking: |context| match &context.job.definition {
        Some(definition) => lacking(context, definition),
        None => Some(Missing::unsupported(WorkloadId::Program.as_str(), "no command was given")),
    },
    run,
    ..Workload::PLAIN
};

/// Why a definition cannot run.
pub(super) fn lacking(context: &WorkloadContext, definition: &Definition) -> Option<Missing> {
    too_little_memory(context, &format!("{} needs", definition.name), definition.memory_mib << 10)
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    let Some(definition) = context.job.definition.clone() else {
        return Err(not_started("No command was given."));
    };
    let found = match &definition.program {
        Some(rule) => tool(context, rule.kind(true))?,
        None => InstalledProgram {
            name: definition.name.clone(),
            path: definition.command.first().cloned().unwrap_or_default(),
            version: String::new(),
            runs_as_caller: true,
        },
    };
    measure(context, report, &definition, &found)
}

/// Runs the program of a definition once and reads its scores.
pub(super) fn measure(
    context: &WorkloadContext,
    report: &mut StepReport,
    definition: &Definition,
    found: &InstalledProgram,
) -> Result<StepMeasurement, Failure> {
    report.method = definition.program.as_ref().map_or(METHOD, |rule| rule.method(&found.version));
    report.not_comparable = definition.not_comparable.clone().or(report.not_comparable.take());
    let threads = match context.job.threads {
        0 => online_cpus(context.machine).len() as u32,
        threads => threads,
    };
    let arguments = definition.arguments(threads, &available_kib(context.root)).map_err(|missing| {
        not_started(format!(
            "The available memory, by which {} chooses its size, is unknown: {missing}.",
            definition.name
        ))
    })?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = context.program(report, found, &arguments, definition.time_limit)?;
    let scores = definition.score.find_all(&output, report.program_elapsed.as_secs_f64()).map_err(|why| {
        match &definition.no_score {
            Some(_) if output.trim().is_empty() => garbled("It printed nothing", ""),
            Some(words) => garbled(words, &output),
            None => garbled(format!("No score for {}: {why}", definition.name), &output),
        }
    })?;
    let row = |(name, value)| Score {
        name,
        value: value * definition.scale,
        unit: definition.unit.clone(),
        higher_is_better: definition.higher_is_better,
    };
    Ok(StepMeasurement::Scores(Scores {
        rows: scores.into_iter().map(row).collect(),
        detail: definition.detail.clone(),
        output: shortened(&output),
        ..Scores::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::job::score::ScoreRule;
    use crate::testing::Bench;
    use record::FailureKind;
    use std::sync::Arc;

    fn check(line: &str, score: ScoreRule, expected: Result<f64, (FailureKind, &str)>) {
        let command = ["/bin/sh", "-c", line].map(str::to_owned).to_vec();
        let definition = Definition { score, ..Definition::of_command(command) };
        let job = Job { workload: WorkloadId::Program, definition: Some(Arc::new(definition)), ..Job::default() };
        match (Bench::new(&[]).with(&job, run), expected) {
            (Ok(StepMeasurement::Scores(scores)), Ok(value)) => assert_eq!(scores.rows[0].value, value),
            (Err(failure), Err((kind, words))) => {
                assert_eq!(failure.kind, kind);
                assert!(failure.message.contains(words), "{}", failure.message);
            }
            (found, expected) => panic!("{line}: {found:?} instead of {expected:?}"),
        }
    }

    #[test]
    fn scores_and_failures_of_programs() {
        let regex = || ScoreRule::regex("score (\\d+)").unwrap();
        check("echo score 12", regex(), Ok(12.0));
        check("echo score 12 >&2", regex(), Ok(12.0));
        check("echo nothing", regex(), Err((FailureKind::Garbled, "does not match")));
        check("echo score 12; exit 7", regex(), Err((FailureKind::ExitStatus, "exited with status 7")));
        check("kill -9 $$", regex(), Err((FailureKind::Signal, "SIGKILL")));
    }
}
