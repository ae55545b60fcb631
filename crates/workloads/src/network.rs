//! `network`: rate of one TCP stream to and from a host that runs `iperf3 -s`.

use super::attributes::{Attributes, Needs};
use super::scored::{garbled, higher, json, not_started, tool};
use super::{Places, Shape, Workload};
use crate::job::definition::recognised;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use process::child::failure;
use process::scratch::host::Host;
use process::tools::ToolKind;
use record::{Failure, FailureKind, Missing, Scores, StepMeasurement, Variant, WorkloadId};
use std::time::Duration;

/// From the host to this machine.
const RECEIVE: Variant = Variant::own("receive");
/// Both directions.
pub(super) const VARIANTS: &[Variant] = &[Variant::own("send"), RECEIVE];

/// The entry in the table of workloads.
pub(super) const NETWORK: Workload = Workload {
    id: WorkloadId::Network,
    about: "One TCP stream to and from --host, which must run `iperf3 -s`.",
    link: "https://software.es.net/iperf/",
    tool: Some(&KIND),
    shape: Some(Shape { variants: VARIANTS, places: Places::All, repetitions: 1, seconds: SECONDS }),
    attributes: Attributes { needs: Needs::HOST, ..Attributes::PLAIN },
    lacking,
    run,
};

pub(super) const KIND: ToolKind = ToolKind {
    name: "iperf3",
    programs: &["iperf3"],
    recognise: &|text| recognised("", r"^iperf 3\.\S+", text),
    // Older versions wait forever for a host that does not answer.
    oldest: &[3, 1, 5],
    needs_no_rights: true,
    ..ToolKind::PLAIN
};

/// Rises when the stream changes.
const METHOD: u32 = 1;
/// TCP takes a second or two to its full rate.
const SECONDS: u64 = 10;
const CONNECT_MS: &str = "5000";
/// For the connection and for the results of the host.
const SPARE_TIME: Duration = Duration::from_secs(20);

pub(super) fn lacking(context: &WorkloadContext) -> Option<Missing> {
    let is_without = context.site.targets.host.is_none();
    is_without.then(|| Missing::unsupported("--host", "needs --host NAME running `iperf3 -s`"))
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let output = stream(context, report)?;
    parse(&output).map(StepMeasurement::Scores).map_err(|why| garbled(why, &output))
}

/// Runs the stream of the job's direction and returns what iperf3 printed.
pub(super) fn stream(context: &WorkloadContext, report: &mut StepReport) -> Result<String, Failure> {
    let found = tool(context, &KIND)?;
    let Some(host) = context.site.targets.host.clone() else {
        return Err(not_started("No host given (--host NAME)."));
    };
    let time = context.time_or(Duration::from_secs(SECONDS));
    let seconds = time.as_secs().max(1).to_string();
    let port = host.port.map(|port| port.to_string());
    let mut arguments = vec!["-c", &host.name, "-J", "-t", &seconds];
    arguments.extend(["--connect-timeout", CONNECT_MS]);
    arguments.extend(port.iter().flat_map(|port| ["-p", port]));
    arguments.extend((context.job.variant == RECEIVE).then_some("-R"));
    let output = match context.program(report, &found, &arguments, time + SPARE_TIME) {
        Ok(output) => output,
        Err(failed) => return Err(unanswered(&failed, &host).unwrap_or(failed)),
    };
    // With JSON it ends with status 0 even where it failed, depending on its version.
    match refusal(&output, &host) {
        Some(failure) => Err(failure),
        None => Ok(output),
    }
}

/// Why there is no stream, with the reason of the network if it is known.
fn unanswered(failed: &Failure, host: &Host) -> Option<Failure> {
    // After a time-out iperf3 reports its own interruption, which is not the reason.
    if failed.kind == FailureKind::TimedOut {
        return Some(Failure {
            message: format!("{} does not respond; start `iperf3 -s` there.", host.name),
            ..failed.clone()
        });
    }
    refusal(&failed.output_tail, host).filter(|_| failed.kind != FailureKind::Interrupted)
}

/// The failure in iperf3's JSON.
fn refusal(output: &str, host: &Host) -> Option<Failure> {
    let why = json(output)?["error"].as_str()?.trim().to_owned();
    let hint = if why.starts_with("unable to connect") { "; start `iperf3 -s` there" } else { "" };
    let message = format!("iperf3 cannot connect to {}: {why}{hint}.", host.name);
    Some(failure(FailureKind::ExitStatus, message, output))
}

/// The rate at the receiver, and the CPU load at both ends.
pub(super) fn parse(output: &str) -> Result<Scores, String> {
    let value = json(output).ok_or("iperf3 printed no JSON")?;
    let end = &value["end"];
    let rate = end["sum_received"]["bits_per_second"].as_f64();
    let rate = rate.filter(|rate| rate.is_finite() && *rate > 0.0);
    let rate = rate.ok_or("iperf3 transferred nothing")?;
    let busy = |end_of: &str| {
        let percent = end["cpu_utilization_percent"][end_of].as_f64();
        percent.map_or("?".to_owned(), |percent| format!("{percent:.0} %"))
    };
    let again = end["sum_sent"]["retransmits"].as_u64();
    let again = again.map_or(String::new(), |count| format!(", {count} retransmits"));
    Ok(Scores {
        rows: vec![higher("", rate / 1e6, "Mbit/s")],
        detail: format!(
            "iperf3 CPU load {} here, {} on the remote host{again}",
            busy("host_total"),
            busy("remote_total")
        ),
        ..Scores::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEND: &str = include_str!("../tool_output/iperf3/3.12-x86_64-send.txt");
    const RECEIVE: &str = include_str!("../tool_output/iperf3/3.12-x86_64-receive.txt");
    const REFUSED: &str = include_str!("../tool_output/iperf3/3.12-x86_64-refused.txt");
    const UNKNOWN: &str = include_str!("../tool_output/iperf3/3.12-x86_64-unknown.txt");
    const BUSY: &str = include_str!("../tool_output/iperf3/3.12-x86_64-busy.txt");

    #[test]
    fn both_directions_are_read() {
        for (text, rate, detail) in [
            (SEND, 24_993.123_086_488_617, "CPU load 98 % here, 44 % on the remote host, 5 retransmits"),
            (RECEIVE, 22_708.840_115_699_135, "CPU load 41 % here, 96 % on the remote host, 4 retransmits"),
        ] {
            let found = parse(text).unwrap();
            assert_eq!(found.rows, [higher("", rate, "Mbit/s")]);
            assert!(found.detail.contains(detail), "{}", found.detail);
        }
        assert!(parse("iperf3: error").unwrap_err().contains("no JSON"));
        assert!(parse(REFUSED).unwrap_err().contains("nothing"));
    }

    #[test]
    fn unreachable_host_error() {
        let host = Host::parse("nas:5201").unwrap();
        for (text, expected) in [
            (
                REFUSED,
                "iperf3 cannot connect to nas: unable to connect to server: Connection refused; start `iperf3 -s`",
            ),
            (UNKNOWN, "Name or service not known"),
            (BUSY, "the server is busy running a test"),
        ] {
            let why = refusal(text, &host).unwrap().message;
            assert!(why.contains(expected) && why.ends_with('.'), "{why}");
        }
        assert_eq!(refusal(SEND, &host), None);
        for (kind, expected) in [
            (FailureKind::TimedOut, Some("nas does not respond")),
            (FailureKind::ExitStatus, Some("Connection refused")),
            (FailureKind::Interrupted, None),
        ] {
            let failed = failure(kind, "iperf3 failed.".into(), REFUSED);
            let found = unanswered(&failed, &host).map(|failure| failure.message);
            let is_right = match (&found, expected) {
                (Some(found), Some(words)) => found.contains(words),
                (found, expected) => found.is_none() && expected.is_none(),
            };
            assert!(is_right, "{kind:?}: {found:?}");
        }
    }
}
