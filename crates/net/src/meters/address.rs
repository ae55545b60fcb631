//! Addresses of meters: a kind with a host and output, a URL with values, a command or a device. Pure.

use super::fields::Fields;
use super::{KINDS, Kind};
use std::ops::Range;

/// Address of a meter.
#[derive(Debug, Clone)]
pub struct Address {
    /// Its kind.
    pub(super) kind: &'static Kind,
    /// Host, or host and port; for other kinds the whole source.
    pub(super) host: String,
    /// Path below the host, with its slash.
    pub(super) path: String,
    /// Values named by the user.
    pub(super) fields: Option<Fields>,
    /// Selected outputs.
    pub(super) outputs: Outputs,
    /// Address for the Record and messages, without passwords, keys and words of commands.
    pub(super) shown: String,
}

/// Form of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressForm {
    /// `HOST[:PORT][/N|/all]`.
    Host,
    /// As `Host`, with a path before the output.
    HostAndPath,
    /// `http://...#FIELDS`.
    Url,
    /// `HOST[:PORT]/TOPIC[#FIELDS]`.
    Topic,
    /// Command, optionally with `#FIELDS`.
    Command,
    /// Parameters of a device.
    Device,
    /// A device; empty for the only one.
    MaybeDevice,
}

/// Selected outputs of a meter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outputs {
    /// Number of one output, from 1.
    One(usize),
    /// All outputs, separately.
    All,
}

impl Outputs {
    /// Minimum number of outputs of the meter.
    pub(super) fn least(self) -> usize {
        match self {
            Outputs::One(output) => output,
            Outputs::All => 1,
        }
    }

    /// Indices of these outputs, if the meter has them.
    pub(super) fn choose(self, count: usize) -> Option<Range<usize>> {
        match self {
            Outputs::One(output) => (1..=count).contains(&output).then(|| output - 1..output),
            Outputs::All => (count > 0).then_some(0..count),
        }
    }
}

impl Address {
    /// Parses `KIND:...`.
    ///
    /// # Errors
    /// The address is invalid; one sentence with the remedy.
    pub fn parse(text: &str) -> Result<Self, String> {
        let kinds = || KINDS.iter().map(|kind| kind.id).collect::<Vec<_>>().join(", ");
        let (id, rest) = text.split_once(':').unwrap_or((text, ""));
        let Some(kind) = KINDS.iter().find(|kind| kind.id == id) else {
            let what =
                if text.contains(':') { "Unknown power meter kind" } else { "--meter must be KIND:ADDRESS, not" };
            return Err(format!("{what} {id:?}; kinds: {}. See `sbc-bench list meters`.", kinds()));
        };
        let address = Self {
            kind,
            host: rest.to_owned(),
            path: String::new(),
            fields: None,
            outputs: Outputs::One(1),
            shown: text.to_owned(),
        };
        let is_complete = match kind.takes {
            AddressForm::MaybeDevice => rest.chars().all(|c| c.is_ascii_alphanumeric()),
            AddressForm::Url => rest.starts_with("http://") && rest.contains('#'),
            AddressForm::Topic => {
                rest.split_once('/').is_some_and(|(host, topic)| !host.is_empty() && !topic.is_empty())
            }
            _ => !rest.is_empty(),
        };
        if rest.starts_with("https://") {
            let command = "--meter 'command:curl -s URL#$.power:W'";
            return Err(format!("--meter {id} reads HTTP only; for HTTPS use {command}."));
        }
        if !is_complete {
            return Err(format!("--meter {id} must be {}.", kind.text("usage")));
        }
        match kind.takes {
            AddressForm::Host | AddressForm::HostAndPath => address.of_host(text),
            AddressForm::Url | AddressForm::Topic | AddressForm::Command => address.with_fields(),
            AddressForm::Device | AddressForm::MaybeDevice => Ok(address),
        }
    }

    fn of_host(self, text: &str) -> Result<Self, String> {
        let (host, after) = self.host.split_once('/').unwrap_or((&self.host, "1"));
        let (path, output) = match self.kind.takes {
            AddressForm::HostAndPath if after.len() > OUTPUT_DIGITS_MAX => {
                let (path, output) = after.split_once('/').unwrap_or((after, ""));
                (format!("/{path}"), if output.is_empty() { "1" } else { output })
            }
            _ => (String::new(), after),
        };
        let outputs = match output {
            "all" => Outputs::All,
            number => match number.parse() {
                Ok(number) if number > 0 => Outputs::One(number),
                _ => {
                    return Err(format!("--meter {text}: the part after the slash must be an output number or `all`."));
                }
            },
        };
        let is_host = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
        if host.is_empty() || !host.chars().all(is_host) || !path.chars().skip(1).all(|c| c.is_ascii_alphanumeric()) {
            return Err(format!("--meter {text}: {host:?} is not a host name or address."));
        }
        // The path is a password.
        let shown = text.replacen(&path, "", 1);
        Ok(Self { host: host.to_owned(), path, outputs, shown, ..self })
    }

    /// Splits off the values, which start at the last `#$`, or in a URL at the first `#`.
    fn with_fields(self) -> Result<Self, String> {
        let at = match self.kind.takes {
            AddressForm::Url => self.host.find('#'),
            _ => self.host.rfind("#$"),
        };
        let (source, named) =
            at.map_or((self.host.as_str(), None), |at| (&self.host[..at], Some(&self.host[at + 1..])));
        let shown = match self.kind.takes {
            AddressForm::Url => without_secrets(source),
            AddressForm::Command => first_word(source),
            _ => source.to_owned(),
        };
        let ends = named.map(|named| format!("#{named}")).unwrap_or_default();
        let shown = format!("{}:{shown}{ends}", self.kind.id);
        let fields = named.map(Fields::parse).transpose().map_err(|why| format!("--meter {shown}: {why}."))?;
        let are_many = fields.as_ref().is_some_and(Fields::are_many);
        let outputs = if are_many { Outputs::All } else { Outputs::One(1) };
        Ok(Self { host: source.to_owned(), fields, outputs, shown, ..self })
    }
}

/// Maximum length of an output number; longer words are a path.
const OUTPUT_DIGITS_MAX: usize = 9;

/// A URL without user, password and query.
fn without_secrets(url: &str) -> String {
    let (url, query) = url.split_once('?').map_or((url, ""), |(url, _)| (url, "?..."));
    let rest = url.strip_prefix("http://").unwrap_or(url);
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("http://{host}{path}{query}")
}

/// Program name of a command, without directory and arguments.
fn first_word(command: &str) -> String {
    let mut words = command.split_whitespace();
    let name = words.next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    match (is_name, words.next()) {
        (true, None) => name.to_owned(),
        (true, Some(_)) => format!("{name} ..."),
        (false, _) => "...".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, expected) in [
            ("netio:192.168.83.72", Ok(("netio", "192.168.83.72", Outputs::One(1)))),
            ("netio:plug.lan/4", Ok(("netio", "plug.lan", Outputs::One(4)))),
            ("netio:plug:8080/all", Ok(("netio", "plug:8080", Outputs::All))),
            ("shelly:[fe80::1]:80", Ok(("shelly", "[fe80::1]:80", Outputs::One(1)))),
            ("smartpower3:6000/2", Ok(("smartpower3", "6000", Outputs::One(2)))),
            ("sbc-bench:host:9478/all", Ok(("sbc-bench", "host:9478", Outputs::All))),
            ("sbc-bench:host:9478/0123456789abcdef/2", Ok(("sbc-bench", "host:9478", Outputs::One(2)))),
            ("json:http://h/s#$.power:mW", Ok(("json", "http://h/s", Outputs::One(1)))),
            ("json:http://h/s#$.a[*].power", Ok(("json", "http://h/s", Outputs::All))),
            ("mqtt:h:1883/tele/plug/SENSOR", Ok(("mqtt", "h:1883/tele/plug/SENSOR", Outputs::One(1)))),
            ("command:read # it #$.w:W", Ok(("command", "read # it ", Outputs::One(1)))),
            ("sigrok:rdtech-tc:conn=/dev/ttyACM0", Ok(("sigrok", "rdtech-tc:conn=/dev/ttyACM0", Outputs::One(1)))),
            ("fnirsi", Ok(("fnirsi", "", Outputs::One(1)))),
            ("plug", Err("must be KIND:ADDRESS")),
            ("netio", Err("must be netio:HOST")),
            ("json:https://h/s#$.power", Err("for HTTPS use --meter 'command:curl")),
            ("json:http://h/s", Err("must be json:http://")),
            ("json:http://h/s#$.power:Hz", Err("unknown unit")),
            ("json:http://h/s#power.", Err("is not a path")),
            ("json:http://h/s#$.t:time", Err("names no power")),
            ("mqtt:host", Err("must be mqtt:")),
            ("command:", Err("must be command:")),
            ("fritz:plug", Err("Unknown power meter kind \"fritz\"")),
            ("netio:/1", Err("is not a host")),
            ("netio:a b", Err("is not a host")),
            ("netio:plug/0", Err("an output number")),
            ("netio:plug/x", Err("an output number")),
        ] {
            match (Address::parse(text), expected) {
                (Ok(address), Ok((kind, host, outputs))) => {
                    let got = (address.kind.id, address.host.as_str(), address.outputs);
                    assert_eq!(got, (kind, host, outputs), "{text}");
                }
                (Err(error), Err(words)) => assert!(error.contains(words), "{text}: {error}"),
                (got, _) => panic!("{text}: {got:?}"),
            }
        }
    }

    #[test]
    fn addresses_are_shown_without_secrets() {
        for (text, expected) in [
            ("shelly:plug/2", "shelly:plug/2"),
            ("json:http://me:pw@h:80/a?key=k#$.w:W", "json:http://h:80/a?...#$.w:W"),
            ("command:/opt/read --password pw", "command:read ..."),
            ("command:PW=pw read", "command:..."),
            ("sbc-bench:h:9478/0123456789abcdef/2", "sbc-bench:h:9478/2"),
        ] {
            assert_eq!(Address::parse(text).unwrap().shown, expected);
        }
    }

    #[test]
    fn output_numbers_are_checked() {
        for (outputs, count, expected) in [
            (Outputs::One(1), 4, Some(0..1)),
            (Outputs::One(4), 4, Some(3..4)),
            (Outputs::One(5), 4, None),
            (Outputs::All, 4, Some(0..4)),
            (Outputs::All, 0, None),
        ] {
            assert_eq!(outputs.choose(count), expected);
        }
    }
}
