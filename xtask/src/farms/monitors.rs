//! `cargo xtask farms --monitors`: Debian's Prometheus reads 20 monitors for a minute. One board is throttled: its
//! alert must fire and no other.

use super::board::HOME;
use crate::workspace::{self, Running};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Number of the throttled board.
const THROTTLED: usize = 7;
/// Cooling device of the board, above its state.
const COOLING: &str = "== /sys/devices/virtual/thermal/cooling_device0/cur_state\n";

/// Starts monitors and Prometheus, waits, and queries Prometheus.
pub(super) fn main(monitors: usize, folder: &Path) -> Result<()> {
    super::board::run("mount", &["-t", "tmpfs", "farm", HOME])?;
    super::board::ip("link set lo up")?;
    let board = fs::read_to_string(workspace::root().join("boards/rk3399.board"))?;
    let cool = format!("{COOLING}0\n");
    ensure!(board.contains(&cool), "boards/rk3399.board has no cooling device at rest");
    let throttled = board.replace(&cool, &format!("{COOLING}2\n"));
    fs::write(format!("{HOME}/cool.board"), &board)?;
    fs::write(format!("{HOME}/throttled.board"), throttled)?;
    let mut running = Vec::new();
    let mut targets = String::from("- targets:\n");
    for number in 1..=monitors {
        let name = if number == THROTTLED { "throttled" } else { "cool" };
        let address = format!("127.0.1.{number}:9478");
        targets.push_str(&format!("    - {address}\n"));
        let mut monitor = Command::new(folder.join("sbc-bench"));
        monitor.args(["monitor", "1s", "--quiet", "--prometheus", &address, "--root", &format!("{HOME}/{name}.board")]);
        running.push(Running(monitor.stdin(Stdio::null()).spawn().context("monitor")?));
    }
    let deploy = workspace::root().join("deploy/prometheus");
    let configuration = fs::read_to_string(deploy.join("prometheus.yml"))?.replace("interval: 15s", "interval: 5s");
    fs::write(format!("{HOME}/prometheus.yml"), configuration)?;
    fs::write(format!("{HOME}/boards.yml"), targets)?;
    fs::copy(deploy.join("sbc-bench.rules.yml"), format!("{HOME}/sbc-bench.rules.yml"))?;
    let mut prometheus = Command::new("prometheus");
    prometheus.args([&format!("--config.file={HOME}/prometheus.yml"), &format!("--storage.tsdb.path={HOME}/data")]);
    prometheus.arg("--web.listen-address=127.0.0.1:9090").stdin(Stdio::null());
    prometheus.stderr(fs::File::create(folder.join("prometheus.log"))?);
    running.push(Running(prometheus.spawn().context("prometheus")?));
    std::thread::sleep(Duration::from_secs(75));
    let up = ask("sum(up{job=\"sbc-bench\"})")?;
    let scrapes = ask("min(count_over_time(up{job=\"sbc-bench\"}[1m]))")?;
    let alerts = ask("ALERTS{alertstate=\"firing\"}")?;
    println!(
        "targets up: {up}\nscrapes of each in the last minute, at least: {scrapes}\nalerts: {}",
        alerts.trim_end()
    );
    let is_up = up.contains(&format!("=> {monitors} @"));
    ensure!(is_up, "not all of {monitors} monitors are up");
    let fired: Vec<&str> = alerts.lines().filter(|line| line.contains("alertname")).collect();
    let is_it = |line: &&str| line.contains("BoardThrottled") && line.contains(&format!("127.0.1.{THROTTLED}:"));
    ensure!(fired.len() == 1 && fired.iter().all(is_it), "one alert has to fire, of board {THROTTLED}: {fired:?}");
    Ok(())
}

/// Result of a Prometheus expression.
fn ask(expression: &str) -> Result<String> {
    crate::workspace::said(Command::new("promtool").args(["query", "instant", "http://127.0.0.1:9090", expression]))
}
