//! Plays after the benchmark: check mode, the facts of the module, results that boards keep, and the table of all
//! results.

use super::board::{Fate, HOME, run};
use super::play::{Farm, results_in};
use anyhow::{Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Writes the facts of each board to a file on the controller. No directory of results is given, so they come from the
/// board.
const FACTS: &str = include_str!("facts.yml");

impl Farm {
    /// Runs these plays, prints a line for each, and returns defects. `kept` are the result files of the benchmark.
    pub(super) fn after(&mut self, kept: &BTreeMap<String, String>) -> Result<Vec<String>> {
        let mut wrong = Vec::new();
        wrong.extend(self.checked()?);
        wrong.extend(self.facts(kept)?);
        wrong.extend(self.collected(kept)?);
        wrong.extend(self.compared(kept)?);
        Ok(wrong)
    }

    /// Names of the boards with such a fate.
    fn names_with(&self, is_so: impl Fn(Fate) -> bool) -> Vec<String> {
        self.boards.iter().filter(|board| is_so(board.fate)).map(super::board::Board::name).collect()
    }

    /// Check mode begins no run, leaves no file, and shows the command.
    fn checked(&mut self) -> Result<Vec<String>> {
        let living = self.names_with(|fate| !fate.is_gone());
        let words = ["-e", "sbc_bench_run_id=checked", "--check", "--diff", "--limit", &living.join(",")];
        let seen = self.play("sbc_bench.boards.bench", "check", &words)?;
        let shown =
            fs::read_to_string(self.folder.join("check.log"))?.matches("+/usr/local/bin/sbc-bench run ").count();
        println!("check     {:4} names {:6.1} s, {shown} commands shown", living.len(), seen.elapsed.as_secs_f64());
        let is_right =
            seen.begun.is_empty() && shown == living.len() && !Path::new(HOME).join("results/checked").exists();
        Ok((!is_right)
            .then(|| "a check has begun runs, left files or shown no command".to_owned())
            .into_iter()
            .collect())
    }

    /// The facts equal the result, value by value.
    fn facts(&mut self, kept: &BTreeMap<String, String>) -> Result<Vec<String>> {
        let living = self.names_with(|fate| !fate.is_death());
        fs::write(format!("{HOME}/facts.yml"), FACTS)?;
        fs::create_dir_all(format!("{HOME}/facts"))?;
        let seen = self.play("facts.yml", "facts", &["--limit", &living.join(",")])?;
        let facts = results_in(Path::new("/mnt/facts"))?;
        println!("facts     {:4} names {:6.1} s, {} files", living.len(), seen.elapsed.as_secs_f64(), facts.len());
        let value = |files: &BTreeMap<String, String>, name: &str| -> Option<Value> {
            serde_json::from_str(files.get(&format!("{name}.json"))?).ok()
        };
        let differs = |name: &&String| value(&facts, name).is_none() || value(&facts, name) != value(kept, name);
        Ok(living.iter().filter(differs).map(|name| format!("the facts of {name} are not its result")).collect())
    }

    /// Each reachable board returns its results, also of a run that died; a second collection returns nothing new, and
    /// says that it has changed nothing.
    fn collected(&mut self, kept: &BTreeMap<String, String>) -> Result<Vec<String>> {
        let living = self.names_with(|fate| !fate.is_gone());
        let limit = living.join(",");
        let mut elapsed = Vec::new();
        let mut files = Vec::new();
        for log in ["collect", "collect-again"] {
            let seen = self.play("sbc_bench.boards.collect", log, &["--limit", &limit])?;
            elapsed.push(seen.elapsed.as_secs_f64());
            files.push(results_in(&Path::new(HOME).join("results/collected"))?);
        }
        println!("collect   {:4} names {:6.1} s, {} files", living.len(), elapsed[0], files[0].len());
        let mut wrong = Vec::new();
        if files[0] != files[1] {
            wrong.push("a second collection has brought something".to_owned());
        }
        let recap = fs::read_to_string(self.folder.join("collect-again.log"))?;
        let changed = recap.lines().filter(|line| line.contains(" changed=") && !line.contains(" changed=0 "));
        wrong.extend(changed.map(|line| format!("a second collection says that it has changed something: {line}")));
        let of = |name: &str| files[0].iter().filter(|(file, _)| file.starts_with(&format!("{name}-"))).count();
        // A full board keeps none; the controller received its result over the connection.
        let expected = self.names_with(|fate| !fate.is_gone() && fate != Fate::Full);
        wrong
            .extend(expected.iter().filter(|name| of(name) != 1).map(|name| format!("{name} gave {} files", of(name))));
        ensure!(!kept.is_empty(), "no result was kept");
        Ok(wrong)
    }

    /// The table has a row for each result.
    fn compared(&mut self, kept: &BTreeMap<String, String>) -> Result<Vec<String>> {
        let program = format!("sbc_bench_local={}", self.folder.join("sbc-bench").display());
        let seen =
            self.play("sbc_bench.boards.compare", "compare", &["-e", "sbc_bench_run_id=first", "-e", &program])?;
        let table = fs::read_to_string(format!("{HOME}/results/first/results.md")).unwrap_or_default();
        let rows = table.lines().filter(|line| line.starts_with('|')).count().saturating_sub(2);
        let results = kept.keys().filter(|name| !name.ends_with(".died.json")).count();
        println!("compare   {results:4} results {:4.1} s, {rows} rows", seen.elapsed.as_secs_f64());
        run("rm", &["-f", &format!("{HOME}/results/first/results.md")])?;
        Ok((rows != results).then(|| format!("the table has {rows} rows for {results} results")).into_iter().collect())
    }
}
