//! Scores of the terminal report that only some runs have: AES-GCM, AES on all CPUs at once, the built-in AES without
//! OpenSSL, 7-zip on the CPUs of each core type. `terminal` has the scores of every run.

use facts::figures::main::done;
use facts::number::{number, with_unit};
use record::{Record, Step, StepMeasurement, Variant, WorkloadId};

/// Maximum number of listed values.
const LISTED_MAX: usize = 5;

/// Name and value of each score, in the order of the run.
pub(super) fn more_scores(record: &Record) -> Vec<(String, String)> {
    let mut lines: Vec<(String, Vec<f64>, &str)> = Vec::new();
    for step in &record.steps {
        let Some((name, value, unit)) = score(step) else {
            continue;
        };
        match lines.iter_mut().find(|(known, ..)| *known == name) {
            Some((_, values, _)) => values.push(value),
            None => lines.push((name, vec![value], unit)),
        }
    }
    let line = |(name, values, unit): (String, Vec<f64>, &str)| {
        let all: Vec<String> = values.iter().map(|value| number(*value, unit)).collect();
        let shown = match facts::stats::median(&values) {
            Some(median) if values.len() > LISTED_MAX => {
                let [low, high] = [f64::min, f64::max].map(|pick| values.iter().copied().fold(median, pick));
                let [low, high] = [low, high].map(|value| number(value, unit));
                format!("{} (median of {}, {low} to {high})", with_unit(median, unit), values.len())
            }
            Some(median) if values.len() > 1 => {
                format!("{} (median of {})", with_unit(median, unit), all.join(", "))
            }
            _ => format!("{} {unit}", all.join(", ")),
        };
        (name, shown)
    };
    lines.into_iter().map(line).collect()
}

fn score(step: &Step) -> Option<(String, f64, &'static str)> {
    match done(step)? {
        StepMeasurement::Cipher(cipher) => {
            let kb_per_s = cipher.rows.last()?.1 as f64 / 1000.0;
            let place = match step.threads {
                ..=1 => format!("CPU {}", step.cpus.first()?),
                _ => "all CPUs".to_owned(),
            };
            let algorithm = step.variant.algorithm();
            let is_usual = step.threads <= 1 && algorithm.ends_with("-cbc");
            let name = match step.workload == WorkloadId::OpenSsl {
                true if is_usual => return None,
                true => format!("{} {place}", algorithm.to_uppercase()),
                // The built-in cipher has its own name.
                false if algorithm == Variant::AES_256_CBC.as_str() => {
                    format!("{} 256-CBC {place}", step.workload)
                }
                false => return None,
            };
            Some((name, kb_per_s, "kB/s"))
        }
        StepMeasurement::Compression(done) if step.variant == Variant::CORE_TYPE => {
            let cpus = record::cpu_list(&step.cpus);
            let name = format!("7-zip CPU {cpus}");
            Some((name, f64::from(done.total_mips), "MIPS"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::more_scores;
    use record::{Cipher, Record, StepMeasurement, Variant, WorkloadId};
    use testkit::records::{compression, own_run, with_step};

    fn cipher(record: Record, workload: WorkloadId, variant: Variant, cpus: &[u32]) -> Record {
        let measured = StepMeasurement::Cipher(Cipher {
            algorithm: variant.to_string(),
            rows: vec![(16, 1_000), (16_384, 7_654_321)],
        });
        with_step(record, workload, variant, cpus, (0.0, 1.0), measured)
    }

    #[test]
    fn additional_scores_are_shown() {
        let record = cipher(own_run(), WorkloadId::OpenSsl, Variant::AES_256_CBC, &[0]);
        assert_eq!(more_scores(&record), []);
        let record = cipher(record, WorkloadId::OpenSsl, Variant::AES_256_GCM, &[0]);
        let parallel = Variant::parallel(Variant::AES_256_CBC.as_str());
        let mut record = cipher(record, WorkloadId::OpenSsl, parallel, &[0, 1, 2, 3]);
        for mips in [5000, 5200, 5100] {
            let packed = compression(mips);
            record = with_step(record, WorkloadId::SevenZip, Variant::CORE_TYPE, &[2, 3], (1.0, 2.0), packed);
        }
        let record = cipher(record, WorkloadId::Aes, Variant::AES_256_CBC, &[0]);
        let words: Vec<String> =
            more_scores(&record).into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(
            words,
            [
                "AES-256-GCM CPU 0: 7654 kB/s",
                "AES-256-CBC all CPUs: 7654 kB/s",
                "7-zip CPU 2-3: 5100 MIPS (median of 5000, 5200, 5100)",
                "aes 256-CBC CPU 0: 7654 kB/s",
            ]
        );
    }
}
