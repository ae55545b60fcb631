//! The memory sections: bandwidth in the rows of tinymembench, latency in the table of ramlat.

use super::super::number::{deviation_percent, done};
use super::cpus_name;
use record::{Bandwidth, Measured, Record};
use std::fmt::Write;

/// A relative standard deviation is printed from here on.
const DEVIATION_PERCENT_SHOWN: f64 = 0.1;

pub(super) fn bandwidth(record: &Record) -> String {
    let mut text = String::new();
    for step in record.steps_of("memory-bandwidth") {
        let Some(Measured::Bandwidth(bandwidth)) = done(step) else {
            continue;
        };
        let _ = write!(
            text,
            "Executing benchmark on {}:\n\n",
            cpus_name(record, &step.cpus)
        );
        let _ = write!(
            text,
            "sbc-bench memory-bandwidth@{} ({} MiB per buffer; 1MB = 1000000 bytes; libc is the one this\n\
             program was built with, not the distribution's)\n\n",
            step.method,
            bandwidth.buffer_bytes >> 20
        );
        text.push_str(&rows(bandwidth));
        text.push('\n');
    }
    text
}

fn rows(bandwidth: &Bandwidth) -> String {
    let mut text = String::new();
    for row in &bandwidth.rows {
        let best = row.bytes_per_s.iter().max().copied().unwrap_or(0) as f64 / 1e6;
        let repetitions = row.bytes_per_s.len();
        let _ = write!(
            text,
            " {:<49}: {best:>8.1} MB/s",
            classic_name(&row.routine)
        );
        let _ = match deviation_percent(row).filter(|d| *d > DEVIATION_PERCENT_SHOWN) {
            Some(deviation) => writeln!(text, " ({repetitions}, {deviation:.1}%)"),
            None => writeln!(text, " ({repetitions})"),
        };
    }
    text
}

/// Rows of the C library under the names that readers of logs look for. Whose library that is, the head
/// of the block says.
fn classic_name(routine: &str) -> &str {
    match routine {
        "copy-libc" => "libc memcpy copy",
        "fill-libc" => "libc memset fill",
        other => other,
    }
}

pub(super) fn latency(record: &Record) -> String {
    let mut text = String::new();
    for step in record.steps_of("memory-latency") {
        let Some(Measured::Latency(latency)) = done(step) else {
            continue;
        };
        let cpus = cpus_name(record, &step.cpus);
        let _ = write!(text, "Executing ramlat on {cpus}, results in ns:\n\n");
        let _ = write!(
            text,
            "(sbc-bench memory-latency@{}: one random cycle over all cache lines, {})\n\n",
            step.method, latency.pages
        );
        let _ = write!(text, "       size: ");
        latency.columns.iter().for_each(|column| {
            let _ = write!(text, "{column:>6} ");
        });
        text.push('\n');
        // The table of ramlat has doublings only.
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

/// Five characters with as many decimals as fit, as ramlat prints them.
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
        let bandwidth = Bandwidth {
            buffer_bytes: 1 << 25,
            verified: true,
            rows: vec![row],
        };
        assert_eq!(rows(&bandwidth), expected);
    }

    #[test]
    fn a_deviation_is_shown_above_a_tenth_of_a_percent() {
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
