//! A board with one or two clusters, and what takes a part of what it could do.

use record::Total;
use testkit::virtual_board::{Board, Chance, Fault as OfBoard, Mode};

/// What takes a part of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Heat,
    FirmwareCap,
    KilledCore,
    /// The control group may use fewer CPUs than there are.
    Quota,
    /// Threads of others, which ask for CPUs all the time.
    Background,
    /// Memory is too small: the program waits for pages.
    Swapping,
}

/// A board, and what runs on it.
pub(crate) struct Drawn {
    pub(crate) board: Board,
    /// MIPS of one CPU of each policy at its highest OPP.
    pub(crate) mips: Vec<f64>,
    /// Seconds that a repetition takes where nothing disturbs it.
    pub(crate) run_s: f64,
    /// CPUs that a quota allows; none without one.
    pub(crate) quota_cpus: Option<f64>,
    /// Threads of others.
    pub(crate) other_threads: u32,
    /// Shares of the time for which threads of 7-zip on all CPUs have something to do, while they compress and while
    /// they decompress: else they wait for each other.
    pub(crate) ready: [f64; 2],
    /// Shares of the time for which threads wait for pages, while they compress and while they decompress.
    pub(crate) waiting: [f64; 2],
}

/// How busy 7-zip keeps CPUs while it compresses, by the number of threads: medians of published logs.
const COMPRESSING: [(u32, f64); 3] = [(2, 0.815), (4, 0.852), (8, 0.926)];

impl Drawn {
    /// The same seed draws the same board.
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

    /// True if it switches a CPU off when it is hot.
    pub(crate) fn kills_a_core(&self) -> bool {
        self.board.throttle.mode == Mode::Hotplug
    }

    pub(crate) fn cpus(&self) -> u32 {
        self.board.policy.iter().map(|policy| policy.cpus.len() as u32).total()
    }
}

/// More CPUs on the same board. A larger cooler keeps its limit where it was.
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
