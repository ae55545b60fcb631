//! Names that people gave: to themselves, their hosts, disks and folders; and serial numbers, which stand behind
//! their name.

use super::{BLANK, Kind, Redactor};

/// Who builds kernels and programs for everybody: their names tell whose kernel it is.
const BUILDERS: [&str; 12] = [
    "@armbian",
    "@lists.debian.org",
    "@lists.ubuntu.com",
    "buildd@",
    "buildozer@",
    "geeko@",
    "nixbld@",
    "mockbuild@",
    "builder@",
    "reproducible@",
    "github",
    "gitlab",
];
/// Users and hosts that every installation of an image has.
const EVERYBODYS: [&str; 26] = [
    "root",
    "user",
    "users",
    "pi",
    "admin",
    "nobody",
    "linaro",
    "host",
    "localhost",
    "home",
    "server",
    "default",
    "guest",
    "test",
    "kernel",
    "linux",
    "system",
    "debian",
    "ubuntu",
    "armbian",
    "dietpi",
    "fedora",
    "arch",
    "alarm",
    "vim",
    "edge",
];
/// Beginnings of the names of boards, which images make the name of the host.
const BOARDS: [&str; 20] = [
    "raspberrypi",
    "odroid",
    "rock",
    "orangepi",
    "nanopi",
    "nanopc",
    "khadas",
    "radxa",
    "banana",
    "beagle",
    "pine",
    "quartz",
    "visionfive",
    "star64",
    "milkv",
    "lichee",
    "tinker",
    "jetson",
    "cubie",
    "starfive",
];
/// Folders below which people's names stand, and how many names.
const OF_PEOPLE: [(&str, &[Kind]); 4] = [
    ("/run/media", &[Kind::UserName, Kind::Label]),
    ("/media", &[Kind::UserName, Kind::Label]),
    ("/home", &[Kind::UserName]),
    ("/Users", &[Kind::UserName]),
];
/// What stands before the name of a disk.
const BEFORE_LABELS: [&str; 8] = [
    "by-id/",
    "by-label/",
    "by-partlabel/",
    "by-path/",
    "/dev/mapper/",
    "PARTLABEL=",
    "LABEL=",
    "by-diskseq/",
];
/// What stands before and behind the name of who logged in (pam_unix(8), sshd(8), systemd-logind(8), sudo(8)).
const SESSIONS: [(&str, &str); 9] = [
    ("session opened for user ", "("),
    ("session opened for user ", " "),
    ("session closed for user ", ""),
    ("Accepted publickey for ", " from"),
    ("Accepted password for ", " from"),
    ("Failed password for ", " from"),
    ("Invalid user ", " from"),
    ("SUDO_USER=", ""),
    ("LOGNAME=", ""),
];
/// Longer ones are no names: anything may stand in them.
const MAKERS_NAME_BYTES_MAX: usize = 80;
/// Words that end the name of a serial number.
const SERIAL_ENDS: [&str; 7] = [" number", " no.", " no", "_number", "number", "no", ""];

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+')
}

impl Redactor {
    /// Takes a name that the maker gave to this kind of machine: images make it the name of the host, too.
    pub fn keep(&mut self, name: &str) {
        if name.len() > MAKERS_NAME_BYTES_MAX {
            return;
        }
        self.makers.push_str(&name.to_lowercase());
        self.makers.push('\n');
    }

    /// Takes the name of a host: it is blanked wherever it stands as a word.
    pub fn know_host(&mut self, name: &str) {
        if self.is_personal(name) && !self.hosts.iter().any(|known| known == name) {
            self.hosts.push(name.to_owned());
        }
    }

    fn know_user(&mut self, name: &str) {
        if self.is_personal(name) && !self.users.iter().any(|known| known == name) {
            self.users.push(name.to_owned());
        }
    }

    /// Takes the names that a text gives away at one place and uses at others.
    pub fn learn(&mut self, text: &str) {
        for (folder, _) in &OF_PEOPLE[..3] {
            let folder = format!("{folder}/");
            for (at, _) in text.match_indices(&folder) {
                let name: String = text[at + folder.len()..]
                    .chars()
                    .take_while(|c| is_name(*c))
                    .collect();
                self.know_user(&name);
            }
        }
        for (before, after) in [
            ("Hostname set to <", '>'),
            ("hostname: ", '\n'),
            ("Hostname: ", '\n'),
        ] {
            for (at, _) in text.match_indices(before) {
                let name = text[at + before.len()..].split([after, ' ', '\n']).next();
                self.know_host(name.unwrap_or_default().trim_end_matches('.'));
            }
        }
        for (before, after) in SESSIONS {
            for (at, _) in text.match_indices(before) {
                let rest = &text[at + before.len()..];
                let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                if rest[end..].starts_with(after) {
                    self.know_user(rest[..end].trim_end_matches('.'));
                }
            }
        }
        // `Linux 5.10.110-rk (name) 	05/12/23 	_aarch64_ 	(8 CPU)`, as iostat begins.
        for line in text
            .lines()
            .filter(|line| line.starts_with("Linux ") && line.contains(" CPU)"))
        {
            let name = line.split(['(', ')']).nth(1).unwrap_or_default();
            self.know_host(name);
        }
    }

    /// Names that are known, wherever they stand as words.
    pub(super) fn known_names(&mut self, line: &str) -> String {
        let mut line = line.to_owned();
        let hosts = self
            .hosts
            .clone()
            .into_iter()
            .map(|name| (name, Kind::HostName));
        let users = self
            .users
            .clone()
            .into_iter()
            .map(|name| (name, Kind::UserName));
        for (name, kind) in hosts.chain(users) {
            line = self.each(&line, &name, kind, |before, after| {
                !before.ends_with(is_name)
                    && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_')
            });
        }
        line
    }

    fn each(
        &mut self,
        line: &str,
        name: &str,
        kind: Kind,
        fits: impl Fn(&str, &str) -> bool,
    ) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some(at) = rest.find(name) {
            let (before, behind) = (&rest[..at], &rest[at + name.len()..]);
            out.push_str(before);
            if fits(&out, behind) {
                self.count(kind);
                out.push_str(BLANK);
            } else {
                out.push_str(name);
            }
            rest = behind;
        }
        out + rest
    }

    /// `https://user:password@host`.
    pub(super) fn credentials(&mut self, line: &str) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some(at) = rest.find("://") {
            let (head, tail) = rest.split_at(at + 3);
            out.push_str(head);
            rest = tail;
            let end = tail
                .find(|c: char| c == '/' || c.is_whitespace())
                .unwrap_or(tail.len());
            if let Some(at) = tail[..end].rfind('@') {
                self.count(Kind::Key);
                out.push_str(BLANK);
                rest = &tail[at..];
            }
        }
        out + rest
    }

    /// `Serial : 10000000abcdef01`, `SerialNumber: 2022`, `serialno=abc`: digits and letters become zeros.
    pub(super) fn serials(&mut self, line: &str) -> String {
        let lower = line.to_ascii_lowercase();
        let mut out = String::new();
        let mut done = 0;
        for (at, word) in lower.match_indices("serial") {
            let behind = &lower[at + word.len()..];
            let Some(end) = SERIAL_ENDS.into_iter().find(|end| {
                let rest = behind
                    .strip_prefix(end)
                    .map(|rest| rest.trim_start_matches([' ', '\t', '"']));
                rest.is_some_and(|rest| rest.starts_with([':', '=']))
            }) else {
                continue;
            };
            // `fe650000.serial: ttyS2` is a device.
            if end.is_empty() && line[..at].ends_with('.') && behind.starts_with(':') {
                continue;
            }
            let from = at + word.len() + end.len();
            let value = line[from..].find(|c: char| !matches!(c, ' ' | '\t' | ':' | '=' | '"'));
            let Some(start) = value
                .map(|value| from + value)
                .filter(|start| *start >= done)
            else {
                continue;
            };
            let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | '`');
            let end = line[start..]
                .find(ends)
                .map_or(line.len(), |length| start + length);
            // `Serial: 8250/16550 driver` is a driver.
            if line[start..end].starts_with("8250") {
                continue;
            }
            out.push_str(&line[done..start]);
            let value = &line[start..end];
            let blank: String = value
                .chars()
                .map(|c| if c.is_alphanumeric() { '0' } else { c })
                .collect();
            if blank != value {
                self.count(Kind::Serial);
            }
            out.push_str(&blank);
            done = end;
        }
        out + &line[done..]
    }

    /// Homes, and `/media/NAME/LABEL`.
    pub(super) fn places_of_people(&mut self, line: &str) -> String {
        let first = OF_PEOPLE
            .iter()
            .filter_map(|(folder, kinds)| {
                let folder = format!("{folder}/");
                Some((line.find(&folder)?, folder, *kinds))
            })
            .min_by_key(|(at, ..)| *at);
        let Some((at, folder, kinds)) = first else {
            return line.to_owned();
        };
        let (head, mut rest) = line.split_at(at + folder.len());
        let mut out = head.to_owned();
        let ends = |c: char| c == '/' || c.is_whitespace() || "\"'),:]`".contains(c);
        for (place, kind) in kinds.iter().enumerate() {
            let end = rest.find(ends).unwrap_or(rest.len());
            if end == 0 {
                break;
            }
            if &rest[..end] != BLANK {
                self.count(*kind);
            }
            out.push_str(BLANK);
            rest = &rest[end..];
            if place + 1 < kinds.len() {
                let Some(tail) = rest.strip_prefix('/') else {
                    break;
                };
                out.push('/');
                rest = tail;
            }
        }
        out + &self.places_of_people(rest)
    }

    /// `user@host`, but not nodes of the device tree (`mmc@fe320000`) and not those who build for everybody.
    pub(super) fn accounts(&mut self, line: &str) -> String {
        let Some(at) = line.find('@') else {
            return line.to_owned();
        };
        let (left, right) = (&line[..at], &line[at + 1..]);
        let start = left.rfind(|c| !is_name(c)).map_or(0, |place| {
            place + left[place..].chars().next().map_or(1, char::len_utf8)
        });
        let end = right.find(|c| !is_name(c)).unwrap_or(right.len());
        let (user, host) = (&left[start..], &right[..end]);
        let word = format!("{user}@{host}");
        let is_node = host
            .chars()
            .all(|c| c.is_ascii_hexdigit() || matches!(c, '.' | '-' | '_'));
        let tail = self.accounts(&right[end..]);
        let is_everybodys =
            BUILDERS.iter().any(|known| word.contains(known)) || word == format!("{BLANK}@{BLANK}");
        if user.is_empty() || is_node || is_everybodys {
            return format!("{}{word}{tail}", &left[..start]);
        }
        self.count(Kind::HostName);
        self.count(Kind::UserName);
        format!("{}{BLANK}@{BLANK}{tail}", &left[..start])
    }

    /// Names of disks that their makers or owners gave: `by-id/...`, `LABEL=...`.
    pub(super) fn disks(&mut self, line: &str) -> String {
        let mut line = line.to_owned();
        for before in BEFORE_LABELS {
            let mut from = 0;
            while let Some(at) = line[from..].find(before) {
                let start = from + at + before.len();
                let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '"' | '\'' | '`' | ')');
                let end = line[start..]
                    .find(ends)
                    .map_or(line.len(), |length| start + length);
                let value = &line[start..end];
                from = start;
                if !value.is_empty() && value != BLANK {
                    self.count(Kind::Label);
                    line.replace_range(start..end, BLANK);
                }
            }
        }
        line
    }
}

impl Redactor {
    /// False for what an image calls everybody, and for names of the board.
    fn is_personal(&self, name: &str) -> bool {
        let lower = name.to_lowercase();
        let word = lower.trim_end_matches(|c: char| !c.is_alphabetic());
        lower.chars().count() >= 3
            && lower.chars().all(is_name)
            && lower.chars().any(char::is_alphabetic)
            && lower != BLANK
            && !EVERYBODYS.contains(&word)
            && !BOARDS.iter().any(|known| lower.starts_with(known))
            && !self.makers.contains(&lower)
    }
}
