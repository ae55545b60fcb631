//! Inspection of the machine: kernel, clock scaling, buses, storage, memory modules, power supply. It only reads and
//! starts no programs; `bench`, which may start programs, queries the health of disks.
//!
//! Data of the identification is not repeated. The inspection reads about a thousand small files, which takes some
//! milliseconds, so it is separate from the identification.

mod cards;
mod config_txt;
mod cpu_use;
mod disks;
mod dmi;
mod files;
mod flash;
mod kernel;
mod memory;
mod pci;
mod scaling;
mod spd;
mod supplies;
mod usb;

use crate::{Root, kernel_log};
pub use cpu_use::denied_cpus;
use record::{Survey, Swap, SwapState};

pub(crate) use dmi::without_serials as dmi_without_serials;
pub(crate) use kernel::{foreign_modules, relevant_config, relevant_messages, trace_paths};
pub(crate) use spd::without_serials as spd_without_serials;
pub(crate) use supplies::contracts;

/// Inspects the machine. `at_ms` is the time on the axis of the run.
pub fn survey(root: &Root, at_ms: i64) -> Survey {
    let messages = kernel_log::all_messages(root);
    let usb = usb::devices(root);
    let mut disks = disks::disks(root);
    cards::describe(root, &mut disks, messages.as_deref().unwrap_or_default());
    let mut left_out = Vec::new();
    if let Err(missing) = &messages {
        left_out.push(format!("Boot messages: {missing}"));
    }
    Survey {
        at_ms,
        kernel: kernel::facts(root, messages.as_deref().unwrap_or_default()),
        scalers: scaling::scalers(root),
        choices: scaling::choices(root),
        cpu_use: cpu_use::cpu_use(root),
        pci: pci::devices(root),
        usb,
        disks,
        flash: flash::parts(root),
        mounts: flash::mounts(root),
        swaps: swaps(root),
        memory: memory::modules(root, &mut left_out),
        supplies: supplies::supplies(root),
        config_txt: config_txt::settings(root).into(),
        left_out,
    }
}

/// Swap devices with zram statistics (Linux Documentation/admin-guide/blockdev/zram.rst).
fn swaps(root: &Root) -> Vec<Swap> {
    let with_zram = |state: SwapState| {
        let name = state.path.rsplit('/').next().unwrap_or_default();
        let folder = format!("/sys/block/{name}");
        let is_zram = name.starts_with("zram");
        let compressor = files::choice(root, &format!("{folder}/comp_algorithm"));
        let numbers = root.read(&format!("{folder}/mm_stat")).ok();
        let numbers: Vec<u64> =
            numbers.iter().flat_map(|text| text.split_whitespace()).map_while(|word| word.parse().ok()).collect();
        Swap {
            compressor: compressor.filter(|_| is_zram).map(|choice| choice.chosen),
            zram_bytes: match numbers.as_slice() {
                [stored, packed, total, ..] if is_zram => Some([*stored, *packed, *total]),
                _ => None,
            },
            state,
        }
    };
    let swaps = identify::swaps(root).unwrap_or_default();
    swaps.into_iter().map(with_zram).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn keys_of_tables_are_unique() {
        for (name, table, key) in [
            ("kernel_traces", kernel::TRACES, &["id"][..]),
            ("board_memory", memory::BOARDS, &["compatible"]),
            ("pci_names", pci::NAMES, &["vendor", "device"]),
        ] {
            assert!(table.rows().count() > 5, "{name} has rows");
            let mut seen = BTreeSet::new();
            for row in table.rows() {
                let key: Vec<_> = key.iter().map(|column| row.get(column)).collect();
                assert!(seen.insert(key.clone()), "{name}: {key:?}");
            }
        }
    }
}
