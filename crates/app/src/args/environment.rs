//! Environment variables that change a run, with the names of the bash program.

use bench::Options;
use core::net::IpAddr;

/// The environment, read once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Environment {
    /// `(name, value)` of every known variable.
    pub(crate) variables: Vec<(String, String)>,
}

const VARIABLES: &[&str] =
    &["MODE", "MaxKHz", "MinKHz", "NotReadyYet", "NOTUNING", "ExecuteCommand", "CPUINFOFILE", "Netio"];

impl Environment {
    /// Address from which the user is logged in by ssh, which sets `ADDRESS PORT ADDRESS PORT`.
    pub(crate) fn login() -> Option<IpAddr> {
        std::env::var("SSH_CONNECTION").ok()?.split_whitespace().next()?.parse().ok()
    }

    /// Environment of the process.
    pub(crate) fn read() -> Self {
        let set = |name: &&str| Some(((*name).to_owned(), std::env::var(name).ok()?));
        Self { variables: VARIABLES.iter().filter_map(set).collect() }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Options of a run from the environment, or one sentence about an error.
    pub(crate) fn options(&self) -> Result<Options, String> {
        let extensive = match self.get("MODE") {
            None | Some("unattended") => false,
            Some("extensive") => true,
            Some(other) => {
                return Err(format!("MODE must be extensive or unattended, not {other:?}."));
            }
        };
        let (clock_khz_min, clock_khz_max) = (self.khz("MinKHz")?, self.khz("MaxKHz")?);
        if let (Some(min), Some(max)) = (clock_khz_min, clock_khz_max)
            && min > max
        {
            return Err(format!("MinKHz={min} is above MaxKHz={max}; no OPP is left to measure."));
        }
        Ok(Options {
            extensive,
            clock_khz_min,
            clock_khz_max,
            scores: !self.yes("NotReadyYet")?,
            tune: !self.yes("NOTUNING")?,
            ..Options::default()
        })
    }

    /// Variables as `NAME=VALUE`, for the Record.
    pub(crate) fn given(&self) -> Vec<String> {
        let words = |(name, value): &(String, String)| format!("{name}={value}");
        self.variables.iter().map(words).collect()
    }

    fn khz(&self, name: &str) -> Result<Option<u32>, String> {
        let Some(text) = self.get(name) else { return Ok(None) };
        match text.parse() {
            Ok(khz) if khz > 0 => Ok(Some(khz)),
            _ => Err(format!("{name} must be a clock in kHz such as 1416000, not {text:?}.")),
        }
    }

    fn yes(&self, name: &str) -> Result<bool, String> {
        match self.get(name).map(str::to_lowercase).as_deref() {
            None | Some("no" | "0" | "false") => Ok(false),
            Some("yes" | "1" | "true") => Ok(true),
            Some(other) => Err(format!("{name} must be yes or no, not {other:?}.")),
        }
    }
}
