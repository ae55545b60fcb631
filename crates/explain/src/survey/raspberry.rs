//! Check: config-txt. Settings of a Raspberry Pi's firmware that cost performance or make no sense.

use super::first;
use crate::rules::Rule;
use crate::{Finding, Place, Quantity, Severity};
use record::{NamedValue, Record};

pub(super) const CONFIG: Rule = Rule {
    id: "config-txt",
    about: "A setting in config.txt costs performance or makes no sense.",
    link: "https://www.raspberrypi.com/documentation/computers/config_txt.html",
    check,
};

/// What of the board decides which settings make sense.
struct Board<'a> {
    record: &'a Record,
    settings: Vec<&'a NamedValue>,
}

impl Board<'_> {
    fn is(&self, compatible: &[&str]) -> bool {
        let entries = &self.record.machine.compatible;
        entries
            .iter()
            .any(|entry| compatible.contains(&entry.as_str()))
    }

    /// The last setting of this name counts.
    fn get(&self, name: &str) -> Option<&str> {
        let found = self
            .settings
            .iter()
            .rev()
            .find(|setting| setting.name == name)?;
        Some(&found.value)
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.get(name)?.parse().ok()
    }

    /// Revision C0 of the BCM2711 can do 1800 MHz as delivered.
    fn is_c0(&self) -> bool {
        let features = &self.record.machine.features;
        features
            .iter()
            .any(|feature| feature.name == "bcm2711_stepping" && feature.value.starts_with('C'))
    }
}

fn check(record: &Record) -> Vec<Finding> {
    let Some(settings) = first(record).and_then(|survey| survey.config_txt.known()) else {
        return Vec::new();
    };
    let own = settings
        .iter()
        .filter(|setting| section_holds(record, &setting.from));
    let board = Board {
        record,
        settings: own.collect(),
    };
    let mut found: Vec<Finding> = Vec::new();
    found.extend(arm_boost(&board));
    found.extend(soft_limit(&board));
    found.extend(low_clocks(&board));
    found.extend(others(&board));
    found
}

/// Whether a section (`[pi4]`) is about this board. Sections that ask for serial numbers or pins are
/// taken to hold, as the firmware could say so only itself.
fn section_holds(record: &Record, from: &str) -> bool {
    const MODELS: &[(&str, &[&str])] = &[
        ("pi5", &["brcm,bcm2712"]),
        ("pi4", &["brcm,bcm2711"]),
        (
            "pi3+",
            &["raspberrypi,3-model-b-plus", "raspberrypi,3-model-a-plus"],
        ),
        ("pi3", &["brcm,bcm2837"]),
        ("pi2", &["raspberrypi,2-model-b", "brcm,bcm2836"]),
        ("pi1", &["brcm,bcm2835"]),
        ("pi0", &["brcm,bcm2835"]),
        ("pi02", &["raspberrypi,model-zero-2-w"]),
        ("pi400", &["raspberrypi,400"]),
        ("pi500", &["raspberrypi,500"]),
        ("cm4", &["raspberrypi,4-compute-module"]),
        ("cm5", &["raspberrypi,5-compute-module"]),
    ];
    let section = from
        .split_once("#[")
        .and_then(|(_, rest)| rest.strip_suffix(']'));
    match section {
        None => true,
        Some("none") => false,
        Some(name) => match MODELS.iter().find(|(model, _)| *model == name) {
            Some((_, entries)) => record
                .machine
                .compatible
                .iter()
                .any(|entry| entries.contains(&entry.as_str())),
            None => true,
        },
    }
}

fn finding(severity: Severity, sure: u8, template: &'static str) -> Finding {
    Finding::new(CONFIG.id, severity, template)
        .sure(sure)
        .at(Place::Field("surveys.0.config_txt".into()))
}

fn arm_boost(board: &Board) -> Option<Finding> {
    if !board.is_c0() || board.get("arm_boost") == Some("1") {
        return None;
    }
    Some(match board.number("arm_freq") {
        Some(1800) => finding(
            Severity::Degraded,
            90,
            "config.txt sets arm_freq=1800 by hand: on this revision of the chip arm_boost=1 does it with the right voltage.",
        ),
        Some(_) => return None,
        None => finding(
            Severity::Degraded,
            90,
            "config.txt lacks arm_boost=1: this revision of the chip could run at 1800 MHz instead of 1500 MHz.",
        ),
    })
}

fn soft_limit(board: &Board) -> Option<Finding> {
    let plus = board.is(&[
        "raspberrypi,3-model-b-plus",
        "raspberrypi,3-model-a-plus",
        "raspberrypi,3-plus-compute-module",
    ]);
    let limited = board.number("arm_freq").is_some_and(|mhz| mhz <= 1200);
    (plus && !limited && board.get("temp_soft_limit").is_none()).then(|| {
        finding(
            Severity::Degraded,
            90,
            "config.txt has no temp_soft_limit: this board goes from 1400 to 1200 MHz at 60 °C already, 70 is allowed.",
        )
    })
}

/// Clocks below what the board is delivered with.
fn low_clocks(board: &Board) -> Option<Finding> {
    const DEFAULTS: &[(&str, &[&str], i64)] = &[
        ("arm_freq", &["brcm,bcm2712"], 2400),
        ("arm_freq", &["brcm,bcm2711"], 1500),
        (
            "arm_freq",
            &["raspberrypi,3-model-b-plus", "raspberrypi,3-model-a-plus"],
            1400,
        ),
        ("arm_freq", &["raspberrypi,3-model-b"], 1200),
        ("arm_freq", &["raspberrypi,model-zero-2-w"], 1000),
        (
            "sdram_freq",
            &["raspberrypi,3-model-b", "raspberrypi,model-zero-2-w"],
            450,
        ),
    ];
    DEFAULTS.iter().find_map(|(name, boards, usual)| {
        let value = board.number(name).filter(|value| board.is(boards) && value < usual)?;
        Some(
            finding(Severity::Degraded, 95, "config.txt sets {name}={value}, below the {usual} that the board is delivered with.")
                .with("name", Quantity::Text((*name).into()))
                .with("value", Quantity::Count(value))
                .with("usual", Quantity::Count(*usual)),
        )
    })
}

fn others(board: &Board) -> Vec<Finding> {
    let mut found = Vec::new();
    let arm = board
        .record
        .machine
        .kernel_arch
        .known()
        .map_or("", String::as_str);
    if board.get("arm_64bit") == Some("0") && arm.starts_with("armv") {
        found.push(finding(
            Severity::Degraded,
            85,
            "config.txt sets arm_64bit=0: a 32-bit kernel makes most programs slower on this board.",
        ));
    }
    if board.get("force_turbo") == Some("1") {
        found.push(finding(
            Severity::Info,
            90,
            "config.txt sets force_turbo=1: the clock never goes down, and the governor has nothing to say.",
        ));
    }
    if let Some(volts) = board.number("over_voltage").filter(|volts| *volts != 0) {
        found.push(
            finding(
                Severity::Info,
                95,
                "config.txt sets over_voltage={value}: more heat, and throttling sooner.",
            )
            .with("value", Quantity::Count(volts)),
        );
    }
    if let Some(mib) = board.number("gpu_mem").filter(|mib| *mib >= 256) {
        found.push(
            finding(
                Severity::Info,
                85,
                "config.txt gives {value} MiB of memory to the GPU.",
            )
            .with("value", Quantity::Count(mib)),
        );
    }
    if let Some(limit) = board.number("temp_limit").filter(|limit| *limit < 80) {
        found.push(
            finding(Severity::Degraded, 95, "config.txt sets temp_limit={value}: the board throttles at {value} °C, 85 is usual.")
                .with("value", Quantity::Count(limit)),
        );
    }
    found
}
