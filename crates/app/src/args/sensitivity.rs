//! Arguments of `sensitivity`: at which clocks, which workloads. They end in a [`Sensitivity`].

use super::program::{ProgramFlags, ScoreFlags};
use bench::Form;
use bench::sensitivity::{At, DEFAULT_LOADS, Load, Sensitivity, load};
use bench::{Pinning, parse_duration, parse_pinning};
use std::time::Duration;

/// What loses how much when the clock falls?
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct SensitivityFlags {
    /// Clocks in kHz such as 600000,1500000, or extremes or all
    #[arg(long, value_name = "KHZ|extremes|all", default_value = "extremes")]
    at: String,
    /// Workloads: lzma, aes, memory-bandwidth (the default), memory-latency, openssl, sevenzip, simd, one
    /// form of another such as drive:read or video:h264-1080p, or those that you defined in TOML
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "command")]
    workload: Vec<String>,
    /// How often all of it runs; six are the least for an interval
    #[arg(long, value_name = "N", default_value = "6", value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    #[command(flatten)]
    score: ScoreFlags,
    /// all, fastest or a list such as 0-3, for a command [default: all]
    #[arg(long, value_name = "CPUS", value_parser = parse_pinning)]
    cpus: Option<Pinning>,
    /// End a run of the command that takes longer [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,
    /// The command to measure, with its arguments
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

impl SensitivityFlags {
    /// # Errors
    /// One sentence about what is wrong.
    pub(crate) fn task(&self) -> Result<Sensitivity, String> {
        Ok(Sensitivity { at: parse_at(&self.at)?, loads: self.loads()?, rounds: self.rounds })
    }

    fn loads(&self) -> Result<Vec<Load>, String> {
        let program = |flags: ProgramFlags| {
            let definition = flags.definition()?;
            Ok::<_, String>(Load::Program(Box::new(definition)))
        };
        let flags = ProgramFlags {
            score: self.score.clone(),
            cpus: self.cpus.clone(),
            timeout: self.timeout,
            command: self.command.clone(),
            ..ProgramFlags::default()
        };
        if !self.command.is_empty() {
            return Ok(vec![program(flags)?]);
        }
        if self.workload.is_empty() {
            return Ok(DEFAULT_LOADS.map(Load::Workload).to_vec());
        }
        let names = self.workload.iter().flat_map(|names| names.split(','));
        names
            .map(|name| {
                if let Some(load) = load(name) {
                    return Ok(vec![load]);
                }
                match Form::parse(name).map_err(|why| format!("{why}."))? {
                    Some(forms) => Ok(forms.into_iter().map(Load::Form).collect()),
                    None => Ok(vec![program(flags.of_workload(name))?]),
                }
            })
            .collect::<Result<Vec<_>, String>>()
            .map(|loads| loads.concat())
    }
}

/// `extremes`, `all`, or clocks in kHz.
fn parse_at(text: &str) -> Result<At, String> {
    match text {
        "extremes" => return Ok(At::Extremes),
        "all" => return Ok(At::All),
        _ => {}
    }
    let clocks: Option<Vec<u32>> = text.split(',').map(|khz| khz.trim().parse().ok()).collect();
    clocks
        .filter(|clocks| clocks.iter().all(|khz| *khz >= 1000))
        .map(At::Khz)
        .ok_or_else(|| format!("--at takes clocks in kHz such as 600000,1500000, or extremes or all, not {text:?}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_kilohertz_or_words() {
        for (text, expected) in [
            ("extremes", Some(At::Extremes)),
            ("all", Some(At::All)),
            ("600000, 1500000", Some(At::Khz(vec![600_000, 1_500_000]))),
            ("600", None),
            ("1.5GHz", None),
            ("", None),
        ] {
            assert_eq!(parse_at(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn names_are_workloads_and_commands_are_programs() {
        let flags = |names: &[&str], command: &[&str]| SensitivityFlags {
            workload: names.iter().map(|name| (*name).to_owned()).collect(),
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            ..SensitivityFlags::default()
        };
        assert_eq!(flags(&[], &[]).loads().unwrap().len(), 3);
        assert_eq!(flags(&["lzma,aes", "simd"], &[]).loads().unwrap().len(), 3);
        let error = flags(&["no-such-workload"], &[]).loads().unwrap_err();
        assert!(error.contains("no-such-workload"), "{error}");
        let [Load::Program(program)] = &flags(&[], &["make", "-j4"]).loads().unwrap()[..] else { panic!() };
        assert_eq!(program.name, "make");
    }
}
