//! How much of a lower clock a score loses, by workload and by what lowers the clock: a score goes with the clock to
//! the power of its elasticity.

use record::Step;
use record::table::Table;

const TABLE: Table = Table::of(include_str!("../../../data/elasticity.tsv"));

/// Kind of limit that lowers a clock, by the other clocks that it lowers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limiter {
    /// The clock of the cores alone.
    Cores,
    /// The supply of a Raspberry Pi: memory is slowed down, too.
    Supply,
    /// A limit of an x86 package: its caches are slowed down, too.
    Package,
    /// CPUs stand still for a part of the time: a quota, or a board that is simulated by one.
    Duty,
}

/// Exponent with its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Elasticity {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// All work stops during the pauses.
const WHOLE: Elasticity = Elasticity { value: 1.0, low: 0.97, high: 1.03 };
/// Unknown: a score loses at most as much as the clock.
const UNKNOWN: Elasticity = Elasticity { value: 1.0, low: 0.0, high: 1.0 };

impl Elasticity {
    /// Elasticity of the workload of a step.
    pub(crate) fn of(step: &Step, limiter: Limiter) -> Self {
        let name = match limiter {
            Limiter::Duty => return WHOLE,
            Limiter::Cores => "cores",
            Limiter::Supply => "supply",
            Limiter::Package => "package",
        };
        let found = rows(step).find(|row| row.get("limiter") == name).and_then(|row| {
            let number = |column| row.get(column).parse().ok();
            Some(Self { value: number("exponent")?, low: number("low")?, high: number("high")? })
        });
        found.unwrap_or(UNKNOWN)
    }

    /// True if the elasticity of what a step measures is in the table.
    pub(crate) fn is_known(step: &Step) -> bool {
        rows(step).next().is_some()
    }
}

fn rows(step: &Step) -> impl Iterator<Item = record::table::Row<'static>> {
    let form = match (step.variant.is_single_of_any_kind(), step.variant.is_multi_of_any_kind()) {
        (true, _) => "single",
        (_, true) => "multi",
        _ => "-",
    };
    let workload = step.workload.to_string();
    TABLE.rows().filter(move |row| row.get("workload") == workload && [form, "-"].contains(&row.get("form")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::compression;
    use record::{Outcome, Variant, WorkloadId};

    #[test]
    fn every_row_is_found_by_its_step() {
        for row in TABLE.rows() {
            let limiter = match row.get("limiter") {
                "cores" => Limiter::Cores,
                "supply" => Limiter::Supply,
                "package" => Limiter::Package,
                other => panic!("{other}"),
            };
            let variant = match row.get("form") {
                "single" => Variant::SINGLE,
                "multi" => Variant::MULTI,
                _ => Variant::ONLY,
            };
            let step = Step::new(row.get("workload"), 1, variant, Outcome::Done(compression(1)));
            let found = Elasticity::of(&step, limiter);
            assert_eq!(found.value.to_string().parse::<f64>().ok(), row.get("exponent").parse().ok());
            assert!(found.low <= found.value && found.value <= found.high, "line {}", row.line_number());
        }
        let step = Step::new(WorkloadId::MemoryLatency, 1, Variant::ONLY, Outcome::Done(compression(1)));
        assert_eq!(Elasticity::of(&step, Limiter::Cores), UNKNOWN);
    }
}
