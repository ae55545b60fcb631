//! `sbc-bench -m`, `sbc-bench monitor`: flags of the monitor.

mod mark;

use crate::args::Environment;
use crate::args::groups::{RootFlags, chosen};
use crate::args::meters::MeterFlags;
use crate::args::program::calling_user;
use crate::commands::{Command, CommandResult, Verb};
use console::monitor::{self, JsonlRows, MonitorArgs, Replay, View};
use mark::Mark;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use workloads::job::duration::parse_time;

/// Show clocks, load, temperatures and throttling
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct MonitorVerb {
    /// Sampling interval in seconds, or with unit such as 500ms [default: 5s; 1s for the full screen, --web, and
    /// --prometheus with --meter]
    #[arg(value_name = "INTERVAL", default_value = "", hide_default_value = true)]
    interval: String,
    /// Print nothing (with --record, --prometheus, --web or --textfile)
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    flags: MonitorFlags,
    #[command(flatten)]
    meters: MeterFlags,
    #[command(flatten)]
    root: RootFlags,
    #[command(subcommand)]
    what: Option<RecordingVerb>,
}

/// Subcommands for recordings.
#[derive(Debug, clap::Subcommand)]
enum RecordingVerb {
    Mark(Mark),
}

impl Verb for MonitorVerb {
    fn checked(self, environment: &Environment) -> CommandResult {
        match self.what {
            Some(RecordingVerb::Mark(mark)) => Ok(Box::new(mark)),
            None => Ok(Box::new(self.flags.checked(&self.interval, self.quiet, self.meters, environment)?)),
        }
    }
}

impl Command for MonitorArgs {
    fn run(self: Box<Self>, root: &machine::Root) -> anyhow::Result<u8> {
        monitor::run(&crate::args::program::without_sensors(root, &self.ignored_sensors), &self)
    }
}

/// Content of a row of JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Rows {
    /// Values read at this time, without those of slow sources.
    Read,
    /// Latest value of every channel, and derived values.
    Full,
}

/// Options of `-m` and `monitor`.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Monitor options (-m, monitor)")]
pub(crate) struct MonitorFlags {
    /// Stop after N samples
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Print the classic lines (default unless the terminal is at least 100x24)
    #[arg(long, conflicts_with_all = ["tui", "jsonl"])]
    lines: bool,
    /// Full-screen display with plots (default on terminals of at least 100x24)
    #[arg(long, conflicts_with = "jsonl")]
    tui: bool,
    /// Print one JSON object per line: rows of what was read, or `full` rows of every latest value with clocks,
    /// temperature, use and throttling worked out
    #[arg(long, value_name = "ROWS", num_args = 0..=1, require_equals = true, default_missing_value = "read")]
    jsonl: Option<Rows>,
    /// Append every sample to FILE; the recording survives a power loss
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Replay a recording, result file or log in any view
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Replay FACTOR times as fast, or `max` for no delay
    #[arg(long, value_name = "FACTOR", requires = "replay")]
    speed: Option<String>,
    /// Start the replay at TIME: 90s, 5min, 1h or 1:23:45
    #[arg(long, value_name = "TIME", requires = "replay", value_parser = parse_time)]
    seek: Option<Duration>,
    /// Serve Prometheus metrics on this port; on loopback unless ADDR is given
    #[arg(long, value_name = "[ADDR:]PORT")]
    prometheus: Option<String>,
    /// Serve the monitor as a page with live plots, on this port of loopback unless ADDR is given; 0 for a free port
    ///
    /// The address has a random token and is printed. It is not encrypted: give an ADDR in networks you trust only.
    #[arg(long, value_name = "[ADDR:]PORT")]
    web: Option<String>,
    /// Write metrics for node_exporter's textfile collector; the file is removed at the end, but kept with --count
    #[arg(long, value_name = "FILE.prom")]
    textfile: Option<PathBuf>,
}

impl MonitorFlags {
    /// Name of the first given option.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.count.is_some(), "--count"),
            (self.lines, "--lines"),
            (self.tui, "--tui"),
            (self.jsonl.is_some(), "--jsonl"),
            (self.record.is_some(), "--record"),
            (self.replay.is_some(), "--replay"),
            (self.prometheus.is_some(), "--prometheus"),
            (self.web.is_some(), "--web"),
            (self.textfile.is_some(), "--textfile"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }

    fn check_quiet(&self, quiet: bool) -> Result<(), String> {
        let views = [(self.lines, "--lines"), (self.tui, "--tui"), (self.jsonl.is_some(), "--jsonl")];
        let serves = self.prometheus.is_some() || self.web.is_some();
        let into_files = self.record.is_some() || serves || self.textfile.is_some();
        match (quiet, chosen(views).next()) {
            (true, Some(view)) => Err(format!("--quiet cannot be combined with {view}.")),
            (true, None) if !into_files => Err("--quiet needs --record, --prometheus, --web or --textfile.".into()),
            _ => Ok(()),
        }
    }

    /// Valid options, or one sentence about an error.
    pub(crate) fn checked(
        self,
        interval: &str,
        quiet: bool,
        meters: MeterFlags,
        environment: &Environment,
    ) -> Result<MonitorArgs, String> {
        self.check_quiet(quiet)?;
        if self.replay.is_some() {
            if !interval.is_empty() {
                return Err("The interval does not apply to --replay; use --speed.".into());
            }
            if meters.is_given() {
                return Err("--meter does not apply to --replay.".into());
            }
        }
        let view = match self {
            _ if quiet => Some(View::Nothing),
            Self { lines: true, .. } => Some(View::Lines),
            Self { tui: true, .. } => Some(View::Screen),
            Self { jsonl: Some(Rows::Read), .. } => Some(View::Jsonl(JsonlRows::Read)),
            Self { jsonl: Some(Rows::Full), .. } => Some(View::Jsonl(JsonlRows::Full)),
            _ => None,
        };
        let replay = match self.replay {
            None => None,
            Some(file) => Some(Replay {
                file,
                speed: parse_speed(self.speed.as_deref().unwrap_or("1"))?,
                seek: self.seek.unwrap_or_default(),
            }),
        };
        let address = |option: &str, text: Option<&str>| text.map(|text| parse_address(option, text)).transpose();
        let prometheus = address("--prometheus", self.prometheus.as_deref())?;
        let web = address("--web", self.web.as_deref())?;
        Ok(MonitorArgs {
            interval: parse_interval(interval)?,
            count: self.count,
            view,
            record: self.record,
            replay,
            prometheus,
            web,
            textfile: self.textfile,
            ignored_sensors: meters.ignored_sensors.clone(),
            meters: meters.all(environment)?,
            user: calling_user()?,
        })
    }
}

/// A shorter interval would mostly measure the monitor.
const INTERVAL_MIN: Duration = Duration::from_millis(20);
const INTERVAL_MAX: Duration = Duration::from_secs(3600);

fn parse_interval(text: &str) -> Result<Option<Duration>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let wrong = || format!("-m takes a time of 20ms to 1h, such as 5 or 0.5s, not {text:?}.");
    let interval = parse_time(text).ok().filter(|time| (INTERVAL_MIN..=INTERVAL_MAX).contains(time));
    interval.map(Some).ok_or_else(wrong)
}

fn parse_speed(text: &str) -> Result<Option<f64>, String> {
    if text == "max" {
        return Ok(None);
    }
    let speed = text.strip_suffix('x').unwrap_or(text).parse::<f64>();
    match speed {
        Ok(speed) if (0.001..=100_000.0).contains(&speed) => Ok(Some(speed)),
        _ => Err(format!("--speed must be a factor such as 10 or 0.5, or max, not {text:?}.")),
    }
}

/// Parses `9478`, `:9478`, `0.0.0.0:9478` or `[::1]:9478`; the default address is loopback.
fn parse_address(option: &str, text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text);
    let loopback = port.parse().map(|port: u16| ([127, 0, 0, 1], port).into());
    let named = text.replace("localhost:", "127.0.0.1:");
    loopback
        .or_else(|_| named.parse())
        .map_err(|_| format!("{option} must be a port or address:port such as 9478 or 0.0.0.0:9478, not {text:?}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_defaults_to_loopback() {
        for (text, expected) in [
            ("9478", "127.0.0.1:9478"),
            (":9478", "127.0.0.1:9478"),
            ("localhost:1", "127.0.0.1:1"),
            ("0.0.0.0:9478", "0.0.0.0:9478"),
            ("[::1]:9478", "[::1]:9478"),
        ] {
            assert_eq!(parse_address("--web", text), Ok(expected.parse().unwrap()), "{text}");
        }
        for text in ["", "here", "99999", "1.2.3.4"] {
            assert!(parse_address("--web", text).is_err(), "{text}");
        }
    }

    #[test]
    fn intervals_and_speeds() {
        for (text, seconds) in
            [("", None), ("5", Some(5.0)), ("0.5s", Some(0.5)), ("20ms", Some(0.02)), ("5m", Some(300.0))]
        {
            let interval = parse_interval(text).map(|time| time.map(|time| time.as_secs_f64()));
            assert_eq!(interval, Ok(seconds), "{text}");
        }
        for text in ["0", "19ms", "2h", "soon"] {
            assert!(parse_interval(text).is_err(), "{text}");
        }
        assert_eq!(parse_speed("max"), Ok(None));
        assert_eq!(parse_speed("2x"), Ok(Some(2.0)));
        assert!(parse_speed("0").is_err() && parse_speed("nan").is_err());
    }
}
