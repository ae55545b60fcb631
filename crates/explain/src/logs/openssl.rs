//! OpenSSL's `speed`: throughput of AES by size of the block.
//!
//! Rows of one algorithm repeat in the order of the clusters; on a machine with one cluster the
//! same measurement is done twice. OpenSSL 1.0 prints five columns, later versions six.

use super::draft::{Draft, done, tool};
use super::sections::{Line, Section};
use super::text;
use record::{Cipher, Measured, Step};

/// Appended to the algorithm where all CPUs worked at the same time.
const PARALLEL: &str = "-parallel";

pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut version = String::new();
    let mut sizes: Vec<u32> = Vec::new();
    for line in section.lines {
        let text = line.text.trim();
        if let Some(rest) = text.strip_prefix("OpenSSL ") {
            version = openssl_version(rest).to_string();
        } else if let Some(rest) = text.strip_prefix("type ") {
            sizes = block_sizes(rest);
        } else if let Some(row) = row(line, &sizes) {
            draft.steps.push(step(row, &version, line.number));
        } else if !text.is_empty() && !text.starts_with("Executing benchmark") {
            draft.unread(line);
        }
    }
}

struct Row<'t> {
    cipher: Cipher,
    label: Option<&'t str>,
}

fn step(row: Row<'_>, version: &str, line: u32) -> Step {
    let parallel = row.label == Some("fully parallel");
    let variant = match parallel {
        true => format!("{}{PARALLEL}", row.cipher.algorithm),
        false => row.cipher.algorithm.clone(),
    };
    let method = version
        .split('.')
        .next()
        .and_then(|major| major.parse().ok());
    let cipher = Measured::Cipher(row.cipher);
    let mut step = done("openssl", method.unwrap_or(0), &variant, cipher, line);
    step.tool = tool("openssl", version);
    step
}

/// `3.0.17, built on ...`, `1.1.0f  25 May 2017`, `(version 1.1.0f, built on ...)`.
fn openssl_version(rest: &str) -> &str {
    let rest = rest.trim_start().trim_start_matches("(version ");
    rest.split([' ', ',', ')']).next().unwrap_or_default()
}

/// `16 bytes     64 bytes ...`.
fn block_sizes(rest: &str) -> Vec<u32> {
    rest.split("bytes")
        .filter_map(|size| size.trim().parse().ok())
        .collect()
}

/// `aes-256-cbc  147518.60k ... 841875.46k (Cortex-A55)`: thousands of bytes per second.
fn row<'t>(line: &Line<'t>, sizes: &[u32]) -> Option<Row<'t>> {
    let (values, label) = match line.text.split_once('(') {
        Some((values, label)) => (values, Some(label.trim_end().trim_end_matches(')'))),
        None => (line.text, None),
    };
    let mut words = values.split_whitespace();
    let algorithm = words.next()?.to_ascii_lowercase();
    let rows: Option<Vec<(u32, u64)>> = words
        .zip(sizes)
        .map(|(rate, size)| {
            let thousands = text::decimal(rate.strip_suffix('k')?)?;
            (thousands >= 0.0).then_some((*size, (thousands * 1000.0).round() as u64))
        })
        .collect();
    let rows = rows.filter(|rows| !rows.is_empty())?;
    Some(Row {
        cipher: Cipher { algorithm, rows },
        label,
    })
}

/// Gives every row its CPU once the clusters are known: as many rows of an algorithm as clusters
/// are one for each, more rows than that on one cluster are repetitions. Anything else stays
/// without a CPU.
pub(super) fn place(steps: &mut [Step], clusters: &[record::Cluster], cpu_count: u32) {
    let algorithms: Vec<String> = {
        let mut seen = Vec::new();
        for step in steps.iter().filter(|step| step.workload == "openssl") {
            if !seen.contains(&step.variant) {
                seen.push(step.variant.clone());
            }
        }
        seen
    };
    for algorithm in algorithms {
        let rows: Vec<&mut Step> = steps
            .iter_mut()
            .filter(|step| step.workload == "openssl" && step.variant == algorithm)
            .collect();
        let count = rows.len();
        for (index, step) in rows.into_iter().enumerate() {
            if algorithm.ends_with(PARALLEL) {
                step.threads = cpu_count.max(1);
                step.repetition = index as u32;
            } else if clusters.len() <= 1 {
                step.cpus = clusters
                    .iter()
                    .flat_map(|all| all.cpus.first())
                    .copied()
                    .collect();
                step.repetition = index as u32;
            } else if count == clusters.len() {
                step.cpus = clusters[index].cpus.first().copied().into_iter().collect();
            } else {
                step.repetition = index as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        for (text, version) in [
            (
                "3.0.17, built on 1 Jul 2025 (Library: OpenSSL 3.0.17 1 Jul 2025)",
                "3.0.17",
            ),
            ("1.1.0f  25 May 2017", "1.1.0f"),
            ("(version 1.1.0f, built on 25 May 2017)", "1.1.0f"),
        ] {
            assert_eq!(openssl_version(text), version);
        }
    }

    #[test]
    fn rows_of_five_and_six_columns() {
        let five = block_sizes(
            "             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes",
        );
        assert_eq!(five, [16, 64, 256, 1024, 8192]);
        let text = "aes-256-cbc       9436.88k    11456.96k    12109.74k    12102.66k    12077.74k (Cortex-A7)";
        let row = row(&Line { number: 1, text }, &five).unwrap();
        assert_eq!(row.cipher.rows[4], (8192, 12_077_740));
        assert_eq!(row.label, Some("Cortex-A7"));
    }
}
