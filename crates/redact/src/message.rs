//! Messages of the kernel, and of programs that write to its log. They can contain anything, so only known words
//! (`data/kernel_words.txt`), numbers, addresses, units and names made of these are kept; all other words are redacted.

use super::addresses::{BEFORE_VERSIONS, COMMIT_DIGITS};
use super::{BLANK, Kind, Redactor};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Prefixes of messages without a time stamp.
#[rustfmt::skip]
const HEADS: [&str; 31] = [
    "BTRFS ", "BTRFS: ", "Bluetooth: ", "CIFS: ", "EXT4-fs (", "IP-Config: ", "Loaded X.509 cert ", "NFS: ",
    "Out of memory: ", "XFS (", "ZFS: ", "[drm", "audit: ", "ceph: ", "containerd: ", "device-mapper: ", "drbd ",
    "gpg: ", "hid-generic ", "input: ", "libceph: ", "lockd: ", "md: ", "nfs: server ", "oom-kill:", "rbd: ", "scsi ",
    "sudo: ", "usb-storage ", "usblp", "uvcvideo ",
];
/// Months, as syslog writes them (RFC 3164).
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// Number of hexadecimal digits of a kernel address.
const ADDRESS_DIGITS: usize = 16;
/// Prefixes of addresses of the kernel and of programs, and of poisoned ones.
const ADDRESSES: [&str; 3] = ["ff", "00", "dead"];
/// Maximum number of digits; longer numbers identify modems and chips, unless a unit follows.
const NUMBER_DIGITS_MAX: usize = 13;
/// Maximum number of digits among letters; more are a serial number.
const MIXED_DIGITS_MAX: usize = 7;
/// Maximum number of runs of one or two letters between digits: `nvme0n1p1` has two, serial numbers have more.
const SHORT_RUNS_MAX: usize = 2;
/// Length of the longest word in the list, in bytes.
const WORD_BYTES_MAX: usize = 20;
/// Units that may follow a number of any length.
const UNITS: [&str; 15] = ["ns", "us", "ms", "s", "hz", "khz", "mhz", "b", "k", "kb", "mb", "gb", "kib", "mib", "ul"];

static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let text = include_str!("../../../data/kernel_words.txt");
    text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
});

/// Offset of a message after its log prefix; `None` if the line is not a message.
pub(super) fn begin(line: &str) -> Option<usize> {
    let text = line.trim_start_matches([' ', '\t', '>', '`', '*']);
    let start = line.len() - text.len();
    if HEADS.iter().any(|head| text.starts_with(head)) || is_of_firewall(text) || is_mode(text) {
        return Some(start);
    }
    match text.as_bytes().first()? {
        b'[' => stamp(text).map(|length| start + length),
        b'<' => {
            let (level, rest) = text[1..].split_once('>')?;
            let is_level = level.len() <= 3 && level.bytes().all(|byte| byte.is_ascii_digit());
            let start = line.len() - rest.len();
            is_level.then(|| stamp(rest).map_or(start, |length| start + length))
        }
        b'0'..=b'9' => {
            let (head, rest) = text.split_once(';').filter(|(head, _)| head.len() <= 80).unzip();
            let is_of_kmsg = |head: &&str| {
                let fields = head.split(',');
                fields.clone().count() >= 4 && fields.take(3).all(|field| field.parse::<u64>().is_ok())
            };
            match head.filter(is_of_kmsg) {
                Some(_) => Some(line.len() - rest.map_or(0, str::len)),
                None => of_syslog(text).map(|host| behind(line, host)),
            }
        }
        _ if is_of_usb(text) || is_of_service(text) => Some(start),
        // `dmesg --decode`.
        b'k' if text.starts_with("kern ") => text.find('[').and_then(|at| Some(start + at + stamp(&text[at..])?)),
        b'A'..=b'S' => of_syslog(text).map(|host| behind(line, host)),
        _ => None,
    }
}

/// Host in `Nov 22 14:00:01 johns-pi kernel: ...`, or with the time as in RFC 5424.
pub(super) fn of_syslog(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let first = words.next()?;
    if MONTHS.contains(&first) {
        words.next()?.parse::<u8>().ok()?;
        words.next().filter(|time| is_time(time))?;
    } else {
        let (day, time) = first.split_once('T')?;
        let is_day = day.split('-').count() == 3 && day.starts_with(|c: char| c.is_ascii_digit());
        (is_day && is_time(time)).then_some(())?;
    }
    let host = words.next()?;
    words.next()?.ends_with(':').then_some(host)
}

fn is_time(text: &str) -> bool {
    text.split(':').count() >= 3 && text.starts_with(|c: char| c.is_ascii_digit())
}

/// Offset of the text after a word of a line.
fn behind(line: &str, word: &str) -> usize {
    word.as_ptr() as usize - line.as_ptr() as usize + word.len()
}

/// Length of `[   12.345678] ` or `[Mon Jan  6 10:00:00 2025] `, and of the caller after it.
fn stamp(text: &str) -> Option<usize> {
    let (inside, rest) =
        text.trim_start().strip_prefix('[')?.split_once(']').filter(|(inside, _)| inside.len() <= 32)?;
    let seconds = inside.trim_start_matches([' ', '+']).split_once('.');
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_date = || {
        inside.len() == 24
            && inside.get(20..).is_some_and(|year| year.parse::<u16>().is_ok())
            && inside.matches(':').count() == 2
    };
    let is_stamp = seconds.is_some_and(|(whole, part)| are_digits(whole) && are_digits(part)) || is_date();
    is_stamp.then(|| text.len() - rest.len())
}

/// `usb 1-1.2: Product: ...`
fn is_of_usb(text: &str) -> bool {
    let port = text.strip_prefix("usb ").and_then(|rest| rest.split_once(": "));
    port.is_some_and(|(port, _)| port.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.')))
}

/// `PREFIX IN=eth0 OUT= SRC=...` with a user-defined prefix (iptables-extensions(8), LOG).
fn is_of_firewall(text: &str) -> bool {
    text.split_once("IN=").is_some_and(|(_, rest)| rest.split(' ').nth(1).is_some_and(|word| word.starts_with("OUT=")))
}

/// File mode at the beginning of a line of ls(1): `-rw-r--r-- ...`.
pub(super) fn is_mode(text: &str) -> bool {
    let mode = text.split(' ').next().unwrap_or_default();
    mode.len() >= 10 && mode.starts_with(['-', 'd', 'l']) && mode[1..].bytes().all(|byte| b"rwxsStT-.+".contains(&byte))
}

/// Message of a service: `sshd[71]: ...`.
fn is_of_service(text: &str) -> bool {
    let Some((name, rest)) = text.split_once('[').filter(|(name, _)| (1..=32).contains(&name.len())) else {
        return false;
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0
        && rest[digits..].starts_with("]: ")
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

impl Redactor {
    /// Redacts a kernel message: names by shape and place as everywhere, and all unknown words.
    pub fn message(&mut self, text: &str) -> String {
        let text = self.shaped(text);
        self.words_of_kernel(&text)
    }

    /// Redacts all unknown words of a message.
    pub(super) fn words_of_kernel(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let mut removed = 0;
        while let Some(start) = rest.find(is_part) {
            out.push_str(&rest[..start]);
            rest = &rest[start..];
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            let is_commit = || word.len() == COMMIT_DIGITS && BEFORE_VERSIONS.iter().any(|text| out.ends_with(text));
            let is_time = || behind.starts_with(" ns") && word.bytes().all(|byte| byte.is_ascii_digit());
            if is_known(word) && !is_possessor(word, behind) || is_commit() || is_time() {
                out.push_str(word);
            } else {
                removed += 1;
                out.push_str(BLANK);
            }
            rest = behind;
        }
        for _ in 0..removed {
            self.count(Kind::Word);
        }
        out + rest
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric()
}

/// `Max's`, not `the device's`.
fn is_possessor(word: &str, behind: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase()) && (behind.starts_with("'s ") || behind.starts_with("\u{2019}s "))
}

/// True for known words, numbers, and names made of them.
pub(super) fn is_known(word: &str) -> bool {
    let is_decimal = word.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal || !word.is_ascii() {
        return is_decimal && word.trim_start_matches('0').len() <= NUMBER_DIGITS_MAX;
    }
    if !word.bytes().any(|byte| byte.is_ascii_digit()) {
        return is_of_list(word);
    }
    let number = word.strip_prefix("0x").unwrap_or(word);
    if number.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let significant = number.trim_start_matches('0');
        let is_address = number.len() == ADDRESS_DIGITS && ADDRESSES.iter().any(|head| number.starts_with(head));
        return significant.len() <= 8 || is_address || number.len() < word.len() && significant.len() < ADDRESS_DIGITS;
    }
    if let Some(unit) = word.get(word.bytes().take_while(u8::is_ascii_digit).count()..)
        && UNITS.iter().any(|known| unit.eq_ignore_ascii_case(known))
    {
        return true;
    }
    let is_hash = || {
        let hash = word.strip_prefix('g').unwrap_or_default();
        (7..=12).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    if is_hash() {
        return true;
    }
    let mut short = 0;
    let runs = word.split(|c: char| c.is_ascii_digit()).filter(|run| !run.is_empty());
    let are_known = runs.inspect(|run| short += usize::from(run.len() <= 2)).all(is_of_list);
    // Redacted numbers are zeros.
    let digits = word.bytes().filter(|byte| (b'1'..=b'9').contains(byte)).count();
    are_known && short <= SHORT_RUNS_MAX && digits <= MIXED_DIGITS_MAX
}

/// True for listed words, short ones, and several joined ones (`SerialNumber`).
pub(super) fn is_of_list(letters: &str) -> bool {
    let is_listed = |word: &str| {
        let mut lower = [0; WORD_BYTES_MAX];
        let Some(lower) = lower.get_mut(..word.len()) else { return false };
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        word.len() <= 2 || str::from_utf8(lower).is_ok_and(|word| WORDS.contains(word))
    };
    if letters == BLANK || is_listed(letters) {
        return true;
    }
    let mut rest = letters;
    let inner = |rest: &str| {
        rest.as_bytes().windows(2).position(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
    };
    while let Some(at) = inner(rest) {
        if !is_listed(&rest[..=at]) {
            return false;
        }
        rest = &rest[at + 1..];
    }
    rest.len() < letters.len() && is_listed(rest)
}
