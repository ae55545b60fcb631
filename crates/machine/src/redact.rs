//! Blanks what identifies one person's machine: serial numbers, MAC addresses, UUIDs, the host
//! name. It changes only the value, never the shape, so that parsers read the rest as before.

/// Stands for everything that was blanked.
pub(crate) const BLANK: &str = "redacted";

/// Text with every MAC address and UUID blanked, digit by digit.
pub(crate) fn addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    let is_part = |c: char| c.is_ascii_hexdigit() || c == ':' || c == '-';
    for c in text.chars() {
        if is_part(c) {
            word.push(c);
            continue;
        }
        out.push_str(&address(&word));
        word.clear();
        out.push(c);
    }
    out.push_str(&address(&word));
    out
}

/// A run of hexadecimal digits, colons and dashes: blanked if it has the groups of an address.
fn address(word: &str) -> String {
    let groups: Vec<usize> = word.split([':', '-']).map(str::len).collect();
    // EUI-48 and UUID (RFC 9562), also where more groups follow (`01-` before a MAC address).
    let is_mac = groups.len() >= 6 && groups.iter().all(|length| *length == 2);
    let is_uuid = groups == [8, 4, 4, 4, 12];
    // MBR partition ids look like `6c586e13-02`.
    let is_partuuid = groups == [8, 2] && word.contains('-');
    if !(is_mac || is_uuid || is_partuuid) {
        return word.to_owned();
    }
    let zero = |c: char| if c.is_ascii_hexdigit() { '0' } else { c };
    word.chars().map(zero).collect()
}

/// The kernel's version line without the name of this host, which stands in `(user@host)` of
/// kernels that were built where they run. Build hosts of distributions stay.
pub(crate) fn version(text: &str, host: Option<&str>) -> String {
    match host.filter(|host| !host.is_empty()) {
        Some(host) => text.replacen(&format!("@{host})"), &format!("@{BLANK})"), 1),
        None => text.to_owned(),
    }
}

/// A kernel command line without serial numbers, addresses and names of the machine.
pub(crate) fn cmdline(text: &str) -> String {
    const PRIVATE: &[&str] = &[
        "serial",
        "mac",
        "ethaddr",
        "hostname",
        "chipid",
        "uuid",
        "password",
        "secret",
        "token",
        "psk",
        "passwd",
        "luks",
        "crypt",
        "netconsole",
        "nfsroot",
        "ssid",
        "nameserver",
        "user",
    ];
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| {
            let Some((key, value)) = word.split_once('=') else {
                return addresses(word);
            };
            let lower = key.to_lowercase();
            let name = lower.rsplit('.').next().unwrap_or_default();
            // `console=serial0` is a value, and `machine` is no MAC address.
            let private = PRIVATE.iter().any(|part| match *part {
                "mac" => name == "mac" || name.starts_with("mac_") || name.starts_with("macaddr"),
                part => lower.contains(part),
            }) || matches!(name, "ip" | "key");
            let harmless = matches!(value, "" | "0" | "1" | "y" | "n" | "on" | "off");
            if private && !harmless {
                format!("{key}={BLANK}")
            } else {
                format!("{key}={}", addresses(value))
            }
        })
        .collect();
    words.join(" ")
}

/// The text of any kernel file with serial numbers and addresses blanked: for lines such as
/// `Serial : 10000000abcdef01`, the digits of the value become zeros.
pub(crate) fn file(text: &str) -> String {
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| match line.split_once(':') {
            Some((key, value)) if key.to_lowercase().trim().ends_with("serial") => {
                let zero = |c: char| if c.is_alphanumeric() { '0' } else { c };
                format!("{key}:{}", value.chars().map(zero).collect::<String>())
            }
            _ => addresses(line),
        })
        .collect();
    lines.join("\n")
}

/// The serial number of a card replaced by one that tells the same of its maker: zero, low, or usual.
/// Any other serial number is blanked whole.
pub(crate) fn card_serial(text: &str) -> String {
    let text = text.trim();
    let number = text
        .strip_prefix("0x")
        .and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match number {
        Some(0) => "0x00000000\n".to_owned(),
        Some(1..=0xffff) => "0x0000ffff\n".to_owned(),
        Some(_) => "0xffffffff\n".to_owned(),
        None => format!("{BLANK}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_blanked() {
        for (text, expected) in [
            ("mac DC:A6:32:01:02:03.", "mac 00:00:00:00:00:00."),
            (
                "UUID=3f2504e0-4f89-11d3-9a0c-0305e82c3301 x",
                "UUID=00000000-0000-0000-0000-000000000000 x",
            ),
            ("PARTUUID=6c586e13-02", "PARTUUID=00000000-00"),
            ("0-3,8 12:34 2024-05-06", "0-3,8 12:34 2024-05-06"),
            ("", ""),
        ] {
            assert_eq!(addresses(text), expected);
        }
    }

    #[test]
    fn command_lines_keep_what_is_not_private() {
        let text = "console=serial0,115200 androidboot.serialno=abc123 smsc95xx.macaddr=DC:A6:32:01:02:03 \
                    root=PARTUUID=6c586e13-02 bcm2708_fb.fbwidth=0 systemd.hostname=mine machine=x quiet";
        assert_eq!(
            cmdline(text),
            "console=serial0,115200 androidboot.serialno=redacted smsc95xx.macaddr=redacted \
             root=PARTUUID=00000000-00 bcm2708_fb.fbwidth=0 systemd.hostname=redacted machine=x quiet"
        );
    }

    #[test]
    fn kernels_built_at_home_do_not_tell_where() {
        let text = "Linux version 6.1 (me@box) (gcc) #1";
        assert_eq!(
            version(text, Some("box")),
            "Linux version 6.1 (me@redacted) (gcc) #1"
        );
        assert_eq!(version(text, Some("other")), text);
        assert_eq!(version(text, Some("")), text);
        assert_eq!(version(text, None), text);
    }

    #[test]
    fn serial_numbers_in_files_are_blanked() {
        assert_eq!(
            file("Revision\t: a020d3\nSerial\t\t: 10000000abcdef01\nModel\t: x\n"),
            "Revision\t: a020d3\nSerial\t\t: 0000000000000000\nModel\t: x\n"
        );
    }

    #[test]
    fn serial_numbers_of_cards_keep_their_kind() {
        for (text, expected) in [
            ("0x00000000\n", "0x00000000\n"),
            ("0x000012ab\n", "0x0000ffff\n"),
            ("0x5ab912ab\n", "0xffffffff\n"),
            ("S4EWNX0R123\n", "redacted\n"),
        ] {
            assert_eq!(card_serial(text), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn the_length_of_a_file_stays(text in "\\PC{0,40}|[0-9a-f:\\- \n]{0,60}") {
            proptest::prop_assert_eq!(file(&text).chars().count(), text.chars().count());
            cmdline(&text);
        }
    }
}
