//! Check: config-txt. Settings of a Raspberry Pi's firmware that cost performance or are pointless.
//!
//! [`crate::config_txt`] evaluates settings, as for logs; this module finds missing ones.

use super::first;
use crate::config_txt::{ConfigTxt, Kind};
use crate::tables::Rule;
use facts::{Facts, Finding, Place, Severity};
use record::RuleId;

pub(crate) const CONFIG: Rule = Rule::at_rest(RuleId::own("config-txt"), check);

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let Some(settings) = first(facts).and_then(|survey| survey.config_txt.known()) else { return Vec::new() };
    let config = ConfigTxt::of_survey(facts, settings);
    let mut found: Vec<Finding> = Vec::new();
    found.extend(arm_boost(&config, is_c0(facts)));
    found.extend(soft_limit(&config));
    // Everything slower is something that the machine could do better.
    found.extend(config.findings(CONFIG.id, |kind, _| match kind {
        Kind::Slower => Severity::Degraded,
        Kind::Faster | Kind::Risky => Severity::Info,
    }));
    found
}

/// Revision C0 of the BCM2711 can do 1800 MHz as delivered.
fn is_c0(facts: &Facts<'_>) -> bool {
    let features = &facts.machine.features;
    features.iter().any(|feature| feature.name == "bcm2711_stepping" && feature.value.starts_with('C'))
}

fn finding(template: &'static str) -> Finding {
    Finding::new(CONFIG.id, Severity::Degraded, template).confidence(90).at(Place::Field("surveys.0.config_txt".into()))
}

fn arm_boost(config: &ConfigTxt, is_c0: bool) -> Option<Finding> {
    if !is_c0 || config.get("arm_boost") == Some("1") {
        return None;
    }
    match config.number("arm_freq") {
        Some(1800) => Some(finding(
            "config.txt sets arm_freq=1800; on this SoC revision use arm_boost=1, which also sets the correct voltage.",
        )),
        Some(_) => None,
        None => Some(finding("config.txt lacks arm_boost=1: this SoC revision supports 1800 MHz instead of 1500 MHz.")),
    }
}

fn soft_limit(config: &ConfigTxt) -> Option<Finding> {
    let limited = config.number("arm_freq").is_some_and(|mhz| mhz <= 1200);
    let lacks = config.is("pi3+") && !limited && config.get("temp_soft_limit").is_none();
    lacks.then(|| {
        finding(
            "config.txt has no temp_soft_limit: this board drops from 1400 to 1200 MHz at 60 °C; up to 70 °C is \
             allowed.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, named};
    use record::{Fact, NamedValue, Record, Survey};

    #[test]
    fn settings_of_config_txt() {
        let pi = |board: &'static str, settings: &'static [(&str, &str)], stepping: &'static str| {
            move |r: &mut Record, s: &mut Survey| {
                r.machine.board = Fact::Known(board.into());
                r.machine.features.push(named("bcm2711_stepping", stepping));
                s.config_txt = Fact::Known(settings.iter().map(|(name, value)| named(name, value)).collect());
            }
        };
        let pi4 = "Raspberry Pi 4 Model B Rev 1.4";
        let pi3_plus = "Raspberry Pi 3 Model B Plus Rev 1.3";
        check(pi(pi4, &[], "C0"), &["config-txt !"]);
        check(pi(pi4, &[("arm_boost", "1")], "C0"), &[]);
        check(pi(pi4, &[("arm_freq", "1800")], "C0"), &["config-txt !"]);
        check(pi(pi4, &[], "B0"), &[]);
        check(pi(pi3_plus, &[], ""), &["config-txt !"]);
        check(pi(pi3_plus, &[("temp_soft_limit", "70")], ""), &[]);
        check(pi(pi4, &[("arm_freq", "600"), ("temp_limit", "60")], "B0"), &["config-txt !", "config-txt !"]);
        check(pi(pi4, &[("over_voltage", "2"), ("force_turbo", "1")], "B0"), &["config-txt", "config-txt"]);
        check(pi(pi3_plus, &[("arm_freq", "1300"), ("temp_soft_limit", "70")], ""), &["config-txt !"]);
        check(
            |r, s| {
                r.machine.board = Fact::Known(pi4.into());
                let of_section = |section: &str, name: &str| NamedValue {
                    from: format!("/boot/config.txt{section}"),
                    ..named(name, "1")
                };
                s.config_txt = Fact::Known(vec![
                    of_section("#[pi5]", "total_mem"),
                    of_section("#[none]", "total_mem"),
                    of_section("#[pi4]", "enable_tvout"),
                ]);
            },
            &["config-txt !"],
        );
    }
}
