//! Good files with bad values in them. A mutation of text rarely leaves a file intact; here what is whole stays
//! so, and an input says only what is put where.

use crate::records::explain_all;
use crate::targets::everything;
use machine::Root;
use record::Record;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Boards with the files of many kinds of machine.
const BOARDS: [&str; 5] = [
    include_str!("../../boards/rk3588.board"),
    include_str!("../../boards/raspberry-pi-5.board"),
    include_str!("../../boards/rock-5-itx-storage.board"),
    include_str!("../../boards/x86-hybrid-laptop.board"),
    include_str!("../../boards/hostile.board"),
];
const RECORD: &str = include_str!("../../crates/explain/tests/own/two-policies.json");
/// Maximum number of changes; more of them find nothing new.
const CHANGES_MAX: usize = 64;
/// Maximum number of elements added to an array.
const COPIES_MAX: usize = 1000;

/// Number of board and file in the first line, the file's new content behind it.
pub(crate) fn board_file(data: &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n');
    let (head, content) = data.split_at(end.map_or(data.len(), |end| end + 1));
    let numbers = String::from_utf8_lossy(head);
    let mut numbers = numbers.split_whitespace().map_while(|word| word.parse::<usize>().ok());
    let (board, file) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let (root, paths) = &ROOTS[board % ROOTS.len()];
    let Some(path) = paths.get(file % paths.len().max(1)) else { return };
    everything(&root.with_file(path, content));
}

static ROOTS: LazyLock<Vec<(Root, Vec<String>)>> = LazyLock::new(|| {
    let root = |text: &&str| {
        let root = Root::from_board(text).expect("a board of the repository");
        let paths = root.board_files().into_iter().map(|(path, _)| path);
        (root.clone(), paths.collect())
    };
    BOARDS.iter().map(root).collect()
});

/// Unchanged files of all boards, one of each kind: paths that differ only in numbers are one kind.
pub(crate) fn board_files() -> Vec<Vec<u8>> {
    let mut kinds = BTreeSet::new();
    let mut seeds = Vec::new();
    for (board, (root, _)) in ROOTS.iter().enumerate() {
        for (file, (path, text)) in root.board_files().into_iter().enumerate() {
            let kind: String = path.chars().filter(|c| !c.is_ascii_digit()).collect();
            if kinds.insert(kind) {
                seeds.push(format!("{board} {file}\n{text}").into_bytes());
            }
        }
    }
    seeds
}

/// A good Record and where its values stand.
static LEAVES: LazyLock<(Value, Vec<String>)> = LazyLock::new(|| {
    let value: Value = serde_json::from_str(RECORD).expect("a Record of the repository");
    let mut places = Vec::new();
    collect(&value, String::new(), &mut places);
    (value, places)
});

fn collect(value: &Value, place: String, places: &mut Vec<String>) {
    let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                collect(value, format!("{place}/{}", escaped(key)), places);
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                collect(value, format!("{place}/{index}"), places);
            }
        }
        _ => {}
    }
    places.push(place);
}

/// In each line the number of a place and its new value: a number for a number, a text for a text, a length
/// for an array.
pub(crate) fn record(text: &str) {
    let (mut value, places) = LEAVES.clone();
    for line in text.lines().take(CHANGES_MAX) {
        let (number, new) = line.split_once(' ').unwrap_or((line, ""));
        let number = number
            .bytes()
            .fold(0_usize, |sum, byte| sum.wrapping_mul(10).wrapping_add(usize::from(byte.wrapping_sub(b'0'))));
        if let Some(old) = value.pointer_mut(&places[number % places.len()]) {
            change(old, new);
        }
    }
    if let Ok(record) = serde_json::from_value::<Record>(value) {
        explain_all(&record);
    }
}

fn change(old: &mut Value, new: &str) {
    match old {
        Value::Bool(is) => *is = !*is,
        Value::String(text) => *text = new.to_owned(),
        Value::Null => *old = serde_json::from_str(new).unwrap_or(Value::Null),
        Value::Number(_) => {
            let number = new.parse::<i64>().map(|number| json!(number));
            let number = number.or_else(|_| new.parse::<u64>().map(|number| json!(number)));
            // An infinite one becomes null, as in JSON.
            let number = number.or_else(|_| new.parse::<f64>().map(|number| json!(number)));
            *old = number.unwrap_or(Value::Null);
        }
        Value::Array(values) => {
            let length = new.parse::<usize>().unwrap_or(0).min(COPIES_MAX);
            if let Some(last) = values.last().cloned() {
                values.resize(length, last);
            }
        }
        Value::Object(_) => {}
    }
}
