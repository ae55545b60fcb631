//! Real loads bound by a drive and by a network: CPUs that wait for the drive, and kernel time for the network, are not findings.

use crate::outcome::{record, sbc_bench};
use record::{Outcome, Record, WorkBound};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use testkit::Scratch;

/// An iperf3 server on loopback.
struct Server {
    child: Child,
    port: u16,
    _out: BufReader<ChildStdout>,
}

impl Server {
    fn start() -> Option<Self> {
        let free = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let mut child = Command::new("iperf3")
            .args(["-s", "--forceflush", "-p", &port.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut lines = out.by_ref().lines().map_while(Result::ok);
        let listens = lines.any(|line| line.contains("listening"));
        let server = Self { child, port, _out: out };
        listens.then_some(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a load once; the Record, where its program is installed.
fn run(folder: &Scratch, words: &[&str]) -> Option<Record> {
    let mut command = sbc_bench(["run", "--force", "--wait", "0s", "--quiet", "--repeat", "1", "--log"]);
    command.arg(folder.join("run.log")).args(words).env(testkit::HASTE.0, "8").env("HOME", &**folder);
    let output = command.output().unwrap();
    if String::from_utf8_lossy(&output.stderr).contains(" is not installed") {
        return None;
    }
    Some(record(folder.join("run.json")))
}

/// Rules about what CPUs do while something computes.
const OF_COMPUTING: [&str; 3] = ["background-activity", "io-wait", "system-time"];

fn check(record: &Record, workload: &str) {
    let mut done = record.steps_of(workload).filter(|step| matches!(step.outcome, Outcome::Done(_)));
    assert!(done.next().is_some(), "{workload} ran: {:?}", record.steps);
    assert!(record.steps.iter().all(|step| WorkBound::of(&step.workload, &step.variant) != WorkBound::Unknown));
    let found = rules::check(&facts::Facts::of(record)).into_iter();
    let of_load: Vec<String> = found
        .filter(|finding| OF_COMPUTING.contains(&finding.rule.as_str()))
        .map(|finding| finding.sentence())
        .filter(|sentence| sentence.contains(workload))
        .collect();
    assert_eq!(of_load, [""; 0], "{workload}");
}

#[test]
fn io_wait_of_drive_workload_is_valid() {
    let folder = Scratch::new("bound-drive");
    let place = folder.to_str().unwrap();
    for form in ["drive:random-write", "drive:small-files"] {
        let Some(record) = run(&folder, &["--workload", form, "--dir", place]) else {
            return testkit::skip("fio is not installed");
        };
        check(&record, "drive");
    }
}

#[test]
fn kernel_time_of_network_workload_is_valid() {
    let Some(server) = Server::start() else { return testkit::skip("iperf3 is not installed") };
    let folder = Scratch::new("bound-network");
    let host = format!("127.0.0.1:{}", server.port);
    let record = run(&folder, &["--workload", "network:send", "--host", &host]).expect("iperf3 is installed");
    check(&record, "network");
}
