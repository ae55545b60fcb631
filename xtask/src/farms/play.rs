//! A farm: its boards, the plays on them, and checks of their results.

use super::Options;
use super::board::{BRIDGE, Board, CONTROLLER, Fate, HOME, ip, run};
use super::hub::Hub;
use super::observer::{Observation, watch};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Timeout of a play.
const PATIENCE: Duration = Duration::from_secs(900);
/// Time limit of a run in seconds. An unreachable board occupies its power supply for this time.
const TIMEOUT_S: u32 = 40;

/// Of twenty boards five die. Neighbours share a power supply, so no two dying boards are neighbours.
fn fate(number: usize) -> Fate {
    match number % 20 {
        2 | 7 => Fate::PowerCut,
        4 => Fate::Restarted,
        9 => Fate::Unreachable,
        12 => Fate::Killed,
        5 | 14 | 18 => Fate::Slow,
        11 => Fate::Full,
        _ => Fate::Well,
    }
}

/// Fates of fewer boards, in half a minute.
fn fate_of_few(number: usize) -> Fate {
    if number == 2 { Fate::Killed } else { Fate::Well }
}

pub(super) struct Farm {
    pub(super) folder: PathBuf,
    pub(super) boards: Vec<Board>,
    names: usize,
}

/// Makes the farm and runs the plays, alone with its network, mounts and processes.
pub(super) fn main(options: &Options, folder: &Path) -> Result<()> {
    run("mount", &["-t", "tmpfs", "farm", HOME])?;
    fs::create_dir_all(format!("{HOME}/boards"))?;
    run("cp", &["-a", &folder.join("keys").to_string_lossy(), &format!("{HOME}/boards/keys")])?;
    for words in [
        "link set lo up".to_owned(),
        format!("link add {BRIDGE} type bridge"),
        format!("address add {CONTROLLER} dev {BRIDGE}"),
        format!("link set {BRIDGE} up"),
    ] {
        ip(&words)?;
    }
    let boards = Path::new(HOME).join("boards");
    let fate = |number| match (options.names, options.boards) {
        (1, ..=9) => fate_of_few(number),
        (1, _) => fate(number),
        _ => Fate::Well,
    };
    let boards: Result<Vec<Board>> =
        (1..=options.boards).map(|number| Board::start(number, fate(number), &boards)).collect();
    let mut farm = Farm { folder: folder.to_path_buf(), boards: boards?, names: options.names };
    fs::write(format!("{HOME}/inventory.yml"), farm.inventory())?;
    let machine = fs::read_to_string("/proc/sys/kernel/arch").unwrap_or_else(|_| std::env::consts::ARCH.to_owned());
    let programs = serde_json::json!({ machine.trim(): folder.join("sbc-bench") });
    let programs = serde_json::json!({ "sbc_bench_programs": programs }).to_string();
    // One name of each board: several would copy the same file at once.
    let limit = if farm.names == 1 { "all" } else { "*-001" };
    let installed = farm.play("sbc_bench.boards.install", "install", &["-e", &programs, "--limit", limit])?;
    ensure!(installed.status.is_some_and(|status| status.success()), "the program was not installed: see install.log");
    println!("install   {:4} boards {:5.1} s", farm.boards.len(), installed.elapsed.as_secs_f64());
    let results = Path::new(HOME).join("results");
    let hub = options.hub.as_deref().map(Hub::start).transpose()?;
    let variables = Hub::variables(&folder.join("sbc-bench"));
    let mut words = vec!["-e", "sbc_bench_run_id=first", "-e", "sbc_bench_results=results"];
    words.extend(hub.is_some().then_some(["-e", &variables]).into_iter().flatten());
    let first = farm.play("sbc_bench.boards.bench", "bench", &words)?;
    let kept = results_in(&results.join("first"))?;
    farm.print(&first, &kept);
    let mut wrong = farm.wrong(&first, &kept);
    let again = farm.play("sbc_bench.boards.bench", "again", &words)?;
    println!(
        "again     {:4} names {:6.1} s, {} runs begun",
        farm.names(),
        again.elapsed.as_secs_f64(),
        again.begun.len()
    );
    if !again.begun.is_empty() || results_in(&results.join("first"))? != kept {
        wrong.push("the same play once more has begun runs or changed results".to_owned());
    }
    if let Some(hub) = &hub {
        let sent = kept.keys().filter(|name| !name.ends_with(".died.json")).count();
        let [results, machines] = hub.results()?;
        println!("hub       {results:4} results of {machines} machines on PostgreSQL, after two plays");
        if [results, machines] != [sent; 2] {
            wrong.push(format!("the hub has {results} results of {machines} machines in place of {sent}"));
        }
    }
    if farm.names == 1 {
        wrong.extend(farm.after(&kept)?);
    }
    for line in &wrong {
        println!("wrong: {line}");
    }
    let copy = folder.join("results");
    let _ = fs::remove_dir_all(&copy);
    run("cp", &["-a", &results.to_string_lossy(), &copy.to_string_lossy()])?;
    ensure!(wrong.is_empty(), "{} not as expected; results and logs are in {}", wrong.len(), folder.display());
    Ok(())
}

/// Content of the files of a folder, by name.
pub(super) fn results_in(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut found = BTreeMap::new();
    for path in crate::workspace::entries(folder)? {
        found.insert(crate::workspace::name(&path), fs::read_to_string(&path)?);
    }
    Ok(found)
}

impl Farm {
    /// Number of names in the inventory.
    fn names(&self) -> usize {
        self.boards.len() * self.names
    }

    fn names_of(&self, board: &Board) -> Vec<String> {
        match self.names {
            1 => vec![board.name()],
            many => (1..=many).map(|number| format!("{}-{number:03}", board.name())).collect(),
        }
    }

    /// Inventory in YAML, which includes JSON.
    fn inventory(&self) -> String {
        let mut text = String::from("all:\n  hosts:\n");
        for board in &self.boards {
            let seconds = if board.fate == Fate::Slow { "10" } else { "4" };
            let command = ["run", "--force", "--quiet", "--no-tuning", "--repeat", "1", "--", "sleep", seconds];
            let command = serde_json::json!(command);
            for name in self.names_of(board) {
                let (address, supply) = (board.address(), board.power_supply());
                let supply = if self.names == 1 { format!("psu {supply}") } else { board.name() };
                let _ = writeln!(
                    text,
                    "    {name}: {{ansible_host: {address}, power_supply: \"{supply}\", sbc_bench_state_dir: /run/sbc-{name}, sbc_bench_command: {command}}}"
                );
            }
        }
        let key = self.folder.join("keys/user_key");
        let _ = writeln!(
            text,
            "  vars:\n    ansible_user: root\n    ansible_become: false\n    ansible_python_interpreter: /usr/bin/python3\n    \
             ansible_ssh_private_key_file: {}\n    sbc_bench_become: false\n    sbc_bench_timeout: {TIMEOUT_S}\n    \
             sbc_bench_poll: 2\n    sbc_bench_patience: 20",
            key.display()
        );
        text
    }

    /// Runs a playbook on all boards, with its output in `LOG.log`.
    pub(super) fn play(&mut self, name: &str, log: &str, words: &[&str]) -> Result<Observation> {
        let log = fs::File::create(self.folder.join(format!("{log}.log")))?;
        let forks = self.names().min(50).to_string();
        let mut command = Command::new(self.folder.join("venv/bin/ansible-playbook"));
        command.args([name, "-i", "inventory.yml", "--forks", &forks]).args(words);
        command.env("ANSIBLE_COLLECTIONS_PATH", self.folder.join("collections")).env("HOME", HOME);
        command.env("ANSIBLE_HOST_KEY_CHECKING", "False").env("ANSIBLE_PIPELINING", "True").env("ANSIBLE_NOCOLOR", "1");
        command.env_remove("SSH_AUTH_SOCK").env("PWD", HOME).current_dir(HOME).stdin(Stdio::null());
        command.stdout(log.try_clone()?).stderr(log);
        let mut child = command.spawn().context("ansible-playbook")?;
        watch(&mut child, &mut self.boards, PATIENCE)
    }

    /// Prints a row for each fate.
    fn print(&self, seen: &Observation, kept: &BTreeMap<String, String>) {
        let mut rows: BTreeMap<Fate, (usize, usize, usize)> = BTreeMap::new();
        for board in &self.boards {
            for name in self.names_of(board) {
                let row = rows.entry(board.fate).or_default();
                row.0 += 1;
                row.1 += usize::from(kept.contains_key(&format!("{name}.json")));
                row.2 += usize::from(kept.contains_key(&format!("{name}.died.json")));
            }
        }
        println!("{:22} {:>6} {:>8} {:>6}", "boards", "names", "results", "died");
        for (fate, (names, results, died)) in rows {
            println!("{:22} {names:>6} {results:>8} {died:>6}", fate.name());
        }
        println!(
            "bench     {:4} names {:6.1} s, {} files, at most {} boards at once, {} of one power supply",
            self.names(),
            seen.elapsed.as_secs_f64(),
            kept.len(),
            seen.boards_max,
            seen.at_once_max
        );
    }

    /// Defects of the first play.
    fn wrong(&self, seen: &Observation, kept: &BTreeMap<String, String>) -> Vec<String> {
        let mut wrong = Vec::new();
        if seen.status.is_none() {
            wrong.push("the play hangs".to_owned());
        }
        // With several names of a board, each board has its own power supply.
        if self.names == 1 && seen.at_once_max != 1 {
            wrong.push(format!("{} boards of one power supply ran at once", seen.at_once_max));
        }
        if kept.len() != self.names() {
            wrong.push(format!("{} files for {} names", kept.len(), self.names()));
        }
        for board in &self.boards {
            if seen.begun.get(&board.number) != Some(&self.names) {
                wrong.push(format!("{} began {:?} runs", board.name(), seen.begun.get(&board.number)));
            }
            for name in self.names_of(board) {
                let file = if board.fate.is_death() { format!("{name}.died.json") } else { format!("{name}.json") };
                wrong.extend(self.wrong_file(board, &file, kept.get(&file)));
            }
        }
        wrong
    }

    fn wrong_file(&self, board: &Board, file: &str, text: Option<&String>) -> Option<String> {
        let Some(text) = text else { return Some(format!("{file} is missing ({})", board.fate.name())) };
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let says = match board.fate {
            Fate::Restarted => value["recovered"].as_str().is_some_and(|text| text.contains("did not finish")),
            fate if fate.is_death() => value["why"].as_str().is_some_and(|why| !why.is_empty()),
            _ => value["run"]["end"] == "finished",
        };
        (!says).then(|| format!("{file} does not say what happened ({}): {:.200}", board.fate.name(), text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_of_twenty_die_and_none_of_them_are_neighbours() {
        let dead: Vec<usize> = (1..=20).filter(|number| fate(*number).is_death()).collect();
        assert_eq!(dead.len(), 5);
        assert!(dead.windows(2).all(|pair| pair[0].div_ceil(2) != pair[1].div_ceil(2)), "{dead:?}");
    }
}
