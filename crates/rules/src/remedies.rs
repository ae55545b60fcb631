//! Remedies that are in place already, and what helps then.

use facts::{Cause, Facts, view};
use record::{End, SwapKind};
use std::collections::BTreeSet;

struct Exception {
    cause: Cause,
    /// True where the usual remedy is in place, or cannot help.
    holds: fn(&Facts<'_>) -> bool,
    remedy: &'static str,
}

const EXCEPTIONS: &[Exception] = &[
    Exception {
        cause: Cause::NotVisible,
        holds: |facts| view::is_log(facts) && facts.run.end == End::Died && facts.samples.at_ms.is_empty(),
        remedy: "Get the whole log: the missing part has the clocks and temperatures of these runs.",
    },
    Exception {
        cause: Cause::RunCutShort,
        holds: |facts| matches!(facts.run.end, End::Interrupted { .. }) && facts.run.asked.is_some(),
        remedy: "Continue it on this machine with `sbc-bench --resume`, or run it again to the end.",
    },
    Exception {
        cause: Cause::RunCutShort,
        holds: |facts| !facts.run.resumed.is_empty(),
        remedy: "Repeat the run without a break.",
    },
    Exception {
        cause: Cause::TooLittleMemory,
        holds: has_zram,
        remedy: "Free memory, or measure with fewer dictionaries (compressed swap is in use already).",
    },
    Exception {
        cause: Cause::OutOfMemory,
        holds: has_swap,
        remedy: "Close other programs, or measure with fewer dictionaries (swap is in use already).",
    },
    Exception {
        cause: Cause::FirmwareCap,
        holds: |facts| view::is_x86(facts),
        remedy: "Look at the turbo setting and the power limits of the BIOS; the advertised clock may be that of one core \
                 alone.",
    },
    Exception {
        cause: Cause::FirmwareCap,
        holds: |facts| view::firmware_clock_channel(facts).is_some(),
        remedy: "Look for heat and for a weak supply, for both of which the firmware of a Raspberry Pi lowers the clock, and \
                 at arm_freq and temp_soft_limit in config.txt.",
    },
    Exception {
        cause: Cause::CpusTakenAway,
        holds: |facts| facts.heat_of_run().is_some() && is_single_event(facts),
        remedy: "Find what took it offline (a script, a driver, a hotplug governor) and repeat the run.",
    },
    Exception {
        cause: Cause::PowerLimit,
        holds: |facts| view::is_x86(facts),
        remedy: "Raise the power limits (PL1 and PL2) in the BIOS if the cooling allows it; else this is the score of the \
                 CPU at its rated power.",
    },
    Exception {
        cause: Cause::Heat,
        holds: |facts| view::soft_limit(facts).is_some(),
        remedy: "Cool the SoC better (heat sink, fan, airflow), or raise temp_soft_limit in config.txt to 70, and repeat \
                 the run.",
    },
];

/// Remedy for a cause on this machine, if the usual one does not help.
pub fn instead(facts: &Facts<'_>, cause: Cause) -> Option<&'static str> {
    EXCEPTIONS.iter().find(|row| row.cause == cause && (row.holds)(facts)).map(|row| row.remedy)
}

/// True if CPUs went offline once each. Governors switch them again and again.
fn is_single_event(facts: &Facts<'_>) -> bool {
    let messages = view::kill_messages(facts);
    let cpus: BTreeSet<u32> = messages.iter().filter_map(|(_, message)| view::killed_cpu(&message.text)).collect();
    !messages.is_empty() && cpus.len() == messages.len()
}

fn has_zram(facts: &Facts<'_>) -> bool {
    view::swap_devices(facts).iter().any(|swap| swap.kind == SwapKind::Zram)
}

fn has_swap(facts: &Facts<'_>) -> bool {
    !view::swap_devices(facts).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{log, own_run};
    use record::Fact;

    /// A PC has no boot loader to update for a lower clock, and a log that ends early has no run to repeat.
    #[test]
    fn remedies_fit_the_machine_and_the_log() {
        let mut pc = own_run();
        pc.machine.kernel_arch = Fact::Known("x86_64".into());
        let mut cut = log("0.9.72");
        cut.run.end = End::Died;
        for (record, cause, expected) in [
            (&pc, Cause::FirmwareCap, Some("BIOS")),
            (&own_run(), Cause::FirmwareCap, None),
            (&cut, Cause::NotVisible, Some("Get the whole log")),
            (&log("0.9.72"), Cause::NotVisible, None),
        ] {
            let remedy = instead(&Facts::of(record), cause);
            assert!(remedy.is_some() == expected.is_some(), "{cause:?}: {remedy:?}");
            assert!(expected.is_none_or(|words| remedy.is_some_and(|remedy| remedy.contains(words))), "{remedy:?}");
        }
    }
}
