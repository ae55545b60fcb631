//! Randomly generated boards, so that tests do not depend on the constants of a few boards.

use super::board::{Board, KernelSpec, Mode, PolicySpec, ThermalSpec, ThrottleSpec};
use super::model::core_w;

/// Fault that limits a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Overheats; the kernel lowers the clock.
    Heat,
    /// The firmware runs lower clocks than reported.
    FirmwareCap,
    /// Overheats; the kernel takes a CPU offline.
    KilledCore,
}

/// Clocks of OPPs in MHz; a board has a subset.
const OPPS_MHZ: [u32; 8] = [408, 600, 816, 1008, 1200, 1416, 1608, 1800];

impl Board {
    /// Board with two CPUs and these faults. The same seed generates the same board.
    pub fn drawn(seed: u64, faults: &[Fault]) -> Self {
        let mut chance = Chance::new(seed);
        let top = chance.whole(6, OPPS_MHZ.len() as u64) as usize;
        let opps = OPPS_MHZ[..top].iter().enumerate();
        let rise_v = chance.within(0.03, 0.07);
        let opps = opps.map(|(index, mhz)| (mhz * 1000, 0.8 + rise_v * index as f64));
        let mut policy = PolicySpec {
            cpus: vec![0, 1],
            opps: opps.collect(),
            core_w: chance.within(1.5, 4.0),
            governor: "performance".into(),
            boost_khz: Vec::new(),
            rate_limit_us: None,
            real_khz_max: None,
            not_honoured: Vec::new(),
        };
        let top_khz = policy.khz_max();
        let share = |khz: u32, share: f64| (f64::from(khz) * share) as u32;
        if faults.contains(&Fault::FirmwareCap) {
            policy.real_khz_max = Some(share(top_khz, chance.within(0.65, 0.92)));
        }
        let ambient_c = chance.within(18.0, 36.0);
        let idle_w = chance.within(0.8, 2.0);
        let passive_c = chance.within(72.0, 84.0);
        // Sustainable load: a clock below the advertised one, or one and a half busy CPUs.
        let reached_khz = policy.real_khz_max.unwrap_or(top_khz);
        let (mode, bears_w) = match () {
            () if faults.contains(&Fault::Heat) => {
                let khz = share(reached_khz, chance.within(0.6, 0.9));
                (Mode::Kernel, 2.0 * core_w(&policy, khz, khz))
            }
            () if faults.contains(&Fault::KilledCore) => {
                (Mode::Hotplug, 1.5 * core_w(&policy, reached_khz, reached_khz))
            }
            () => (Mode::None, 4.0 * core_w(&policy, top_khz, top_khz)),
        };
        Self {
            name: format!("Board {seed} with {faults:?}"),
            thermal: ThermalSpec {
                ambient_c,
                k_per_w: (passive_c - ambient_c) / (idle_w + bears_w),
                tau_s: chance.within(1.5, 4.0),
                idle_w,
                start_c: None,
                has_sensor: true,
                zone: Vec::new(),
            },
            throttle: ThrottleSpec {
                mode,
                passive_c,
                // An offline CPU stays offline: the remaining one keeps the board warm enough.
                hysteresis_c: if mode == Mode::Hotplug { 30.0 } else { chance.within(1.0, 3.0) },
                cpu: 1,
                under_voltage_c: None,
            },
            policy: vec![policy],
            meter: None,
            rail: Vec::new(),
            kernel: KernelSpec::default(),
            panel_w: None,
            drive_bytes_per_s: None,
        }
    }
}

/// Pseudorandom numbers: splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
pub struct Chance(u64);

impl Chance {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Number in `low..high`.
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Integer from `low` to `high`, both inclusive.
    pub fn whole(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_boards_have_their_faults_and_differ() {
        let heat = Board::drawn(1, &[Fault::Heat]);
        assert_eq!(heat, Board::drawn(1, &[Fault::Heat]));
        assert_ne!(heat.thermal, Board::drawn(2, &[Fault::Heat]).thermal);
        assert_eq!((heat.throttle.mode, heat.policy[0].real_khz_max), (Mode::Kernel, None));
        for seed in 0..50 {
            let board = Board::drawn(seed, &[Fault::Heat, Fault::FirmwareCap]);
            let policy = &board.policy[0];
            assert!(policy.real_khz_max.is_some_and(|khz| khz < policy.khz_max()), "{seed}");
            // The board reaches its limit at full load but not when idle.
            let thermal = &board.thermal;
            let busy_w = thermal.idle_w + 2.0 * core_w(policy, policy.khz_max(), policy.khz_max());
            let celsius = |watts: f64| thermal.ambient_c + thermal.k_per_w * watts;
            assert!(celsius(busy_w) > board.throttle.passive_c, "{seed}");
            assert!(celsius(thermal.idle_w) < board.throttle.passive_c - 5.0, "{seed}");
        }
    }
}
