//! Name of the SoC or CPU, if the device tree or cpuinfo states it. Concluding it from cores, clocks and boot messages is
//! done elsewhere.

use crate::Tree;
use crate::core_type::tidy_model_name;
use crate::cpuinfo::CpuInfo;
use crate::data::SOC_VENDORS;
use record::{Missing, Reading};

/// Name of the SoC or CPU.
///
/// # Errors
/// Neither the device tree nor cpuinfo names it.
pub(crate) fn soc(root: &dyn Tree, compatible: &[String], info: &CpuInfo) -> Reading<String> {
    from_raspberry_revision(info)
        .or_else(|| from_compatible(compatible))
        .or_else(|| from_soc_bus(root))
        .or_else(|| from_cpuinfo(info))
        .ok_or_else(|| Missing::unsupported("/proc/cpuinfo", "no file identifies the SoC"))
}

/// Last entry of `compatible` that belongs to a SoC vendor: the root node lists the board first and the SoC last
/// (Devicetree Specification 2.3.1).
fn from_compatible(compatible: &[String]) -> Option<String> {
    compatible.iter().rev().find_map(|entry| {
        let (prefix, part) = entry.split_once(',')?;
        let row = SOC_VENDORS.rows().find(|row| row.get("prefix") == prefix)?;
        let part = match row.get("style") {
            "upper" => part.to_uppercase(),
            "capital" => {
                let mut letters = part.chars();
                let first = letters.next()?;
                format!("{}{}", first.to_uppercase(), letters.as_str())
            }
            _ => part.to_owned(),
        };
        Some(format!("{} {part}", row.get("name")))
    })
}

/// `/sys/devices/soc0` of ARM servers and phones without a device tree (Linux Documentation/ABI/
/// testing/sysfs-devices-soc). `jep106:...` ids are numbers, not names.
fn from_soc_bus(root: &dyn Tree) -> Option<String> {
    let file = |name: &str| root.read_value(&format!("/sys/devices/soc0/{name}")).ok();
    let family = file("family").filter(|text| !text.starts_with("jep106"))?;
    match file("soc_id").filter(|text| !text.starts_with("jep106")) {
        Some(id) if !family.contains(&id) => Some(format!("{family} {id}")),
        _ => Some(family),
    }
}

fn from_cpuinfo(info: &CpuInfo) -> Option<String> {
    // `Hardware` line of ARM kernels; device tree kernels print only a generic text.
    let hardware =
        info.any("hardware").filter(|text| !text.to_lowercase().contains("generic") && !text.contains("Device Tree"));
    if let Some(hardware) = hardware {
        return Some(hardware.to_owned());
    }
    let is_arm = info.any("cpu implementer").is_some();
    // On ARM this line is the instruction set: `ARMv7 Processor rev 4 (v7l)`.
    let model = info.any("model name").filter(|_| !is_arm).map(tidy_model_name);
    // An `isa` line is common to all chips of the architecture.
    model.or_else(|| info.any("cpu model").map(str::to_owned)).filter(|name| !name.is_empty())
}

/// Chip from the `Revision` of a Raspberry Pi: bits 15:12 of codes with bit 23 (Raspberry Pi documentation, "Raspberry
/// Pi revision codes"). Older chips are named in `Hardware` and in the device tree: BCM2708, BCM2709, BCM2835 on all
/// boards.
fn from_raspberry_revision(info: &CpuInfo) -> Option<String> {
    const CHIPS: &[&str] = &["BCM2835", "BCM2836", "BCM2837", "BCM2711", "BCM2712"];
    let is_raspberry = info.any("hardware").is_some_and(|name| name.starts_with("BCM2"))
        || info.any("model").is_some_and(|name| name.starts_with("Raspberry Pi"));
    let code = u32::from_str_radix(info.any("revision")?, 16).ok()?;
    let chip = CHIPS.get((code >> 12 & 0xf) as usize)?;
    (is_raspberry && code & 1 << 23 != 0).then(|| format!("Broadcom {chip}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoardFile;

    fn check(compatible: &[&str], cpuinfo: &str, expected: Option<&str>) {
        let compatible: Vec<String> = compatible.iter().map(|entry| (*entry).into()).collect();
        let root = BoardFile::parse("").unwrap();
        let found = soc(&root, &compatible, &CpuInfo::parse(cpuinfo));
        assert_eq!(found.ok().as_deref(), expected, "{compatible:?} {cpuinfo}");
    }

    #[test]
    fn device_tree_names_socs() {
        check(&["radxa,rock-5b", "rockchip,rk3588"], "", Some("Rockchip RK3588"));
        check(&["raspberrypi,4-model-b", "brcm,bcm2711"], "", Some("Broadcom BCM2711"));
        check(&["nvidia,p3737", "nvidia,tegra234"], "", Some("NVIDIA Tegra234"));
        check(&["xunlong,orangepi-zero3", "allwinner,sun50i-h618"], "", Some("Allwinner sun50i-h618"));
        check(&["vendor,board"], "", None);
    }

    #[test]
    fn cpuinfo_names_socs() {
        check(&[], "Hardware\t: BCM2708\nRevision : 0002\n", Some("BCM2708"));
        check(&["brcm,bcm2709"], "Hardware\t: BCM2835\nRevision : a02082\n", Some("Broadcom BCM2837"));
        check(&[], "Hardware\t: Other\nRevision : a02082\n", Some("Other"));
        check(
            &[],
            "processor : 0\nmodel name : ARMv7 Processor rev 4 (v7l)\nCPU implementer : 0x41\n\n\
             Hardware : Generic DT based system\n",
            None,
        );
        check(&[], "processor : 0\nmodel name : AMD EPYC 7763 64-Core Processor\n", Some("AMD EPYC 7763"));
        check(&[], "processor : 0\nisa : rv64imafdc\n", None);
    }
}
