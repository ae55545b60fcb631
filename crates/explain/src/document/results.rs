//! Main results of a Record, under names that end with their unit. Missing values are `null`, with the reason next to
//! them.

use crate::monitor::day;
use facts::figures::main::{
    cipher_kb_per_s, comparable, memory_latency, memory_mb_per_s, series_median, sevenzip_multi_mips,
    sevenzip_single_mips,
};
use facts::{Explanation, Facts, Figure, Finding, stats, view};
use record::{Fact, MemoryOperation, Outcome, Record, Variant, WorkloadId, soc_temperature};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};
use std::fmt;

/// Names and values, in printing order.
#[derive(Debug, Clone, PartialEq)]
pub struct Results(Vec<(String, Value)>);

impl Results {
    /// Results of these facts.
    pub fn of(facts: &Facts<'_>, explained: &Explanation) -> Self {
        let mut results = Self(Vec::new());
        results.machine(facts);
        results.scores(facts, facts.figures());
        results.state(facts, explained);
        results.programs(facts);
        results
    }

    /// All names and values; missing values are followed by their reason.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Names and values that fit into a table cell; missing ones are `null`.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.iter().filter(|(name, value)| !name.ends_with("_missing") && !value.is_array())
    }

    /// Adds a value, or `null` and a reason.
    fn put(&mut self, name: &str, value: Option<impl Serialize>, why: impl FnOnce() -> String) {
        let value = value.and_then(|value| serde_json::to_value(value).ok()).filter(|value| !value.is_null());
        let is_missing = value.is_none();
        self.0.push((name.to_owned(), value.unwrap_or_default()));
        if is_missing {
            self.0.push((format!("{name}_missing"), Value::String(why())));
        }
    }

    fn fact(&mut self, name: &str, fact: &Fact<String>) {
        self.put(name, fact.known(), || fact.missing().map_or_else(String::new, ToString::to_string));
    }

    fn machine(&mut self, facts: &Facts<'_>) {
        let machine = &facts.machine;
        self.put("board", facts::machine_name(machine), || not_reported(facts));
        self.fact("soc", facts.soc());
        self.fact("distribution", &machine.distribution);
        self.fact("kernel", &machine.kernel_release);
        let governors = Some(facts.governors_during_run().join("/")).filter(|names| !names.is_empty());
        self.put("governor", governors, || not_reported(facts));
        self.put("date", day(facts), || not_reported(facts));
        let version = facts.source.version();
        self.put("sbc_bench_version", Some(version).filter(|version| !version.is_empty()), || not_reported(facts));
    }

    fn scores(&mut self, record: &Record, all: &[Figure]) {
        let why = |workload| move || not_measured(record, &[workload]);
        let sevenzip = why(WorkloadId::SevenZip);
        let comparable = comparable(all);
        let scores = [("multi", sevenzip_multi_mips(record, all)), ("single", sevenzip_single_mips(all))];
        for ((form, mips), comparable) in scores.into_iter().zip(comparable) {
            self.put(&format!("sevenzip_{form}_mips"), mips, sevenzip);
            self.put(&format!("sevenzip_{form}_comparable"), mips.map(|_| comparable), sevenzip);
        }
        for (name, operation) in [("copy", MemoryOperation::Copy), ("fill", MemoryOperation::Fill)] {
            let rate = memory_mb_per_s(record, all, operation);
            let memory = || not_measured(record, &[WorkloadId::MemoryLibc, WorkloadId::MemoryBandwidth]);
            self.put(&format!("memory_{name}_mb_per_s"), rate, memory);
        }
        let latency = memory_latency(record);
        self.put("memory_latency_ns", latency.map(|(ns, _)| ns), why(WorkloadId::MemoryLatency));
        self.put("memory_latency_at_mib", latency.map(|(_, mib)| mib), why(WorkloadId::MemoryLatency));
        let aes = cipher_kb_per_s(all, &Variant::AES_256_CBC);
        self.put("aes_256_cbc_kb_per_s", aes, why(WorkloadId::OpenSsl));
        self.put("cpuminer_kh_per_s", series_median(all, WorkloadId::Cpuminer), why(WorkloadId::Cpuminer));
    }

    fn state(&mut self, facts: &Facts<'_>, explained: &Explanation) {
        let clocks = facts.cluster_clocks(&Variant::COLD);
        let mhz = |khz: Option<u32>| khz.map(|khz| f64::from(khz) / 1000.0);
        let clock = || not_measured(facts, &[WorkloadId::Clock]);
        self.put("clock_measured_mhz", mhz(clocks.iter().map(|clock| clock.measured_khz).max()), clock);
        self.put("clock_advertised_mhz", mhz(clocks.iter().filter_map(|clock| clock.claimed_khz).max()), || {
            not_reported(facts)
        });
        let is_throttled = is_throttled(explained);
        let unseen = explained.findings.iter().find(|finding| finding.rule == rules::NO_THROTTLING);
        let unseen = unseen.filter(|finding| finding.unseen.is_some() && !is_throttled);
        self.put("is_throttled", unseen.is_none().then_some(is_throttled), || {
            unseen.map(Finding::sentence).unwrap_or_default()
        });
        let celsius = |millicelsius: i64| millicelsius as f64 / 1000.0;
        let no_sensor = || match soc_temperature::of(facts) {
            Err(missing) => missing.to_string(),
            Ok(_) => "the sensor gave no reading".to_owned(),
        };
        let idle = facts.idle();
        let before_load = idle.filter(|idle| idle.is_before_load);
        let no_idle = || match idle {
            Some(_) => "no reading before the first workload".to_owned(),
            None => no_sensor(),
        };
        self.put("temperature_idle_celsius", before_load.map(|idle| celsius(idle.millicelsius)), no_idle);
        self.put("temperature_first_celsius", idle.map(|idle| celsius(idle.millicelsius)), no_sensor);
        let highest = facts.heat_of_run();
        self.put("temperature_max_celsius", highest.map(|heat| celsius(heat.millicelsius_max)), no_sensor);
        self.power(facts);
    }

    /// Power of the whole board, and work per watt of 7-zip on all CPUs.
    fn power(&mut self, facts: &Facts<'_>) {
        let source = facts.power_source().as_ref();
        let whole = source.filter(|source| source.is_whole());
        let watts = whole.map(|_| facts.power_mw(&view::whole_run()));
        let watts: Vec<f64> = watts.iter().flatten().map(|(_, milliwatts)| milliwatts / 1000.0).collect();
        let no_meter = || match source.and_then(|source| source.part.as_ref()) {
            Some(part) => format!("no power meter; the power of {part} is not that of the board"),
            None => "no power meter".to_owned(),
        };
        self.put("power_mean_watt", stats::mean(&watts), no_meter);
        let energy = facts.energy().as_ref().ok();
        let of_board = energy.filter(|energy| energy.source.is_whole());
        self.put("power_measured_at", energy.map(|energy| energy.source.role), no_meter);
        self.put(
            "power_idle_watt",
            of_board.and_then(|energy| energy.idle_mw).map(|mw| mw / 1000.0),
            || match of_board {
                Some(energy) => energy.why_no_idle().to_owned(),
                None => no_meter(),
            },
        );
        let scores = facts.score_energies();
        let multi = scores.iter().find(|score| score.key.as_str() == "sevenzip-multi");
        let why = || match multi.map(|score| &score.median) {
            Some(Err(why)) => why.clone(),
            _ if energy.is_some() => not_measured(facts, &[WorkloadId::SevenZip]),
            _ => no_meter(),
        };
        let joules = multi.and_then(|score| score.median.as_ref().ok()).map(|energy| energy.joules);
        self.put("sevenzip_multi_joule", joules, why);
        let work = multi.and_then(|score| score.work.as_ref()).map(|(mips_per_watt, _)| mips_per_watt);
        self.put("sevenzip_multi_mips_per_watt", work, why);
    }

    /// Scores of other programs, one object each.
    fn programs(&mut self, facts: &Facts<'_>) {
        let object = |program: &view::ProgramScore| {
            let [low, high] = [f64::min, f64::max].map(|pick| program.values.iter().copied().reduce(pick));
            let spread = low.zip(high).filter(|_| program.values.len() > 1 && program.median != 0.0);
            let mut object = json!({
                "name": program.name,
                "unit": program.unit,
                "median": program.median,
                "runs": program.values.len(),
                "spread_percent": spread.map(|(low, high)| 100.0 * (high - low) / program.median),
                "spread_percent_missing": spread.is_none().then_some("one run"),
            });
            if let Some(percent) = program.possible_percent() {
                object["percent_of_possible"] = json!(percent);
            }
            object
        };
        let programs: Vec<Value> = facts.programs().iter().map(object).collect();
        self.0.push(("programs".to_owned(), Value::Array(programs)));
    }
}

impl Serialize for Results {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// Keeps the order of the file.
impl<'de> Deserialize<'de> for Results {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OrderedVisitor;

        impl<'de> Visitor<'de> for OrderedVisitor {
            type Value = Results;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("names and values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Results, A::Error> {
                let mut results = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    results.push(entry);
                }
                Ok(Results(results))
            }
        }

        deserializer.deserialize_map(OrderedVisitor)
    }
}

/// Whether a finding about a main score reports lowered clocks.
fn is_throttled(explained: &Explanation) -> bool {
    explained.harms_main(|finding| rules::throttles(finding).is_of_the_clock())
}

fn not_reported(record: &Record) -> String {
    if view::is_log(record) { "the log does not report it" } else { "not reported" }.to_owned()
}

/// Reason for missing results: that of the first step that has one.
fn not_measured(record: &Record, workloads: &[WorkloadId]) -> String {
    let steps = workloads.iter().flat_map(|workload| record.steps_of(*workload));
    let why = |step: &record::Step| match &step.outcome {
        Outcome::Failed(failure) => Some(failure.message.clone()),
        Outcome::Skipped(missing) => Some(missing.to_string()),
        Outcome::Done(_) => None,
    };
    steps.into_iter().find_map(why).unwrap_or_else(|| "not measured".to_owned())
}
