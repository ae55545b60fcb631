//! Values that are recognised by their shape: keys and tokens, numbers of drives, hosts of a home network and their
//! shares.

use super::{BLANK, Kind, Redactor, message};

/// Length of a 256-bit key in base64 without its final `=` (WireGuard, OpenVPN).
const KEY_DIGITS: usize = 43;
/// Prefixes of OpenSSH public keys: length and name of their kind.
const SSH_KEYS: [&str; 5] = ["AAAAB3NzaC1", "AAAAC3NzaC1", "AAAAE2VjZHNh", "AAAAGnNr", "AAAAInNr"];
/// Prefixes of service tokens, and minimum number of following characters.
const TOKENS: [(&str, usize); 18] = [
    ("ghp_", 30),
    ("gho_", 30),
    ("ghs_", 30),
    ("github_pat_", 30),
    ("glpat-", 16),
    ("xoxb-", 20),
    ("AKIA", 16),
    ("AIza", 35),
    ("eyJ", 40),
    ("AGE-SECRET-KEY-", 20),
    ("tskey-", 16),
    ("npm_", 30),
    ("sk-", 32),
    ("sbch_", 30),
    // Telegram.
    ("AAE", 30),
    ("AAF", 30),
    ("AAG", 30),
    ("AAH", 30),
];
/// Length of PEM lines: 64 digits, 70 for OpenSSH.
const PEM_DIGITS: std::ops::RangeInclusive<usize> = 60..=76;
/// Minimum length of keys and account numbers, in bytes.
const KEY_BYTES_MIN: usize = 15;
/// Prefixes of interface names that are followed by a word of their owner.
const INTERFACES: [&str; 10] = ["wg-", "veth-", "br-", "tap-", "tun-", "vnet-", "vxlan-", "macvlan-", "vmbr-", "ppp-"];
/// Prefixes of unique drive names (NAA, EUI-64: SCSI, SATA, NVMe).
const DRIVES: [&str; 3] = ["wwn-0x", "naa.", "eui."];
/// Prefixes of drive names by udev: bus, model and serial number (`60-persistent-storage.rules`).
const DRIVES_OF_UDEV: [&str; 6] = ["ata-", "usb-", "mmc-", "nvme-", "scsi-", "virtio-"];
/// Domains of home networks and dynamic DNS.
const AT_HOME: [&str; 11] = [
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
    ".onion",
];
/// First directories of paths that begin with two slashes but name no host.
const FOLDERS: [&str; 17] = [
    "bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "proc", "root", "run", "sbin", "sys", "tmp",
    "usr", "var",
];

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/')
}

/// True for a mix of characters that words, numbers and paths lack.
fn is_mixed(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_uppercase())
        && text.contains(|c: char| c.is_ascii_lowercase())
        && text.contains(|c: char| c.is_ascii_digit())
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// As `str::find`, which has a higher setup cost than searching a short word.
fn find(word: &str, part: &str) -> Option<usize> {
    let first = part.as_bytes()[0];
    word.as_bytes().windows(part.len()).position(|window| window[0] == first && window == part.as_bytes())
}

impl Redactor {
    /// Redacts words with a known shape.
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
        let mut is_comment = false;
        while let Some(start) = rest.find(|c| !is_between(c)) {
            out.push_str(&rest[..start]);
            let tail = &rest[start..];
            let (word, behind) = tail.split_at(tail.find(is_between).unwrap_or(tail.len()));
            match self.shape(word, is_of_nfs) {
                Some(blanked) => out.push_str(&blanked),
                None if is_comment => out.push_str(&self.blank(Kind::Label)),
                None => out.push_str(word),
            }
            // A public key is followed by a comment about its owner.
            is_comment = SSH_KEYS.iter().any(|head| word.starts_with(head));
            rest = behind;
        }
        out + rest
    }

    /// Word without its private parts; `None` if it has none.
    fn shape(&mut self, word: &str, is_of_nfs: bool) -> Option<String> {
        // Every shape has a minimum length, which is larger for letters and digits alone.
        let is_compound = || word.bytes().any(|byte| b".-+/\\:".contains(&byte));
        if word.len() < 6 || word.len() < KEY_BYTES_MIN && !is_compound() {
            return None;
        }
        if word.len() >= KEY_BYTES_MIN {
            // `peer=KEY`, `key:KEY`.
            let places = word.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'=' | b':'));
            for start in [0].into_iter().chain(places.take(3).map(|(at, _)| at + 1)) {
                if self.is_key(&word[start..]) {
                    return Some(format!("{}{}", &word[..start], self.blank(Kind::Key)));
                }
            }
        }
        let looks: [fn(&mut Self, &str) -> Option<String>; 10] = [
            Self::drive,
            Self::name_of_service,
            Self::number_of_a_phone,
            Self::dotted_mac,
            Self::number_of_a_drive,
            Self::number_of_an_account,
            Self::interface,
            Self::plus_code,
            Self::account_of_domain,
            Self::host_at_home,
        ];
        let name = self.place_of_a_host(word, is_of_nfs);
        name.or_else(|| looks.iter().find_map(|look| look(self, word)))
    }

    fn is_key(&self, word: &str) -> bool {
        let fingerprint = word.strip_prefix("SHA256:");
        let digits = fingerprint.unwrap_or_else(|| word.strip_suffix('=').unwrap_or_default());
        // A fingerprint has its own prefix.
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
            let Some(at) = find(word, head) else { continue };
            let start = at + head.len();
            let rest = &word[start..];
            let end = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
            if end >= 16 {
                let digits = self.digits(Kind::Identifier, &rest[..end]);
                return Some(format!("{}{digits}{}", &word[..start], &rest[end..]));
            }
        }
        if let Some(at) = find(word, "iqn.").or_else(|| find(word, "nqn."))
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

    /// `wg-customer`, and not `br-lan`.
    fn interface(&mut self, word: &str) -> Option<String> {
        let head = INTERFACES.iter().find(|head| word.starts_with(**head))?;
        let rest = &word[head.len()..];
        let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
        let is_own = rest[..end].split(['-', '_', '.']).any(|part| !part.is_empty() && !message::is_known(part));
        is_own.then(|| format!("{head}{}{}", self.blank(Kind::Label), &rest[end..]))
    }

    /// `8FWH4HX8+9C` (Open Location Code).
    fn plus_code(&mut self, word: &str) -> Option<String> {
        let (area, place) = word.trim_end_matches(['.', ':']).split_once('+')?;
        let are_digits = |text: &str| text.bytes().all(|byte| b"23456789CFGHJMPQRVWX".contains(&byte));
        let is_one = area.len() == 8 && (2..=3).contains(&place.len()) && are_digits(area) && are_digits(place);
        is_one.then(|| self.blank(Kind::Address))
    }

    /// `@alice:example.org` (Matrix) and `git@example.org:alice/project`.
    fn name_of_service(&mut self, word: &str) -> Option<String> {
        let (user, rest) = word.split_once('@').filter(|(user, _)| matches!(*user, "" | "git" | BLANK))?;
        let (left, right) = rest.trim_end_matches(['.', ':']).split_once(':')?;
        let (names, host) = if user.is_empty() { (left, right) } else { (right, left) };
        let is_host =
            host.contains('.') && host.chars().all(is_of_name) && host.contains(|c: char| c.is_ascii_alphabetic());
        let is_one = if user == BLANK { names.ends_with(".git") } else { is_host };
        // Builders publish their sources.
        (is_one && names.len() >= 2 && !self.makers.contains(&names.to_lowercase())).then(|| {
            names.split('/').for_each(|name| self.tell(Kind::UserName, name.trim_end_matches(".git")));
            self.count(Kind::UserName);
            format!("{user}@{BLANK}:{BLANK}")
        })
    }

    /// `CORP\alice`, and not `\x2d`.
    fn account_of_domain(&mut self, word: &str) -> Option<String> {
        let (domain, user) = word.split_once('\\')?;
        let is_one = domain.len() >= 3
            && domain.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-')
            && user.len() >= 3
            && user.chars().all(is_of_name)
            && user.starts_with(|c: char| c.is_ascii_lowercase());
        is_one.then(|| {
            self.tell(Kind::UserName, user);
            self.count(Kind::UserName);
            format!("{BLANK}\\{BLANK}")
        })
    }

    /// `DE89370400440532013000` (ISO 13616).
    fn number_of_an_account(&mut self, word: &str) -> Option<String> {
        let bytes = word.as_bytes();
        let is_one = (15..=34).contains(&bytes.len())
            && bytes[..2].iter().all(u8::is_ascii_uppercase)
            && bytes[2..].iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
            && bytes[2..].iter().filter(|byte| byte.is_ascii_digit()).count() >= 12;
        is_one.then(|| self.blank(Kind::Key))
    }

    /// `+491512345678`.
    fn number_of_a_phone(&mut self, word: &str) -> Option<String> {
        let digits = word.strip_prefix('+')?;
        let is_one =
            (10..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
        is_one.then(|| format!("+{}", self.digits(Kind::Address, digits)))
    }

    /// `WD-WCC4E1234567`, which older controllers report instead of the model.
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

    /// `aabb.ccdd.eeff`, the notation of switches.
    fn dotted_mac(&mut self, word: &str) -> Option<String> {
        let parts = word.trim_end_matches(['.', ':']).split('.');
        let is_one = parts.clone().count() == 3
            && parts
                .into_iter()
                .all(|part| part.len() == 4 && part.bytes().all(|b| b.is_ascii_hexdigit()))
            // Years and versions have no leading zero.
            && (word.starts_with('0') || word.contains(|c: char| c.is_ascii_alphabetic()));
        is_one.then(|| self.digits(Kind::Address, word))
    }

    /// `\\nas\share`, `//nas/share`, and for NFS `nas:/share`.
    fn place_of_a_host(&mut self, word: &str, is_of_nfs: bool) -> Option<String> {
        for (head, stroke) in [("\\\\", '\\'), ("//", '/')] {
            let Some(place) = word.strip_prefix(head) else { continue };
            let Some((host, share)) = place.split_once(stroke) else {
                let host = place.trim_end_matches(['.', ':']);
                let is_host = stroke == '\\' && host.len() >= 2 && host != BLANK && host.chars().all(is_of_name);
                return is_host.then(|| {
                    self.tell(Kind::HostName, host);
                    self.count(Kind::HostName);
                    format!("{head}{BLANK}{}", &place[host.len()..])
                });
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

    /// `laptop.fritz.box`, but not a file such as `rc.local`.
    fn host_at_home(&mut self, word: &str) -> Option<String> {
        let name = word.trim_end_matches(['.', ':']);
        if !name.contains('.') {
            return None;
        }
        let host = AT_HOME.iter().find_map(|end| {
            let at = name.len().checked_sub(end.len()).filter(|at| name.is_char_boundary(*at))?;
            name[at..].eq_ignore_ascii_case(end).then(|| &name[..at])
        })?;
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
