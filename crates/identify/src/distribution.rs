//! The distribution and the build system of its image. Files such as `/etc/os-release` are shell fragments; they are
//! parsed as names and values and never evaluated.

use crate::Tree;
use record::{Missing, NamedValue, Reading};

/// Value of a name in a file of shell assignments (os-release(5)). Quotes are removed and escapes inside double quotes
/// are resolved, without expansion. The last assignment wins, as in a shell.
pub(crate) fn assigned(text: &str, name: &str) -> Option<String> {
    let value = text.lines().rev().find_map(|line| {
        let (key, value) = line.trim().split_once('=')?;
        let key = key.trim_start_matches("export ").trim();
        (key == name).then(|| unquote(value.trim()))
    })?;
    (!value.is_empty()).then_some(value)
}

fn unquote(value: &str) -> String {
    if let Some(inner) = value.strip_prefix('\'') {
        return inner.split('\'').next().unwrap_or_default().to_owned();
    }
    let quoted = value.strip_prefix('"');
    let mut out = String::new();
    let mut letters = quoted.unwrap_or(value).chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => out.extend(letters.next()),
            '"' if quoted.is_some() => break,
            other => out.push(other),
        }
    }
    out
}

/// Text of os-release from the first existing path.
fn os_release(root: &dyn Tree) -> Reading<(&'static str, String)> {
    let read = |path| Ok((path, root.read(path)?));
    read("/etc/os-release").or_else(|missing| read("/usr/lib/os-release").map_err(|_| missing))
}

/// `PRETTY_NAME` of the distribution.
///
/// # Errors
/// os-release is missing or has no name.
pub(crate) fn distribution(root: &dyn Tree) -> Reading<String> {
    let (path, text) = os_release(root)?;
    assigned(&text, "PRETTY_NAME").or_else(|| assigned(&text, "NAME")).ok_or_else(|| Missing::garbled(path, &text))
}

/// Further names of the distribution, which reports print separately.
pub(crate) fn details(root: &dyn Tree) -> Vec<NamedValue> {
    let Ok((path, text)) = os_release(root) else { return Vec::new() };
    let names = [("os_id", "ID"), ("os_version", "VERSION_ID"), ("os_codename", "VERSION_CODENAME")];
    let details = names.iter().filter_map(|(name, key)| {
        Some(NamedValue { name: (*name).into(), value: assigned(&text, key)?, from: path.into() })
    });
    details.collect()
}

/// Build system of the image: DietPi, Radxa's rbuild, Khadas' Fenix, Armbian and its derivatives, Raspberry Pi OS; the
/// most specific first, because some are based on others.
///
/// # Errors
/// None of their files exists: the image is a plain distribution.
pub(crate) fn build_system(root: &dyn Tree) -> Reading<String> {
    dietpi(root)
        .or_else(|| radxa(root))
        .or_else(|| fenix(root))
        .or_else(|| armbian_like(root, "/etc/orangepi-release"))
        .or_else(|| armbian_like(root, "/etc/armbian-release"))
        .or_else(|| raspberry_pi_os(root))
        .ok_or_else(|| Missing::unsupported("", "no known image builder found"))
}

fn dietpi(root: &dyn Tree) -> Option<String> {
    let text = root.read("/boot/dietpi/.version").ok()?;
    let part = |name: &str| assigned(&text, &format!("G_DIETPI_VERSION_{name}"));
    let version: Vec<String> = ["CORE", "SUB", "RC"].iter().filter_map(|name| part(name)).collect();
    let owner = assigned(&text, "G_GITOWNER").unwrap_or_else(|| "MichaIng".into());
    let branch = assigned(&text, "G_GITBRANCH").unwrap_or_else(|| "master".into());
    let version = version.join(".");
    Some(format!("DietPi {version}, https://github.com/{owner}/DietPi/tree/{branch}"))
}

fn radxa(root: &dyn Tree) -> Option<String> {
    let text = root.read("/etc/radxa_image_fingerprint").ok()?;
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    (!lines.is_empty()).then(|| format!("Radxa rbuild: {}", lines.join(", ")))
}

fn fenix(root: &dyn Tree) -> Option<String> {
    let text = root.read("/etc/fenix-release").ok()?;
    let parts: Vec<String> = ["VERSION", "BOARD", "VENDOR"].iter().filter_map(|name| assigned(&text, name)).collect();
    Some(format!("Khadas Fenix {}", parts.join(", ")))
}

fn armbian_like(root: &dyn Tree, path: &str) -> Option<String> {
    let text = root.read(path).ok()?;
    let parts: Vec<String> = ["BUILD_REPOSITORY_URL", "VERSION", "BOARD_NAME", "BOARDFAMILY", "LINUXFAMILY"]
        .iter()
        .filter_map(|name| assigned(&text, name))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn raspberry_pi_os(root: &dyn Tree) -> Option<String> {
    let list = root.read("/etc/apt/sources.list.d/raspi.list").ok();
    let source = list.as_deref().and_then(|text| {
        let line = text.lines().find(|line| line.trim_start().starts_with("deb "))?;
        let words = line.split_whitespace().skip(1).filter(|word| !word.starts_with('['));
        Some(words.take(3).collect::<Vec<_>>().join(" "))
    });
    source.or_else(|| {
        // Since Trixie: deb822 sources and the issue file of the image.
        let issue = root.read("/etc/rpi-issue").ok()?;
        Some(issue.lines().next()?.trim().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoardFile;

    #[test]
    fn assignments_are_read_and_not_evaluated() {
        let text = "# comment\nNAME=\"Debian GNU/Linux\"\r\nA='it $(reboot)' # x\nB=\"a \\\"b\\\" `c` $D\"\n\
                    export C=plain\nD=\nNAME_2=no\nE=1\nE=2\nИмя=\"Альт\"\nQ=\"open\n";
        for (name, value) in [
            ("NAME", Some("Debian GNU/Linux")),
            ("A", Some("it $(reboot)")),
            ("B", Some("a \"b\" `c` $D")),
            ("C", Some("plain")),
            ("D", None),
            ("E", Some("2")),
            ("Имя", Some("Альт")),
            ("Q", Some("open")),
            ("NONE", None),
        ] {
            assert_eq!(assigned(text, name).as_deref(), value, "{name}");
        }
    }

    fn check_build(path: &str, text: &str, expected: &str) {
        let root = BoardFile::parse(&format!("== {path}\n{text}\n")).unwrap();
        assert_eq!(build_system(&root).unwrap(), expected);
    }

    #[test]
    fn image_builders_are_named() {
        check_build(
            "/boot/dietpi/.version",
            "G_DIETPI_VERSION_CORE=9\nG_DIETPI_VERSION_SUB=16\nG_DIETPI_VERSION_RC=3\n\
             G_GITBRANCH='master'\nG_GITOWNER='MichaIng'",
            "DietPi 9.16.3, https://github.com/MichaIng/DietPi/tree/master",
        );
        check_build(
            "/etc/armbian-release",
            "BOARD=rock-5b\nBOARD_NAME=\"Rock 5B\"\nBOARDFAMILY=rockchip-rk3588\n\
             BUILD_REPOSITORY_URL=https://github.com/armbian/build\nVERSION=23.05.0\nLINUXFAMILY=rk35xx",
            "https://github.com/armbian/build, 23.05.0, Rock 5B, rockchip-rk3588, rk35xx",
        );
        check_build(
            "/etc/apt/sources.list.d/raspi.list",
            "# x\ndeb [signed-by=/usr/x] http://archive.raspberrypi.com/debian/ bookworm main",
            "http://archive.raspberrypi.com/debian/ bookworm main",
        );
        assert!(build_system(&BoardFile::parse("").unwrap()).is_err());
    }

    proptest::proptest! {
        #[test]
        fn os_release_never_panics(text in "([A-Z=\"'\\\\\r\n ]|\\PC){0,60}") {
            assigned(&text, "NAME");
        }
    }
}
