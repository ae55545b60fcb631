//! The machine that tests of checks start with. Each check has its tests in its own file.

use super::*;
use crate::test_support::own_run;
use facts::Facts;
use facts::Severity;
use record::*;

/// A machine at rest without findings.
pub(super) fn machine() -> Record {
    let mut record = own_run();
    record.run.started = Fact::Known(1_766_000_000_000);
    record.surveys =
        vec![Survey { scalers: vec![cpu("performance", &[]), memory("performance")], ..Survey::default() }];
    record
}

pub(super) fn named(name: &str, value: &str) -> NamedValue {
    NamedValue { name: name.into(), value: value.into(), from: "x".into() }
}

pub(super) fn cpu(governor: &str, tunables: &[(&str, &str)]) -> Scaler {
    Scaler {
        kind: ScalerKind::Cpu,
        name: "policy0".into(),
        governor: Fact::Known(governor.into()),
        limit_hz_max: Fact::Known(1_800_000_000),
        clock_hz_max: Fact::Known(1_800_000_000),
        tunables: tunables.iter().map(|(name, value)| named(name, value)).collect(),
        ..Scaler::default()
    }
}

pub(super) fn memory(governor: &str) -> Scaler {
    Scaler {
        kind: ScalerKind::Memory,
        name: "dmc".into(),
        governor: Fact::Known(governor.into()),
        clock_hz: Fact::Known(528_000_000),
        clock_hz_max: Fact::Known(2_112_000_000),
        limit_hz_max: Fact::Known(2_112_000_000),
        clocks_hz: vec![528_000_000, 2_112_000_000],
        ..Scaler::default()
    }
}

/// Findings of the checks after a change, as `id severity`.
pub(super) fn check(change: impl FnOnce(&mut Record, &mut Survey), expected: &[&str]) {
    let mut record = machine();
    let mut survey = record.surveys.remove(0);
    change(&mut record, &mut survey);
    record.surveys = vec![survey];
    let found = crate::check_at_rest(&Facts::of(&record));
    for finding in &found {
        let sentence = finding.sentence();
        assert!(!sentence.contains('?') && sentence.ends_with('.'), "{sentence}");
        assert!((1..=100).contains(&finding.confidence_percent));
        crate::tests::numbers_are_values(finding);
    }
    let found: Vec<String> = found
        .iter()
        .map(|finding| {
            let mark = if finding.severity == Severity::Degraded { " !" } else { "" };
            format!("{}{mark}", finding.rule)
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn good_machine_has_no_findings() {
    check(|_, _| {}, &[]);
    assert!(crate::check_at_rest(&Facts::of(&own_run())).is_empty());
}

pub(super) fn nvme(link: PciLink) -> PciDevice {
    PciDevice {
        address: "0000:01:00.0".into(),
        class: 0x01_08_02,
        name: Some("Samsung 980".into()),
        link: Some(link),
        ..PciDevice::default()
    }
}
