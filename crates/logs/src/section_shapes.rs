//! Openings of sections that have no heading of their own: tables, labels and lists.

use super::section_kind::Kind;
use super::{free_rows, list_row};

/// Openings recognised by shape, or only in certain sections.
pub(super) fn opens(trimmed: &str, text: &str, current: Kind, after_separator: bool) -> Option<Kind> {
    if trimmed.starts_with("Linux ") && trimmed.contains("CPU)") {
        return Some(Kind::Iostat);
    }
    // The first versions print no separators, and the unchanged output of `uptime`.
    if current == Kind::System && trimmed.contains(" up ") && trimmed.contains("load average:") {
        return Some(Kind::Uptime);
    }
    if matches!(current, Kind::System | Kind::Loose | Kind::Progress) && is_monitor_header(trimmed) {
        return Some(Kind::Monitor);
    }
    if current == Kind::ConsoleOpenSsl {
        return None;
    }
    if trimmed.starts_with("OpenSSL ") && (after_separator && current == Kind::Loose || current == Kind::SevenZip)
        || trimmed.starts_with("type ") && trimmed.contains(" bytes")
    {
        return (current != Kind::OpenSsl).then_some(Kind::OpenSsl);
    }
    if trimmed.starts_with('|') && list_row::is_row(trimmed) {
        return Some(Kind::Summary);
    }
    // The review ends a log, or is a file of its own.
    if matches!(current, Kind::Loose | Kind::System) && text.starts_with("# ") {
        return Some(Kind::Review);
    }
    if after_separator {
        at_the_end(trimmed, current).or_else(|| state_table(trimmed, current))
    } else {
        state_table(trimmed, current)
    }
}

/// Tables of `free` and `swapon` in any language.
fn state_table(trimmed: &str, current: Kind) -> Option<Kind> {
    let in_state = matches!(current, Kind::Iostat | Kind::Free | Kind::Uptime | Kind::System | Kind::Loose);
    if !in_state {
        return None;
    }
    if current != Kind::Free && free_rows::is_free_row(trimmed) {
        return Some(Kind::Free);
    }
    (current == Kind::Free && trimmed.starts_with("Имя файла")).then_some(Kind::Swapon)
}

/// Openings that occur only after the benchmarks.
fn at_the_end(trimmed: &str, current: Kind) -> Option<Kind> {
    const LABELS: [&str; 4] = ["Compiler: ", "Userland: ", "Kernel: ", "cpuinfo: "];
    let state = matches!(current, Kind::Iostat | Kind::Free | Kind::Swapon | Kind::Zswap | Kind::Topology);
    if state && (trimmed.starts_with("Architecture:") || trimmed.starts_with("Архитектура:")) {
        return Some(Kind::Lscpu);
    }
    if matches!(current, Kind::Lscpu | Kind::Topology) && trimmed.starts_with("Processor Information")
        || current == Kind::Lscpu && trimmed.starts_with("Handle 0x")
    {
        return Some(Kind::Processor);
    }
    let tail = state || matches!(current, Kind::Lscpu | Kind::Processor);
    if tail && LABELS.iter().any(|label| trimmed.starts_with(label)) {
        return Some(Kind::Labels);
    }
    if current != Kind::Loose && current != Kind::OppTables && current != Kind::Caches {
        return None;
    }
    let is_dead = trimmed.contains(" has reached end-of-life ");
    if trimmed.starts_with("Kernel ") || trimmed.starts_with("The Kernel") || is_dead {
        return Some(Kind::KernelSupport);
    }
    if current != Kind::Caches && trimmed.starts_with("cpu") && trimmed.contains("/index") {
        return Some(Kind::Caches);
    }
    if current != Kind::OppTables && is_opp_line(trimmed) {
        return Some(Kind::OppTables);
    }
    None
}

fn is_opp_line(trimmed: &str) -> bool {
    trimmed.contains(" mV (")
        || trimmed.contains("(no microvolt properties")
        || trimmed.ends_with(':')
            && ["opp-table", "opp_table", "opptable"].iter().any(|name| trimmed.to_ascii_lowercase().contains(name))
}

/// True for the column names of the monitoring.
pub(super) fn is_monitor_header(trimmed: &str) -> bool {
    trimmed.starts_with("Time ") && trimmed.contains("%cpu") && trimmed.contains("%sys")
}
