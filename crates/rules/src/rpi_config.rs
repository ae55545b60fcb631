//! Rule: rpi-config. A Raspberry Pi's config.txt changes results against the board as sold.
//!
//! For logs, which quote the file. [`crate::config_txt`] evaluates the settings, also for the check of a machine at
//! rest.

use super::Rule;
use crate::config_txt::{ConfigTxt, Kind};
use facts::{Facts, Finding, Severity};
use record::RuleId;

pub(super) const RULE: Rule = Rule::new(RuleId::own("rpi-config"), check);

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    // Only a setting that is certainly slower lowers results; others are notes.
    let severity = |kind, setting: &str| match kind {
        Kind::Slower if setting == "arm_freq" => Severity::Degraded,
        _ => Severity::Info,
    };
    ConfigTxt::of_log(facts).findings(RULE.id, severity)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::own_run;
    use crate::tests::sentences;
    use record::{Fact, NamedValue};

    /// Sentences about a file with these lines on this board.
    fn check(board: &str, lines: &[&str], expected: &[&str]) {
        let mut record = own_run();
        record.machine.board = Fact::Known(board.into());
        let named = |(index, line): (usize, &&str)| {
            let (name, value) = line.split_once('=').unwrap_or((line, ""));
            NamedValue { name: format!("config.txt/{name}"), value: value.into(), from: format!("line {}", index + 1) }
        };
        record.machine.firmware = lines.iter().enumerate().map(named).collect();
        assert_eq!(sentences(RULE.id, &record), expected, "{board} {lines:?}");
    }

    #[test]
    fn setting_counts_where_it_applies() {
        let pi4 = "Raspberry Pi 4 Model B Rev 1.1";
        let low = "config.txt sets arm_freq=600: CPU clock below the 1500 MHz of this board.";
        check(pi4, &["arm_freq=600"], &[low]);
        check(pi4, &["[pi4]", "arm_freq=600", "[all]"], &[low]);
        check(pi4, &["[pi3]", "arm_freq=600", "[all]", "gpu_mem=16"], &[]);
        check(pi4, &["[gpio4=1]", "arm_freq=600"], &[]);
        check(pi4, &["arm_freq=600", "arm_freq=1500"], &[]);
        check("Pine64 RK3566", &["arm_freq=600", "enable_uart=1"], &[]);
        check("Raspberry Pi 3 Model B Plus Rev 1.3", &["[pi3+]", "temp_soft_limit=70"], &[]);
        check(
            "RPi 5 Model B Rev 1.0 / BCM2712",
            &["arm_freq=3100", "over_voltage=8"],
            &[
                "config.txt sets arm_freq=3100: CPU clock above the 2400 MHz of this board. Scores are not \
                 representative of a stock board.",
                "config.txt sets over_voltage=8: higher voltage, more heat.",
            ],
        );
    }
}
