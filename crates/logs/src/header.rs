//! Start of a log: its first line, the distribution, the compiler.
//!
//! `sbc-bench v0.4 -- DATE` up to 0.4, `sbc-bench vX NAME[ MODE] (DATE)` later, no such line before 0.4.

use super::draft::Draft;
use super::sections::{Line, Section};
use super::text;
use record::{Fact, Mode};

/// Modes between name and date.
const MODES: [Mode; 6] =
    [Mode::UntunedReview, Mode::Extensive, Mode::Unattended, Mode::Review, Mode::Phoronix, Mode::Geekbench];

/// Values of the first line.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Header<'t> {
    version: &'t str,
    name: Option<&'t str>,
    mode: Option<Mode>,
    date: Option<&'t str>,
}

impl<'t> Header<'t> {
    /// True if the line contains the date of the run, in any language.
    pub(super) fn is_dated(&self) -> bool {
        self.date.is_some_and(|date| date.contains(|c: char| c.is_ascii_digit()))
    }

    pub(super) fn version(&self) -> &'t str {
        self.version
    }

    pub(super) fn name(&self) -> Option<&'t str> {
        self.name
    }

    /// Start of the run in milliseconds since 1970.
    pub(super) fn started_ms(&self) -> Option<i64> {
        text::rfc2822(self.date?).map(|(started, _)| started)
    }
}

/// Parses the first line of a log.
pub(super) fn parse(line: &str) -> Option<Header<'_>> {
    let line = line.trim_start();
    let rest = line.trim_end().strip_prefix("sbc-bench v")?;
    let (version, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    if !version.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut header = Header { version, ..Header::default() };
    let rest = rest.trim();
    if let Some(date) = rest.strip_prefix("-- ") {
        header.date = Some(date.trim());
        return Some(header);
    }
    // A name may contain parentheses: the date is in the last pair.
    let name = match rest.rfind('(') {
        Some(open) if rest.ends_with(')') => {
            header.date = Some(&rest[open + 1..rest.len() - 1]);
            rest[..open].trim_end()
        }
        _ => rest,
    };
    let mode = MODES.into_iter().find_map(|mode| {
        let before = name.strip_suffix(mode.as_str())?;
        // A board may be called `4gb`: a mode must be a separate word.
        before.ends_with(' ').then_some((before, mode))
    });
    let (name, mode) = match mode {
        Some((before, mode)) => (before, Some(mode)),
        None => (name, None),
    };
    header.mode = mode;
    header.name = Some(name.trim_end()).filter(|name| !name.is_empty());
    Some(header)
}

/// True if the line is the first line of a log.
pub(super) fn is_header(line: &str) -> bool {
    parse(line).is_some()
}

pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    for line in section.lines {
        if line.is_blank() || super::sections::is_separator(line.text) {
            continue;
        }
        if let Some(header) = parse(line.text) {
            take_header(&header, line, draft);
        } else if !release_line(line.text, draft) {
            draft.unread(line);
        }
    }
}

fn take_header(header: &Header<'_>, line: &Line<'_>, draft: &mut Draft) {
    draft.log.version = header.version.to_string();
    draft.log.header_name = header.name.map(str::to_string);
    if let Some(name) = header.name {
        // `BOARD / SOC`; the firmware may not name the board.
        draft.machine.board = Fact::Known(name.trim_start_matches("/ ").to_string());
    }
    if let Some(mode) = &header.mode {
        draft.run.mode = mode.clone();
    }
    let Some(date) = header.date else { return };
    match text::rfc2822(date) {
        Some((started_ms, offset)) => {
            draft.run.started = Fact::Known(started_ms);
            draft.run.utc_offset_minutes = offset;
            let local = started_ms + i64::from(offset) * 60_000;
            draft.start_of_day_ms = Some(local.rem_euclid(86_400_000));
        }
        None => draft.unread(line),
    }
}

/// Reads lines of `lsb_release`, the build system and the compiler. Returns false for other lines.
fn release_line(text: &str, draft: &mut Draft) -> bool {
    let text = text.trim();
    if text.starts_with('/') && text.contains("gcc") {
        draft.machine.compiler = Fact::Known(text.to_string());
        return true;
    }
    if kernel_line(text, draft) {
        return true;
    }
    let Some((name, value)) = text.split_once(':') else {
        return false;
    };
    let value = value.trim();
    match name {
        "Description" => draft.machine.distribution = Fact::Known(value.to_string()),
        "Build system" | "Armbian info" => draft.machine.build_system = Fact::Known(value.to_string()),
        "Architecture" => draft.machine.userland_arch = Fact::Known(value.to_string()),
        // These repeat the description.
        "Distributor ID" | "Release" | "Codename" | "LSB Version" | "No LSB modules are available." => {}
        _ => return false,
    }
    true
}

/// Reads the output of `uname -a`: `Linux HOST RELEASE #1122 SMP DATE armv7l GNU/Linux`. Only the first versions print
/// it.
fn kernel_line(text: &str, draft: &mut Draft) -> bool {
    let Some(words) = text.strip_prefix("Linux ").and_then(|rest| rest.strip_suffix(" GNU/Linux")) else {
        return false;
    };
    let mut words = words.splitn(3, ' ');
    let (Some(hostname), Some(release), Some(rest)) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let Some((version, arch)) = rest.rsplit_once(' ') else {
        return false;
    };
    let machine = &mut draft.machine;
    machine.hostname = Fact::Known(hostname.to_string());
    machine.kernel_release = Fact::Known(release.to_string());
    machine.kernel_version = Fact::Known(version.to_string());
    machine.kernel_arch = Fact::Known(arch.to_string());
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines() {
        for (line, version, name, mode, date) in [
            ("sbc-bench v0.4 -- Sun, 29 Jul 2018 12:34:58 +0000", "0.4", None, None, true),
            ("sbc-bench v0.6.2  (Fri, 30 Nov 2018 14:43:57 +0100)", "0.6.2", None, None, true),
            (
                "sbc-bench v0.9.37 Made / N305 extensive (Fri, 10 Mar 2023 16:35:09 +1100)",
                "0.9.37",
                Some("Made / N305"),
                Some(Mode::Extensive),
                true,
            ),
            (
                "sbc-bench v0.9.9 Board (Linux) (Fri, 10 Mar 2023 16:35:09 +1100)",
                "0.9.9",
                Some("Board (Linux)"),
                None,
                true,
            ),
            (
                "sbc-bench v0.9.40 X NOTUNING review (Fri, 10 Mar 2023 16:35:09 +1100)",
                "0.9.40",
                Some("X"),
                Some(Mode::UntunedReview),
                true,
            ),
            ("sbc-bench v0.9.40 Board 4gb (Fri, 10 Mar 2023 16:35:09 +1100)", "0.9.40", Some("Board 4gb"), None, true),
            ("sbc-bench v0.9.40 Cut off in the na", "0.9.40", Some("Cut off in the na"), None, false),
        ] {
            let header = parse(line).unwrap();
            assert_eq!((header.version, header.name, header.mode), (version, name, mode));
            assert_eq!(header.date.is_some_and(|date| text::rfc2822(date).is_some()), date, "{line}");
        }
        assert_eq!(parse("Tested with sbc-bench v0.9.72 on Thu"), None);
        assert_eq!(parse("sbc-bench vNext"), None);
    }
}
