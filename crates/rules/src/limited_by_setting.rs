//! Rule: limited-by-setting. A setting held clocks below the highest one during a workload.
//!
//! Settings requested by the user (`MaxKHz`), settings of a question (efficiency, sensitivity, two sides) and limits by
//! cooling are not findings.

use super::place::samples_place;
use super::{ANY_COMPUTING, Rule};
use super::{rpi_firmware, slowdown};
use facts::stats::mean;
use facts::view::{self, ClusterClock, Phase};
use facts::{Facts, Finding, Place, Quantity, Severity};
use record::{ChannelId, Policy, RuleId, Variant, WorkloadId};

pub(super) const RULE: Rule = Rule { loads: ANY_COMPUTING, ..Rule::new(RuleId::own("limited-by-setting"), check) };

/// Smaller differences are rounding by the kernel.
pub(crate) const LOSS_PERCENT_MIN: f64 = 2.0;
/// Minimum share of the readings in a phase; the others are close to a change.
const SHARE_MIN: f64 = 0.5;
/// Governors that hold one clock regardless of the load. With drivers that choose clocks themselves, `powersave` is
/// only a name.
const HOLDING: [&str; 2] = ["powersave", "userspace"];
const CHOOSING_DRIVERS: [&str; 3] = ["intel_pstate", "amd-pstate-epp", "amd_pstate_epp"];

/// In a log: rows that must show it, how far below the highest clock, and how near to that the clock had been.
const LOG_ROWS_MIN: usize = 10;
const LOG_LOSS_PERCENT_MIN: f64 = 10.0;
const REACHED_SHARE: f64 = 0.95;

/// Restriction of one policy in one phase.
struct Restriction<'a> {
    policy: &'a Policy,
    khz: u32,
    top_khz: u32,
    by: Limiter,
}

#[derive(Debug, Clone, PartialEq)]
enum Limiter {
    /// A limit, and whether this run set it for an earlier step.
    Limit { is_ours: bool },
    /// A governor of this name.
    Governor(String),
}

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    let phases = &facts.phases_bound_by(RULE.loads);
    // Two sides use the settings that the user wants to compare.
    if !facts.run.sides.is_empty() {
        return Vec::new();
    }
    if view::is_log(facts) {
        return in_log(facts, phases);
    }
    let is_asked = |phase: &Phase| {
        let mut steps = phase.steps.iter().filter_map(|index| facts.steps.get(*index));
        steps.any(|step| step.set_clock.is_some())
    };
    let mut worst: Option<(bool, f64, &Phase, Vec<Restriction>)> = None;
    for phase in phases.iter().filter(|phase| phase.workload != WorkloadId::Clock && !is_asked(phase)) {
        let held: Vec<Restriction> =
            facts.machine.policies.iter().filter_map(|policy| restriction(facts, policy, phase)).collect();
        let loss = loss_percent(facts, &held);
        let rank = (slowdown::is_main(&phase.workload), loss);
        let is_worse = worst.as_ref().is_none_or(|(main, loss, ..)| rank > (*main, *loss));
        if loss >= LOSS_PERCENT_MIN && is_worse {
            worst = Some((rank.0, loss, phase, held));
        }
    }
    worst.map(|(.., phase, held)| findings(facts, phase, &held)).unwrap_or_default()
}

/// Logs contain no settings. Constant clocks at one OPP far below the highest, from the first row to the last, indicate
/// a setting: CPUs reached the highest clock just before, and heat and power make clocks vary.
fn in_log(facts: &Facts<'_>, phases: &[Phase]) -> Vec<Finding> {
    let is_hot = facts.heat_of_run().is_none_or(|heat| heat.millicelsius_max >= slowdown::hot_millicelsius(facts));
    if is_hot || slowdown::is_x86(facts) || rpi_firmware::is_raspberry_pi(facts) {
        return Vec::new();
    }
    let of = |pass: &Variant| facts.cluster_clocks(pass);
    let (cold, hot) = (of(&Variant::COLD), [of(&Variant::HOT_LOADED), of(&Variant::HOT_AFTER)].concat());
    let loaded = || phases.iter().filter(|phase| phase.workload != WorkloadId::Clock);
    let mut findings = Vec::new();
    for policy in &facts.machine.policies {
        let id = ChannelId::claimed(policy.policy);
        let (Some(channel), Some(top_khz)) = (facts.samples.channel(&id), policy.clock_khz_max.known().copied()) else {
            continue;
        };
        let clocks: Vec<i64> =
            loaded().flat_map(|phase| view::gauge(facts, channel, phase.window)).map(|reading| reading.value).collect();
        let (Some(low), Some(high)) = (clocks.iter().min(), clocks.iter().max()) else { continue };
        let lost = 100.0 * (1.0 - *high as f64 / f64::from(top_khz.max(1)));
        let is_one_opp = low == high && policy.opps_khz.iter().any(|khz| i64::from(*khz) == *high);
        let reaches = |clock: &ClusterClock| {
            policy.cpus.contains(&clock.cpu) && f64::from(clock.measured_khz) >= REACHED_SHARE * f64::from(top_khz)
        };
        // A limit also applies right after the load: otherwise the column would be wrong.
        let reached = cold.iter().any(reaches) && !hot.iter().any(reaches);
        let is_untrue = || facts.doubted_columns().iter().any(|column| column.channel == id);
        if clocks.len() < LOG_ROWS_MIN || lost < LOG_LOSS_PERCENT_MIN || !is_one_opp || !reached || is_untrue() {
            continue;
        }
        let (start, end) = (view::whole_run().start_ms, view::whole_run().end_ms);
        findings.push(
            Finding::new(
                RULE.id,
                Severity::Degraded,
                "{cpus} stayed at {clock} during all workloads after reaching {top} before: a clock limit or \
                 governor, not heat or power.",
            )
            .confidence(75)
            .of(loaded().flat_map(|phase| phase.steps.iter().copied()))
            .with("cpus", Quantity::Cpus(policy.cpus.clone()))
            .with("clock", Quantity::Khz(*high as u32))
            .with("top", Quantity::Khz(top_khz))
            .at(samples_place(facts, &id, start, end)),
        );
    }
    findings
}

/// True if this rule reports the governor of this policy.
pub(super) fn holds(facts: &Facts<'_>, policy: &Policy) -> bool {
    let phases = facts.phases();
    let mut phases = phases.iter().filter(|phase| phase.workload != WorkloadId::Clock);
    phases.any(|phase| held_by_governor(facts, policy, phase).is_some())
}

fn findings(facts: &Facts<'_>, phase: &Phase, held: &[Restriction]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut told: Vec<(u32, u32, &Limiter)> = Vec::new();
    for one in held {
        let way = (one.khz, one.top_khz, &one.by);
        if told.contains(&way) {
            continue;
        }
        told.push(way);
        let same = held.iter().filter(|other| (other.khz, other.top_khz, &other.by) == way);
        let mut cpus: Vec<u32> = same.flat_map(|other| other.policy.cpus.clone()).collect();
        cpus.sort_unstable();
        let template = match &one.by {
            Limiter::Limit { is_ours: true } => {
                "During {phase}, a limit set by an earlier step of this run held {cpus} at {clock} of {top}."
            }
            _ => {
                "During {phase}, [governor {governor}|the system's existing clock limit] held {cpus} at {clock} of \
                 {top}."
            }
        };
        let governor = match &one.by {
            Limiter::Governor(name) => Some(Quantity::Text(name.clone())),
            Limiter::Limit { .. } => None,
        };
        let finding = Finding::new(RULE.id, Severity::Degraded, template)
            .confidence(95)
            .with("phase", Quantity::Text(phase.name.clone()))
            .with("cpus", Quantity::Cpus(cpus))
            .with("clock", Quantity::Khz(one.khz))
            .with("top", Quantity::Khz(one.top_khz))
            .at(place(facts, one, phase));
        findings.push(finding.with_known("governor", governor));
    }
    findings
}

fn place(facts: &Facts<'_>, held: &Restriction, phase: &Phase) -> Place {
    let number = held.policy.policy;
    let id = match held.by {
        Limiter::Limit { .. } => ChannelId::limit_max(number),
        Limiter::Governor(_) => ChannelId::claimed(number),
    };
    match facts.samples.channel(&id) {
        Some(_) => samples_place(facts, &id, phase.window.start_ms, phase.window.end_ms),
        None => Place::Field(format!("machine.policies[{number}]")),
    }
}

/// Lost share of the clock of all CPUs: the loss of a score proportional to the clock.
fn loss_percent(facts: &Facts<'_>, held: &[Restriction]) -> f64 {
    let (mut lost, mut all) = (0.0, 0.0);
    for policy in &facts.machine.policies {
        let Some(top) = wanted_khz(facts, policy) else { continue };
        let cpus = policy.cpus.len().max(1) as f64;
        all += cpus * f64::from(top);
        let one = held.iter().find(|held| held.policy.policy == policy.policy);
        lost += one.map_or(0.0, |held| cpus * f64::from(top.saturating_sub(held.khz)));
    }
    if all > 0.0 { 100.0 * lost / all } else { 0.0 }
}

/// Highest clock of a policy requested by the user. The kernel rounds a limit between two OPPs down.
fn wanted_khz(facts: &Facts<'_>, policy: &Policy) -> Option<u32> {
    let top = policy.clock_khz_max.known().copied()?;
    let asked = asked_khz(facts).filter(|asked| *asked < top);
    Some(asked.map_or(top, |asked| view::limit_taken(facts, policy, asked).unwrap_or(asked)))
}

/// Value of `MaxKHz`.
pub(super) fn asked_khz(facts: &Facts<'_>) -> Option<u32> {
    let options = facts.run.options.iter();
    options.filter_map(|option| option.strip_prefix("MaxKHz=")?.parse().ok()).min()
}

/// True for a governor with a fixed clock, regardless of the load.
pub(super) fn holds_a_clock(policy: &Policy, governor: &str) -> bool {
    let chooses = |driver: &String| CHOOSING_DRIVERS.contains(&driver.as_str());
    HOLDING.contains(&governor) && !policy.driver.known().is_some_and(chooses)
}

fn restriction<'a>(facts: &Facts<'_>, policy: &'a Policy, phase: &Phase) -> Option<Restriction<'a>> {
    held_by_limit(facts, policy, phase).or_else(|| held_by_governor(facts, policy, phase))
}

/// Restricted by a constant limit: a limit that cooling lowered rises again.
fn held_by_limit<'a>(facts: &Facts<'_>, policy: &'a Policy, phase: &Phase) -> Option<Restriction<'a>> {
    let top_khz = wanted_khz(facts, policy)?;
    let channel = facts.samples.channel(&ChannelId::limit_max(policy.policy))?;
    let is_low = |khz: u32| 100.0 * f64::from(top_khz.saturating_sub(khz)) >= LOSS_PERCENT_MIN * f64::from(top_khz);
    let readings = view::gauge(facts, channel, phase.window);
    let by_setting: Vec<(u32, bool)> = readings
        .iter()
        .filter_map(|reading| {
            let (khz, is_ours) = view::limit_set_at(facts, policy, reading.at_ms)?;
            (reading.value == i64::from(khz) && is_low(khz)).then_some((khz, is_ours))
        })
        .collect();
    let (khz, is_ours) = *by_setting.last()?;
    let is_mostly = by_setting.len() as f64 >= SHARE_MIN * readings.len() as f64;
    // A low limit on a system that was hot at the start may come from cooling that never ended.
    let is_cooled = !is_ours && was_cooled(facts);
    (is_mostly && !is_cooled).then_some(Restriction { policy, khz, top_khz, by: Limiter::Limit { is_ours } })
}

/// True if a cooling device of a CPU was active at the start of the run.
fn was_cooled(facts: &Facts<'_>) -> bool {
    view::channels(facts, |id| matches!(id, ChannelId::Cooling(_)))
        .filter(|channel| channel.cools_cpus())
        .any(|channel| channel.values.iter().flatten().next().is_some_and(|state| *state > 0))
}

fn held_by_governor<'a>(facts: &Facts<'_>, policy: &'a Policy, phase: &Phase) -> Option<Restriction<'a>> {
    // The bash script sets the governor itself and does not log it.
    if view::is_log(facts) {
        return None;
    }
    let top_khz = wanted_khz(facts, policy)?;
    let name = view::governor_during_run(facts, policy).filter(|name| holds_a_clock(policy, name))?;
    let channel = facts.samples.channel(&ChannelId::claimed(policy.policy))?;
    let readings = view::gauge(facts, channel, phase.window);
    let clocks: Vec<f64> = readings.iter().map(|reading| reading.value as f64).collect();
    let khz = mean(&clocks)? as u32;
    let lost = 100.0 * f64::from(top_khz.saturating_sub(khz)) / f64::from(top_khz.max(1));
    (lost >= LOSS_PERCENT_MIN).then_some(Restriction { policy, khz, top_khz, by: Limiter::Governor(name) })
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::test_support::{
        compression, gauge_channel, log, own_run, point, with_clocks, with_limit_set, with_step,
    };
    use crate::tests::{findings_of, sentences};
    use record::{ChannelId, Fact, Record, SetClock, Unit, UnmetSetting, Variant, WorkloadId};

    const TOP: i64 = 2_208_000;
    const LOW: i64 = 408_000;

    /// A run of 7-zip from the first to the fourth second, with a constant limit.
    fn run(limit: i64, found: i64) -> Record {
        let mut record = own_run();
        record.machine.policies.truncate(1);
        let policy = &mut record.machine.policies[0];
        policy.clock_khz_max = Fact::Known(TOP as u32);
        policy.limit_khz_max = Fact::Known(found as u32);
        policy.governor = Fact::Known("performance".into());
        policy.driver = Fact::Known("cpufreq-dt".into());
        policy.cpus = vec![0, 1, 2, 3];
        let record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (1.0, 4.0), compression(1000));
        gauge_channel(record, ChannelId::limit_max(0), Unit::Kilohertz, &[limit; 10])
    }

    #[test]
    fn limit_that_is_left_behind_is_named() {
        let record = with_limit_set(run(LOW, TOP), 0, -5000, LOW as u32);
        let found = findings_of(RULE.id, &record);
        assert_eq!(
            found[0].sentence(),
            "During 7-zip on all CPUs, a limit set by an earlier step of this run held CPUs 0-3 at 408 MHz of 2208 MHz."
        );
        assert_eq!(
            sentences(RULE.id, &run(LOW, LOW)),
            ["During 7-zip on all CPUs, the system's existing clock limit held CPUs 0-3 at 408 MHz of 2208 MHz."]
        );
    }

    /// The kernel rounds 1300 MHz down to 1104: this is the limit that the user requested.
    #[test]
    fn requested_limit_between_two_opps_is_no_finding() {
        let mut record = with_limit_set(run(1_104_000, TOP), 0, -5000, 1_300_000);
        record.run.options = vec!["MaxKHz=1300000".into()];
        record.settings[0].read_back = Fact::Known("1104000".into());
        assert_eq!(sentences(RULE.id, &record), [""; 0]);
        // A value that the kernel rejected is another limit.
        record.unmet_settings = vec![UnmetSetting {
            path: record.settings[0].path.clone(),
            wanted: "1300000".into(),
            found: Fact::Known("1104000".into()),
            why: "after writing, it reads 1104000".into(),
            at_ms: Some(-5000),
            before_step: None,
            programs: Vec::new(),
        }];
        assert_eq!(sentences(RULE.id, &record).len(), 1);
    }

    #[test]
    fn requested_and_cooling_limits_are_ignored() {
        assert_eq!(sentences(RULE.id, &run(TOP, TOP)), [""; 0]);
        // Lowered by the kernel: no program set it.
        assert_eq!(sentences(RULE.id, &run(LOW, TOP)), [""; 0]);
        let mut asked = run(LOW, LOW);
        asked.run.options = vec!["MaxKHz=408000".into()];
        assert_eq!(sentences(RULE.id, &asked), [""; 0]);
        let mut walked = run(LOW, LOW);
        walked.steps[0].set_clock = Some(SetClock::Khz(LOW as u32));
        assert_eq!(sentences(RULE.id, &walked), [""; 0]);
        let cooled = gauge_channel(run(LOW, LOW), ChannelId::Cooling(0), Unit::Count, &[2; 10]);
        let cooled = crate::test_support::labelled(cooled, "cpufreq-cpu0");
        assert_eq!(sentences(RULE.id, &cooled), [""; 0]);
    }

    #[test]
    fn constant_clock_in_log_is_limited() {
        let check = |clocks: &[i64], celsius: i64, expected: usize| {
            let mut record = run(TOP, TOP);
            record.source = log("0.9.72").source;
            record.machine.kernel_arch = Fact::Known("aarch64".into());
            let policy = &mut record.machine.policies[0];
            policy.opps_khz = vec![LOW as u32, 1_200_000, TOP as u32];
            let record = with_clocks(record, Variant::COLD, vec![point(0, TOP as u32, TOP as u32)]);
            let record = with_step(record, WorkloadId::SevenZip, Variant::MULTI, &[], (5.0, 9.0), compression(1000));
            let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, clocks);
            let mut heat = vec![celsius * 1000; clocks.len()];
            heat[0] -= 1000;
            let record = gauge_channel(record, ChannelId::Soc, Unit::Millicelsius, &heat);
            assert_eq!(findings_of(RULE.id, &record).len(), expected, "{clocks:?} {celsius}");
        };
        check(&[LOW; 24], 45, 1);
        check(&[LOW; 24], 85, 0);
        check(&[TOP; 24], 45, 0);
        check(&[1_300_000; 24], 45, 0);
        let mut moving = [LOW; 24];
        moving[14] = TOP;
        check(&moving, 45, 0);
    }

    #[test]
    fn governor_that_holds_a_clock_is_named() {
        for (governor, driver, expected) in [
            ("powersave", "cpufreq-dt", 1),
            ("userspace", "cpufreq-dt", 1),
            ("powersave", "intel_pstate", 0),
            ("performance", "cpufreq-dt", 0),
        ] {
            let mut record = run(TOP, TOP);
            record.machine.policies[0].governor = Fact::Known(governor.into());
            record.machine.policies[0].driver = Fact::Known(driver.into());
            let record = gauge_channel(record, ChannelId::claimed(0), Unit::Kilohertz, &[LOW; 10]);
            assert_eq!(sentences(RULE.id, &record).len(), expected, "{governor} {driver}");
        }
    }
}
