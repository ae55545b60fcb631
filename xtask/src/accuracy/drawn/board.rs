//! A board with one or two clusters and its faults.

use record::Total;
use testkit::virtual_board::{Board, Chance, Fault as OfBoard, Mode};

/// A cause of a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Heat,
    FirmwareCap,
    KilledCore,
    /// Quota of the control group below the number of CPUs.
    Quota,
    /// Threads of other programs that always want to run.
    Background,
    /// Too little memory: the program waits for pages.
    Swapping,
}

/// A board with its load.
pub(crate) struct Drawn {
    pub(crate) board: Board,
    /// MIPS of one CPU of each policy at its highest OPP.
    pub(crate) mips: Vec<f64>,
    /// Duration of an undisturbed repetition in seconds.
    pub(crate) run_s: f64,
    /// Number of CPUs allowed by a quota.
    pub(crate) quota_cpus: Option<f64>,
    /// Number of threads of other programs.
    pub(crate) other_threads: u32,
    /// Shares of the time for which threads of 7-zip on all CPUs have something to do, while they compress and while
    /// they decompress: else they wait for each other.
    pub(crate) ready: [f64; 2],
    /// Shares of the time for which threads wait for pages, while they compress and while they decompress.
    pub(crate) waiting: [f64; 2],
}

/// CPU use of 7-zip while compressing, by number of threads: medians of published logs.
const COMPRESSING: [(u32, f64); 3] = [(2, 0.815), (4, 0.852), (8, 0.926)];

impl Drawn {
    /// Draws a board; the same seed gives the same board.
    pub(crate) fn of(seed: u64, faults: &[Fault]) -> Self {
        let has = |fault| faults.contains(&fault);
        let of_board = [
            (Fault::Heat, OfBoard::Heat),
            (Fault::FirmwareCap, OfBoard::FirmwareCap),
            (Fault::KilledCore, OfBoard::KilledCore),
        ];
        let of_board: Vec<OfBoard> = of_board.iter().filter(|(own, _)| has(*own)).map(|(_, of)| *of).collect();
        let mut chance = Chance::new(seed.wrapping_mul(7919));
        let mut board = Board::drawn(seed, &of_board);
        let clusters = chance.whole(1, 2) as u32;
        let of_cluster = chance.whole(1, 2) as u32 * 2;
        widen(&mut board, clusters, of_cluster);
        let cpus = f64::from(clusters * of_cluster);
        let wait = chance.within(0.1, 0.5);
        let compressing = COMPRESSING.iter().rev().find(|(count, _)| *count <= clusters * of_cluster);
        let compressing = compressing.map_or(0.8, |(_, share)| *share) + chance.within(-0.01, 0.01);
        Self {
            mips: (0..clusters).map(|cluster| chance.within(900.0, 1400.0) * f64::from(1 + cluster)).collect(),
            run_s: chance.within(25.0, 60.0),
            quota_cpus: has(Fault::Quota).then(|| chance.within(1.0_f64.max(cpus * 0.4), cpus * 0.9)),
            other_threads: if has(Fault::Background) { chance.whole(1, u64::from(of_cluster)) as u32 } else { 0 },
            ready: [compressing, 0.99],
            waiting: if has(Fault::Swapping) { [wait, wait * chance.within(0.2, 0.6)] } else { [0.0; 2] },
            board,
        }
    }

    /// Whether the board switches a CPU off at its trip point.
    pub(crate) fn kills_a_core(&self) -> bool {
        self.board.throttle.mode == Mode::Hotplug
    }

    pub(crate) fn cpus(&self) -> u32 {
        self.board.policy.iter().map(|policy| policy.cpus.len() as u32).total()
    }
}

/// Adds CPUs, with a cooler that keeps the limit unchanged.
fn widen(board: &mut Board, clusters: u32, of_cluster: u32) {
    let before = board.policy[0].cpus.len() as f64;
    let little = board.policy[0].clone();
    board.policy = (0..clusters)
        .map(|cluster| {
            let mut policy = little.clone();
            policy.cpus = (cluster * of_cluster..(cluster + 1) * of_cluster).collect();
            let khz = |khz: u32| khz / 100 * (100 + 25 * cluster);
            policy.opps = policy.opps.iter().map(|(opp, volts)| (khz(*opp), *volts)).collect();
            policy.real_khz_max = policy.real_khz_max.map(khz);
            policy
        })
        .collect();
    let thermal = &mut board.thermal;
    let bears_w = (board.throttle.passive_c - thermal.ambient_c) / thermal.k_per_w - thermal.idle_w;
    let bears_w = bears_w * f64::from(clusters * of_cluster) / before;
    thermal.k_per_w = (board.throttle.passive_c - thermal.ambient_c) / (thermal.idle_w + bears_w);
}
