//! Draws the state into a frame. Pure: the same state gives the same cells.

use super::glyphs::bar;
use super::{DisplayedRow, State};
use crate::terminal_caps::TerminalCaps;
use explain::monitor::Kind;
use facts::lines::{padded, width};
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// Maximum width of names and values left of the plots; narrow screens share their columns.
const NAMES_WIDTH_MAX: u16 = 34;
/// Minimum columns and rows.
const SMALLEST: (u16, u16) = (30, 8);
/// Rows from which a sentence without room continues in a second row.
const ROOMY_ROWS: u16 = 12;
/// Rows that a track has before cores get more than one.
const TRACK_ROWS: u16 = 8;
/// Maximum rows of a core: higher plots show no more.
const CORE_ROWS_MAX: u16 = 4;
/// Part of the rows below the title for the list of steps.
const STEPS_PART: u16 = 3;
/// Lower end of temperature plots.
const CELSIUS_FROM: f32 = 20.0;

fn coloured(look: TerminalCaps, colour: Color) -> Style {
    if look.colours { Style::new().fg(colour) } else { Style::new() }
}

pub(super) fn draw(frame: &mut Frame<'_>, state: &State) {
    let area = frame.area();
    let buffer = frame.buffer_mut();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let (width, height) = SMALLEST;
        let text = format!("Terminal too small (needs {width}x{height}). q: quit");
        line(buffer, area, 0, &text, Style::new());
        return;
    }
    line(buffer, area, 0, &title(state, area.width), Style::new().add_modifier(Modifier::REVERSED));
    let columns = usize::from(area.width);
    let rows_max = if area.height < ROOMY_ROWS { 1 } else { 2 };
    let (text, style) = throttling(state);
    let above = joined(&mut text.split_whitespace(), " ", columns, rows_max);
    let note = joined(&mut state.note.split_whitespace(), " ", columns, rows_max);
    let keys = keys(state, area.width);
    let keys = joined(&mut keys.iter().map(String::as_str), "   ", columns, rows_max);
    let faint = Style::new().add_modifier(Modifier::DIM);
    let first = area.height - (note.len() + keys.len()) as u16;
    for (row, text) in (1..).zip(&above) {
        line(buffer, area, row, text, style);
    }
    for (row, text) in (first..).zip(note.iter().chain(&keys)) {
        line(buffer, area, row, text, faint);
    }
    let top = 1 + above.len() as u16;
    let room = first - top;
    let items = (state.tracks.len() + state.cores.len()) as u16;
    let list = (state.steps.len() as u16).min(room / STEPS_PART).min(room.saturating_sub(items));
    for (row, text) in (first - list..).zip(&state.steps[state.steps.len() - usize::from(list)..]) {
        line(buffer, area, row, text, Style::new());
    }
    plots(buffer, Rect { y: area.y + top, height: room - list, ..area }, state);
}

/// Joins parts to lines that fit into the screen, up to this number of lines, of which the last is cut at its end.
fn joined(parts: &mut dyn Iterator<Item = &str>, gap: &str, columns: usize, rows_max: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in parts {
        let is_last = lines.len() == rows_max;
        let line = lines.last_mut().expect("one line at least");
        if line.is_empty() {
            part.clone_into(line);
        } else if is_last || width(line) + gap.len() + width(part) <= columns {
            *line += gap;
            *line += part;
        } else {
            lines.push(part.to_owned());
        }
    }
    lines
}

/// Time, load and interval, which a narrow screen omits from the last one on; the step of a run or the name of a file; the board.
fn title(state: &State, columns: u16) -> String {
    let seconds = state.interval_ms as f64 / 1000.0;
    let mut parts = vec![state.time.clone(), format!("load {}", state.load), format!("every {seconds} s")];
    let paused = state.paused.then_some("PAUSED").into_iter();
    let more: Vec<&str> = paused.chain(Some(state.file.as_str()).filter(|file| !file.is_empty())).collect();
    let words = |parts: &[String]| {
        let parts = parts.iter().map(String::as_str).chain(more.iter().copied());
        format!(" {}", parts.collect::<Vec<_>>().join("  "))
    };
    let mut left = words(&parts);
    while width(&left) > usize::from(columns) && parts.pop().is_some() {
        left = words(&parts);
    }
    let room = usize::from(columns).saturating_sub(width(&left) + 3);
    let board = padded(&state.board, room).trim_end().to_owned();
    let blanks = room + 2 - width(&board);
    format!("{left}{:blanks$}{board} ", "")
}

/// Reported reasons of throttling, else a clock that is low under load, and the share of time with throttling.
fn throttling(state: &State) -> (String, Style) {
    let percent = 100.0 * state.throttled_rows as f64 / state.rows.max(1) as f64;
    let share = format!("{percent:.0} % of the time");
    let alarm = coloured(state.look, Color::Red).add_modifier(Modifier::BOLD);
    match &state.low {
        _ if !state.throttled.is_empty() => (format!("THROTTLED, {share}: {}.", state.throttled.join(", ")), alarm),
        Some(low) if low.hot_millicelsius.is_some() => {
            (format!("Probably THROTTLED, {share}: {}.", low.words()), alarm)
        }
        Some(low) => (format!("LOW CLOCK: {}.", low.words()), alarm),
        None if state.is_reported || state.throttled_rows > 0 => (format!("Not throttled ({share})."), Style::new()),
        None if state.tracks.iter().any(|shown| shown.track.kind == Kind::Clock) => {
            ("Throttling is not reported here; no clock is low under load.".to_owned(), Style::new())
        }
        None => ("Throttling cannot be seen: neither it nor a clock is reported here.".to_owned(), Style::new()),
    }
}

fn keys(state: &State, width: u16) -> Vec<String> {
    let samples = state.samples_per_column() as u64;
    let columns = u64::from(width.saturating_sub(names_width(width) + 1));
    let span_s = columns * samples * state.interval_ms / 1000;
    let quit: &[&str] = if state.is_run { &["q leave the screen", "Ctrl-C end the run"] } else { &["q quit"] };
    let seek: &[&str] = if state.replay { &["left/right 30 s", "[ ] speed"] } else { &[] };
    let span = format!("-/+ time span ({}:{:02} min)", span_s / 60, span_s % 60);
    [quit, &["p pause", &span], seek].concat().into_iter().map(str::to_owned).collect()
}

fn names_width(width: u16) -> u16 {
    NAMES_WIDTH_MAX.min(width * 3 / 5)
}

/// Tracks above, cores below.
fn plots(buffer: &mut Buffer, area: Rect, state: &State) {
    let tracks = state.tracks.len() as u16;
    let cores = state.cores.len() as u16;
    let room_for_cores = area.height.saturating_sub(tracks);
    let each_core = cores <= room_for_cores;
    let per_row = (area.width - names_width(area.width) - 1).max(1);
    let core_height = area.height.saturating_sub(tracks * TRACK_ROWS) / cores.max(1);
    let core_height = core_height.clamp(1, CORE_ROWS_MAX);
    let core_rows = if each_core { cores * core_height } else { cores.div_ceil(per_row) };
    let room = area.height.saturating_sub(core_rows.min(room_for_cores));
    let mut y = area.y;
    for (index, shown) in state.tracks.iter().enumerate() {
        let left = tracks - index as u16;
        let height = (area.y + room).saturating_sub(y) / left.max(1);
        if height == 0 {
            break;
        }
        let place = Rect { y, height, ..area };
        track(buffer, place, shown, state);
        y += height;
    }
    let rest = Rect { y, height: (area.y + area.height).saturating_sub(y), ..area };
    if each_core {
        for (shown, y) in state.cores.iter().zip((rest.y..rest.y + rest.height).step_by(core_height.into())) {
            track(buffer, Rect { y, height: core_height, ..area }, shown, state);
        }
    } else {
        strips(buffer, rest, per_row, state);
    }
}

fn track(buffer: &mut Buffer, area: Rect, shown: &DisplayedRow, state: &State) {
    let value = shown.track.text(shown.value);
    let names = Rect { width: names_width(area.width), ..area };
    let room = usize::from(names.width).saturating_sub(width(&value) + 2);
    line(buffer, names, 0, &format!("{} {value} ", padded(&shown.track.label, room)), Style::new());
    let (low, high) = scale(shown, state.behind);
    if area.height > 1 {
        let text = |value: f32| shown.track.text(Some(f64::from(value)));
        let scale = format!("{} to {}", text(low), text(high));
        let width = usize::from(names.width) - 1;
        let faint = Style::new().add_modifier(Modifier::DIM);
        line(buffer, names, area.height - 1, &format!("{scale:>width$}"), faint);
    }
    let plot = Rect { x: area.x + names.width, width: area.width - names.width, ..area };
    bars(buffer, plot, shown, (low, high), state);
}

/// Colour of a quantity, and the sample that a column shows: the lowest of a clock, the highest of anything else.
fn track_style(kind: Kind) -> (Color, fn(f32, f32) -> f32) {
    match kind {
        Kind::Busy => (Color::Green, f32::max),
        Kind::Clock => (Color::Cyan, f32::min),
        Kind::Temperature => (Color::Yellow, f32::max),
        Kind::Power => (Color::Magenta, f32::max),
    }
}

/// Values at the lower and the upper end of a plot.
fn scale(shown: &DisplayedRow, behind: usize) -> (f32, f32) {
    let (lowest, highest) = shown.history.range(behind).unwrap_or((0.0, 1.0));
    let low = match shown.track.kind {
        Kind::Temperature => lowest.min(CELSIUS_FROM),
        _ => lowest.min(0.0),
    };
    let high = shown.track.max.map_or(highest, |max| highest.max(max as f32));
    (low, high.max(low + 1.0))
}

fn bars(buffer: &mut Buffer, area: Rect, shown: &DisplayedRow, scale: (f32, f32), state: &State) {
    let (colour, choose) = track_style(shown.track.kind);
    let width = usize::from(area.width);
    let samples = state.samples_per_column();
    let columns = shown.history.columns(state.behind, width, samples, choose);
    let throttling = state.throttling.columns(state.behind, width, samples, f32::max);
    let first = area.x + (width - columns.len()) as u16;
    let calm = coloured(state.look, colour);
    let alarm = coloured(state.look, Color::Red);
    for (index, value) in columns.iter().enumerate() {
        let x = first + index as u16;
        let Some(value) = value else {
            buffer[(x, area.y + area.height - 1)].set_symbol("?");
            continue;
        };
        // Both end with the latest column.
        let from_end = columns.len() - index;
        let is_throttled = throttling.len().checked_sub(from_end).map(|at| throttling[at]);
        let is_throttled = is_throttled == Some(Some(1.0)) && shown.track.kind == Kind::Clock;
        let share = (value - scale.0) / (scale.1 - scale.0);
        let cells = bar(share, usize::from(area.height), state.look.ascii);
        for (row, symbol) in cells.into_iter().enumerate() {
            let y = area.y + area.height - 1 - row as u16;
            let style = if is_throttled { alarm } else { calm };
            buffer[(x, y)].set_symbol(symbol).set_style(style);
        }
    }
}

/// Draws many cores with one character each, which shows how busy the core is.
fn strips(buffer: &mut Buffer, area: Rect, per_row: u16, state: &State) {
    let style = coloured(state.look, Color::Green);
    let rows = state.cores.chunks(usize::from(per_row));
    for (cores, y) in rows.zip(area.y..area.y + area.height) {
        let place = Rect { y, height: 1, ..area };
        let ends = cores.first().zip(cores.last());
        let name =
            ends.map_or(String::new(), |(first, last)| format!("{} to {} now", first.track.label, last.track.label));
        line(buffer, place, 0, &name, Style::new());
        for (index, core) in cores.iter().enumerate() {
            let symbol = match core.value {
                Some(percent) => bar(percent as f32 / 100.0, 1, state.look.ascii)[0],
                None => "?",
            };
            let x = area.x + names_width(area.width) + index as u16;
            buffer[(x, y)].set_symbol(symbol).set_style(style);
        }
    }
}

/// Draws a line of text, cut at the end of the area.
fn line(buffer: &mut Buffer, area: Rect, row: u16, text: &str, style: Style) {
    let width = usize::from(area.width);
    buffer.set_stringn(area.x, area.y + row, text, width, style);
}
