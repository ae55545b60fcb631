//! Definition of a virtual board: clusters with OPPs, thermal model and throttling. A board is a TOML file; the
//! simulation is in `model`.

use serde::Deserialize;

/// Board as described by its file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Name, for readers of the file: `/proc/device-tree` cannot be overlaid.
    pub name: String,
    /// Clusters.
    pub policy: Vec<PolicySpec>,
    /// Thermal model.
    pub thermal: ThermalSpec,
    /// Throttling.
    #[serde(default)]
    pub throttle: ThrottleSpec,
    /// Power meter, if any.
    #[serde(default)]
    pub meter: Option<MeterSpec>,
    /// Power sensors of parts of the board, in one chip.
    #[serde(default)]
    pub rail: Vec<RailSpec>,
    /// Handling of settings by its kernel.
    #[serde(default)]
    pub kernel: KernelSpec,
    /// Power of a panel whose backlight can be switched off, in watts. The board then also has a transmitter, a clock with an
    /// alarm, and sleep states.
    #[serde(default)]
    pub panel_w: Option<f64>,
    /// Read bandwidth limit of the drive with the directory for temporary files, in bytes per second, past the cache.
    #[serde(default)]
    pub drive_bytes_per_s: Option<u64>,
}

/// Handling of settings by a kernel.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KernelSpec {
    /// Limits are rounded to an OPP, as since Linux 5.16.
    pub rounds_limits: bool,
    /// A minimum clock above the maximum is rejected, as before Linux 5.4.
    pub refuses_crossed_limits: bool,
    /// Values that are rejected even if they are listed.
    pub refuses: Vec<String>,
    /// A suspend never returns: the machine is switched off and on, which kills the program and its guard.
    pub never_wakes: bool,
}

/// Sensor of a part of the board.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RailSpec {
    /// Its label.
    pub label: String,
    /// Power when idle, in watts.
    pub idle_w: f64,
    /// Share of the power that load adds.
    pub load_share: f64,
}

/// Power meter.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeterSpec {
    /// Location.
    pub place: MeterLocation,
    /// Supply voltage in volts.
    pub volts: f64,
    /// Accuracy.
    #[serde(default)]
    pub says: MeterAccuracy,
    /// Time after which it disappears, in seconds.
    #[serde(default)]
    pub gone_after_s: Option<f64>,
    /// Time by which its readings lag behind, in seconds.
    #[serde(default)]
    pub delay_s: f64,
    /// Joules at which its energy counter starts again at 0; without it the meter has no counter.
    #[serde(default)]
    pub counter_wraps_j: Option<f64>,
}

/// Location of a meter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeterLocation {
    /// Chip at the input of the board, hwmon `power_meter`: its role does not depend on how busy the host is.
    Board,
    /// Network socket that answers on loopback like NETIO's; the command gets its address in the variable
    /// [`METER_VARIABLE`](super::METER_VARIABLE).
    Network,
}

/// Accuracy of a meter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeterAccuracy {
    /// True values.
    #[default]
    Truth,
    /// Constant values of the idle board.
    Constant,
    /// Zero current.
    Zero,
    /// Ten times the power; voltage and current are true.
    Tenfold,
}

/// CPUs that share a clock.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicySpec {
    /// CPUs of this machine.
    pub cpus: Vec<u32>,
    /// Clock in kHz and voltage in volts of every OPP, ascending.
    pub opps: Vec<(u32, f64)>,
    /// Dynamic power of one busy core at the highest OPP, in watts.
    pub core_w: f64,
    /// Initial governor.
    #[serde(default = "schedutil")]
    pub governor: String,
    /// Boost OPPs in kHz: boost is disabled, and they are above `cpuinfo_max_freq`.
    #[serde(default)]
    pub boost_khz: Vec<u32>,
    /// Tunable of governor `schedutil` as set by the user; the governor starts with another value.
    #[serde(default)]
    pub rate_limit_us: Option<u32>,
    /// Limit of the true clock regardless of the reported clock: a firmware that reports false clocks.
    #[serde(default)]
    pub real_khz_max: Option<u32>,
    /// OPPs that the firmware does not honour: requested and actual clock, in kHz.
    #[serde(default)]
    pub not_honoured: Vec<(u32, u32)>,
}

fn schedutil() -> String {
    "schedutil".into()
}

/// First-order thermal model: one resistance and one time constant to ambient air.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThermalSpec {
    /// Ambient temperature in °C.
    pub ambient_c: f64,
    /// Thermal resistance from the chip to the air, in kelvin per watt.
    pub k_per_w: f64,
    /// Time constant in seconds.
    pub tau_s: f64,
    /// Power when idle, in watts.
    pub idle_w: f64,
    /// Initial temperature in °C; defaults to that of an idle board.
    #[serde(default)]
    pub start_c: Option<f64>,
    /// True if the kernel has a thermal zone.
    #[serde(default = "yes")]
    pub has_sensor: bool,
    /// Further thermal zones, after that of the CPUs.
    #[serde(default)]
    pub zone: Vec<ZoneSpec>,
}

/// Further thermal zone.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneSpec {
    /// Its type.
    pub name: String,
    /// Difference to the CPU temperature, in kelvin.
    pub above_k: f64,
}

fn yes() -> bool {
    true
}

/// Throttling of a board.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ThrottleSpec {
    /// Mechanism.
    pub mode: Mode,
    /// From this temperature on the clock is lowered by one OPP every tenth of a second.
    pub passive_c: f64,
    /// Distance below [`Self::passive_c`] at which the clock rises again, in kelvin.
    pub hysteresis_c: f64,
    /// CPU that mode `hotplug` takes offline at [`Self::passive_c`].
    pub cpu: u32,
    /// From this temperature on the firmware of a Raspberry Pi reports under-voltage and caps the clock to the lowest
    /// OPP.
    pub under_voltage_c: Option<f64>,
}

impl Default for ThrottleSpec {
    fn default() -> Self {
        Self { mode: Mode::None, passive_c: 80.0, hysteresis_c: 2.0, cpu: 1, under_voltage_c: None }
    }
}

/// Throttling mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// No throttling.
    None,
    /// Cooling device of the kernel: cpufreq shows the lowered clock.
    Kernel,
    /// Firmware, invisible to the kernel: cpufreq shows the requested clock.
    Firmware,
    /// The kernel takes a CPU offline.
    Hotplug,
}

impl Board {
    /// Parses a board file.
    ///
    /// # Errors
    /// The problem with line and column.
    pub fn parse(text: &str) -> Result<Self, String> {
        let board: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        for policy in &board.policy {
            let ascending = policy.opps.windows(2).all(|pair| pair[0].0 < pair[1].0);
            if policy.opps.is_empty() || policy.cpus.is_empty() || !ascending {
                return Err(format!("{}: a policy needs CPUs and OPPs in ascending order", board.name));
            }
        }
        Ok(board)
    }
}

impl PolicySpec {
    /// Highest clock in kHz.
    pub fn khz_max(&self) -> u32 {
        self.opps.last().map_or(0, |(khz, _)| *khz)
    }

    /// Lowest clock in kHz.
    pub fn khz_min(&self) -> u32 {
        self.opps.first().map_or(0, |(khz, _)| *khz)
    }

    /// Voltage at a clock, linear between OPPs.
    pub fn volts(&self, khz: u32) -> f64 {
        let above = self.opps.iter().position(|(opp, _)| *opp >= khz);
        match above {
            None => self.opps.last().map_or(0.0, |(_, volts)| *volts),
            Some(0) => self.opps[0].1,
            Some(at) => {
                let ((low_khz, low), (high_khz, high)) = (self.opps[at - 1], self.opps[at]);
                let share = f64::from(khz - low_khz) / f64::from(high_khz - low_khz);
                low + share * (high - low)
            }
        }
    }

    /// Lowest OPP that is at least this clock.
    pub fn opp_at_least(&self, khz: u32) -> u32 {
        let found = self.opps.iter().find(|(opp, _)| *opp >= khz);
        found.map_or(self.khz_max(), |(opp, _)| *opp)
    }
}
