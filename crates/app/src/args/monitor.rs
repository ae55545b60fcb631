//! The arguments of the monitor: how often, in which view, into which file, from which file.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Watching, validated.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MonitorArgs {
    /// Time between two samples; without it each view has its own default.
    pub(crate) interval: Option<Duration>,
    /// End after so many lines.
    pub(crate) count: Option<u64>,
    /// How to show it; without it by what standard output is.
    pub(crate) view: Option<View>,
    /// Append everything to this file.
    pub(crate) record: Option<PathBuf>,
    /// Show this file instead of the machine.
    pub(crate) replay: Option<Replay>,
    /// Serve metrics here.
    pub(crate) prometheus: Option<SocketAddr>,
    /// Write metrics into this file.
    pub(crate) textfile: Option<PathBuf>,
    /// Power meters to poll, as `kind:host/output`.
    pub(crate) meters: Vec<String>,
}

/// How samples are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// Classic lines.
    Lines,
    /// The whole screen.
    Screen,
    /// One JSON object per line.
    Jsonl,
    /// Not at all.
    Nothing,
}

/// What to show again.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Replay {
    /// A recording, a Record, the stream of a run, or a log.
    pub(crate) file: PathBuf,
    /// So many times as fast as it was; none: as fast as it goes.
    pub(crate) speed: Option<f64>,
    /// Begin here.
    pub(crate) seek: Duration,
}

/// Options of `-m` and `monitor`.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Options of -m and monitor")]
pub(crate) struct MonitorFlags {
    /// End after so many lines
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Classic lines (the default, except on a large terminal)
    #[arg(long, conflicts_with_all = ["tui", "jsonl"])]
    lines: bool,
    /// The whole screen, with plots (the default on a terminal of at least 100x24)
    #[arg(long, conflicts_with = "jsonl")]
    tui: bool,
    /// One JSON object per line, for programs
    #[arg(long)]
    jsonl: bool,
    /// Append every sample to FILE; survives a loss of power
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<PathBuf>,
    /// Show a recording, Record or log again, in any view
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Replay so many times as fast; `max`: as fast as it goes
    #[arg(long, value_name = "FACTOR", requires = "replay")]
    speed: Option<String>,
    /// Begin the replay here: 90, 90s, 5m, 1h or 1:23:45
    #[arg(long, value_name = "TIME", requires = "replay")]
    seek: Option<String>,
    /// Serve metrics for Prometheus; loopback unless ADDR says otherwise
    #[arg(long, value_name = "[ADDR:]PORT")]
    prometheus: Option<String>,
    /// Write metrics for the textfile collector of node_exporter
    #[arg(long, value_name = "FILE.prom")]
    textfile: Option<PathBuf>,
}

impl MonitorFlags {
    /// The first option that means nothing without a monitor.
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        let given = [
            (self.count.is_some(), "--count"),
            (self.lines, "--lines"),
            (self.tui, "--tui"),
            (self.jsonl, "--jsonl"),
            (self.record.is_some(), "--record"),
            (self.replay.is_some(), "--replay"),
            (self.prometheus.is_some(), "--prometheus"),
            (self.textfile.is_some(), "--textfile"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }

    /// All of it, or one sentence about what is wrong.
    pub(crate) fn checked(self, interval: &str, quiet: bool) -> Result<MonitorArgs, String> {
        let view = match self {
            _ if quiet => Some(View::Nothing),
            Self { lines: true, .. } => Some(View::Lines),
            Self { tui: true, .. } => Some(View::Screen),
            Self { jsonl: true, .. } => Some(View::Jsonl),
            _ => None,
        };
        let replay = match self.replay {
            None => None,
            Some(file) => Some(Replay {
                file,
                speed: parse_speed(self.speed.as_deref().unwrap_or("1"))?,
                seek: parse_moment(self.seek.as_deref().unwrap_or("0"))?,
            }),
        };
        let prometheus = self.prometheus.as_deref().map(parse_address).transpose()?;
        Ok(MonitorArgs {
            interval: parse_interval(interval)?,
            count: self.count,
            view,
            record: self.record,
            replay,
            prometheus,
            textfile: self.textfile,
            meters: Vec::new(),
        })
    }
}

fn parse_interval(text: &str) -> Result<Option<Duration>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.strip_suffix('s').unwrap_or(text);
    let seconds: f64 =
        number.parse().map_err(|_| format!("-m takes a number of seconds, such as 5 or 0.5, not {text:?}."))?;
    if !(0.02..=3600.0).contains(&seconds) {
        return Err(format!("-m takes 0.02 to 3600 seconds, not {text}."));
    }
    Ok(Some(Duration::from_secs_f64(seconds)))
}

fn parse_speed(text: &str) -> Result<Option<f64>, String> {
    if text == "max" {
        return Ok(None);
    }
    let speed = text.strip_suffix('x').unwrap_or(text).parse::<f64>();
    match speed {
        Ok(speed) if (0.001..=100_000.0).contains(&speed) => Ok(Some(speed)),
        _ => Err(format!("--speed takes a factor such as 10 or 0.5, or max, not {text:?}.")),
    }
}

/// `90`, `90s`, `5m`, `1h`, `2:05`, `1:23:45`.
fn parse_moment(text: &str) -> Result<Duration, String> {
    let wrong = || format!("--seek takes a time such as 90, 5m, 1h or 1:23:45, not {text:?}.");
    let mut seconds = 0.0;
    for part in text.split(':') {
        let (number, factor) = match part.as_bytes().last() {
            Some(b's') => (&part[..part.len() - 1], 1.0),
            Some(b'm') => (&part[..part.len() - 1], 60.0),
            Some(b'h') => (&part[..part.len() - 1], 3600.0),
            _ => (part, 1.0),
        };
        let value: f64 = number.parse().map_err(|_| wrong())?;
        seconds = seconds * 60.0 + value * factor;
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}

/// `9478`, `:9478`, `0.0.0.0:9478`, `[::1]:9478`. Without an address: loopback.
fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix(':').unwrap_or(text);
    let loopback = port.parse().map(|port: u16| ([127, 0, 0, 1], port).into());
    let named = text.replace("localhost:", "127.0.0.1:");
    loopback
        .or_else(|_| named.parse())
        .map_err(|_| format!("--prometheus takes a port or address:port, such as 9478 or 0.0.0.0:9478, not {text:?}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stay_on_this_machine_unless_said_otherwise() {
        for (text, expected) in [
            ("9478", "127.0.0.1:9478"),
            (":9478", "127.0.0.1:9478"),
            ("localhost:1", "127.0.0.1:1"),
            ("0.0.0.0:9478", "0.0.0.0:9478"),
            ("[::1]:9478", "[::1]:9478"),
        ] {
            assert_eq!(parse_address(text), Ok(expected.parse().unwrap()), "{text}");
        }
        for text in ["", "here", "99999", "1.2.3.4"] {
            assert!(parse_address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn moments_and_speeds() {
        for (text, expected) in [
            ("0", 0.0),
            ("90", 90.0),
            ("1.5s", 1.5),
            ("5m", 300.0),
            ("1h", 3600.0),
            ("2:05", 125.0),
            ("1:00:01", 3601.0),
        ] {
            assert_eq!(parse_moment(text).map(|time| time.as_secs_f64()), Ok(expected), "{text}");
        }
        for text in ["", "-5", "soon", "1e400", "5mm"] {
            assert!(parse_moment(text).is_err(), "{text}");
        }
        assert_eq!(parse_speed("max"), Ok(None));
        assert_eq!(parse_speed("2x"), Ok(Some(2.0)));
        assert!(parse_speed("0").is_err() && parse_speed("nan").is_err());
    }
}
