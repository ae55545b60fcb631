//! Pages of every log and Record that there is: valid HTML, nothing loaded, no empty section, small, and no text of a
//! plot upon other text.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

#[path = "../../explain/tests/files/mod.rs"]
mod files;

use explain::Explanation;
use explain::reference::Reference;
use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use record::Record;
use std::path::{Path, PathBuf};

/// More is too much for mail and forums.
const BYTES_MAX: usize = 1 << 20;
/// Width of a letter in a plot, of an ordinary sans-serif font of 12 units.
const LETTER: f64 = 6.2;

/// Everything to make a page of: its name and the Record.
fn records() -> Vec<(String, Record)> {
    let mut records: Vec<(String, Record)> = Vec::new();
    let own = include_str!("../../explain/tests/own/two-policies.json");
    records.push(("two-policies.json".into(), serde_json::from_str(own).unwrap()));
    let explain = Path::new(env!("CARGO_MANIFEST_DIR")).join("../explain/tests");
    let corpus = files::PARTS.iter().filter_map(|part| Some(files::find()?.join(part).join("results")));
    let folders: Vec<PathBuf> = [explain.join("composed"), explain.join("made")].into_iter().chain(corpus).collect();
    for (name, text) in files::texts(&folders) {
        records.push((name, explain::logs::read(&text)));
    }
    records
}

#[test]
fn pages_are_valid_small_and_legible() {
    let mut faults: Vec<String> = Vec::new();
    let records = records();
    for (name, record) in &records {
        let page = page::page(record, &Explanation::of(record), Reference::builtin());
        let mut fault = |what: String| faults.push(format!("{name}: {what}"));
        if page.len() > BYTES_MAX {
            fault(format!("{} bytes", page.len()));
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

/// A text of a plot: what, and its box.
struct Word {
    text: String,
    left: f64,
    right: f64,
    base: f64,
}

fn words(node: &Handle, down: f64, found: &mut Vec<Word>) {
    // Rows of strips are moved down as a whole.
    let moved = attribute(node, "transform")
        .and_then(|text| text.strip_prefix("translate(0 ")?.strip_suffix(')')?.parse().ok());
    let down = down + moved.unwrap_or(0.0);
    if name_of(node) == "text" {
        let number = |name: &str| attribute(node, name).and_then(|value| value.parse::<f64>().ok());
        let (Some(x), Some(y)) = (number("x"), number("y")) else {
            return;
        };
        let text = text(node);
        let width = LETTER * text.chars().count() as f64;
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
