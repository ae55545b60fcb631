//! Random sequences: runs end in every way and are resumed, on this and on another machine, while the owner and other
//! programs change settings. Afterwards each setting must have the last value that no run has written.

use crate::fake_tree::kills::RUN;
use crate::fake_tree::tree::{Tree, can_run, for_each};
use crate::outcome::said;
use rustix::process::{Pid, Signal, kill_process};
use std::process::Stdio;
use testkit::records::Chance;

const SEEDS: [u64; 4] = [0x9e37_79b9_7f4a_7c15, 0x3c6e_f372_fe94_f82a, 0xdaa6_6d2c_7ddf_743f, 0x78dd_e6e5_fd29_f054];
const EVENTS: usize = 12;
const CPUFREQ: &str = "sys/devices/system/cpu/cpufreq";
/// Settings with values that no run sets.
const SETTINGS: [(&str, [&str; 2]); 4] = [
    ("policy0/scaling_governor", ["powersave", "ondemand"]),
    ("policy0/scaling_max_freq", ["1200000", "1416000"]),
    ("policy1/scaling_governor", ["powersave", "ondemand"]),
    ("policy1/scaling_max_freq", ["1200000", "1416000"]),
];
const GOVERNORS: &str = "policy0/scaling_available_governors";
/// Writes of a run to cpufreq.
const WRITES_MAX: usize = 12;

/// A machine, and the values of [`SETTINGS`] that its owner or another program set last.
struct OwnedMachine {
    tree: Tree,
    values: [String; 4],
    chance: Chance,
    /// Events so far, for messages.
    told: Vec<String>,
}

impl OwnedMachine {
    fn below(&mut self, count: usize) -> usize {
        ((self.chance.uniform() * count as f64) as usize).min(count - 1)
    }

    /// Chooses a setting and its next value, which counts from now on.
    fn chosen(&mut self) -> (&'static str, &'static str) {
        let (at, which) = (self.below(SETTINGS.len()), self.below(2));
        let (file, values) = SETTINGS[at];
        values[which].clone_into(&mut self.values[at]);
        self.told.push(format!("{file} = {}", values[which]));
        (file, values[which])
    }

    fn set(&mut self) {
        let (file, value) = self.chosen();
        std::fs::write(self.tree.path(CPUFREQ).join(file), value).unwrap();
    }

    /// A run of this script under this plan.
    fn run(&mut self, script: &str, plan: &str) {
        let words = [&RUN[..RUN.len() - 1], &["/bin/sh", "-c", script]].concat();
        let output = self.tree.run(&words, plan);
        self.told.push(format!("run {script} {plan}: {:?}", output.status));
    }

    /// A run that is stopped while its program runs, with or without a change by another program.
    fn stopped(&mut self, signal: Signal) {
        let [hang, hangs] = ["hang", "hangs"].map(|name| self.tree.path("drive").join(name));
        std::fs::write(&hang, "").unwrap();
        let script = "if test -e hang; then touch hangs; sleep 60; fi";
        let words = [&RUN[..RUN.len() - 1], &["/bin/sh", "-c", script]].concat();
        let mut child = self.tree.command(&words, "").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        testkit::wait_until("the program hangs", || hangs.exists() || child.try_wait().unwrap().is_some());
        self.told.push(format!("run with signal {signal:?}"));
        if self.below(2) == 0 {
            self.set();
        }
        let _ = kill_process(Pid::from_child(&child), signal);
        child.wait().unwrap();
        for file in [hang, hangs] {
            let _ = std::fs::remove_file(file);
        }
    }

    fn verb(&mut self, words: &[&str]) {
        let output = self.tree.run(words, "");
        self.told.push(format!("{words:?}: {}", said(&output)));
    }

    fn event(&mut self) {
        match self.below(8) {
            0 | 1 => self.set(),
            2 => {
                let (file, value) = self.chosen();
                self.run(&format!("printf {value} > /{CPUFREQ}/{file}"), "");
            }
            3 => {
                let (number, whom) = (1 + self.below(WRITES_MAX), ["run", "both", "group"][self.below(3)]);
                self.run("true", &format!("run write /cpufreq/ {number} kill-{whom}"));
            }
            4 => {
                let signal = [Signal::INT, Signal::TERM, Signal::KILL][self.below(3)];
                self.stopped(signal);
            }
            5 => self.verb(&["--resume", "--quiet"]),
            6 => {
                let file = self.tree.path(CPUFREQ).join(GOVERNORS);
                let before = std::fs::read(&file).unwrap();
                std::fs::write(&file, "performance powersave").unwrap();
                self.verb(&["--resume", "--quiet"]);
                std::fs::write(&file, before).unwrap();
            }
            _ => self.verb(&["recover"]),
        }
        self.tree.wait_for_ends().unwrap();
    }
}

#[test]
fn settings_of_the_owner_survive_any_sequence() {
    testkit::needs!(can_run());
    for_each(&SEEDS, |seed| {
        let tree = Tree::new();
        let read = |tree: &Tree| {
            SETTINGS.map(|(file, _)| std::fs::read_to_string(tree.path(CPUFREQ).join(file)).unwrap().trim().to_owned())
        };
        let values = read(&tree);
        let mut owned = OwnedMachine { tree, values, chance: Chance(*seed), told: Vec::new() };
        (0..EVENTS).for_each(|_| owned.event());
        owned.verb(&["recover"]);
        assert_eq!(read(&owned.tree), owned.values, "seed {seed}:\n{}", owned.told.join("\n"));
    });
}
