//! Peak floating-point rate of cores: operations per cycle by `data/fma_units.tsv`, at the clocks that were measured between
//! the turns of a matrix multiplication.

use crate::stats::median;
use record::table::Table;
use record::{Cpu, Record, Series, Step, Total};

const TABLE: Table = Table::of(include_str!("../../../../data/fma_units.tsv"));

/// Peak GFLOPS of the CPUs of a step at their clocks; `None` if a core or its clock is unknown.
pub(crate) fn possible_gflops(record: &Record, step: &Step, series: &Series) -> Option<f64> {
    if step.cpus.is_empty() || record.machine.emulated_by().is_some() {
        return None;
    }
    let of_cpu = |number: &u32| {
        let cpu = record.machine.cpus.iter().find(|cpu| cpu.cpu == *number)?;
        // Threads of one core share its units.
        if cpu.siblings.iter().any(|sibling| sibling < number && step.cpus.contains(sibling)) {
            return Some(0.0);
        }
        let clock = series.clocks.iter().find(|clock| clock.cpu == *number)?;
        let khz: Vec<f64> = clock.khz.iter().map(|khz| f64::from(*khz)).collect();
        Some(per_cycle(cpu, step.variant.as_str())? * median(&khz)? / 1e6)
    };
    let of_cpus: Option<Vec<f64>> = step.cpus.iter().map(of_cpu).collect();
    Some(of_cpus?.into_iter().total())
}

/// Operations per cycle in a precision, which is a column of the table.
fn per_cycle(cpu: &Cpu, precision: &str) -> Option<f64> {
    let core = cpu.core_type.known()?;
    // `family 26 model 2 stepping 1`.
    let stepping = cpu.stepping.known().map_or("", String::as_str);
    let is_model = |model: &str| {
        let (family, model) = model.split_once('-').unwrap_or_default();
        stepping.starts_with(&format!("family {family} model {model} "))
    };
    let is_of = |models: &str| models == "-" || models.split(' ').any(is_model);
    let row = TABLE.rows().find(|row| row.get("core") == core && is_of(row.get("models")))?;
    ["fp64", "fp32"].contains(&precision).then(|| row.number(precision)).flatten().map(|operations| operations as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::own_run;
    use record::{ClockSeries, Fact, Outcome, StepMeasurement, Variant, WorkloadId};

    #[test]
    fn rows_have_a_source_and_single_precision_is_not_slower() {
        for row in TABLE.rows() {
            let at = row.line_number();
            let [double, single] = ["fp64", "fp32"].map(|column| row.number(column).unwrap_or_default());
            assert!(double > 0 && (double..=2 * double).contains(&single), "line {at}");
            assert!(!row.get("source").is_empty() && !row.get("core").is_empty(), "line {at}");
        }
    }

    /// Cores as `(type, stepping, siblings)`; all of them at 2 GHz.
    fn check(cores: &[(&str, &str, &[u32])], precision: &str, expected: Option<f64>) {
        let mut record = own_run();
        record.machine.cpus = (0..)
            .zip(cores)
            .map(|(cpu, (core, stepping, siblings))| Cpu {
                cpu,
                core_type: Fact::Known((*core).to_owned()),
                stepping: Fact::Known((*stepping).to_owned()),
                siblings: siblings.to_vec(),
                ..Cpu::default()
            })
            .collect();
        let cpus: Vec<u32> = record.machine.cpus.iter().map(|cpu| cpu.cpu).collect();
        let clocks = cpus.iter().map(|cpu| ClockSeries { cpu: *cpu, khz: vec![1_000_000, 2_000_000, 2_000_000] });
        let series = Series { clocks: clocks.collect(), ..Series::default() };
        let outcome = Outcome::Done(StepMeasurement::Series(series.clone()));
        let step = Step { cpus, ..Step::new(WorkloadId::Flops, 1, Variant::from(precision), outcome) };
        assert_eq!(possible_gflops(&record, &step, &series), expected, "{cores:?} {precision}");
    }

    #[test]
    fn units_are_added_up_by_core() {
        check(&[("Cortex-A76", "r4p1", &[])], "fp64", Some(16.0));
        check(&[("Cortex-A76", "r4p1", &[]), ("Cortex-A55", "r2p0", &[])], "fp32", Some(48.0));
        check(&[("Cortex-A76", "r4p1", &[]), ("Other", "r2p0", &[])], "fp64", None);
        check(&[("Zen 4", "", &[0, 1]), ("Zen 4", "", &[0, 1])], "fp64", Some(32.0));
        check(&[("Zen 5", "family 26 model 2 stepping 1", &[])], "fp64", Some(64.0));
        check(&[("Zen 5", "family 26 model 36 stepping 0", &[])], "fp64", None);
        check(&[("Cortex-A76", "r4p1", &[])], "core", None);
        check(&[], "fp64", None);
    }
}
