//! Checks of everything else that scales its clock: memory controller, GPU, NPU.

use super::{first, place};
use crate::tables::Rule;
use facts::{Facts, Finding, Quantity, Severity};
use record::{RuleId, Scaler, ScalerKind};

pub(crate) const GOVERNOR: Rule = Rule::of_storage(RuleId::own("device-governor"), governor);
pub(crate) const LIMIT: Rule = Rule::of_storage(RuleId::own("device-limit"), limit);

fn devices<'a>(facts: &'a Facts<'_>) -> impl Iterator<Item = &'a Scaler> {
    let scalers = first(facts).map_or(&[][..], |survey| &survey.scalers);
    scalers.iter().filter(|scaler| scaler.kind != ScalerKind::Cpu)
}

/// Common name.
pub(super) fn kind_name(kind: ScalerKind) -> &'static str {
    match kind {
        ScalerKind::Cpu => "CPU",
        ScalerKind::Memory => "memory",
        ScalerKind::Gpu => "GPU",
        ScalerKind::Npu => "NPU",
        ScalerKind::Other => "device",
    }
}

fn mhz(hz: Option<u64>) -> Quantity {
    hz.map_or(Quantity::Text("an unknown clock".into()), |hz| {
        Quantity::Khz(u32::try_from(hz / 1000).unwrap_or(u32::MAX))
    })
}

fn governor(facts: &Facts<'_>) -> Vec<Finding> {
    devices(facts)
        .filter_map(|scaler| {
            let governor = scaler.governor.known()?;
            let (now, top) = (scaler.clock_hz.known(), scaler.clock_hz_max.known());
            if governor == "performance" || scaler.clocks_hz.len() == 1 {
                return None;
            }
            let memory = scaler.kind == ScalerKind::Memory;
            let at_top = now.zip(top).is_some_and(|(now, top)| now >= top);
            let (severity, sure, template) = match (governor.as_str(), memory) {
                ("powersave", _) => (
                    Severity::Degraded,
                    97,
                    "Governor powersave keeps {name} ({kind}) at its lowest clock, {now} of {top}.",
                ),
                ("userspace", _) if !at_top => {
                    (Severity::Degraded, 90, "Governor userspace keeps {name} ({kind}) at {now} of {top}.")
                }
                ("userspace", _) => return None,
                (_, true) => (
                    Severity::Degraded,
                    85,
                    "Governor {governor} ramps up the memory clock ({name}) late: now {now} of {top}. Memory latency \
                     and compute performance suffer; use performance.",
                ),
                _ => (Severity::Info, 85, "Governor {governor} scales {name} ({kind}), currently {now} of {top}."),
            };
            Some(
                Finding::new(GOVERNOR.id, severity, template)
                    .confidence(sure)
                    .with("governor", Quantity::Text(governor.clone()))
                    .with("name", Quantity::Text(scaler.name.clone()))
                    .with("kind", Quantity::Text(kind_name(scaler.kind).into()))
                    .with("now", mhz(now.copied()))
                    .with("top", mhz(top.copied()))
                    .at(place("scalers")),
            )
        })
        .collect()
}

fn limit(facts: &Facts<'_>) -> Vec<Finding> {
    devices(facts)
        .filter_map(|scaler| {
            let (limit, top) = (*scaler.limit_hz_max.known()?, *scaler.clock_hz_max.known()?);
            // Some drivers show no limit as 0.
            (limit > 0 && limit < top).then(|| {
                Finding::new(LIMIT.id, Severity::Degraded, "{name} ({kind}): clock limited to {limit} of {top}.")
                    .confidence(95)
                    .with("name", Quantity::Text(scaler.name.clone()))
                    .with("kind", Quantity::Text(kind_name(scaler.kind).into()))
                    .with("limit", mhz(Some(limit)))
                    .with("top", mhz(Some(top)))
                    .at(place("scalers"))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, memory};
    use record::{Fact, ScalerKind};

    #[test]
    fn governors_and_limits_of_devices() {
        check(|_, s| s.scalers[1] = memory("dmc_ondemand"), &["device-governor !"]);
        check(|_, s| s.scalers[1].limit_hz_max = Fact::Known(528_000_000), &["device-limit !"]);
        check(
            |_, s| {
                s.scalers[1] = memory("simple_ondemand");
                s.scalers[1].kind = ScalerKind::Gpu;
            },
            &["device-governor"],
        );
    }
}
