//! Compares a Record with an object of the other extractor, value by value.

mod scores;

use record::{
    AllCpus, ChannelId, ClockPoint, CpuPercent, Outcome, RaspberryPiChannel, Record, Source, StepMeasurement, Variant,
    WorkloadId,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Agreement of one field.
#[derive(Debug, Default)]
pub(crate) struct Count {
    /// Values compared.
    pub(crate) all: usize,
    /// Values that agree.
    pub(crate) agreeing: usize,
}

/// Agreement of all fields, and every difference.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// By field.
    pub(crate) fields: BTreeMap<&'static str, Count>,
    /// Field and what differs.
    pub(crate) differences: Vec<(&'static str, String)>,
}

impl Tally {
    fn value<T: PartialEq + std::fmt::Debug>(&mut self, field: &'static str, name: &str, ours: T, theirs: T) {
        let count = self.fields.entry(field).or_default();
        count.all += 1;
        if ours == theirs {
            count.agreeing += 1;
        } else {
            self.differences.push((field, format!("{name}: ours {ours:?}, theirs {theirs:?}")));
        }
    }

    fn list<T: PartialEq + std::fmt::Debug + Clone>(
        &mut self,
        field: &'static str,
        name: &str,
        ours: &[T],
        theirs: &[T],
    ) {
        for index in 0..ours.len().max(theirs.len()) {
            self.value(field, name, ours.get(index).cloned(), theirs.get(index).cloned());
        }
    }
}

/// Compares one log.
pub(crate) fn compare(name: &str, record: &Record, truth: &Value, tally: &mut Tally) {
    header(name, record, truth, tally);
    clocks(name, record, truth, tally);
    scores::memory(name, record, truth, tally);
    scores::seven_zip(name, record, truth, tally);
    scores::ciphers(name, record, truth, tally);
    scores::miner(name, record, truth, tally);
    monitoring(name, record, truth, tally);
    throttling(name, record, truth, tally);
    swap(name, record, truth, tally);
    verdicts(name, record, truth, tally);
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_string)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A float with three digits, to compare exactly.
fn thousandths(value: &Value) -> Option<i64> {
    value.as_f64().map(|value| (value * 1000.0).round() as i64)
}

fn header(name: &str, record: &Record, truth: &Value, tally: &mut Tally) {
    let Source::Log(log) = &record.source else { panic!("{name}") };
    let version = Some(log.version.clone()).filter(|version| !version.is_empty());
    tally.value("version", name, version, text(&truth["version"]));
    tally.value("board", name, log.header_name.clone(), text(&truth["name_header"]));
    tally.value("kernel", name, record.machine.kernel_release.known().cloned(), text(&truth["kernel"]));
    tally.value("distribution", name, record.machine.distribution.known().cloned(), text(&truth["distro"]));
    tally.value(
        "cpus",
        name,
        Some(record.machine.cpus.len() as u64).filter(|count| *count > 0),
        truth["ncpu"].as_u64(),
    );
    if let Some(soc) = text(&truth["soc_guess"]) {
        // A doubt of the bash program about its guess is no part of the name.
        let soc = soc.split(" / guess flawed").next().unwrap_or_default().to_owned();
        tally.value("soc", name, record.machine.soc.known().cloned(), Some(soc));
    }
    let core_types: Vec<String> = record
        .machine
        .cpus
        .iter()
        .filter_map(|cpu| {
            let stepping = cpu.stepping.known().map(|stepping| format!(" / {stepping}")).unwrap_or_default();
            Some(format!("{}{stepping}", cpu.core_type.known()?))
        })
        .collect();
    let theirs: Vec<String> =
        list(&truth["topology"]).iter().filter_map(|row| text(&row[5])).filter(|core| core != "-").collect();
    if !theirs.is_empty() {
        tally.list("core types", name, &core_types, &theirs);
    }
}

fn points<'a>(record: &'a Record, variant: &Variant) -> Vec<&'a ClockPoint> {
    record
        .steps_of(WorkloadId::Clock)
        .filter(|step| step.variant == *variant)
        .flat_map(|step| match &step.outcome {
            Outcome::Done(StepMeasurement::Clock(clocks)) => clocks.points.iter().collect(),
            _ => Vec::new(),
        })
        .collect()
}

type Point = (Option<u32>, Vec<i64>);

fn clocks(name: &str, record: &Record, truth: &Value, tally: &mut Tally) {
    for (variant, key) in [(&Variant::COLD, "opp_before"), (&Variant::HOT_AFTER, "opp_after")] {
        let ours: Vec<Point> = points(record, variant)
            .iter()
            .map(|point| {
                (point.opp_khz.map(|khz| khz / 1000), point.readings_khz.iter().map(|khz| i64::from(*khz)).collect())
            })
            .collect();
        let theirs: Vec<Point> = list(&truth[key])
            .iter()
            .flat_map(|cluster| list(&cluster["points"]))
            .map(|point| {
                let mut raw: Vec<i64> = list(&point["raw"]).iter().filter_map(thousandths).collect();
                raw.sort_unstable_by(|a, b| b.cmp(a));
                (point["opp"].as_u64().map(|opp| opp as u32), raw)
            })
            .collect();
        tally.list("clock points", name, &ours, &theirs);
    }
}

fn channel(record: &Record, id: &ChannelId) -> Vec<i64> {
    record.samples.channel(id).map(|channel| channel.values.iter().flatten().copied().collect()).unwrap_or_default()
}

fn monitoring(name: &str, record: &Record, truth: &Value, tally: &mut Tally) {
    tally.value(
        "monitoring rows",
        name,
        record.samples.at_ms.len() as u64,
        truth["monitor_samples"].as_u64().unwrap_or(0),
    );
    let temperatures = channel(record, &ChannelId::Soc);
    tally.value("temperatures", name, temperatures.iter().min().copied(), thousandths(&truth["temp_min"]));
    tally.value("temperatures", name, temperatures.iter().max().copied(), thousandths(&truth["temp_max"]));
    let highest = |share| {
        let id = ChannelId::AllCpus(AllCpus::Percent(share));
        channel(record, &id).into_iter().max()
    };
    tally.value("percentages", name, highest(CpuPercent::System), truth["sys_max"].as_i64());
    tally.value("percentages", name, highest(CpuPercent::Iowait), truth["io_max"].as_i64());
    let volts = channel(record, &ChannelId::RaspberryPi(RaspberryPiChannel::LogCoreVoltage));
    let theirs: Vec<i64> = list(&truth["vcore_range"])
        .iter()
        .filter_map(|volts| volts.as_f64().map(|volts| (volts * 1e6).round() as i64))
        .collect();
    let ours: Vec<i64> = volts.iter().min().into_iter().chain(volts.iter().max()).copied().collect();
    tally.list("core voltages", name, &ours, &theirs);
}

fn throttling(name: &str, record: &Record, truth: &Value, tally: &mut Tally) {
    let ours: Vec<Vec<(u32, u64)>> =
        record.states.iter().flat_map(|state| &state.residencies).map(|residency| residency.khz_ms.clone()).collect();
    let theirs: Vec<Vec<(u32, u64)>> = list(&truth["time_in_state"])
        .iter()
        .map(|table| {
            list(&table["opp"])
                .iter()
                .filter_map(|row| Some((row[0].as_u64()? as u32 * 1000, thousandths(&row[1])? as u64)))
                .collect()
        })
        .collect();
    tally.list("throttled seconds", name, &ours, &theirs);
    let bits = record.states.iter().find_map(|state| state.firmware_throttle_bits.known().copied());
    let theirs = truth["rpi_health"]["bits"].as_str().and_then(|bits| u32::from_str_radix(bits, 2).ok());
    tally.value("health bits", name, bits, theirs);
}

fn swap(name: &str, record: &Record, truth: &Value, tally: &mut Tally) {
    let memory = |state: Option<&record::State>| state.and_then(|state| state.memory.known().cloned());
    let tenths = |kib: u64| (kib as f64 / 102.4).round() as i64;
    let theirs = |key: &str| truth[key].as_f64().map(|mib| (mib * 10.0).round() as i64);
    let used = |state| memory(state).map(|memory| tenths(memory.swap_total_kib - memory.swap_free_kib));
    let before = record.states.first();
    let after = record.states.iter().skip(1).last();
    tally.value("swap", name, memory(before).map(|memory| tenths(memory.swap_total_kib)), theirs("swap_total_mib"));
    tally.value("swap", name, used(before), theirs("swap_used_before_mib"));
    tally.value("swap", name, used(after), theirs("swap_used_after_mib"));
    tally.value("memory", name, memory(before).map(|memory| tenths(memory.total_kib)), theirs("mem_total_mib"));
    let mut devices: Vec<String> = record
        .states
        .iter()
        .flat_map(|state| state.swaps.known().cloned().unwrap_or_default())
        .map(|swap| swap.path)
        .collect();
    devices.sort();
    devices.dedup();
    let mut theirs: Vec<String> = list(&truth["swap_devices"]).iter().filter_map(text).collect();
    theirs.sort();
    tally.list("swap devices", name, &devices, &theirs);
}

fn verdicts(name: &str, record: &Record, truth: &Value, tally: &mut Tally) {
    let Source::Log(log) = &record.source else { panic!("{name}") };
    for verdict in list(&truth["validation_lines"]) {
        let verdict = verdict.as_str().unwrap_or_default();
        let found = log.verdicts.iter().find(|line| line.text.starts_with(verdict) || verdict.starts_with(&line.text));
        tally.value("verdict lines", name, found.map(|_| verdict), Some(verdict));
    }
    let summary = log.summary.as_ref().map(|line| line.text.clone());
    tally.value("summary", name, summary, text(&truth["summary"]["raw"]).map(|raw| raw.trim().to_string()));
}
