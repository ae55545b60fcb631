//! Loss of a score at a lower clock, by workload and by what lowers the clock: a score follows the clock to the power
//! of its elasticity.

use record::table::{Row, Table};
use record::{Step, WorkloadName};

const TABLE: Table = Table::of(include_str!("../../../../data/elasticity.tsv"));

/// Kind of limit that lowers a clock, by the other clocks that it lowers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limiter {
    /// The clock of the cores alone.
    Cores,
    /// The supply of a Raspberry Pi: memory is slowed down, too.
    Supply,
    /// A limit of an x86 package: its caches are slowed down, too.
    Package,
    /// CPUs stand still for part of the time: a quota, or a board simulated by one.
    Duty,
    /// Another board of the same kind with another clock.
    Boards,
    /// Memory in place of the clock of the cores.
    Memory,
}

impl Limiter {
    /// Limiter of this id.
    pub fn parse(id: &str) -> Option<Self> {
        [Self::Cores, Self::Supply, Self::Package, Self::Boards, Self::Memory]
            .into_iter()
            .find(|one| one.as_str() == id)
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Cores => "cores",
            Self::Supply => "supply",
            Self::Package => "package",
            Self::Duty => "duty",
            Self::Boards => "boards",
            Self::Memory => "memory",
        }
    }
}

/// Exponent with its bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elasticity {
    /// Exponent.
    pub value: f64,
    /// Its lower bound.
    pub low: f64,
    /// Its upper bound.
    pub high: f64,
}

/// All work stops during the pauses.
const WHOLE: Elasticity = Elasticity { value: 1.0, low: 0.97, high: 1.03 };
/// Unknown: a score loses at most as much as the clock.
const UNKNOWN: Elasticity = Elasticity { value: 1.0, low: 0.0, high: 1.0 };

impl Elasticity {
    /// Elasticity of the workload of a step.
    pub fn of(step: &Step, limiter: Limiter) -> Self {
        Self::of_form(&step.workload, form(step), limiter)
    }

    /// Elasticity of a score of one core or of all CPUs.
    pub fn of_score(workload: &WorkloadName, is_single: bool, limiter: Limiter) -> Self {
        Self::of_form(workload, if is_single { "single" } else { "multi" }, limiter)
    }

    fn of_form(workload: &WorkloadName, form: &str, limiter: Limiter) -> Self {
        if limiter == Limiter::Duty {
            return WHOLE;
        }
        let found = row(&workload.to_string(), form, limiter).or_else(|| row("any", form, limiter)).and_then(|row| {
            let number = |column| row.get(column).parse().ok();
            Some(Self { value: number("exponent")?, low: number("low")?, high: number("high")? })
        });
        found.unwrap_or(UNKNOWN)
    }

    /// True if the elasticity of what a step measures is in the table.
    pub fn is_known(step: &Step) -> bool {
        row(&step.workload.to_string(), form(step), Limiter::Cores).is_some()
    }
}

fn form(step: &Step) -> &'static str {
    match (step.variant.is_single_of_any_kind(), step.variant.is_multi_of_any_kind()) {
        (true, _) => "single",
        (_, true) => "multi",
        _ => "-",
    }
}

fn row(workload: &str, form: &str, limiter: Limiter) -> Option<Row<'static>> {
    let is_of = |row: &Row<'_>| row.get("workload") == workload && [form, "-"].contains(&row.get("form"));
    TABLE.rows().find(|row| is_of(row) && row.get("limiter") == limiter.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::compression;
    use record::{Outcome, Variant, WorkloadId};

    #[test]
    fn every_row_is_found_by_its_step() {
        for row in TABLE.rows() {
            let limiter = Limiter::parse(row.get("limiter")).unwrap();
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
