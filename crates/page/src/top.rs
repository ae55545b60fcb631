//! The top of the page: which board, the verdict in one sentence, the main figures.

use crate::Subject;
use explain::view::{self, whole_run};
use explain::{Figure, Told, Verdict};
use maud::{Markup, html};
use record::{Record, Source, Variant, WorkloadId};

/// The highest temperature comes behind them.
const FACTS_MAX: usize = 8;

/// What the machine is called.
pub(crate) fn name(record: &Record) -> String {
    let machine = &record.machine;
    let name = machine.name().or(machine.soc.known());
    name.map_or_else(|| "Unknown board".into(), |name| explain::plain(name))
}

pub(crate) fn top(subject: &Subject<'_>) -> Markup {
    let (record, explained) = (subject.record, subject.explained);
    let facts = facts(subject);
    html! {
        h1 { (name(record)) }
        p.soft { (line(record)) }
        @if record.run.is_monitoring() {
            p.verdict { (explain::watched::watched(record)) }
        } @else {
            p.verdict.(explained.verdict.to_string()) {
                @let told = Told::of(record, explained);
                (told.verdict)
                @for sentence in told.answers.iter().chain(&told.ledgers) { " " (sentence) }
            }
        }
        @if !facts.is_empty() {
            dl.facts {
                @for (name, value, small) in facts {
                    div { dt { (name) } dd { (value) @if !small.is_empty() { span.small { (small) } } } }
                }
            }
        }
    }
}

/// SoC, kernel, distribution, date and program on one line.
fn line(record: &Record) -> String {
    let machine = &record.machine;
    let date = explain::monitor::day(record);
    let program = match &record.source {
        Source::Run { version, .. } => Some(format!("sbc-bench {version}")),
        Source::Log(log) => Some(format!("log of sbc-bench {}", log.version).trim_end().to_owned()),
    };
    let soc = machine.soc.known().filter(|soc| machine.name() != Some(*soc)).cloned();
    let kernel = machine.kernel_release.known().map(|release| format!("Linux {release}"));
    let parts = [soc, kernel, machine.distribution.known().cloned(), date, program];
    let told: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    explain::plain(&told.join(" · "))
}

/// Main figures, then the highest temperature.
fn facts(subject: &Subject<'_>) -> Vec<(String, String, String)> {
    let record = subject.record;
    let mut best: Vec<&Figure> = Vec::new();
    for figure in subject.figures.iter().filter(|figure| figure.is_main) {
        match best.iter_mut().find(|known| known.key == figure.key) {
            Some(known) if figure.gain_percent(known.value) > Some(0.0) => *known = figure,
            Some(_) => {}
            None => best.push(figure),
        }
    }
    let mut ranked: Vec<(usize, &Figure)> =
        best.into_iter().filter_map(|figure| Some((rank(figure)?, figure))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    let fact = |(_, figure): &(usize, &Figure)| {
        (figure.name(), format!("{} {}", number(figure.value), figure.unit), small(figure))
    };
    let mut facts: Vec<(String, String, String)> = ranked.iter().take(FACTS_MAX).map(fact).collect();
    if let Some(heat) = view::heat(record, whole_run()) {
        let readings = record.samples.channel(&heat.channel);
        let coolest = readings.and_then(|channel| channel.values.iter().flatten().min().copied());
        let small = coolest.map_or(String::new(), |low| format!("lowest {}", degrees(low)));
        facts.push(("Highest temperature".into(), degrees(heat.millicelsius_max), small));
    }
    if subject.explained.verdict == Verdict::Invalid {
        facts.iter_mut().for_each(|(_, _, small)| *small = format!("not valid. {small}").trim_end().to_owned());
    }
    facts
}

/// Where a figure stands among the main ones; none for those that have a section of their own.
fn rank(figure: &Figure) -> Option<usize> {
    let key = &figure.key;
    let is = |workload: WorkloadId, form: &Variant| key.is_of(workload) && key.is_form(form);
    let of_memory = key.workload().is_of_memory();
    match key.workload().id() {
        Some(WorkloadId::Clock) => None,
        Some(WorkloadId::SevenZip) if is(WorkloadId::SevenZip, &Variant::MULTI) => Some(0),
        Some(WorkloadId::SevenZip) => Some(1),
        Some(WorkloadId::MemoryLibc) if key.name() == "copy" => Some(2),
        Some(WorkloadId::MemoryLibc) => Some(3),
        Some(WorkloadId::OpenSsl) if key.as_str().contains("aes-256") => Some(4),
        Some(WorkloadId::OpenSsl) => None,
        _ if of_memory => None,
        _ => Some(5),
    }
}

fn small(figure: &Figure) -> String {
    match (figure.spread_percent, figure.repetitions) {
        (Some(spread), count) if count > 1 => format!("{count} repetitions, standard deviation {spread:.1} %"),
        (Some(spread), _) => format!("standard deviation {spread:.1} %"),
        (None, _) => String::new(),
    }
}

fn degrees(millicelsius: i64) -> String {
    format!("{:.1} °C", millicelsius as f64 / 1000.0)
}

/// Three digits at least, groups of thousands: `14,907`, `9.53`.
pub(crate) fn number(value: f64) -> String {
    let text = match value.abs() {
        large if large >= 100.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    let (whole, decimals) = text.split_once('.').map_or((text.as_str(), ""), |(whole, rest)| (whole, rest));
    let digits = whole.trim_start_matches('-').len();
    let mut grouped = String::new();
    for (index, c) in whole.trim_start_matches('-').chars().enumerate() {
        if index > 0 && (digits - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(c);
    }
    let sign = if whole.starts_with('-') { "-" } else { "" };
    if decimals.is_empty() { format!("{sign}{grouped}") } else { format!("{sign}{grouped}.{decimals}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_groups() {
        for (value, words) in
            [(14907.4, "14,907"), (9.529, "9.53"), (61.22, "61.2"), (-1234567.0, "-1,234,567"), (0.0, "0.00")]
        {
            assert_eq!(number(value), words);
        }
    }
}
