//! Name of the board and its firmware: the device tree's model, else DMI.
//!
//! Sources: `/sys/firmware/devicetree/base` (Devicetree Specification 2.3), `/sys/class/dmi/id`
//! (Linux Documentation/ABI/testing/sysfs-firmware-dmi-tables; SMBIOS reference specification).
//! Serial numbers and UUIDs of DMI are never read.

use crate::Tree;
use crate::data::{BOARD_NAMES, Row};
use record::{NamedValue, Reading};

/// Device tree as exported by the kernel.
pub(crate) const DEVICE_TREE: &str = "/sys/firmware/devicetree/base";
/// DMI strings.
pub(crate) const DMI: &str = "/sys/class/dmi/id";

/// Name of the board.
///
/// # Errors
/// Neither the device tree nor DMI names the board.
pub(crate) fn board(root: &dyn Tree) -> Reading<String> {
    let missing = match model(root) {
        Ok(model) => return Ok(tidy_model(&model)),
        Err(missing) => missing,
    };
    let dmi = |file: &str| {
        let text = root.read_value(&format!("{DMI}/{file}")).ok()?;
        is_meaningful(&text).then(|| squeeze(&text))
    };
    let system = || {
        let version = dmi("product_version");
        tidy_dmi(dmi("sys_vendor"), dmi("product_name"), version)
    };
    let mainboard = || tidy_dmi(dmi("board_vendor"), dmi("board_name"), None);
    // Self-built computers have no product name, only the name of the mainboard.
    let name = match (dmi("product_name"), dmi("board_name")) {
        (None, Some(_)) => mainboard(),
        _ => system().or_else(mainboard),
    };
    name.ok_or(missing)
}

/// `model` of the device tree. Kernels before 4.2 export the tree in `/proc` only.
fn model(root: &dyn Tree) -> Reading<String> {
    root.read_value(&format!("{DEVICE_TREE}/model"))
        .or_else(|missing| root.read_value("/proc/device-tree/model").map_err(|_| missing))
}

/// `compatible` strings of the device tree's root, most specific first; empty without a tree.
pub fn compatible(root: &dyn Tree) -> Vec<String> {
    let text = root.read(&format!("{DEVICE_TREE}/compatible")).or_else(|_| root.read("/proc/device-tree/compatible"));
    text.unwrap_or_default().split('\0').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// Firmware version from DMI, and the boot loader from the device tree.
pub(crate) fn firmware(root: &dyn Tree) -> Vec<NamedValue> {
    let files = [
        ("BIOS vendor", format!("{DMI}/bios_vendor")),
        ("BIOS version", format!("{DMI}/bios_version")),
        ("BIOS date", format!("{DMI}/bios_date")),
        ("BIOS revision", format!("{DMI}/bios_release")),
        ("firmware revision", format!("{DMI}/ec_firmware_release")),
        ("boot loader", format!("{DEVICE_TREE}/chosen/u-boot,version")),
        ("product family", format!("{DMI}/product_family")),
        ("product SKU", format!("{DMI}/product_sku")),
    ];
    files
        .into_iter()
        .filter_map(|(name, from)| {
            let value = squeeze(&root.read_value(&from).ok()?);
            is_meaningful(&value).then(|| NamedValue { name: name.into(), value, from })
        })
        .collect()
}

fn tidy_model(model: &str) -> String {
    let row =
        BOARD_NAMES.rows().find(|row| row.get("field") == "model" && row.get("value").eq_ignore_ascii_case(model));
    match row {
        Some(row) => row.get("name").to_owned(),
        None => squeeze(model),
    }
}

/// Joins vendor, product and version without repeated words.
fn tidy_dmi(vendor: Option<String>, product: Option<String>, version: Option<String>) -> Option<String> {
    let cloud = vendor.as_deref().and_then(|vendor| {
        BOARD_NAMES.rows().find(|row| row.get("field") == "vendor" && row.get("value").eq_ignore_ascii_case(vendor))
    });
    if let Some(row) = cloud {
        let product = product.map(|product| format!(" ({product})"));
        return Some(format!("{}{}", row.get("name"), product.unwrap_or_default()));
    }
    let mut parts: Vec<String> = Vec::new();
    for part in [vendor, product, version].into_iter().flatten() {
        let before = parts.join(" ").to_lowercase();
        let lower = part.to_lowercase();
        if !before.is_empty() && before.ends_with(&lower) {
            continue;
        }
        // Omits the vendor if the product name already begins with it.
        if parts.len() == 1 && before.split(' ').next() == lower.split(' ').next() {
            parts.clear();
        }
        parts.push(part);
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// False for placeholders that the board's maker never filled in.
fn is_meaningful(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let blank = |c: char| !c.is_alphanumeric() || c == '0';
    let placeholder = |row: Row| {
        row.get("field") == "placeholder"
            && lower.strip_prefix(row.get("value")).is_some_and(|rest| {
                // `oem` must not match the beginning of `OEMaster 3`.
                !rest.starts_with(|c: char| c.is_alphanumeric())
            })
    };
    !lower.chars().all(blank) && !BOARD_NAMES.rows().any(placeholder)
}

/// Replaces every run of white space and control characters by one blank.
fn squeeze(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoardFile;

    fn check(files: &[(&str, &str)], expected: Option<&str>) {
        let board_text: String = files.iter().map(|(path, text)| format!("== {path}\n{text}\n")).collect();
        let root = BoardFile::parse(&board_text).unwrap();
        assert_eq!(board(&root).ok().as_deref(), expected, "{files:?}");
    }

    fn check_dmi(vendor: &str, product: &str, version: &str, expected: Option<&str>) {
        check(
            &[
                ("/sys/class/dmi/id/sys_vendor", vendor),
                ("/sys/class/dmi/id/product_name", product),
                ("/sys/class/dmi/id/product_version", version),
            ],
            expected,
        );
    }

    #[test]
    fn device_tree_comes_first() {
        check(
            &[
                ("/sys/firmware/devicetree/base/model", "Radxa ROCK 5B\\0"),
                ("/sys/class/dmi/id/product_name", "something"),
            ],
            Some("Radxa ROCK 5B"),
        );
        check(&[("/proc/device-tree/model", "sun20iw1p1\\0")], Some("Allwinner D1"));
        check(&[("/proc/version", "")], None);
    }

    #[test]
    fn dmi_is_tidied() {
        check_dmi("GoWin Solution", "R86S", "1.0", Some("GoWin Solution R86S 1.0"));
        check_dmi("ATOPNUC", "ATOPNUC AG40", "Default string", Some("ATOPNUC AG40"));
        check_dmi("HARDKERNEL", "ODROID-H3", "Not Specified", Some("HARDKERNEL ODROID-H3"));
        check_dmi("To Be Filled By O.E.M.", "System Product Name", "0000000", None);
        check_dmi("OEMaster", "O.E.M.", "x", Some("OEMaster x"));
        check_dmi(
            "QEMU",
            "Standard PC (i440FX + PIIX, 1996)",
            "pc-i440fx-7.2",
            Some("QEMU virtual machine (Standard PC (i440FX + PIIX, 1996))"),
        );
    }

    #[test]
    fn mainboard_is_fallback() {
        check(
            &[
                ("/sys/class/dmi/id/sys_vendor", "Default string"),
                ("/sys/class/dmi/id/board_vendor", "WeiBu"),
                ("/sys/class/dmi/id/board_name", "ADL-N"),
            ],
            Some("WeiBu ADL-N"),
        );
        check(
            &[
                ("/sys/class/dmi/id/sys_vendor", "ASUS"),
                ("/sys/class/dmi/id/product_name", "System Product Name"),
                ("/sys/class/dmi/id/board_vendor", "ASUSTeK COMPUTER INC."),
                ("/sys/class/dmi/id/board_name", "ROG STRIX X670E"),
            ],
            Some("ASUSTeK COMPUTER INC. ROG STRIX X670E"),
        );
    }
}
