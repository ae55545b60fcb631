//! Draws the state into a frame. Pure: the same state gives the same cells.

use super::glyphs::bar;
use super::{DisplayedRow, State};
use crate::look::Look;
use explain::monitor::Kind;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

/// Width of names and values left of the plots.
const NAMES_WIDTH: u16 = 34;
/// Below this, nothing useful fits.
const SMALLEST: (u16, u16) = (44, 8);
/// A track is at most so high: higher plots show no more.
const TRACK_ROWS_MAX: u16 = 5;
/// Temperatures are plotted from here.
const CELSIUS_FROM: f32 = 20.0;

/// Text in this colour, where there are colours.
fn coloured(look: Look, colour: Color) -> Style {
    if look.colours { Style::new().fg(colour) } else { Style::new() }
}

/// Draws everything.
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
    throttling(buffer, area, state);
    let body = Rect { y: area.y + 2, height: area.height - 4, ..area };
    plots(buffer, body, state);
    let faint = Style::new().add_modifier(Modifier::DIM);
    line(buffer, area, area.height - 2, &state.note, faint);
    line(buffer, area, area.height - 1, &keys(state, area.width), faint);
}

fn title(state: &State, width: u16) -> String {
    let seconds = state.interval_ms as f64 / 1000.0;
    let mut left = format!(" {}  load {}  every {seconds} s", state.time, state.load);
    if state.paused {
        left.push_str("  PAUSED");
    }
    if !state.file.is_empty() {
        left.push_str(&format!("  {}", state.file));
    }
    let room = usize::from(width).saturating_sub(left.chars().count() + 3);
    let board: String = state.board.chars().take(room).collect();
    format!("{left}{board:>room$} ", room = room + 2)
}

/// Why CPUs are held back, and how often they were.
fn throttling(buffer: &mut Buffer, area: Rect, state: &State) {
    let share = 100.0 * state.throttled_rows as f64 / state.rows.max(1) as f64;
    let past = match state.throttled_rows {
        0 => "0 % of the time so far".to_owned(),
        _ => format!("{share:.0} % of the time so far"),
    };
    let (text, style) = if !state.can_tell {
        ("Throttling cannot be seen: nothing here reports it.".to_owned(), Style::new())
    } else if state.throttled.is_empty() {
        (format!("Not throttled ({past})."), Style::new())
    } else {
        let alarm = coloured(state.look, Color::Red).add_modifier(Modifier::BOLD);
        let reasons = state.throttled.join(", ");
        (format!("THROTTLED: {reasons} ({past})."), alarm)
    };
    line(buffer, area, 1, &text, style);
}

fn keys(state: &State, width: u16) -> String {
    let samples = state.samples_per_column() as u64;
    let columns = u64::from(width.saturating_sub(NAMES_WIDTH + 1));
    let span_s = columns * samples * state.interval_ms / 1000;
    let quit = if state.is_run { "q leave the screen   Ctrl-C end the run" } else { "q quit" };
    let mut text = format!("{quit}   p pause   -/+ time span ({}:{:02} min)", span_s / 60, span_s % 60);
    if state.replay {
        text.push_str("   left/right seek 30 s   [ ] slower/faster");
    }
    text
}

/// Tracks above, cores below.
fn plots(buffer: &mut Buffer, area: Rect, state: &State) {
    let tracks = state.tracks.len() as u16;
    let cores = state.cores.len() as u16;
    let room_for_cores = area.height.saturating_sub(tracks);
    let each_core = cores <= room_for_cores;
    let per_row = (area.width - NAMES_WIDTH - 1).max(1);
    let core_rows = if each_core { cores } else { cores.div_ceil(per_row) };
    let room = area.height.saturating_sub(core_rows.min(room_for_cores));
    let mut y = area.y;
    for (index, shown) in state.tracks.iter().enumerate() {
        let left = tracks - index as u16;
        let height = ((area.y + room).saturating_sub(y) / left.max(1)).min(TRACK_ROWS_MAX);
        if height == 0 {
            break;
        }
        let place = Rect { y, height, ..area };
        track(buffer, place, shown, state);
        y += height;
    }
    let rest = Rect { y, height: (area.y + area.height).saturating_sub(y), ..area };
    if each_core {
        for (shown, y) in state.cores.iter().zip(rest.y..rest.y + rest.height) {
            let place = Rect { y, height: 1, ..area };
            track(buffer, place, shown, state);
        }
    } else {
        strips(buffer, rest, per_row, state);
    }
}

/// Name, value and past of one quantity.
fn track(buffer: &mut Buffer, area: Rect, shown: &DisplayedRow, state: &State) {
    let value = shown.track.text(shown.value);
    let room = usize::from(NAMES_WIDTH).saturating_sub(value.chars().count() + 2);
    let name: String = shown.track.label.chars().take(room).collect();
    line(buffer, area, 0, &format!("{name:<room$} {value} "), Style::new());
    let (low, high) = scale(shown, state.behind);
    if area.height > 1 {
        let text = |value: f32| shown.track.text(Some(f64::from(value)));
        let scale = format!("{} to {}", text(low), text(high));
        let width = usize::from(NAMES_WIDTH) - 1;
        let faint = Style::new().add_modifier(Modifier::DIM);
        line(buffer, area, area.height - 1, &format!("{scale:>width$}"), faint);
    }
    let plot = Rect { x: area.x + NAMES_WIDTH, width: area.width - NAMES_WIDTH, ..area };
    bars(buffer, plot, shown, (low, high), state);
}

/// The colour of a quantity, and which of the samples of a column matters: the dip of a clock, the
/// peak of everything else.
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
    let held_back = state.held_back.columns(state.behind, width, samples, f32::max);
    let first = area.x + (width - columns.len()) as u16;
    let calm = coloured(state.look, colour);
    let alarm = coloured(state.look, Color::Red);
    for (index, value) in columns.iter().enumerate() {
        let x = first + index as u16;
        let Some(value) = value else {
            // A gap is no zero.
            buffer[(x, area.y + area.height - 1)].set_symbol("?");
            continue;
        };
        // Both end with the latest column.
        let from_end = columns.len() - index;
        let is_held = held_back.len().checked_sub(from_end).map(|at| held_back[at]);
        let is_held = is_held == Some(Some(1.0)) && shown.track.kind == Kind::Clock;
        let share = (value - scale.0) / (scale.1 - scale.0);
        let cells = bar(share, usize::from(area.height), state.look.ascii);
        for (row, symbol) in cells.into_iter().enumerate() {
            let y = area.y + area.height - 1 - row as u16;
            let style = if is_held { alarm } else { calm };
            buffer[(x, y)].set_symbol(symbol).set_style(style);
        }
    }
}

/// Many cores: one character for each, for how busy it is now.
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
            let x = area.x + NAMES_WIDTH + index as u16;
            buffer[(x, y)].set_symbol(symbol).set_style(style);
        }
    }
}

/// One line of text, cut at the end of the area.
fn line(buffer: &mut Buffer, area: Rect, row: u16, text: &str, style: Style) {
    let width = usize::from(area.width);
    buffer.set_stringn(area.x, area.y + row, text, width, style);
}
