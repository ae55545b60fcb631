//! Verdicts over kernels of all kinds.

use super::*;
use record::{Fact, KernelFacts, NamedValue, Source, Survey};

/// A Record of a machine with this kernel, looked at on this day.
fn record(release: &str, build: &str, day: &str) -> Record {
    let source = Source::Run { version: "1.0.0".into(), target: String::new() };
    let mut record = Record::new(source, record::Run::default());
    let midnight: jiff::Timestamp = format!("{day}T00:00:00Z").parse().unwrap();
    record.run.started = Fact::Known(midnight.as_millisecond());
    record.machine.kernel_release = Fact::Known(release.into());
    record.machine.kernel_version = Fact::Known(build.into());
    record.surveys = vec![Survey::default()];
    record
}

fn check(release: &str, build: &str, day: &str, expected: &[&str]) {
    let verdict = verdict(&record(release, build, day), &Eol::shipped());
    let found: Vec<&str> = verdict.findings.iter().map(|finding| finding.rule.as_str()).collect();
    assert_eq!(found, expected, "{release}");
    for finding in &verdict.findings {
        let sentence = finding.sentence();
        assert!(!sentence.contains('?') && sentence.ends_with('.'), "{sentence}");
    }
}

#[test]
fn kernels_of_all_kinds() {
    let day = "2026-05-20";
    check("6.18.2", "", day, &["kernel-revision", "kernel-supported"]);
    check("6.12.10", "", day, &["kernel-revision", "kernel-supported"]);
    check("6.9.3", "", day, &["kernel-ended"]);
    check("4.9.337", "", day, &["kernel-ended"]);
    check("2.6.39", "", day, &["kernel-ended"]);
    check("6.19.0-rc3", "", day, &["kernel-candidate"]);
    check("7.1.4", "", day, &["kernel-newer"]);
    check("3.15.0", "", day, &["kernel-not-listed"]);
    check("5.10.110-33-rockchip", "", day, &["kernel-origin", "kernel-supported"]);
    check(
        "6.1.0-13-arm64",
        "(debian-kernel@lists.debian.org) #1 SMP Debian 6.1.55-1 (2023-09-29)",
        day,
        &["kernel-origin", "kernel-distribution"],
    );
    check("5.14.0-427.el9.x86_64", "", day, &["kernel-origin", "kernel-distribution"]);
    check("strange", "", day, &["kernel-unknown"]);
    check("", "", day, &["kernel-unknown"]);
    assert_eq!(sentences("", day), ["The kernel release is not reported."]);
}

fn sentences(release: &str, day: &str) -> Vec<String> {
    let verdict = verdict(&record(release, "", day), &Eol::shipped());
    verdict.findings.iter().map(Finding::sentence).collect()
}

/// Ends of longterm series get postponed and revisions appear weekly, so old data does not show either. A series that
/// had ended by the date of the data stays ended.
#[test]
fn support_data_older_than_90_days_yield_only_what_cannot_change() {
    let old = |day: &str| {
        let days = Eol::shipped().as_of.days_until(Date::parse(day).unwrap());
        format!("Support data are from 2026-05-08 ({days} days old); use --eol-file for newer data.")
    };
    for (release, day, expected) in [
        (
            "6.12.80",
            "2029-01-01",
            "6.12 is a longterm (LTS) series; on 2026-05-08, the end of its support was announced for 2028-12-31.",
        ),
        (
            "5.15.10",
            "2027-01-01",
            "5.15 is a longterm (LTS) series; on 2026-05-08, the end of its support was announced for 2026-12-31.",
        ),
        ("7.2.1", "2026-11-22", "Series 7.2 is newer than the support data of 2026-05-08."),
    ] {
        assert_eq!(sentences(release, day), [expected.to_owned(), old(day)], "{release}");
    }
    let ended = sentences("6.9.3", "2026-11-22");
    assert!(ended[0].starts_with("Support of series 6.9 ended on 2024-07-27 with 6.9.12"), "{ended:?}");
    // Of the series itself the data is fresh, and its last revision is old news.
    assert_eq!(sentences("6.6.50", "2026-05-20"), ["6.6 is a longterm (LTS) series, supported until 2027-12-31."]);
    let behind = sentences("6.18.2", "2026-05-20");
    assert!(behind[0].contains("26") && behind[0].contains("6.18.28"), "{behind:?}");
}

/// A kernel with a suffix is not from kernel.org, and an unknown release has no support status.
#[test]
fn unknown_origin_is_reported_only_with_a_release() {
    for (release, expected) in [
        ("6.18.44", Some("unmodified mainline")),
        ("6.19.0-rc3", Some("unmodified mainline")),
        ("6.18.44-fc-v669", Some("its local suffix -fc-v669 is unknown")),
        ("6.18.44+", Some("its local suffix + is unknown")),
        ("6.1.0-18-amd64", None),
        ("", None),
    ] {
        let record = record(release, "", "2026-05-20");
        let text = text(&record, &verdict(&record, &Eol::shipped())).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(text.contains("No sign of"), expected.is_some(), "{text}");
        assert!(expected.is_none_or(|words| text.contains(words)), "{text}");
    }
}

#[test]
fn costly_options_are_reported() {
    let mut record = record("6.12.60-rt", "#1 SMP PREEMPT_RT", "2026-05-20");
    record.machine.kernel_cmdline = Fact::Known("quiet mitigations=off".into());
    record.machine.compatible = vec!["rockchip,rk3588".into()];
    let option = |name: &str| NamedValue { name: name.into(), value: "y".into(), from: "/proc/config.gz".into() };
    record.surveys[0].kernel = KernelFacts {
        config: Fact::Known(vec![option("KASAN"), option("CC_OPTIMIZE_FOR_SIZE")]),
        ..KernelFacts::default()
    };
    let found = verdict(&record, &Eol::shipped()).findings;
    let found: Vec<&str> = found.iter().map(|finding| finding.rule.as_str()).collect();
    assert!(found.starts_with(&["kernel-debugging", "kernel-small", "kernel-realtime"]), "{found:?}");
    assert!(found.contains(&"mitigations-off") && !found.contains(&"kernel-too-old-for-soc"));
    record.machine.kernel_release = Fact::Known("6.6.50".into());
    let found = verdict(&record, &Eol::shipped()).findings;
    assert!(found.iter().any(|finding| finding.rule.as_str() == "kernel-too-old-for-soc"));
}

#[test]
fn hostile_names_stay_harmless() {
    let mut record = record("6.1\u{1b}[31m.55-\u{202e}x", "\u{9b}2J", "2026-05-20");
    record.surveys[0].kernel.foreign_modules = vec!["\u{1b}]0;x\u{7}".into()];
    let text = text(&record, &verdict(&record, &Eol::shipped()));
    assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{7}', '\u{202e}']), "{text:?}");
}
