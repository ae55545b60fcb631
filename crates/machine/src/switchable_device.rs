//! Devices of this machine that can be switched off while its power is measured, and those that must stay on, with the reason:
//! the links that somebody uses, drives, hubs, and the meter itself.

use crate::Root;
use crate::settings::{DeviceKind, DeviceName, Node};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::collections::BTreeMap;

/// A device that can be switched off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchableDevice {
    /// Its kind.
    pub kind: DeviceKind,
    /// Name in its class: `eth1`, `card0-HDMI-A-1`, `1-1.4`.
    pub name: DeviceName,
    /// Name for people.
    pub label: String,
    /// The value that switches it off.
    pub off: String,
    /// Why it must stay on, as a clause; `None` if it may be switched off.
    pub kept: Option<String>,
}

impl SwitchableDevice {
    /// Its switch.
    pub fn node(&self) -> Node {
        Node::Device(self.kind, self.name)
    }

    /// True if this word of `--off` names it: its kind, its name, or the kind of its transmitter.
    pub fn is_named(&self, word: &str) -> bool {
        let own = self.name.as_str();
        word == self.kind.word() || word == own || self.label.split(' ').any(|part| part == word)
    }
}

/// All devices that are switched on. `peers` are addresses of logins, whose links stay on.
pub fn switchable(root: &Root, peers: &[IpAddr]) -> Vec<SwitchableDevice> {
    let links = used_links(root, peers);
    let mut found = Vec::new();
    for kind in DeviceKind::ALL {
        for name in root.list(kind.directory()).unwrap_or_default() {
            let Some(device) = DeviceName::new(&name) else { continue };
            let Ok(Some(off)) = Node::Device(kind, device).off(root) else { continue };
            let Some(label) = label(root, kind, &name) else { continue };
            let kept = match kind {
                DeviceKind::Backlight | DeviceKind::Connector => None,
                DeviceKind::Link => kept_link(root, &links, &name),
                DeviceKind::Radio => kept_radio(root, &links, &name),
                DeviceKind::Usb => kept_usb(root, &links, &name),
            };
            found.push(SwitchableDevice { kind, name: device, label, off, kept });
        }
    }
    found
}

/// Name for people; `None` if it is not a device that draws power of its own.
fn label(root: &Root, kind: DeviceKind, name: &str) -> Option<String> {
    let value = |file: &str| root.read_value(&format!("{}/{name}/{file}", kind.directory())).ok();
    match kind {
        DeviceKind::Backlight => Some(format!("backlight {name}")),
        DeviceKind::Connector => Some(format!("display {name}")),
        // Bridges, tunnels and containers have no device.
        DeviceKind::Link => {
            root.link(&format!("{}/{name}/device", kind.directory())).ok().map(|_| format!("link {name}"))
        }
        DeviceKind::Radio => {
            let word = value("type")?;
            let word = if word == "wlan" { "wifi" } else { &word };
            Some(format!("{word} {}", value("name").unwrap_or_else(|| name.to_owned())))
        }
        // Root hubs belong to the board, other hubs to the connected devices.
        DeviceKind::Usb => {
            let is_device = !name.starts_with("usb") && value("bDeviceClass").is_some_and(|class| class != "09");
            let product = value("product").unwrap_or_else(|| "device".to_owned());
            is_device.then(|| format!("USB {product} {name}"))
        }
    }
}

fn kept_link(root: &Root, links: &BTreeMap<String, &'static str>, name: &str) -> Option<String> {
    let is_part = root.link(&format!("/sys/class/net/{name}/master")).is_ok();
    let why = links.get(name).copied().or(is_part.then_some("it is part of a bridge or bond"));
    why.map(str::to_owned)
}

/// Transmitters and devices on USB have a link where its path passes theirs.
fn kept_radio(root: &Root, links: &BTreeMap<String, &'static str>, name: &str) -> Option<String> {
    let own = root.link(&format!("/sys/class/rfkill/{name}")).unwrap_or_default();
    // devices/DEVICE/ieee80211/phy0/rfkill0
    let device = own.split("/ieee80211/").next().unwrap_or_default();
    let is_wifi = root.read_value(&format!("/sys/class/rfkill/{name}/type")).is_ok_and(|kind| kind == "wlan");
    let mut used = links.iter().filter(|_| is_wifi);
    let own = used.find(|(link, _)| {
        let path = root.link(&format!("/sys/class/net/{link}")).unwrap_or_default();
        path.contains("/net/") && (device.is_empty() || path.starts_with(&format!("{device}/")))
    });
    own.map(|(link, why)| format!("{link}: {why}"))
}

fn kept_usb(root: &Root, links: &BTreeMap<String, &'static str>, name: &str) -> Option<String> {
    let below = format!("/{name}/");
    let inside = |class: &str| {
        let names = root.list(class).unwrap_or_default();
        names.into_iter().find(|own| root.link(&format!("{class}/{own}")).is_ok_and(|to| to.contains(&below)))
    };
    if let Some(drive) = inside("/sys/class/block") {
        return Some(format!("{drive} is a drive"));
    }
    if inside("/sys/class/hwmon").is_some() {
        return Some("it is a sensor".to_owned());
    }
    if inside("/sys/class/hidraw").is_some() {
        return Some("it is an input device or a meter".to_owned());
    }
    let link = inside("/sys/class/net")?;
    kept_link(root, links, &link).map(|why| format!("{link}: {why}"))
}

/// Links that must stay on, and why.
fn used_links(root: &Root, peers: &[IpAddr]) -> BTreeMap<String, &'static str> {
    let read = |path: &str| root.read(path).unwrap_or_default();
    let mut routes = parse_routes(&read("/proc/net/route"));
    routes.extend(parse_routes6(&read("/proc/net/ipv6_route")));
    let mut used = BTreeMap::new();
    for route in routes.iter().filter(|route| route.has_gateway) {
        used.insert(route.link.clone(), "it has a route through a gateway");
    }
    for link in parse_static_addresses(&read("/proc/net/if_inet6")) {
        used.entry(link).or_insert("it has an IPv6 address that would be lost");
    }
    let mut tcp = parse_peers(&read("/proc/net/tcp"));
    tcp.extend(parse_peers(&read("/proc/net/tcp6")));
    for (peers, why) in [(tcp.as_slice(), "a connection uses it"), (peers, "you are logged in by it")] {
        for peer in peers {
            let route = routes.iter().filter(|route| route.leads_to(*peer)).max_by_key(|route| route.prefix_bits);
            used.extend(route.map(|route| (route.link.clone(), why)));
        }
    }
    used
}

/// A route of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Route {
    link: String,
    to: IpAddr,
    prefix_bits: u32,
    has_gateway: bool,
}

impl Route {
    fn leads_to(&self, address: IpAddr) -> bool {
        let (to, address, width) = match (self.to, address) {
            (IpAddr::V4(to), IpAddr::V4(address)) => (u32::from(to).into(), u32::from(address).into(), 32),
            (IpAddr::V6(to), IpAddr::V6(address)) => (u128::from(to), u128::from(address), 128),
            _ => return false,
        };
        let (to, address): (u128, u128) = (to, address);
        let shift = width - self.prefix_bits.min(width);
        to.checked_shr(shift).unwrap_or(0) == address.checked_shr(shift).unwrap_or(0)
    }
}

/// Parses `/proc/net/route` (net/ipv4/fib_trie.c): link, destination and gateway in the byte order of the machine, mask.
fn parse_routes(text: &str) -> Vec<Route> {
    let route = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let hex = |place: usize| u32::from_str_radix(words.get(place)?, 16).ok();
        Some(Route {
            link: (*words.first()?).to_owned(),
            to: Ipv4Addr::from(u32::from_be(hex(1)?)).into(),
            prefix_bits: hex(7)?.count_ones(),
            has_gateway: hex(2)? != 0,
        })
    };
    text.lines().skip(1).filter_map(route).collect()
}

/// Parses `/proc/net/ipv6_route` (net/ipv6/route.c).
fn parse_routes6(text: &str) -> Vec<Route> {
    let route = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let hex = |place: usize| u128::from_str_radix(words.get(place)?, 16).ok();
        let link = *words.get(9).filter(|link| **link != "lo")?;
        let prefix_bits = u32::try_from(hex(1)?).ok()?;
        Some(Route {
            link: link.to_owned(),
            to: Ipv6Addr::from(hex(0)?).into(),
            prefix_bits,
            has_gateway: hex(4)? != 0,
        })
    };
    text.lines().filter_map(route).collect()
}

/// Parses `/proc/net/if_inet6` (net/ipv6/addrconf.c): links with a global address that no router gave them.
fn parse_static_addresses(text: &str) -> Vec<String> {
    const PERMANENT: u32 = 0x80;
    let link = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let flags = u32::from_str_radix(words.get(4)?, 16).ok()?;
        let is_static = *words.get(3)? == "00" && flags & PERMANENT != 0;
        words.get(5).filter(|_| is_static).map(|link| (*link).to_owned())
    };
    text.lines().filter_map(link).collect()
}

/// Parses `/proc/net/tcp` and `tcp6` (Documentation/networking/proc_net_tcp.rst): peers of established connections.
fn parse_peers(text: &str) -> Vec<IpAddr> {
    let peer = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (address, _) = words.get(2)?.split_once(':').filter(|_| words.get(3) == Some(&"01"))?;
        let words: Option<Vec<u32>> = (0..address.len() / 8)
            .map(|place| u32::from_str_radix(address.get(8 * place..8 * place + 8)?, 16).ok())
            .collect();
        let address: IpAddr = match words?[..] {
            [word] => Ipv4Addr::from(u32::from_be(word)).into(),
            [a, b, c, d] => {
                let parts = [a, b, c, d].map(|word| u128::from(u32::from_be(word)));
                Ipv6Addr::from(parts.iter().fold(0, |all, part| all << 32 | part)).to_canonical()
            }
            _ => return None,
        };
        (!address.is_loopback()).then_some(address)
    };
    text.lines().skip(1).filter_map(peer).collect()
}

/// Parses files of the kernel; for fuzzing.
pub(crate) fn foreign(text: &str) {
    for route in parse_routes(text).into_iter().chain(parse_routes6(text)) {
        route.leads_to(Ipv4Addr::LOCALHOST.into());
    }
    parse_static_addresses(text);
    parse_peers(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Two links, Wi-Fi and devices on USB; somebody is logged in from 192.168.2.9 by eth1.
    const BOARD: &str = "\
== /sys/class/net/eth0 -> ../../devices/platform/fe1c0000.ethernet/net/eth0
== /sys/class/net/eth1 -> ../../devices/platform/usb/1-1/1-1:1.0/net/eth1
== /sys/class/net/eth2 -> ../../devices/platform/usb/1-2/1-2:1.0/net/eth2
== /sys/class/net/wlan0 -> ../../devices/platform/mmc/mmc1/net/wlan0
== /sys/devices/platform/fe1c0000.ethernet/net/eth0/flags
0x1003
== /sys/devices/platform/fe1c0000.ethernet/net/eth0/device -> ../../../fe1c0000.ethernet
== /sys/devices/platform/usb/1-1/1-1:1.0/net/eth1/flags
0x1003
== /sys/devices/platform/usb/1-1/1-1:1.0/net/eth1/device -> ../../../1-1:1.0
== /sys/devices/platform/usb/1-2/1-2:1.0/net/eth2/flags
0x1003
== /sys/devices/platform/usb/1-2/1-2:1.0/net/eth2/device -> ../../../1-2:1.0
== /sys/devices/platform/mmc/mmc1/net/wlan0/flags
0x1002
== /sys/class/net/br0/flags
0x1003
== /sys/class/rfkill/rfkill0 -> ../../devices/platform/mmc/mmc1/ieee80211/phy0/rfkill0
== /sys/devices/platform/mmc/mmc1/ieee80211/phy0/rfkill0/type
wlan
== /sys/devices/platform/mmc/mmc1/ieee80211/phy0/rfkill0/name
phy0
== /sys/devices/platform/mmc/mmc1/ieee80211/phy0/rfkill0/soft
0
== /sys/class/drm/card0-HDMI-A-1/status
connected
== /sys/class/drm/card0-HDMI-A-2/status
disconnected
== /sys/class/block/sda -> ../../devices/platform/usb/1-3/1-3:1.0/host0/block/sda
== /sys/bus/usb/devices/1-1/authorized
1
== /sys/bus/usb/devices/1-1/bDeviceClass
00
== /sys/bus/usb/devices/1-2/authorized
1
== /sys/bus/usb/devices/1-2/bDeviceClass
00
== /sys/bus/usb/devices/1-2/product
LAN adapter
== /sys/bus/usb/devices/1-3/authorized
1
== /sys/bus/usb/devices/1-3/bDeviceClass
00
== /sys/bus/usb/devices/1-4/authorized
1
== /sys/bus/usb/devices/1-4/bDeviceClass
09
== /proc/net/route
Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	0101A8C0	0003	0	0	100	00000000	0	0	0
eth0	0001A8C0	00000000	0001	0	0	100	00FFFFFF	0	0	0
eth1	0002A8C0	00000000	0001	0	0	100	00FFFFFF	0	0	0
";

    #[test]
    fn links_in_use_and_drives_stay_on() {
        let root = Root::from_board(BOARD).unwrap();
        let peer = "192.168.2.9".parse().unwrap();
        let words =
            |device: &SwitchableDevice| format!("{}: {}", device.label, device.kept.as_deref().unwrap_or("may go"));
        let found: Vec<String> = switchable(&root, &[peer]).iter().map(words).collect();
        let expected = [
            "display card0-HDMI-A-1: may go",
            "wifi phy0: may go",
            "link eth0: it has a route through a gateway",
            "link eth1: you are logged in by it",
            "link eth2: may go",
            "USB device 1-1: eth1: you are logged in by it",
            "USB LAN adapter 1-2: may go",
            "USB device 1-3: sda is a drive",
        ];
        assert_eq!(found, expected);
        // Through `sudo`, only the connection shows it.
        let tcp = "  sl  local_address rem_address   st\n   0: 0102A8C0:0016 0902A8C0:C350 01 00000000:00000000\n";
        let root = root.with_file("/proc/net/tcp", tcp.as_bytes());
        let found = switchable(&root, &[]);
        assert_eq!(found[3].kept.as_deref(), Some("a connection uses it"));
        assert!(found[3].is_named("network") && found[3].is_named("eth1") && found[1].is_named("wifi"));
    }

    #[test]
    fn wifi_that_is_used_stays_on() {
        let route = BOARD.replace("eth0\t00000000", "wlan0\t00000000");
        let found = switchable(&Root::from_board(&route).unwrap(), &[]);
        assert_eq!(found[1].kept.as_deref(), Some("wlan0: it has a route through a gateway"));
    }

    #[test]
    fn routes_and_peers_of_ipv6() {
        let text = "20010db8000000000000000000000000 40 00000000000000000000000000000000 00 \
                    00000000000000000000000000000000 00000100 00000001 00000000 00000001 eth3\n";
        let route = &parse_routes6(text)[0];
        assert!(route.leads_to("2001:db8::7".parse().unwrap()) && !route.leads_to("2001:db9::7".parse().unwrap()));
        let line = "h\n 0: 00000000000000000000000000000000:0016 B80D0120000000000000000007000000:C350 01\n";
        assert_eq!(parse_peers(line), ["2001:db8::7".parse::<IpAddr>().unwrap()]);
        let addresses =
            "20010db8000000000000000000000001 02 40 00 80 eth3\nfe800000000000000000000000000001 02 40 20 80 eth4\n";
        assert_eq!(parse_static_addresses(addresses), ["eth3"]);
    }

    proptest! {
        #[test]
        fn foreign_never_panics(text in "h\n((eth0|[0-9A-F]{8,32}|01|:)[ \t:]{0,2}){0,12}\n") {
            foreign(&text);
        }
    }
}
