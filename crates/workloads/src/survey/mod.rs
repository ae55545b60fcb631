//! Health of disks by smartctl: all disks in parallel, each with a time limit, without waking sleeping ones. `rules` judges
//! the answer.
//!
//! Fields: the schema that smartctl 7 prints with `--json` (smartmontools, `smartctl --json=g`).

use crate::job::definition::recognised;
use machine::{Root, threads};
use process::child::{Child, ChildSpec, Supervisor};
use process::tools::{ToolKind, Tools};
use record::{Disk, DiskBus, Health, Missing, Reading, Survey};
use serde_json::Value;
use std::sync::atomic::AtomicI32;
use std::time::Duration;

/// A healthy disk answers within 0.1 s; a failing one must not delay the survey.
const TIME_LIMIT: Duration = Duration::from_millis(1500);
/// Number of disks queried in parallel.
const AT_ONCE: usize = 16;

pub(crate) const SMARTCTL: ToolKind = ToolKind {
    name: "smartctl",
    programs: &["smartctl"],
    recognise: &|text| recognised("", r"^smartctl \S+", text)?.strip_prefix("smartctl ").map(str::to_owned),
    // The first version that answers in JSON.
    oldest: &[7],
    ..ToolKind::PLAIN
};

/// Surveys the machine; on the running system also queries the health of disks, which needs root.
pub fn survey(root: &Root, at_ms: i64, cancelled: &AtomicI32) -> Survey {
    let mut survey = machine::survey(root, at_ms);
    if root.is_system() {
        query_all(&mut survey.disks, &Tools::on_path(), root, cancelled);
    } else {
        let missing = Missing::unsupported("smartctl", "not the running system");
        set_all(&mut survey.disks, &missing);
    }
    let reason = survey.disks.iter().find(|disk| has_health(disk)).and_then(|disk| disk.health.missing());
    if let Some(missing) = reason {
        survey.left_out.push(format!("Disk health: {missing}"));
    }
    survey
}

/// Whether a disk can report its health; cards and disks of hypervisors cannot.
fn has_health(disk: &Disk) -> bool {
    !matches!(disk.bus, DiskBus::Mmc | DiskBus::Virtual)
}

fn set_all(disks: &mut [Disk], missing: &Missing) {
    for disk in disks.iter_mut().filter(|disk| has_health(disk)) {
        disk.health = missing.clone().into();
    }
}

fn query_all(disks: &mut [Disk], tools: &Tools, root: &Root, cancelled: &AtomicI32) {
    if !disks.iter().any(has_health) {
        return;
    }
    let program = match tools.find(&SMARTCTL) {
        Ok(found) => found.path,
        Err(missing) => return set_all(disks, &missing),
    };
    if !machine::is_root() {
        let missing = Missing::unsupported("smartctl", "reading disk health needs root");
        return set_all(disks, &missing);
    }
    let mut asked: Vec<&mut Disk> = disks.iter_mut().filter(|disk| has_health(disk)).collect();
    for some in asked.chunks_mut(AT_ONCE) {
        let answers: Vec<Reading<Health>> = std::thread::scope(|scope| {
            let disks = some.iter().map(|disk| &**disk);
            let asking: Vec<_> = disks
                .map(|disk| threads::spawn_scoped(scope, "smart", || ask(&program, disk, root, cancelled)))
                .collect();
            let answers = asking.into_iter().map(|asked| asked.and_then(threads::join));
            answers.collect()
        });
        for (disk, health) in some.iter_mut().zip(answers) {
            disk.health = health.into();
        }
    }
}

fn ask(program: &str, disk: &Disk, root: &Root, cancelled: &AtomicI32) -> Reading<Health> {
    let answer = question(program, disk, &[], root, cancelled)?;
    // USB bridges unknown to smartctl usually support SAT.
    if disk.bus == DiskBus::Usb && answer.health.is_err() && answer.unknown_bridge {
        return question(program, disk, &["-d", "sat"], root, cancelled)?.health;
    }
    answer.health
}

/// Answer of smartctl about one drive.
pub struct Answer {
    health: Reading<Health>,
    unknown_bridge: bool,
}

fn question(program: &str, disk: &Disk, more: &[&str], root: &Root, cancelled: &AtomicI32) -> Reading<Answer> {
    let device = format!("/dev/{}", disk.name);
    let words = [program, "--json=c", "-n", "standby", "-i", "-H", "-A", "-l", "devstat"];
    let argv: Vec<String> = words.iter().chain(more).map(|word| (*word).to_owned()).chain([device.clone()]).collect();
    let spec = ChildSpec::new(&argv, TIME_LIMIT);
    let refused = |failure: record::Failure| Missing::unsupported(&device, failure.message);
    let child = Child::spawn(&spec).map_err(refused)?;
    let ended = child.finish(&mut Supervisor { root, cancelled, watch: &mut || {}, enough: None });
    // The exit status has a bit for each problem of the disk; the answer is complete nevertheless.
    match (parse_smartctl(&ended.output, &device), ended.outcome) {
        (Ok(answer), _) => Ok(answer),
        (Err(_), Err(failure)) => Err(refused(failure)),
        (Err(missing), Ok(())) => Err(missing),
    }
}

/// Parses the answer of smartctl.
pub fn parse_smartctl(text: &str, device: &str) -> Reading<Answer> {
    let value: Value = serde_json::from_str(text.trim()).map_err(|_| Missing::garbled(device, text))?;
    let messages: Vec<&str> = value["smartctl"]["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|message| message["string"].as_str())
        .collect();
    let says = |words: &str| messages.iter().any(|message| message.contains(words));
    let asleep = says("STANDBY") || says("SLEEP");
    let told =
        ["smart_status", "ata_smart_attributes", "nvme_smart_health_information_log", "rotation_rate", "temperature"];
    if !asleep && !told.iter().any(|key| !value[*key].is_null()) {
        let why = messages.first().copied().unwrap_or("the disk reports no health data");
        return Ok(Answer {
            health: Err(Missing::unsupported(device, format!("smartctl: {why}"))),
            unknown_bridge: says("USB bridge"),
        });
    }
    let mut health = Health {
        asleep,
        passed: value["smart_status"]["passed"].as_bool(),
        temp_celsius: value["temperature"]["current"].as_i64(),
        power_on_hours: value["power_on_time"]["hours"].as_u64(),
        rotation_per_minute: value["rotation_rate"].as_u64(),
        sata_max: speed(&value["interface_speed"]["max"]),
        sata_now: speed(&value["interface_speed"]["current"]),
        ..Health::default()
    };
    nvme(&value["nvme_smart_health_information_log"], &mut health);
    ata(&value, &mut health);
    Ok(Answer { health: Ok(health), unknown_bridge: false })
}

fn speed(value: &Value) -> Option<String> {
    value["string"].as_str().map(str::to_owned)
}

fn nvme(log: &Value, health: &mut Health) {
    if log.is_null() {
        return;
    }
    health.worn_percent = log["percentage_used"].as_u64();
    health.media_errors = log["media_errors"].as_u64();
    health.error_log_entries = log["num_err_log_entries"].as_u64();
    health.temp_celsius = health.temp_celsius.or_else(|| log["temperature"].as_i64());
}

/// Attributes of ATA disks by number, and statistics of newer disks.
fn ata(value: &Value, health: &mut Health) {
    let attributes = value["ata_smart_attributes"]["table"].as_array();
    let attribute = |id: u64| attributes?.iter().find(|row| row["id"].as_u64() == Some(id));
    // Some vendors store other figures in the upper half of the raw value.
    let raw = |id: u64| Some(attribute(id)?["raw"]["value"].as_u64()? & 0xffff_ffff);
    if attributes.is_some() {
        health.reallocated = raw(5);
        health.pending = raw(197);
        health.uncorrectable = raw(198);
        health.cable_errors = raw(199);
        health.end_to_end_errors = raw(184);
    }
    let statistics = value["ata_device_statistics"]["pages"].as_array();
    let indicator = statistics
        .into_iter()
        .flatten()
        .flat_map(|page| page["table"].as_array().into_iter().flatten())
        .find(|row| row["name"].as_str() == Some("Percentage Used Endurance Indicator"))
        .and_then(|row| row["value"].as_u64());
    // Without this statistic: remaining life by 169, or normalised values that fall from 100.
    let left = || raw(169).or_else(|| [177, 202].iter().find_map(|id| attribute(*id)?["value"].as_u64()));
    let newer = || value["endurance_used"]["current_percent"].as_u64();
    let rotates = health.rotation_per_minute.is_some_and(|rate| rate > 0);
    if health.worn_percent.is_none() && !rotates {
        health.worn_percent =
            indicator.or_else(newer).or_else(|| left().filter(|left| *left <= 100).map(|left| 100 - left));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn health(text: &str) -> Health {
        parse_smartctl(text, "/dev/x").unwrap().health.unwrap()
    }

    #[test]
    fn nvme_health() {
        let found = health(include_str!("../../tool_output/smartctl/7.4-nvme.json"));
        assert_eq!((found.passed, found.temp_celsius), (Some(true), Some(44)));
        assert_eq!((found.worn_percent, found.media_errors), (Some(13), Some(0)));
        assert_eq!(found.error_log_entries, Some(7));
        assert_eq!(found.reallocated, None);
    }

    #[test]
    fn sata_health() {
        let found = health(include_str!("../../tool_output/smartctl/7.3-sata-ssd.json"));
        assert_eq!(found.sata_max.as_deref(), Some("6.0 Gb/s"));
        assert_eq!((found.worn_percent, found.cable_errors), (Some(3), Some(12)));
        assert_eq!(found.rotation_per_minute, Some(0));
    }

    #[test]
    fn sleeping_unknown_and_broken_drives() {
        let asleep = r#"{"smartctl":{"messages":[{"string":"Device is in STANDBY mode, exit(2)"}],"exit_status":2}}"#;
        assert!(health(asleep).asleep);
        let bridge = r#"{"smartctl":{"messages":[{"string":"/dev/sda: Unknown USB bridge [0x1234:0x5678 (0x100)]"}]}}"#;
        let answer = parse_smartctl(bridge, "/dev/x").unwrap();
        assert!(answer.unknown_bridge && answer.health.is_err());
        for text in ["", "no json", "[]", "{}"] {
            let answer = parse_smartctl(text, "/dev/x");
            assert!(answer.is_err() || answer.is_ok_and(|answer| answer.health.is_err()), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn parse_smartctl_never_panics(number: i64, text in "\\PC{0,10}") {
            let json = serde_json::json!({
                "temperature": {"current": number},
                "ata_smart_attributes": {"table": [{"id": number, "raw": {"value": number}}, text]},
                "nvme_smart_health_information_log": {"percentage_used": text},
            });
            let _ = parse_smartctl(&json.to_string(), "/dev/x");
            let _ = parse_smartctl(&text, "/dev/x");
        }
    }
}
