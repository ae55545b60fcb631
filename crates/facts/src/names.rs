//! Names for people. Drivers, device trees and firmware may use names of up to 4096 characters. The Record and
//! machine-readable output keep them; sentences, headings and tables use a short form.

use record::{Machine, Record};
use serde_json::Value;
use std::borrow::Cow;

/// Real names have up to 64 characters.
const CHARACTERS_MAX: usize = 100;
/// Fields with long values that are not names.
const LONG: [&str; 5] = ["compatible", "features", "kernel_cmdline", "kernel_version", "missing"];

/// The Record with readable names of the machine, sensors and settings.
pub(crate) fn short(record: &Record) -> Cow<'_, Record> {
    let labels = record.samples.channels.iter().map(|channel| &channel.label);
    let values = record.settings.iter().flat_map(|setting| [&setting.old, &setting.new]);
    let machine = short_machine(&record.machine);
    if machine.is_none() && !labels.chain(values).any(|name| is_long(name)) {
        return Cow::Borrowed(record);
    }
    let mut record = record.clone();
    record.machine = machine.unwrap_or(record.machine);
    for channel in &mut record.samples.channels {
        cut(&mut channel.label);
    }
    for setting in &mut record.settings {
        cut(&mut setting.old);
        cut(&mut setting.new);
    }
    Cow::Owned(record)
}

fn short_machine(machine: &Machine) -> Option<Machine> {
    let mut value = serde_json::to_value(machine).ok()?;
    shorten(&mut value).then_some(())?;
    record::json::from_value(&value).ok()
}

/// Returns true if it cut something.
fn shorten(value: &mut Value) -> bool {
    match value {
        Value::String(name) => cut(name),
        Value::Array(values) => values.iter_mut().fold(false, |any, value| shorten(value) | any),
        Value::Object(fields) => fields
            .iter_mut()
            .filter(|(field, _)| !LONG.contains(&field.as_str()))
            .fold(false, |any, (_, value)| shorten(value) | any),
        _ => false,
    }
}

fn is_long(name: &str) -> bool {
    name.len() > CHARACTERS_MAX && name.chars().nth(CHARACTERS_MAX).is_some()
}

fn cut(name: &mut String) -> bool {
    if !is_long(name) {
        return false;
    }
    *name = name.chars().take(CHARACTERS_MAX).collect();
    name.push('…');
    true
}
