//! Memory modules: from the firmware's DMI tables, from the modules' SPD, and for boards with neither from a table of
//! boards. The clock of a memory controller that scales is in `scaling`.

use super::{dmi, files, spd};
use crate::Root;
use identify::compatible;
use record::MemoryModule;
use record::table::Table;

/// Memory of boards that do not report it.
pub(super) const BOARDS: Table = Table::of(include_str!("../../../../data/board_memory.tsv"));

/// All known modules; DMI first, because it includes the current clock.
pub(super) fn modules(root: &Root, left_out: &mut Vec<String>) -> Vec<MemoryModule> {
    const TABLES: &str = "/sys/firmware/dmi/tables/DMI";
    match root.read_bytes(TABLES) {
        Ok(bytes) => {
            let modules = dmi::parse(&bytes);
            if !modules.is_empty() {
                return modules;
            }
        }
        Err(missing) if missing.why == record::MissingReason::Denied => {
            left_out.push(format!("Memory modules: {missing}; try as root"));
        }
        Err(_) => {}
    }
    let modules = from_spd(root);
    if !modules.is_empty() {
        return modules;
    }
    let named = from_device_tree(root);
    if named.is_empty() { from_board(root) } else { named }
}

/// Drivers of SPD chips: at24 for DDR3, ee1004 for DDR4, spd5118 for DDR5.
fn from_spd(root: &Root) -> Vec<MemoryModule> {
    let mut modules = Vec::new();
    for driver in ["ee1004", "spd5118", "eeprom"] {
        let folder = format!("/sys/bus/i2c/drivers/{driver}");
        for device in root.list(&folder).unwrap_or_default() {
            // Memory has the addresses 0x50 to 0x57.
            let Some((_, address)) = device.split_once("-005") else { continue };
            if let Ok(bytes) = root.read_bytes(&format!("{folder}/{device}/eeprom"))
                && let Some(mut module) = spd::parse(&bytes)
            {
                module.slot = format!("SPD {address}");
                modules.push(module);
            }
        }
    }
    modules
}

/// Nodes `lpddr4` or `ddr` of a memory controller (Linux Documentation/devicetree/bindings/memory-controllers/ddr)
/// contain the type as `jedec,lpddr4`.
fn from_device_tree(root: &Root) -> Vec<MemoryModule> {
    const BASE: &str = "/sys/firmware/devicetree/base";
    let nodes = root.list(BASE).unwrap_or_default();
    let of_memory = nodes.iter().filter(|node| node.contains("ddr") || node.starts_with("memory-controller"));
    let mut folders: Vec<String> = of_memory.map(|node| format!("{BASE}/{node}")).collect();
    for folder in folders.clone() {
        let below = root.list(&folder).unwrap_or_default();
        folders.extend(below.iter().filter(|node| node.contains("ddr")).map(|node| format!("{folder}/{node}")));
    }
    folders
        .iter()
        .filter_map(|folder| {
            let compatible = files::value(root, &format!("{folder}/compatible"))?;
            let kind = compatible.split('\0').find_map(|entry| entry.strip_prefix("jedec,"))?;
            let kind = kind.trim_end_matches("-channel").to_uppercase();
            kind.contains("DDR").then(|| MemoryModule { from: "device tree".into(), kind, ..MemoryModule::default() })
        })
        .take(8)
        .collect()
}

fn from_board(root: &Root) -> Vec<MemoryModule> {
    let entries = compatible(root);
    let row = BOARDS.rows().find(|row| entries.iter().any(|entry| entry == row.get("compatible")));
    row.map(|row| MemoryModule {
        from: "board".into(),
        kind: row.get("kind").into(),
        rate_mt_max: row.number("rate").map(|rate| rate as u32),
        ..MemoryModule::default()
    })
    .into_iter()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_and_device_trees_tell_the_type() {
        for (board, kind, from) in [
            (
                "== /sys/firmware/devicetree/base/compatible\nraspberrypi,5-model-b\\0brcm,bcm2712\\0\n\\\n",
                "LPDDR4X",
                "board",
            ),
            (
                "== /sys/firmware/devicetree/base/memory-controller@1/lpddr4/compatible\njedec,lpddr4\\0\n\\\n",
                "LPDDR4",
                "device tree",
            ),
        ] {
            let found = modules(&Root::from_board(board).unwrap(), &mut Vec::new());
            assert_eq!((found[0].kind.as_str(), found[0].from.as_str()), (kind, from));
        }
    }

    #[test]
    fn missing_root_is_reported() {
        let mut left_out = Vec::new();
        let board = "== /sys/firmware/dmi/tables/DMI ! EACCES\n";
        assert!(modules(&Root::from_board(board).unwrap(), &mut left_out).is_empty());
        assert!(left_out[0].contains("root"), "{left_out:?}");
    }
}
