//! What a virtual board is: clusters with their OPPs, a chip that heats up, and what happens when it is
//! hot. A board is a TOML file; nothing here moves.

use serde::Deserialize;

/// A board as its file describes it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Name, for people who read the file: `/proc/device-tree` cannot be laid over.
    pub name: String,
    /// Clusters.
    pub policy: Vec<PolicySpec>,
    /// How it heats.
    pub thermal: ThermalSpec,
    /// What happens when it is hot.
    #[serde(default)]
    pub throttle: ThrottleSpec,
    /// What measures its power, if anything does.
    #[serde(default)]
    pub meter: Option<MeterSpec>,
    /// How its kernel handles settings.
    #[serde(default)]
    pub kernel: KernelSpec,
    /// A limit of the drive that holds the temporary folder, in bytes per second read past the cache.
    #[serde(default)]
    pub drive_bytes_per_s: Option<u64>,
}

/// How a kernel handles settings.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct KernelSpec {
    /// Limits read as the OPP that they are resolved to, as since Linux 5.16.
    pub rounds_limits: bool,
    /// A lowest clock above the highest is refused, as until Linux 5.3.
    pub refuses_crossed_limits: bool,
    /// Values that are refused, even if they are listed.
    pub refuses: Vec<String>,
}

/// What measures the power.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeterSpec {
    /// Where it is.
    pub place: Place,
    /// Supply voltage.
    pub volts: f64,
    /// What it says.
    #[serde(default)]
    pub says: Says,
    /// It goes away after so many seconds.
    #[serde(default)]
    pub gone_after_s: Option<f64>,
}

/// Where a meter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// A chip on the board, hwmon `ina226`.
    Board,
    /// A socket that answers on loopback as those of NETIO do; the command finds its address in the
    /// variable [`METER_VARIABLE`](super::METER_VARIABLE).
    Network,
}

/// What a meter says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Says {
    /// What is true.
    #[default]
    Truth,
    /// Always what the idle board draws.
    Constant,
    /// Nothing flows.
    Zero,
    /// Ten times as much power as there is; voltage and current are true.
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
    /// Governor that is found.
    #[serde(default = "schedutil")]
    pub governor: String,
    /// OPPs that are listed as boost, in kHz: boost is off, and they lie above `cpuinfo_max_freq`.
    #[serde(default)]
    pub boost_khz: Vec<u32>,
    /// A tunable of governor `schedutil`, as the user had set it; the governor begins with another one.
    #[serde(default)]
    pub rate_limit_us: Option<u32>,
    /// The true clock never exceeds this, regardless of what is shown: a firmware that lies.
    #[serde(default)]
    pub real_khz_max: Option<u32>,
    /// OPPs that are not honoured: the clock that is asked for and the one that it gives, in kHz.
    #[serde(default)]
    pub not_honoured: Vec<(u32, u32)>,
}

fn schedutil() -> String {
    "schedutil".into()
}

/// A first-order thermal model: one resistance and one time constant to the air.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThermalSpec {
    /// Temperature of the air.
    pub ambient_c: f64,
    /// Thermal resistance from the chip to the air, in kelvin per watt.
    pub k_per_w: f64,
    /// Time constant in seconds.
    pub tau_s: f64,
    /// Power when idle, in watts.
    pub idle_w: f64,
    /// Temperature at the start, of a board that was at work before; else that of an idle one.
    #[serde(default)]
    pub start_c: Option<f64>,
    /// True if the kernel has a thermal zone.
    #[serde(default = "yes")]
    pub has_sensor: bool,
    /// More thermal zones, in their order behind that of the CPUs.
    #[serde(default)]
    pub zone: Vec<ZoneSpec>,
}

/// A thermal zone next to that of the CPUs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZoneSpec {
    /// Its type.
    pub name: String,
    /// By so much it is warmer than the CPUs, in kelvin.
    pub above_k: f64,
}

fn yes() -> bool {
    true
}

/// Who throttles, and when.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ThrottleSpec {
    /// Who.
    pub mode: Mode,
    /// From this temperature on the clock is lowered by one OPP each tenth of a second.
    pub passive_c: f64,
    /// So far below [`Self::passive_c`] it rises again.
    pub hysteresis_c: f64,
    /// The CPU that mode `hotplug` switches off at [`Self::passive_c`].
    pub cpu: u32,
    /// From this temperature on the firmware of a Raspberry Pi sees under-voltage and caps the clock to
    /// the lowest OPP.
    pub under_voltage_c: Option<f64>,
}

impl Default for ThrottleSpec {
    fn default() -> Self {
        Self { mode: Mode::None, passive_c: 80.0, hysteresis_c: 2.0, cpu: 1, under_voltage_c: None }
    }
}

/// Who lowers the clock of a hot board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Nobody.
    None,
    /// A cooling device of the kernel: cpufreq shows the lowered clock.
    Kernel,
    /// The firmware, behind the kernel's back: cpufreq shows what was asked for.
    Firmware,
    /// The kernel switches a CPU off.
    Hotplug,
}

impl Board {
    /// A board from the text of its file.
    ///
    /// # Errors
    /// What is wrong with the file, with line and column.
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
    /// The highest clock in kHz.
    pub fn khz_max(&self) -> u32 {
        self.opps.last().map_or(0, |(khz, _)| *khz)
    }

    /// The lowest clock in kHz.
    pub fn khz_min(&self) -> u32 {
        self.opps.first().map_or(0, |(khz, _)| *khz)
    }

    /// The voltage at a clock, linear between OPPs.
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

    /// The next OPP that is at least this clock.
    pub fn opp_at_least(&self, khz: u32) -> u32 {
        let found = self.opps.iter().find(|(opp, _)| *opp >= khz);
        found.map_or(self.khz_max(), |(opp, _)| *opp)
    }
}
