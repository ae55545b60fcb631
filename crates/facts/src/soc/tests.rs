//! Lint of the tables, every row fed back, and hostile texts.

use super::cores::Shape;
use super::table::TABLES;
use super::{identify, report};
use proptest::prelude::*;
use record::table::Table;
use record::{Cpu, Fact, Machine, NamedValue};
use std::collections::{BTreeSet, HashSet};

const SOCS: &str = include_str!("../../../../data/socs.tsv");
const NAMES: &str = include_str!("../../../../data/soc_names.tsv");
const PARTS: &str = include_str!("../../../../data/cpu_parts.tsv");

fn rows(text: &'static str) -> Vec<Vec<&'static str>> {
    Table::of(text).rows().map(|row| row.cells().collect()).collect()
}

/// Names of cores that kernels give themselves, so that no table of parts has them.
fn is_kernels_own(core_type: &str) -> bool {
    const OWN: [&str; 5] = ["Loongson-", "MIPS ", "Ingenic ", "ICT ", "Cavium Octeon"];
    const NOT_IN_PARTS: [&str; 3] = ["Andes A27", "Andes AX25MP", "XuanTie C907"];
    OWN.iter().any(|beginning| core_type.starts_with(beginning)) || NOT_IN_PARTS.contains(&core_type)
}

#[test]
fn rows_of_socs_are_sound() {
    let parts: HashSet<&str> = rows(PARTS).iter().map(|row| row[4]).collect();
    let mut seen = BTreeSet::new();
    let all = rows(SOCS);
    assert_eq!(all.len(), TABLES.socs.len(), "every row is parsed");
    let names: HashSet<(&str, &str)> = all.iter().map(|row| (row[0], row[1])).collect();
    for row in &all {
        assert_eq!(row.len(), 11, "{row:?}");
        assert!(row.iter().all(|cell| !cell.trim().is_empty()), "{row:?}");
        assert!(seen.insert((row[0], row[1])), "{row:?} stands twice");
        assert!(row[9] == "-" || names.contains(&(row[0], row[9])), "{row:?}: no such die");
        for shape in row[5].split(" or ") {
            assert!(Shape::parse(shape).is_some(), "{shape}");
            for cluster in shape.split(" + ") {
                let (_, core_type) = cluster.split_once("x ").unwrap();
                let plain = core_type.rsplit_once(" r").map_or(core_type, |(name, _)| name);
                let known = parts.contains(core_type) || parts.contains(plain);
                assert!(known || is_kernels_own(core_type), "{core_type} in {row:?}");
            }
        }
    }
}

#[test]
fn rows_of_names_are_sound() {
    let names: HashSet<String> = rows(SOCS).iter().map(|row| format!("{} {}", row[0], row[1])).collect();
    let mut seen = BTreeSet::new();
    for row in rows(NAMES) {
        assert_eq!(row.len(), 4, "{row:?}");
        assert!(seen.insert((row[0], row[1])), "{row:?} stands twice");
        for name in row[2].split(", ").filter(|name| !name.ends_with(" *")) {
            assert!(names.contains(name), "{name} in {row:?}");
        }
    }
}

/// A machine with a device tree and nothing else.
fn of_tree<'a>(strings: impl Iterator<Item = &'a str>) -> Machine {
    Machine { compatible: strings.map(str::to_owned).collect(), ..Machine::default() }
}

/// Vendor kernels are made from those of other boards, whose device tree they keep.
#[test]
fn cores_of_another_type_contradict_a_device_tree() {
    for (count, core_type, board, expected) in [
        (4, "eswin,eic770x", "ESWIN EIC7700", "Eswin EIC7700X"),
        (8, "eswin,eic770x", "DeepComputing FML13V03", "Eswin EIC7702X"),
        (4, "SiFive U74-MC", "ESWIN EIC7700", "SiFive Freedom U740"),
        (4, "SiFive new", "ESWIN EIC7700", "SiFive Freedom U740"),
    ] {
        let mut machine = of_tree(["sifive,hifive-unmatched-a00", "sifive,fu740-c000", "sifive,fu740"].into_iter());
        machine.board = Fact::Known(board.to_owned());
        machine.cpus.extend((0..count).map(|cpu| Cpu {
            cpu,
            core_type: Fact::Known(core_type.to_owned()),
            ..Cpu::default()
        }));
        assert_eq!(identify(&machine).names(), [expected], "{count} x {core_type}");
    }
}

/// A machine with the device tree and the cores of a row.
fn machine_of(row: &[&'static str]) -> Machine {
    let shape = row[5].split(" or ").next().unwrap();
    let strings = row[4].split(' ').filter(|text| *text != "-");
    let mut machine = of_tree(strings);
    for cluster in shape.split(" + ") {
        let (count, rest) = cluster.split_once("x ").unwrap();
        let count: u32 = count.split('-').next().unwrap().parse().unwrap();
        let (core_type, stepping) = match rest.rsplit_once(' ') {
            Some((name, list)) if list.starts_with('r') && list.contains('p') => (name, Some(list)),
            _ => (rest, None),
        };
        for _ in 0..count {
            let stepping = stepping.and_then(|list| list.split('/').next());
            machine.cpus.push(Cpu {
                cpu: machine.cpus.len() as u32,
                core_type: Fact::Known(core_type.to_owned()),
                stepping: stepping.map_or_else(Fact::not_reached, |text| Fact::Known(text.to_owned())),
                ..Cpu::default()
            });
        }
    }
    machine
}

/// A board that is sold with a chip of fewer cores has the chip that its cores show.
#[test]
fn cores_decide_between_chips_of_one_board() {
    for (name, fast) in [("RK3588S", 4), ("RK3582", 2)] {
        let row = rows(SOCS).into_iter().find(|row| row[1] == name).unwrap();
        let mut machine = machine_of(&row);
        machine.compatible = ["radxa,rock-5c", "rockchip,rk3588s"].map(str::to_owned).to_vec();
        assert_eq!(machine.cpus.len(), 4 + fast);
        let answer = identify(&machine);
        assert!(answer.candidates[0].short_name.ends_with(name), "{name}: {:?}", answer.names());
    }
}

#[test]
fn every_row_finds_itself() {
    for row in rows(SOCS) {
        let full = machine_of(&row);
        let mut cores_only = full.clone();
        cores_only.compatible.clear();
        for machine in [full, cores_only] {
            let answer = identify(&machine);
            let found = answer
                .candidates
                .iter()
                .any(|one| one.also.iter().any(|name| name == row[1]) || one.short_name.ends_with(row[1]));
            assert!(found, "{row:?}: {:?}", answer.names());
        }
    }
}

#[test]
fn empty_facts_give_unknown() {
    let answer = identify(&Machine::default());
    assert!(answer.candidates.is_empty() && answer.others.is_empty(), "{answer:?}");
    assert!(report(&answer).contains("unknown"));
}

#[test]
fn unlisted_soc_is_named_by_device_tree() {
    let machine = of_tree(["some,board", "rockchip,rk9999"].into_iter());
    assert_eq!(identify(&machine).names(), ["Rockchip rk9999"]);
}

#[test]
fn hypervisor_device_tree_names_no_soc() {
    let machine = of_tree(std::iter::once("linux,dummy-virt"));
    assert!(identify(&machine).candidates.is_empty());
}

proptest! {
    #[test]
    fn identify_never_panics(texts in prop::collection::vec("\\PC{0,300}|(Qualcomm|Amlogic|RK|-|,|/|\\(|[0-9])*", 6)) {
        let mut machine = of_tree(std::iter::once(texts[1].as_str()));
        machine.board = Fact::Known(texts[0].clone());
        for (name, value) in ["hardware", "guess", "rockchip_otp", "boot_message"].iter().zip(&texts[2..]) {
            machine.chip.push(NamedValue {
                name: (*name).to_owned(),
                value: value.clone(),
                from: String::new(),
            });
        }
        let text = report(&identify(&machine));
        for line in text.lines() {
            prop_assert!(crate::lines::width(line) <= 80, "{line}");
            prop_assert!(!line.contains(char::is_control), "{line:?}");
        }
    }
}

/// The host chooses the cores of a virtual machine: Graviton's Neoverse-N1 fits an Ampere Altra,
/// and the Cortex-A57 and A72 of `qemu -M virt` fit many boards. Names in the firmware still count.
#[test]
fn guest_cores_name_no_soc() {
    let guest = |of: &str, core_type: &str, count: u32| Machine {
        virtualisation: Fact::Known(of.into()),
        kernel_arch: Fact::Known("aarch64".into()),
        cpus: (0..count)
            .map(|cpu| Cpu {
                core_type: Fact::Known(core_type.into()),
                stepping: Fact::Known("r0p3".into()),
                features: vec!["asimd".into(), "aes".into(), "crc32".into()],
                cpu,
                ..Cpu::default()
            })
            .collect(),
        ..Machine::default()
    };
    for (of, core_type, count) in [
        ("qemu", "Cortex-A72", 4),
        ("qemu", "Cortex-A57", 2),
        ("kvm", "Cortex-A72", 4),
        ("docker on kvm", "Cortex-A72", 4),
        ("amazon", "Neoverse-N1", 2),
        ("amazon", "Cortex-A72", 4),
        ("apple", "Cortex-A53", 4),
        ("wsl", "Cortex-A76", 8),
    ] {
        let mut machine = guest(of, core_type, count);
        let answer = identify(&machine);
        assert_eq!(answer.title(), None, "{of} {core_type}: {}", answer.why);
        assert!(answer.others.is_empty(), "{:?}", answer.others);
        machine.compatible = vec!["raspberrypi,4-model-b".into(), "brcm,bcm2711".into()];
        let named = identify(&machine).title().unwrap_or_default();
        assert!(named.contains("BCM2711"), "{of}: {named}");
    }
    // A container shows the cores of its host.
    for of in ["none", "docker", "lxc"] {
        let found = identify(&guest(of, "Cortex-A72", 4));
        assert!(!found.candidates.is_empty() && found.title().is_none(), "{of}: cores fit chips and name none");
    }
    // x86 processors name themselves.
    let machine = Machine {
        soc: Fact::Known("AMD EPYC-Milan Processor".into()),
        kernel_arch: Fact::Known("x86_64".into()),
        ..guest("kvm", "Zen 3", 2)
    };
    assert_eq!(identify(&machine).title().unwrap(), "AMD EPYC-Milan Processor");
}
