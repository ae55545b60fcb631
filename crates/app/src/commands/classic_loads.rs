//! The flags of the bash program that run other people's benchmarks: `-c`, `-s`, `-G`, `-P`.

use bench::{AnyTask, Load, Loads, Standard};
use record::{Variant, WorkloadId};

#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ClassicLoads {
    /// Also run a five-minute stress load (cpuminer if installed, else built-in simd)
    #[arg(short = 'c')]
    pub(crate) heat: bool,
    /// Also run the benchmark of an installed Stockfish three times
    #[arg(short = 's', value_name = "NETWORK", num_args = 0..=1, default_missing_value = "", hide_possible_values = true)]
    stockfish: Option<String>,
    /// Run Geekbench 5 or 6 instead (from PATH or $GEEKBENCH): once per core type, then twice on all CPUs
    #[arg(short = 'G')]
    pub(crate) geekbench: bool,
    /// Run these Phoronix Test Suite tests instead: once per core type, then on all CPUs
    #[arg(short = 'P', value_name = "TEST", num_args = 0..)]
    pub(crate) phoronix: Option<Vec<String>>,
}

impl ClassicLoads {
    pub(crate) fn stockfish(&self) -> bool {
        self.stockfish.is_some()
    }

    /// Task of the run; Stockfish is a part of the standard run.
    pub(crate) fn task(&self) -> Result<AnyTask, String> {
        if let Some(network) = self.stockfish.as_deref().filter(|name| !name.is_empty()) {
            return Err(format!(
                "-s does not take a network: Stockfish runs with the one it was built with, not {network:?}."
            ));
        }
        let mut loads = Vec::new();
        if self.geekbench {
            loads.push(Load::usual(WorkloadId::Geekbench));
        }
        if let Some(tests) = &self.phoronix {
            if tests.is_empty() {
                return Err("-P needs at least one test name such as compress-7zip (see `phoronix-test-suite \
                            list-available-tests`)."
                    .into());
            }
            loads.push(Load {
                variants: tests.iter().cloned().map(Variant::from).collect(),
                ..Load::usual(WorkloadId::Phoronix)
            });
        }
        Ok(if loads.is_empty() { AnyTask::of(Standard) } else { AnyTask::of(Loads(loads)) })
    }

    /// The given flags, for the Record.
    pub(crate) fn given(&self) -> Vec<String> {
        let flag = |given: bool, flag: &str| given.then(|| flag.to_owned());
        let tests = self.phoronix.as_ref();
        [
            flag(self.heat, "-c"),
            flag(self.stockfish(), "-s"),
            flag(self.geekbench, "-G"),
            tests.map(|tests| format!("-P {}", tests.join(" "))),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
