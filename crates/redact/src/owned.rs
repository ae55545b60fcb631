//! Devices named after their owner, hosts in URLs, coordinates, and armoured keys.

use super::{BLANK, Kind, Redactor, message};

/// Domains with public pages.
#[rustfmt::skip]
const PUBLIC: [&str; 40] = [
    "0x0.st", "7-zip.org", "archlinux.org", "arm.com", "armbian.com", "debian.org", "dietpi.com", "endoflife.date",
    "example", "example.com", "example.net", "example.org", "fedoraproject.org", "freedesktop.org", "geekbench.com",
    "github.com", "github.io", "githubusercontent.com", "gitlab.com", "gnu.org", "intel.com", "ix.io", "kernel.org",
    "launchpad.net", "localhost", "odroid.com", "openbenchmarking.org", "opensource.jp", "qemu.org",
    "raspberrypi.com", "raspberrypi.org", "readthedocs.io", "seagate.com", "sourceforge.net", "sprunge.us", "t.ly",
    "tinyurl.com", "ubuntu.com", "wikipedia.org", "youtube.com",
];
/// Strings of lines with coordinates.
pub(super) const POSITIONS: &[&str] = &["lat", "geo:", "gps", "gnss", "coordinates", "$G", "\u{b0}"];
/// Maximum longitude in degrees.
const DEGREES_MAX: f64 = 180.0;
/// Minimum number of decimal places of coordinates.
const FRACTION_DIGITS_MIN: usize = 2;

fn is_of_host(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.')
}

fn is_public(host: &str) -> bool {
    PUBLIC.iter().any(|known| host.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

impl Redactor {
    /// Redacts the host of a URL (`https://intranet.corp/x`) and everything after it, unless its pages are public.
    pub(super) fn hosts_of_addresses(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(at) = rest.find("://") {
            let (head, tail) = rest.split_at(at + 3);
            out.push_str(head);
            let end = tail.find(|c| !is_of_host(c)).unwrap_or(tail.len());
            let (host, behind) = tail.split_at(end);
            let is_name = host.len() >= 3 && host.contains(|c: char| c.is_ascii_alphabetic());
            if !is_name || host == BLANK || is_public(host) {
                out.push_str(host);
                rest = behind;
                continue;
            }
            self.know(Kind::HostName, host);
            self.count(Kind::HostName);
            out.push_str(BLANK);
            let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | ']' | '>' | '<' | ',');
            rest = &behind[behind.find(ends).unwrap_or(behind.len())..];
        }
        out + rest
    }

    /// Redacts `Alice's AirPods`, but not `Linux's ABI`.
    pub(super) fn owned_things(&mut self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(at) = rest.find(['\'', '\u{2019}']) {
            let (head, tail) = rest.split_at(at);
            let mark = tail.chars().next().map_or(1, char::len_utf8);
            let owner = &head[head.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| at + char_len(head, at))..];
            let thing = tail[mark..].strip_prefix("s ").unwrap_or_default();
            let thing_end = thing.find(|c: char| !c.is_alphanumeric()).unwrap_or(thing.len());
            let is_name = |text: &str| text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
            if is_name(owner) && is_name(thing) && !message::is_of_list(owner) {
                self.tell(Kind::UserName, owner);
                self.count(Kind::Label);
                out.push_str(&head[..at - owner.len()]);
                out.push_str(BLANK);
                rest = &thing[thing_end..];
            } else {
                out.push_str(head);
                out.push_str(&tail[..mark]);
                rest = &tail[mark..];
            }
        }
        out + rest
    }

    /// Redacts NMEA 0183 sentences, degrees with minutes, and decimal degrees in lines that announce them.
    pub(super) fn positions(&mut self, line: &str) -> String {
        let lower = line.to_ascii_lowercase();
        let is_told = || {
            let words = lower.split(|c: char| !c.is_ascii_alphabetic());
            let mut latitude_longitude = (false, false);
            for word in words {
                match word {
                    "gps" | "gnss" | "geo" | "coordinates" | "latitude" | "longitude" => return true,
                    "lat" => latitude_longitude.0 = true,
                    "lon" | "lng" | "long" => latitude_longitude.1 = true,
                    _ => {}
                }
            }
            latitude_longitude == (true, true)
        };
        let is_told = is_told();
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit() || c == '$') {
            out.push_str(&rest[..start]);
            rest = &rest[start..];
            let is_of = |c: char| {
                if rest.starts_with('$') {
                    c != '$' && !c.is_whitespace() && !matches!(c, '"' | '`')
                } else {
                    c.is_ascii_digit() || matches!(c, '.' | '\'' | '\u{b0}' | '\u{2032}' | '\u{2033}')
                }
            };
            let first = &rest[1..];
            let end = 1 + first.find(|c| !is_of(c)).unwrap_or(first.len());
            let (place, behind) = rest.split_at(end);
            if is_sentence(place)
                || has_minutes(place)
                || is_told && is_degrees(place) && !out.trim_end().ends_with('[')
            {
                self.count(Kind::Address);
                out.push_str(BLANK);
            } else {
                out.push_str(place);
            }
            rest = behind;
        }
        out + rest
    }

    /// Redacts a key or certificate in PEM on one line.
    pub(super) fn armoured(&mut self, line: &str) -> String {
        const ARMOUR: &str = "-----";
        let mut out = String::with_capacity(line.len());
        let mut parts = line.split(ARMOUR);
        out.push_str(parts.next().unwrap_or_default());
        let mut is_key = false;
        for part in parts {
            out.push_str(ARMOUR);
            if is_key && part.len() > 8 && !part.contains(' ') {
                out.push_str(&self.blank(Kind::Key));
            } else {
                out.push_str(part);
            }
            is_key = part.starts_with("BEGIN ");
        }
        out
    }
}

/// Length of the character at this offset, in bytes.
fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

/// `$GPGGA,123519,5231.2004,N,...`
fn is_sentence(text: &str) -> bool {
    let head = text.strip_prefix('$').and_then(|rest| rest.split_once(','));
    head.is_some_and(|(head, _)| head.len() == 5 && head.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// `48°08'14.2`, and not `48.5°C`.
fn has_minutes(text: &str) -> bool {
    let minutes = text.split_once('\u{b0}').map(|(_, minutes)| minutes);
    minutes.is_some_and(|minutes| minutes.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_degrees(text: &str) -> bool {
    let fraction = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    fraction >= FRACTION_DIGITS_MIN && text.parse::<f64>().is_ok_and(|degrees| degrees <= DEGREES_MAX)
}
