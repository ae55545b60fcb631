//! Identification data of the chip from fuses, cpuinfo, DMI and boot messages.
//!
//! This file only collects the texts; concluding the SoC from them is done elsewhere. No program is started.
//!
//! Numbers that are unique to a chip are cut to the part that identifies its type: the first bytes of Rockchip's OTP,
//! Allwinner's SID and Amlogic's serial number.

use crate::Tree;
use crate::cpuinfo::CpuInfo;
use record::NamedValue;

/// Bytes of Rockchip's OTP before the unique part: `RK`, code, package marks.
const OTP_BYTES: usize = 7;
/// Digits of Amlogic's serial number that encode family, revision, package and minor revision.
const AMLOGIC_DIGITS: usize = 8;
/// Messages that name a SoC are printed early in the boot.
const BOOT_RECORDS_MAX: usize = 2000;
/// Directory of the chips' own memories (Linux Documentation/ABI/stable/sysfs-bus-nvmem).
const NVMEM: &str = "/sys/bus/nvmem/devices";
/// Firmware tables as exported by the kernel (SMBIOS reference specification).
const SMBIOS: &str = "/sys/firmware/dmi/tables/DMI";

/// All readable identification data; unreadable sources are omitted.
pub(crate) fn chip(root: &dyn Tree, info: &CpuInfo) -> Vec<NamedValue> {
    let mut found = Vec::new();
    of_cpuinfo(info, &mut found);
    of_nvmem(root, &mut found);
    of_boot(root, &mut found);
    if let Ok(table) = root.read_bytes(SMBIOS)
        && let Some(name) = processor_of_smbios(&table)
    {
        push(&mut found, "dmi_processor", &name, SMBIOS);
    }
    found
}

fn push(found: &mut Vec<NamedValue>, name: &str, value: &str, from: &str) {
    found.push(NamedValue { name: name.to_owned(), value: value.to_owned(), from: from.to_owned() });
}

/// `Hardware`, the revision code of a Raspberry Pi, Amlogic's id, and names from other architectures.
fn of_cpuinfo(info: &CpuInfo, found: &mut Vec<NamedValue>) {
    const FROM: &str = "/proc/cpuinfo";
    let hardware = info.any("hardware");
    if let Some(text) = hardware {
        push(found, "hardware", text, FROM);
    }
    let is_raspberry = hardware.is_some_and(|text| text.starts_with("BCM2"))
        || info.any("model").is_some_and(|text| text.starts_with("Raspberry Pi"));
    if is_raspberry && let Some(code) = info.any("revision") {
        push(found, "revision", code, FROM);
    }
    if hardware.is_some_and(|text| text.starts_with("Amlogic"))
        && let Some(id) = info.any("amlogic serial").or_else(|| info.any("serial"))
        && let Some(id) = amlogic_id(id)
    {
        push(found, "amlogic_id", &id, FROM);
    }
    // On ARM `model name` is the instruction set, except in some vendor kernels.
    for key in ["model name", "system type", "machine"] {
        let text = info.any(key).filter(|text| !text.contains(" Processor rev "));
        if let Some(text) = text {
            push(found, "cpu_model", text, FROM);
        }
    }
    if info.describes_one_for_all() {
        push(found, "cpuinfo_blocks", "one for all", FROM);
    }
}

/// Parts of these files that a snapshot may contain: the first bytes of chips' memories, and boot messages that name a
/// SoC.
pub fn heads(root: &dyn Tree) -> Vec<(String, Vec<u8>)> {
    let mut heads = Vec::new();
    heads.extend(nvmem_heads(root).into_iter().map(|(_, path, head)| (path, head)));
    let messages = crate::kmsg::boot_messages(root, BOOT_RECORDS_MAX);
    let told: String = messages
        .iter()
        .filter(|text| names_a_soc(text) || cpuinfo_message(text).is_some())
        .map(|text| format!("6,1,0,-;{text}\n"))
        .collect();
    if !told.is_empty() {
        heads.push(("/dev/kmsg".to_owned(), told.into_bytes()));
    }
    heads
}

/// `/proc/cpuinfo` with blanked serial numbers, but with Amlogic's id restored: the id identifies the type of the chip,
/// not the individual chip.
pub fn with_amlogic_id(original: &str, blanked: String) -> String {
    let mut found = Vec::new();
    of_cpuinfo(&CpuInfo::parse(original), &mut found);
    let Some(id) = found.iter().find(|value| value.name == "amlogic_id") else { return blanked };
    blanked.replacen(&"0".repeat(AMLOGIC_DIGITS), &id.value, 1)
}

/// First digits of a serial number that begins with the chip's id; `None` if the id is all zeros.
fn amlogic_id(serial: &str) -> Option<String> {
    let digits: String = serial.chars().take(AMLOGIC_DIGITS).collect();
    let is_id =
        digits.len() == AMLOGIC_DIGITS && digits.bytes().all(|c| c.is_ascii_hexdigit()) && !digits.starts_with("00");
    is_id.then(|| digits.to_ascii_lowercase())
}

/// Kind, path and first bytes of each readable memory of a chip.
fn nvmem_heads(root: &dyn Tree) -> Vec<(&'static str, String, Vec<u8>)> {
    let devices = root.list(NVMEM).unwrap_or_default();
    let heads = devices.iter().filter_map(|device| {
        let path = format!("{NVMEM}/{device}/nvmem");
        let bytes = || root.read_bytes(&path).ok();
        let (kind, head) = if device.starts_with("rockchip") {
            ("rockchip_otp", rockchip_code(&bytes()?)?.to_vec())
        } else if device.starts_with("sunxi-sid") {
            ("sunxi_sid", sunxi_sid(&bytes()?)?.to_le_bytes().to_vec())
        } else {
            return None;
        };
        Some((kind, path, head))
    });
    heads.collect()
}

fn of_nvmem(root: &dyn Tree, found: &mut Vec<NamedValue>) {
    for (kind, path, head) in nvmem_heads(root) {
        let value = sunxi_sid(&head).filter(|_| kind == "sunxi_sid").map(|word| format!("{word:08x}"));
        push(found, kind, &value.unwrap_or_else(|| hex(&head)), &path);
    }
}

/// Bytes from `RK` or `RV` on; the code may follow other bytes.
fn rockchip_code(bytes: &[u8]) -> Option<&[u8]> {
    let mut places = bytes.windows(OTP_BYTES);
    places.find(|place| place[0] == b'R' && matches!(place[1], b'K' | b'V'))
}

/// First word, least significant byte first; `None` for a SID that was never programmed (all zeros).
fn sunxi_sid(bytes: &[u8]) -> Option<u32> {
    let word = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
    (word != 0).then_some(word)
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}

/// Boot messages that name the chip, if the kernel still has them and allows reading them.
fn of_boot(root: &dyn Tree, found: &mut Vec<NamedValue>) {
    let messages = crate::kmsg::boot_messages(root, BOOT_RECORDS_MAX);
    for text in messages.iter().filter(|text| names_a_soc(text)) {
        push(found, "boot_message", text, "/dev/kmsg");
    }
    if let Some(code) = messages.iter().find_map(|text| cpuinfo_message(text)) {
        push(found, "rockchip_otp", &code, "/dev/kmsg");
    }
}

/// Matches `soc soc0: Amlogic Meson G12A (S905Y2) Revision 28:c (30:2) Detected` of mainline's meson-gx-socinfo.c and
/// of vendor kernels.
fn names_a_soc(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.contains("amlogic meson") && lower.ends_with("detected")
}

/// Converts `rockchip-cpuinfo cpuinfo: SoC : 35881000` of Rockchip's kernel into the bytes of the OTP.
fn cpuinfo_message(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("rockchip-cpuinfo cpuinfo: SoC")?;
    let digits = rest.trim_start_matches([' ', ':', '\t']);
    let code = digits.get(..4).filter(|code| code.bytes().all(|c| c.is_ascii_hexdigit()))?;
    Some(format!("52 4b {} {}", &code[..2], &code[2..]))
}

/// Version of the first processor in the firmware tables: structures of type 4, whose byte 0x10 is the number of a
/// string after the structure (SMBIOS 3.7, 6.1.3 and 7.5). Every length is checked because firmware tables may be
/// malformed.
fn processor_of_smbios(table: &[u8]) -> Option<String> {
    const PROCESSOR: u8 = 4;
    const VERSION: usize = 0x10;
    let mut rest = table;
    loop {
        let (kind, length) = (*rest.first()?, usize::from(*rest.get(1)?));
        let (fixed, strings) = (rest.get(..length)?, rest.get(length..)?);
        let end = strings.windows(2).position(|pair| pair == [0, 0])?;
        if kind == PROCESSOR {
            let number = usize::from(*fixed.get(VERSION)?).checked_sub(1)?;
            let text = strings.get(..end)?.split(|byte| *byte == 0).nth(number)?;
            let text = String::from_utf8_lossy(text).trim().to_owned();
            return (!text.is_empty()).then_some(text);
        }
        rest = strings.get(end + 2..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoardFile;

    fn chip_of(files: &[(&str, &[u8])]) -> Vec<(String, String)> {
        let mut root = BoardFile::parse("").unwrap();
        for (path, content) in files {
            root = root.with_file(path, content);
        }
        let cpuinfo = (&root as &dyn Tree).read("/proc/cpuinfo").unwrap_or_default();
        let found = chip(&root, &CpuInfo::parse(&cpuinfo));
        found.into_iter().map(|value| (value.name, value.value)).collect()
    }

    fn check(cpuinfo: &str, expected: &[(&str, &str)]) {
        let found = chip_of(&[("/proc/cpuinfo", cpuinfo.as_bytes())]);
        let plain: Vec<_> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(plain, expected, "{cpuinfo}");
    }

    #[test]
    fn cpuinfo_says_several_things() {
        check(
            "processor : 0\nCPU part : 0xd08\n\nHardware : BCM2835\nRevision : c03111\nSerial : 10000000abcdef01\n",
            &[("hardware", "BCM2835"), ("revision", "c03111")],
        );
        check(
            "processor : 0\nCPU part : 0xd03\n\nHardware : Amlogic\nRevision : 000a\nSerial : 290A4000012345678\n",
            &[("hardware", "Amlogic"), ("amlogic_id", "290a4000")],
        );
        check("Serial : 290a400001\n", &[]);
        check("processor : 0\n\nHardware : Amlogic\nSerial : 0000000000000000\n", &[("hardware", "Amlogic")]);
        check(
            "Processor : ARMv7 Processor rev 1 (v7l)\nprocessor : 0\nBogoMIPS : 1\n\nprocessor : 1\n\
             BogoMIPS : 1\n\nCPU part : 0xc09\n\nHardware : PXA988\n",
            &[("hardware", "PXA988"), ("cpuinfo_blocks", "one for all")],
        );
    }

    #[test]
    fn only_the_head_of_unique_numbers_is_kept() {
        let otp = b"\xff\x52\x4b\x35\x88\x12\xfe\x33\x41\x32\x38\x4b\x44";
        assert_eq!(rockchip_code(otp), Some(&otp[1..8]));
        assert_eq!(hex(&otp[1..4]), "52 4b 35");
        assert_eq!(rockchip_code(b"RK"), None);
        assert_eq!(sunxi_sid(&[0x81, 0x01, 0xc0, 0x02, 9, 9]), Some(0x02c0_0181));
        assert_eq!(sunxi_sid(&[0, 0, 0, 0, 1]), None);
        assert_eq!(sunxi_sid(&[1]), None);
    }

    #[test]
    fn boot_messages_are_chosen() {
        let kmsg = "6,1,0,-;Booting Linux\n6,90,1,-;soc soc0: Amlogic Meson G12A (S905Y2) Revision 28:c (30:2) \
                    Detected\n6,91,2,-;rockchip-cpuinfo cpuinfo: SoC\t\t: 35661000\n12,92,3,-;someone: Amlogic Meson detected\n";
        assert_eq!(
            chip_of(&[("/dev/kmsg", kmsg.as_bytes())]),
            [
                (
                    "boot_message".to_owned(),
                    "soc soc0: Amlogic Meson G12A (S905Y2) Revision 28:c (30:2) Detected".to_owned()
                ),
                ("rockchip_otp".to_owned(), "52 4b 35 66".to_owned()),
            ]
        );
    }

    #[test]
    fn snapshots_tell_the_type_and_not_the_chip() {
        let original = "Serial : 290A4000012345678\nHardware : Amlogic\n";
        let blanked = "Serial : 00000000000000000\nHardware : Amlogic\n";
        assert_eq!(with_amlogic_id(original, blanked.to_owned()), "Serial : 290a4000000000000\nHardware : Amlogic\n");
        let other = "Serial : 290A400001234567\n";
        assert_eq!(with_amlogic_id(other, "Serial : 0000".into()), "Serial : 0000");
        let path = "/sys/bus/nvmem/devices/rockchip-otp0/nvmem";
        let board = format!("== {path}\n\\x00RK5\\x88\\x12\\xfe3SECRET\n\\\n");
        let heads = heads(&BoardFile::parse(&board).unwrap());
        assert_eq!(heads, [(path.to_owned(), b"RK5\x88\x12\xfe3".to_vec())]);
    }

    #[test]
    fn smbios_chip_names_are_ignored() {
        let mut table = vec![0, 4, 0, 0, b'x', 0, 0];
        table.extend([4, 0x12, 1, 0]);
        table.extend([0; 12]);
        table.extend([2, 0]);
        table.extend(b"Socket 1\0CIX P1 CD8180\0\0");
        assert_eq!(processor_of_smbios(&table).as_deref(), Some("CIX P1 CD8180"));
        for length in 0..table.len() {
            assert_eq!(processor_of_smbios(&table[..length]), None, "{length}");
        }
        assert_eq!(processor_of_smbios(&[4, 0, 0, 0, 0, 0]), None);
        assert_eq!(processor_of_smbios(&[0; 64]), None);
    }
}
