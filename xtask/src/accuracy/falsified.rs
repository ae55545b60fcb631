//! Falsified logs: the answer must be that of an expert, and never better for lack of evidence.
//!
//! Each row changes the Record of every log that it applies to, and judges the answer.

use super::{Judgement, Table, removed_sections};
use explain::explain;
use facts::{Cause, Explained, Verdict};
use record::{
    AllCpus, ChannelId, CpuPercent, Fact, Outcome, Record, RuleId, Step, StepMeasurement, Variant, Window, WorkloadId,
};

/// Falsifies a Record; `None` if it does not apply.
type Change = fn(&mut Record) -> Option<()>;
/// Judges the answers before and after.
type Judge = fn(&Explained<'_>, &Explained<'_>) -> Judgement;

fn is_multi(step: &Step) -> bool {
    step.workload.id() == Some(WorkloadId::SevenZip) && step.variant == Variant::MULTI
}

/// Windows of 7-zip on all CPUs, if there are three with enough rows.
fn runs(record: &Record) -> Option<Vec<Window>> {
    const ROWS_MIN: usize = 3;
    let rows = |window: &Window| record.samples.at_ms.iter().filter(|at| is_in(window, **at)).count();
    let windows = record.steps.iter().filter(|step| is_multi(step)).map(|step| step.window);
    let mut windows: Vec<Window> = windows.collect();
    // Logs lack the start of each run.
    if windows.len() == 3 && windows[0] == windows[2] {
        let part = windows[0].elapsed_ms() / 3;
        for (index, window) in (0..).zip(&mut windows) {
            window.start_ms += index * part;
            window.end_ms = window.start_ms + part;
        }
    }
    windows.retain(|window| rows(window) >= ROWS_MIN);
    (windows.len() == 3).then_some(windows)
}

fn is_in(window: &Window, at_ms: i64) -> bool {
    at_ms > window.start_ms && at_ms <= window.end_ms
}

/// Scales the runs of 7-zip on all CPUs, by CPU use or by the rate per CPU use.
fn scale(record: &mut Record, factors: [f64; 3], is_by_use: bool) {
    let mut runs = record.steps.iter_mut().filter(|step| is_multi(step));
    for factor in factors {
        let Some(Step { outcome: Outcome::Done(StepMeasurement::Compression(done)), .. }) = runs.next() else { return };
        let scaled = |value: u32| (f64::from(value) * factor).round() as u32;
        for value in [&mut done.compressing_mips, &mut done.decompressing_mips, &mut done.total_mips] {
            *value = scaled(*value);
        }
        let rows = done.compressing.iter_mut().chain(&mut done.decompressing);
        for row in rows {
            row.rating_mips = scaled(row.rating_mips);
            row.kib_per_s = (row.kib_per_s as f64 * factor).round() as u64;
            let other = if is_by_use { &mut row.usage_percent } else { &mut row.rating_per_usage_mips };
            *other = scaled(*other);
        }
        if is_by_use {
            done.usage_percent = scaled(done.usage_percent);
        }
    }
}

/// Changes values of channels within windows; `None` if there are none.
fn set(
    record: &mut Record,
    windows: &[Window],
    is_wanted: impl Fn(&ChannelId) -> bool,
    value: impl Fn(i64) -> i64,
) -> Option<()> {
    let times = &record.samples.at_ms;
    let mut is_set = false;
    for channel in record.samples.channels.iter_mut().filter(|channel| is_wanted(&channel.id)) {
        for (at, old) in times.iter().zip(&mut channel.values) {
            if let Some(old) = old.as_mut().filter(|_| windows.iter().any(|window| is_in(window, *at))) {
                *old = value(*old);
                is_set = true;
            }
        }
    }
    is_set.then_some(())
}

fn is_temperature(id: &ChannelId) -> bool {
    *id == ChannelId::Soc
}

/// Smallest loss that counts as blame, in percent.
const BLAMED_PERCENT: f64 = 2.0;

/// Whether a harmful diagnosis has one of these causes, without a loss that is known to be small.
fn blames(explained: &Explained<'_>, causes: &[Cause]) -> bool {
    let assessment = &explained.assessment;
    let parts = || assessment.ledgers.iter().filter(|ledger| is_of_multi(ledger)).flat_map(|ledger| &ledger.parts);
    let is_small = |cause| parts().any(|part| part.cause == cause && part.points.percent.as_percent() < BLAMED_PERCENT);
    let harmful = |diagnosis: &&facts::Diagnosis| {
        !diagnosis.is_minor() && diagnosis.severity > facts::Severity::Info && !is_small(diagnosis.cause)
    };
    assessment.diagnoses.iter().filter(harmful).any(|diagnosis| causes.contains(&diagnosis.cause))
}

fn is_of_multi(ledger: &facts::Ledger) -> bool {
    ledger.score.as_str() == "sevenzip-multi"
}

/// Largest difference of a right loss, in points.
const POINTS: f64 = 5.0;

/// Judges the loss of 7-zip on all CPUs and its causes. A cause of the unchanged log may be named.
fn judge_loss(
    before: &Explained<'_>,
    explained: &Explained<'_>,
    percent: f64,
    causes: &[Cause],
    never: &[Cause],
) -> Judgement {
    let name = || explained.facts.machine.board.known().cloned().unwrap_or_default();
    let assessment = &explained.assessment;
    let is_own = |cause: &Cause| before.assessment.diagnoses.iter().any(|diagnosis| diagnosis.cause == *cause);
    let never: Vec<Cause> = never.iter().copied().filter(|cause| !is_own(cause)).collect();
    if blames(explained, &never) {
        return Judgement::Wrong(format!(
            "{}: {}",
            name(),
            explain::diagnosis::narrative::verdict_sentence(assessment)
        ));
    }
    if assessment.verdict < Verdict::Degraded {
        return Judgement::Wrong(format!("{}: {}", name(), assessment.verdict));
    }
    let ledger = assessment.ledgers.iter().find(|ledger| is_of_multi(ledger));
    let lost = ledger.map(|ledger| ledger.lost().as_percent());
    let is_near = lost.is_some_and(|lost| (lost - percent).abs() <= POINTS);
    if is_near && blames(explained, causes) { Judgement::Right } else { Judgement::Refused }
}

/// Judges a result that must not change.
fn judge_same(before: &Explained<'_>, after: &Explained<'_>) -> Judgement {
    let name = || after.facts.machine.board.known().cloned().unwrap_or_default();
    let worse = after.assessment.verdict != before.assessment.verdict && after.assessment.verdict > Verdict::Unproven;
    if worse {
        let sentence = explain::diagnosis::narrative::verdict_sentence(&after.assessment);
        return Judgement::Wrong(format!("{}: {sentence}", name()));
    }
    Judgement::Right
}

fn judge_rule(after: &Explained<'_>, rule: &RuleId) -> Judgement {
    let is_found = after.assessment.findings.iter().any(|finding| finding.rule == *rule);
    if is_found {
        return Judgement::Right;
    }
    let name = after.facts.machine.board.known().cloned().unwrap_or_default();
    Judgement::Wrong(format!("{name}: {rule} not found"))
}

fn is_percent(id: &ChannelId, of: CpuPercent) -> bool {
    *id == ChannelId::AllCpus(AllCpus::Percent(of))
}

/// Lets the CPUs wait for storage in these runs, for this share of their time in percent.
fn wait(record: &mut Record, runs: &[Window], percent: i64) -> Option<()> {
    set(record, runs, |id| is_percent(id, CpuPercent::Iowait), |_| percent)?;
    set(record, runs, |id| is_percent(id, CpuPercent::Busy), |_| 100 - percent)
}

/// Adds used swap after the run.
fn swap(record: &mut Record, kib: u64) -> Option<()> {
    let [_, .., last] = record.states.as_mut_slice() else { return None };
    let Fact::Known(swaps) = &mut last.swaps else { return None };
    swaps.first_mut()?.used_kib += kib;
    Some(())
}

const OTHERS: [Cause; 4] = [Cause::Background, Cause::NotVisible, Cause::StolenTime, Cause::TooLittleMemory];

const ROWS: &[(&str, Change, Judge)] = &[
    (
        "half clock, same scores",
        |record| {
            let runs = runs(record)?;
            set(record, &runs, ChannelId::is_any_claim, |khz| khz / 2)
        },
        judge_same,
    ),
    (
        "half clock in half of the run, scores with it",
        |record| {
            let runs = runs(record)?;
            scale(record, [1.0, 0.5, 0.5], false);
            set(record, &runs[1..], ChannelId::is_any_claim, |khz| khz / 2)
        },
        |before, after| {
            let causes = [Cause::PowerLimit, Cause::NotVisible, Cause::Heat, Cause::FirmwareCap, Cause::SettingLimit];
            judge_loss(before, after, 33.3, &causes, &[Cause::Background, Cause::TooLittleMemory, Cause::StorageWait])
        },
    ),
    (
        "95 degrees, clock and scores with it",
        |record| {
            let runs = runs(record)?;
            scale(record, [1.0, 0.7, 0.7], false);
            set(record, &runs[1..], ChannelId::is_any_claim, |khz| khz * 7 / 10)?;
            set(record, &runs, is_temperature, |_| 95_000)
        },
        |before, after| judge_loss(before, after, 20.0, &[Cause::Heat], &OTHERS[..1]),
    ),
    (
        "95 degrees without a lower clock",
        |record| {
            let runs = runs(record)?;
            // With heat, a clock that was already lower is explained.
            let is_lower = facts::Facts::of(&*record).clock_falls().iter().any(|fall| fall.low_share > 0.0);
            set(record, &runs, is_temperature, |_| 95_000).filter(|()| !is_lower)
        },
        judge_same,
    ),
    (
        "one repetition 30 % lower by its rate",
        |record| {
            runs(record)?;
            scale(record, [1.0, 0.7, 1.0], false);
            Some(())
        },
        |before, after| {
            judge_loss(before, after, 10.0, &[Cause::NotVisible], &[Cause::Background, Cause::Heat, Cause::PowerLimit])
        },
    ),
    (
        "one repetition 30 % lower by CPU use",
        |record| {
            runs(record)?;
            scale(record, [1.0, 1.0, 0.7], true);
            Some(())
        },
        |before, after| judge_loss(before, after, 10.0, &OTHERS, &[Cause::Heat, Cause::PowerLimit]),
    ),
    (
        "all repetitions 30 % lower by CPU use",
        |record| {
            runs(record)?;
            scale(record, [0.7; 3], true);
            Some(())
        },
        |before, after| judge_loss(before, after, 30.0, &OTHERS, &[Cause::Heat, Cause::PowerLimit]),
    ),
    (
        "kernel overhead of 35 % and scores with it",
        |record| {
            let runs = runs(record)?;
            scale(record, [1.0, 0.65, 0.65], false);
            set(record, &runs[1..], |id| is_percent(id, CpuPercent::System), |_| 35)?;
            set(record, &runs[1..], |id| is_percent(id, CpuPercent::User), |_| 65)
        },
        |before, after| {
            let judged = judge_loss(before, after, 23.3, &[Cause::KernelOverhead], &[Cause::Heat, Cause::PowerLimit]);
            if judged == Judgement::Right { judged } else { judge_rule(after, &rules::SYSTEM_TIME) }
        },
    ),
    (
        "kernel overhead of 25 % in all repetitions",
        |record| {
            let is_riscv = record.machine.kernel_arch.known().is_some_and(|arch| arch.starts_with("riscv"));
            let runs = runs(record).filter(|_| !is_riscv)?;
            scale(record, [0.75; 3], false);
            set(record, &runs, |id| is_percent(id, CpuPercent::System), |_| 25)?;
            set(record, &runs, |id| is_percent(id, CpuPercent::User), |_| 75)
        },
        |before, after| judge_loss(before, after, 24.0, &[Cause::KernelOverhead], &[Cause::Heat, Cause::PowerLimit]),
    ),
    (
        "I/O wait of 20 % in two repetitions",
        |record| {
            let runs = runs(record)?;
            scale(record, [0.8, 0.8, 1.0], true);
            wait(record, &runs[..2], 20)
        },
        |before, after| judge_loss(before, after, 13.3, &[Cause::StorageWait], &[Cause::Heat, Cause::PowerLimit]),
    ),
    (
        "swap in one repetition",
        |record| {
            let runs = runs(record)?;
            scale(record, [1.0, 0.7, 1.0], true);
            wait(record, &runs[1..2], 30)?;
            swap(record, 217_344)
        },
        |before, after| judge_loss(before, after, 10.0, &[Cause::TooLittleMemory], &[Cause::Heat, Cause::PowerLimit]),
    ),
    (
        "a CPU offline after the first repetition",
        |record| {
            runs(record)?;
            let cpus = record.machine.cpus.len() as u32;
            let last = record.states.len().checked_sub(1).filter(|last| *last > 0 && cpus == 4)?;
            record.states[0].online_cpus = (0..cpus).collect();
            record.states[last].online_cpus = (0..cpus - 1).collect();
            scale(record, [1.0, 0.75, 0.75], true);
            Some(())
        },
        |before, after| judge_loss(before, after, 16.7, &[Cause::CpusTakenAway], &OTHERS[..1]),
    ),
    (
        "clock at a third in all rows, all scores with it",
        |record| {
            let top = *record.machine.policies.iter().flat_map(|policy| &policy.opps_khz).max()?;
            let whole = Window { start_ms: -1, end_ms: i64::MAX, ..Window::default() };
            set(record, &[whole], ChannelId::is_any_claim, |_| i64::from(top / 3))?;
            for step in &mut record.steps {
                match &mut step.outcome {
                    Outcome::Done(StepMeasurement::Clock(clocks)) => {
                        for point in &mut clocks.points {
                            point.readings_khz.iter_mut().for_each(|khz| *khz = (*khz).min(top / 3));
                            point.printed_mhz = point.printed_mhz.map(|mhz| mhz.min(top / 3000));
                        }
                    }
                    Outcome::Done(StepMeasurement::Compression(done)) => {
                        let parts = [&mut done.compressing_mips, &mut done.decompressing_mips, &mut done.total_mips];
                        parts.into_iter().for_each(|mips| *mips /= 3);
                    }
                    _ => {}
                }
            }
            (record.machine.policies.len() == 1).then_some(())
        },
        |_, after| match after.assessment.verdict {
            verdict if verdict >= Verdict::Degraded => Judgement::Right,
            verdict => Judgement::Wrong(verdict.to_string()),
        },
    ),
    ("swap of 1.2 GiB after the run", |record| swap(record, 1_258_291), |_, after| judge_rule(after, &rules::SWAPPING)),
    (
        "the name of another SoC",
        |record| {
            let has_a76 = |core: &record::Cluster| {
                let name = core.cpus.first().and_then(|cpu| facts::figures::core_name(record, *cpu));
                name.as_deref() == Some("Cortex-A76")
            };
            record.machine.clusters.iter().any(has_a76).then_some(())?;
            record.machine.soc = Fact::Known("Rockchip RK3568".to_owned());
            Some(())
        },
        |_, after| match after.facts.soc().known() {
            Some(name) if name.contains("RK3568") => Judgement::Wrong(format!("{name} with Cortex-A76")),
            _ => Judgement::Right,
        },
    ),
];

/// Adds findings of a log under every change.
pub(super) fn check(name: &str, text: &str, table: &mut Table) {
    let record = logs::read(text);
    let before = explain(&record);
    let own = before.assessment.verdict;
    removed_sections::check(name, &record, own, table);
    // Only valid logs show the effect of a change.
    if own != Verdict::Valid {
        return;
    }
    for (row, change, judge) in ROWS {
        let mut changed = record.clone();
        if change(&mut changed).is_some() {
            let judgement = match judge(&before, &explain(&changed)) {
                Judgement::Wrong(why) => Judgement::Wrong(format!("{name}: {why}")),
                judged => judged,
            };
            table.add(row, judgement);
        }
    }
}
