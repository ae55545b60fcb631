//! Shares that ledgers give to faults of virtual boards, against the true shares.
//!
//! Clusters, OPPs, heat and the reaction to it are drawn at random, as are other programs, a quota and too little memory.
//! The run is computed moment by moment, so that the truth is exact and independent of the clock of this machine.
//! `cargo xtask bench --boards` asks the same of whole programs on such boards.

mod board;
mod record;
mod run;

use super::{Judgement, Table};
use ::record::{AllCpus, ChannelId, Counters, Fact, Record, Samples, WorkloadId};
use board::{Drawn, Fault};
use facts::{Cause, Explanation, Ledger};
use run::Truth;

/// Largest difference of a right share, in points of the score.
const POINTS_MAX: f64 = 2.0;
/// Largest difference with two faults: both change the duration of each half of 7-zip, whose score is a mean of the two.
const PAIR_POINTS_MAX: f64 = 6.0;
/// Largest excess with two faults that both make threads wait.
const WAITING_POINTS_MAX: f64 = 8.0;
/// Smallest share that a ledger has to name, in percent.
const NAMED_PERCENT_MIN: f64 = 1.0;
/// Number of boards for each set of faults.
const BOARDS: u64 = 24;
const FAULTS: [Fault; 6] =
    [Fault::Heat, Fault::FirmwareCap, Fault::KilledCore, Fault::Quota, Fault::Background, Fault::Swapping];

/// The ledger of 7-zip on all CPUs.
fn ledger(explained: &Explanation) -> Option<&Ledger> {
    explained.ledgers.iter().find(|ledger| ledger.score.as_str() == "sevenzip-multi")
}

/// Found and true share of each cause on a board, in percent; the first row is the whole loss.
fn points(drawn: &Drawn, hide: impl Fn(&mut Record)) -> Vec<(String, f64, f64)> {
    let run = run::of(drawn);
    let mut record = record::of(drawn, &run);
    hide(&mut record);
    let truth = Truth::of(&run);
    let explained = explain::explain(&record);
    let parts: Vec<(Cause, f64)> = ledger(&explained.assessment)
        .into_iter()
        .flat_map(|ledger| ledger.parts.iter().map(|part| (part.cause, part.points.percent.as_percent())))
        .collect();
    let told = |cause: Cause| parts.iter().filter(|(of, _)| *of == cause).fold(0.0, |sum, (_, points)| sum + points);
    let lost = ledger(&explained.assessment).map_or(0.0, |ledger| ledger.lost().as_percent());
    let mut points = vec![("all".to_owned(), lost, truth.lost)];
    for (cause, expected) in truth.parts {
        let found = match cause {
            // A CPU that goes offline at a trip point is also a loss by heat.
            Cause::CpusTakenAway if drawn.kills_a_core() => told(cause) + told(Cause::Heat),
            Cause::Heat if drawn.kills_a_core() => continue,
            _ => told(cause),
        };
        points.push((format!("{cause:?}"), found, expected));
    }
    let others = parts.iter().filter(|(cause, _)| truth.parts.iter().all(|(known, _)| known != cause));
    points.extend(others.map(|(cause, found)| (format!("{cause:?}"), *found, 0.0)));
    points.retain(|(_, found, expected)| expected.max(*found) >= NAMED_PERCENT_MIN);
    points
}

/// Judges all boards with these faults: refused up to `far` points, wrong beyond. An excess counts as wrong, a deficit only
/// if `is_strict`.
fn judge(row: &str, table: &mut Table, faults: &[Fault], far: f64, is_strict: bool) {
    for seed in 1..=BOARDS {
        for (what, found, expected) in points(&Drawn::of(seed, faults), |_| {}) {
            let difference = if is_strict { (found - expected).abs() } else { found - expected };
            let judgement = if (found - expected).abs() <= POINTS_MAX {
                Judgement::Right
            } else if difference <= far {
                Judgement::Refused
            } else {
                let words = format!("{what} took {found:.1} % instead of {expected:.1}");
                Judgement::Wrong(format!("{faults:?} on board {seed}: {words}"))
            };
            table.add(&format!("virtual boards: shares, {row}"), judgement);
        }
    }
}

/// All pairs that one board can have: it either lowers its clock or switches a CPU off.
fn pairs() -> impl Iterator<Item = [Fault; 2]> {
    let pairs =
        FAULTS.iter().enumerate().flat_map(|(index, first)| FAULTS[index + 1..].iter().map(|next| [*first, *next]));
    pairs.filter(|pair| *pair != [Fault::Heat, Fault::KilledCore])
}

/// Whether both faults make threads wait: no counter of a kernel separates them.
fn is_ambiguous(pair: &[Fault; 2]) -> bool {
    pair.iter().all(|fault| matches!(fault, Fault::Quota | Fault::Background | Fault::Swapping))
}

/// Selects the channels to remove.
type IsHidden = fn(&ChannelId) -> bool;

const HIDDEN: [(&str, IsHidden); 6] = [
    ("cooling device", |id| matches!(id, ChannelId::Cooling(_))),
    ("clocks", |id| matches!(id, ChannelId::Policy(..))),
    ("temperature", |id| matches!(id, ChannelId::Zone(..))),
    ("number of CPUs", |id| matches!(id, ChannelId::AllCpus(AllCpus::Online))),
    ("CPU times", |id| matches!(id, ChannelId::AllCpus(AllCpus::Time(_)))),
    ("quota and swap", |id| matches!(id, ChannelId::ControlGroup(_) | ChannelId::Swap(_))),
];

/// Removes a source from a Record.
type Remove = fn(&mut Record);

/// Other sources that show a fault.
const WITHOUT: [(&str, Remove); 5] = [
    ("counters of the steps", |record| record.steps.iter_mut().for_each(|step| step.counters = Counters::default())),
    ("time waited", |record| {
        record.steps.iter_mut().for_each(|step| step.counters.run_delay_ns = Fact::not_reached());
    }),
    ("kernel messages", |record| record.kernel_messages = Fact::not_reached()),
    ("clock passes", |record| record.steps.retain(|step| step.workload != WorkloadId::Clock)),
    ("all samples", |record| record.samples = Samples::default()),
];

/// Judges boards with one fault and a missing source: the loss may stay unexplained, but no other cause may take it.
fn judge_without(table: &mut Table, fault: Fault, seed: u64) {
    let mut judge = |what: &str, hide: &dyn Fn(&mut Record)| {
        for (cause, found, expected) in points(&Drawn::of(seed, &[fault]), hide) {
            let words = || format!("{cause} took {found:.1} % instead of {expected:.1}");
            let is_wrong = found - expected > 2.0 * POINTS_MAX;
            let wrong = is_wrong.then(|| format!("{fault:?} on board {seed} without {what}: {}", words()));
            table.add_defect("virtual boards: shares, a source missing", wrong);
        }
    };
    for (what, is_hidden) in HIDDEN {
        judge(what, &|record| record.samples.channels.retain(|channel| !is_hidden(&channel.id)));
    }
    for (what, remove) in WITHOUT {
        judge(what, &remove);
    }
}

/// Adds the shares on virtual boards.
pub(super) fn check(table: &mut Table) {
    judge("one fault or none", table, &[], POINTS_MAX, true);
    FAULTS.iter().for_each(|fault| judge("one fault or none", table, &[*fault], POINTS_MAX, true));
    for pair in pairs() {
        if is_ambiguous(&pair) {
            judge("two that wait", table, &pair, WAITING_POINTS_MAX, false);
        } else {
            judge("two faults", table, &pair, PAIR_POINTS_MAX, true);
        }
    }
    for fault in FAULTS {
        (1..=6).for_each(|seed| judge_without(table, fault, seed));
    }
}
