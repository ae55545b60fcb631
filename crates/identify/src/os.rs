//! Kernel and userland: release, command line, architectures, page size, host name. `distribution` reads the names of
//! the distribution.

use crate::Tree;
use crate::cpuinfo::CpuInfo;
use record::{Fact, Missing, Reading};
use redact::Redactor;

/// Release of the kernel, as `uname -r`.
///
/// # Errors
/// Neither `/proc/sys/kernel/osrelease` nor `/proc/version` can be read.
pub fn kernel_release(root: &dyn Tree) -> Reading<String> {
    root.read_value("/proc/sys/kernel/osrelease").or_else(|_| {
        let version = root.read_value("/proc/version")?;
        let release = version.strip_prefix("Linux version ").and_then(|rest| rest.split_whitespace().next());
        release.map(str::to_owned).ok_or_else(|| Missing::garbled("/proc/version", &version))
    })
}

/// Version line of the kernel with its compiler. User and host of the build are removed unless it is a distribution's
/// kernel.
///
/// # Errors
/// It cannot be read.
pub(crate) fn kernel_version(root: &dyn Tree) -> Reading<String> {
    let text = root.read_value("/proc/version")?;
    Ok(Redactor::default().line(&text))
}

/// Kernel command line, cut to parameters that the program knows.
///
/// # Errors
/// It cannot be read.
pub(crate) fn kernel_cmdline(root: &dyn Tree) -> Reading<String> {
    Ok(Redactor::default().cmdline(&root.read("/proc/cmdline")?))
}

/// Architecture of the kernel, as `uname -m`: from its file (since Linux 6.1), else from the running kernel, else from
/// cpuinfo.
///
/// # Errors
/// None of the sources is available.
pub(crate) fn kernel_arch(root: &dyn Tree, info: &CpuInfo) -> Reading<String> {
    let path = "/proc/sys/kernel/arch";
    root.read_value(path).or_else(|missing| {
        if let Some(running) = root.running() {
            return Ok(running.kernel_arch());
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
        return [("rv64", "riscv64"), ("rv32", "riscv32"), ("loongarch", "loongarch64")]
            .iter()
            .find(|(prefix, _)| isa.starts_with(prefix))
            .map(|(_, arch)| *arch);
    }
    // The flag exists in 64-bit mode only; the text in brackets is the mode of the reading process.
    if info.any("features").is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "asimd")) {
        return Some("aarch64");
    }
    // 32-bit kernels print the instruction set in brackets: `ARMv7 Processor rev 4 (v7l)`.
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

/// Architecture of the userland in Debian's notation, from the ELF header of `/bin/sh`: a 64-bit kernel may run a
/// 32-bit userland, which uname does not show.
///
/// # Errors
/// The shell is missing, or its header is unknown.
pub(crate) fn userland_arch(root: &dyn Tree) -> Reading<String> {
    const PATH: &str = "/bin/sh";
    let header = root.read_head(PATH, 64)?;
    parse_elf_arch(&header).map(str::to_owned).ok_or_else(|| Missing::garbled(PATH, &String::from_utf8_lossy(&header)))
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

/// Page size in bytes; from `smaps` for machines other than the running one.
///
/// # Errors
/// The board file lacks `smaps`.
pub fn page_size_bytes(root: &dyn Tree) -> Reading<u32> {
    const PATH: &str = "/proc/self/smaps";
    if let Some(running) = root.running() {
        return u32::try_from(running.page_size_bytes()).map_err(|_| Missing::garbled("page size", "too large"));
    }
    let text = root.read(PATH)?;
    let kib = text.lines().find_map(|line| {
        let value = line.strip_prefix("KernelPageSize:")?.trim();
        value.strip_suffix("kB")?.trim().parse::<u32>().ok()
    });
    kib.and_then(|kib| kib.checked_mul(1024)).ok_or_else(|| Missing::garbled(PATH, &text))
}

/// Host name; removed from everything that is published.
pub fn hostname(root: &dyn Tree) -> Fact<String> {
    root.read_value("/proc/sys/kernel/hostname").or_else(|_| root.read_value("/etc/hostname")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    proptest::proptest! {
        #[test]
        fn parse_elf_arch_never_panics(bytes: [u8; 40]) {
            parse_elf_arch(&bytes);
        }
    }
}
