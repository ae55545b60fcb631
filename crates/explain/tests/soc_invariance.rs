//! The answer does not depend on how a kernel numbers, hides or prints things: every board of the
//! repository, shown in several ways.

use crate::variants;
use facts::soc;
use record::Machine;

fn names(machine: &Machine) -> Vec<String> {
    soc::identify(machine).names()
}

fn board(name: &str) -> Machine {
    testkit::machine_of_board(&testkit::board(name))
}

#[test]
fn board_identification_is_stable() {
    for name in testkit::boards() {
        let machine = board(&name);
        let expected = names(&machine);
        for (way, shown) in variants::of(&machine) {
            assert_eq!(names(&shown), expected, "{name}, {way}");
        }
    }
}

#[test]
fn boards_are_named() {
    for (name, expected) in [
        ("allwinner-h3", "Allwinner H3"),
        ("amlogic-fake-clocks", "Amlogic S905X"),
        ("beaglebone-black", "TI AM3358"),
        ("cix-p1", "Cix P1"),
        ("exynos-5422", "Samsung Exynos 5422"),
        ("qemu-orangepi-pc", "Allwinner H3"),
        ("qemu-q35", "AMD EPYC"),
        ("qemu-raspi3b", "Broadcom BCM2837"),
        ("qemu-riscv64-virt", "QEMU RISC-V virt"),
        ("raspberry-pi-3", "Broadcom BCM2837"),
        ("raspberry-pi-4", "Broadcom BCM2711"),
        ("raspberry-pi-5", "Broadcom BCM2712"),
        ("rk3399", "Rockchip RK3399"),
        ("rk3588", "Rockchip RK3588"),
        ("server-96-cores", "Ampere Altra"),
        ("spacemit-k1", "SpacemiT K1"),
        ("visionfive2", "StarFive JH7110"),
        ("x86-hybrid-laptop", "Intel Core i7-1260P"),
    ] {
        assert_eq!(names(&board(name)), [expected], "{name}");
    }
    // The cores of a virtual machine are those of its host, or those of its command line.
    for name in ["nothing", "qemu-arm64-256", "qemu-arm64-acpi", "qemu-arm64-virt", "qemu-armv7-virt"] {
        assert!(names(&board(name)).is_empty(), "{name}");
    }
}

#[test]
fn lines_may_end_in_any_way() {
    const CPUINFO: &str = "processor : 0\nCPU implementer : 0x41\nCPU variant : 0x0\nCPU part : 0xd08\n\
                           CPU revision : 3\n\nHardware : BCM2835\nRevision : c03111\n";
    let answer = |text: &str| names(&testkit::machine_of(&[("/proc/cpuinfo", text.into())]));
    let expected = answer(CPUINFO);
    assert_eq!(expected, ["Broadcom BCM2711"]);
    assert_eq!(answer(&CPUINFO.replace('\n', "\r\n")), expected);
}

#[test]
fn one_block_may_stand_for_all() {
    // Kernels before 3.19 printed what the CPU knew that ran the program.
    let cpuinfo = |part: &str, revision: &str| {
        let numbers: String = (0..6).map(|cpu| format!("processor : {cpu}\n")).collect();
        format!(
            "Processor : AArch64\n{numbers}CPU implementer : 0x41\nCPU variant : 0x0\n\
             CPU part : {part}\nCPU revision : {revision}\n"
        )
    };
    for (part, revision) in [("0xd03", "4"), ("0xd08", "2")] {
        let text = cpuinfo(part, revision);
        let found = names(&testkit::machine_of(&[("/proc/cpuinfo", text.into())]));
        assert!(found.contains(&"Rockchip RK3399".to_owned()), "{part}: {found:?}");
    }
}
