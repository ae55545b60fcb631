//! Host at the other end of the network, as users write it: `nas`, `user@192.168.1.2:2222`, `[fe80::1]:5201`. This
//! module does not connect.

/// Host with optional user and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Login name, for ssh.
    pub user: Option<String>,
    /// Name or address.
    pub name: String,
    /// Port of the service.
    pub port: Option<u16>,
}

impl Host {
    /// Parses `[USER@]HOST[:PORT]`.
    ///
    /// # Errors
    /// A sentence with the expected format.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("a host must be [USER@]NAME[:PORT], not {text:?}");
        let (user, rest) = match text.rsplit_once('@') {
            Some((user, rest)) => (Some(user.to_owned()), rest),
            None => (None, text),
        };
        let (name, port) = match rest.strip_prefix('[') {
            Some(rest) => {
                let (name, port) = rest.split_once(']').ok_or_else(wrong)?;
                (name, port.strip_prefix(':'))
            }
            // Several colons without brackets are an IPv6 address without a port.
            None => match rest.split_once(':') {
                Some((name, port)) if !port.contains(':') => (name, Some(port)),
                _ => (rest, None),
            },
        };
        let port = port.map(str::parse).transpose().map_err(|_| wrong())?;
        // A leading dash would make it an option of the program.
        let is_word = |word: &str| {
            let plain = |c: char| c.is_alphanumeric() || "._-:%\\".contains(c);
            !word.is_empty() && !word.starts_with('-') && word.chars().all(plain)
        };
        let is_good = is_word(name) && user.as_deref().is_none_or(is_word) && port != Some(0);
        let (name, good) = (name.to_owned(), is_good);
        good.then_some(Self { user, name, port }).ok_or_else(wrong)
    }

    /// `user@name` for ssh; an IPv6 address in brackets, as file copies require.
    pub fn login(&self) -> String {
        let name = if self.name.contains(':') { format!("[{}]", self.name) } else { self.name.clone() };
        match &self.user {
            Some(user) => format!("{user}@{name}"),
            None => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_formats() {
        for (text, expected) in [
            ("nas", Some((None, "nas", None))),
            ("nas.local:5201", Some((None, "nas.local", Some(5201)))),
            ("pi@10.0.0.2:22", Some((Some("pi"), "10.0.0.2", Some(22)))),
            ("fe80::1%eth0", Some((None, "fe80::1%eth0", None))),
            ("[fe80::1]:22", Some((None, "fe80::1", Some(22)))),
            ("", None),
            ("-oProxyCommand=x", None),
            ("nas:none", None),
            ("nas:0", None),
            ("nas:", None),
            ("@nas", None),
            ("a b", None),
            ("nas;reboot", None),
        ] {
            let found = Host::parse(text).ok();
            let found = found.as_ref().map(|host| (host.user.as_deref(), host.name.as_str(), host.port));
            assert_eq!(found, expected, "{text}");
        }
        assert_eq!(Host::parse("a@[::1]:22").unwrap().login(), "a@[::1]");
    }
}
