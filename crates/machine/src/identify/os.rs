//! Kernel, distribution, image builder and userland. Files such as `/etc/os-release` are shell
//! fragments; they are parsed as names and values and never evaluated.

use super::cpuinfo::CpuInfo;
use crate::{Root, redact};
use record::{Fact, Missing, NamedValue, Reading, Why};

/// Release of the kernel, as `uname -r`.
///
/// # Errors
/// Neither `/proc/sys/kernel/osrelease` nor `/proc/version` can be read.
pub(crate) fn kernel_release(root: &Root) -> Reading<String> {
    root.read_value("/proc/sys/kernel/osrelease").or_else(|_| {
        let version = root.read_value("/proc/version")?;
        let release = version
            .strip_prefix("Linux version ")
            .and_then(|rest| rest.split_whitespace().next());
        release
            .map(str::to_owned)
            .ok_or_else(|| Missing::garbled("/proc/version", &version))
    })
}

/// The kernel's command line without serial numbers and addresses.
///
/// # Errors
/// It cannot be read.
pub(crate) fn kernel_cmdline(root: &Root) -> Reading<String> {
    Ok(redact::cmdline(&root.read("/proc/cmdline")?))
}

/// Architecture of the kernel, as `uname -m`: the file exists since Linux 6.1, the running kernel
/// can be asked, and boards without it are concluded from cpuinfo.
///
/// # Errors
/// Nothing tells it.
pub(crate) fn kernel_arch(root: &Root, info: &CpuInfo) -> Reading<String> {
    let path = "/proc/sys/kernel/arch";
    root.read_value(path).or_else(|missing| {
        if root.is_system() {
            let uname = rustix::system::uname();
            return Ok(uname.machine().to_string_lossy().into_owned());
        }
        arch_of_cpuinfo(info).map(str::to_owned).ok_or(missing)
    })
}

fn arch_of_cpuinfo(info: &CpuInfo) -> Option<&'static str> {
    if let Some(flags) = info.any("flags") {
        let long_mode = flags.split_whitespace().any(|flag| flag == "lm");
        return Some(if long_mode { "x86_64" } else { "i686" });
    }
    if let Some(isa) = info.any("isa") {
        return [
            ("rv64", "riscv64"),
            ("rv32", "riscv32"),
            ("loongarch", "loongarch64"),
        ]
        .iter()
        .find(|(prefix, _)| isa.starts_with(prefix))
        .map(|(_, arch)| *arch);
    }
    // The flag exists in 64-bit mode only; what stands in brackets is the mode of the reader.
    if info
        .any("features")
        .is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "asimd"))
    {
        return Some("aarch64");
    }
    // 32-bit kernels name the instruction set in brackets: `ARMv7 Processor rev 4 (v7l)`.
    let model = info.any("model name").or(info.any("processor"));
    match info.any("cpu architecture")? {
        _ if model.is_some_and(|model| model.ends_with("(v7l)")) => Some("armv7l"),
        _ if model.is_some_and(|model| model.ends_with("(v6l)")) => Some("armv6l"),
        _ if model.is_some_and(|model| model.ends_with("(v8l)")) => Some("armv8l"),
        "8" | "AArch64" => Some("aarch64"),
        "7" => Some("armv7l"),
        "5TE" => Some("armv5tel"),
        "5TEJ" => Some("armv5tejl"),
        _ => None,
    }
}

/// Architecture of the userland in Debian's words, from the ELF header of `/bin/sh`: a 64-bit
/// kernel often carries 32-bit programs, and uname does not tell.
///
/// # Errors
/// There is no shell, or its header is unknown.
pub(crate) fn userland_arch(root: &Root) -> Reading<String> {
    const PATH: &str = "/bin/sh";
    let source = root.source(PATH)?;
    let mut header = [0; 64];
    let count = source.read_into(&mut header).map_err(|errno| Missing {
        path: PATH.into(),
        why: match errno {
            libc::EACCES | libc::EPERM => Why::Denied,
            other => Why::Io(other),
        },
    })?;
    parse_elf_arch(&header[..count])
        .map(str::to_owned)
        .ok_or_else(|| Missing::garbled(PATH, &String::from_utf8_lossy(&header[..count])))
}

/// Machine, class and byte order of an ELF header (System V gABI, chapter 4; EM_* numbers of
/// its registry; the float ABI flag of ARM is in "ELF for the Arm Architecture").
fn parse_elf_arch(header: &[u8]) -> Option<&'static str> {
    if header.get(..4)? != b"\x7fELF" {
        return None;
    }
    let is_64_bit = *header.get(4)? == 2;
    let little = *header.get(5)? == 1;
    let machine = header.get(18..20)?;
    let machine = if little {
        u16::from_le_bytes([machine[0], machine[1]])
    } else {
        u16::from_be_bytes([machine[0], machine[1]])
    };
    const HARD_FLOAT: u8 = 0x04;
    Some(match (machine, is_64_bit, little) {
        (3, ..) => "i386",
        (8, false, true) => "mipsel",
        (8, true, true) => "mips64el",
        (8, ..) => "mips",
        (21, _, true) => "ppc64el",
        (40, ..) if header.get(37)? & HARD_FLOAT != 0 => "armhf",
        (40, ..) => "armel",
        (62, true, _) => "amd64",
        (62, ..) => "x32",
        (183, ..) => "arm64",
        (243, true, _) => "riscv64",
        (243, ..) => "riscv32",
        (258, ..) => "loong64",
        _ => return None,
    })
}

/// Size of a page in bytes. Other machines than the running one tell it in `smaps`.
///
/// # Errors
/// A board file without it.
pub(crate) fn page_size_bytes(root: &Root) -> Reading<u32> {
    const PATH: &str = "/proc/self/smaps";
    if root.is_system() {
        return u32::try_from(rustix::param::page_size())
            .map_err(|_| Missing::garbled("page size", "too large"));
    }
    let text = root.read(PATH)?;
    let kib = text.lines().find_map(|line| {
        let value = line.strip_prefix("KernelPageSize:")?.trim();
        value.strip_suffix("kB")?.trim().parse::<u32>().ok()
    });
    kib.and_then(|kib| kib.checked_mul(1024))
        .ok_or_else(|| Missing::garbled(PATH, &text))
}

/// Value of a name in a file of shell assignments (os-release(5)): quotes are removed, escapes
/// inside double quotes undone, and nothing is expanded. The last assignment counts, as in a shell.
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

/// Text of os-release, from the first of its two places.
fn os_release(root: &Root) -> Reading<(&'static str, String)> {
    let read = |path| Ok((path, root.read(path)?));
    read("/etc/os-release").or_else(|missing| read("/usr/lib/os-release").map_err(|_| missing))
}

/// `PRETTY_NAME` of the distribution.
///
/// # Errors
/// There is no os-release, or it has no name.
pub(crate) fn distribution(root: &Root) -> Reading<String> {
    let (path, text) = os_release(root)?;
    assigned(&text, "PRETTY_NAME")
        .or_else(|| assigned(&text, "NAME"))
        .ok_or_else(|| Missing::garbled(path, &text))
}

/// Further names of the distribution, for reports that print them one by one.
pub(crate) fn distribution_details(root: &Root) -> Vec<NamedValue> {
    let Ok((path, text)) = os_release(root) else {
        return Vec::new();
    };
    let names = [
        ("os_id", "ID"),
        ("os_version", "VERSION_ID"),
        ("os_codename", "VERSION_CODENAME"),
    ];
    let details = names.iter().filter_map(|(name, key)| {
        Some(NamedValue {
            name: (*name).into(),
            value: assigned(&text, key)?,
            from: path.into(),
        })
    });
    details.collect()
}

/// What built the image: DietPi, Radxa's rbuild, Khadas' Fenix, Armbian and its descendants,
/// Raspberry Pi OS; the most specific first, because some build upon others.
///
/// # Errors
/// None of their files exists: a plain distribution.
pub(crate) fn build_system(root: &Root) -> Reading<String> {
    dietpi(root)
        .or_else(|| radxa(root))
        .or_else(|| fenix(root))
        .or_else(|| armbian_like(root, "/etc/orangepi-release"))
        .or_else(|| armbian_like(root, "/etc/armbian-release"))
        .or_else(|| raspberry_pi_os(root))
        .ok_or_else(|| Missing::unsupported("", "no image builder has left its mark"))
}

fn dietpi(root: &Root) -> Option<String> {
    let text = root.read("/boot/dietpi/.version").ok()?;
    let part = |name: &str| assigned(&text, &format!("G_DIETPI_VERSION_{name}"));
    let version: Vec<String> = ["CORE", "SUB", "RC"]
        .iter()
        .filter_map(|name| part(name))
        .collect();
    let owner = assigned(&text, "G_GITOWNER").unwrap_or_else(|| "MichaIng".into());
    let branch = assigned(&text, "G_GITBRANCH").unwrap_or_else(|| "master".into());
    let version = version.join(".");
    Some(format!(
        "DietPi {version}, https://github.com/{owner}/DietPi/tree/{branch}"
    ))
}

fn radxa(root: &Root) -> Option<String> {
    let text = root.read("/etc/radxa_image_fingerprint").ok()?;
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    (!lines.is_empty()).then(|| format!("Radxa rbuild: {}", lines.join(", ")))
}

fn fenix(root: &Root) -> Option<String> {
    let text = root.read("/etc/fenix-release").ok()?;
    let parts: Vec<String> = ["VERSION", "BOARD", "VENDOR"]
        .iter()
        .filter_map(|name| assigned(&text, name))
        .collect();
    Some(format!("Khadas Fenix {}", parts.join(", ")))
}

fn armbian_like(root: &Root, path: &str) -> Option<String> {
    let text = root.read(path).ok()?;
    let parts: Vec<String> = [
        "BUILD_REPOSITORY_URL",
        "VERSION",
        "BOARD_NAME",
        "BOARDFAMILY",
        "LINUXFAMILY",
    ]
    .iter()
    .filter_map(|name| assigned(&text, name))
    .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn raspberry_pi_os(root: &Root) -> Option<String> {
    let list = root.read("/etc/apt/sources.list.d/raspi.list").ok();
    let source = list.as_deref().and_then(|text| {
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with("deb "))?;
        let words = line
            .split_whitespace()
            .skip(1)
            .filter(|word| !word.starts_with('['));
        Some(words.take(3).collect::<Vec<_>>().join(" "))
    });
    source.or_else(|| {
        // Trixie and later: deb822 sources and the image's own mark.
        let issue = root.read("/etc/rpi-issue").ok()?;
        Some(issue.lines().next()?.trim().to_owned())
    })
}

/// Host name; kept out of everything that is published.
pub(crate) fn hostname(root: &Root) -> Fact<String> {
    root.read_value("/proc/sys/kernel/hostname")
        .or_else(|_| root.read_value("/etc/hostname"))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn elf_headers_tell_the_userland() {
        let header = |class: u8, machine: u16, flags: u8| {
            let mut header = vec![0x7f, b'E', b'L', b'F', class, 1];
            header.resize(64, 0);
            header[18..20].copy_from_slice(&machine.to_le_bytes());
            header[37] = flags;
            header
        };
        for (class, machine, flags, expected) in [
            (2, 183, 0, Some("arm64")),
            (1, 40, 4, Some("armhf")),
            (1, 40, 2, Some("armel")),
            (2, 62, 0, Some("amd64")),
            (2, 243, 0, Some("riscv64")),
            (2, 0xffff, 0, None),
        ] {
            assert_eq!(parse_elf_arch(&header(class, machine, flags)), expected);
        }
        assert_eq!(parse_elf_arch(b"#!/bin/busybox sh"), None);
        assert_eq!(parse_elf_arch(&header(1, 40, 4)[..30]), None);
    }

    fn check_build(path: &str, text: &str, expected: &str) {
        let root = Root::from_board(&format!("== {path}\n{text}\n")).unwrap();
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
        assert!(build_system(&Root::from_board("").unwrap()).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_parsed(text in "([A-Z=\"'\\\\\r\n ]|\\PC){0,60}", bytes: [u8; 40]) {
            assigned(&text, "NAME");
            parse_elf_arch(&bytes);
        }
    }
}
