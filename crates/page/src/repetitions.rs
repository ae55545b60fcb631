//! Section: every repetition of every score as a dot, in percent of the best.

use crate::draw::table::{cell, table, text};
use crate::draw::{Area, Plot, Scale, WIDTH, axis_x, linear_ticks, n, named, width_of, word};
use crate::{Section, Subject};
use facts::view::{self, StepScore};
use maud::{Markup, html};
use record::{Record, Step};

pub(crate) const SECTION: Section = Section {
    plots: |subject| plot(&rows(subject.facts)).into_iter().collect(),
    ..Section::folded("repetitions", "Repetitions", body)
};

const ROW: f64 = 24.0;
const LEFT: f64 = 330.0;
const NAME_MAX: usize = 44;

/// Score with its repetitions in order.
struct Row {
    name: String,
    scores: Vec<StepScore>,
}

fn rows(record: &Record) -> Vec<Row> {
    let cpu_count = view::cpu_count(record).unwrap_or(0) as usize;
    let mut rows: Vec<(&Step, Row)> = Vec::new();
    for step in &record.steps {
        let Some(score) = view::step_score(step) else {
            continue;
        };
        let same = |other: &Step| {
            other.workload == step.workload
                && other.variant == step.variant
                && other.cpus == step.cpus
                && other.method == step.method
                && other.set_clock == step.set_clock
        };
        match rows.iter_mut().find(|(first, row)| same(first) && row.scores[0].unit == score.unit) {
            Some((_, row)) => row.scores.push(score),
            None => {
                let on = match step.cpus.as_slice() {
                    [] => String::new(),
                    cpus if cpus.len() >= cpu_count => String::new(),
                    cpus => format!(" on CPU {}", record::cpu_list(cpus)),
                };
                let name = facts::plain(&format!("{}{on}", view::step_name(step)));
                let name = name.chars().take(NAME_MAX).collect();
                rows.push((step, Row { name, scores: vec![score] }));
            }
        }
    }
    rows.into_iter().map(|(_, row)| row).filter(|row| row.scores.len() > 1).collect()
}

fn plot(rows: &[Row]) -> Option<Plot> {
    let shares: Vec<Vec<f64>> = rows.iter().map(|row| shares(&row.scores)).collect();
    let least = shares.iter().flatten().copied().reduce(f64::min)?;
    let area = Area { left: LEFT, right: WIDTH - 110.0, top: 8.0, bottom: 8.0 + ROW * rows.len() as f64 };
    let ticks = linear_ticks((least.min(99.0), 100.0), 6);
    let scale = Scale::linear((ticks[0], 100.0), (area.left, area.right));
    let named: Vec<(f64, String)> = named(&ticks).into_iter().filter(|(tick, _)| *tick <= 100.0).collect();
    let shapes = html! {
        @for (index, (row, shares)) in rows.iter().zip(&shares).enumerate() {
            @let y = area.top + ROW * (index as f64 + 0.5);
            line.grid x1=(n(area.left)) x2=(n(area.right)) y1=(n(y)) y2=(n(y)) {}
            (word(area.left - 10.0, y + 4.0, "end", &row.name))
            @for (share, score) in shares.iter().zip(&row.scores) {
                circle.dot cx=(n(scale.at(*share))) cy=(n(y)) r="4.5" { title { (facts::with_unit(score.value, &score.unit)) } }
            }
            @let best = best(&row.scores);
            g.axis { (word(WIDTH - 4.0, y + 4.0, "end", &fit(&facts::with_unit(best, &row.scores[0].unit)))) }
        }
        (axis_x(area, &scale, &named, "percent of the best repetition, which stands at the right"))
    };
    let title = "Repetitions of each score in percent of the best";
    Some(Plot::of("repetitions", title, area.bottom + 44.0, shapes))
}

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let rows = rows(subject.facts);
    let plot = plot(&rows)?;
    let told = |row: &Row| {
        row.scores.iter().map(|score| facts::number(score.value, &score.unit)).collect::<Vec<_>>().join(", ")
    };
    let value = |row: &Row| vec![cell(&row.name), cell(facts::plain(&row.scores[0].unit)), cell(told(row))];
    let values: Vec<_> = rows.iter().map(value).collect();
    Some(html! {
        (plot.on_page())
        details {
            summary { "Values" }
            (table("", &[text("Score"), text("Unit"), text("Repetitions in their order")], &values))
        }
    })
}

fn fit(text: &str) -> String {
    let fitting = (100.0 / width_of("n")) as usize;
    text.chars().take(fitting).collect()
}

/// Best value: the highest, or the lowest if lower is better.
fn best(scores: &[StepScore]) -> f64 {
    let values = scores.iter().map(|score| score.value);
    let best = if scores[0].higher_is_better { values.reduce(f64::max) } else { values.reduce(f64::min) };
    best.unwrap_or_default()
}

/// Each repetition in percent of the best.
fn shares(scores: &[StepScore]) -> Vec<f64> {
    let best = scores.iter().map(StepScore::rate).reduce(f64::max).unwrap_or(1.0);
    scores.iter().map(|score| 100.0 * score.rate() / best).collect()
}
