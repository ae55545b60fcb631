//! Table of keywords: names of fields and command line options, their separators, and accepted values, because the same
//! words also occur in kernel sentences.

use super::entry::Keyword;
use super::entry::Separator::{self, Any, Blank, Colon, Equals, Joined, Quote, Sign, SignOrQuote};
use super::entry::Value::{self, Digits, Line, LineDigits, Word};
use super::{BLANK, Kind, message};

const fn row(
    kind: Kind,
    between: Separator,
    value: Value,
    fits: fn(&str) -> bool,
    words: &'static [&'static str],
) -> Keyword {
    Keyword { words, of: &[], between, value, fits, kind }
}

/// Option of some programs that has another meaning in others.
const fn option_of(of: &'static [&'static str], between: Separator, words: &'static [&'static str]) -> Keyword {
    Keyword { of, ..row(Kind::Key, between, Word, is_secret, words) }
}

#[rustfmt::skip]
pub(super) const NAMED: &[Keyword] = &[
    row(Kind::Key, Sign, Word, is_secret, &[
        "password", "passphrase", "psk", "secret", "api_key", "apikey", "api-key",
    ]),
    row(Kind::Key, Equals, Word, is_secret, &[
        "passwd", "token", "auth_key", "authkey", "access_key", "accesskey", "private_key", "privatekey",
        "credential", "credentials",
    ]),
    row(Kind::Key, Any, Word, is_secret, &[
        "--password", "--passwd", "--passphrase", "--psk", "--secret", "--token", "--api-key", "--auth-key",
        "--pass", "--pwd", "--pw", "authorization: bearer", "authorization: basic",
    ]),
    // These words may follow an underscore, as in `MYSQL_PWD` and `DB_PASS`.
    row(Kind::Key, Equals, Word, is_short_secret, &["pass", "pwd", "pw", "passcode"]),
    row(Kind::Key, Any, Word, is_key, &["--key", "-key"]),
    row(Kind::Key, Equals, Word, is_mixed_key, &["key"]),
    row(Kind::Key, Equals, Word, is_pin, &["pin", "puk"]),
    row(Kind::Key, Any, Word, is_pin, &["--pin", "sim pin", "puk"]),
    row(Kind::Key, Any, Word, is_account, &["--user", "--proxy-user", "-u"]),
    row(Kind::Key, Any, Word, |value| is_secret(value) && !is_of_sentence(value), &["password is"]),
    option_of(&["sshpass"], Any, &["-p"]),
    option_of(&["sshpass", "mysql", "mariadb"], Joined, &["-p"]),
    option_of(&["redis-cli"], Any, &["-a"]),
    option_of(&["ipmitool"], Any, &["-p"]),
    option_of(&["smbclient"], Any, &["-u"]),
    row(Kind::UserName, Equals, Word, |value| value.starts_with(char::is_alphabetic), &["user", "username", "acct"]),
    row(Kind::HostName, Sign, Word, |value| value.starts_with(char::is_alphanumeric), &["hostname", "host name"]),
    row(Kind::HostName, Equals, Word, |value| is_secret(value) && value.starts_with(char::is_alphabetic), &[
        "host", "domain", "nodename", "realm", "dc", "cn",
    ]),
    row(Kind::HostName, Any, Word, |value| value.contains('.'), &["domain-name", "domain_name"]),
    row(Kind::HostName, Any, Word, |value| {
        value.contains(|c: char| c.is_ascii_alphabetic()) && !value.contains(':')
    }, &["nfs: server", "lockd: server"]),
    row(Kind::HostName, Blank, Word, |value| {
        value.len() > 3 && !is_of_sentence(value) && !value.split(|c: char| !c.is_alphanumeric()).all(message::is_known)
    }, &["connect to", "host key for", "host key of"]),
    row(Kind::HostName, Equals, Word, |value| {
        value.contains(':') && value.starts_with(|c: char| c.is_ascii_alphabetic()) && !value.starts_with("localhost")
    }, &["display"]),
    row(Kind::UserName, Colon, Line, is_secret, &["author", "committer"]),
    row(Kind::Label, Any, Line, is_label, &["syslocation", "syscontact"]),
    row(Kind::Label, Colon, Line, is_network, &["ssid"]),
    row(Kind::Label, SignOrQuote, Word, is_network, &["ssid", "essid"]),
    row(Kind::Label, Blank, Word, |value| {
        is_network(value) && !is_of_sentence(value) && !value.contains('=')
    }, &["ssid", "essid", "connecting to network", "connected to network"]),
    row(Kind::Label, Any, Word, is_label, &[
        "device label", "volume label", "volume name", "partition label", "zfs pool",
    ]),
    Keyword { of: &["devid"], ..row(Kind::Label, Any, Word, is_label, &["label"]) },
    row(Kind::Label, SignOrQuote, Word, |value| is_label(value) && value.starts_with(char::is_alphabetic), &["pool"]),
    row(Kind::Key, Colon, Line, is_secret, &["cookie"]),
    row(Kind::UserName, Quote, Word, is_secret, &["identity"]),
    row(Kind::Serial, Any, Digits, |value| (14..=20).contains(&value.len()) && is_hex(value), &[
        "imei", "imsi", "iccid", "meid", "msisdn",
    ]),
    row(Kind::Address, Any, Digits, |value| {
        let digits = value.replace('.', "");
        digits.len() == 12 && is_hex(&digits)
    }, &[
        "bd address", "bd addr", "bdaddr", "bd_addr", "mac address", "mac addr", "macaddr", "mac", "hw address",
        "hwaddr", "hardware address", "ethernet address", "device address", "bssid", "ether",
    ]),
    row(Kind::Identifier, Sign, Digits, is_short_uuid, &["uuid", "volume id"]),
    row(Kind::Identifier, Joined, Digits, is_short_uuid, &["by-uuid/"]),
    // smartctl and hdparm print these numbers in groups.
    row(Kind::Identifier, Any, LineDigits, is_long_number, &[
        "wwn device id", "wwn device identifier", "ieee eui-64", "logical unit id", "nguid", "wwn",
    ]),
    row(Kind::Identifier, Any, Digits, |value| {
        let digits = value.trim_start_matches("0x");
        digits.len() >= 16 && is_hex(digits)
    }, &["soc uid", "soc_uid", "unique id", "ecid", "chipid", "chip id", "cpuid"]),
    row(Kind::Serial, Sign, Line, is_tag, &["asset tag", "asset_tag"]),
    row(Kind::Serial, Sign, Digits, |value| value.contains(char::is_alphanumeric), &["serial#", "serial_short"]),
    row(Kind::Serial, Any, Digits, |value| value.len() >= 6 && is_number_of_a_thing(value), &[
        "serial number", "serialnumber", "serial no.", "serial no", "serialno",
    ]),
    row(Kind::Serial, Any, Digits, |value| value.len() >= 8 && is_number_of_a_thing(value), &["sn", "s/n"]),
    // `serial 00:05: ttyS0` and `serial fe650000` are devices.
    row(Kind::Serial, Any, Digits, |value| value.len() >= 10 && is_number_of_a_thing(value), &["serial"]),
];

/// Words that follow the keyword in a sentence.
#[rustfmt::skip]
const OF_SENTENCES: [&str; 44] = [
    "a", "and", "at", "broadcast", "by", "cannot", "changed", "does", "element", "empty", "expired", "failed", "for",
    "found", "from", "has", "hidden", "ie", "in", "incorrect", "invalid", "is", "len", "length", "list", "mismatch",
    "missing", "needed", "not", "of", "on", "or", "profile", "required", "scan", "set", "the", "to", "too", "unknown",
    "via", "was", "with", "wrong",
];

fn is_of_sentence(value: &str) -> bool {
    let word = value.trim_end_matches(['.', ':', '!', '?']);
    OF_SENTENCES.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// False for values of options without a secret.
fn is_secret(value: &str) -> bool {
    let nothing = [
        "", "yes", "no", "on", "off", "y", "n", "none", "<none>", "null", "(null)", "true", "false", "ask", "required",
        "x", "?", "*", "!", BLANK,
    ];
    !value.starts_with('-')
        && !nothing.iter().any(|known| value.eq_ignore_ascii_case(known))
        && !value.bytes().all(|byte| byte == b'*')
}

/// `PWD=/root` is a directory, `pass=2` a number.
fn is_short_secret(value: &str) -> bool {
    is_secret(value) && !value.starts_with('/') && !is_count(value)
}

fn is_count(value: &str) -> bool {
    value.len() <= 3 && value.bytes().all(|b| b.is_ascii_digit())
}

/// `--key=2,3` of sort(1) is not a key.
fn is_key(value: &str) -> bool {
    is_secret(value) && value.len() >= 4 && !(value.len() < 8 && value.starts_with(|c: char| c.is_ascii_digit()))
}

/// True for values that are certainly keys, because the keyword may also mean a button or a table.
fn is_mixed_key(value: &str) -> bool {
    let has = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
    value.len() >= 8 && !value.starts_with("0x") && has(char::is_ascii_digit) && has(char::is_ascii_alphabetic)
}

/// PIN codes; numbers of GPIO pins are smaller.
fn is_pin(value: &str) -> bool {
    (4..=8).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_digit())
}

/// `alice:password`, but not `1000:1000` or `unix://path`.
fn is_account(value: &str) -> bool {
    value.split_once(':').is_some_and(|(user, password)| {
        user.starts_with(|c: char| c.is_ascii_alphabetic()) && !password.is_empty() && !password.starts_with('/')
    })
}

/// `scan_ssid=1` and `ESSID:off/any` name no network.
fn is_network(value: &str) -> bool {
    let nothing = ["off", "any", "off/any", "hidden", "<hidden>", "0", "1", "n/a"];
    is_secret(value) && !nothing.iter().any(|known| value.eq_ignore_ascii_case(known))
}

fn is_label(value: &str) -> bool {
    is_secret(value) && !is_of_sentence(value)
}

/// Identifiers of FAT (`ABCD-1234`) and NTFS (16 digits), as blkid writes them; longer ones have a shape.
fn is_short_uuid(value: &str) -> bool {
    let groups: Vec<usize> = value.split('-').map(str::len).collect();
    let is_hex = value.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit());
    is_hex && (groups == [4, 4] || groups == [16])
}

/// Hexadecimal numbers of at least 48 bits, in groups or not.
fn is_long_number(text: &str) -> bool {
    let digits = text.trim_start_matches("0x");
    let is_one = |byte: u8| byte == b' ' || byte.is_ascii_hexdigit();
    digits.bytes().all(is_one) && digits.bytes().filter(u8::is_ascii_hexdigit).count() >= 12
}

/// True for letters and digits with at least three digits.
fn is_number_of_a_thing(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).count() >= 3
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// True for tags by the owner, not the defaults of firmware.
fn is_tag(value: &str) -> bool {
    let lower = value.to_lowercase();
    let nobodys = ["not ", "no", "default", "to be", "fill", "unknown", "n/a", "o.e.m"];
    !lower.is_empty()
        && !lower.contains("asset")
        && !lower.trim_start_matches('0').is_empty()
        && !nobodys.iter().any(|word| lower.starts_with(word))
}
