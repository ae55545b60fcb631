//! Sources of results: logs of the tests with scores that vary, and Records of the size of a standard run.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use testkit::virtual_board::Chance;

/// A standard run without samples.
const RUN: &str = include_str!("../../../explain/tests/own/two-policies.json");
/// Size of a Record.
const RECORD_BYTES: usize = 200_000;
/// Fields that a sampler records of each CPU.
const CHANNELS: [&str; 8] = ["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"];

/// Name of this build.
pub(crate) fn build() -> &'static str {
    env!("SBC_BENCH_HUB_BUILD")
}

/// Logs of the corpus, if it exists, and those composed for the tests.
pub(crate) fn logs() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let corpus = root.ancestors().map(|folder| folder.join("shared/corpus")).find(|folder| folder.is_dir());
    let parts = corpus.iter().flat_map(|corpus| ["open", "more"].map(|part| corpus.join(part).join("results")));
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in parts.chain([root.join("crates/explain/tests/composed")]) {
        files.extend(folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()));
    }
    files.retain(|file| file.extension().is_some_and(|ending| ending == "txt"));
    files.sort();
    let logs: Vec<String> =
        files.iter().map(|file| String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned()).collect();
    assert!(!logs.is_empty(), "there is no log to make results of");
    logs
}

/// The log with scores changed by up to 3 %: numbers of four to six digits in the rows of 7-zip.
pub(crate) fn varied(log: &str, copy: usize) -> String {
    let factor = 1.0 + (copy * 37 % 61) as f64 / 1000.0 - 0.03;
    let of_word = |word: &str| match word.parse::<u32>() {
        Ok(number) if (1000..1_000_000).contains(&number) => {
            format!("{:>width$}", (f64::from(number) * factor).round(), width = word.len())
        }
        _ => word.to_owned(),
    };
    let is_score = |line: &str| {
        ["Tot:", "Avr:", "22:", "23:", "24:", "25:"].iter().any(|start| line.trim_start().starts_with(start))
    };
    let line = |line: &str| {
        if is_score(line) { line.split(' ').map(of_word).collect::<Vec<String>>().join(" ") } else { line.to_owned() }
    };
    // A copy without such rows differs in an ignored line.
    format!("{}\ncopy {copy}\n", log.lines().map(line).collect::<Vec<String>>().join("\n"))
}

/// Records of a standard run with samples, each with another start and other ratings.
pub(crate) struct Records {
    run: Value,
    made: i64,
}

impl Records {
    pub(crate) fn new() -> Self {
        let mut run: Value = serde_json::from_str(RUN).unwrap();
        let ticks: Vec<i64> = (0..700).map(|tick| 2_000 + tick * 500).collect();
        run["samples"]["at_ms"] = json!(ticks);
        let mut chance = Chance::new(1);
        for number in 0.. {
            let id = format!("cpu{}.{}", number / CHANNELS.len(), CHANNELS[number % CHANNELS.len()]);
            let mut value = chance.whole(0, 5_000_000) as i64;
            // Ticks of programs and of idle change each time, the others rarely.
            let busy = ["user", "idle"].contains(&CHANNELS[number % CHANNELS.len()]);
            let values: Vec<i64> = ticks
                .iter()
                .map(|_| {
                    value += if busy { chance.whole(0, 49) } else { chance.whole(0, 19) / 19 } as i64;
                    value
                })
                .collect();
            let channel = json!({"id": id, "label": "", "unit": "ticks", "kind": "counter", "source": "/proc/stat", "values": values});
            run["samples"]["channels"].as_array_mut().unwrap().push(channel);
            if run.to_string().len() >= RECORD_BYTES {
                break;
            }
        }
        Self { run, made: 0 }
    }

    pub(crate) fn next(&mut self) -> Vec<u8> {
        self.made += 1;
        let mut run = self.run.clone();
        run["run"]["started"] = json!(1_795_227_990_359_i64 + self.made * 3_600_000);
        let mut chance = Chance::new(self.made as u64);
        let factor = 0.99 + chance.within(0.0, 0.02);
        for step in run["steps"].as_array_mut().unwrap() {
            vary(step, factor);
        }
        run.to_string().into_bytes()
    }
}

fn vary(value: &mut Value, factor: f64) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value.as_i64() {
                    Some(number) if name.starts_with("rating") => *value = json!((number as f64 * factor) as i64),
                    _ => vary(value, factor),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| vary(value, factor)),
        _ => {}
    }
}
