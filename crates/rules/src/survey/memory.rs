//! Checks of memory: clock and channels of modules, huge pages, priorities of swap.

use super::{first, place};
use crate::tables::Rule;
use facts::{Facts, Finding, Quantity, Severity};
use record::{RuleId, SwapKind};

pub(crate) const CLOCK: Rule = Rule::of_storage(RuleId::own("memory-clock"), clock);
pub(crate) const CHANNELS: Rule = Rule::of_storage(RuleId::own("memory-one-module"), one_module);
pub(crate) const HUGE_PAGES: Rule = Rule::at_rest(RuleId::own("transparent-hugepage"), huge_pages);
pub(crate) const SWAP_PRIORITY: Rule = Rule::of_storage(RuleId::own("swap-priority"), swap_priority);

fn clock(facts: &Facts<'_>) -> Vec<Finding> {
    let modules = first(facts).map_or(&[][..], |survey| &survey.memory);
    modules
        .iter()
        .filter_map(|module| {
            let (now, possible) = (module.rate_mt?, module.rate_mt_max?);
            // 2666 and 2667 are one rate.
            (now + now / 50 < possible).then(|| {
                Finding::new(
                    CLOCK.id,
                    Severity::Degraded,
                    "The memory in {slot} runs at {now} MT/s, rated for {possible} MT/s.",
                )
                .confidence(85)
                .with("slot", Quantity::Text(module.slot.clone()))
                .with("now", Quantity::Count(now.into()))
                .with("possible", Quantity::Count(possible.into()))
                .at(place("memory"))
            })
        })
        .collect()
}

fn one_module(facts: &Facts<'_>) -> Vec<Finding> {
    let modules = first(facts).map_or(&[][..], |survey| &survey.memory);
    let [module] = modules else { return Vec::new() };
    // Soldered memory often appears as one device regardless of its width; virtual machines have none.
    let real = module.from == "DMI" && module.kind.starts_with("DDR");
    let virtual_machine = facts.machine.virtualisation.known().is_some_and(|kind| kind != "none");
    if !real || virtual_machine {
        return Vec::new();
    }
    vec![
        Finding::new(
            CHANNELS.id,
            Severity::Info,
            "Only one memory module is installed ({slot}); on dual-channel boards half of the bandwidth is unused.",
        )
        .confidence(60)
        .with("slot", Quantity::Text(module.slot.clone()))
        .at(place("memory")),
    ]
}

fn huge_pages(facts: &Facts<'_>) -> Vec<Finding> {
    let choices = first(facts).map_or(&[][..], |survey| &survey.choices);
    let off =
        choices.iter().find(|choice| choice.path.ends_with("transparent_hugepage/enabled") && choice.chosen == "never");
    off.map(|_| {
        Finding::new(
            HUGE_PAGES.id,
            Severity::Degraded,
            "Transparent huge pages are disabled: memory-intensive programs such as 7-zip are slower.",
        )
        .confidence(75)
        .at(place("choices"))
    })
    .into_iter()
    .collect()
}

fn swap_priority(facts: &Facts<'_>) -> Vec<Finding> {
    let swaps = first(facts).map_or(&[][..], |survey| &survey.swaps);
    let is_zram = |swap: &&record::Swap| swap.state.kind == SwapKind::Zram;
    let Some(zram) = swaps.iter().filter(is_zram).map(|swap| swap.state.priority).max() else { return Vec::new() };
    swaps
        .iter()
        .filter(|swap| !is_zram(swap) && swap.state.priority >= zram)
        .map(|swap| {
            Finding::new(
                SWAP_PRIORITY.id,
                Severity::Degraded,
                "Swap {path} has priority {own}, zram {zram}: disk swap is used before or together with zram.",
            )
            .confidence(97)
            .with("path", Quantity::Text(swap.state.path.clone()))
            .with("own", Quantity::Count(swap.state.priority.into()))
            .with("zram", Quantity::Count(zram.into()))
            .at(place("swaps"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use record::{Choice, MemoryModule, Swap, SwapKind, SwapState};

    #[test]
    fn modules_and_huge_pages() {
        let module = |now, most| MemoryModule {
            from: "DMI".into(),
            kind: "DDR4".into(),
            rate_mt: Some(now),
            rate_mt_max: Some(most),
            ..MemoryModule::default()
        };
        check(|_, s| s.memory = vec![module(2133, 3200), module(3200, 3200)], &["memory-clock !"]);
        check(|_, s| s.memory = vec![module(2666, 2667)], &["memory-one-module"]);
        let huge = |chosen: &str| Choice {
            path: "/sys/kernel/mm/transparent_hugepage/enabled".into(),
            chosen: chosen.into(),
            all: Vec::new(),
        };
        check(|_, s| s.choices = vec![huge("never")], &["transparent-hugepage !"]);
        check(|_, s| s.choices = vec![huge("madvise")], &[]);
    }

    #[test]
    fn swap_has_its_order() {
        let swap = |path: &str, kind, priority| Swap {
            state: SwapState { priority, ..crate::test_support::swap(path, kind, 0) },
            compressor: None,
            zram_bytes: None,
        };
        let both = |disk| vec![swap("/dev/zram0", SwapKind::Zram, 5), swap("/dev/sda2", SwapKind::Disk, disk)];
        check(|_, s| s.swaps = both(-2), &[]);
        check(|_, s| s.swaps = both(5), &["swap-priority !"]);
    }
}
