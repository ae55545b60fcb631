//! The network workloads against a real server at the other end of a virtual cable, in a network
//! namespace of its own. Skipped where that is not permitted or iperf3 is not installed.

use machine::{Root, Timeline};
use process::scratch::host::Host;
use process::scratch::{ScratchDirs, Targets};
use process::tools::Tools;
use record::{Machine, Outcome, StepMeasurement, WorkloadId};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicI32;
use std::time::Duration;
use workloads::job::Job;
use workloads::measure::context::WorkloadContext;

const HERE: &str = "10.211.97.1/30";
const THERE: &str = "10.211.97.2";

/// Namespace with one end of a cable and a server, removed on drop.
struct Iperf3Server {
    name: String,
    server: Option<Child>,
}

impl Iperf3Server {
    fn new() -> Option<Self> {
        let name = format!("sbcb{}", std::process::id());
        let mut end = Self { name: name.clone(), server: None };
        let near = format!("{name}a");
        let lines = [
            format!("netns add {name}"),
            format!("link add {near} type veth peer name end0 netns {name}"),
            format!("addr add {HERE} dev {near}"),
            format!("link set {near} up"),
            format!("-n {name} addr add {THERE}/30 dev end0"),
            format!("-n {name} link set end0 up"),
        ];
        if !lines.iter().all(|line| ip(line)) {
            return None;
        }
        let server = Command::new("ip")
            .args(["netns", "exec", &name, "iperf3", "-s"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        end.server = server.ok();
        let is_there = end.server.as_mut().is_some_and(listens);
        is_there.then_some(end)
    }
}

/// Waits until the server takes connections; false if it ends instead.
fn listens(server: &mut Child) -> bool {
    for _ in 0..100 {
        if std::net::TcpStream::connect((THERE, 5201)).is_ok() {
            return true;
        }
        if !matches!(server.try_wait(), Ok(None)) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

impl Drop for Iperf3Server {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            let _ = server.kill();
            let _ = server.wait();
        }
        // Removing the namespace removes both ends of the cable.
        ip(&format!("netns del {}", self.name));
    }
}

fn ip(line: &str) -> bool {
    let mut command = Command::new("ip");
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let status = quiet.args(line.split_whitespace()).status();
    status.is_ok_and(|status| status.success())
}

/// The rows of a workload against this host, or its failure's sentence.
fn run(workload: WorkloadId, variant: &str, host: &str) -> Result<Vec<(String, f64)>, String> {
    let (root, machine, timeline) = (Root::system(), Machine::default(), Timeline::start());
    let (tools, cancelled) = (Tools::on_path(), AtomicI32::new(0));
    let job = Job { workload, variant: variant.into(), time: Some(Duration::from_secs(1)), ..Job::default() };
    let place = (&root, &machine, &timeline);
    let targets = Targets { host: Some(Host::parse(host).unwrap()), ..Targets::default() };
    let context = WorkloadContext {
        site: Arc::new(ScratchDirs::of(&targets)),
        ..WorkloadContext::new(place, &tools, &job, &cancelled, &|| {})
    };
    let workload = workloads::workload(workload).unwrap();
    match workload.measure(&context).1 {
        Outcome::Done(StepMeasurement::Scores(scores)) => {
            let rows = scores.rows.into_iter();
            Ok(rows.map(|row| (row.name, row.value)).collect())
        }
        Outcome::Failed(failure) => Err(failure.message),
        other => panic!("{other:?}"),
    }
}

#[test]
fn network_directions_and_missing_host() {
    let Some(_end) = Iperf3Server::new() else {
        return testkit::skip("no network namespace with an iperf3 server can be made here");
    };
    for (workload, variant, expected) in [
        (WorkloadId::Network, "send", &[""][..]),
        (WorkloadId::Network, "receive", &[""]),
        (WorkloadId::NetworkCpu, "send", &[WorkloadId::Network.as_str(), "cpu"]),
    ] {
        let rows = run(workload, variant, THERE).unwrap();
        let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, expected, "{workload:?} {variant}");
        assert!(rows.iter().all(|(_, value)| *value > 1.0), "{rows:?}");
    }
    let why = run(WorkloadId::Network, "send", &format!("{THERE}:5999")).unwrap_err();
    assert!(why.contains("Connection refused") && why.contains("`iperf3 -s`"), "{why}");
}
