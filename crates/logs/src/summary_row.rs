//! Machine and scores of a line of the results list.

use super::draft::Draft;
use super::list_row::{cells, number, plain};
use super::rows::CipherPlace;
use super::sections::Line;
use super::totals;
use record::{Fact, MemoryOperation, Variant};

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

/// Reads machine and scores of a single row.
pub(super) fn read(line: &Line<'_>, draft: &mut Draft) {
    read_machine(line, draft);
    draft.finished = true;
    let cells = cells(line.text);
    let value = |at: usize| cells.get(at).and_then(|cell| number(cell));
    // The score on one core replaced AES-128; one version prints both.
    let multi = value(4);
    let single = value(5).filter(|single| multi.is_none_or(|multi| *single <= multi * ONE_CORE_MAX));
    let aes = match (single, value(6), value(7)) {
        (None, ..) => 6,
        // AES-128 and AES-256 differ by a third; AES and memory by a factor of hundred.
        (Some(_), Some(first), Some(second)) if second > first / 3.0 && second > 8.0 * multi.unwrap_or(f64::MAX) => 7,
        (Some(_), ..) => 6,
    };
    let number = line.number;
    for (variant, mips) in [(Variant::MULTI, multi), (Variant::SINGLE, single)] {
        let mips = mips.map(|mips| mips as u32);
        totals::sevenzip(&variant, mips, NO_VERSIONS, number).into_iter().for_each(|step| draft.push(step));
    }
    if let Some(thousands) = value(aes) {
        let rows = vec![(16_384, (thousands * 1000.0) as u64)];
        draft.cipher_places.push(CipherPlace::of_type(None));
        draft.push(totals::cipher("aes-256-cbc", rows, NO_VERSIONS, number));
    }
    let rows = [(aes + 1, MemoryOperation::Copy), (aes + 2, MemoryOperation::Fill)]
        .into_iter()
        .filter_map(|(at, operation)| Some(totals::bandwidth_row(operation, value(at)?, number)));
    if let Some(step) = totals::memory(rows.collect()) {
        draft.push(step);
    }
    if let Some(rate) = value(aes + 3) {
        draft.push(totals::miner(vec![rate], number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list_row::is_row;
    use record::{Step, StepMeasurement};

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
