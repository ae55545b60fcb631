//! Rule: board-died. The run has no end, or was resumed: the step in which it died, the last readings, and the likely
//! cause.

use super::Rule;
use facts::lines::duration;
use facts::view::Death;
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{Resumption, RuleId};

pub(super) const RULE: Rule = Rule::new(RuleId::own("board-died"), check);

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let deaths = facts.deaths().iter().enumerate();
    let finding = |(index, death): (usize, &Death)| finding(death.clone(), facts.run.resumed.get(index));
    deaths.map(finding).collect()
}

/// One crash, and how the run continued, if it did.
fn finding(death: Death, resumed: Option<&Resumption>) -> Finding {
    let template = "{how} during {step}[, {into} in]; [last readings (up to {before} before): {seen}|no samples were \
                    taken]. {cause}[ The run was resumed {later}; {parts}.]";
    let (severity, place) = match resumed {
        Some(_) => (Severity::Degraded, "run.resumed"),
        None => (Severity::Invalid, "run.died_in"),
    };
    let Death { how, step, into_ms, seen, cause, sure_percent, was_killed } = death;
    let mut finding = Finding::new(RULE.id, severity, template)
        .confidence(sure_percent)
        .with("how", Quantity::Text(how.to_owned()))
        .with("step", Quantity::Text(step))
        .with_known("into", into_ms.map(|into_ms| Quantity::measured((into_ms / 1000) as f64, "s", 0)))
        .with("cause", Quantity::Text(cause))
        .at(Place::Field(place.into()));
    if let Some(resumed) = resumed {
        let later = match resumed.away_ms {
            Some(away_ms) => format!("{} later", duration(away_ms)),
            None => "after an unknown time (the clock had been reset)".to_owned(),
        };
        let parts = if was_killed {
            "results before and after were not measured without a break"
        } else {
            "results before and after come from different boots"
        };
        finding = finding
            .with("later", Quantity::Text(later))
            .with_known("away", resumed.away_ms.map(Quantity::Ms))
            .with("parts", Quantity::Text(parts.to_owned()));
    }
    if let Some(seen) = seen {
        let before = Quantity::measured((1 + seen.before_ms / 1000) as f64, "s", 0);
        let mhz = |hz: i64| Quantity::measured(hz as f64 / 1e6, "MHz", 0);
        finding = finding
            .with("before", before)
            .with("seen", Quantity::Text(seen.words))
            .with_known("temperature", seen.millicelsius.map(Quantity::Millicelsius))
            .with_known("clock", seen.khz.map(|khz| mhz(khz.saturating_mul(1000))))
            .with_known("dram_clock", seen.dram_hz.map(mhz))
            .with_known("power", seen.milliwatts.map(|mw| Quantity::measured(mw / 1e3, "W", 1)))
            .with_known("voltage", seen.millivolts.map(|mv| Quantity::measured(mv as f64 / 1e3, "V", 2)));
    }
    finding
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{died_run as died, gauge_channel, own_run, resumed_run, with_message};
    use crate::tests::findings_of;
    use facts::Severity;
    use record::{
        Aftermath, ChannelId, DevfreqChannel, ErrorCounter, Fact, LastWords, MachineChecks, MeterChannel,
        RaspberryPiChannel, Record, ResetReason, Unit, WatchdogStatus,
    };

    fn aftermath(record: &mut Record) -> &mut Aftermath {
        match &mut record.run.died_in.as_mut().unwrap().aftermath {
            Fact::Known(aftermath) => aftermath,
            Fact::Missing { .. } => unreachable!(),
        }
    }

    fn sampled(record: Record, temps: &[i64], millivolts: &[i64]) -> Record {
        let record = gauge_channel(record, ChannelId::zone_temperature(0), Unit::Millicelsius, temps);
        let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &[2_112_000; 4]);
        let record = gauge_channel(record, ChannelId::meter(MeterChannel::Power), Unit::Milliwatts, &[12_400; 4]);
        let record = gauge_channel(record, ChannelId::meter(MeterChannel::Voltage), Unit::Millivolts, millivolts);
        gauge_channel(
            record,
            ChannelId::Devfreq("dmc".into(), DevfreqChannel::Claimed),
            Unit::Hertz,
            &[2_112_000_000; 4],
        )
    }

    fn sentence(record: &Record) -> (String, u8) {
        let found = findings_of(RULE.id, record);
        assert_eq!(found.len(), 1);
        (found[0].sentence(), found[0].confidence_percent)
    }

    #[test]
    fn step_time_and_last_values() {
        let hot = [60_000, 80_000, 86_000, 88_100];
        let record = sampled(died(Some(true)), &hot, &[5_100, 5_000, 4_900, 4_710]);
        let (text, _) = sentence(&record);
        let expected = "The board died during stockfish, run 2, 41 s in; last readings (up to 1 s before): \
                        88.1 °C, 2112 MHz, 12.4 W, 4.71 V; DRAM at 2112 MHz.";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn resumed_run_is_degraded() {
        let hot = [60_000, 80_000, 86_000, 88_100];
        let record = sampled(resumed_run(), &hot, &[5_100, 5_000, 4_900, 4_710]);
        let found = findings_of(RULE.id, &record);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].severity, Severity::Degraded);
        let text = found[0].sentence();
        assert!(text.starts_with("The board died during stockfish, run 2, 41 s in; last readings"), "{text}");
        let expected = "The run was resumed 10 min 0 s later; results before and after come from different boots.";
        assert!(text.ends_with(expected), "{text}");
        // Crashes again, for the last time.
        let mut twice = record;
        twice.run.end = record::End::Died;
        twice.run.died_in = died(Some(true)).run.died_in;
        let severities: Vec<Severity> = findings_of(RULE.id, &twice).iter().map(|f| f.severity).collect();
        assert_eq!(severities, [Severity::Degraded, Severity::Invalid]);
    }

    #[test]
    fn cause_confidence() {
        let cool = [50_000; 4];
        let steady = [5_100; 4];
        let usual = || sampled(died(Some(true)), &cool, &steady);
        let mut panicked = usual();
        aftermath(&mut panicked).last_words = Fact::Known(vec![LastWords {
            file: "dmesg-ramoops-0".into(),
            lines: vec!["Panic#1".into(), "<0>[   57.076715] Kernel panic - not syncing: SError".into()],
            written_utc_ms: None,
        }]);
        let mut memory = usual();
        aftermath(&mut memory).memory_errors =
            Fact::Known(vec![ErrorCounter { controller: "mc0".into(), corrected: 0, uncorrected: 2 }]);
        let mut watchdog = usual();
        aftermath(&mut watchdog).watchdogs =
            Fact::Known(vec![WatchdogStatus { identity: "dw_wdt".into(), bootstatus: 0x20 }]);
        let mut checks = usual();
        aftermath(&mut checks).machine_checks = Fact::Known(vec![MachineChecks { kind: "MCE".into(), count: 3 }]);
        let started = |says: &str| {
            let mut record = usual();
            aftermath(&mut record).reset_reasons = vec![ResetReason { path: "/dev/vcio".into(), says: says.into() }];
            record
        };
        let mut told = usual();
        aftermath(&mut told).last_words = Fact::Known(vec![LastWords {
            file: "console-ramoops-0".into(),
            lines: vec!["[   99.1] reboot: Restarting system".into()],
            written_utc_ms: None,
        }]);
        let bits = |record| {
            gauge_channel(record, ChannelId::RaspberryPi(RaspberryPiChannel::Throttled), Unit::Bits, &[0, 0, 0, 1])
        };
        for (record, expected, least) in [
            (panicked, "(pstore): \"Kernel panic - not syncing: SError\"", 90),
            (memory, "2 uncorrectable memory errors", 80),
            (told, "It was shut down or rebooted", 80),
            (with_message(usual(), "thermal thermal_zone0: critical temperature reached"), "It overheated", 90),
            (with_message(usual(), "EDAC MC0: 1 UE memory read error"), "memory or CPU errors", 80),
            (bits(usual()), "under-voltage", 70),
            (sampled(died(Some(true)), &cool, &[5_100, 5_000, 4_900, 4_500]), "4.50 V", 60),
            (sampled(died(Some(true)), &[90_000, 95_000, 98_000, 99_000], &steady), "99.0 °C", 50),
            (watchdog, "watchdog", 50),
            (checks, "3 machine checks", 70),
            (started("0x1000: power came on"), "Power was lost", 40),
            (started("brown-out"), "supply voltage was too low", 70),
            (started("0x20: watchdog or restart"), "Cause unknown", 30),
            (usual(), "Cause unknown", 20),
        ] {
            let (text, sure) = sentence(&record);
            assert!(text.contains(expected), "{expected}: {text}");
            assert!(sure >= least, "{expected}: {sure}");
        }
    }

    #[test]
    fn earlier_pstore_is_ignored() {
        let mut record = sampled(died(Some(true)), &[50_000; 4], &[5_100; 4]);
        record.run.started = Fact::Known(1_700_000_000_000);
        for (written, is_told) in [(Some(1_699_000_000_000), false), (Some(1_700_000_041_000), true), (None, true)] {
            aftermath(&mut record).last_words = Fact::Known(vec![LastWords {
                file: "dmesg-ramoops-0".into(),
                lines: vec!["Kernel panic - not syncing: sysrq triggered crash".into()],
                written_utc_ms: written,
            }]);
            let (text, _) = sentence(&record);
            assert_eq!(text.contains("Last kernel message"), is_told, "{written:?}: {text}");
        }
    }

    #[test]
    fn killed_program_is_not_board_death() {
        let (text, sure) = sentence(&sampled(died(Some(false)), &[99_000; 4], &[4_500; 4]));
        assert!(text.starts_with("The program was killed during stockfish"), "{text}");
        assert!(!text.contains("voltage") && sure > 90, "{text}");
        let (text, _) = sentence(&with_message(died(Some(false)), "Out of memory: Killed process 7 (sbc-bench)"));
        assert!(text.contains("out of memory"), "{text}");
        let (text, _) = sentence(&died(None));
        assert!(text.starts_with("The run died during stockfish"), "{text}");
        assert_eq!(findings_of(RULE.id, &own_run()), []);
    }
}
