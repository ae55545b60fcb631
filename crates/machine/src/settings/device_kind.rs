//! Devices that can be switched off, so that their share of the power can be measured: where their switch is, and its values.

use super::DeviceName;

/// Kind of a device with a switch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceKind {
    /// Backlight of a panel; `bl_power` (Documentation/ABI/stable/sysfs-class-backlight).
    Backlight,
    /// Monitor at a connector; `status` (drivers/gpu/drm/drm_sysfs.c).
    Connector,
    /// Network link; `flags` (Documentation/ABI/testing/sysfs-class-net).
    Link,
    /// Transmitter of Wi-Fi, Bluetooth or WWAN; `soft` (Documentation/ABI/stable/sysfs-class-rfkill).
    Radio,
    /// Device on USB; `authorized` (Documentation/usb/authorization.rst).
    Usb,
}

impl DeviceKind {
    /// All kinds, in the order in which they are switched.
    pub const ALL: [Self; 5] = [Self::Backlight, Self::Connector, Self::Radio, Self::Link, Self::Usb];

    /// Directory of its devices, and name of the switch.
    fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::Backlight => ("/sys/class/backlight", "bl_power"),
            Self::Connector => ("/sys/class/drm", "status"),
            Self::Link => ("/sys/class/net", "flags"),
            Self::Radio => ("/sys/class/rfkill", "soft"),
            Self::Usb => ("/sys/bus/usb/devices", "authorized"),
        }
    }

    /// Directory of its devices.
    pub fn directory(self) -> &'static str {
        self.place().0
    }

    /// Word that `power --off` takes for all devices of this kind.
    pub fn word(self) -> &'static str {
        match self {
            Self::Backlight | Self::Connector => "display",
            Self::Link => "network",
            Self::Radio => "radio",
            Self::Usb => "usb",
        }
    }

    pub(super) fn path(self, name: DeviceName) -> String {
        let (directory, file) = self.place();
        format!("{directory}/{}/{file}", name.as_str())
    }

    pub(super) fn from_path(path: &str) -> Option<(Self, DeviceName)> {
        Self::ALL.into_iter().find_map(|kind| {
            let (directory, file) = kind.place();
            let name = path.strip_prefix(directory)?.strip_prefix('/')?.strip_suffix(file)?.strip_suffix('/')?;
            Some((kind, DeviceName::new(name)?))
        })
    }

    /// Value that restores the one that was read: a connector reads its state, and takes commands.
    pub(super) fn settable(self, read: String) -> String {
        match (self, read.as_str()) {
            (Self::Connector, "connected") => "detect".to_owned(),
            (Self::Connector, "disconnected") => "off".to_owned(),
            _ => read,
        }
    }

    /// The value that switches the device off; `None` if it is off.
    pub(super) fn off(self, current: &str) -> Option<String> {
        let off = match self {
            // FB_BLANK_POWERDOWN
            Self::Backlight => "4".to_owned(),
            Self::Connector => "off".to_owned(),
            Self::Link => {
                let flags = flags(current)?;
                (flags & IFF_UP != 0).then(|| format!("{:#x}", flags & !IFF_UP))?
            }
            Self::Radio => "1".to_owned(),
            Self::Usb => "0".to_owned(),
        };
        (off != current).then_some(off)
    }

    /// True if the switch takes this value.
    pub(super) fn allows(self, value: &str) -> bool {
        match self {
            Self::Backlight => ["0", "1", "2", "3", "4"].contains(&value),
            Self::Connector => ["detect", "off"].contains(&value),
            Self::Link => flags(value).is_some(),
            Self::Radio | Self::Usb => ["0", "1"].contains(&value),
        }
    }
}

/// Bit of `flags` of a link that is switched on (include/uapi/linux/if.h).
const IFF_UP: u32 = 1;

fn flags(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switch_values() {
        for (kind, current, off) in [
            (DeviceKind::Backlight, "0", Some("4")),
            (DeviceKind::Backlight, "4", None),
            (DeviceKind::Connector, "detect", Some("off")),
            (DeviceKind::Link, "0x1003", Some("0x1002")),
            (DeviceKind::Link, "0x1002", None),
            (DeviceKind::Link, "up", None),
            (DeviceKind::Radio, "0", Some("1")),
            (DeviceKind::Usb, "1", Some("0")),
        ] {
            assert_eq!(kind.off(current).as_deref(), off, "{kind:?} {current}");
            assert!(off.is_none_or(|off| kind.allows(off) && kind.allows(current)), "{kind:?} {current}");
        }
        assert!(!DeviceKind::Link.allows("1003") && !DeviceKind::Usb.allows("2"));
    }

    #[test]
    fn paths_lead_back_to_their_devices() {
        for kind in DeviceKind::ALL {
            let name = DeviceName::new("1-1.4").unwrap();
            assert_eq!(DeviceKind::from_path(&kind.path(name)), Some((kind, name)));
        }
        assert_eq!(DeviceKind::from_path("/sys/class/net/../../etc/flags"), None);
    }
}
