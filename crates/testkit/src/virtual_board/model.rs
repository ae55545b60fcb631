//! Simulation of a virtual board: load causes power, power causes heat, heat lowers clocks.
//!
//! ```text
//! power        P   = idle + sum over cores of core_w * use * f V(f)^2 / (f_max V(f_max)^2)
//! temperature  T  -> T_inf + (T - T_inf) exp(-dt / tau),   T_inf = ambient + k_per_w * P
//! ```
//!
//! Pure: inputs are time and use, outputs are clocks and temperature.

use super::board::{Board, MeterAccuracy, Mode, PolicySpec};
use std::collections::{BTreeMap, VecDeque};

/// Interval of throttling decisions, like the kernel's polling of a hot zone.
const POLL_S: f64 = 0.1;

/// Initial tunable of governor `schedutil`, in microseconds.
pub(super) const RATE_LIMIT_US: u32 = 1000;

/// Switch of the panel.
const PANEL: &str = "devices/virtual/backlight/panel/bl_power";
/// Kind of sleep of `mem`.
pub(super) const MEM_SLEEP: &str = "power/mem_sleep";
/// Alarm of the clock; `0` clears it.
pub(super) const ALARM: &str = "devices/virtual/rtc/rtc0/wakealarm";
/// Switch of a monitor, which takes commands and shows a state.
pub(super) const CONNECTOR: &str = "devices/virtual/drm/card0-HDMI-A-1/status";
/// Switches of a board with a panel, and their first values.
const SWITCHES: [(&str, &str); 7] = [
    (PANEL, "0"),
    (CONNECTOR, "connected"),
    ("devices/virtual/rfkill/rfkill0/soft", "0"),
    ("devices/virtual/net/lan9/flags", "0x1003"),
    ("devices/virtual/usb/9-1/authorized", "1"),
    (ALARM, ""),
    (MEM_SLEEP, "deep"),
];

/// Averaging time of a meter: 35 ms and more for chips, a second for sockets.
const METER_S: f64 = 0.1;

/// State of a board at a moment.
#[derive(Debug, Clone)]
pub struct Model {
    /// Definition.
    pub board: Board,
    /// Temperature of the chip in °C.
    pub temp_c: f64,
    /// Power in watts.
    pub power_w: f64,
    /// Number of OPPs by which the clock is lowered.
    pub level: usize,
    /// State of each policy.
    pub policies: Vec<PolicyState>,
    /// Offline CPU.
    pub off_cpu: Option<u32>,
    /// Switches of devices, by their path below `/sys`.
    pub switches: BTreeMap<&'static str, String>,
    /// Bits of a Raspberry Pi's firmware: current ones in the lower half, sticky ones 16 higher.
    pub firmware_bits: u32,
    /// Seconds since the start.
    pub at_s: f64,
    /// Seconds of work of each CPU.
    pub busy_s: BTreeMap<u32, f64>,
    /// Energy as seen by the meter, in joules.
    metered_j: f64,
    /// Times in seconds and power averaged by the meter in watts, for as long as its readings lag behind.
    averaged_w: VecDeque<(f64, f64)>,
    falling: bool,
    since_poll_s: f64,
}

/// Settings and statistics of a policy.
#[derive(Debug, Clone)]
pub struct PolicyState {
    /// Governor.
    pub governor: String,
    /// Minimum clock, in kHz.
    pub khz_min: u32,
    /// Clock limit by the user, in kHz.
    pub khz_max: u32,
    /// Clock set by governor `userspace`, in kHz.
    pub khz_set: u32,
    /// The tunable of governor `schedutil`, in microseconds.
    pub rate_limit_us: u32,
    /// Utilisation of the busiest CPU, 0 to 1.
    pub used: f64,
    /// Seconds at each OPP, as counted by the kernel.
    pub time_in_state_s: Vec<f64>,
}

impl Model {
    /// Board after a long idle time.
    pub fn new(board: Board) -> Self {
        let policies = board.policy.iter().map(|policy| PolicyState {
            governor: policy.governor.clone(),
            khz_min: policy.khz_min(),
            khz_max: policy.khz_max(),
            khz_set: policy.khz_min(),
            rate_limit_us: policy.rate_limit_us.unwrap_or(RATE_LIMIT_US),
            used: 0.0,
            time_in_state_s: vec![0.0; policy.opps.len()],
        });
        let thermal = &board.thermal;
        let idle_c = thermal.ambient_c + thermal.k_per_w * thermal.idle_w;
        let temp_c = thermal.start_c.unwrap_or(idle_c);
        Self {
            temp_c,
            power_w: thermal.idle_w,
            level: usize::from(temp_c >= board.throttle.passive_c),
            policies: policies.collect(),
            off_cpu: None,
            switches: board.panel_w.iter().flat_map(|_| SWITCHES).map(|(path, text)| (path, text.to_owned())).collect(),
            firmware_bits: 0,
            at_s: 0.0,
            busy_s: BTreeMap::new(),
            metered_j: 0.0,
            averaged_w: VecDeque::from([(0.0, thermal.idle_w)]),
            falling: false,
            since_poll_s: 0.0,
            board,
        }
    }

    /// Power without load, in watts.
    fn rest_w(&self) -> f64 {
        let is_lit = self.switches.get(PANEL).is_some_and(|text| text == "0");
        self.board.thermal.idle_w + self.board.panel_w.filter(|_| is_lit).unwrap_or(0.0)
    }

    /// Highest clock that user and cooling device permit, in kHz.
    pub fn khz_limit(&self, index: usize) -> u32 {
        let (policy, state) = (&self.board.policy[index], &self.policies[index]);
        if self.board.throttle.mode != Mode::Kernel {
            return state.khz_max;
        }
        let top = policy.opps.len() - 1;
        let cooled = policy.opps[top.saturating_sub(self.level)].0;
        state.khz_max.min(cooled)
    }

    /// Clock reported by cpufreq, in kHz.
    pub fn khz_shown(&self, index: usize) -> u32 {
        let (policy, state) = (&self.board.policy[index], &self.policies[index]);
        let limit = self.khz_limit(index);
        let wanted = match state.governor.as_str() {
            "performance" => limit,
            "powersave" => state.khz_min,
            "userspace" => state.khz_set,
            // Documentation/scheduler/schedutil: a quarter above the utilisation.
            "schedutil" => {
                let khz = 1.25 * state.used * f64::from(policy.khz_max());
                policy.opp_at_least(khz as u32)
            }
            _ if state.used > 0.8 => limit,
            _ => {
                let span = f64::from(limit.saturating_sub(state.khz_min));
                policy.opp_at_least(state.khz_min + (state.used * span) as u32)
            }
        };
        wanted.clamp(state.khz_min.min(limit), limit)
    }

    /// Actual clock of programs, in kHz.
    pub fn khz_real(&self, index: usize) -> u32 {
        let policy = &self.board.policy[index];
        let shown = self.khz_shown(index);
        let other = policy.not_honoured.iter().find(|(khz, _)| *khz == shown);
        let mut khz = other.map_or(shown, |(_, real)| *real);
        khz = khz.min(policy.real_khz_max.unwrap_or(khz));
        if self.board.throttle.mode == Mode::Firmware {
            let top = policy.opps.len() - 1;
            khz = khz.min(policy.opps[top.saturating_sub(self.level)].0);
        }
        if self.firmware_bits & 1 != 0 {
            khz = policy.khz_min();
        }
        khz
    }

    /// The same board without heat and under-voltage.
    pub fn cool(&self) -> Self {
        Self { level: 0, firmware_bits: 0, ..self.clone() }
    }

    /// Index of a CPU's policy.
    pub fn policy_of(&self, cpu: u32) -> Option<usize> {
        self.board.policy.iter().position(|policy| policy.cpus.contains(&cpu))
    }

    /// Watts, volts and amperes of the meter; `None` without a meter, or if it has disappeared.
    pub fn metered(&self) -> Option<(f64, f64, f64)> {
        let meter = self.board.meter.as_ref()?;
        let is_gone = meter.gone_after_s.is_some_and(|end_s| self.at_s >= end_s);
        let idle_w = self.board.thermal.idle_w;
        let (volts, true_w) = (meter.volts, self.lagging_w());
        let said = match meter.says {
            MeterAccuracy::Truth => (true_w, volts, true_w / volts),
            MeterAccuracy::Constant => (idle_w, volts, idle_w / volts),
            MeterAccuracy::Zero => (0.0, volts, 0.0),
            MeterAccuracy::Tenfold => (10.0 * true_w, volts, true_w / volts),
        };
        (!is_gone).then_some(said)
    }

    /// Averaged power of the time that the meter shows now.
    fn lagging_w(&self) -> f64 {
        self.averaged_w.front().map_or(0.0, |(_, watts)| *watts)
    }

    /// Energy counter of the meter in joules.
    pub fn counted_j(&self) -> Option<f64> {
        Some(self.metered_j % self.board.meter.as_ref()?.counter_wraps_j?)
    }

    /// Power of each part of the board with a sensor, in watts.
    pub fn rails_w(&self) -> Vec<f64> {
        let added_w = self.power_w - self.board.thermal.idle_w;
        self.board.rail.iter().map(|rail| rail.idle_w + rail.load_share * added_w).collect()
    }

    /// Advances the simulation by `dt_s` seconds with this utilisation of each CPU's true clock.
    pub fn step(&mut self, dt_s: f64, used: impl Fn(u32) -> f64) {
        let mut power_w = self.rest_w();
        for index in 0..self.policies.len() {
            let policy = &self.board.policy[index];
            let real_khz = self.khz_real(index);
            let shares: Vec<f64> = policy.cpus.iter().map(|cpu| used(*cpu).clamp(0.0, 1.0)).collect();
            let shown = self.khz_shown(index);
            // An OPP that is not honoured has the voltage of the requested clock.
            let is_other = policy.not_honoured.iter().any(|(khz, _)| *khz == shown);
            let volts_khz = if is_other { shown } else { real_khz };
            power_w += shares.iter().sum::<f64>() * core_w(policy, real_khz, volts_khz);
            let at = self.board.policy[index].opps.iter().position(|(khz, _)| *khz == shown);
            let state = &mut self.policies[index];
            if let Some(at) = at {
                state.time_in_state_s[at] += dt_s;
            }
            state.used = shares.iter().copied().fold(0.0, f64::max);
        }
        self.at_s += dt_s;
        let thermal = &self.board.thermal;
        let goal_c = thermal.ambient_c + thermal.k_per_w * power_w;
        let before_c = self.temp_c;
        self.temp_c = goal_c + (self.temp_c - goal_c) * (-dt_s / thermal.tau_s).exp();
        self.falling = self.temp_c < before_c;
        self.power_w = power_w;
        let last_w = self.averaged_w.back().map_or(power_w, |(_, watts)| *watts);
        let averaged_w = last_w + (power_w - last_w) * (1.0 - (-dt_s / METER_S).exp());
        self.averaged_w.push_back((self.at_s, averaged_w));
        let shown_s = self.at_s - self.board.meter.as_ref().map_or(0.0, |meter| meter.delay_s);
        while self.averaged_w.get(1).is_some_and(|(at_s, _)| *at_s <= shown_s) {
            self.averaged_w.pop_front();
        }
        self.metered_j += self.lagging_w() * dt_s;
        self.since_poll_s += dt_s;
        if self.since_poll_s >= POLL_S {
            self.since_poll_s = 0.0;
            self.throttle();
        }
    }

    /// Makes one throttling decision.
    fn throttle(&mut self) {
        let spec = &self.board.throttle;
        let levels = self.board.policy.iter().map(|policy| policy.opps.len() - 1).max();
        let is_hot = self.temp_c >= spec.passive_c;
        let is_cool = self.temp_c < spec.passive_c - spec.hysteresis_c;
        match spec.mode {
            Mode::None => {}
            Mode::Kernel | Mode::Firmware => {
                if is_hot && !self.falling {
                    self.level = (self.level + 1).min(levels.unwrap_or(0));
                } else if is_cool {
                    self.level = self.level.saturating_sub(1);
                }
            }
            Mode::Hotplug if is_hot => self.off_cpu = Some(spec.cpu),
            Mode::Hotplug if is_cool => self.off_cpu = None,
            Mode::Hotplug => {}
        }
        if let Some(limit_c) = spec.under_voltage_c {
            // Bits 0 to 2: under-voltage, frequency capped, throttled.
            let live = if self.temp_c >= limit_c { 0b111 } else { 0 };
            let sticky = self.firmware_bits & 0xffff_0000;
            self.firmware_bits = live | sticky | live << 16;
        }
    }
}

/// Power of one busy core at a clock and at the voltage of another clock, in watts.
pub fn core_w(policy: &PolicySpec, khz: u32, volts_khz: u32) -> f64 {
    let work = |khz: u32, volts: f64| f64::from(khz) * volts.powi(2);
    let top = policy.khz_max();
    policy.core_w * work(khz, policy.volts(volts_khz)) / work(top, policy.volts(top))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(throttle: &str) -> Model {
        let text = format!(
            "name = \"test\"\n[[policy]]\ncpus = [0, 1]\ngovernor = \"performance\"\ncore_w = 2.0\n\
             opps = [[600000, 0.8], [1200000, 0.9], [1800000, 1.0]]\n\
             [thermal]\nambient_c = 25\nk_per_w = 15\ntau_s = 10\nidle_w = 1\n{throttle}"
        );
        Model::new(Board::parse(&text).unwrap())
    }

    fn run(model: &mut Model, seconds: f64, used: f64) {
        for _ in 0..(seconds / 0.02).round() as usize {
            model.step(0.02, |_| used);
        }
    }

    #[test]
    fn heat_follows_the_formula() {
        let mut board = model("");
        assert_eq!(board.temp_c, 40.0);
        // Both cores busy: 1 + 2 * 2 W, finally 75 K above ambient.
        run(&mut board, 10.0, 1.0);
        let expected = 100.0 + (40.0 - 100.0) * (-1.0_f64).exp();
        assert!((board.temp_c - expected).abs() < 0.01, "{}", board.temp_c);
        run(&mut board, 200.0, 1.0);
        assert!((board.temp_c - 100.0).abs() < 0.01);
        assert!((board.power_w - 5.0).abs() < 1e-9);
        assert!((board.policies[0].time_in_state_s[2] - 210.0).abs() < 0.001);
    }

    #[test]
    fn kernel_shows_what_it_does_and_the_firmware_does_not() {
        for (mode, shown) in [("kernel", 1_200_000), ("firmware", 1_800_000)] {
            let mut board = model(&format!("[throttle]\nmode = \"{mode}\"\npassive_c = 70\n"));
            run(&mut board, 60.0, 1.0);
            assert!((65.0..73.0).contains(&board.temp_c), "{mode} {}", board.temp_c);
            assert!(board.khz_real(0) <= 1_200_000, "{mode}");
            assert!(board.khz_shown(0) <= shown && (mode == "kernel" || board.khz_shown(0) == shown));
            run(&mut board, 60.0, 0.0);
            assert_eq!((board.level, board.khz_real(0)), (0, 1_800_000), "{mode}");
        }
    }

    #[test]
    fn hot_board_may_lose_a_cpu_or_its_voltage() {
        let mut board = model("[throttle]\nmode = \"hotplug\"\npassive_c = 70\n");
        run(&mut board, 30.0, 1.0);
        assert_eq!(board.off_cpu, Some(1));
        let mut pi = model("[throttle]\nunder_voltage_c = 70\n");
        run(&mut pi, 30.0, 1.0);
        assert_eq!(pi.firmware_bits, 0x7_0007);
        assert_eq!((pi.khz_real(0), pi.khz_shown(0)), (600_000, 1_800_000));
        run(&mut pi, 60.0, 0.0);
        assert_eq!(pi.firmware_bits, 0x7_0000);
    }

    #[test]
    fn governors_choose_among_opps() {
        let mut board = model("");
        for (governor, used, expected) in [
            ("performance", 0.0, 1_800_000),
            ("powersave", 1.0, 600_000),
            ("schedutil", 0.1, 600_000),
            ("schedutil", 0.5, 1_200_000),
            ("schedutil", 1.0, 1_800_000),
            ("ondemand", 0.9, 1_800_000),
            ("ondemand", 0.4, 1_200_000),
        ] {
            board.policies[0].governor = governor.into();
            board.policies[0].used = used;
            assert_eq!(board.khz_shown(0), expected, "{governor} {used}");
        }
        board.policies[0].khz_max = 1_200_000;
        board.policies[0].governor = "performance".into();
        assert_eq!(board.khz_shown(0), 1_200_000);
    }

    #[test]
    fn fake_clock() {
        let mut board = model("");
        board.board.policy[0].real_khz_max = Some(1_500_000);
        assert_eq!((board.khz_shown(0), board.khz_real(0)), (1_800_000, 1_500_000));
    }

    #[test]
    fn opp_that_is_not_honoured_has_its_own_voltage() {
        let mut board = model("");
        board.board.policy[0].not_honoured = vec![(1_800_000, 1_200_000)];
        assert_eq!(board.khz_real(0), 1_200_000);
        run(&mut board, 1.0, 1.0);
        // Two cores of 2 W at 1.0 V and two thirds of their clock.
        assert!((board.power_w - (1.0 + 4.0 * 2.0 / 3.0)).abs() < 1e-9);
    }

    #[test]
    fn meter_lags_and_its_counter_wraps() {
        let mut board = model("[meter]\nplace = \"board\"\nvolts = 5.0\ndelay_s = 3.0\ncounter_wraps_j = 4.0\n");
        let watts = |board: &Model| board.metered().unwrap().0;
        run(&mut board, 2.9, 1.0);
        assert!((watts(&board) - 1.0).abs() < 1e-6 && (board.counted_j().unwrap() - 2.9).abs() < 1e-6);
        run(&mut board, 2.9, 0.0);
        assert!((watts(&board) - 5.0).abs() < 1e-3, "{}", watts(&board));
        // 3 s at 1 W, 2.8 s at 5 W but for the time that the meter averages over.
        let counted_j = board.counted_j().unwrap();
        assert!((counted_j - (17.0 - 0.4) % 4.0).abs() < 0.2, "{counted_j}");
    }

    #[test]
    fn rails_share_the_load() {
        let rails = "[[rail]]\nlabel = \"cpu\"\nidle_w = 0.3\nload_share = 0.8\n\
                     [[rail]]\nlabel = \"ddr\"\nidle_w = 0.1\nload_share = 0.1\n";
        let mut board = model(rails);
        run(&mut board, 1.0, 1.0);
        let watts = board.rails_w();
        assert!((watts[0] - 3.5).abs() < 1e-9 && (watts[1] - 0.5).abs() < 1e-9, "{watts:?}");
    }

    #[test]
    fn meter_errors() {
        for (keys, expected) in [
            ("", Some((1.0, 5.0, 0.2))),
            ("says = \"constant\"", Some((1.0, 5.0, 0.2))),
            ("says = \"zero\"", Some((0.0, 5.0, 0.0))),
            ("says = \"tenfold\"", Some((10.0, 5.0, 0.2))),
            ("gone_after_s = 0.5", Some((1.0, 5.0, 0.2))),
        ] {
            let text = format!("[meter]\nplace = \"board\"\nvolts = 5.0\n{keys}\n");
            let mut board = model(&text);
            assert_eq!(board.metered(), expected, "{keys}");
            run(&mut board, 1.0, 1.0);
            let is_gone = keys.starts_with("gone");
            let is_constant = keys.contains("constant") || keys.contains("zero");
            assert_eq!(board.metered().is_none(), is_gone, "{keys}");
            assert_eq!(board.metered() == expected, is_constant, "{keys}");
        }
        assert_eq!(model("").metered(), None);
    }
}
