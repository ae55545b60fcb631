//! Head of the log: program, board, distribution, firmware, uptime, memory and swap.

use explain::monitor::local_time;
use facts::Facts;
use facts::figures::main::or_dash;
use record::{Mode, Record, Source, State};
use std::fmt::Write;

pub(super) fn section(facts: &Facts<'_>) -> String {
    let machine = &facts.machine;
    let name = facts::machine_name(machine);
    let mode = match &facts.run.mode {
        Mode::Standard | Mode::Unknown => String::new(),
        mode => format!(" {mode}"),
    };
    let mut text = format!(
        "sbc-bench v{} {}{mode} ({})\n\n",
        version(facts),
        or_dash(name),
        or_dash(started(facts).map(|at| at.strftime("%a, %d %b %Y %H:%M:%S %z").to_string())),
    );
    let _ = writeln!(text, "Description:\t{}", or_dash(machine.distribution.known()));
    if let Some(build) = machine.build_system.known() {
        let _ = writeln!(text, "Build system:   {build}");
    }
    for value in &machine.firmware {
        let _ = writeln!(text, "{}:\t{}", value.name, value.value);
    }
    let _ = writeln!(text, "\n{}", uptime(facts));
    if let Some(state) = facts.states.first() {
        let _ = write!(text, "\n{}", memory(state));
    }
    if let Some(zswap) = machine.zswap.known().filter(|zswap| *zswap != "off") {
        let _ = writeln!(text, "\nZswap active using {zswap}");
    }
    text
}

pub(super) fn version(record: &Record) -> String {
    match &record.source {
        Source::Run { version, .. } => version.clone(),
        Source::Log(log) => log.version.clone(),
    }
}

/// Start of the run in local time.
fn started(record: &Record) -> Option<jiff::Zoned> {
    local_time(record, 0)
}

/// `Uptime: 08:49:31 up 6 min,  load average: 0.97, 0.72, 0.34,  53.0°C`
fn uptime(facts: &Facts<'_>) -> String {
    let clock = or_dash(started(facts).map(|at| at.strftime("%H:%M:%S").to_string()));
    let up = or_dash(facts.run.uptime_ms.known().map(|ms| {
        let minutes = ms / 60_000;
        match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
            (0, 0, minutes) => format!("{minutes} min"),
            (0, hours, minutes) => format!("{hours}:{minutes:02}"),
            (days, hours, minutes) => format!("{days} days, {hours:2}:{minutes:02}"),
        }
    }));
    let load = match facts.run.load_hundredths.known() {
        Some(load) => load.map(|h| format!("{}.{:02}", h / 100, h % 100)).join(", "),
        None => "-".to_owned(),
    };
    let temp = super::monitor::first_temperature(facts);
    format!("Uptime: {clock} up {up},  load average: {load},  {}°C", or_dash(temp))
}

/// Memory and swap in the layout of `free` and `swapon`.
pub(super) fn memory(state: &State) -> String {
    let mut text = String::new();
    if let Some(memory) = state.memory.known() {
        let mib = |kib: u64| format!("{}Mi", kib / 1024);
        let used = memory.total_kib.saturating_sub(memory.available_kib);
        let _ = writeln!(text, "               total        used        free   available");
        let _ = writeln!(
            text,
            "Mem:    {:>12}{:>12}{:>12}{:>12}",
            mib(memory.total_kib),
            mib(used),
            mib(memory.free_kib),
            mib(memory.available_kib)
        );
        let _ = writeln!(
            text,
            "Swap:   {:>12}{:>12}{:>12}",
            mib(memory.swap_total_kib),
            mib(memory.swap_total_kib.saturating_sub(memory.swap_free_kib)),
            mib(memory.swap_free_kib)
        );
    }
    if let Some(swaps) = state.swaps.known().filter(|swaps| !swaps.is_empty()) {
        let _ = writeln!(text, "\nFilename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority");
        for swap in swaps {
            let _ = writeln!(
                text,
                "{:<40}{:?}\t{}\t\t{}\t\t{}",
                swap.path, swap.kind, swap.size_kib, swap.used_kib, swap.priority
            );
        }
    }
    text
}
