//! What stands behind a word that says what it is: passwords, names of networks, numbers of modems and chips. The
//! table says of each word what may be between, and which values are meant, since the same words stand in
//! sentences of the kernel, too.

use super::{BLANK, Kind, Redactor};

/// What stands between a word and its value.
#[derive(Clone, Copy, PartialEq)]
enum Between {
    /// `=` or `:`, with or without blanks.
    Sign,
    /// `=` alone: behind a colon stands a sentence.
    Equals,
    /// `:` and a blank.
    Colon,
    /// A sign, or blanks alone.
    Any,
    /// A sign, or blanks and a quotation mark.
    SignOrQuote,
    /// `=` and a quotation mark.
    Quote,
}

/// How far a value goes, and what is left of it.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    /// One word, or what stands between quotation marks; nothing of it.
    Word,
    /// The same, of which the shape stays.
    Digits,
    /// Up to the end of the line or two blanks; nothing of it.
    Line,
    /// The same, of which the shape stays.
    LineDigits,
}

struct Named {
    words: &'static [&'static str],
    between: Between,
    value: Value,
    fits: fn(&str) -> bool,
    kind: Kind,
}

/// By so much of a value is told whether it is one.
const NEAR_BYTES: usize = 256;

/// Words in small letters, longer ones before those that they begin with.
const NAMED: &[Named] = &[
    Named {
        words: &[
            "password",
            "passphrase",
            "psk",
            "secret",
            "api_key",
            "apikey",
            "api-key",
        ],
        between: Between::Sign,
        value: Value::Word,
        fits: is_secret,
        kind: Kind::Key,
    },
    Named {
        words: &[
            "passwd",
            "token",
            "auth_key",
            "authkey",
            "access_key",
            "accesskey",
            "private_key",
            "privatekey",
            "credential",
            "credentials",
        ],
        between: Between::Equals,
        value: Value::Word,
        fits: is_secret,
        kind: Kind::Key,
    },
    Named {
        words: &[
            "--password",
            "--passwd",
            "--passphrase",
            "--psk",
            "--secret",
            "--token",
            "--api-key",
            "--auth-key",
            "authorization: bearer",
            "authorization: basic",
        ],
        between: Between::Any,
        value: Value::Word,
        fits: is_secret,
        kind: Kind::Key,
    },
    Named {
        words: &["ssid"],
        between: Between::Colon,
        value: Value::Line,
        fits: is_network,
        kind: Kind::Label,
    },
    Named {
        words: &["ssid", "essid"],
        between: Between::SignOrQuote,
        value: Value::Word,
        fits: is_network,
        kind: Kind::Label,
    },
    Named {
        words: &["identity"],
        between: Between::Quote,
        value: Value::Word,
        fits: is_secret,
        kind: Kind::UserName,
    },
    Named {
        words: &["imei", "imsi", "iccid", "meid", "msisdn"],
        between: Between::Any,
        value: Value::Digits,
        fits: |value| (14..=20).contains(&value.len()) && is_hex(value),
        kind: Kind::Serial,
    },
    Named {
        words: &[
            "bd address",
            "bd addr",
            "bdaddr",
            "bd_addr",
            "mac address",
            "mac addr",
            "macaddr",
            "mac",
            "hw address",
            "hwaddr",
            "hardware address",
            "ethernet address",
            "device address",
            "bssid",
            "ether",
        ],
        between: Between::Any,
        value: Value::Digits,
        fits: |value| value.len() == 12 && is_hex(value),
        kind: Kind::Address,
    },
    // smartctl and hdparm print these numbers in groups.
    Named {
        words: &[
            "wwn device id",
            "wwn device identifier",
            "ieee eui-64",
            "logical unit id",
            "nguid",
            "wwn",
        ],
        between: Between::Any,
        value: Value::LineDigits,
        fits: is_long_number,
        kind: Kind::Identifier,
    },
    Named {
        words: &[
            "soc uid",
            "soc_uid",
            "unique id",
            "ecid",
            "chipid",
            "chip id",
            "cpuid",
        ],
        between: Between::Any,
        value: Value::Digits,
        fits: |value| {
            let digits = value.trim_start_matches("0x");
            digits.len() >= 16 && is_hex(digits)
        },
        kind: Kind::Identifier,
    },
    Named {
        words: &["asset tag", "asset_tag"],
        between: Between::Sign,
        value: Value::Line,
        fits: |value| {
            let lower = value.to_lowercase();
            let nobodys = [
                "not ", "no", "default", "to be", "fill", "unknown", "n/a", "o.e.m",
            ];
            !lower.is_empty()
                && !lower.contains("asset")
                && !lower.trim_start_matches('0').is_empty()
                && !nobodys.iter().any(|word| lower.starts_with(word))
        },
        kind: Kind::Serial,
    },
    Named {
        words: &["nfs: server", "lockd: server"],
        between: Between::Any,
        value: Value::Word,
        fits: |value| value.contains(|c: char| c.is_ascii_alphabetic()) && !value.contains(':'),
        kind: Kind::HostName,
    },
    Named {
        words: &["serial#", "serial_short"],
        between: Between::Sign,
        value: Value::Digits,
        fits: |value| value.contains(char::is_alphanumeric),
        kind: Kind::Serial,
    },
    Named {
        words: &[
            "serial number",
            "serialnumber",
            "serial no.",
            "serial no",
            "serialno",
        ],
        between: Between::Any,
        value: Value::Digits,
        fits: |value| value.len() >= 6 && is_number_of_a_thing(value),
        kind: Kind::Serial,
    },
    // `serial 00:05: ttyS0` and `serial fe650000` are devices.
    Named {
        words: &["serial"],
        between: Between::Any,
        value: Value::Digits,
        fits: |value| value.len() >= 10 && is_number_of_a_thing(value),
        kind: Kind::Serial,
    },
];

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// False for what an option without a secret has.
fn is_secret(value: &str) -> bool {
    let nothing = [
        "", "yes", "no", "on", "off", "y", "n", "none", "null", "(null)", "true", "false", "ask",
        "required", "x", "*", "!", BLANK,
    ];
    !nothing.contains(&value.to_lowercase().as_str())
        && !value.chars().all(|c| c == '*')
        && !value.starts_with('-')
}

/// `scan_ssid=1` and `ESSID:off/any` name none.
fn is_network(value: &str) -> bool {
    let nothing = [
        "off", "any", "off/any", "hidden", "<hidden>", "0", "1", "n/a",
    ];
    is_secret(value) && !nothing.contains(&value.to_lowercase().as_str())
}

/// Hexadecimal digits of 48 bits and more, in groups or not.
fn is_long_number(text: &str) -> bool {
    let digits = text.trim_start_matches("0x");
    let count = digits.bytes().filter(u8::is_ascii_hexdigit).count();
    count >= 12 && digits.bytes().all(|b| b == b' ' || b.is_ascii_hexdigit())
}

/// Letters and digits, and some digits among them.
fn is_number_of_a_thing(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).count() >= 3
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

impl Redactor {
    /// Values whose name stands before them.
    pub(super) fn named(&mut self, line: &str) -> String {
        let mut line = line.to_owned();
        for named in NAMED {
            for word in named.words {
                // Byte for byte as long as the line.
                let lower = line.to_ascii_lowercase();
                if lower.contains(word) {
                    line = self.behind(&line, &lower, word, named);
                }
            }
        }
        line
    }

    fn behind(&mut self, line: &str, lower: &str, word: &str, named: &Named) -> String {
        let mut out = String::new();
        let mut done = 0;
        for (at, _) in lower.match_indices(word) {
            let behind = at + word.len();
            if at < done || lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
                continue;
            }
            let Some((start, end)) = value_of(line, behind, named) else {
                continue;
            };
            let value = &line[start..end];
            out.push_str(&line[done..start]);
            match named.value {
                Value::Word | Value::Line => out.push_str(&self.blank(named.kind)),
                Value::Digits | Value::LineDigits => {
                    // The `x` of `0x` is no digit.
                    let head = value.len() - value.trim_start_matches("0x").len();
                    let digits = self.digits(named.kind, &value[head..]);
                    out.push_str(&value[..head]);
                    out.push_str(&digits);
                }
            }
            done = end;
        }
        out + &line[done..]
    }
}

/// Where the value is that stands behind a word.
fn value_of(line: &str, behind: usize, named: &Named) -> Option<(usize, usize)> {
    // The name itself may be quoted, as in JSON.
    let rest = &line[behind..];
    let name_ends = if rest.starts_with("\":") || rest.starts_with("':") {
        1
    } else {
        0
    };
    let rest = &rest[name_ends..];
    let gap = rest.len() - rest.trim_start_matches([' ', '\t', ':', '=']).len();
    let sign = rest[..gap].trim();
    let quote = rest[gap..]
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\''));
    let fits = match named.between {
        Between::Sign => !sign.is_empty(),
        Between::Equals => sign == "=",
        Between::Colon => rest.starts_with(": "),
        Between::Any => gap > 0,
        Between::SignOrQuote => !sign.is_empty() || gap > 0 && quote.is_some(),
        Between::Quote => sign == "=" && quote.is_some(),
    };
    if !fits {
        return None;
    }
    let start = behind + name_ends + gap + usize::from(quote.is_some());
    let text = &line[start..];
    // A value that does not fit is not gone through to its end: the same word may stand behind it a million times.
    let mut ends = (0..=NEAR_BYTES.min(text.len())).rev();
    let near = ends.find(|at| text.is_char_boundary(*at));
    let near = &text[..near.unwrap_or(0)];
    let value = match end_of(near, quote, named.value) {
        Some(end) => &text[..end],
        None if near.len() == text.len() => text,
        None if (named.fits)(near) => {
            &text[..end_of(text, quote, named.value).unwrap_or(text.len())]
        }
        None => return None,
    };
    let value = value.trim_end();
    let value = match named.value {
        Value::Digits => value.trim_end_matches(['.', ':']),
        _ => value,
    };
    (named.fits)(value).then_some((start, start + value.len()))
}

/// Where a value ends, if it does.
fn end_of(text: &str, quote: Option<char>, value: Value) -> Option<usize> {
    match (quote, value) {
        (Some(quote), _) => text.find(quote),
        (None, Value::Line | Value::LineDigits) => text.find("  ").or(text.find([',', '\t'])),
        (None, Value::Word | Value::Digits) => text.find(|c: char| {
            c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | '`' | '&' | ')' | ']' | '}')
        }),
    }
}
