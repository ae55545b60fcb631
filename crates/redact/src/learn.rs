//! Learns private values: what is redacted at one place is redacted everywhere. Names of hosts and users are learnt
//! where texts log, greet or configure; other values must be long enough to be distinguished from words.

use super::names::is_name;
use super::pairs::Pairs;
use super::{BLANK, Kind, PRIVATE_BYTES_MIN, Redactor, message};

/// Users, hosts, directories and labels that every installation of an image has, and words that precede figures.
#[rustfmt::skip]
const EVERYBODYS: [&str; 77] = [
    "root", "user", "users", "pi", "admin", "nobody", "linaro", "host", "localhost", "home", "server", "default",
    "guest", "test", "kernel", "linux", "system", "debian", "ubuntu", "armbian", "dietpi", "fedora", "arch", "alarm",
    "vim", "edge", "boot", "bootfs", "rootfs", "system-boot", "cloudimg-rootfs", "armbi_root", "opi_root", "writable",
    "recovery", "primary", "control", "cryptroot", "efi", "esp", "swap", "laptop", "desktop", "board", "node",
    "cluster", "bench", "sbc", "sbc-bench", "cpu", "gpu", "soc", "mmc", "usb", "eth", "wlan", "arm", "cortex",
    "none", "unknown", "performance", "powersave", "ondemand", "conservative", "schedutil", "userspace",
    "build", "stretch", "buster", "bullseye", "bookworm", "trixie", "sid", "bionic", "focal", "jammy", "noble",
];
/// Prefixes of board names, which images use as host names.
#[rustfmt::skip]
const BOARDS: [&str; 22] = [
    "bpi-", "friendly", "raspberrypi", "odroid", "rock", "orangepi", "nanopi", "nanopc", "khadas", "radxa", "banana",
    "beagle", "pine", "quartz", "visionfive", "star64", "milkv", "lichee", "tinker", "jetson", "cubie", "starfive",
];
/// Prefixes of lines with names of boards and images.
const OF_MAKERS: [&str; 5] = ["DT compat:", "BOARD=", "BOARDFAMILY=", "Armbian info:", "Build system:"];
/// Maximum size of makers' names, in bytes: each host name is searched in them.
const MAKERS_BYTES_MAX: usize = 4096;
/// Text before and after the name of a user who logged in (pam_unix(8), sshd(8), systemd-logind(8), sudo(8)).
const SESSIONS: [(&str, &str); 17] = [
    ("session opened for user ", "("),
    ("session opened for user ", " "),
    ("session closed for user ", ""),
    ("Accepted publickey for ", " from"),
    ("Accepted password for ", " from"),
    ("Failed password for ", " from"),
    ("nvalid user ", ""),
    ("authenticating user ", " "),
    ("user ", " from"),
    ("user ", " logged"),
    ("user=", ""),
    ("SUDO_USER=", ""),
    ("LOGNAME=", ""),
    (" of user ", ""),
    ("sudo: ", " : "),
    ("uid=", ",ou="),
    ("acct=\"", "\""),
];
/// Words after `user` that are not user names.
#[rustfmt::skip]
const NO_USERS: [&str; 16] = [
    "access", "data", "defined", "input", "interface", "interrupt", "limit", "memory", "mode", "namespace", "process",
    "processes", "request", "session", "space", "switch",
];
/// Words before ` login:` that are not host names.
const NO_HOSTS_OF_LOGINS: [&str; 12] =
    ["last", "first", "new", "failed", "next", "user", "auto", "remote", "local", "console", "previous", "ssh"];
/// Words between `Linux` and a number in names of distributions and in sentences.
const NO_HOSTS_OF_LINUX: [&str; 10] =
    ["version", "mint", "lite", "zorin", "rolling", "release", "from", "deepin", "since", "image"];
/// Maximum length of a maker's name, in bytes.
const MAKERS_NAME_BYTES_MAX: usize = 80;
/// Maximum length of the option `ip=` up to the host name, in bytes.
const IP_BYTES_MAX: usize = 256;
/// Maximum length of names, in bytes (HOST_NAME_MAX).
const NAME_BYTES_MAX: usize = 64;
/// Minimum length of values that are redacted everywhere, in characters; shorter ones may be words.
const TELLING_CHARACTERS_MIN: usize = 6;
/// Minimum length of a host name without its domain, in characters.
const FIRST_NAME_CHARACTERS_MIN: usize = 4;
/// Minimum length of such numbers; shorter ones may be figures.
const TELLING_NUMBER_MIN: usize = 10;
/// Maximum number of values of several words that are redacted everywhere.
const PHRASES_MAX: usize = 64;

/// True for host names that name a kind of board, as images use them: `rockpro64`, not `raspberrypi-alice`.
pub fn names_a_board(host: &str) -> bool {
    let lower = host.to_lowercase();
    let behind = BOARDS.iter().find_map(|known| lower.strip_prefix(known));
    behind.is_some_and(|rest| rest.split(|c: char| !c.is_alphanumeric()).all(message::is_known))
}

/// As [`names_a_board`] for one kind of board. The default host name of a maker's images, such as `raspberrypi`, names
/// all kinds.
pub fn names_a_model(host: &str) -> bool {
    let first = host.split('.').next().unwrap_or(host).to_lowercase();
    let is_number = |letter: char| letter.is_ascii_digit();
    names_a_board(host) && (!BOARDS.contains(&first.as_str()) || first.ends_with(is_number))
}

impl Redactor {
    /// Keeps a name that the maker gave to this kind of machine, because images also use it as the host name.
    pub fn keep(&mut self, name: &str) {
        if name.len() > MAKERS_NAME_BYTES_MAX || self.makers.len() > MAKERS_BYTES_MAX {
            return;
        }
        self.makers.push_str(&name.to_lowercase());
        self.makers.push('\n');
        self.done.clear();
    }

    /// Learns the name of a host, which is redacted wherever it is a word.
    pub fn know_host(&mut self, name: &str) {
        self.know(Kind::HostName, name);
        // The name without its domain is redacted as well, unless it is too short.
        let first = name.split('.').next().unwrap_or_default();
        if first.chars().count() >= FIRST_NAME_CHARACTERS_MIN {
            self.know(Kind::HostName, first);
        }
    }

    pub(super) fn know_user(&mut self, name: &str) {
        self.know(Kind::UserName, name);
    }

    pub(super) fn know(&mut self, kind: Kind, name: &str) {
        let is_new = (PRIVATE_BYTES_MIN..=NAME_BYTES_MAX).contains(&name.len()) && !self.known.contains_key(name);
        if is_new && self.is_personal(name) {
            self.add(name, kind);
        }
    }

    /// Learns a value that is redacted at its place.
    pub(super) fn tell(&mut self, kind: Kind, value: &str) {
        let value = value.trim_end_matches(['.', ':']);
        let characters = value.chars().count();
        match kind {
            Kind::HostName => self.know_host(value),
            Kind::UserName => self.know_user(value),
            Kind::Serial | Kind::Identifier | Kind::Address => {
                // A redacted number has zeros up to its last digits.
                let head = value.get(..value.len().saturating_sub(4)).unwrap_or_default();
                let is_number = value.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
                if is_number
                    && (TELLING_NUMBER_MIN..=NAME_BYTES_MAX).contains(&characters)
                    && head.contains(|c: char| c.is_ascii_alphanumeric() && c != '0')
                {
                    self.add(value, kind);
                }
            }
            _ if characters < TELLING_CHARACTERS_MIN || value.len() > NAME_BYTES_MAX => {}
            _ if value.chars().all(is_name) => self.know(kind, value),
            _ => {
                let is_new = !self.phrases.iter().any(|(known, _)| known == value);
                if is_new
                    && self.phrases.len() < PHRASES_MAX
                    && value.contains(char::is_alphabetic)
                    && !value.contains(BLANK)
                {
                    self.phrases.push((value.to_owned(), kind));
                    self.done.clear();
                }
            }
        }
    }

    /// Learns the names that a text gives at one place and uses at others.
    pub fn learn(&mut self, text: &str) {
        self.learn_by_place(text);
        // Redacting teaches names; nothing is counted yet.
        let (counts, met) = (self.counts.clone(), self.met.clone());
        self.is_learning = true;
        for line in text.lines() {
            self.line(line);
        }
        self.is_learning = false;
        (self.counts, self.met) = (counts, met);
    }

    /// Learns names of hosts and users where programs greet, log and configure.
    pub(super) fn learn_by_place(&mut self, text: &str) {
        for line in text.lines() {
            if let Some(names) = OF_MAKERS.iter().find_map(|head| line.trim_start().strip_prefix(head)) {
                names.split(',').for_each(|name| self.keep(name.trim()));
            }
        }
        for line in text.lines().filter(|line| line.len() > PRIVATE_BYTES_MIN) {
            let pairs = Pairs::of(line);
            self.hosts_by_place(line, &pairs);
            for (before, after) in SESSIONS.iter().filter(|(before, _)| pairs.may_hold(before)) {
                for (at, _) in line.match_indices(before) {
                    let rest = &line[at + before.len()..];
                    let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                    let name = rest[..end].trim_end_matches('.');
                    if rest[end..].starts_with(after) && !NO_USERS.contains(&name) {
                        self.know_user(name);
                    }
                }
            }
        }
    }

    fn hosts_by_place(&mut self, line: &str, pairs: &Pairs) {
        if pairs.may_hold(" login:")
            && let Some((host, user)) = greeting(line)
        {
            self.know_host(host);
            self.know_user(user);
        }
        let of_uname = pairs.may_hold("Linux ").then(|| of_uname(line)).flatten();
        let set = pairs.may_hold("ostname set").then(|| set_by_systemd(line)).flatten();
        for host in [set, message::of_syslog(line), of_uname].into_iter().flatten() {
            self.know_host(host);
        }
        // First line of iostat: `Linux 5.10.110-rk (name)         05/12/23        _aarch64_       (8 CPU)`.
        if pairs.may_hold(" CPU)")
            && let Some(at) = line.find("Linux ").filter(|at| line[*at..].contains(" CPU)"))
        {
            self.know_host(line[at..].split(['(', ')']).nth(1).unwrap_or_default());
        }
        // First words of lines of resolv.conf(5), Debian's hosts(5), last(1) and ls(1).
        let mut words = line.split_whitespace().take(8);
        match words.next() {
            Some("search" | "domain") => words.filter(|word| word.contains('.')).for_each(|name| self.know_host(name)),
            Some("127.0.1.1") => words.for_each(|name| self.know_host(name)),
            Some(user) if words.clone().next().is_some_and(|line| line.starts_with("pts/")) => self.know_user(user),
            Some(mode) if message::is_mode(mode) => words.skip(1).take(2).for_each(|name| self.know_user(name)),
            _ => {}
        }
        if !pairs.may_hold("ip=") {
            return;
        }
        for (at, _) in line.match_indices("ip=") {
            if !line[..at].ends_with(is_name) {
                self.know_host(of_ip(&line[at + 3..]).unwrap_or_default());
            }
        }
    }

    /// Redacts known names wherever they are words.
    pub(super) fn known_names(&mut self, line: &str) -> String {
        let mut line = line.to_owned();
        let found: Vec<(String, Kind)> =
            self.phrases.iter().filter(|(phrase, _)| line.contains(phrase.as_str())).cloned().collect();
        for (phrase, kind) in found {
            line = self.each(&line, &phrase, kind);
        }
        if self.known.is_empty() {
            return line;
        }
        let mut out = String::with_capacity(line.len());
        let mut rest = line.as_str();
        while let Some(start) = rest.find(is_name) {
            out.push_str(&rest[..start]);
            let run = &rest[start..];
            let run = &run[..run.find(|c| !is_name(c)).unwrap_or(run.len())];
            let found = beginnings(run).find_map(|end| Some((end, *self.known.get(&run[..end])?)));
            match found {
                Some((end, kind)) => {
                    out.push_str(&self.blank_of(kind, &run[..end]));
                    // Text joined to a name is not a name itself.
                    out.push_str(&run[end..]);
                }
                None => out.push_str(run),
            }
            rest = &rest[start + run.len()..];
        }
        out + rest
    }

    fn blank_of(&mut self, kind: Kind, value: &str) -> String {
        match kind {
            Kind::Serial | Kind::Identifier | Kind::Address => self.digits(kind, value),
            _ => self.blank(kind),
        }
    }

    fn each(&mut self, line: &str, phrase: &str, kind: Kind) -> String {
        let mut out = String::new();
        let mut rest = line;
        while let Some(at) = rest.find(phrase) {
            let (before, behind) = (&rest[..at], &rest[at + phrase.len()..]);
            out.push_str(before);
            let is_part = out.ends_with(is_name) || behind.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            if is_part {
                out.push_str(phrase);
            } else {
                out.push_str(&self.blank(kind));
            }
            rest = behind;
        }
        out + rest
    }

    /// True for names of hosts and users that identify nobody.
    pub(super) fn is_everybodys(&self, kind: Kind, value: &str) -> bool {
        matches!(kind, Kind::HostName | Kind::UserName) && value.chars().all(is_name) && !self.is_personal(value)
    }

    /// False for names that an image gives any user, and for names of the board.
    pub(super) fn is_personal(&self, name: &str) -> bool {
        let lower = name.to_lowercase();
        let word = lower.trim_end_matches(|c: char| !c.is_alphabetic());
        lower.chars().count() >= PRIVATE_BYTES_MIN
            && lower.chars().all(is_name)
            && lower.chars().any(char::is_alphabetic)
            && lower != BLANK
            && !EVERYBODYS.contains(&word)
            && !names_a_board(&lower)
            && !self.makers.contains(&lower)
    }
}

/// Possible ends of a name at the beginning of this text, longest first.
fn beginnings(run: &str) -> impl Iterator<Item = usize> + '_ {
    let longest = NAME_BYTES_MAX.min(run.len());
    (1..=longest)
        .rev()
        .filter(|end| run.is_char_boundary(*end) && !run[*end..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Host and user of getty's greeting `johns-pi login: john`.
fn greeting(line: &str) -> Option<(&str, &str)> {
    let (host, user) = line.trim_start().split_once(" login:")?;
    let is_host = !NO_HOSTS_OF_LOGINS.contains(&host.to_lowercase().as_str());
    let user = user.split_whitespace().next().unwrap_or_default();
    is_host.then_some((host, user))
}

/// `systemd[1]: Hostname set to <johns-pi>.`
fn set_by_systemd(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("ostname set to <").or_else(|| line.split_once("et hostname to <"))?;
    rest.split('>').next()
}

/// Host in `Linux johns-pi 6.1.0-18 #1 SMP ...` of uname(1).
fn of_uname(line: &str) -> Option<&str> {
    let at = line.find("Linux ")?;
    let before = line[..at].trim_end();
    let is_begin = before.is_empty() || before.ends_with([':', '"', '\'', '`', '|', '$', '#', '>', '(']);
    let mut words = line[at..].split_whitespace().skip(1);
    let (host, release) = (words.next()?, words.next()?);
    let numbers = release.split(['.', '-', '+']).take(3);
    let is_release = numbers.clone().all(|number| number.bytes().all(|b| b.is_ascii_digit())) && numbers.count() == 3;
    let is_host = !NO_HOSTS_OF_LINUX.contains(&host.to_lowercase().as_str());
    (is_begin && is_release && is_host).then_some(host)
}

/// Host in `ip=CLIENT:SERVER:GATEWAY:NETMASK:HOST:DEVICE:...` of the kernel's command line (nfsroot.rst), where IPv6
/// addresses are in brackets.
fn of_ip(value: &str) -> Option<&str> {
    // Bounded, because the option may be repeated many times in a line.
    let near = (0..=value.len().min(IP_BYTES_MAX)).rev().find(|end| value.is_char_boundary(*end))?;
    let value = value[..near].split([' ', '\t', '"', '\'', '`', '=']).next()?;
    let mut depth = 0_u32;
    let mut fields = value.split(|c: char| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ':' && depth == 0
    });
    fields.nth(4)
}
