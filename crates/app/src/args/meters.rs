//! Power meters to poll: `--meter`, and the variable `Netio` of the bash program.

use super::Environment;

/// Power meters, and ignored sensors.
#[derive(Debug, Clone, Default, PartialEq, clap::Args)]
pub(crate) struct MeterFlags {
    /// Read a power meter: `auto` for those on USB, or a kind of `sbc-bench list meters` as spelled there, such as
    /// shelly:HOST/2 for the second output of a host, or json:http://HOST/PATH#$.power:W
    #[arg(long = "meter", value_name = "METER")]
    meters: Vec<String>,
    /// Do not read the sensor of this name, such as the thermal zone cpu-thermal or a channel of `list channels`. For
    /// every run: a line ignore_sensors = ["NAME"] in a file of definitions
    #[arg(long = "ignore-sensor", value_name = "NAME")]
    pub(crate) ignored_sensors: Vec<String>,
}

impl MeterFlags {
    pub(crate) fn is_given(&self) -> bool {
        !self.meters.is_empty()
    }

    /// Meters as `kind:host/output`, that of the environment last.
    pub(crate) fn all(self, environment: &Environment) -> Result<Vec<String>, String> {
        let mut meters = self.meters;
        meters.extend(environment.get("Netio").map(|netio| format!("netio:{netio}")));
        for meter in &meters {
            net::meters::Address::parse(meter)?;
        }
        Ok(meters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meters_of_flags_and_environment() {
        let environment = |netio: &str| Environment { variables: vec![("Netio".into(), netio.into())] };
        let flags = |meter: &str| MeterFlags { meters: vec![meter.into()], ignored_sensors: Vec::new() };
        let all = flags("shelly:plug/all").all(&environment("10.0.0.2/4"));
        assert_eq!(all.unwrap(), ["shelly:plug/all", "netio:10.0.0.2/4"]);
        for (meter, netio) in [("plug", "10.0.0.2"), ("shelly:plug", "10.0.0.2/x")] {
            assert!(flags(meter).all(&environment(netio)).is_err());
        }
    }
}
