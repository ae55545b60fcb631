//! Pages of all test logs and Records: valid HTML, no external resources, no empty sections, small, and no overlapping
//! text in plots.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

#[path = "../../explain/tests/files/mod.rs"]
mod files;

use compare::reference::Reference;
use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use record::{Fact, Record};
use std::path::{Path, PathBuf};

/// Maximum page size in bytes for mail and forums.
const BYTES_MAX: usize = 300_000;
/// Letter width in a plot, of a common sans-serif font of 12 units.
const LETTER: f64 = 6.2;

/// Records for pages with their names: logs, one of our results, and machines without measurements.
fn records() -> Vec<(String, Record)> {
    let mut records: Vec<(String, Record)> = Vec::new();
    let own = include_str!("../../explain/tests/own/two-policies.json");
    let thermal = include_str!("thermal.json");
    for (name, text) in [("two-policies.json", own), ("thermal.json", thermal)] {
        records.push((name.into(), serde_json::from_str(text).unwrap()));
    }
    let explain = Path::new(env!("CARGO_MANIFEST_DIR")).join("../explain/tests");
    let corpus = files::PARTS.iter().filter_map(|part| Some(files::find()?.join(part).join("results")));
    let folders: Vec<PathBuf> = [explain.join("composed"), explain.join("made")].into_iter().chain(corpus).collect();
    for (name, text) in files::texts(&folders) {
        records.push((name, logs::read(&text)));
    }
    for name in testkit::boards() {
        let source = record::Source::Run { version: "1".into(), target: "any".into() };
        let mut record = Record::new(source, record::Run::default());
        record.machine = testkit::machine_of_board(&testkit::board(&name));
        records.push((name, record));
    }
    records
}

#[test]
fn pages_are_valid_small_and_legible() {
    let mut faults: Vec<String> = Vec::new();
    let records = records();
    for (name, record) in &records {
        let page = page::page(&explain::explain(record), Reference::builtin());
        let mut fault = |what: String| faults.push(format!("{name}: {what}"));
        if page.len() > BYTES_MAX {
            fault(format!("{} bytes", page.len()));
        }
        // Figures of the headline, which other reports print as well.
        let titles = facts::figures::main::HEADLINES.each_ref().map(|headline| headline.title);
        let all = facts::figures::main::headlines(&facts::Facts::of(record)).into_iter();
        // Each report has the latency of the size that it compares.
        for (figure, value) in all.filter(|(title, _)| titles[..4].contains(title)) {
            if !value.starts_with('≈') && !page.contains(&format!("<dd>{value}")) {
                fault(format!("lacks {figure} {value}"));
            }
        }
        for loaded in ["src=", "@import", "url(", "http-equiv=\"refresh\""] {
            if page.contains(loaded) {
                fault(format!("loads something: {loaded}"));
            }
        }
        let dom = parse_document(RcDom::default(), ParseOpts::default()).one(page.as_str());
        dom.errors.borrow().iter().for_each(|error| fault(format!("not valid: {error}")));
        walk(&dom.document, &mut fault);
    }
    faults.truncate(20);
    assert!(faults.is_empty(), "{} pages\n{}", records.len(), faults.join("\n"));
}

#[test]
fn pictures_are_legible_and_can_be_drawn() {
    let mut faults: Vec<String> = Vec::new();
    let records = records();
    let mut names: Vec<String> = Vec::new();
    // Every third similar log, because pages are slow without optimisation.
    for (name, record) in records.iter().step_by(3) {
        for drawing in page::drawings(&explain::explain(record), Reference::builtin()) {
            let mut fault = |what: String| faults.push(format!("{name}, {}: {what}", drawing.name));
            let dom = parse_document(RcDom::default(), ParseOpts::default()).one(drawing.svg.as_str());
            if drawing.name != "card" {
                overlaps(&dom.document, &mut fault);
                if has_class(&dom.document, "axis") && !has_class(&dom.document, "unit") {
                    fault("an axis without a unit".into());
                }
            }
            // First picture of each kind, because rendering pixels is slower still.
            if !names.contains(&drawing.name) {
                match drawing.png() {
                    Ok(png) if png.starts_with(b"\x89PNG") && png.len() > 1000 => {}
                    Ok(png) => fault(format!("{} bytes are no picture", png.len())),
                    Err(why) => fault(why),
                }
                names.push(drawing.name);
            }
        }
    }
    faults.truncate(20);
    assert!(faults.is_empty(), "{} results\n{}", records.len(), faults.join("\n"));
    for wanted in ["card", "timeline", "memory-latency", "memory-bandwidth", "repetitions", "opps"] {
        assert!(names.iter().any(|name| name == wanted), "{wanted}: {names:?}");
    }
}

/// True if any element has this class.
fn has_class(node: &Handle, wanted: &str) -> bool {
    let own = attribute(node, "class").is_some_and(|classes| classes.split(' ').any(|class| class == wanted));
    own || node.children.borrow().iter().any(|child| has_class(child, wanted))
}

#[test]
fn card_has_the_size_that_links_show() {
    let (_, record) = records().remove(0);
    let drawings = page::drawings(&explain::explain(&record), Reference::builtin());
    let card = drawings[0].png().unwrap();
    let size = |at: usize| u32::from_be_bytes(card[at..at + 4].try_into().unwrap());
    assert_eq!((drawings[0].name.as_str(), size(16), size(20)), ("card", 1200, 630));
}

#[test]
fn card_names_a_board_in_letters_that_the_font_has() {
    let (_, mut record) = records().remove(0);
    record.machine.soc = Fact::Known("Rockchip RK3399".into());
    for (board, expected) in [("Board Ω2", "Board Ω2"), ("香橙派", "Rockchip RK3399")] {
        record.machine.board = Fact::Known(board.into());
        let drawings = page::drawings(&explain::explain(&record), Reference::builtin());
        let card = &drawings[0].svg;
        assert!(card.contains(expected) && !card.contains('香'), "{board}: {card}");
    }
}

/// Replaces every free text of a result; page and pictures must not contain any of it as markup.
#[test]
fn hostile_text_everywhere_stays_text() {
    const HOSTILE: &str = "</style></title></svg><script>alert(1)</script>\"'&<img src=x>\u{202e}\u{0}";
    let own = include_str!("../../explain/tests/own/two-policies.json");
    let mut value: serde_json::Value = serde_json::from_str(own).unwrap();
    let mut places = Vec::new();
    strings(&value, String::new(), &mut places);
    let mut changed = 0;
    for place in &places {
        let old = std::mem::replace(value.pointer_mut(place).unwrap(), HOSTILE.into());
        match serde_json::from_value::<Record>(value.clone()) {
            Ok(_) => changed += 1,
            Err(_) => *value.pointer_mut(place).unwrap() = old,
        }
    }
    assert!(changed > 50, "{changed} of {}", places.len());
    let record: Record = serde_json::from_value(value).unwrap();
    let explained = explain::explain(&record);
    let drawings = page::drawings(&explained, Reference::builtin());
    let pictures = drawings.iter().map(|drawing| drawing.svg.clone());
    for text in pictures.chain([page::page(&explained, Reference::builtin())]) {
        assert!(!text.contains("<script>alert") && !text.contains("<img") && !text.contains('\u{202e}'), "{text}");
    }
    drawings.iter().for_each(|drawing| assert!(drawing.png().is_ok(), "{}", drawing.name));
}

/// Paths of all strings, but only in the first two elements of each list.
fn strings(value: &serde_json::Value, place: String, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(_) => found.push(place),
        serde_json::Value::Array(values) => {
            values.iter().take(2).enumerate().for_each(|(index, one)| strings(one, format!("{place}/{index}"), found));
        }
        serde_json::Value::Object(fields) => {
            fields.iter().for_each(|(name, one)| strings(one, format!("{place}/{name}"), found));
        }
        _ => {}
    }
}

#[test]
fn gaps_alone_make_a_page_that_says_why() {
    let own = include_str!("../../explain/tests/own/two-policies.json");
    let mut record: Record = serde_json::from_str(own).unwrap();
    record.steps.clear();
    record.machine = record::Machine::default();
    record.settings.clear();
    record.samples.at_ms = (0..100).map(|row| row * 500).collect();
    for id in [record::ChannelId::zone_temperature(0), record::ChannelId::Soc] {
        let missing = record::Missing::absent("/sys/gone");
        let gaps = vec![record::Gap { at_ms: 0, missing }];
        record.samples.channels.push(record::Channel { values: vec![None; 100], gaps, ..record::Channel::of(id) });
    }
    let page = page::page(&explain::explain(&record), Reference::builtin());
    let dom = parse_document(RcDom::default(), ParseOpts::default()).one(page.as_str());
    let mut faults = Vec::new();
    walk(&dom.document, &mut |fault| faults.push(fault));
    assert!(faults.is_empty(), "{faults:?}");
    assert!(page.contains("Not measured") && page.contains("/sys/gone"), "{page}");
    assert!(!page.contains("NaN") && !page.contains("inf "), "{page}");
}

fn name_of(node: &Handle) -> String {
    match &node.data {
        NodeData::Element { name, .. } => name.local.to_string(),
        _ => String::new(),
    }
}

fn attribute(node: &Handle, wanted: &str) -> Option<String> {
    match &node.data {
        NodeData::Element { attrs, .. } => {
            attrs.borrow().iter().find(|attr| &*attr.name.local == wanted).map(|attr| attr.value.to_string())
        }
        _ => None,
    }
}

fn text(node: &Handle) -> String {
    match &node.data {
        NodeData::Text { contents } => contents.borrow().to_string(),
        _ => node.children.borrow().iter().map(text).collect(),
    }
}

fn walk(node: &Handle, fault: &mut impl FnMut(String)) {
    match name_of(node).as_str() {
        "section" if text(node).len() < 30 => fault(format!("empty section {:?}", text(node))),
        "a" => {
            let to = attribute(node, "href").unwrap_or_default();
            if !to.starts_with('#') && !to.starts_with("https://") {
                fault(format!("link {to:?}"));
            }
        }
        "svg" => overlaps(node, fault),
        _ => {}
    }
    node.children.borrow().iter().for_each(|child| walk(child, fault));
}

/// Text of a plot with its box.
struct Word {
    text: String,
    left: f64,
    right: f64,
    base: f64,
}

fn words(node: &Handle, down: f64, found: &mut Vec<Word>) {
    // Rows of strips are shifted as a group.
    let moved = attribute(node, "transform")
        .and_then(|text| text.strip_prefix("translate(0 ")?.strip_suffix(')')?.parse().ok());
    let down = down + moved.unwrap_or(0.0);
    let is_upright = attribute(node, "transform").is_none_or(|transform| !transform.starts_with("rotate"));
    if name_of(node) == "text" && is_upright {
        let number = |name: &str| attribute(node, name).and_then(|value| value.parse::<f64>().ok());
        let (Some(x), Some(y)) = (number("x"), number("y")) else {
            return;
        };
        let text = text(node);
        let width = LETTER * number("font-size").unwrap_or(12.0) / 12.0 * text.chars().count() as f64;
        let left = match attribute(node, "text-anchor").as_deref() {
            Some("middle") => x - width / 2.0,
            Some("end") => x - width,
            _ => x,
        };
        found.push(Word { text, left, right: left + width, base: y + down });
        return;
    }
    node.children.borrow().iter().for_each(|child| words(child, down, found));
}

fn overlaps(svg: &Handle, fault: &mut impl FnMut(String)) {
    let mut found = Vec::new();
    words(svg, 0.0, &mut found);
    for (index, one) in found.iter().enumerate() {
        if one.left < -1.0 || one.right > 1001.0 {
            fault(format!("text leaves its plot: {:?}", one.text));
        }
        for other in &found[index + 1..] {
            if one.left < other.right && other.left < one.right && (one.base - other.base).abs() < 9.0 {
                fault(format!("texts overlap: {:?} and {:?}", one.text, other.text));
            }
        }
    }
}
