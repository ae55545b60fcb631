//! Plot: use of each core, second by second, as shades of grey.

use crate::questions::sensitivity::clock_words;
use crate::tables::Plot;
use facts::Facts;
use facts::plot::canvas::{Anchor, Canvas};
use facts::plot::{WIDTH, board};
use facts::view::{core_use_by_second, step_name};
use record::{Mode, Record, Step, Window, WorkloadId};

pub(super) const PLOT: Plot = Plot { id: "plot-cores", about: "Core utilisation per second, as SVG.", draw };

const LEFT: f64 = 78.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 72.0;
const BOTTOM: f64 = 44.0;
/// Height of a line of the key, and letters per column.
const KEY_ROW: f64 = 18.0;
const KEY_CHARS: usize = 46;
/// Runs whose plot shows something: the others have their table of loads.
const MODES: [Mode; 3] = [Mode::Sensitivity, Mode::Thermal, Mode::Command];
/// Maximum number of rows in a picture, and of names in its key.
const CPUS_MAX: usize = 512;
const NAMES_MAX: usize = 60;
/// Maximum number of columns; longer runs have wider ones.
const COLUMNS_MAX: usize = 300;

/// The end of a second, and the use of each core in it.
type Second = (i64, Vec<(u32, f64)>);

fn draw(facts: &Facts<'_>) -> Option<String> {
    if !MODES.contains(&facts.run.mode) {
        return None;
    }
    let windows: Vec<Window> = steps(facts).map(|step| step.window).collect();
    let whole = Window {
        start_ms: windows.iter().map(|window| window.start_ms).min()?,
        end_ms: windows.iter().map(|window| window.end_ms).max()?,
        ..Window::default()
    };
    let rows = core_use_by_second(facts, whole);
    let cpus = rows.first()?.1.iter().map(|(cpu, _)| *cpu);
    let cpus: Vec<u32> = cpus.take(CPUS_MAX).collect();
    let stride = rows.len().div_ceil(COLUMNS_MAX);
    let columns: Vec<&[Second]> = rows.chunks(stride).collect();
    let row_height = (240.0 / cpus.len().max(1) as f64).clamp(4.0, 30.0);
    let (inner, bottom) = (WIDTH - LEFT - RIGHT, TOP + row_height * cpus.len() as f64);
    let width = inner / columns.len() as f64;
    let title = format!("Core utilisation: {}", board(facts));
    let key_height = KEY_ROW * names(facts).len().div_ceil(2) as f64 + 6.0;
    let mut canvas = Canvas::new(WIDTH, bottom + BOTTOM + key_height, &title);
    for (nth, column) in columns.iter().enumerate() {
        for (row, cpu) in cpus.iter().enumerate() {
            let uses = column.iter().flat_map(|(_, uses)| uses.iter());
            let uses: Vec<f64> = uses.filter(|(of, _)| of == cpu).map(|(_, u)| *u).collect();
            let Some(mean) = facts::stats::mean(&uses) else { continue };
            let at = (LEFT + width * nth as f64, TOP + row_height * row as f64);
            // A hair wider, so that no white shows between two columns.
            canvas.shade(at, (width + 0.3, row_height - 1.0), mean / 100.0);
        }
    }
    canvas.frame((LEFT, TOP), (inner, bottom - TOP));
    for (row, cpu) in cpus.iter().enumerate() {
        let middle = TOP + row_height * (row as f64 + 0.5) + 4.0;
        canvas.text_where_free((LEFT - 8.0, middle), &format!("CPU {cpu}"), Anchor::End);
    }
    let seconds = whole.elapsed_ms() as f64 / 1000.0;
    for tick in 0..=8 {
        let share = f64::from(tick) / 8.0;
        let anchor = if tick == 8 { Anchor::End } else { Anchor::Middle };
        let words = format!("{:.0}", seconds * share);
        canvas.text((LEFT + inner * share, bottom + 17.0), &words, anchor);
    }
    canvas.text((LEFT + inner / 2.0, bottom + 36.0), "seconds", Anchor::Middle);
    let at = |at_ms: i64| {
        let share = at_ms.saturating_sub(whole.start_ms) as f64 / whole.elapsed_ms().max(1) as f64;
        LEFT + inner * share
    };
    let names = names(facts);
    for step in steps(facts) {
        let place = at(step.window.start_ms);
        canvas.line((place, TOP - 6.0), (place, TOP), "", 1.0);
        let number = names.iter().position(|known| *known == name(step));
        let number = number.map_or(String::new(), |at| (at + 1).to_string());
        canvas.text_where_free((place + 2.0, TOP - 8.0), &number, Anchor::Start);
    }
    key(&mut canvas, &names, bottom + BOTTOM);
    legend(&mut canvas);
    Some(canvas.finish())
}

fn steps(record: &Record) -> impl Iterator<Item = &Step> {
    record.steps.iter().filter(|step| step.workload != WorkloadId::Clock)
}

fn names(record: &Record) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in steps(record).map(name) {
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() == NAMES_MAX {
            break;
        }
    }
    names
}

/// Legend of the numbers above the map, in two columns.
fn key(canvas: &mut Canvas, names: &[String], top: f64) {
    for (index, name) in names.iter().enumerate() {
        let column = (WIDTH - LEFT) / 2.0 * (index % 2) as f64;
        let row = KEY_ROW * (index / 2) as f64;
        let words: String = format!("{} {name}", index + 1).chars().take(KEY_CHARS).collect();
        canvas.text((LEFT + column, top + row + 12.0), &words, Anchor::Start);
    }
}

fn name(step: &Step) -> String {
    match step.set_clock {
        Some(clock) => format!("{} at {}", step_name(step), clock_words(clock)),
        None => step_name(step),
    }
}

/// White is idle, black is full.
fn legend(canvas: &mut Canvas) {
    canvas.text((LEFT + 28.0, 43.0), "0 %", Anchor::End);
    for step in 0..=10 {
        let at = (LEFT + 34.0 + 12.0 * f64::from(step), 32.0);
        canvas.shade(at, (12.3, 13.0), f64::from(step) / 10.0);
    }
    canvas.frame((LEFT + 34.0, 32.0), (132.3, 13.0));
    canvas.text((LEFT + 174.0, 43.0), "100 % busy", Anchor::Start);
}
