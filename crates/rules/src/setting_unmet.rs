//! Rule: setting-unmet. A setting of the run was not in effect.

use super::Rule;
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{RuleId, UnmetSetting};

pub(super) const RULE: Rule = Rule::new(RuleId::own("setting-unmet"), check);

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let mut paths: Vec<&str> = Vec::new();
    let mut findings = Vec::new();
    for unmet in &facts.unmet_settings {
        // One sentence per file: the first setting that was not met, and the number of others.
        if paths.contains(&unmet.path.as_str()) || was_met_later(facts, unmet) {
            continue;
        }
        paths.push(&unmet.path);
        let same = facts.unmet_settings.iter();
        let times = same.filter(|other| other.path == unmet.path).count();
        findings.push(finding(unmet, times as i64));
    }
    findings
}

/// The setting took effect on retry.
fn was_met_later(facts: &Facts<'_>, unmet: &UnmetSetting) -> bool {
    facts.settings.iter().any(|change| {
        change.path == unmet.path
            && change.new == unmet.wanted
            && change.read_back.known() == Some(&unmet.wanted)
            && change.at_ms > unmet.at_ms
    })
}

/// Never more than Info: the cost shows in the clocks, which other rules report.
fn finding(unmet: &UnmetSetting, times: i64) -> Finding {
    let template = if times == 1 || unmet.before_step.is_some() {
        "{path} [was {found} instead of {wanted} when {step} began|was {found} instead of {wanted}|could not be set to \
         {wanted}]: {why}."
    } else {
        "{path} [was {found} instead of {wanted}: {why} ({times} values were not in effect)|could not be set to {wanted}: \
         {why}]."
    };
    let text = |text: &str| Quantity::Text(text.to_owned());
    Finding::new(RULE.id, Severity::Info, template)
        .confidence(99)
        .with("path", text(&unmet.path))
        .with("wanted", text(&unmet.wanted))
        .with("why", text(unmet.why.trim_end_matches('.')))
        .with("times", Quantity::Count(times))
        .at(Place::Field("unmet_settings".into()))
        .with_known("found", unmet.found.known().map(|found| text(found)))
        .with_known("step", unmet.before_step.as_ref().map(|step| text(step)))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{own_run, with_limit_set};
    use crate::tests::sentences;
    use record::{Fact, UnmetSetting, WorkloadId};

    fn unmet(wanted: &str, before_step: Option<&str>) -> UnmetSetting {
        UnmetSetting {
            path: "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq".into(),
            wanted: wanted.into(),
            found: Fact::Known("408000".into()),
            why: "it is above the highest".into(),
            at_ms: Some(10),
            before_step: before_step.map(str::to_owned),
            programs: Vec::new(),
        }
    }

    #[test]
    fn each_file_is_told_once() {
        let path = "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq was 408000 instead of";
        for (unmets, expected) in [
            (vec![unmet("2400000", None)], format!("{path} 2400000: it is above the highest.")),
            (
                vec![unmet("2400000", None), unmet("2208000", None)],
                format!("{path} 2400000: it is above the highest (2 values were not in effect)."),
            ),
            (
                vec![unmet("2400000", Some(WorkloadId::Lzma.as_str()))],
                format!("{path} 2400000 when lzma began: it is above the highest."),
            ),
        ] {
            let mut record = own_run();
            record.unmet_settings = unmets;
            assert_eq!(sentences(RULE.id, &record), [expected]);
        }
        let mut record = with_limit_set(own_run(), 0, 5000, 2_208_000);
        record.unmet_settings = vec![unmet("2208000", None)];
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
        assert_eq!(sentences(RULE.id, &own_run()), [""; 0]);
    }
}
