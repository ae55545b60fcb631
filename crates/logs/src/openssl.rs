//! OpenSSL's `speed`: throughput of AES by block size.
//!
//! Rows of an algorithm repeat in the order of the clusters; a machine with one cluster runs the same measurement
//! twice. OpenSSL 1.0 prints five columns, later versions six.

use super::draft::{Draft, done, tool};
use super::rows::CipherPlace;
use super::sections::{Line, Section};
use super::text;
use record::{Cipher, Cluster, Step, StepMeasurement, Variant, WorkloadId};
use std::collections::BTreeMap;

/// Size of the last block that every version measures, in bytes.
const LAST_BLOCK_MIN: u32 = 8192;

pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut version = String::new();
    let mut sizes: Vec<u32> = Vec::new();
    let cluster = section
        .heading()
        .text
        .split_once("twice on cluster ")
        .and_then(|(_, number)| text::leading_number(number))
        .map(|(number, _)| number as usize);
    for line in section.lines {
        let text = line.text.trim();
        if let Some(rest) = text.strip_prefix("OpenSSL ").filter(|rest| rest.contains(|c: char| c.is_ascii_digit())) {
            version = openssl_version(rest).to_string();
        } else if let Some(rest) = text.strip_prefix("type ") {
            // A heading that was wrapped names a part of the columns.
            sizes = Some(block_sizes(rest)).filter(|sizes| sizes.last() >= Some(&LAST_BLOCK_MIN)).unwrap_or_default();
        } else if let Some(row) = row(line, &sizes) {
            draft.cipher_places.push(CipherPlace { core_type: row.label.map(str::to_string), cluster });
            draft.push(step(row, &version, line.number));
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
    let variant =
        if parallel { Variant::parallel(&row.cipher.algorithm) } else { Variant::from(row.cipher.algorithm.as_str()) };
    let method = version.split('.').next().and_then(|major| major.parse().ok());
    let cipher = StepMeasurement::Cipher(row.cipher);
    let (id, method) = (WorkloadId::OpenSsl, method.unwrap_or(0));
    let mut step = done(id, method, variant, cipher, line);
    step.tool = tool("openssl", version);
    step
}

/// Parses `3.0.17, built on ...`, `1.1.0f  25 May 2017`, `(version 1.1.0f, built on ...)`.
pub(super) fn openssl_version(rest: &str) -> &str {
    let rest = rest.trim_start().trim_start_matches("(version ");
    rest.split([' ', ',', ')']).next().unwrap_or_default()
}

/// Parses `16 bytes     64 bytes ...`.
fn block_sizes(rest: &str) -> Vec<u32> {
    rest.split("bytes").filter_map(|size| size.trim().parse().ok()).collect()
}

/// Parses `aes-256-cbc  147518.60k ... 841875.46k (Cortex-A55)`: thousands of bytes per second.
fn row<'t>(line: &Line<'t>, sizes: &[u32]) -> Option<Row<'t>> {
    let (values, label) = match line.text.split_once('(') {
        Some((values, label)) => (values, Some(label.trim_end().trim_end_matches(')'))),
        None => (line.text, None),
    };
    let mut words = values.split_whitespace();
    let algorithm = words.next()?.to_ascii_lowercase();
    // The remaining columns of a wrapped row are unknown.
    if words.clone().count() != sizes.len() {
        return None;
    }
    let rows: Option<Vec<(u32, u64)>> = words
        .zip(sizes)
        .map(|(rate, size)| {
            let thousands = text::decimal(rate.strip_suffix('k')?)?;
            (thousands >= 0.0).then_some((*size, (thousands * 1000.0).round() as u64))
        })
        .collect();
    let rows = rows.filter(|rows| !rows.is_empty())?;
    Some(Row { cipher: Cipher { algorithm, rows }, label })
}

/// Assigns a CPU to every row when the clusters are known: from the heading, from a core type of a single cluster, else
/// by order if an algorithm has one row per cluster. Other rows have no CPU.
pub(super) fn place(steps: &mut [Step], places: &[CipherPlace], clusters: &[Cluster], cpu_count: u32) {
    let is_row = |step: &&mut Step| step.workload == WorkloadId::OpenSsl;
    let mut counts: BTreeMap<Variant, usize> = BTreeMap::new();
    for step in steps.iter_mut().filter(is_row) {
        *counts.entry(step.variant.clone()).or_default() += 1;
    }
    let mut seen: BTreeMap<Variant, usize> = BTreeMap::new();
    let mut repetitions: BTreeMap<(Variant, Option<u32>), u32> = BTreeMap::new();
    // Rows and their places were added together, in the same order.
    for (step, place) in steps.iter_mut().filter(is_row).zip(places) {
        let index = seen.entry(step.variant.clone()).or_default();
        let cluster = cluster_of(place, clusters);
        let by_order = clusters.get(*index).filter(|_| counts.get(&step.variant) == Some(&clusters.len()));
        let only = clusters.first().filter(|_| clusters.len() == 1);
        *index += 1;
        if step.variant.is_parallel() {
            step.threads = cpu_count.max(1);
        } else {
            let cluster = cluster.or(only).or(by_order);
            step.cpus = cluster.and_then(|cluster| cluster.cpus.first()).copied().into_iter().collect();
        }
        let key = (step.variant.clone(), step.cpus.first().copied());
        let repetition = repetitions.entry(key).or_default();
        step.repetition = *repetition;
        *repetition += 1;
    }
}

/// Cluster named by a row, by number or by a unique core type.
fn cluster_of<'a>(place: &CipherPlace, clusters: &'a [Cluster]) -> Option<&'a Cluster> {
    if let Some(cluster) = place.cluster {
        return clusters.get(cluster);
    }
    let named = place.core_type.as_ref()?;
    let mut alike = clusters.iter().filter(|cluster| cluster.core_type.known() == Some(named));
    alike.next().filter(|_| alike.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_without_all_of_its_columns_is_no_row() {
        let of = |text| row(&Line { number: 1, text }, &[16, 8192, 16384]).map(|row| row.cipher.rows.len());
        assert_eq!(of("aes-256-cbc  147518.60k 841875.46k 841900.00k"), Some(3));
        assert_eq!(of("aes-256-cbc  147518.60k 841875.46k"), None);
    }

    #[test]
    fn versions() {
        for (text, version) in [
            ("3.0.17, built on 1 Jul 2025 (Library: OpenSSL 3.0.17 1 Jul 2025)", "3.0.17"),
            ("1.1.0f  25 May 2017", "1.1.0f"),
            ("(version 1.1.0f, built on 25 May 2017)", "1.1.0f"),
        ] {
            assert_eq!(openssl_version(text), version);
        }
    }

    #[test]
    fn rows_of_five_and_six_columns() {
        let five = block_sizes("             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes");
        assert_eq!(five, [16, 64, 256, 1024, 8192]);
        let text = "aes-256-cbc       9436.88k    11456.96k    12109.74k    12102.66k    12077.74k (Cortex-A7)";
        let row = row(&Line { number: 1, text }, &five).unwrap();
        assert_eq!(row.cipher.rows[4], (8192, 12_077_740));
        assert_eq!(row.label, Some("Cortex-A7"));
    }
}
