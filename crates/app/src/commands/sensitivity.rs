//! `sbc-bench sensitivity`: clocks and workloads.

use super::{CommandResult, Verb};
use crate::args::Environment;
use crate::args::groups::{ResumeFlags, TuneFlags};
use crate::args::program::{ProgramFlags, ScoreFlags};
use crate::args::run::TaskFlags;
use bench::sensitivity::{ClockSelection, Sensitivity, default_loads, load};
use bench::{AnyTask, Form, RepeatedWorkload};
use std::path::PathBuf;
use std::time::Duration;
use workloads::job::duration::parse_duration;
use workloads::job::pinning::{CpuSelection, parse_cpu_selection};

/// Measure how workloads depend on the CPU clock
///
/// Reports the elasticity of each workload (by how much its score follows the clock) and what limits it.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct SensitivityFlags {
    /// Clocks to test: kHz values such as 600000,1500000, extremes (lowest and highest OPP) or all
    #[arg(long, value_name = "KHZ|extremes|all", default_value = "extremes")]
    at: String,
    /// Workloads: lzma, aes, memory-bandwidth, memory-latency, openssl, sevenzip, simd, WORKLOAD:VARIANT such as
    /// drive:read or video:h264-1080p, or your own TOML definitions [default: lzma aes memory-bandwidth]
    #[arg(long, value_name = "NAME", num_args = 1.., conflicts_with = "command")]
    workload: Vec<String>,
    /// Number of rounds over all clocks (a confidence interval needs 6)
    #[arg(long, value_name = "N", default_value = "6", value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    #[command(flatten)]
    score: ScoreFlags,
    /// Read workload definitions from FILE, in addition to /etc/sbc-bench/workloads.d and
    /// ~/.config/sbc-bench/workloads.d
    #[arg(long, value_name = "FILE", requires = "workload")]
    workload_file: Option<PathBuf>,
    /// CPUs for the command: all, fastest or a list such as 0-3 [default: all]
    #[arg(long, value_name = "CPUS", value_parser = parse_cpu_selection)]
    cpus: Option<CpuSelection>,
    /// Kill a run of the command that takes longer [default: 1h]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,
    /// Command to benchmark, with its arguments
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
    #[command(flatten)]
    resume: ResumeFlags,
    #[command(flatten)]
    run: TaskFlags,
}

impl Verb for SensitivityFlags {
    fn checked(self, environment: &Environment) -> CommandResult {
        let task = self.task()?;
        let workloads = task.workload_ids();
        Ok(Box::new(self.run.run(AnyTask::of(task), &workloads, TuneFlags::default(), self.resume, environment)?))
    }
}

impl SensitivityFlags {
    pub(crate) fn task(&self) -> Result<Sensitivity, String> {
        Ok(Sensitivity { at: parse_at(&self.at)?, loads: self.loads()?, rounds: self.rounds })
    }

    fn loads(&self) -> Result<Vec<RepeatedWorkload>, String> {
        let program =
            |flags: &ProgramFlags| flags.definition().map(|definition| RepeatedWorkload::Program(Box::new(definition)));
        let flags = ProgramFlags {
            score: self.score.clone(),
            cpus: self.cpus.clone(),
            timeout: self.timeout,
            workload_file: self.workload_file.clone(),
            command: self.command.clone(),
            ..ProgramFlags::default()
        };
        if !self.command.is_empty() {
            return Ok(vec![program(&flags)?]);
        }
        let names = self.workload.iter().flat_map(|names| names.split(','));
        let mut loads = names
            .map(|name| {
                if let Some(load) = load(name) {
                    return Ok(vec![load]);
                }
                match Form::parse(name).map_err(|why| format!("{why}."))? {
                    Some(forms) => Ok(forms.into_iter().map(RepeatedWorkload::Form).collect()),
                    None => Ok(vec![program(&flags.of_workload(name))?]),
                }
            })
            .collect::<Result<Vec<_>, String>>()?
            .concat();
        flags.check_own(loads.iter().any(|load| load.program().is_some()))?;
        if loads.is_empty() {
            loads = default_loads();
        }
        Ok(loads)
    }
}

/// Parses `extremes`, `all`, or clocks in kHz.
fn parse_at(text: &str) -> Result<ClockSelection, String> {
    match text {
        "extremes" => return Ok(ClockSelection::Extremes),
        "all" => return Ok(ClockSelection::All),
        _ => {}
    }
    let clocks: Option<Vec<u32>> = text.split(',').map(|khz| khz.trim().parse().ok()).collect();
    clocks
        .filter(|clocks| clocks.iter().all(|khz| *khz >= 1000))
        .map(ClockSelection::Khz)
        .ok_or_else(|| format!("--at must be clocks in kHz such as 600000,1500000, extremes or all, not {text:?}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_values() {
        for (text, expected) in [
            ("extremes", Some(ClockSelection::Extremes)),
            ("all", Some(ClockSelection::All)),
            ("600000, 1500000", Some(ClockSelection::Khz(vec![600_000, 1_500_000]))),
            ("600", None),
            ("1.5GHz", None),
            ("", None),
        ] {
            assert_eq!(parse_at(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn workload_names_and_commands() {
        let flags = |names: &[&str], command: &[&str]| SensitivityFlags {
            workload: names.iter().map(|name| (*name).to_owned()).collect(),
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            ..SensitivityFlags::default()
        };
        assert_eq!(flags(&[], &[]).loads().unwrap().len(), 3);
        assert_eq!(flags(&["lzma,aes", "simd"], &[]).loads().unwrap().len(), 3);
        let error = flags(&["no-such-workload"], &[]).loads().unwrap_err();
        assert!(error.contains("no-such-workload"), "{error}");
        let [RepeatedWorkload::Program(program)] = &flags(&[], &["make", "-j4"]).loads().unwrap()[..] else { panic!() };
        assert_eq!(program.name, "make");
    }
}
