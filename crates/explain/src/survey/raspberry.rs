//! Check: config-txt. Settings of a Raspberry Pi's firmware that cost performance or make no sense.
//!
//! What is written there is judged in [`crate::config_txt`], as for logs; here is what a board lacks.

use super::first;
use crate::config_txt::{ConfigTxt, Kind};
use crate::rules::Rule;
use crate::{Finding, Place, Severity};
use record::Record;

pub(super) const CONFIG: Rule = Rule {
    id: "config-txt",
    about: "A setting in config.txt costs performance or makes no sense.",
    link: "https://www.raspberrypi.com/documentation/computers/config_txt.html",
    check,
};

fn check(record: &Record) -> Vec<Finding> {
    let Some(settings) = first(record).and_then(|survey| survey.config_txt.known()) else {
        return Vec::new();
    };
    let config = ConfigTxt::of_survey(record, settings);
    let mut found: Vec<Finding> = Vec::new();
    found.extend(arm_boost(&config, is_c0(record)));
    found.extend(soft_limit(&config));
    // Whatever is slower is something that the machine could do better.
    found.extend(config.findings(CONFIG.id, |kind, _| match kind {
        Kind::Slower => Severity::Degraded,
        Kind::Faster | Kind::Risky => Severity::Info,
    }));
    found
}

/// Revision C0 of the BCM2711 can do 1800 MHz as delivered.
fn is_c0(record: &Record) -> bool {
    let features = &record.machine.features;
    features
        .iter()
        .any(|feature| feature.name == "bcm2711_stepping" && feature.value.starts_with('C'))
}

fn finding(template: &'static str) -> Finding {
    Finding::new(CONFIG.id, Severity::Degraded, template)
        .sure(90)
        .at(Place::Field("surveys.0.config_txt".into()))
}

fn arm_boost(config: &ConfigTxt, is_c0: bool) -> Option<Finding> {
    if !is_c0 || config.get("arm_boost") == Some("1") {
        return None;
    }
    match config.number("arm_freq") {
        Some(1800) => Some(finding(
            "config.txt sets arm_freq=1800 by hand: on this revision of the chip arm_boost=1 does it with the right voltage.",
        )),
        Some(_) => None,
        None => Some(finding(
            "config.txt lacks arm_boost=1: this revision of the chip could run at 1800 MHz instead of 1500 MHz.",
        )),
    }
}

fn soft_limit(config: &ConfigTxt) -> Option<Finding> {
    let limited = config.number("arm_freq").is_some_and(|mhz| mhz <= 1200);
    let lacks = config.is("pi3+") && !limited && config.get("temp_soft_limit").is_none();
    lacks.then(|| {
        finding(
            "config.txt has no temp_soft_limit: this board goes from 1400 to 1200 MHz at 60 °C already, 70 is allowed.",
        )
    })
}
