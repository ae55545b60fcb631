//! Scores of programs of the user's own, and of other loads that print numbers: repetitions put
//! together, with the interval of their median.

use super::flops::possible_gflops;
use super::phases::step_name;
use crate::number::{number, with_unit};
use crate::stats::{MedianInterval, median, median_interval};
use record::{Outcome, Record, Step, StepMeasurement, WorkloadId};

/// One score of one program over all its repetitions.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramScore {
    /// Program with its arguments, plus the name of the score if there are several.
    pub name: String,
    /// Every repetition, in order.
    pub values: Vec<f64>,
    /// Median of the repetitions.
    pub median: f64,
    /// The 95 % interval of the median, from six repetitions on.
    pub interval: Option<MedianInterval>,
    /// Unit of the score.
    pub unit: String,
    /// Peak rate of the cores in this unit, if known.
    pub possible: Option<f64>,
    /// True for the values of a series.
    pub is_series: bool,
}

/// Every score of every program, in the order of their first runs.
pub(crate) fn programs(record: &Record) -> Vec<ProgramScore> {
    let mut programs: Vec<ProgramScore> = Vec::new();
    for (step, score) in
        record.steps.iter().flat_map(|step| of_step(record, step).into_iter().map(move |score| (step, score)))
    {
        let place =
            if step.cpus.is_empty() { String::new() } else { format!(" on CPU {}", record::cpu_list(&step.cpus)) };
        let name = format!("{}{place} {}", step_name(step), score.name);
        let name = name.trim_end();
        match programs.iter_mut().find(|known| known.name == name) {
            Some(known) => known.values.extend(score.values),
            None => programs.push(ProgramScore { name: name.to_owned(), ..score }),
        }
    }
    for program in &mut programs {
        program.median = median(&program.values).unwrap_or(program.median);
        program.interval = median_interval(&program.values, 95.0);
    }
    programs
}

fn of_step(record: &Record, step: &Step) -> Vec<ProgramScore> {
    let one = |name: &str, values: &[f64], unit: &str| ProgramScore {
        name: name.to_owned(),
        values: values.to_vec(),
        median: median(values).unwrap_or_default(),
        interval: None,
        unit: unit.to_owned(),
        possible: None,
        is_series: false,
    };
    match &step.outcome {
        Outcome::Done(StepMeasurement::Scores(scores)) => {
            let scores = scores.rows.iter();
            scores.map(|score| one(&score.name, &[score.value], &score.unit)).collect()
        }
        Outcome::Done(StepMeasurement::Series(series)) if step.workload == WorkloadId::Flops => {
            let possible = possible_gflops(record, step, series);
            vec![ProgramScore { possible, is_series: true, ..one("", series.settled(), &series.unit) }]
        }
        _ => Vec::new(),
    }
}

/// Remarks on scores, one line for each program: their meaning, and the reference that the program names.
pub(crate) fn remarks(record: &Record) -> Vec<String> {
    let mut remarks: Vec<String> = Vec::new();
    for step in &record.steps {
        let Outcome::Done(StepMeasurement::Scores(scores)) = &step.outcome else {
            continue;
        };
        let words = [&scores.detail].into_iter().chain(&scores.links);
        let words: Vec<&str> = words.map(String::as_str).filter(|w| !w.is_empty()).collect();
        let remark = format!("{}: {}", step_name(step), words.join(" "));
        if !words.is_empty() && !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
    remarks
}

impl ProgramScore {
    /// `12.5 s (median of 8 runs, 95 % interval 12.4 to 12.7)`, `0.102 s ±0.4 % (median of 3 runs ± half their range)`
    pub fn words(&self) -> String {
        let number = |value: f64| number(value, &self.unit);
        let repeated = match (self.values.len(), self.interval) {
            (1, _) => String::new(),
            (n, None) => {
                let half = half_range_percent(&self.values, self.median);
                half.map_or_else(String::new, |half| format!(" ±{half:.1} %"))
                    + &format!(" (median of {n} runs ± half their range)")
            }
            (n, Some(interval)) => {
                format!(" (median of {n} runs, 95 % interval {} to {})", number(interval.low), number(interval.high))
            }
        };
        let share = self.possible_percent();
        let share = share.map_or_else(String::new, |share| format!(", {share:.0} % of what the cores can do"));
        with_unit(self.median, &self.unit) + &repeated + &share
    }

    /// Median in percent of the peak rate of the cores.
    pub fn possible_percent(&self) -> Option<f64> {
        self.possible.filter(|possible| *possible > 0.0).map(|possible| 100.0 * self.median / possible)
    }
}

/// Half the distance from the lowest to the highest of a few values, in percent of their median.
fn half_range_percent(values: &[f64], median: f64) -> Option<f64> {
    let [low, high] = [f64::min, f64::max].map(|pick| values.iter().copied().reduce(pick));
    let half = (high? - low?) / 2.0;
    (median != 0.0).then_some(100.0 * half / median.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{own_run, with_step};
    use record::{ClockSeries, Fact, Score, Scores, Series, Variant, WorkloadId};

    #[test]
    fn repetitions_are_one_score() {
        let mut record = own_run();
        for value in [2.0, 3.0, 2.5, 2.25, 2.75, 2.6] {
            let row = Score { name: String::new(), value, unit: "s".into(), higher_is_better: false };
            let scores = StepMeasurement::Scores(Scores { rows: vec![row], ..Scores::default() });
            record = with_step(record, "make", "-j4", &[], (0.0, 1.0), scores);
        }
        assert_eq!(remarks(&record), [""; 0]);
        let programs = programs(&record);
        assert_eq!(programs.len(), 1);
        assert_eq!(programs[0].name, "make -j4");
        let few =
            ProgramScore { values: vec![0.102, 0.101, 0.103], median: 0.102, interval: None, ..programs[0].clone() };
        assert_eq!(few.words(), "0.102 s ±1.0 % (median of 3 runs ± half their range)");
        let one = ProgramScore { values: vec![0.102], ..few };
        assert_eq!(one.words(), "0.102 s");
        assert_eq!(programs[0].words(), "2.55 s (median of 6 runs, 95 % interval 2.00 to 3.00)");
    }

    #[test]
    fn turns_of_a_multiplication_are_one_score_with_its_share() {
        let mut record = own_run();
        let cpu = &mut record.machine.cpus[0];
        (cpu.cpu, cpu.core_type, cpu.siblings) = (0, Fact::Known("Cortex-A76".into()), vec![0]);
        let clocks = vec![ClockSeries { cpu: 0, khz: vec![2_000_000; 3] }];
        let series = Series { unit: "GFLOPS".into(), values: vec![11.9, 12.0, 12.1], clocks, ..Series::default() };
        let measured = StepMeasurement::Series(series);
        record = with_step(record, WorkloadId::Flops, "fp64", &[0], (0.0, 1.0), measured.clone());
        record = with_step(record, WorkloadId::Simd, "", &[0], (1.0, 2.0), measured);
        let programs = programs(&record);
        assert_eq!(programs.len(), 1, "other series are no programs");
        assert_eq!(programs[0].name, "flops fp64 on CPU 0");
        assert_eq!(
            programs[0].words(),
            "12.1 GFLOPS ±0.4 % (median of 2 runs ± half their range), 75 % of what the cores can do"
        );
    }

    #[test]
    fn remark_is_made_once() {
        let mut record = own_run();
        for _ in 0..2 {
            let scores = StepMeasurement::Scores(Scores {
                detail: "at its link".into(),
                links: vec!["https://example.org/1".into()],
                ..Scores::default()
            });
            let (workload, variant) = (WorkloadId::Geekbench, Variant::ONLY);
            record = with_step(record, workload, variant, &[], (0.0, 1.0), scores);
        }
        assert_eq!(remarks(&record), ["geekbench: at its link https://example.org/1"]);
    }
}
