//! Check: power-supply. The power supply gives less than the board may need.

use super::{first, place};
use crate::tables::Rule;
use facts::{Facts, Finding, Quantity, Severity};
use record::{RuleId, Supply};

pub(crate) const SUPPLY: Rule = Rule::of_storage(RuleId::own("power-supply"), check);

pub(crate) const BATTERY: Rule = Rule::of_storage(RuleId::own("on-battery"), battery);

/// Firmware and governors save power while a battery discharges.
fn battery(facts: &Facts<'_>) -> Vec<Finding> {
    let supplies = first(facts).map_or(&[][..], |survey| &survey.supplies);
    let drained =
        supplies.iter().filter(|supply| supply.kind == "Battery" && supply.status.as_deref() == Some("Discharging"));
    // The machine does not run on its battery, but draws more than the supply gives.
    let connected = supplies.iter().find(|supply| supply.kind != "Battery" && supply.online == Some(true));
    let finding = |supply: &Supply| {
        let template = "[The battery ({name}) discharges although {connected} is connected: the supply may be too \
                        weak.|The machine runs on battery power ({name}, {charge} % charged): clocks may be limited to \
                        save it.|The machine runs on battery power ({name}): clocks may be limited to save it.]";
        Finding::new(BATTERY.id, Severity::Degraded, template)
            .confidence(95)
            .with("name", Quantity::Text(supply.name.clone()))
            .with_known("charge", supply.charge_percent.map(|percent| Quantity::Count(percent.into())))
            .with_known("connected", connected.map(|supply| Quantity::Text(supply.name.clone())))
            .at(place("supplies"))
    };
    drained.map(finding).collect()
}

/// Raspberry Pi 5 limits its USB ports to 0.6 A below this, by its documentation.
const RASPBERRY_UA: u64 = 5_000_000;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let supplies = first(facts).map_or(&[][..], |survey| &survey.supplies);
    supplies.iter().filter_map(of_supply).collect()
}

fn of_supply(supply: &Supply) -> Option<Finding> {
    supply.online?.then_some(())?;
    let finding = |severity, sure, template| {
        Finding::new(SUPPLY.id, severity, template)
            .confidence(sure)
            .with("name", Quantity::Text(supply.name.clone()))
            .at(place("supplies"))
    };
    let ampere = |ua: u64| Quantity::measured(ua as f64 / 1e6, "A", 1);
    if supply.kind == "Raspberry Pi supply" {
        let agreed = supply.current_ua_max.filter(|current| *current < RASPBERRY_UA)?;
        return Some(
            finding(
                Severity::Info,
                95,
                "The power supply negotiated {current}: USB devices are limited to 0.6 A in total and there is little \
                 headroom under load.",
            )
            .with("current", ampere(agreed)),
        );
    }
    match supply.agreed.as_deref() {
        // No contract: 0.5 A or 0.9 A, by USB.
        Some("default" | "SDP") => Some(finding(
            Severity::Degraded,
            75,
            "{name} negotiated only USB default current (0.5 to 0.9 A): the voltage may drop under load.",
        )),
        Some("1.5A") => {
            Some(finding(Severity::Info, 75, "{name} negotiated 1.5 A at 5 V: not enough for a board with disks."))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use record::Supply;

    #[test]
    fn discharging_batteries_are_reported() {
        for (status, expected) in [("Discharging", &["on-battery !"][..]), ("Charging", &[]), ("Full", &[])] {
            let battery = || Supply {
                name: "BAT0".into(),
                kind: "Battery".into(),
                status: Some(status.into()),
                charge_percent: Some(81),
                ..Supply::default()
            };
            check(|_, s| s.supplies = vec![battery()], expected);
        }
    }

    #[test]
    fn weak_power_supplies() {
        let supply = |kind: &str, agreed: Option<&str>, ua| Supply {
            name: "port0".into(),
            kind: kind.into(),
            online: Some(true),
            agreed: agreed.map(str::to_owned),
            current_ua_max: ua,
            ..Supply::default()
        };
        check(|_, s| s.supplies = vec![supply("USB-C port", Some("default"), None)], &["power-supply !"]);
        check(|_, s| s.supplies = vec![supply("USB-C port", Some("usb_power_delivery"), None)], &[]);
        check(|_, s| s.supplies = vec![supply("Raspberry Pi supply", None, Some(3_000_000))], &["power-supply"]);
    }
}
