//! Report: main figures as OpenMetrics text (<https://prometheus.io/docs/specs/om/open_metrics_spec/>), which the textfile
//! collector of node_exporter and the metrics report of GitLab read.

use super::scores::{scores, slug};
use facts::{Explanation, Facts, Verdict};
use rules::Report;
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) const REPORT: Report = Report {
    id: "openmetrics",
    about: "Main figures and the verdict as OpenMetrics text.",
    for_programs: true,
    ..Report::of(render)
};

fn render(facts: &Facts<'_>, explained: &Explanation) -> String {
    let mut families: BTreeMap<String, String> = BTreeMap::new();
    for score in scores(facts, explained) {
        let unit = slug(&[&score.figure.unit.replace('/', " per ")]);
        let family = format!("sbc_bench_score_{unit}");
        let about = || {
            format!(
                "# TYPE {family} gauge\n# UNIT {family} {unit}\n# HELP {family} Main figures in {}.\n",
                score.figure.unit
            )
        };
        let lines = families.entry(family.clone()).or_insert_with(about);
        let _ = writeln!(lines, "{family}{{name=\"{}\"}} {}", score.name, score.figure.value);
    }
    let mut text: String = families.into_values().collect();
    // A state set with the type gauge, because the textfile collector rejects a file with the type of state sets.
    text.push_str(
        "# TYPE sbc_bench_verdict gauge\n# HELP sbc_bench_verdict 1 for the verdict of the result, 0 for others.\n",
    );
    for verdict in Verdict::ALL {
        let is_so = u8::from(verdict == explained.verdict);
        let _ = writeln!(text, "sbc_bench_verdict{{verdict=\"{verdict}\"}} {is_so}");
    }
    text.push_str("# EOF\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::records::{own_run, with_scores};

    #[test]
    fn families_end_as_they_must() {
        let record = with_scores(own_run(), 1420, &[5345, 5370, 5331]);
        let text = REPORT.text(&explain::explain(&record), compare::reference::Reference::builtin);
        assert!(text.ends_with("sbc_bench_verdict{verdict=\"invalid\"} 0\n# EOF\n"), "{text}");
        // The textfile collector also reads the older text format, which has fewer types.
        let types: Vec<&str> = text.lines().filter(|line| line.starts_with("# TYPE ")).collect();
        assert!(types.len() > 1 && types.iter().all(|line| line.ends_with(" gauge")), "{types:?}");
        let head = "# TYPE sbc_bench_score_mips gauge\n# UNIT sbc_bench_score_mips mips\n\
                    # HELP sbc_bench_score_mips Main figures in MIPS.\nsbc_bench_score_mips{name=\"sevenzip_";
        assert!(text.contains(head), "{text}");
    }
}
