//! Arguments of `thermal`, and of the classic `-t` and `-T`. They end in a [`Thermal`].

use super::program::{ProgramFlags, ScoreFlags};
use bench::parse_duration;
use bench::thermal::{HeatLoad, StartAt, Thermal, heat_load};
use std::time::Duration;

/// What the machine makes of heat.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct ThermalFlags {
    /// Wait until the SoC has cooled to so many °C
    #[arg(long, value_name = "°C", conflicts_with = "heat_to")]
    cool_to: Option<f64>,
    /// Heat the SoC up to so many °C first
    #[arg(long, value_name = "°C")]
    heat_to: Option<f64>,
    /// What heats: simd (built in), or a workload such as sevenzip, cpuminer, video:hevc-1080p [default: simd]
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    load: Option<String>,
    /// For how many minutes [default: 5]
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
    /// End the load at so many °C [default: 5 below the critical trip point]
    #[arg(long, value_name = "°C")]
    max_temp: Option<f64>,
    /// Wait at most so long for the start temperature [default: 15min]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    wait_temp: Option<Duration>,
    /// Watch for so long without load: cooling afterwards, and a sixth of it before [default: 1min]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    cool_down: Option<Duration>,
    #[command(flatten)]
    score: ScoreFlags,
    /// A command that heats, run again and again
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Temperatures that a SoC can be asked to have, in °C.
const CELSIUS: std::ops::RangeInclusive<f64> = 1.0..=130.0;
/// What `-t` and `-T` take without a number, as they always have.
const CLASSIC_CELSIUS: &str = "50";

impl ThermalFlags {
    /// # Errors
    /// One sentence about what is wrong.
    pub(crate) fn task(&self) -> Result<Thermal, String> {
        let own = Thermal::default();
        let temperature = |name: &str, celsius: Option<f64>| celsius.map(|value| millicelsius(name, value)).transpose();
        let cool_to = temperature("--cool-to", self.cool_to)?.map(StartAt::CoolTo);
        let heat_to = temperature("--heat-to", self.heat_to)?.map(StartAt::HeatTo);
        let time = match self.minutes {
            None => own.time,
            Some(minutes) if (0.05..=1440.0).contains(&minutes) => Duration::from_secs_f64(60.0 * minutes),
            Some(minutes) => {
                return Err(format!("--minutes takes 0.05 to 1440 minutes, not {minutes}."));
            }
        };
        Ok(Thermal {
            start: cool_to.or(heat_to),
            load: self.heat_load()?,
            time,
            max_millicelsius: temperature("--max-temp", self.max_temp)?,
            wait: self.wait_temp.unwrap_or(own.wait),
            cool_down: self.cool_down.unwrap_or(own.cool_down),
        })
    }

    fn heat_load(&self) -> Result<HeatLoad, String> {
        if self.command.is_empty() {
            let usual = Thermal::default().load;
            return self.load.as_deref().map_or(Ok(usual), heat_load);
        }
        let flags =
            ProgramFlags { score: self.score.clone(), command: self.command.clone(), ..ProgramFlags::default() };
        Ok(HeatLoad::Program(Box::new(flags.definition()?)))
    }
}

/// The task of `-t [°C]` and `-T [°C]`.
///
/// # Errors
/// One sentence about what is wrong.
pub(super) fn classic(flag: &str, text: &str, start: fn(i64) -> StartAt) -> Result<Thermal, String> {
    let text = if text.is_empty() { CLASSIC_CELSIUS } else { text };
    let celsius = text.parse().map_err(|_| format!("{flag} takes a temperature in °C such as 50, not {text:?}."))?;
    Ok(Thermal { start: Some(start(millicelsius(flag, celsius)?)), ..Thermal::default() })
}

fn millicelsius(name: &str, celsius: f64) -> Result<i64, String> {
    match CELSIUS.contains(&celsius) {
        true => Ok((1000.0 * celsius).round() as i64),
        false => Err(format!("{name} takes 1 to 130 °C, not {celsius}.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classic_flags_are_tests_from_50_degrees() {
        let start = |text: &str| classic("-t", text, StartAt::CoolTo).ok().and_then(|thermal| thermal.start);
        assert_eq!(start(""), Some(StartAt::CoolTo(50_000)));
        assert_eq!(start("42.5"), Some(StartAt::CoolTo(42_500)));
        assert_eq!((start("cold"), start("0"), start("NaN")), (None, None, None));
    }

    #[test]
    fn flags_have_bounds() {
        let task = |minutes: f64, max_temp: f64| {
            ThermalFlags { minutes: Some(minutes), max_temp: Some(max_temp), ..ThermalFlags::default() }.task()
        };
        let thermal = task(0.5, 85.0).unwrap();
        assert_eq!(thermal.time, Duration::from_secs(30));
        assert_eq!(thermal.max_millicelsius, Some(85_000));
        assert!(task(0.0, 85.0).unwrap_err().contains("--minutes"));
        assert!(task(1.0, 500.0).unwrap_err().contains("--max-temp"));
    }
}
