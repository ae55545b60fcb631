//! Machine and scores of a line of the results list.

use super::draft::{Draft, done, tool};
use super::list_row::{cells, number, plain};
use super::rows::CipherPlace;
use super::sections::Line;
use record::{
    Bandwidth, BandwidthRow, Cipher, Compression, Fact, MemoryOperation, Series, Step, StepMeasurement, Variant,
    WorkloadId,
};

/// Reason why scores of a row stand for themselves.
const NO_VERSIONS: &str = "a line of the results list does not contain the versions of its tools";
/// A score on one core is at most this much above that on all cores, whose runs differ.
const ONE_CORE_MAX: f64 = 1.2;

/// Reads the machine of a row: board, kernel, distribution.
pub(super) fn read_machine(line: &Line<'_>, draft: &mut Draft) {
    let cells = cells(line.text);
    let known = |at: usize| cells.get(at).map(|cell| plain(cell)).filter(|text| !matches!(text.as_str(), "" | "-"));
    let machine = &mut draft.machine;
    for (fact, at) in [(&mut machine.board, 0), (&mut machine.kernel_release, 2), (&mut machine.distribution, 3)] {
        if let (None, Some(text)) = (fact.known(), known(at)) {
            *fact = Fact::Known(text);
        }
    }
}

/// Reads machine and scores of a row that stands alone.
pub(super) fn read(line: &Line<'_>, draft: &mut Draft) {
    read_machine(line, draft);
    draft.finished = true;
    let cells = cells(line.text);
    let value = |at: usize| cells.get(at).and_then(|cell| number(cell));
    // The score on one core took the place of AES-128, and stood beside it in one version.
    let multi = value(4);
    let single = value(5).filter(|single| multi.is_none_or(|multi| *single <= multi * ONE_CORE_MAX));
    let aes = match (single, value(6), value(7)) {
        (None, ..) => 6,
        // AES-128 and AES-256 differ by a third; AES and memory by a factor of hundred.
        (Some(_), Some(first), Some(second)) if second > first / 3.0 && second > 8.0 * multi.unwrap_or(f64::MAX) => 7,
        (Some(_), ..) => 6,
    };
    let number = line.number;
    let scores = [(Variant::MULTI, multi), (Variant::SINGLE, single)];
    for (variant, mips) in scores.into_iter().filter_map(|(variant, mips)| Some((variant, mips?))) {
        let score = StepMeasurement::Compression(Compression { total_mips: mips as u32, ..Compression::default() });
        draft.push(unversioned(done(WorkloadId::SevenZip, 0, variant, score, number), "7z"));
    }
    if let Some(thousands) = value(aes) {
        let algorithm = "aes-256-cbc".to_owned();
        let rows = vec![(16_384, (thousands * 1000.0) as u64)];
        let variant = Variant::from(algorithm.as_str());
        let cipher = StepMeasurement::Cipher(Cipher { algorithm, rows });
        draft.cipher_places.push(CipherPlace::of_type(None));
        draft.push(unversioned(done(WorkloadId::OpenSsl, 0, variant, cipher, number), "openssl"));
    }
    let rows: Vec<BandwidthRow> = [(aes + 1, MemoryOperation::Copy), (aes + 2, MemoryOperation::Fill)]
        .into_iter()
        .filter_map(|(at, operation)| Some(bandwidth_row(operation, value(at)?, number)))
        .collect();
    if !rows.is_empty() {
        let measured = StepMeasurement::Bandwidth(Bandwidth { buffer_bytes: 0, verified: false, rows });
        let mut step = done(WorkloadId::MemoryBandwidth, 0, Variant::TINYMEMBENCH, measured, number);
        step.tool = tool("tinymembench", "");
        draft.push(step);
    }
    if let Some(rate) = value(aes + 3) {
        draft.push(miner(vec![rate], number));
    }
}

/// Copy or fill of tinymembench, in MB/s.
pub(super) fn bandwidth_row(operation: MemoryOperation, mb_per_s: f64, line: u32) -> BandwidthRow {
    let routine = if operation == MemoryOperation::Copy { "libc memcpy copy" } else { "libc memset fill" };
    BandwidthRow {
        routine: routine.to_owned(),
        operation,
        bytes_per_s: vec![(mb_per_s * 1e6).round() as u64],
        printed_deviation_percent: None,
        line: Some(line),
    }
}

/// Rates of cpuminer on all CPUs.
pub(super) fn miner(values: Vec<f64>, line: u32) -> Step {
    let series = Series { unit: "kH/s".to_owned(), higher_is_better: true, values, ..Series::default() };
    done(WorkloadId::Cpuminer, 1, Variant::ONLY, StepMeasurement::Series(series), line)
}

fn unversioned(mut step: Step, name: &str) -> Step {
    step.not_comparable = Some(NO_VERSIONS.to_owned());
    step.tool = tool(name, "");
    step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list_row::is_row;

    fn steps(text: &str) -> Vec<String> {
        let mut draft = Draft::default();
        read(&Line { number: 1, text }, &mut draft);
        let figure = |step: &Step| match &step.outcome {
            record::Outcome::Done(StepMeasurement::Compression(score)) => score.total_mips.to_string(),
            record::Outcome::Done(StepMeasurement::Cipher(cipher)) => (cipher.rows[0].1 / 1000).to_string(),
            record::Outcome::Done(StepMeasurement::Bandwidth(memory)) => {
                memory.rows.iter().map(|row| (row.bytes_per_s[0] / 1_000_000).to_string()).collect::<Vec<_>>().join("+")
            }
            record::Outcome::Done(StepMeasurement::Series(series)) => series.values[0].to_string(),
            _ => String::new(),
        };
        draft.steps.iter().map(figure).collect()
    }

    #[test]
    fn rows_of_every_version() {
        for (row, expected) in [
            (
                "| [ROCK 5B](4jfZ.txt) | 2350/1830 MHz | 5.10 | Focal arm64 | 16450 | 3146 | 1337540 | 10830 | 29220 | 25.31 | x |",
                &["16450", "3146", "1337540", "10830+29220", "25.31"][..],
            ),
            (
                "| Old | 1200 MHz | 4.14 | Stretch armhf | 3250 | 35720 | 27600 | 1010 | 2100 | - |",
                &["3250", "27600", "1010+2100"],
            ),
            (
                "| Both | 1800 MHz | 5.10 | Focal | 9790 | 1860 | 1600000 | 1293880 | 4020 | 9000 | 12.00 | |",
                &["9790", "1860", "1293880", "4020+9000", "12"],
            ),
        ] {
            assert!(is_row(row), "{row}");
            assert_eq!(steps(row), expected, "{row}");
        }
        for text in [
            "| Board | Clockspeed | Kernel | Distro | 7-zip multi | 7-zip single | AES | memcpy | memset | kH/s |",
            "| :--- | :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            "|||||||||||",
        ] {
            assert!(!is_row(text), "{text}");
        }
    }
}
