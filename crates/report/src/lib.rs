//! Reports of a Record as text, for people or other systems.
//!
//! A report is one file: a Record and its findings in, text out.
//!
//! This is a separate crate, so that a change of a report does not recompile rules and log readers.

#![forbid(unsafe_code)]

mod csv;
mod details;
mod forum;
mod json;
mod log;
mod machine_line;
mod markdown;
mod more_scores;
mod record;
mod review;
mod summary;
mod systems;
mod terminal;

use ::record::StableSort;
use facts::Explanation;
use rules::{ANSWERS, Report, all_plots};
use std::sync::LazyLock;
pub use systems::{Case, junit};

/// Names of steps whose missing scores are already stated by findings.
fn steps_said(explained: &Explanation) -> Vec<String> {
    let missing = explained.findings.iter().filter(|finding| finding.rule == rules::STEPS_MISSING);
    let named = missing.filter_map(|finding| finding.value("step")).map(ToString::to_string);
    named.flat_map(|steps| steps.split(", ").map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// All reports, sorted by id.
pub static REPORTS: LazyLock<Vec<Report>> = LazyLock::new(|| {
    let of_questions = ANSWERS.iter().flat_map(|answer| answer.reports).copied();
    let plots = all_plots().into_iter().map(|plot| plot.report());
    let mut reports: Vec<Report> = ROWS.iter().chain(systems::ROWS).copied().chain(of_questions).chain(plots).collect();
    reports.stable_sort_by_key(|report| report.id);
    reports
});

/// Reports that work for any Record.
const ROWS: &[Report] = &[
    csv::REPORT,
    forum::REPORT,
    json::REPORT,
    log::REPORT,
    markdown::REPORT,
    record::REPORT,
    review::REPORT,
    summary::REPORT,
    terminal::REPORT,
    terminal::DETAILS,
];

/// Report with this id.
pub fn find(id: &str) -> Option<&'static Report> {
    REPORTS.iter().find(|report| report.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::record::{ChannelId, End, Fact, HwmonChannel, HwmonKind, MeterChannel, Mode, Unit, Variant, WorkloadId};
    use compare::reference::Reference;
    use facts::Facts;

    use testkit::records::{compression, gauge_channel, labelled, own_run, with_scores, with_step};

    #[test]
    fn table_is_in_order() {
        assert!(REPORTS.windows(2).all(|pair| pair[0].id < pair[1].id));
        for report in REPORTS.iter() {
            assert!(report.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", report.id);
            assert!(report.about.ends_with('.'), "{}", report.id);
            let is_of_any = ROWS
                .iter()
                .chain(systems::ROWS)
                .any(|row| row.id == report.id && !["csv", "review", "summary"].contains(&row.id));
            assert_eq!(report.is_of(&Facts::of(&own_run())), is_of_any, "{}", report.id);
            assert_eq!(find(report.id).map(|found| found.about), Some(report.about));
        }
    }

    #[test]
    fn long_names_are_cut_in_text_only() {
        let mut record = gauge_channel(own_run(), ChannelId::zone_temperature(0), Unit::Millicelsius, &[95_000; 8]);
        let endless = |first: &str| first.to_owned() + &"x".repeat(4000);
        record = labelled(record, &endless("zone"));
        let machine = &mut record.machine;
        for fact in [&mut machine.board, &mut machine.soc, &mut machine.distribution] {
            *fact = Fact::Known(endless("name"));
        }
        let policy = &mut machine.policies[0];
        policy.governor = Fact::Known(endless("governor"));
        policy.governors = vec![endless("governor"), "powersave".into()];
        policy.driver = Fact::Known(endless("driver"));
        machine.cpus[0].core_type = Fact::Known(endless("core"));
        machine.clusters[0].core_type = Fact::Known(endless("core"));
        let explained = explain::explain(&record);
        for report in REPORTS.iter() {
            let text = report.text(&explained, Reference::builtin);
            let longest = text.split_whitespace().map(|word| word.chars().count()).max();
            let is_whole = longest.is_some_and(|longest| longest > 4000);
            assert!(report.for_programs || !is_whole, "{}: {longest:?}", report.id);
            assert!(is_whole || !["findings-json", "record"].contains(&report.id), "{}: {longest:?}", report.id);
        }
    }

    /// Summary lines are collected in lists of machines.
    #[test]
    fn nothing_measured_in_emulation_is_given_as_a_score() {
        let mut record = with_scores(own_run(), 1420, &[5345, 5370, 5331]);
        assert!(!facts::Facts::of(&record).figures().is_empty());
        record.machine.emulation = Fact::Known("it signs as QEMU TCG".to_owned());
        assert!(facts::Facts::of(&record).figures().is_empty());
        let explained = explain::explain(&record);
        for id in ["text", "summary"] {
            let row = find(id).unwrap();
            let text = row.text(&explained, Reference::builtin);
            assert!(!text.contains("MIPS") && !text.contains("1420"), "{text}");
            let says_so = if id == "summary" { "| emulated |" } else { "CPU is emulated" };
            assert!(text.contains(says_so), "{text}");
        }
    }

    #[test]
    fn energy_stands_in_reports_under_the_name_of_what_was_measured() {
        let milliwatts: Vec<i64> = (0..120).map(|row| if (20..80).contains(&row) { 5_000 } else { 2_000 }).collect();
        let load =
            |record| with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (10.0, 40.0), compression(6000));
        let meter = || gauge_channel(own_run(), ChannelId::meter(MeterChannel::Power), Unit::Milliwatts, &milliwatts);
        let rail = |name: &str| {
            let id = ChannelId::Hwmon(0, HwmonChannel::Sensor(HwmonKind::Power, 1));
            labelled(gauge_channel(own_run(), id, Unit::Milliwatts, &milliwatts), name)
        };
        let sources = || [meter(), rail("ina3221 VDD_IN"), rail("ina3221 VDD_SOC")];
        const MODULE: &str = "Energy, by ina3221 VDD_IN, the module without the carrier board and what it feeds";
        const MISSING: &str = "\"source_missing\":\"no sensor measures the whole board";
        for (id, words) in [
            (
                "text",
                [
                    "Energy, by meter.power where the meter is connected",
                    MODULE,
                    "energy: no sensor measures the whole board",
                ],
            ),
            ("markdown", ["Energy, by meter.power where", MODULE, "## "]),
            ("csv", ["multi per-energy meter", "multi per-energy module", "sevenzip@1 multi"]),
            ("findings-json", ["\"measured_at\":\"meter\"", "\"measured_at\":\"module\"", MISSING]),
        ] {
            for (number, (record, words)) in sources().into_iter().zip(words).enumerate() {
                let text = find(id).unwrap().text(&explain::explain(load(record)), Reference::builtin);
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("\": ", "\":");
                assert!(text.contains(words), "{id}: {words}: {text}");
                assert_eq!(text.contains("MIPS/W"), number < 2, "{id}: {text}");
            }
        }
    }

    #[test]
    fn recording_has_no_verdict_about_results() {
        let mut record = gauge_channel(own_run(), ChannelId::limit_max(0), Unit::Kilohertz, &[1_800_000; 2]);
        record = gauge_channel(record, ChannelId::zone_temperature(0), Unit::Millicelsius, &[40_000; 2]);
        record.run.mode = Mode::Monitor;
        record.run.started = Fact::Known(0);
        record.run.end = End::Interrupted { signal: 15 };
        let text = find("text").unwrap().text(&explain::explain(&record), Reference::builtin);
        assert!(text.starts_with("Recorded "), "{text}");
        assert!(!text.contains("esults") && !text.contains("interrupted"), "{text}");
    }
}
