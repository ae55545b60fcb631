//! Reviews of a synthetic board, and of boards with hostile texts.

use facts::Facts;
use record::*;
use testkit::records::{own_run, point, with_clocks, with_scores};

fn board() -> Record {
    let mut record = own_run();
    record.run.started = Fact::Known(1_766_000_000_000);
    record.machine.board = Fact::Known("Radxa ROCK 5B".into());
    record.machine.kernel_release = Fact::Known("5.10.110-33-rockchip".into());
    record.machine.kernel_cmdline = Fact::Known("root=UUID=0 quiet".into());
    record.machine.distribution = Fact::Known("Debian GNU/Linux 11 (bullseye)".into());
    record.machine.memory_kib = Fact::Known(8_135_000);
    let scaler = |kind, name: &str, governor: &str, hz| Scaler {
        kind,
        name: name.into(),
        path: format!("/sys/class/devfreq/{name}"),
        governor: Fact::Known(governor.into()),
        governors: vec!["powersave".into(), "performance".into(), governor.into()],
        clock_hz: Fact::Known(hz),
        clocks_hz: vec![hz, 2_400_000_000],
        clock_hz_max: Fact::Known(2_400_000_000),
        ..Scaler::default()
    };
    record.surveys = vec![Survey {
        scalers: vec![
            Scaler {
                path: "/sys/devices/system/cpu/cpufreq/policy0".into(),
                ..scaler(ScalerKind::Cpu, "policy0", "ondemand", 1_800_000_000)
            },
            scaler(ScalerKind::Memory, "dmc", "dmc_ondemand", 534_000_000),
        ],
        choices: vec![Choice {
            path: "/sys/module/pcie_aspm/parameters/policy".into(),
            chosen: "powersave".into(),
            all: vec!["default".into(), "powersave".into()],
        }],
        pci: vec![PciDevice {
            address: "0000:01:00.0".into(),
            class: 0x02_00_00,
            name: Some("Realtek RTL8125 2.5GbE".into()),
            driver: Some("r8125".into()),
            link: Some(PciLink { rate_mt: 5000, lanes: 1, rate_mt_max: 5000, lanes_max: 1, ..PciLink::default() }),
            ..PciDevice::default()
        }],
        disks: vec![Disk {
            name: "mmcblk0".into(),
            bus: DiskBus::Mmc,
            size_bytes: Some(31_268_536_320),
            card: Some(Card {
                kind: "MMC".into(),
                name: "BJTD4R".into(),
                manfid: Some(0x15),
                oemid: Some(0x100),
                made: Some((2023, 9)),
                hardware: Some("0x0".into()),
                firmware: Some("0x0300000000000000".into()),
                mmc_version: Some("5.1".into()),
                mode: Fact::Known("HS400 Enhanced strobe MMC".into()),
                ..Card::default()
            }),
            ..Disk::default()
        }],
        mounts: vec![Mount {
            place: "/mnt".into(),
            kind: "fuseblk".into(),
            device: "/dev/sda1".into(),
            ..Mount::default()
        }],
        swaps: vec![Swap {
            state: testkit::records::swap("/dev/zram0", SwapKind::Zram, 0),
            compressor: Some("zstd".into()),
            zram_bytes: Some([4096, 62, 4096]),
        }],
        ..Survey::default()
    }];
    record.settings.push(SettingChange {
        path: "/sys/class/devfreq/dmc/governor".into(),
        old: "dmc_ondemand".into(),
        new: "performance".into(),
        read_back: Fact::Known("performance".into()),
        at_ms: None,
        restored: RestoreOutcome::Done,
        disturbed: false,
    });
    record
}

#[test]
fn review_has_the_sections_that_reviewers_publish() {
    let mut record = with_clocks(board(), Variant::COLD, vec![point(0, 1_800_000, 1_720_000)]);
    record = with_scores(record, 3010, &[15_753, 15_760, 15_714]);
    let second = record.surveys[0].clone();
    record.surveys.push(second);
    let text = super::REPORT.text(&explain::explain(&record), compare::reference::Reference::builtin);
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(
        headings,
        [
            "# Radxa ROCK 5B",
            "### General information:",
            "### Settings that cost performance:",
            "### Governors/policies (performance vs. idle consumption):",
            "### Clockspeeds (idle vs. heated up):",
            "### Performance baseline:",
            "### PCIe and storage devices:",
            "### Challenging filesystems:",
            "### Swap configuration:",
            "### Software versions:",
            "### Kernel info:",
            "### Final report:",
        ]
    );
    for line in [
        "    cpufreq-policy0: ondemand / 1800 MHz (powersave performance ondemand / 1800 2400)",
        "    dmc: performance / 2400 MHz",
        "    /sys/module/pcie_aspm/parameters/policy: default [powersave]",
        "    cpu0-cpu3 (Cortex-A53): OPP: 1800, Measured: 1720 (-4.4%)",
        "  * 7-zip MIPS (3 consecutive runs): 15753, 15760, 15714 (15742 avg), single-threaded: 3010",
        "  * Realtek RTL8125 2.5GbE: Speed 5GT/s (ok), Width x1 (ok), driver in use: r8125",
        "  * 29.1GB \"Samsung BJTD4R\" HS400 Enhanced strobe eMMC 5.1 card as /dev/mmcblk0: date 09/2023, \
         manfid/oemid: 0x000015/0x0100, hw/fw rev: 0x0/0x0300000000000000",
        "  * PCIe, USB and storage devices unchanged",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn inspection_only_review() {
    let record = board();
    let text = super::REPORT.text(&explain::explain(&record), compare::reference::Reference::builtin);
    assert!(!text.contains("baseline") && !text.contains("Final report"));
    let mut bare = own_run();
    assert!(!super::REPORT.is_of(&Facts::of(&bare)) && super::REPORT.is_of(&Facts::of(&record)));
    bare.surveys = vec![Survey::default()];
    assert!(
        super::REPORT
            .text(&explain::explain(&bare), compare::reference::Reference::builtin)
            .starts_with("# Unknown machine")
    );
}

#[test]
fn names_cannot_inject_markup() {
    let mut record = board();
    let evil = "x\n# forged\n| a | b |\u{1b}[2J `sh` \u{202e}";
    record.machine.board = Fact::Known(evil.into());
    record.machine.distribution = Fact::Known(evil.into());
    record.machine.kernel_cmdline = Fact::Known(evil.into());
    record.surveys[0].disks[0].card.as_mut().unwrap().name = evil.into();
    record.surveys[0].pci[0].name = Some(evil.into());
    record.surveys[0].mounts[0].place = evil.into();
    let text = super::REPORT.text(&explain::explain(&record), compare::reference::Reference::builtin);
    assert!(!text.contains(['\u{1b}', '\u{202e}']));
    assert!(!text.lines().any(|line| line.starts_with("# forged")), "{text}");
    assert!(!text.contains("`sh`"));
}
