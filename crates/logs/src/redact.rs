//! Redacts files of any origin: logs of every sbc-bench version, Records, streams and recordings. Input and output are
//! bytes. Values that rules and reports need stay, so that the redacted file gives the same findings.
//! [`redact`] redacts single texts; this file selects the fields.
//!
//! Records are handled as JSON, not as types, so that fields of newer versions stay.

use crate::any_file;
use record::recording::{frame, is_recording, is_row, payload};
use record::{DERIVED_KEYS, WorkloadId, WorkloadName};
use redact::{BLANK, Kind, Redactor, names_a_board};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A redacted file.
#[derive(Debug, Clone)]
pub struct RedactedFile {
    /// Content of the file.
    pub bytes: Vec<u8>,
    /// Number of replacements by kind.
    pub counts: Vec<(Kind, u32)>,
    /// Number of damaged lines, which are dropped.
    pub damaged: usize,
}

/// Workloads whose arguments name only the measurement.
const OPEN_ARGUMENTS: [WorkloadId; 7] = [
    WorkloadId::SevenZip,
    WorkloadId::OpenSsl,
    WorkloadId::Sysbench,
    WorkloadId::StressNg,
    WorkloadId::Stockfish,
    WorkloadId::Cpuminer,
    WorkloadId::PerfBench,
];
/// Workload name of tinymembench steps in old Records.
const TINYMEMBENCH: &str = "tinymembench";
/// Options of a run without private values.
const OPEN_OPTIONS: [&str; 5] = ["MODE", "MaxKHz", "MinKHz", "NotReadyYet", "NOTUNING"];
/// Folders without names chosen by a person.
const OF_SYSTEM: [&str; 6] = ["/sys/", "/proc/", "/etc/", "/boot/", "/usr/", "/bin/"];
/// Settings of a side of `ab`.
const OPEN_SETTINGS: [&str; 5] = ["governor", "maxkhz", "minkhz", "thp", "cpus"];

/// Redacts a file of any supported kind.
pub fn redact(bytes: &[u8]) -> RedactedFile {
    let mut redactor = Redactor::default();
    let mut damaged = 0;
    let out = if is_recording(bytes) {
        recording(bytes, &mut redactor, &mut damaged)
    } else {
        let text = any_file::text(bytes);
        match serde_json::from_str::<Value>(&text) {
            Ok(mut value) if value.is_object() => {
                json(&mut value, &mut redactor);
                // Without a formatter, which would check each number again.
                let mut bytes = serde_json::to_vec(&value).unwrap_or_default();
                bytes.push(b'\n');
                bytes
            }
            _ if text.trim_start().starts_with('{') => lines(&text, &mut redactor, &mut damaged),
            _ => redactor.text(&text).into_bytes(),
        }
    };
    let counts = redactor.counts().iter();
    RedactedFile { bytes: out, counts: counts.map(|(kind, count)| (*kind, *count)).collect(), damaged }
}

/// Redacts a recording: framed events and rows of samples.
fn recording(bytes: &[u8], redactor: &mut Redactor, damaged: &mut usize) -> Vec<u8> {
    let lines = || {
        let lines = bytes.split(|byte| *byte == b'\n');
        lines.filter(|line| !line.is_empty())
    };
    let events = lines().filter_map(payload);
    know(events.filter(|event| !is_row(event)).filter_map(parsed), redactor);
    let mut out = String::new();
    for line in lines() {
        match payload(line) {
            Some(row) if is_row(row) => out.push_str(&frame(row)),
            Some(event) => match serde_json::from_str::<Value>(event) {
                Ok(mut value) => {
                    blank(&mut value, "", redactor);
                    out.push_str(&frame(&value.to_string()));
                }
                Err(_) => *damaged += 1,
            },
            None => *damaged += 1,
        }
    }
    out.into_bytes()
}

/// Redacts a stream of events: one JSON object per line.
fn lines(text: &str, redactor: &mut Redactor, damaged: &mut usize) -> Vec<u8> {
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    know(lines().filter_map(parsed), redactor);
    let mut out = String::new();
    for line in lines() {
        match serde_json::from_str::<Value>(line) {
            Ok(mut value) => {
                blank(&mut value, "", redactor);
                out.push_str(&format!("{value}\n"));
            }
            Err(_) => *damaged += 1,
        }
    }
    out.into_bytes()
}

/// Redacts a Record. Drops derived values: they may quote anything, and readers derive them again.
fn json(value: &mut Value, redactor: &mut Redactor) {
    if let Some(fields) = value.as_object_mut() {
        DERIVED_KEYS.iter().for_each(|key| drop(fields.remove(*key)));
    }
    know(std::iter::once(Cow::Borrowed(&*value)), redactor);
    blank(value, "", redactor);
}

fn parsed(line: &str) -> Option<Cow<'_, Value>> {
    serde_json::from_str(line).ok().map(Cow::Owned)
}

/// Hands all strings of a value with their keys to a function.
fn each_string(value: &Value, key: &str, of: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(text) => of(key, text),
        Value::Array(values) => values.iter().for_each(|value| each_string(value, key, of)),
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| each_string(value, inherited(key, name), of));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Keeps the manufacturer's name of the machine, then learns private values.
fn know<'a>(values: impl Iterator<Item = Cow<'a, Value>> + Clone, redactor: &mut Redactor) {
    let mut each = |of: fn(&mut Redactor, &str, &str)| {
        values.clone().for_each(|value| each_string(&value, "", &mut |key, text| of(redactor, key, text)));
    };
    each(|redactor, key, text| {
        if matches!(key, "compatible" | "board") {
            redactor.keep(text);
        }
    });
    each(|redactor, key, text| if key == "hostname" { redactor.know_host(text) } else { redactor.learn(text) });
}

/// A fact is nested one field below its name.
fn inherited<'a>(key: &'a str, name: &'a str) -> &'a str {
    if name == "known" { key } else { name }
}

fn blank(value: &mut Value, key: &str, redactor: &mut Redactor) {
    match value {
        Value::String(text) => *text = string(text, key, redactor),
        Value::Array(values) => {
            for value in values {
                blank(value, key, redactor);
            }
        }
        Value::Object(fields) => {
            command(fields, redactor);
            match key {
                "mounts" => {
                    for (name, place) in [("place", true), ("device", false)] {
                        if let Some(Value::String(text)) = fields.get_mut(name) {
                            *text = if place { redactor.place(text) } else { redactor.device(text) };
                        }
                    }
                }
                "config_txt" => setting(fields, redactor),
                _ => {}
            }
            for (name, value) in fields {
                let key =
                    if name == "text" || name == "lines" && key == "last_words" { key } else { inherited(key, name) };
                blank(value, key, redactor);
            }
        }
        _ => {}
    }
}

fn string(text: &str, key: &str, redactor: &mut Redactor) -> String {
    match key {
        "hostname" if text != BLANK && !names_a_board(text) => redactor.blank(Kind::HostName),
        "kernel_cmdline" => redactor.cmdline(text),
        "boot_id" => redactor.digits(Kind::Identifier, text),
        "options" | "variables" => option(text, redactor),
        "command_line" | "folder" if text != BLANK => redactor.blank(Kind::Command),
        "user" if text != BLANK => redactor.blank(Kind::UserName),
        "sides" => side(text, redactor),
        "path" if text.starts_with('/') && !OF_SYSTEM.iter().any(|known| text.starts_with(known)) => {
            redactor.place(text)
        }
        // Kernel messages, including those that survived a reboot.
        "kernel_messages" | "messages" | "hardware_messages" | "last_words" => redactor.message(text),
        _ => redactor.lines(text),
    }
}

/// Redacts an option: `MODE=extensive` and flags stay; commands, files and hosts are removed.
fn option(text: &str, redactor: &mut Redactor) -> String {
    match text.split_once('=') {
        Some((name, _)) if OPEN_OPTIONS.contains(&name) => text.to_owned(),
        Some((name, _)) => format!("{name}={}", redactor.blank(Kind::Command)),
        None => redactor.line(text),
    }
}

/// Redacts a side of `ab`: settings stay, commands are removed.
fn side(text: &str, redactor: &mut Redactor) -> String {
    let mut settings = text.split([',', ' ']).filter(|word| !word.is_empty());
    let is_open = settings.all(|word| {
        let name = word.split('=').next().unwrap_or_default();
        OPEN_SETTINGS.contains(&name) || word == "(again)" || word.parse::<u32>().is_ok()
    });
    if is_open { text.to_owned() } else { redactor.blank(Kind::Command) }
}

fn setting(fields: &mut Map<String, Value>, redactor: &mut Redactor) {
    let name = fields.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    if let Some(Value::String(value)) = fields.get_mut("value") {
        *value = redactor.firmware(&name, value);
    }
}

/// Redacts a step with a program: its command line, and for a user's command also its output and the variant
/// that represents its arguments.
fn command(fields: &mut Map<String, Value>, redactor: &mut Redactor) {
    let workload = fields.get("workload").and_then(Value::as_str).unwrap_or_default();
    let is_open =
        WorkloadName::from(workload).id().is_some_and(|id| OPEN_ARGUMENTS.contains(&id)) || workload == TINYMEMBENCH;
    let Some(Value::Object(tool)) = fields.get_mut("tool") else { return };
    // Tools of the table report a version; a user's command has none.
    let is_own = tool.get("version").and_then(Value::as_str) == Some("");
    if !is_own && is_open {
        return;
    }
    let mut arguments = Vec::new();
    if let Some(Value::Array(words)) = tool.get_mut("argv") {
        for (place, word) in words.iter_mut().enumerate() {
            let text = word.as_str().unwrap_or_default().to_owned();
            *word = match place {
                0 => file_name(&text).into(),
                _ => {
                    arguments.push(text);
                    redactor.blank(Kind::Command).into()
                }
            };
        }
    }
    if !is_own {
        return;
    }
    if let Some(Value::String(path)) = tool.get_mut("path") {
        *path = file_name(path).to_owned();
    }
    if let Some(Value::String(variant)) = fields.get_mut("variant")
        && !arguments.is_empty()
        && variant.replace('\'', "").contains(&arguments[0].replace('\'', ""))
    {
        *variant = redactor.blank(Kind::Command);
    }
    if let Some(outcome) = fields.get_mut("outcome") {
        output(outcome, redactor);
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

fn output(value: &mut Value, redactor: &mut Redactor) {
    let Value::Object(fields) = value else { return };
    for (name, value) in fields {
        match (name.as_str(), &mut *value) {
            ("output" | "output_tail", Value::String(text)) if !text.is_empty() => {
                *text = redactor.blank(Kind::Command);
            }
            _ => output(value, redactor),
        }
    }
}
