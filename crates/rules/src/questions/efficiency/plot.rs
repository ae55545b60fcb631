//! Plot: performance against power of every OPP with the sweet spot, and the energy of work over the
//! clock. Without a power meter performance and temperature over the clock.

use crate::questions::efficiency::{OppWalk, Point, walks};
use crate::tables::Plot;
use facts::Facts;
use facts::plot::canvas::Canvas;
use facts::plot::chart::{Chart, Line, Style};
use facts::plot::{WIDTH, board};
use record::StableSort;

pub(super) const PLOT: Plot =
    Plot { id: "plot-efficiency", about: "Performance versus power at every OPP with the sweet spot, as SVG.", draw };

const TITLE: f64 = 28.0;
const PANEL: f64 = 280.0;
const STYLES: [Style; 4] = [Style::Marked, Style::Dashed, Style::Dotted, Style::Solid];

fn draw(facts: &Facts<'_>) -> Option<String> {
    let walks = walks(facts);
    let unit = &walks.first()?.unit;
    let has_power = walks.iter().flat_map(|walk| &walk.points).any(|point| point.milliwatts.is_some());
    let mhz = |point: &Point| f64::from(point.measured_khz.unwrap_or(point.opp_khz)) / 1000.0;
    type PointFunction<'a> = &'a dyn Fn(&Point) -> Option<(f64, f64)>;
    let power: PointFunction = &|point| Some((point.milliwatts? / 1000.0, point.score));
    let clock: PointFunction = &|point| Some((mhz(point), point.score));
    let energy: PointFunction = &|point| Some((mhz(point), point.energy()?));
    let heat: PointFunction = &|point| Some((mhz(point), point.celsius?));
    let score = format!("score ({unit})");
    let measured = "measured clock (MHz)";
    let part = facts.power_source().as_ref().and_then(|source| source.part.as_ref());
    let of_board = part.map_or_else(|| "board power (W)".to_owned(), |part| format!("power of {part} (W)"));
    let panels: Vec<(&str, String, PointFunction, bool)> = if has_power {
        vec![(of_board.as_str(), score, power, true), (measured, format!("energy (mJ per {unit})"), energy, true)]
    } else {
        vec![(measured, score, clock, true), (measured, "temperature (°C)".into(), heat, false)]
    };
    let title = format!("Efficiency: {}", board(facts));
    let mut canvas = Canvas::new(WIDTH, TITLE + PANEL * panels.len() as f64, &title);
    for (index, (x_label, y_label, of, from_zero)) in panels.into_iter().enumerate() {
        let lines = walks.iter().enumerate().map(|(nth, walk)| line(walk, nth, of));
        let chart = Chart {
            x_label: x_label.into(),
            y_label,
            lines: lines.collect(),
            from_zero,
            x_range: None,
            marks: Vec::new(),
        };
        chart.draw(&mut canvas, TITLE + PANEL * index as f64, PANEL);
    }
    Some(canvas.finish())
}

fn line(walk: &OppWalk, nth: usize, of: &dyn Fn(&Point) -> Option<(f64, f64)>) -> Line {
    let mut ringed = None;
    let (mut points, mut labels) = (Vec::new(), Vec::new());
    for (index, point) in walk.points.iter().enumerate() {
        let Some(place) = of(point) else { continue };
        let mut word = format!("{} MHz", facts::finding::mhz(point.opp_khz));
        if walk.sweet_spot == Some(index) {
            ringed = Some(points.len());
            word.push_str(", sweet spot");
        }
        labels.push((points.len(), word));
        points.push(place);
    }
    // The sweet spot finds a free place first.
    labels.stable_sort_by_key(|(index, _)| Some(*index) != ringed);
    Line {
        name: format!("CPU {}", record::cpu_list(&walk.cpus)),
        points,
        style: STYLES[nth % STYLES.len()],
        labels,
        ringed,
    }
}
