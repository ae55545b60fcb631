//! Report: the matrix of latencies between CPUs, at most 80 columns wide, and the groups that show in it.

use crate::tables::{Answer, Report, Subject};
use facts::lines::{sentences, unmeasured, wrapped};
use facts::number::with_unit;
use facts::view::{self, CoreLevel};
use facts::{Facts, Finding};
use record::{CoreToCore, Outcome, QuestionId, StepMeasurement, WorkloadId, cpu_list};
use std::fmt::Write;

/// The answer to it.
pub(super) const ANSWER: Answer =
    Answer { id: QuestionId::CoreToCore, text: Answer::NO_TEXT, reports: &[REPORT], plots: &[], rules: &[] };

const REPORT: Report = Report {
    id: "core-to-core",
    about: "Core-to-core latency matrix and the clusters it shows.",
    fits: |record| record.steps_of(WorkloadId::CoreToCore).next().is_some(),
    ..Report::part(Subject::CoreToCore, render)
};

/// Columns of the matrix that fit next to each other: 80 less the column of names, five for each.
const COLUMNS: usize = 15;

fn render(facts: &Facts<'_>, findings: &[Finding]) -> String {
    let mut text = String::new();
    for step in facts.steps_of(WorkloadId::CoreToCore) {
        if let Outcome::Done(StepMeasurement::CoreToCore(matrix)) = &step.outcome {
            text.push_str(&matrix_text(matrix));
        }
    }
    if text.is_empty() {
        text.push_str("No core-to-core latency was measured.\n");
    }
    text.push_str(&sentences(findings));
    for line in unmeasured(facts, Some(WorkloadId::CoreToCore), &[]) {
        let _ = writeln!(text, "{}", wrapped(&format!("Not measured: {line}"), 3));
    }
    text
}

fn matrix_text(matrix: &CoreToCore) -> String {
    let mut text = "Core-to-core latency in ns (half of the round trip)\n\n".to_owned();
    for columns in matrix.cpus.chunks(COLUMNS) {
        text.push_str("  CPU");
        columns.iter().for_each(|cpu| _ = write!(text, "{cpu:>5}"));
        text.push('\n');
        for row in &matrix.cpus {
            let _ = write!(text, "{row:>5}");
            for column in columns {
                let cell = match view::between_ns(matrix, *row, *column) {
                    _ if row == column => "-".to_owned(),
                    Some(ns) if ns < 99.95 => format!("{ns:.1}"),
                    Some(ns) => format!("{ns:.0}"),
                    None => "?".to_owned(),
                };
                let _ = write!(text, "{cell:>5}");
            }
            text.push('\n');
        }
        text.push('\n');
    }
    if matrix.pairs.iter().any(|pair| pair.ns.is_empty()) {
        text.push_str("?: one of the two CPUs could not be used.\n");
    }
    let left_out = matrix.cpus_online as usize - matrix.cpus.len().min(matrix.cpus_online as usize);
    if left_out > 0 {
        let _ = writeln!(text, "{left_out} CPUs were skipped at even distances.");
    }
    let levels = view::core_levels(matrix);
    levels.iter().for_each(|found| text.push_str(&level(found)));
    if levels.is_empty() && matrix.cpus.len() > 2 {
        text.push_str("All CPUs have about the same latency: one cluster.\n");
    }
    text
}

fn level(level: &CoreLevel) -> String {
    let lists: Vec<String> = level.groups.iter().map(|group| cpu_list(group)).collect();
    let line = format!(
        "Clusters: {} ({} within, {} between).",
        lists.join(" | "),
        with_unit(level.inside_ns, "ns"),
        with_unit(level.between_ns, "ns")
    );
    format!("{}\n", wrapped(&line, 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{core_matrix, own_run, with_step};
    use record::Variant;

    #[test]
    fn small_matrix_is_one_table() {
        let mut matrix = core_matrix(4, |a, b| if a / 2 == b / 2 { 20.0 } else { 160.0 });
        matrix.pairs[5].ns.clear();
        let record = with_step(
            own_run(),
            WorkloadId::CoreToCore,
            Variant::ONLY,
            &[],
            (0.0, 1.0),
            StepMeasurement::CoreToCore(matrix),
        );
        expect_test::expect![[r#"
            Core-to-core latency in ns (half of the round trip)

              CPU    0    1    2    3
                0    - 20.0  160  160
                1 20.0    -  160  160
                2  160  160    -    ?
                3  160  160    ?    -

            ?: one of the two CPUs could not be used.
            Clusters: 0-1 | 2 | 3 (20.0 ns within, 160.0 ns between).
        "#]]
        .assert_eq(&render(&Facts::of(&record), &[]));
    }

    #[test]
    fn large_one_is_cut_at_80_columns() {
        let mut matrix = core_matrix(64, |a, b| if a / 8 == b / 8 { 31.5 } else { 1_140.0 });
        matrix.cpus_online = 192;
        let text = matrix_text(&matrix);
        assert!(text.lines().all(|line| line.chars().count() <= 80));
        assert_eq!(text.matches("  CPU").count(), 5);
        assert_eq!(text.matches("31.5").count(), 2 * matrix.pairs.len() * 7 / 63 + 1);
        assert!(text.contains("128 CPUs were skipped"));
        assert!(text.contains("Clusters: 0-7 | 8-15 |"));
    }

    #[test]
    fn equal_distances_are_one_cluster() {
        assert!(matrix_text(&core_matrix(4, |_, _| 40.0)).ends_with("one cluster.\n"));
        assert!(!matrix_text(&core_matrix(2, |_, _| 40.0)).contains("cluster"));
    }

    #[test]
    fn core_to_core_report_without_measurement() {
        assert!(render(&Facts::of(&own_run()), &[]).starts_with("No core-to-core latency"));
    }
}
