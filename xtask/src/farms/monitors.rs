//! `cargo xtask farms --monitors`: Debian's Prometheus reads 20 monitors for a minute, and one as the packaged unit
//! starts it, on another host (a network namespace). One board is throttled: its alert must fire and no other. Every
//! expression of the dashboard must have an answer.

use super::board::HOME;
use crate::workspace::{self, ChildProcess};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Number of the throttled board.
const THROTTLED: usize = 7;
/// Unit of the packages, its program, and the variable that opens it as docs/farms.md says.
const UNIT: &str = include_str!("../../../packaging/systemd/sbc-bench-monitor.service");
const PROGRAM: &str = "/usr/bin/sbc-bench";
const OPEN: (&str, &str) = ("SBC_BENCH_LISTEN", "0.0.0.0:9478");
/// Addresses of this host and of the other one.
const HERE: &str = "10.214.0.1";
const THERE: &str = "10.214.0.2";
/// Metrics of the dashboard that this machine and the boards lack: sensors of power and voltage, and counters of RAPL.
const LACKING: [&str; 6] = [
    "node_hwmon_in_volts",
    "node_hwmon_power_watt",
    "node_rapl_package_joules_total",
    "sbc_bench_channel_joules_total",
    "sbc_bench_channel_volts",
    "sbc_bench_channel_watts",
];

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
    // It has devices with clocks of their own.
    fs::copy(workspace::root().join("boards/rk3588.board"), format!("{HOME}/devices.board"))?;
    let mut running = Vec::new();
    let mut targets = String::from("- targets:\n");
    for number in 1..=monitors {
        let name = match number {
            1 => "devices",
            THROTTLED => "throttled",
            _ => "cool",
        };
        let address = format!("127.0.1.{number}:9478");
        targets.push_str(&format!("    - {address}\n"));
        let mut monitor = Command::new(folder.join("sbc-bench"));
        monitor.args(["monitor", "1s", "--quiet", "--prometheus", &address, "--root", &format!("{HOME}/{name}.board")]);
        running.push(ChildProcess(monitor.stdin(Stdio::null()).spawn().context("monitor")?));
    }
    running.extend(other_host(folder)?);
    targets.push_str(&format!("    - {THERE}:9478\n"));
    let deploy = workspace::root().join("deploy/prometheus");
    let configuration = fs::read_to_string(deploy.join("prometheus.yml"))?.replace("interval: 15s", "interval: 5s");
    fs::write(format!("{HOME}/prometheus.yml"), configuration)?;
    fs::write(format!("{HOME}/boards.yml"), targets)?;
    fs::copy(deploy.join("sbc-bench.rules.yml"), format!("{HOME}/sbc-bench.rules.yml"))?;
    let mut prometheus = Command::new("prometheus");
    prometheus.args([&format!("--config.file={HOME}/prometheus.yml"), &format!("--storage.tsdb.path={HOME}/data")]);
    prometheus.arg("--web.listen-address=127.0.0.1:9090").stdin(Stdio::null());
    prometheus.stderr(fs::File::create(folder.join("prometheus.log"))?);
    running.push(ChildProcess(prometheus.spawn().context("prometheus")?));
    std::thread::sleep(Duration::from_secs(75));
    let up = ask("sum(up{job=\"sbc-bench\"})")?;
    let scrapes = ask("min(count_over_time(up{job=\"sbc-bench\"}[1m]))")?;
    let alerts = ask("ALERTS{alertstate=\"firing\"}")?;
    println!(
        "targets up: {up}\nscrapes of each in the last minute, at least: {scrapes}\nalerts: {}",
        alerts.trim_end()
    );
    let all = monitors + 1;
    ensure!(up.contains(&format!("=> {all} @")), "not all of {all} monitors are up");
    let fired: Vec<&str> = alerts.lines().filter(|line| line.contains("alertname")).collect();
    let is_it = |line: &&str| line.contains("BoardThrottled") && line.contains(&format!("127.0.1.{THROTTLED}:"));
    ensure!(fired.len() == 1 && fired.iter().all(is_it), "one alert has to fire, of board {THROTTLED}: {fired:?}");
    dashboard()
}

/// Starts a host with a network of its own and the monitor of the packages, opened as docs/farms.md says.
fn other_host(folder: &Path) -> Result<[ChildProcess; 2]> {
    let documented = include_str!("../../../docs/farms.md");
    let (variable, address) = OPEN;
    ensure!(documented.contains(&format!("echo {variable}={address} |")), "docs/farms.md opens no {variable}");
    let mut host = Command::new("unshare");
    host.args(["--net", "sh", "-c", "echo; exec sleep infinity"]).stdout(Stdio::piped());
    let mut host = ChildProcess(host.spawn().context("unshare")?);
    // Its line reports that the namespace exists.
    host.0.stdout.as_mut().context("no output")?.read_exact(&mut [0])?;
    let id = host.0.id().to_string();
    let ip = super::board::ip;
    ip(&format!("link add here type veth peer name there netns {id}"))?;
    ip(&format!("address add {HERE}/24 dev here"))?;
    ip("link set here up")?;
    let inside = |words: &str| {
        super::board::run("nsenter", &[&["--net", "--target", &id], &words.split(' ').collect::<Vec<_>>()[..]].concat())
    };
    inside(&format!("ip address add {THERE}/24 dev there"))?;
    inside("ip link set there up")?;
    inside("ip link set lo up")?;
    let start = UNIT.lines().find_map(|line| line.strip_prefix("ExecStart=")).context("the unit has no ExecStart")?;
    ensure!(start.starts_with(PROGRAM), "the unit starts {start}");
    let start = start.replacen(PROGRAM, &folder.join("sbc-bench").to_string_lossy(), 1);
    let mut monitor = Command::new("nsenter");
    monitor.args(["--net", "--target", &id, "sh", "-c", &format!("exec {start}")]).env(variable, address);
    Ok([host, ChildProcess(monitor.stdin(Stdio::null()).spawn().context("nsenter (of util-linux)")?)])
}

/// Asks every expression of the dashboard; one without an answer is a panel that stays empty.
fn dashboard() -> Result<()> {
    let dashboard: Value = serde_json::from_str(include_str!("../../../docs/grafana.json"))?;
    let (mut expressions, mut next) = (BTreeSet::new(), vec![&dashboard]);
    while let Some(value) = next.pop() {
        expressions.extend(value["expr"].as_str());
        next.extend(value.as_object().into_iter().flat_map(|fields| fields.values()));
        next.extend(value.as_array().into_iter().flatten());
    }
    ensure!(!expressions.is_empty(), "the dashboard has no expression");
    let (mut empty, mut lacking) = (Vec::new(), 0);
    for expression in &expressions {
        let expression = expression.replace("$instance", ".*").replace("$__rate_interval", "1m");
        let answer = ask(&expression)?;
        let may_lack = LACKING.iter().any(|name| expression.contains(name));
        if !answer.contains("=>") {
            lacking += usize::from(may_lack);
            empty.extend((!may_lack).then_some(expression));
        }
    }
    println!("dashboard: {} expressions, {lacking} of sensors that no board here has", expressions.len());
    ensure!(empty.is_empty(), "no answer to {empty:#?}");
    Ok(())
}

/// Result of a Prometheus expression.
fn ask(expression: &str) -> Result<String> {
    crate::workspace::said(Command::new("promtool").args(["query", "instant", "http://127.0.0.1:9090", expression]))
}
