//! Addresses of notices. A receiver can change the address of its name at any moment, so the hub checks the address
//! that it connects to and refuses those of private networks unless the operator allows them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs};

/// Schemes with their ports.
const SCHEMES: [(&str, u16); 4] = [("http", 80), ("https", 443), ("smtp", 25), ("smtps", 465)];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Server {
    pub(crate) scheme: &'static str,
    pub(crate) has_user: bool,
    host: String,
    port: u16,
}

impl Server {
    /// Parses a URL. None for URLs that other programs could parse differently.
    pub(crate) fn of(url: &str) -> Option<Self> {
        if !url.chars().all(|c| c.is_ascii_graphic() && !"\"\\<>".contains(c)) {
            return None;
        }
        let (scheme, rest) = url.split_once("://")?;
        let (scheme, usual_port) = SCHEMES.into_iter().find(|(known, _)| *known == scheme)?;
        let authority = rest.split(['/', '?', '#']).next()?;
        let (user, server) =
            authority.rsplit_once('@').map_or((None, authority), |(user, server)| (Some(user), server));
        let (host, port) = match server.strip_prefix('[') {
            Some(six) => {
                let (host, port) = six.split_once(']')?;
                (host.parse::<Ipv6Addr>().ok()?.to_string(), port)
            }
            None => {
                let end = server.find(':').unwrap_or(server.len());
                (server[..end].to_owned(), &server[end..])
            }
        };
        let port = match port.strip_prefix(':') {
            Some(port) => port.parse().ok()?,
            None => port.is_empty().then_some(usual_port)?,
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._:".contains(c);
        let is_server = !host.is_empty() && host.chars().all(is_plain) && !user.is_some_and(|user| user.contains('@'));
        is_server.then_some(Self { scheme, has_user: user.is_some(), host, port })
    }

    /// For display, without secrets.
    pub(crate) fn shown(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        format!("{}://{host}:{}", self.scheme, self.port)
    }

    /// Public addresses in the form of curl's `connect-to`.
    pub(crate) fn addresses(&self) -> Result<Vec<String>, AddressRefusal> {
        let found = (self.host.as_str(), self.port).to_socket_addrs();
        let found = found.map_err(|error| AddressRefusal::Unknown(format!("{} has no address: {error}", self.host)))?;
        let (outside, inside): (Vec<IpAddr>, Vec<IpAddr>) =
            found.map(|found| found.ip()).partition(|address| is_outside(*address));
        match (outside.is_empty(), inside.first()) {
            (true, Some(address)) => Err(AddressRefusal::Private(format!(
                "{} has the address {address} of a private network, which a hook reaches with --allow-private alone",
                self.host
            ))),
            _ => Ok(outside.into_iter().map(|address| self.connected(address)).collect()),
        }
    }

    fn connected(&self, address: IpAddr) -> String {
        match address {
            IpAddr::V4(address) => format!("::{address}:{}", self.port),
            IpAddr::V6(address) => format!("::[{address}]:{}", self.port),
        }
    }
}

/// Reason not to connect to a server, as a sentence without a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AddressRefusal {
    /// The name has no address at this moment.
    Unknown(String),
    /// All addresses of the name are private.
    Private(String),
}

impl AddressRefusal {
    pub(crate) fn sentence(self) -> String {
        match self {
            Self::Unknown(why) | Self::Private(why) => why,
        }
    }
}

/// Whether an address is public (IANA registries of special-purpose addresses, RFC 6890).
fn is_outside(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_outside_v4(address),
        IpAddr::V6(address) => is_outside_v6(address),
    }
}

fn is_outside_v4(address: Ipv4Addr) -> bool {
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || address.is_multicast();
    let is_other = match address.octets() {
        // This network, benchmarks, reserved and broadcast.
        [0 | 240..=255, ..] | [198, 18 | 19, ..] | [192, 0, 0, _] => true,
        // Shared by customers of a provider.
        [100, second, ..] => second & 0xc0 == 64,
        _ => false,
    };
    !is_special && !is_other
}

fn is_outside_v6(address: Ipv6Addr) -> bool {
    let [first, second, third, ..] = address.segments();
    let [.., a, b, c, d] = address.octets();
    match (first, second) {
        // IPv4 behind NAT64.
        (0x64, 0xff9b) if third == 0 => is_outside_v4(Ipv4Addr::new(a, b, c, d)),
        // Tunnels to IPv4 (Teredo and 6to4), protocols, documentation.
        (0x2001, 0..=0x1ff | 0xdb8) | (0x2002, _) | (0x3fff, 0..=0xfff) => false,
        (0x2000..=0x3fff, _) => true,
        // Loopback, local and mapped addresses.
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_read_in_one_way_alone() {
        for (url, expected) in [
            ("https://hook.example/a?b@c", Some("https://hook.example:443")),
            ("http://me:secret@hook.example:8080/a", Some("http://hook.example:8080")),
            ("smtp://relay/?from=a@b&to=c@d", Some("smtp://relay:25")),
            ("smtps://[2001:db8::1]/?from=a@b&to=c@d", Some("smtps://[2001:db8::1]:465")),
            ("https://a@b@c/", None),
            ("https://outside.example\\@127.0.0.1/", None),
            ("https://out side/", None),
            ("https:///path", None),
            ("https://[::1", None),
            ("https://a:b:c/", None),
            ("https://a:99999/", None),
            ("ftp://a/", None),
            ("https:a/", None),
        ] {
            assert_eq!(Server::of(url).map(|server| server.shown()).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn addresses_of_private_networks_are_not_outside() {
        for (address, expected) in [
            ("1.1.1.1", true),
            ("2606:4700::1111", true),
            ("64:ff9b::101:101", true),
            ("127.0.0.1", false),
            ("10.1.2.3", false),
            ("172.31.0.1", false),
            ("192.168.1.1", false),
            ("169.254.169.254", false),
            ("100.64.0.1", false),
            ("100.128.0.1", true),
            ("0.0.0.0", false),
            ("192.0.0.1", false),
            ("198.19.0.1", false),
            ("224.0.0.1", false),
            ("255.255.255.255", false),
            ("::", false),
            ("::1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:1.1.1.1", false),
            ("64:ff9b::7f00:1", false),
            ("64:ff9b:1::1", false),
            ("fe80::1", false),
            ("fd00::1", false),
            ("fec0::1", false),
            ("ff02::1", false),
            ("2002:7f00:1::1", false),
            ("2001::1", false),
            ("2001:db8::1", false),
            ("2001:4860:4860::8888", true),
        ] {
            assert_eq!(is_outside(address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn names_of_this_host_are_not_connected_to() {
        for url in ["http://localhost/", "http://127.1/", "http://2130706433/", "http://0x7f.1/", "http://[::1]/"] {
            let server = Server::of(url).unwrap();
            assert!(matches!(server.addresses(), Err(AddressRefusal::Private(_))), "{url}: {:?}", server.addresses());
        }
        let server = Server::of("https://[2606:4700::1111]/").unwrap();
        assert_eq!(server.addresses().unwrap(), ["::[2606:4700::1111]:443"]);
    }
}
