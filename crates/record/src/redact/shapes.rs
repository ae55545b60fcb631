//! What tells by its shape alone that it is one thing in the world: keys and tokens, numbers of drives, hosts of a
//! home network and what they share.

use super::{BLANK, Kind, Redactor};

/// Digits of a key of 256 bits in base64, with `=` behind them (WireGuard, OpenVPN).
const KEY_DIGITS: usize = 43;
/// Beginnings of public keys in the form of OpenSSH: the length of the name of their kind, and the name.
const SSH_KEYS: [&str; 5] = ["AAAAB3NzaC1", "AAAAC3NzaC1", "AAAAE2VjZHNh", "AAAAGnNr", "AAAAInNr"];
/// Beginnings of tokens that services hand out, and how many letters and digits follow at least.
const TOKENS: [(&str, usize); 9] = [
    ("ghp_", 30),
    ("gho_", 30),
    ("ghs_", 30),
    ("github_pat_", 30),
    ("glpat-", 16),
    ("xoxb-", 20),
    ("AKIA", 16),
    ("AIza", 35),
    ("eyJ", 40),
];
/// Lines of a key or certificate in PEM have 64 digits, those of OpenSSH 70.
const PEM_DIGITS: std::ops::RangeInclusive<usize> = 60..=76;
/// Before the name that tells one drive from all others (NAA, EUI-64: SCSI, SATA, NVMe).
const DRIVES: [&str; 3] = ["wwn-0x", "naa.", "eui."];
/// Beginnings of names that udev gives to drives: bus, model and serial number (`60-persistent-storage.rules`).
const DRIVES_OF_UDEV: [&str; 6] = ["ata-", "usb-", "mmc-", "nvme-", "scsi-", "virtio-"];
/// Ends of names that only a home network or the owner's account knows.
const AT_HOME: [&str; 10] = [
    ".local",
    ".lan",
    ".localdomain",
    ".fritz.box",
    ".home.arpa",
    ".ts.net",
    ".duckdns.org",
    ".dyndns.org",
    ".ddns.net",
    ".no-ip.org",
];
/// First folders of a path that begins with two strokes, which names no host.
const FOLDERS: [&str; 17] = [
    "bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "proc", "root", "run", "sbin", "sys", "tmp",
    "usr", "var",
];

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/')
}

/// Digits that no word, number or path has together.
fn is_mixed(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_uppercase())
        && text.contains(|c: char| c.is_ascii_lowercase())
        && text.contains(|c: char| c.is_ascii_digit())
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

impl Redactor {
    /// Words whose shape says what they are.
    pub(super) fn shapes(&mut self, line: &str) -> String {
        let whole = line.trim();
        if PEM_DIGITS.contains(&whole.len()) && whole.chars().all(is_base64) && is_mixed(whole) {
            let blank = self.blank(Kind::Key);
            return line.replace(whole, &blank);
        }
        let is_of_nfs = line.contains("nfs") || line.contains("NFS");
        let is_between = |c: char| {
            c.is_whitespace()
                || matches!(c, '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ',' | ';')
        };
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(start) = rest.find(|c| !is_between(c)) {
            out.push_str(&rest[..start]);
            let word = &rest[start..];
            let end = word.find(is_between).unwrap_or(word.len());
            out.push_str(&self.shape(&word[..end], is_of_nfs));
            rest = &word[end..];
        }
        out + rest
    }

    fn shape(&mut self, word: &str, is_of_nfs: bool) -> String {
        // No shape is shorter.
        if word.len() < 6 {
            return word.to_owned();
        }
        // `peer=KEY`, `key:KEY`.
        for (at, _) in word.match_indices(['=', ':']).take(3) {
            if self.is_key(&word[at + 1..]) {
                return format!("{}{}", &word[..=at], self.blank(Kind::Key));
            }
        }
        if self.is_key(word) {
            return self.blank(Kind::Key);
        }
        let drive = self.drive(word);
        let name = drive.or_else(|| self.number_of_a_phone(word));
        let name = name.or_else(|| self.dotted_mac(word));
        let name = name.or_else(|| self.number_of_a_drive(word));
        let name = name.or_else(|| self.place_of_a_host(word, is_of_nfs));
        name.or_else(|| self.host_at_home(word)).unwrap_or_else(|| word.to_owned())
    }

    fn is_key(&self, word: &str) -> bool {
        let fingerprint = word.strip_prefix("SHA256:");
        let digits = fingerprint.unwrap_or_else(|| word.strip_suffix('=').unwrap_or_default());
        // Before a fingerprint stands what it is.
        let is_of_256_bits =
            digits.len() == KEY_DIGITS && digits.chars().all(is_base64) && (fingerprint.is_some() || is_mixed(digits));
        let is_token = || {
            TOKENS.iter().any(|(head, count)| {
                let rest = word.strip_prefix(head).unwrap_or_default();
                rest.len() >= *count && rest.chars().all(is_of_name)
            })
        };
        is_of_256_bits || SSH_KEYS.iter().any(|head| word.starts_with(head)) || is_token()
    }

    fn drive(&mut self, word: &str) -> Option<String> {
        for head in DRIVES {
            let Some(at) = word.find(head) else {
                continue;
            };
            let start = at + head.len();
            let rest = &word[start..];
            let end = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
            if end >= 16 {
                let digits = self.digits(Kind::Identifier, &rest[..end]);
                return Some(format!("{}{digits}{}", &word[..start], &rest[end..]));
            }
        }
        if let Some(at) = word.find("iqn.")
            && word[at + 4..].starts_with(|c: char| c.is_ascii_digit())
        {
            return Some(format!("{}{}", &word[..at + 4], self.blank(Kind::Identifier)));
        }
        let name = word.rsplit('/').next().unwrap_or_default();
        let head = DRIVES_OF_UDEV.iter().find(|head| name.starts_with(**head))?;
        let (_, last) = name.split_once('_')?;
        let serial = last.rsplit('_').next()?.split(['-', ':', '.']).next()?;
        let digits = serial.bytes().filter(u8::is_ascii_digit).count();
        let is_serial = serial.len() >= 8 && digits >= 4 && serial.bytes().all(|b| b.is_ascii_alphanumeric());
        is_serial.then(|| {
            let before = &word[..word.len() - name.len() + head.len()];
            format!("{before}{}", self.blank(Kind::Serial))
        })
    }

    /// `+491512345678`.
    fn number_of_a_phone(&mut self, word: &str) -> Option<String> {
        let digits = word.strip_prefix('+')?;
        let is_one =
            (10..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
        is_one.then(|| format!("+{}", self.digits(Kind::Address, digits)))
    }

    /// `WD-WCC4E1234567`, which older controllers report in place of the model.
    fn number_of_a_drive(&mut self, word: &str) -> Option<String> {
        let digits = word.strip_prefix("WD-")?;
        let is_one = digits.len() >= 10
            && digits.bytes().all(|b| b.is_ascii_alphanumeric())
            && digits.bytes().filter(u8::is_ascii_digit).count() >= 4;
        is_one.then(|| {
            self.tell(Kind::Serial, word);
            format!("WD-{}", self.digits(Kind::Serial, digits))
        })
    }

    /// `aabb.ccdd.eeff`, as switches write it.
    fn dotted_mac(&mut self, word: &str) -> Option<String> {
        let parts: Vec<&str> = word.trim_end_matches(['.', ':']).split('.').collect();
        let is_one = parts.len() == 3
            && parts
                .iter()
                .all(|part| part.len() == 4 && part.bytes().all(|b| b.is_ascii_hexdigit()))
            // Years and versions have no zero before them.
            && (word.starts_with('0') || word.contains(|c: char| c.is_ascii_alphabetic()));
        is_one.then(|| self.digits(Kind::Address, word))
    }

    /// `\\nas\share`, `//nas/share`, and for NFS `nas:/share`.
    fn place_of_a_host(&mut self, word: &str, is_of_nfs: bool) -> Option<String> {
        for (head, stroke) in [("\\\\", '\\'), ("//", '/')] {
            let Some((host, share)) = word.strip_prefix(head).and_then(|rest| rest.split_once(stroke)) else {
                continue;
            };
            let is_host = !host.is_empty() && host.chars().all(is_of_name) && !FOLDERS.contains(&host);
            if is_host && !share.is_empty() && share != BLANK && !share.starts_with(stroke) {
                self.tell(Kind::HostName, host);
                self.tell(Kind::Label, share);
                self.count(Kind::HostName);
                self.count(Kind::Label);
                return Some(format!("{head}{BLANK}{stroke}{BLANK}"));
            }
        }
        let (host, path) = word.split_once(":/").filter(|_| is_of_nfs)?;
        let is_host = host.len() >= 2 && host.chars().all(is_of_name);
        let is_place = !path.is_empty() && path != BLANK && !path.starts_with('/') && !path.contains(':');
        (is_host && is_place).then(|| {
            self.tell(Kind::HostName, host);
            self.count(Kind::HostName);
            self.count(Kind::Label);
            format!("{BLANK}:/{BLANK}")
        })
    }

    /// `laptop.fritz.box`, but no file that is called `rc.local`.
    fn host_at_home(&mut self, word: &str) -> Option<String> {
        let name = word.trim_end_matches(['.', ':']);
        let lower = name.to_ascii_lowercase();
        let end = AT_HOME.iter().find(|end| lower.ends_with(**end))?;
        let host = &name[..name.len() - end.len()];
        let is_host = !host.is_empty()
            && host.chars().all(is_of_name)
            && host.starts_with(|c: char| c.is_ascii_alphanumeric())
            && !["rc", "localhost", "sysctl", "jail", "fonts", "postfix", BLANK].contains(&host)
            && !host.ends_with(".conf");
        is_host.then(|| {
            self.tell(Kind::HostName, host);
            self.count(Kind::HostName);
            format!("{BLANK}{}", &word[host.len()..])
        })
    }
}
