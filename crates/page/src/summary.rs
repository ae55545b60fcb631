//! Top of the page: board, verdict in one sentence, main figures.

use crate::clocks::core_type;
use crate::ledger::losses;
use crate::order::rank;
use crate::{Section, Subject, rank};
use compare::Neighbours;
use facts::figures::FigureKey;
use facts::view::whole_run;
use facts::{Facts, Figure, Verdict};
use maud::{Markup, html};
use record::{MemoryOperation, Record, Source, StableSort, Variant, WorkloadId};

pub(crate) const SECTION: Section = Section::of("main-figures", "Main figures", body);

/// Position of the memory copy among the figures.
const COPY: usize = 3;
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
    html! {
        h1 { (name(facts)) }
        p.soft { (machine_line(facts)) }
        p.soft { (line(facts)) }
        div.verdict.(look) {
            @let (first, rest) = first_sentence(&sentence);
            p { b { (first) } (rest) }
            @for answer in &subject.narrative.answers { p { (facts::harmless(answer)) } }
            (losses(subject))
        }
    }
}

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let highlights = highlights(subject);
    (!highlights.is_empty()).then(|| {
        html! {
            dl.facts {
                @for Highlight { name, value, small, .. } in highlights {
                    div { dt { (name) } dd { (value) @if !small.is_empty() { span.small { (small) } } } }
                }
            }
        }
    })
}

/// The first sentence and what follows.
fn first_sentence(text: &str) -> (&str, &str) {
    text.find(". ").map_or((text, ""), |at| text.split_at(at + 1))
}

/// Verdict as a class of the style and in one sentence; for a recording, the monitored command.
pub(crate) fn verdict(subject: &Subject<'_>) -> (String, String) {
    let (facts, explained) = (subject.facts, subject.explained);
    if facts.run.is_monitoring() {
        return ("watched".to_owned(), explain::watched::watched(facts));
    }
    (explained.verdict.to_string(), subject.narrative.verdict.clone())
}

/// Verdict and place among known boards, else the answer of the run, for places that have room for a few lines.
pub(crate) fn headline(subject: &Subject<'_>) -> (String, String) {
    let (look, sentence) = verdict(subject);
    let first = first_sentence(&sentence).0.to_owned();
    let place = subject.ranking.neighbours.first().map(Neighbours::sentence);
    let more = place.or_else(|| subject.narrative.answers.first().map(|answer| facts::harmless(answer).into_owned()));
    (look, more.map_or_else(|| first.clone(), |more| format!("{first} {more}")))
}

/// SoC, cores with their clocks, memory and kernel on one line.
fn machine_line(facts: &Facts<'_>) -> String {
    let kernel = facts.machine.kernel_release.known().map(|release| format!("Linux {release}"));
    facts::plain(&[soc_and_cores(facts), kernel.unwrap_or_default()].join(" · ")).trim_end_matches(" · ").to_owned()
}

/// SoC, cores with their clocks, and memory.
pub(crate) fn soc_and_cores(facts: &Facts<'_>) -> String {
    let machine = &facts.machine;
    let soc = facts.soc().known().filter(|soc| facts::machine_name(machine) != Some(*soc)).cloned();
    let memory =
        machine.memory_kib.known().map(|kib| format!("{} of memory", facts::size_words(kib.saturating_mul(1024))));
    let cores = Some(cores(facts)).filter(|cores| !cores.is_empty());
    let parts = [soc, cores, memory];
    facts::plain(&parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
}

/// `4 x Cortex-A55 at 1800 MHz + 4 x Cortex-A76 at 2400 MHz`, by the measured clocks; empty where none is known.
fn cores(facts: &Facts<'_>) -> String {
    let mut kinds: Vec<(String, u32, usize)> = Vec::new();
    for clock in facts.cluster_clocks(&Variant::COLD) {
        let core_type = core_type(facts, clock.cpu);
        let mhz = (f64::from(clock.measured_khz) / 1e4).round() as u32 * 10;
        match kinds.iter_mut().find(|(known, at, _)| *known == core_type && at.abs_diff(mhz) * 50 <= mhz) {
            Some((_, _, count)) => *count += clock.cluster_cpus.len(),
            None => kinds.push((core_type, mhz, clock.cluster_cpus.len())),
        }
    }
    let words = kinds.into_iter().map(|(core_type, mhz, count)| match core_type.as_str() {
        "-" => format!("{} at {mhz} MHz", facts::how_many(count, "CPU")),
        core_type => format!("{count} x {core_type} at {mhz} MHz"),
    });
    words.collect::<Vec<_>>().join(" + ")
}

/// Distribution, date and program on one line.
pub(crate) fn line(record: &Record) -> String {
    let date = explain::monitor::day(record);
    let program = match &record.source {
        Source::Run { version, .. } => Some(format!("sbc-bench {version}")),
        Source::Log(log) => Some(format!("log of sbc-bench {}", log.version).trim_end().to_owned()),
    };
    let parts = [record.machine.distribution.known().cloned(), date, program];
    let told: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    facts::plain(&told.join(" · "))
}

/// A main figure.
pub(crate) struct Highlight {
    /// Name with its core.
    name: String,
    /// Name without its core.
    pub(crate) title: String,
    pub(crate) value: String,
    /// Place and spread.
    small: String,
}

/// Main figures, then the maximum temperature.
pub(crate) fn highlights(subject: &Subject<'_>) -> Vec<Highlight> {
    let facts = subject.facts;
    let mut best: Vec<&Figure> = Vec::new();
    for figure in subject.facts.figures().iter().filter(|figure| figure.is_main) {
        match best.iter_mut().find(|known| known.key == figure.key) {
            Some(known) if figure.gain_percent(known.value) > Some(0.0) => *known = figure,
            Some(_) => {}
            None => best.push(figure),
        }
    }
    // Runs that did not ask for the C library have the copy of the best routine.
    let has_libc = facts.steps_of(WorkloadId::MemoryLibc).next().is_some();
    let is_copy =
        |key: &FigureKey| key.is_of(WorkloadId::MemoryBandwidth) && key.name() == MemoryOperation::Copy.as_str();
    let rank = |key: &FigureKey| rank(key).or_else(|| (!has_libc && is_copy(key)).then_some(COPY));
    let mut ranked: Vec<(usize, &Figure)> =
        best.into_iter().filter_map(|figure| Some((rank(&figure.key)?, figure))).collect();
    ranked.stable_sort_by_key(|(rank, _)| *rank);
    let fact = |(_, figure): &(usize, &Figure)| Highlight {
        name: figure.name(),
        title: figure.key.title(),
        value: facts::with_unit(figure.value, &figure.unit),
        small: small(subject, figure),
    };
    let mut highlights: Vec<Highlight> = ranked.iter().take(FACTS_MAX).map(fact).collect();
    if subject.explained.verdict == Verdict::Invalid {
        highlights.iter_mut().for_each(|one| one.small = format!("not valid. {}", one.small).trim_end().to_owned());
    }
    if let Some(heat) = facts.heat(&whole_run()) {
        let idle = facts.idle().filter(|idle| idle.is_before_load);
        let small = idle.map_or(String::new(), |idle| format!("{} before the first load", degrees(idle.millicelsius)));
        let name = "Highest temperature".to_owned();
        highlights.push(Highlight { title: name.clone(), name, value: degrees(heat.millicelsius_max), small });
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
