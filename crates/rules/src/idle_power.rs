//! Rule: idle-power. The idle board draws far more than others of its kind, with the likely reasons.

use super::Rule;
use compare::NamedBoard;
use facts::view::{self, counter_total};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::table::Table;
use record::{Aspm, ChannelId, OfCpu, OfDevfreq, PowerRole, Record, RuleId, Total, Variant};
use std::collections::BTreeMap;

pub(super) const RULE: Rule =
    Rule::new(RuleId::own("idle-power"), "The idle board draws far more power than is known of this board.", check);

const TABLE: Table<'_> = Table::of(include_str!("../../../data/idle_power.tsv"));

/// Links, displays and USB devices make idle power of one board differ by up to half.
const FACTOR_MIN: f64 = 1.5;
/// Smaller differences are those of a USB device.
const MORE_WATT_MIN: f64 = 0.5;
/// Largest factor by which power at the wall exceeds that at the input of a board: small supplies lose a quarter.
const WALL_FACTOR: f64 = 1.33;
/// Share of idle time in the shallowest state from which on CPUs do not reach the others.
const SHALLOW_SHARE_MIN: f64 = 0.9;
/// Share of the time of a GPU at its highest clock from which on it never sleeps.
const GPU_SHARE_MIN: f64 = 0.9;
/// Links below it need a fraction of the power of a gigabit transceiver.
const LINK_MBIT_MIN: u32 = 1_000;
/// Share by which a governor lowers idle power to be a reason.
const GOVERNOR_SHARE_MIN: f64 = 0.1;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    finding(facts).into_iter().collect()
}

fn finding(facts: &Facts<'_>) -> Option<Finding> {
    let energy = facts.energy().as_ref().ok().filter(|energy| energy.source.is_whole())?;
    let idle_watt = energy.idle_mw? / 1000.0;
    let board = facts::machine_name(&facts.machine)?;
    let known_watt = known_watt(board, energy.source.role)?;
    if idle_watt < FACTOR_MIN * known_watt || idle_watt < known_watt + MORE_WATT_MIN {
        return None;
    }
    let reasons: Vec<(String, Place)> =
        [governor(facts), idle_states(facts), aspm(facts), gpu(facts), link(facts)].into_iter().flatten().collect();
    let words: Vec<String> = reasons.iter().map(|(words, _)| words.clone()).collect();
    let template = "The idle board draws {power}, {factor} times the {known} known of a {board}.[ Likely reasons: \
                    {reasons}.| Nothing that was read shows why.]";
    let watts = |watts: f64| Quantity::Score(watts, "W".into());
    let finding = Finding::new(RULE.id, Severity::Info, template)
        .confidence(75)
        .with("power", watts(idle_watt))
        .with("factor", Quantity::ratio(idle_watt / known_watt, 1))
        .with("known", watts(known_watt))
        .with("board", Quantity::Text(board.clone()))
        .with_known("reasons", (!words.is_empty()).then(|| Quantity::Text(words.join("; "))));
    Some(finding.at_all(reasons.into_iter().map(|(_, place)| place)))
}

/// Highest known idle power of a board, measured in the same place or at most as much.
fn known_watt(board: &str, role: PowerRole) -> Option<f64> {
    let key = NamedBoard::of(board).key;
    let rows = TABLE.rows().filter(|row| NamedBoard::of(row.get("board")).key == key);
    let watts = rows.filter_map(|row| {
        let is_beyond_supply = role == PowerRole::Wall && row.get("at") == "input";
        Some(row.get("watt").parse::<f64>().ok()? * if is_beyond_supply { WALL_FACTOR } else { 1.0 })
    });
    watts.reduce(f64::max)
}

/// The governor, if another one was measured to lower idle power.
fn governor(facts: &Facts<'_>) -> Option<(String, Place)> {
    let energy = facts.energy().as_ref().ok()?;
    let of = |variant: &Variant| {
        let states = energy.rests.iter().filter(|(index, _)| facts.steps[*index].variant == *variant);
        let known = states.filter_map(|(index, energy)| Some((*index, energy.as_ref().ok()?.mean_mw)));
        known.last()
    };
    let (_, idle_mw) = of(&Variant::IDLE)?;
    let (step, saving_mw) = of(&Variant::own("idle, powersave"))?;
    let governors: Vec<&str> =
        facts.machine.policies.iter().filter_map(|policy| policy.governor.known()).map(String::as_str).collect();
    let words =
        || format!("governor {} ({:.2} W with powersave)", governors.first().unwrap_or(&"unknown"), saving_mw / 1000.0);
    (saving_mw < (1.0 - GOVERNOR_SHARE_MIN) * idle_mw).then(|| (words(), Place::Step(step)))
}

/// Missing idle states, or idle states that the CPUs do not reach.
fn idle_states(facts: &Facts<'_>) -> Option<(String, Place)> {
    let mut states: BTreeMap<u32, (i64, String)> = BTreeMap::new();
    for channel in &facts.samples.channels {
        if let ChannelId::Cpu(_, OfCpu::IdleState(state)) = channel.id {
            let time = counter_total(facts, channel, view::whole_run()).unwrap_or(0);
            let known = states.entry(state).or_insert_with(|| (0, facts::plain(&channel.label)));
            known.0 = known.0.saturating_add(time);
        }
    }
    let place = Place::Field("samples.channels".into());
    let total: i64 = states.values().map(|(time, _)| *time).total();
    let Some((first, name)) = states.values().next() else {
        let has_driver =
            facts.machine.features.iter().any(|feature| feature.name == "cpuidle_driver" && feature.value != "none");
        let words = "no idle states: the kernel has no cpuidle driver for this board".to_owned();
        return (!has_driver && !view::is_log(facts)).then_some((words, place));
    };
    let share = *first as f64 / total.max(1) as f64;
    match states.len() {
        1 => Some((format!("only one idle state ({name}): the kernel has no deeper one for this board"), place)),
        _ if total > 0 && share >= SHALLOW_SHARE_MIN => Some((
            format!("CPUs that spend {:.0} % of their idle time in the shallowest idle state ({name})", 100.0 * share),
            place,
        )),
        _ => None,
    }
}

/// PCIe links that never sleep.
fn aspm(facts: &Facts<'_>) -> Option<(String, Place)> {
    let record: &Record = facts;
    let policy = record.machine.features.iter().position(|feature| feature.name == "pcie_aspm");
    let policy = policy.filter(|at| record.machine.features[*at].value == "performance");
    if let Some(at) = policy {
        let words = "PCIe links at full rate (ASPM policy performance)".to_owned();
        return Some((words, Place::Field(format!("machine.features[{at}]"))));
    }
    let survey = record.surveys.first()?;
    let linked = survey.pci.iter().enumerate().filter(|(_, device)| device.link.is_some());
    let mut awake = linked.filter(|(_, device)| device.aspm.known() == Some(&Aspm::default()));
    let (at, device) = awake.next()?;
    let name = device.name.as_deref().or(device.driver.as_deref()).map_or_else(|| "a device".to_owned(), facts::plain);
    Some((format!("a PCIe link without ASPM ({name})"), Place::Field(format!("surveys.0.pci.{at}"))))
}

/// A GPU that may not sleep, or that stays at its highest clock.
fn gpu(facts: &Facts<'_>) -> Option<(String, Place)> {
    let features = &facts.machine.features;
    let kept = features.iter().position(|feature| feature.name.starts_with("gpu.") && feature.value == "on");
    kept.map_or_else(
        || gpu_clock(facts),
        |at| {
            let words = format!("a GPU that may not sleep ({} is on)", facts::plain(&features[at].from));
            Some((words, Place::Field(format!("machine.features[{at}]"))))
        },
    )
}

/// A wired link at full rate.
fn link(facts: &Facts<'_>) -> Option<(String, Place)> {
    let features = &facts.machine.features;
    let at = features.iter().position(|feature| feature.name == "link_mbit_per_s")?;
    let fast = features[at].value.split(' ').filter_map(|speed| speed.parse().ok());
    let fast: Vec<u32> = fast.filter(|speed| *speed >= LINK_MBIT_MIN).collect();
    let words = match fast.as_slice() {
        [] => return None,
        [one] => format!("a network link at {one} Mbit/s"),
        [.., most] => format!("{} network links at up to {most} Mbit/s", fast.len()),
    };
    Some((words, Place::Field(format!("machine.features[{at}]"))))
}

/// A GPU that stays at its highest clock.
fn gpu_clock(facts: &Facts<'_>) -> Option<(String, Place)> {
    let mut clocks: BTreeMap<u64, i64> = BTreeMap::new();
    let mut name = None;
    for channel in &facts.samples.channels {
        let ChannelId::Devfreq(device, OfDevfreq::Residency(hz)) = &channel.id else { continue };
        let is_gpu = ["gpu", "mali"].iter().any(|word| device.contains(word));
        if let (true, Some(time)) = (is_gpu, counter_total(facts, channel, view::whole_run())) {
            let known = clocks.entry(*hz).or_default();
            *known = known.saturating_add(time);
            name.get_or_insert_with(|| (facts::plain(device), channel.id.clone()));
        }
    }
    let (device, channel) = name.filter(|_| clocks.len() > 1)?;
    let (hz, highest) = clocks.last_key_value()?;
    let total: i64 = clocks.values().copied().total();
    let is_awake = total > 0 && *highest as f64 >= GPU_SHARE_MIN * total as f64;
    let (start_ms, end_ms) = (*facts.samples.at_ms.first()?, *facts.samples.at_ms.last()?);
    let words = format!("a GPU that stays at its highest clock ({device}, {} MHz)", hz / 1_000_000);
    is_awake.then_some((words, Place::Samples { channel, start_ms, end_ms }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::*;
    use crate::tests::sentences;
    use record::{AllCpus, CpuPercent, Fact, Mode, NamedValue, OfMeter, StepMeasurement, Unit, Wait, WorkloadId};

    const DEEP: [i64; 2] = [1, 99];

    /// A board that draws this much when idle, whose CPUs spend these shares of their idle time in two states, or have none.
    fn board(name: &str, milliwatts: i64, idle_percent: &[i64]) -> Record {
        let mut record = own_run();
        record.run.mode = Mode::own("power");
        record.machine.board = Fact::Known(name.into());
        record = with_step(
            record,
            WorkloadId::Wait,
            Variant::IDLE,
            &[],
            (0.0, 20.0),
            StepMeasurement::Wait(Wait::default()),
        );
        let power: Vec<i64> = (0..44).map(|row| milliwatts + row % 3).collect();
        record = gauge_channel(record, ChannelId::meter(OfMeter::Power), Unit::Milliwatts, &power);
        record.samples.channels[0].source = "shelly:host".into();
        record = gauge_channel(record, ChannelId::AllCpus(AllCpus::Percent(CpuPercent::Busy)), Unit::Percent, &[1; 44]);
        for (state, percent) in idle_percent.iter().enumerate() {
            let times: Vec<i64> = (0..44).map(|row| row * percent * 5_000).collect();
            let id = ChannelId::Cpu(0, OfCpu::IdleState(state as u32));
            record = labelled(counter(record, id, Unit::Microseconds, &times), ["WFI", "cpu-sleep"][state]);
        }
        record
    }

    fn gpu_of(record: Record, shares: [i64; 2]) -> Record {
        [(200_000_000, shares[0]), (1_000_000_000, shares[1])].into_iter().fold(record, |record, (hz, share)| {
            let id = ChannelId::Devfreq("fb000000.gpu".into(), OfDevfreq::Residency(hz));
            let times: Vec<i64> = (0..44).map(|row| row * share * 5).collect();
            counter(record, id, Unit::Milliseconds, &times)
        })
    }

    fn feature_of(mut record: Record, name: &str, value: &str) -> Record {
        let feature = NamedValue { name: name.into(), value: value.into(), from: "/sys/x".into() };
        record.machine.features.push(feature);
        record
    }

    #[test]
    fn reason_of_a_board_whose_truth_is_known() {
        let pi = |milliwatts, idle: &[i64]| board("Raspberry Pi 5 Model B Rev 1.0", milliwatts, idle);
        for (record, expected) in [
            (pi(2_900, &DEEP), None),
            (pi(4_100, &[98, 2]), None),
            (board("Unknown board", 9_000, &[98, 2]), None),
            (pi(6_000, &DEEP), Some("Nothing that was read shows why.")),
            (
                pi(6_000, &[97, 3]),
                Some(
                    "2.1 times the 2.80 W known of a Raspberry Pi 5 Model B Rev 1.0. Likely reasons: CPUs that spend 97 % of their idle time in the shallowest idle state (WFI).",
                ),
            ),
            (pi(6_000, &[100]), Some("only one idle state (WFI)")),
            (pi(6_000, &[]), Some("no idle states: the kernel has no cpuidle driver")),
            (
                feature_of(pi(6_000, &DEEP), "pcie_aspm", "performance"),
                Some("Likely reasons: PCIe links at full rate (ASPM policy performance)."),
            ),
            (feature_of(pi(6_000, &DEEP), "pcie_aspm", "default"), Some("Nothing that was read shows why.")),
            (
                feature_of(pi(6_000, &DEEP), "link_mbit_per_s", "100 2500"),
                Some("Likely reasons: a network link at 2500 Mbit/s."),
            ),
            (
                feature_of(pi(6_000, &DEEP), "link_mbit_per_s", "1000 1000"),
                Some("2 network links at up to 1000 Mbit/s."),
            ),
            (feature_of(pi(6_000, &DEEP), "link_mbit_per_s", "100"), Some("Nothing that was read shows why.")),
            (
                feature_of(pi(6_000, &DEEP), "gpu.renderD128.control", "on"),
                Some("Likely reasons: a GPU that may not sleep (/sys/x is on)."),
            ),
            (feature_of(pi(6_000, &DEEP), "gpu.renderD128.control", "auto"), Some("Nothing that was read shows why.")),
            (
                gpu_of(pi(6_000, &DEEP), [0, 100]),
                Some("Likely reasons: a GPU that stays at its highest clock (fb000000.gpu, 1000 MHz)."),
            ),
            (gpu_of(pi(6_000, &DEEP), [100, 0]), Some("Nothing that was read shows why.")),
        ] {
            let found = sentences(RULE.id, &record);
            assert_eq!(found.len(), usize::from(expected.is_some()), "{expected:?}: {found:?}");
            assert!(expected.is_none_or(|words| found[0].ends_with(words) || found[0].contains(words)), "{found:?}");
        }
        let saving = board("Radxa ROCK 5B", 6_000, &DEEP);
        let rest = StepMeasurement::Wait(Wait::default());
        let mut saving = with_step(saving, WorkloadId::Wait, "idle, powersave", &[], (11.0, 21.0), rest);
        saving.steps[0].window.end_ms = 10_000;
        saving.samples.channels[0].values[21..].iter_mut().flatten().for_each(|mw| *mw -= 2_000);
        let found = sentences(RULE.id, &saving);
        assert!(found[0].contains("governor unknown (4.00 W with powersave)"), "{found:?}");
    }

    #[test]
    fn every_board_of_the_table_finds_itself() {
        for row in TABLE.rows() {
            let (board, line) = (row.get("board"), row.line_number());
            let watt: f64 = row.get("watt").parse().unwrap();
            assert!((0.1..100.0).contains(&watt) && ["wall", "input"].contains(&row.get("at")), "line {line}");
            assert!(known_watt(board, PowerRole::Input).is_some_and(|known| known >= watt), "line {line}: {board}");
        }
        for name in [
            "Radxa ROCK 5B",
            "Orange Pi 5",
            "Xunlong Orange Pi 5 Max",
            "StarFive VisionFive 2 v1.3B",
            "Raspberry Pi 4 Model B Rev 1.4",
        ] {
            assert!(known_watt(name, PowerRole::Input).is_some(), "{name}");
        }
    }
}
