//! Rule: supply-contract. The board draws about as much as its supply has agreed to give, or more.

use super::Rule;
use super::place::at_samples;
use facts::view;
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{PowerRole, RuleId, Supply};

pub(super) const RULE: Rule = Rule::new(RuleId::own("supply-contract"), check);

/// Share of the agreed power above which nothing is left for peaks between two readings.
const SHARE_MIN: f64 = 0.9;
/// Voltage of USB without a negotiated one.
const USB_MICROVOLTS: u64 = 5_000_000;
/// Currents that a USB-C port announces without USB Power Delivery, in microamperes (USB Type-C specification, section 4.6.2.1);
/// `default` is that of USB 3.
const USB_C_UA: [(&str, u64); 3] = [("default", 900_000), ("1.5A", 1_500_000), ("3.0A", 3_000_000)];

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let source = facts.power_source().as_ref();
    // Of the power at the wall, an unknown part is lost in the supply.
    let is_of_board = |role: PowerRole| matches!(role, PowerRole::Input | PowerRole::Meter);
    let Some(source) = source.filter(|source| is_of_board(source.role)) else { return Vec::new() };
    let power = facts.power_mw(&view::whole_run());
    let Some((at_ms, peak_mw)) = power.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)) else { return Vec::new() };
    let of_run = facts.machine.supplies.iter().enumerate();
    let of_run = of_run.map(|(index, supply)| (format!("machine.supplies.{index}"), supply));
    let of_surveys = facts.surveys.iter().enumerate().flat_map(|(survey, inspected)| {
        let of_survey = inspected.supplies.iter().enumerate();
        of_survey.map(move |(index, supply)| (format!("surveys.{survey}.supplies.{index}"), supply))
    });
    let mut names: Vec<&str> = Vec::new();
    let found = of_run.chain(of_surveys).filter_map(|(place, supply)| {
        let agreed_mw = agreed_mw(supply)?;
        let is_new = !names.contains(&supply.name.as_str());
        names.push(&supply.name);
        let template = "The board draws up to {peak}, {share} of the {agreed} that {name} has agreed to give: its voltage may \
                        drop, or the supply may switch off.";
        let finding = Finding::new(RULE.id, Severity::Info, template)
            .confidence(85)
            .with("peak", Quantity::Score(peak_mw / 1000.0, "W".into()))
            .with("share", Quantity::Percent(100.0 * peak_mw / agreed_mw))
            .with("agreed", Quantity::Score(agreed_mw / 1000.0, "W".into()))
            .with("name", Quantity::Text(supply.name.clone()))
            .at(Place::Field(place));
        (is_new && peak_mw >= SHARE_MIN * agreed_mw).then(|| at_samples(facts, finding, source.id(facts), at_ms, at_ms))
    });
    found.collect()
}

/// Power of the contract in milliwatts; `None` for batteries, supplies without a contract, and those that give nothing.
fn agreed_mw(supply: &Supply) -> Option<f64> {
    let is_source = supply.kind != "Battery" && supply.online == Some(true);
    let announced = || {
        let agreed = supply.agreed.as_deref()?;
        USB_C_UA.iter().find(|(name, _)| *name == agreed).map(|(_, ua)| *ua)
    };
    let current_ua = supply.current_ua_max.or_else(announced).filter(|ua| is_source && *ua > 0)?;
    Some(current_ua as f64 * supply.voltage_uv.unwrap_or(USB_MICROVOLTS) as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{gauge_channel, own_run};
    use crate::tests::sentences;
    use record::{ChannelId, MeterChannel, Supply, Survey, Unit};

    #[test]
    fn contract_is_compared_with_the_highest_reading() {
        let supply = |agreed: Option<&str>, current_ua_max, voltage_uv| Supply {
            name: "port0".into(),
            kind: "USB-C port".into(),
            online: Some(true),
            agreed: agreed.map(str::to_owned),
            current_ua_max,
            voltage_uv,
            ..Supply::default()
        };
        for (supply, expected) in [
            (supply(Some("1.5A"), None, None), Some("up to 7.20 W, 96 % of the 7.50 W that port0")),
            (supply(Some("default"), None, None), Some("of the 4.50 W")),
            (supply(Some("3.0A"), None, None), None),
            (supply(Some("usb_power_delivery"), Some(3_000_000), Some(9_000_000)), None),
            (supply(Some("usb_power_delivery"), Some(1_500_000), Some(5_000_000)), Some("of the 7.50 W")),
            (supply(Some("usb_power_delivery"), None, None), None),
            (Supply { online: Some(false), ..supply(Some("default"), None, None) }, None),
            (Supply { kind: "Battery".into(), ..supply(None, Some(500_000), None) }, None),
        ] {
            let power = [2_000, 2_001, 2_002, 7_200, 6_900, 2_000, 2_003, 2_001];
            let mut record = gauge_channel(own_run(), ChannelId::meter(MeterChannel::Power), Unit::Milliwatts, &power);
            record.surveys = vec![Survey { supplies: vec![supply.clone()], ..Survey::default() }; 2];
            let found = sentences(RULE.id, &record);
            assert_eq!(found.len(), usize::from(expected.is_some()), "{supply:?}: {found:?}");
            assert!(expected.is_none_or(|words| found[0].contains(words)), "{supply:?}: {found:?}");
            // The wall has the loss of the supply too.
            record.samples.channels[0].source = "shelly:host".into();
            assert_eq!(sentences(RULE.id, &record), [""; 0]);
        }
    }
}
