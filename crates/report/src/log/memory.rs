//! Memory sections: bandwidth in rows of tinymembench, latency in the table of ramlat.

use super::cpus_name;
use facts::figures::main::{deviation_percent, done};
use record::{Bandwidth, Latency, Record, Step, StepMeasurement, Variant, WorkloadId};
use std::fmt::Write;

/// Minimum relative standard deviation that is printed, in percent.
const DEVIATION_PERCENT_SHOWN: f64 = 0.1;

pub(super) fn bandwidth(record: &Record) -> String {
    let mut text = String::new();
    let of_memory = record.steps_of(WorkloadId::MemoryBandwidth).chain(record.steps_of(WorkloadId::MemoryLibc));
    let tables: Vec<(&Step, &Bandwidth)> = of_memory
        .filter_map(|step| match done(step)? {
            StepMeasurement::Bandwidth(bandwidth) => Some((step, bandwidth)),
            _ => None,
        })
        .collect();
    let is_of_libc = |(step, _): &(&Step, &Bandwidth)| step.workload == WorkloadId::MemoryLibc;
    let has_libc = tables.iter().any(is_of_libc);
    for (step, bandwidth) in tables {
        let _ = write!(text, "Executing benchmark on {}:\n\n", cpus_name(record, &step.cpus));
        text.push_str(&bandwidth_head(step, bandwidth));
        text.push_str(&rows(bandwidth, step.method, has_libc));
        text.push('\n');
    }
    text
}

/// Heading with the origin of the table. Method 0 means tables of a log.
fn bandwidth_head(step: &Step, bandwidth: &Bandwidth) -> String {
    if step.method == 0 {
        let version = step.tool.as_ref().map_or("", |tool| tool.version.as_str());
        return match version {
            "" => String::new(),
            version => format!("tinymembench v{version}\n\n"),
        };
    }
    if step.workload == WorkloadId::MemoryLibc {
        return format!(
            "sbc-bench memory-libc@{} ({} MiB per buffer; 1MB = 1000000 bytes; libc is that of the\n\
             programs of this machine)\n\n",
            step.method,
            bandwidth.buffer_bytes >> 20
        );
    }
    format!(
        "sbc-bench memory-bandwidth@{} ({} MiB per buffer; 1MB = 1000000 bytes; libc is the one this\n\
         program was built with, not the distribution's)\n\n",
        step.method,
        bandwidth.buffer_bytes >> 20
    )
}

/// `has_libc`: the names of the C library's rows are already used by another table.
fn rows(bandwidth: &Bandwidth, method: u32, has_libc: bool) -> String {
    let mut text = String::new();
    for row in &bandwidth.rows {
        let Some(best) = row.bytes_per_s.iter().max() else { continue };
        let best = *best as f64 / 1e6;
        let name = if has_libc { &row.routine } else { classic_name(&row.routine) };
        let _ = write!(text, " {:<49}: {best:>8.1} MB/s", name);
        // Logs do not state the number of repetitions of a row.
        let repetitions = (method > 0).then(|| row.bytes_per_s.len().to_string());
        let deviation = deviation_percent(row).filter(|d| *d > DEVIATION_PERCENT_SHOWN);
        let deviation = deviation.map(|deviation| format!("{deviation:.1}%"));
        let notes: Vec<String> = repetitions.into_iter().chain(deviation).collect();
        if notes.is_empty() {
            text.push('\n')
        } else {
            let _ = writeln!(text, " ({})", notes.join(", "));
        }
    }
    text
}

/// Rows of the C library have the names of the classic log. The heading of the block names the library.
fn classic_name(routine: &str) -> &str {
    match routine {
        "copy-libc" => "libc memcpy copy",
        "fill-libc" => "libc memset fill",
        other => other,
    }
}

pub(super) fn latency(record: &Record) -> String {
    let mut text = String::new();
    for step in record.steps_of(WorkloadId::MemoryLatency) {
        let Some(StepMeasurement::Latency(latency)) = done(step) else {
            continue;
        };
        if step.variant.is_tinymembench() {
            let cpus = cpus_name(record, &step.cpus);
            let _ = write!(text, "Executing tinymembench on {cpus}:\n\n");
            text.push_str(&block_sizes(step, latency));
            continue;
        }
        let cpus = cpus_name(record, &step.cpus);
        let _ = write!(text, "Executing ramlat on {cpus}, results in ns:\n\n");
        if step.method > 0 {
            let variant = if step.variant.is_only() { String::new() } else { format!(" {}", step.variant) };
            let order = if step.variant == Variant::TLB_LIGHT { "page by page" } else { "one random cycle" };
            let _ = write!(
                text,
                "(sbc-bench memory-latency@{}{variant}: {order} over all cache lines, {})\n\n",
                step.method, latency.pages
            );
        }
        let _ = write!(text, "       size: ");
        latency.columns.iter().for_each(|column| {
            let _ = write!(text, "{column:>6} ");
        });
        text.push('\n');
        // The table of ramlat only has powers of two.
        let doublings = latency.rows.iter();
        for row in doublings.filter(|row| row.size_bytes.is_power_of_two()) {
            let _ = write!(text, "{:>11}: ", format!("{}k", row.size_bytes / 1024));
            for ns in &row.ns {
                let _ = match ns {
                    Some(ns) => write!(text, "{} ", four_digits(*ns)),
                    None => write!(text, "    - "),
                };
            }
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// Table as printed by tinymembench.
fn block_sizes(step: &Step, latency: &Latency) -> String {
    let pages = match &step.variant {
        variant if *variant == Variant::TINYMEMBENCH_HUGE => ", [MADV_HUGEPAGE]",
        variant if *variant == Variant::TINYMEMBENCH_SMALL => ", [MADV_NOHUGEPAGE]",
        _ => "",
    };
    let mut text = format!("block size : single random read / dual random read{pages}\n");
    for row in &latency.rows {
        let _ = write!(text, "{:>10} :", row.size_bytes);
        let cells: Vec<String> = row
            .ns
            .iter()
            .map(|ns| match ns {
                Some(ns) => format!("{ns:>7.1} ns "),
                None => "      - ".to_owned(),
            })
            .collect();
        let _ = writeln!(text, "{}", cells.join("         /"));
    }
    text.push('\n');
    text
}

/// Five characters with as many decimals as fit, as printed by ramlat.
fn four_digits(ns: f64) -> String {
    let decimals = if ns < 10.0 {
        3
    } else if ns < 100.0 {
        2
    } else {
        1
    };
    format!("{ns:>6.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{BandwidthRow, MemoryOperation};

    fn check(rates: &[u64], expected: &str) {
        let row = BandwidthRow {
            routine: "copy-avx2".into(),
            operation: MemoryOperation::Copy,
            bytes_per_s: rates.to_vec(),
            printed_deviation_percent: None,
            line: None,
        };
        let bandwidth = Bandwidth { buffer_bytes: 1 << 25, verified: true, rows: vec![row] };
        assert_eq!(rows(&bandwidth, 1, false), expected);
    }

    #[test]
    fn deviation_is_shown_above_a_tenth_of_a_percent() {
        check(
            &[10_000_000_000, 9_900_000_000],
            " copy-avx2                                        :  10000.0 MB/s (2, 0.7%)\n",
        );
        check(
            &[10_000_000_000, 9_999_000_000],
            " copy-avx2                                        :  10000.0 MB/s (2)\n",
        );
    }
}
