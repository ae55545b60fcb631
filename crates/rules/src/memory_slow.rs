//! Rule: memory-slow. Memory is slower than on other boards with the same SoC.
//!
//! The SoC limits its memory; board, firmware and kernel settings decide how much of it is reached. A low DRAM clock,
//! one channel instead of two or a slow DRAM governor cost more than any setting of the cores and show nowhere else.
//! The rule cannot tell which, so it changes no verdict.

use super::place::step_place;
use super::{Rule, Subject, slowdown};
use compare::reference::Reference;
use facts::stats::mean;
use facts::{Facts, Figure, Finding, Quantity, Severity, view};
use record::RuleId;

pub(super) const RULE: Rule = Rule { subjects: &[Subject::Memory], ..Rule::new(RuleId::own("memory-slow"), check) };

/// Memory chips alone account for differences of 10 to 15 % between boards with one SoC.
const LOSS_PERCENT_MIN: f64 = 20.0;
/// Minimum number of results for a comparison.
const SURE_PERCENT: u8 = 70;

fn check(facts: &Facts<'_>) -> Vec<Finding> {
    judged(facts, facts.known_figures(), Reference::builtin)
}

fn judged<'a>(facts: &Facts<'_>, figures: &[Figure], reference: impl FnOnce() -> &'a Reference) -> Vec<Finding> {
    let is_memory =
        |figure: &&Figure| figure.is_main && figure.not_comparable.is_none() && figure.key.workload().is_of_memory();
    let memory: Vec<&Figure> = figures.iter().filter(is_memory).collect();
    // Most runs of one command have no figures, and reading the reference tables takes milliseconds.
    if memory.is_empty() {
        return Vec::new();
    }
    let Some(soc) = facts.soc().known() else { return Vec::new() };
    let reference = reference();
    let judged = memory.into_iter().filter_map(|figure| {
        let core_type = figure.core.as_ref().and_then(|core| core.core_type.as_deref());
        let usual = reference.usual_of_soc(soc, core_type, &figure.key)?;
        // Twice the latency and half the rate are the same loss.
        let loss_percent = -figure.gain_percent(usual.median)?;
        Some((figure, usual, loss_percent))
    });
    let judged: Vec<_> = judged.collect();
    // Clusters share their memory: if one of them reaches the usual speed, so does the memory.
    let is_usual = |key| judged.iter().any(|(figure, _, loss)| figure.key == key && *loss < LOSS_PERCENT_MIN);
    let slow = judged.iter().filter(|(figure, _, loss)| {
        *loss >= LOSS_PERCENT_MIN && !is_usual(figure.key.clone()) && !is_disturbed(facts, figure.step)
    });
    // Bandwidth and latency are correlated: the worst figure represents both.
    let worst = slow.max_by(|(_, _, a), (_, _, b)| a.total_cmp(b));
    let Some((figure, usual, percent)) =
        worst.and_then(|(figure, usual, _)| Some((figure, usual, figure.change_from(usual.median).percent()?)))
    else {
        return Vec::new();
    };
    let above = if percent < 0.0 { "below" } else { "above" };
    let score = |value: f64| Quantity::Score(value, figure.unit.clone());
    let finding = Finding::new(
        RULE.id,
        Severity::Info,
        "Memory is slow for this SoC: {figure} is {value}, {change} {above} the median of {results} results ({usual}). \
         Boards with one SoC can have different memory: compare its type, clock and governor.",
    );
    vec![
        finding
            .confidence(SURE_PERCENT)
            .with("figure", Quantity::Text(figure.name()))
            .with("value", score(figure.value))
            .with("usual", score(usual.median))
            .with("change", Quantity::Percent(percent.abs()))
            .with("above", Quantity::Text(above.into()))
            .with("results", Quantity::Count(usual.rows as i64))
            .with("boards", Quantity::Count(usual.boards as i64))
            .of([figure.step])
            .at(step_place(facts, figure.step)),
    ]
}

/// Other tasks that use this many CPUs also use bandwidth.
const OTHERS_CPUS: f64 = 0.25;

/// True if a step ran hot or with other tasks: its figures then say nothing about memory.
fn is_disturbed(facts: &Facts<'_>, step: usize) -> bool {
    let Some(step) = facts.steps.get(step) else { return false };
    let heat = facts.heat(&step.window);
    let is_hot = heat.is_some_and(|heat| heat.millicelsius_max >= slowdown::hot_millicelsius(facts));
    let busy: Vec<f64> = facts.cpu_use(&step.window).iter().map(|usage| usage.busy).collect();
    let cpus = f64::from(view::cpu_count(facts).unwrap_or(1));
    let others = mean(&busy).map(|busy| busy * cpus / 100.0 - f64::from(view::busy_cpus_expected(step)));
    is_hot || others.is_some_and(|others| others >= OTHERS_CPUS)
}

#[cfg(test)]
mod tests {
    use super::judged;
    use crate::test_support::{own_run, with_step};
    use compare::reference::{Reference, parse};
    use facts::{Facts, Finding};
    use record::{Bandwidth, BandwidthRow, Fact, MemoryOperation, Record, StepMeasurement, Variant, WorkloadId};

    fn copies(mb_per_s: u64) -> Record {
        let rows = vec![BandwidthRow {
            routine: "copy".into(),
            operation: MemoryOperation::Copy,
            bytes_per_s: vec![mb_per_s * 1_000_000; 3],
            printed_deviation_percent: None,
            line: None,
        }];
        let measured = StepMeasurement::Bandwidth(Bandwidth { rows, ..Bandwidth::default() });
        let mut record = with_step(own_run(), WorkloadId::MemoryBandwidth, Variant::ONLY, &[0], (1.0, 2.0), measured);
        record.machine.soc = Fact::Known("Rockchip RK3399".into());
        record
    }

    /// Three boards with one SoC and figures like those of the Record at 4000 MB/s.
    fn reference(boards: &[(&str, u32)]) -> Reference {
        let record = copies(4000);
        let facts = Facts::of(&record);
        let figure = facts.figures().iter().find(|figure| figure.is_main);
        let figure = figure.expect("bandwidth is a main figure");
        let core = figure.core.as_ref().and_then(|core| core.core_type.clone());
        let mut text =
            format!("board\tsoc\tcores\tkernel\tdistribution\tdate\tversion\tverdict\t{}/core\tsource\n", figure.key);
        for (board, value) in boards {
            text.push_str(&format!(
                "{board}\tRK3399\t4x {}\t-\t-\t-\t-\tvalid\t{value}\tx\n",
                core.as_deref().unwrap_or("-")
            ));
        }
        Reference::of(parse(&text).unwrap())
    }

    #[test]
    fn memory_is_judged_by_boards_with_the_same_soc() {
        let usual = [("a", 4000), ("b", 4100), ("c", 3900)];
        let sentences = |mb_per_s, boards: &[(&str, u32)]| -> Vec<String> {
            let reference = reference(boards);
            let record = copies(mb_per_s);
            let found = judged(&Facts::of(&record), Facts::of(&record).figures(), || &reference);
            found.iter().map(Finding::sentence).collect()
        };
        let found = sentences(2000, &usual);
        assert!(found[0].contains("is 2000 MB/s, 50 % below the median of 3 results (4000 MB/s)."), "{found:?}");
        assert_eq!(sentences(3400, &usual), [""; 0]);
        assert_eq!(sentences(8000, &usual), [""; 0]);
        assert_eq!(sentences(2000, &usual[..2]), [""; 0]);
        let mut unknown = copies(2000);
        unknown.machine.soc = Fact::not_reached();
        let usual = reference(&usual);
        assert_eq!(judged(&Facts::of(&unknown), Facts::of(&unknown).figures(), || &usual), []);
    }
}
