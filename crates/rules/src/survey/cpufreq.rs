//! Checks of CPU clocks: governor, limits, boost, tunables, and capacities of the scheduler.

use super::{first, place};
use crate::tables::{Precondition, Rule};
use facts::{Facts, Finding, Quantity, Severity, view};
use record::{RuleId, Scaler, ScalerKind};

pub(crate) const GOVERNOR: Rule = Rule::at_rest(RuleId::own("cpu-governor"), governor);
pub(crate) const LIMIT: Rule = Rule::at_rest(RuleId::own("cpu-limit"), limit);
pub(crate) const BOOST: Rule = Rule { when: Precondition::Rest, ..Rule::new(RuleId::own("cpu-boost-off"), boost) };
pub(crate) const IO_IS_BUSY: Rule = Rule::at_rest(RuleId::own("io-is-busy"), io_is_busy);
pub(crate) const ONDEMAND: Rule = Rule::at_rest(RuleId::own("ondemand-tunables"), tunables);
pub(crate) const SCHEDUTIL_BLIND: Rule = Rule::at_rest(RuleId::own("schedutil-blind"), schedutil_blind);
pub(crate) const SCHEDUTIL_SLOW: Rule = Rule::at_rest(RuleId::own("schedutil-slow"), schedutil_slow);

/// Load from which ondemand uses the highest clock; kernels ship 80 to 95.
const UP_THRESHOLD_MAX: u64 = 95;
/// Longer between two looks at the load than 100 ms, and bursts are over before the clock rises.
const SAMPLING_US_MAX: u64 = 100_000;
/// Schedutil of most drivers waits 2 to 10 ms.
const RATE_LIMIT_US_MAX: u64 = 10_000;

fn cpu_scalers<'a>(facts: &'a Facts<'_>) -> impl Iterator<Item = &'a Scaler> {
    let scalers = first(facts).map_or(&[][..], |survey| &survey.scalers);
    scalers.iter().filter(|scaler| scaler.kind == ScalerKind::Cpu)
}

pub(super) fn tunable<'a>(scaler: &'a Scaler, name: &str) -> Option<&'a str> {
    let found = scaler.tunables.iter().find(|tunable| tunable.name == name)?;
    Some(&found.value)
}

fn governor_of(scaler: &Scaler) -> &str {
    scaler.governor.known().map_or("", String::as_str)
}

/// Groups policies with equal results: a server has a hundred.
fn grouped<'a, T: PartialEq>(
    scalers: impl Iterator<Item = &'a Scaler>,
    answer: impl Fn(&'a Scaler) -> Option<T>,
) -> Vec<(T, Vec<&'a str>)> {
    let mut groups: Vec<(T, Vec<&str>)> = Vec::new();
    for scaler in scalers {
        let Some(found) = answer(scaler) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == found) {
            Some((_, names)) => names.push(&scaler.name),
            None => groups.push((found, vec![&scaler.name])),
        }
    }
    groups
}

fn names(names: &[&str]) -> Quantity {
    let shown = names.len().min(8);
    let mut text = names[..shown].join(", ");
    if names.len() > shown {
        text.push_str(&format!(" and {} more", names.len() - shown));
    }
    Quantity::Text(text)
}

/// True if the lowest clock that is allowed is the highest as well.
fn is_pinned(scaler: &Scaler) -> bool {
    let limits = scaler.limit_hz_min.known().zip(scaler.limit_hz_max.known());
    limits.is_some_and(|(low, high)| low == high)
}

fn governor(facts: &Facts<'_>) -> Vec<Finding> {
    let groups = grouped(cpu_scalers(facts), |scaler| {
        let governor = governor_of(scaler);
        // These drivers choose clocks themselves; their "powersave" only leans to saving.
        let by_hardware =
            tunable(scaler, "scaling_driver").is_some_and(|driver| matches!(driver, "intel_pstate" | "amd-pstate-epp"));
        let preference = tunable(scaler, "energy_performance_preference").filter(|_| by_hardware);
        // With a single clock all governors are equal.
        let has_choice = scaler.clocks_hz.len() != 1 && !is_pinned(scaler);
        (has_choice && !governor.is_empty()).then_some((governor, by_hardware, preference))
    });
    groups
        .into_iter()
        .filter_map(|((governor, by_hardware, preference), policies)| {
            let (severity, sure, template) = match (governor, by_hardware, preference) {
                ("performance", ..) => return None,
                (_, true, Some("power" | "balance_power")) => (
                    Severity::Degraded,
                    90,
                    "{policies}: hardware-managed clocks with a power-saving preference ({preference}).",
                ),
                (_, true, _) => return None,
                ("powersave", ..) => {
                    (Severity::Degraded, 98, "Governor powersave keeps {policies} at the lowest clock.")
                }
                ("userspace", ..) => {
                    (Severity::Degraded, 90, "Governor userspace keeps {policies} at a manually set clock.")
                }
                ("conservative", ..) => (
                    Severity::Degraded,
                    80,
                    "conservative ({policies}) raises the clock step by step; short tasks finish before it is high.",
                ),
                _ => (Severity::Info, 90, "{governor} ({policies}) ramps up late; bursty workloads score lower."),
            };
            Some(
                Finding::new(GOVERNOR.id, severity, template)
                    .confidence(sure)
                    .with("governor", Quantity::Text(governor.into()))
                    .with("preference", Quantity::Text(preference.unwrap_or_default().into()))
                    .with("policies", names(&policies))
                    .at(place("scalers")),
            )
        })
        .collect()
}

fn limit(facts: &Facts<'_>) -> Vec<Finding> {
    let groups = grouped(cpu_scalers(facts), |scaler| {
        let (limit, top) = (*scaler.limit_hz_max.known()?, *scaler.clock_hz_max.known()?);
        (limit < top).then_some((limit, top))
    });
    let khz = |hz: u64| Quantity::Khz(u32::try_from(hz / 1000).unwrap_or(u32::MAX));
    groups
        .into_iter()
        .map(|((limit, top), policies)| {
            Finding::new(LIMIT.id, Severity::Degraded, "{policies}: clock limited to {limit} of {top}.")
                .confidence(97)
                .with("policies", names(&policies))
                .with("limit", khz(limit))
                .with("top", khz(top))
                .at(place("scalers"))
        })
        .collect()
}

fn boost(facts: &Facts<'_>) -> Vec<Finding> {
    if !facts.is_boost_off() || first(facts).is_none() {
        return Vec::new();
    }
    vec![
        Finding::new(
            BOOST.id,
            Severity::Degraded,
            "Boost clocks are disabled: single-threaded work is slower than possible.",
        )
        .confidence(97)
        .at(facts::Place::Field("machine.features".into())),
    ]
}

fn io_is_busy(facts: &Facts<'_>) -> Vec<Finding> {
    let groups = grouped(cpu_scalers(facts), |scaler| {
        let ondemand = matches!(governor_of(scaler), "ondemand" | "interactive");
        ondemand.then(|| tunable(scaler, "io_is_busy").map(|value| value != "0"))
    });
    groups
        .into_iter()
        .filter_map(|(set, policies)| {
            let (sure, template) = match set {
                Some(true) => return None,
                Some(false) => (
                    97,
                    "io_is_busy of {policies} is 0: I/O wait does not ramp up the clock, which slows down storage and \
                     network.",
                ),
                None => (
                    75,
                    "io_is_busy is not available for ondemand ({policies}), so I/O wait does not ramp up the clock.",
                ),
            };
            Some(
                Finding::new(IO_IS_BUSY.id, Severity::Degraded, template)
                    .confidence(sure)
                    .with("policies", names(&policies))
                    .at(place("scalers")),
            )
        })
        .collect()
}

fn tunables(facts: &Facts<'_>) -> Vec<Finding> {
    let groups = grouped(cpu_scalers(facts), |scaler| {
        if !matches!(governor_of(scaler), "ondemand" | "conservative") {
            return None;
        }
        let number = |name: &str| tunable(scaler, name)?.parse::<u64>().ok();
        let slow: Vec<String> = [
            ("up_threshold", UP_THRESHOLD_MAX),
            ("sampling_rate", SAMPLING_US_MAX),
            ("powersave_bias", 0),
            ("ignore_nice_load", 0),
        ]
        .iter()
        .filter_map(|(name, most)| {
            let value = number(name).filter(|value| value > most)?;
            Some(format!("{name}={value}"))
        })
        .collect();
        (!slow.is_empty()).then(|| slow.join(", "))
    });
    groups
        .into_iter()
        .map(|(slow, policies)| {
            Finding::new(
                ONDEMAND.id,
                Severity::Degraded,
                "Tunables of {policies} delay or prevent the clock ramp: {tunables}.",
            )
            .with("policies", names(&policies))
            .with("tunables", Quantity::Text(slow))
            .at(place("scalers"))
        })
        .collect()
}

fn schedutil_blind(facts: &Facts<'_>) -> Vec<Finding> {
    let machine = &facts.machine;
    let types = view::core_types(facts);
    if types.len() < 2 || first(facts).is_none() {
        return Vec::new();
    }
    let mut capacities: Vec<Option<u32>> = machine.cpus.iter().map(|cpu| cpu.capacity.known().copied()).collect();
    capacities.sort_unstable();
    capacities.dedup();
    // Hybrid x86 ranks its cores by firmware, without this file.
    let arm_or_riscv = machine
        .kernel_arch
        .known()
        .is_some_and(|arch| arch.starts_with("arm") || arch == "aarch64" || arch.starts_with("riscv"));
    if capacities.len() > 1 || !arm_or_riscv {
        return Vec::new();
    }
    let template = match capacities.first() {
        Some(Some(_)) => {
            "The kernel assigns equal capacity to all CPUs although there are {types} core types: single threads may \
             run on slow cores."
        }
        _ => {
            "The kernel has no CPU capacities although there are {types} core types: single threads may run on slow \
             cores."
        }
    };
    vec![
        Finding::new(SCHEDUTIL_BLIND.id, Severity::Degraded, template)
            .confidence(85)
            .with("types", Quantity::Count(types.len() as i64))
            .at(facts::Place::Field("machine.cpus".into())),
    ]
}

fn schedutil_slow(facts: &Facts<'_>) -> Vec<Finding> {
    let groups = grouped(cpu_scalers(facts), |scaler| {
        let limit: u64 = tunable(scaler, "rate_limit_us")?.parse().ok()?;
        (governor_of(scaler) == "schedutil" && limit > RATE_LIMIT_US_MAX).then_some(limit)
    });
    groups
        .into_iter()
        .map(|(limit, policies)| {
            Finding::new(
                SCHEDUTIL_SLOW.id,
                Severity::Degraded,
                "schedutil ({policies}) changes the clock at most every {limit} µs; short tasks finish before it is \
                 high.",
            )
            .with("policies", names(&policies))
            .with("limit", Quantity::Count(limit as i64))
            .at(place("scalers"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, cpu, named};
    use record::{Fact, Record};

    #[test]
    fn governors_and_limits_of_cpus() {
        check(|_, s| s.scalers[0] = cpu("powersave", &[]), &["cpu-governor !"]);
        check(|_, s| s.scalers[0] = cpu("schedutil", &[("rate_limit_us", "2000")]), &["cpu-governor"]);
        check(
            |_, s| s.scalers[0] = cpu("schedutil", &[("rate_limit_us", "50000")]),
            &["schedutil-slow !", "cpu-governor"],
        );
        check(|_, s| s.scalers[0] = cpu("powersave", &[("scaling_driver", "intel_pstate")]), &[]);
        check(
            |_, s| {
                s.scalers[0] =
                    cpu("powersave", &[("scaling_driver", "intel_pstate"), ("energy_performance_preference", "power")])
            },
            &["cpu-governor !"],
        );
        check(|_, s| s.scalers[0] = cpu("ondemand", &[("io_is_busy", "1")]), &["cpu-governor"]);
        check(|_, s| s.scalers[0] = cpu("ondemand", &[("io_is_busy", "0")]), &["io-is-busy !", "cpu-governor"]);
        check(|_, s| s.scalers[0] = cpu("ondemand", &[]), &["io-is-busy !", "cpu-governor"]);
        check(
            |_, s| {
                s.scalers[0] =
                    cpu("ondemand", &[("io_is_busy", "1"), ("up_threshold", "99"), ("powersave_bias", "100")])
            },
            &["ondemand-tunables !", "cpu-governor"],
        );
        check(|_, s| s.scalers[0].limit_hz_max = Fact::Known(1_200_000_000), &["cpu-limit !"]);
        check(|r, _| r.machine.features.push(named("boost", "0")), &["cpu-boost-off !"]);
    }

    #[test]
    fn cores_of_two_kinds_need_capacities() {
        let two_kinds = |record: &mut Record| {
            let mut big = record.machine.clusters[0].clone();
            big.core_type = Fact::Known("Cortex-A76".into());
            record.machine.clusters.push(big);
        };
        check(|r, _| two_kinds(r), &["schedutil-blind !"]);
        check(
            |r, _| {
                two_kinds(r);
                for (cpu, capacity) in r.machine.cpus.iter_mut().zip([400, 400, 1024, 1024]) {
                    cpu.capacity = Fact::Known(capacity);
                }
            },
            &[],
        );
    }
}
