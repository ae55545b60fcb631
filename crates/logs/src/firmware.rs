//! Firmware and build blocks at the start of a log: DMI, BIOS, ThreadX of the Raspberry Pi, Armbian's release file.
//!
//! Settings become names and values: `config.txt/arm_freq` as in the file (after the section header as
//! `config.txt/[pi4]`), `threadx/arm_freq` as reported by the firmware, `bios/Version`, `device/Manufacturer`.

use super::draft::{Draft, NamedGroup};
use super::section_kind::Kind;
use super::sections::Section;
use record::Fact;

pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    match section.kind {
        Kind::DeviceInfo => pairs(section, "device", ':', draft),
        Kind::Bios => pairs(section, "bios", ':', draft),
        Kind::ThreadxConfig => pairs(section, "config.txt", '=', draft),
        Kind::ThreadxSettings => pairs(section, "threadx", '=', draft),
        Kind::ThreadxVersion => threadx_version(section, draft),
        _ => armbian(section, draft),
    }
}

/// Reads lines `name=value` or `name: value` up to the first blank line; later lines belong to the system block.
fn pairs(section: &Section<'_, '_>, group: &str, between: char, draft: &mut Draft) {
    let mut inside = true;
    for line in section.body() {
        if line.is_blank() {
            // ThreadX configuration files keep their blank lines; compiler lines never look like settings.
            inside &= group == "config.txt";
            continue;
        }
        let text = line.text.trim();
        if super::trailer::compiler_line(text) {
            draft.machine.compiler = Fact::Known(text.to_string());
        } else if !inside {
            draft.unread(line);
        } else {
            let (name, value) = text.split_once(between).unwrap_or((text, ""));
            draft.named(NamedGroup::Firmware, format!("{group}/{}", name.trim()), value, line);
        }
    }
}

fn threadx_version(section: &Section<'_, '_>, draft: &mut Draft) {
    let mut words = String::new();
    for line in section.body().iter().take_while(|line| !line.is_blank()) {
        if !line.text.starts_with("Copyright") {
            if !words.is_empty() {
                words.push_str(", ");
            }
            words.push_str(line.text.trim());
        }
    }
    let heading = section.heading();
    draft.named(NamedGroup::Firmware, "threadx-version".to_string(), &words, &heading);
    rest_after_blank(section, draft);
}

fn armbian(section: &Section<'_, '_>, draft: &mut Draft) {
    let value_of = |name: &str| {
        section.body().iter().find_map(|line| {
            let (known, value) = line.text.split_once('=')?;
            (known.trim() == name).then(|| value.trim().trim_matches('"'))
        })
    };
    let version = value_of("VERSION").unwrap_or_default();
    let branch = value_of("BRANCH").unwrap_or_default();
    let words = format!("Armbian {version} {branch}");
    draft.machine.build_system = Fact::Known(words.trim().to_string());
    draft.block("armbian-release", section);
    rest_after_blank(section, draft);
}

/// Reads the compiler line below the last block.
fn rest_after_blank(section: &Section<'_, '_>, draft: &mut Draft) {
    let rest = section.body().iter().skip_while(|line| !line.is_blank());
    for line in rest.filter(|line| !line.is_blank()) {
        let text = line.text.trim();
        if super::trailer::compiler_line(text) {
            draft.machine.compiler = Fact::Known(text.to_string());
        } else {
            draft.unread(line);
        }
    }
}
