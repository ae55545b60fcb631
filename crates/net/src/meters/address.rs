//! Address of a meter: `kind:host` or `kind:host:port`, and after a slash the output. Pure.

use super::{KINDS, Kind};
use std::ops::Range;

/// A meter as the user gave it.
#[derive(Debug, Clone)]
pub struct Address {
    /// Its kind.
    pub(super) kind: &'static Kind,
    /// Host, or host and port.
    pub(super) host: String,
    /// Which outputs.
    pub(super) outputs: Outputs,
    /// The whole of it, as it stands in the Record.
    pub(super) shown: String,
}

/// Which outputs of a meter are watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outputs {
    /// One of them, from 1.
    One(usize),
    /// Each for itself.
    All,
}

impl Outputs {
    /// A meter with these outputs has at least so many.
    pub(super) fn least(self) -> usize {
        match self {
            Outputs::One(output) => output,
            Outputs::All => 1,
        }
    }

    /// Places of these outputs, if the meter has them.
    pub(super) fn choose(self, count: usize) -> Option<Range<usize>> {
        match self {
            Outputs::One(output) => (1..=count).contains(&output).then(|| output - 1..output),
            Outputs::All => (count > 0).then_some(0..count),
        }
    }
}

impl Address {
    /// Reads `kind:host[:port][/output|/all]`.
    ///
    /// # Errors
    /// One sentence for people with the way out.
    pub fn parse(text: &str) -> Result<Self, String> {
        let kinds = || KINDS.iter().map(|kind| kind.id).collect::<Vec<_>>().join(", ");
        let Some((id, rest)) = text.split_once(':') else {
            return Err(format!("--meter must be KIND:HOST or KIND:HOST/N, not {text:?}; kinds: {}.", kinds()));
        };
        let Some(kind) = KINDS.iter().find(|kind| kind.id == id) else {
            return Err(format!("Unknown power meter kind {id:?}; kinds: {}.", kinds()));
        };
        let (host, output) = rest.split_once('/').unwrap_or((rest, "1"));
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
        if host.is_empty() || !host.chars().all(is_host) {
            return Err(format!("--meter {text}: {host:?} is not a host name or address."));
        }
        Ok(Self { kind, host: host.to_owned(), outputs, shown: text.to_owned() })
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
            ("netio", Err("must be KIND:HOST")),
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
