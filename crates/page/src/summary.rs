//! Top of the page: board, verdict in one sentence, main figures.

use crate::order::rank;
use crate::{Subject, rank};
use compare::Neighbours;
use explain::Narrative;
use facts::view::whole_run;
use facts::{Figure, Verdict};
use maud::{Markup, html};
use record::{Arrange, Record, Source};

/// Maximum number of figures, without the maximum temperature.
const FACTS_MAX: usize = 8;

/// Name of the machine.
pub(crate) fn name(record: &Record) -> String {
    let machine = &record.machine;
    let name = facts::machine_name(machine).or(machine.soc.known());
    name.map_or_else(|| "Unknown board".into(), |name| facts::plain(name))
}

pub(crate) fn top(subject: &Subject<'_>) -> Markup {
    let facts = subject.facts;
    let (look, sentence) = verdict(subject);
    let highlights = highlights(subject);
    let is_usable = subject.explained.verdict != Verdict::Invalid && facts.machine.emulated_by().is_none();
    html! {
        h1 { (name(facts)) }
        p.soft { (line(facts)) }
        p.verdict.(look) { (sentence) }
        @if let (Some(found), true) = (&subject.ranking.neighbours, is_usable) { (neighbours(found)) }
        @if !highlights.is_empty() {
            dl.facts {
                @for (name, value, small) in highlights {
                    div { dt { (name) } dd { (value) @if !small.is_empty() { span.small { (small) } } } }
                }
            }
        }
    }
}

/// Bars of this board and of those next to it.
fn neighbours(neighbours: &Neighbours) -> Markup {
    let most = neighbours.bars.iter().map(|bar| bar.mips).fold(f64::MIN_POSITIVE, f64::max);
    html! {
        table.boards {
            caption { "7-zip on all CPUs, in MIPS" }
            @for bar in &neighbours.bars {
                tr.this[bar.is_this] {
                    th scope="row" { (bar.name) @if bar.results > 1 { span.small { " (" (bar.results) ")" } } }
                    td { (format!("{:.0}", bar.mips.round())) }
                    td { div style=(format!("width:{:.0}%", 100.0 * bar.mips / most)) {} }
                }
            }
        }
    }
}

/// Verdict as a class of the style and in words; for a recording, the monitored command.
pub(crate) fn verdict(subject: &Subject<'_>) -> (String, String) {
    let (facts, explained) = (subject.facts, subject.explained);
    if facts.run.is_monitoring() {
        return ("watched".to_owned(), explain::watched::watched(facts));
    }
    let told = Narrative::of(facts, explained);
    let sentences = [&told.verdict].into_iter().chain(&told.answers).chain(&told.ledgers).chain(&told.neighbours);
    (explained.verdict.to_string(), sentences.map(String::as_str).collect::<Vec<_>>().join(" "))
}

/// SoC, kernel, distribution, date and program on one line.
pub(crate) fn line(record: &Record) -> String {
    let machine = &record.machine;
    let date = explain::monitor::day(record);
    let program = match &record.source {
        Source::Run { version, .. } => Some(format!("sbc-bench {version}")),
        Source::Log(log) => Some(format!("log of sbc-bench {}", log.version).trim_end().to_owned()),
    };
    let soc = machine.soc.known().filter(|soc| facts::machine_name(machine) != Some(*soc)).cloned();
    let kernel = machine.kernel_release.known().map(|release| format!("Linux {release}"));
    let parts = [soc, kernel, machine.distribution.known().cloned(), date, program];
    let told: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    facts::plain(&told.join(" · "))
}

/// Main figures, then the maximum temperature.
pub(crate) fn highlights(subject: &Subject<'_>) -> Vec<(String, String, String)> {
    let facts = subject.facts;
    let mut best: Vec<&Figure> = Vec::new();
    for figure in subject.facts.figures().iter().filter(|figure| figure.is_main) {
        match best.iter_mut().find(|known| known.key == figure.key) {
            Some(known) if figure.gain_percent(known.value) > Some(0.0) => *known = figure,
            Some(_) => {}
            None => best.push(figure),
        }
    }
    let mut ranked: Vec<(usize, &Figure)> =
        best.into_iter().filter_map(|figure| Some((rank(&figure.key)?, figure))).collect();
    ranked.arrange_by_key(|(rank, _)| *rank);
    let fact = |(_, figure): &(usize, &Figure)| {
        (figure.name(), facts::with_unit(figure.value, &figure.unit), small(subject, figure))
    };
    let mut highlights: Vec<(String, String, String)> = ranked.iter().take(FACTS_MAX).map(fact).collect();
    if let Some(heat) = facts.heat(&whole_run()) {
        let idle = facts.idle().filter(|idle| idle.is_before_load);
        let small = idle.map_or(String::new(), |idle| format!("{} before the first load", degrees(idle.millicelsius)));
        highlights.push(("Highest temperature".into(), degrees(heat.millicelsius_max), small));
    }
    if subject.explained.verdict == Verdict::Invalid {
        highlights.iter_mut().for_each(|(_, _, small)| *small = format!("not valid. {small}").trim_end().to_owned());
    }
    highlights
}

/// Uncertainty of the value, and its rank.
fn small(subject: &Subject<'_>, figure: &Figure) -> String {
    let place = (subject.explained.verdict != Verdict::Invalid).then(|| rank::words(&subject.ranking, figure));
    let told = [place.flatten().unwrap_or_default(), interval(subject.facts, figure).unwrap_or_else(|| spread(figure))];
    told.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join("; ")
}

/// The 95 % interval of the median, if the figure has enough repetitions.
fn interval(record: &Record, figure: &Figure) -> Option<String> {
    let repeated = &record.steps.get(figure.step)?.repeated;
    let [repeated] = repeated.as_slice() else {
        return None;
    };
    let [group] = repeated.groups.as_slice() else {
        return None;
    };
    let half = group.half_width().filter(|_| repeated.unit == figure.unit)?;
    Some(format!("{} repetitions, 95 % interval ± {:.1} %", repeated.n, 100.0 * half))
}

fn spread(figure: &Figure) -> String {
    match (figure.spread_percent, figure.repetitions) {
        (Some(spread), count) if count > 1 => format!("{count} repetitions, standard deviation {spread:.1} %"),
        (Some(spread), _) => format!("standard deviation {spread:.1} %"),
        (None, _) => String::new(),
    }
}

fn degrees(millicelsius: i64) -> String {
    format!("{:.1} °C", millicelsius as f64 / 1000.0)
}
