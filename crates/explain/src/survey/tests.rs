//! Every check with one machine that it names and one that it leaves alone.

use super::*;
use crate::Severity;
use crate::test_support::own_run;
use record::*;

/// A machine at rest with nothing to complain of.
fn machine() -> Record {
    let mut record = own_run();
    record.run.started = Fact::Known(1_766_000_000_000);
    record.surveys = vec![Survey {
        scalers: vec![cpu("performance", &[]), memory("performance")],
        ..Survey::default()
    }];
    record
}

fn named(name: &str, value: &str) -> NamedValue {
    NamedValue {
        name: name.into(),
        value: value.into(),
        from: "x".into(),
    }
}

fn cpu(governor: &str, tunables: &[(&str, &str)]) -> Scaler {
    Scaler {
        kind: ScalerKind::Cpu,
        name: "policy0".into(),
        governor: Fact::Known(governor.into()),
        limit_hz_max: Fact::Known(1_800_000_000),
        clock_hz_max: Fact::Known(1_800_000_000),
        tunables: tunables
            .iter()
            .map(|(name, value)| named(name, value))
            .collect(),
        ..Scaler::default()
    }
}

fn memory(governor: &str) -> Scaler {
    Scaler {
        kind: ScalerKind::Memory,
        name: "dmc".into(),
        governor: Fact::Known(governor.into()),
        clock_hz: Fact::Known(528_000_000),
        clock_hz_max: Fact::Known(2_112_000_000),
        limit_hz_max: Fact::Known(2_112_000_000),
        clocks_hz: vec![528_000_000, 2_112_000_000],
        ..Scaler::default()
    }
}

/// What the checks find after a change, as `id severity`.
fn check(change: impl FnOnce(&mut Record, &mut Survey), expected: &[&str]) {
    let mut record = machine();
    let mut survey = record.surveys.remove(0);
    change(&mut record, &mut survey);
    record.surveys = vec![survey];
    let found = super::check(&record);
    for finding in &found {
        let sentence = finding.sentence();
        assert!(
            !sentence.contains('?') && sentence.ends_with('.'),
            "{sentence}"
        );
        assert!((1..=100).contains(&finding.confidence_percent));
    }
    let found: Vec<String> = found
        .iter()
        .map(|finding| {
            let mark = if finding.severity == Severity::Degraded {
                " !"
            } else {
                ""
            };
            format!("{}{mark}", finding.rule)
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn the_table_is_in_order() {
    let mut ids: Vec<&str> = CHECKS.iter().map(|check| check.id).collect();
    ids.extend(rules::RULES.iter().map(|rule| rule.id));
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
    for check in CHECKS {
        assert!(
            check.about.ends_with('.') && check.link.starts_with("https://"),
            "{}",
            check.id
        );
    }
    for id in RULES_AT_REST {
        assert!(rules::RULES.iter().any(|rule| rule.id == *id), "{id}");
    }
}

#[test]
fn a_machine_in_order_is_left_alone() {
    check(|_, _| {}, &[]);
    assert!(super::check(&own_run()).is_empty());
}

#[test]
fn governors_and_limits_of_cpus() {
    check(
        |_, s| s.scalers[0] = cpu("powersave", &[]),
        &["cpu-governor !"],
    );
    check(
        |_, s| s.scalers[0] = cpu("schedutil", &[("rate_limit_us", "2000")]),
        &["cpu-governor"],
    );
    check(
        |_, s| s.scalers[0] = cpu("schedutil", &[("rate_limit_us", "50000")]),
        &["schedutil-slow !", "cpu-governor"],
    );
    check(
        |_, s| s.scalers[0] = cpu("powersave", &[("scaling_driver", "intel_pstate")]),
        &[],
    );
    check(
        |_, s| {
            s.scalers[0] = cpu(
                "powersave",
                &[
                    ("scaling_driver", "intel_pstate"),
                    ("energy_performance_preference", "power"),
                ],
            )
        },
        &["cpu-governor !"],
    );
    check(
        |_, s| s.scalers[0] = cpu("ondemand", &[("io_is_busy", "1")]),
        &["cpu-governor"],
    );
    check(
        |_, s| s.scalers[0] = cpu("ondemand", &[("io_is_busy", "0")]),
        &["io-is-busy !", "cpu-governor"],
    );
    check(
        |_, s| s.scalers[0] = cpu("ondemand", &[]),
        &["io-is-busy !", "cpu-governor"],
    );
    check(
        |_, s| {
            s.scalers[0] = cpu(
                "ondemand",
                &[
                    ("io_is_busy", "1"),
                    ("up_threshold", "99"),
                    ("powersave_bias", "100"),
                ],
            )
        },
        &["ondemand-tunables !", "cpu-governor"],
    );
    check(
        |_, s| s.scalers[0].limit_hz_max = Fact::Known(1_200_000_000),
        &["cpu-limit !"],
    );
    check(
        |r, _| r.machine.features.push(named("boost", "0")),
        &["cpu-boost-off !"],
    );
}

#[test]
fn cores_of_two_kinds_need_capacities() {
    let two_kinds = |record: &mut Record| {
        let mut big = record.machine.clusters[0].clone();
        big.core_type = Fact::Known("Cortex-A76".into());
        record.machine.clusters.push(big);
    };
    check(|r, _| two_kinds(r), &["schedutil-blind !"]);
    check(
        |r, _| {
            two_kinds(r);
            for (cpu, capacity) in r.machine.cpus.iter_mut().zip([400, 400, 1024, 1024]) {
                cpu.capacity = Fact::Known(capacity);
            }
        },
        &[],
    );
}

#[test]
fn memory_and_other_devices() {
    check(
        |_, s| s.scalers[1] = memory("dmc_ondemand"),
        &["device-governor !"],
    );
    check(
        |_, s| s.scalers[1].limit_hz_max = Fact::Known(528_000_000),
        &["device-limit !"],
    );
    check(
        |_, s| {
            s.scalers[1] = memory("simple_ondemand");
            s.scalers[1].kind = ScalerKind::Gpu;
        },
        &["device-governor"],
    );
    let module = |now, most| MemoryModule {
        from: "DMI".into(),
        kind: "DDR4".into(),
        rate_mt: Some(now),
        rate_mt_max: Some(most),
        ..MemoryModule::default()
    };
    check(
        |_, s| s.memory = vec![module(2133, 3200), module(3200, 3200)],
        &["memory-clock !"],
    );
    check(
        |_, s| s.memory = vec![module(2666, 2667)],
        &["memory-one-module"],
    );
    let huge = |chosen: &str| Choice {
        path: "/sys/kernel/mm/transparent_hugepage/enabled".into(),
        chosen: chosen.into(),
        all: Vec::new(),
    };
    check(
        |_, s| s.choices = vec![huge("never")],
        &["transparent-hugepage !"],
    );
    check(|_, s| s.choices = vec![huge("madvise")], &[]);
}

#[test]
fn swap_has_its_order() {
    let swap = |path: &str, kind, priority| Swap {
        state: SwapState {
            priority,
            ..crate::test_support::swap(path, kind, 0)
        },
        compressor: None,
        zram_bytes: None,
    };
    let both = |disk| {
        vec![
            swap("/dev/zram0", SwapKind::Zram, 5),
            swap("/dev/sda2", SwapKind::Disk, disk),
        ]
    };
    check(|_, s| s.swaps = both(-2), &[]);
    check(|_, s| s.swaps = both(5), &["swap-priority !"]);
}

fn nvme(link: PciLink) -> PciDevice {
    PciDevice {
        address: "0000:01:00.0".into(),
        class: 0x01_08_02,
        name: Some("Samsung 980".into()),
        link: Some(link),
        ..PciDevice::default()
    }
}

#[test]
fn links_are_judged_by_both_ends() {
    let link = |rate, lanes, port: Option<(u32, u32)>| PciLink {
        rate_mt: rate,
        lanes,
        rate_mt_max: 16_000,
        lanes_max: 4,
        port_rate_mt_max: port.map(|(rate, _)| rate),
        port_lanes_max: port.map(|(_, lanes)| lanes),
    };
    check(
        |_, s| s.pci = vec![nvme(link(16_000, 4, Some((16_000, 4))))],
        &[],
    );
    check(
        |_, s| s.pci = vec![nvme(link(8000, 4, Some((16_000, 4))))],
        &["pcie-link !"],
    );
    check(
        |_, s| s.pci = vec![nvme(link(8000, 2, Some((8000, 2))))],
        &["pcie-link"],
    );
    check(
        |_, s| s.pci = vec![nvme(link(8000, 4, None))],
        &["pcie-link !"],
    );
    let policy = |chosen: &str| Choice {
        path: "/sys/module/pcie_aspm/parameters/policy".into(),
        chosen: chosen.into(),
        all: Vec::new(),
    };
    let best = link(16_000, 4, Some((16_000, 4)));
    check(
        |_, s| {
            s.pci = vec![nvme(best)];
            s.choices = vec![policy("powersave")];
        },
        &["aspm !"],
    );
    check(|_, s| s.choices = vec![policy("powersave")], &[]);
    let ata = |limit: &str| AtaLink {
        speed: "3.0 Gbps".into(),
        host_max: Some("6.0 Gbps".into()),
        limit: Some(limit.into()),
    };
    let disk = |limit: &str| Disk {
        name: "sda".into(),
        bus: DiskBus::Ata,
        ata: Some(ata(limit)),
        ..Disk::default()
    };
    check(|_, s| s.disks = vec![disk("6.0 Gbps")], &["sata-link"]);
    check(|_, s| s.disks = vec![disk("3.0 Gbps")], &["sata-link !"]);
}

#[test]
fn usb_storage_has_its_speed() {
    let usb = |speed, superspeed, driver: &str| UsbDevice {
        path: "1-1".into(),
        vendor: 0x1234,
        speed_mbit_per_s: speed,
        host_mbit_per_s_max: 5000,
        superspeed,
        is_storage: true,
        uas_capable: Some(true),
        drivers: vec![driver.into()],
        ..UsbDevice::default()
    };
    check(|_, s| s.usb = vec![usb(5000, Some(true), "uas")], &[]);
    check(
        |_, s| s.usb = vec![usb(480, Some(true), "uas")],
        &["usb-speed !"],
    );
    check(|_, s| s.usb = vec![usb(480, Some(false), "uas")], &[]);
    check(
        |_, s| s.usb = vec![usb(5000, Some(true), "usb-storage")],
        &["usb-uas !"],
    );
    check(
        |_, s| {
            let known = UsbDevice {
                vendor: 0x152d,
                product: 0x578,
                superspeed: None,
                ..usb(480, None, "uas")
            };
            s.usb = vec![known];
        },
        &["usb-speed !"],
    );
}

#[test]
fn cards_lie_fail_and_wear() {
    let card = |change: &dyn Fn(&mut Card, &mut Disk)| {
        let mut card = Card {
            kind: "SD".into(),
            name: "SU08G".into(),
            manfid: 3,
            oemid: 0x5344,
            made: Some((2014, 10)),
            serial: Some(SerialKind::Usual),
            mode: Fact::Known("ultra high speed SDR104 SDHC".into()),
            ..Card::default()
        };
        let mut disk = Disk {
            name: "mmcblk0".into(),
            bus: DiskBus::Mmc,
            size_bytes: 7_948_206_080,
            ..Disk::default()
        };
        change(&mut card, &mut disk);
        disk.card = Some(card);
        disk
    };
    check(|_, s| s.disks = vec![card(&|_, _| {})], &[]);
    check(
        |_, s| s.disks = vec![card(&|c, _| c.serial = Some(SerialKind::Zero))],
        &["card-counterfeit !"],
    );
    check(
        |_, s| s.disks = vec![card(&|_, d| d.size_bytes = 64 << 30)],
        &["card-size !"],
    );
    check(
        |_, s| {
            s.disks = vec![card(&|c, d| {
                c.name = "EB1QT".into();
                c.made = Some((2007, 3));
                d.size_bytes = 64 << 30;
            })];
        },
        &["card-size !"],
    );
    check(
        |_, s| {
            s.disks = vec![card(&|c, _| {
                c.mode = Fact::Known("high speed SDHC".into());
                c.host_modes = vec!["sd-uhs-sdr104".into()];
                c.classes = Some(SpeedClasses {
                    uhs: 3,
                    ..SpeedClasses::default()
                });
            })];
        },
        &["card-mode !"],
    );
    check(
        |_, s| s.disks = vec![card(&|c, _| c.errors = 3)],
        &["card-errors !"],
    );
    check(
        |_, s| s.disks = vec![card(&|c, _| c.life_steps = Some((2, 10)))],
        &["card-worn !"],
    );
}

#[test]
fn disks_and_mounts() {
    let disk = |health: Health| Disk {
        name: "sda".into(),
        rotational: Some(true),
        health: Fact::Known(health),
        ..Disk::default()
    };
    check(|_, s| s.disks = vec![disk(Health::default())], &[]);
    check(
        |_, s| {
            s.disks = vec![disk(Health {
                passed: Some(false),
                ..Health::default()
            })]
        },
        &["disk-health !"],
    );
    check(
        |_, s| {
            let health = Health {
                temp_celsius: Some(50),
                reallocated: Some(8),
                ..Health::default()
            };
            s.disks = vec![disk(health)];
        },
        &["disk-health !", "disk-health !"],
    );
    let mount = |kind: &str, option: &str| Mount {
        place: "/mnt".into(),
        kind: kind.into(),
        device: "/dev/sda1".into(),
        options: vec![option.into()],
    };
    check(
        |_, s| s.mounts = vec![mount("fuseblk", "")],
        &["disk-fuse !"],
    );
    check(|_, s| s.mounts = vec![mount("ntfs3", "")], &[]);
    check(
        |_, s| s.mounts = vec![mount("ext4", "sync")],
        &["mount-options !"],
    );
    check(
        |_, s| {
            s.disks = vec![Disk {
                bus: DiskBus::Nvme,
                scheduler: Some("bfq".into()),
                ..Disk::default()
            }];
        },
        &["disk-scheduler !"],
    );
}

#[test]
fn cpus_that_are_kept_away() {
    check(
        |_, s| s.cpu_use.isolated = vec![2, 3],
        &["cpus-kept-away !"],
    );
    check(|_, s| s.cpu_use.allowed = vec![0, 1], &["cpus-kept-away !"]);
    check(|_, s| s.cpu_use.allowed = vec![0, 1, 2, 3], &[]);
    check(|r, _| r.machine.cpus[3].online = false, &["offline-cpus !"]);
}

#[test]
fn supplies_and_config_txt() {
    let supply = |kind: &str, agreed: Option<&str>, ua| Supply {
        name: "port0".into(),
        kind: kind.into(),
        online: Some(true),
        agreed: agreed.map(str::to_owned),
        current_ua_max: ua,
        ..Supply::default()
    };
    check(
        |_, s| s.supplies = vec![supply("USB-C port", Some("default"), None)],
        &["power-supply !"],
    );
    check(
        |_, s| s.supplies = vec![supply("USB-C port", Some("usb_power_delivery"), None)],
        &[],
    );
    check(
        |_, s| s.supplies = vec![supply("Raspberry Pi supply", None, Some(3_000_000))],
        &["power-supply"],
    );
    let pi = |board: &'static str, settings: &'static [(&str, &str)], stepping: &'static str| {
        move |r: &mut Record, s: &mut Survey| {
            r.machine.board = Fact::Known(board.into());
            r.machine.features.push(named("bcm2711_stepping", stepping));
            s.config_txt = Fact::Known(
                settings
                    .iter()
                    .map(|(name, value)| named(name, value))
                    .collect(),
            );
        }
    };
    let pi4 = "Raspberry Pi 4 Model B Rev 1.4";
    let pi3_plus = "Raspberry Pi 3 Model B Plus Rev 1.3";
    check(pi(pi4, &[], "C0"), &["config-txt !"]);
    check(pi(pi4, &[("arm_boost", "1")], "C0"), &[]);
    check(pi(pi4, &[("arm_freq", "1800")], "C0"), &["config-txt !"]);
    check(pi(pi4, &[], "B0"), &[]);
    check(pi(pi3_plus, &[], ""), &["config-txt !"]);
    check(pi(pi3_plus, &[("temp_soft_limit", "70")], ""), &[]);
    check(
        pi(pi4, &[("arm_freq", "600"), ("temp_limit", "60")], "B0"),
        &["config-txt !", "config-txt !"],
    );
    check(
        pi(pi4, &[("over_voltage", "2"), ("force_turbo", "1")], "B0"),
        &["config-txt", "config-txt"],
    );
    check(
        pi(
            pi3_plus,
            &[("arm_freq", "1300"), ("temp_soft_limit", "70")],
            "",
        ),
        &["config-txt !"],
    );
    check(
        |r, s| {
            r.machine.board = Fact::Known(pi4.into());
            let of_section = |section: &str, name: &str| NamedValue {
                from: format!("/boot/config.txt{section}"),
                ..named(name, "1")
            };
            s.config_txt = Fact::Known(vec![
                of_section("#[pi5]", "total_mem"),
                of_section("#[none]", "total_mem"),
                of_section("#[pi4]", "enable_tvout"),
            ]);
        },
        &["config-txt !"],
    );
}

#[test]
fn hostile_names_stay_harmless() {
    let mut record = machine();
    let evil = "\u{1b}[2J`rm -rf`\u{202e}\n# title";
    record.surveys[0].disks = vec![Disk {
        name: evil.into(),
        model: Some(evil.into()),
        card: Some(Card {
            name: evil.into(),
            serial: Some(SerialKind::Zero),
            ..Card::default()
        }),
        bus: DiskBus::Mmc,
        ..Disk::default()
    }];
    record.surveys[0].mounts = vec![Mount {
        kind: "fuseblk".into(),
        place: evil.into(),
        ..Mount::default()
    }];
    let mut text: Vec<String> = super::check(&record)
        .iter()
        .map(crate::Finding::sentence)
        .collect();
    text.extend(words::disk_lines(&record.surveys[0]));
    for line in text {
        assert!(!line.contains(['\u{1b}', '\u{202e}']), "{line:?}");
    }
}

#[test]
fn a_second_look_shows_what_changed() {
    let mut before = machine().surveys.remove(0);
    before.pci = vec![nvme(PciLink {
        rate_mt: 16_000,
        lanes: 4,
        rate_mt_max: 16_000,
        lanes_max: 4,
        ..PciLink::default()
    })];
    before.pci[0].class = 0x02_00_00;
    let mut after = before.clone();
    assert!(differences(&before, &after).is_empty());
    after.pci[0].link.as_mut().unwrap().rate_mt = 2500;
    let found = differences(&before, &after);
    assert_eq!(found.len(), 2);
    assert!(
        found[0].starts_with("- ") && found[1].contains("2.5GT/s (downgraded)"),
        "{found:?}"
    );
}
