//! `sbc-bench thermal`, `-t`, `-T`: how the machine behaves under heat.

use super::{CommandResult, Verb};
use crate::args::Environment;
use crate::args::groups::{ResumeFlags, TuneFlags};
use crate::args::program::{ProgramFlags, ScoreFlags};
use crate::args::run::TaskFlags;
use bench::thermal::{StartAt, Thermal, heat_load};
use bench::{AnyTask, RepeatedWorkload};
use std::path::PathBuf;
use std::time::Duration;
use workloads::job::duration::parse_duration;

/// Thermal test: time to throttling, sustained clock, K/W
///
/// Runs a stress load and reports the time to throttling, sustained clock and score, time constant and thermal
/// resistance.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ThermalFlags {
    /// Wait until the SoC has cooled to this temperature
    #[arg(long, value_name = "CELSIUS", conflicts_with = "heat_to")]
    cool_to: Option<f64>,
    /// Heat the SoC to this temperature first
    #[arg(long, value_name = "CELSIUS")]
    heat_to: Option<f64>,
    /// Stress workload: simd (built-in), or one such as sevenzip, cpuminer or video:hevc-1080p [default: simd]
    #[arg(long = "workload", alias = "load", value_name = "NAME", conflicts_with = "command")]
    load: Option<String>,
    /// Read workload definitions from FILE, in addition to /etc/sbc-bench/workloads.d and
    /// ~/.config/sbc-bench/workloads.d
    #[arg(long, value_name = "FILE", requires = "load")]
    workload_file: Option<PathBuf>,
    /// Duration of the stress load, 3s to 24h [default: 5min]
    #[arg(long, value_name = "TIME", value_parser = parse_duration, conflicts_with = "minutes")]
    duration: Option<Duration>,
    #[arg(long, hide = true)]
    minutes: Option<f64>,
    /// Stop the load at this temperature [default: 5 °C below the critical trip point]
    #[arg(long, value_name = "CELSIUS")]
    max_temp: Option<f64>,
    /// Maximum time to wait for the start temperature [default: 15min]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    wait_temp: Option<Duration>,
    /// Time to record without load: 1/6 before the load, the rest afterwards [default: 1min]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    cool_down: Option<Duration>,
    #[command(flatten)]
    score: ScoreFlags,
    /// Command to use as stress load; it is restarted until the time is up
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
    #[command(flatten)]
    run: TaskFlags,
}

impl Verb for ThermalFlags {
    fn checked(self, environment: &Environment) -> CommandResult {
        let task = self.task()?;
        let workloads: Vec<_> = task.load.workload_id().into_iter().collect();
        Ok(Box::new(self.run.run(
            AnyTask::of(task),
            &workloads,
            TuneFlags::default(),
            ResumeFlags::default(),
            environment,
        )?))
    }
}

/// Temperatures that a SoC can be asked to have, in °C.
const CELSIUS: std::ops::RangeInclusive<f64> = 1.0..=130.0;
/// Maximum duration of a stress load.
const DURATION: std::ops::RangeInclusive<Duration> = Duration::from_secs(3)..=Duration::from_secs(24 * 3600);
/// Defaults of `-t` and `-T` without a number, as in the bash program.
const CLASSIC_CELSIUS: &str = "50";

impl ThermalFlags {
    pub(crate) fn task(&self) -> Result<Thermal, String> {
        let own = Thermal::default();
        let temperature = |name: &str, celsius: Option<f64>| celsius.map(|value| millicelsius(name, value)).transpose();
        let cool_to = temperature("--cool-to", self.cool_to)?.map(StartAt::CoolTo);
        let heat_to = temperature("--heat-to", self.heat_to)?.map(StartAt::HeatTo);
        let minutes = self.minutes.map(|minutes| Duration::try_from_secs_f64(60.0 * minutes).unwrap_or_default());
        let time = self.duration.or(minutes).unwrap_or(own.time);
        if !DURATION.contains(&time) {
            return Err(format!("--duration must be 3s to 24h, not {}s.", time.as_secs_f64()));
        }
        if self.wait_temp.is_some() && cool_to.is_none() && heat_to.is_none() {
            return Err("--wait-temp needs --cool-to or --heat-to.".into());
        }
        Ok(Thermal {
            start: cool_to.or(heat_to),
            load: self.heat_load()?,
            time,
            max_millicelsius: temperature("--max-temp", self.max_temp)?,
            wait: self.wait_temp.unwrap_or(own.wait),
            cool_down: self.cool_down.unwrap_or(own.cool_down),
        })
    }

    fn heat_load(&self) -> Result<RepeatedWorkload, String> {
        let flags = ProgramFlags {
            score: self.score.clone(),
            command: self.command.clone(),
            workload_file: self.workload_file.clone(),
            ..ProgramFlags::default()
        };
        if !self.command.is_empty() {
            return Ok(RepeatedWorkload::Program(Box::new(flags.definition()?)));
        }
        let load = match &self.load {
            None => Thermal::default().load,
            Some(name) => match heat_load(name)? {
                Some(load) => load,
                None => RepeatedWorkload::Program(Box::new(flags.of_workload(name).definition()?)),
            },
        };
        flags.check_own(load.program().is_some())?;
        Ok(load)
    }
}

/// The task of `-t [°C]` and `-T [°C]`.
pub(crate) fn classic(flag: &str, text: &str, start: fn(i64) -> StartAt) -> Result<Thermal, String> {
    let text = if text.is_empty() { CLASSIC_CELSIUS } else { text };
    let celsius = text.parse().map_err(|_| format!("{flag} must be a temperature in °C such as 50, not {text:?}."))?;
    Ok(Thermal { start: Some(start(millicelsius(flag, celsius)?)), ..Thermal::default() })
}

fn millicelsius(name: &str, celsius: f64) -> Result<i64, String> {
    if CELSIUS.contains(&celsius) {
        Ok((1000.0 * celsius).round() as i64)
    } else {
        Err(format!("{name} must be 1 to 130 °C, not {celsius}."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classic_flags_default_to_50_degrees() {
        let start = |text: &str| classic("-t", text, StartAt::CoolTo).ok().and_then(|thermal| thermal.start);
        assert_eq!(start(""), Some(StartAt::CoolTo(50_000)));
        assert_eq!(start("42.5"), Some(StartAt::CoolTo(42_500)));
        assert_eq!((start("cold"), start("0"), start("NaN")), (None, None, None));
    }

    #[test]
    fn flag_bounds() {
        let task = |minutes: f64, max_temp: f64| {
            ThermalFlags { minutes: Some(minutes), max_temp: Some(max_temp), ..ThermalFlags::default() }.task()
        };
        let thermal = task(0.5, 85.0).unwrap();
        assert_eq!(thermal.time, Duration::from_secs(30));
        assert_eq!(thermal.max_millicelsius, Some(85_000));
        assert!(task(0.0, 85.0).unwrap_err().contains("--duration"));
        assert!(task(1.0, 500.0).unwrap_err().contains("--max-temp"));
    }
}
