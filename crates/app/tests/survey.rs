//! `kernel`, `storage` and `review --inspect` from the outside, on boards that stand in for
//! machines: one with much storage, one with what costs performance, one where every file is hostile.

fn run(board: &str, words: &[&str]) -> (i32, String, String) {
    let board = crate::outcome::board(board);
    let mut command = testkit::clean_command(env!("CARGO_BIN_EXE_sbc-bench"), [&["--root", &board], words].concat());
    let output = command.output().unwrap();
    assert!(std::str::from_utf8(&output.stdout).is_ok(), "everything printed is text");
    crate::outcome::texts(&output)
}

/// Every line is in the output of a command, which ends well. A terminal of 80 columns may break it.
fn check(board: &str, words: &[&str], lines: &[&str]) {
    let (status, text, errors) = run(board, words);
    assert_eq!(status, 0, "{words:?}: {errors}");
    let unbroken = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in lines {
        assert!(unbroken.contains(line), "{board} {words:?}: {line}\n{text}");
    }
}

#[test]
fn storage_report_lines() {
    check(
        "rock-5-itx-storage",
        &["storage"],
        &[
            "\"KXG50ZNV256G NVMe TOSHIBA 256GB\" SSD as /dev/nvme0n1: Speed 8GT/s (ok), Width x2 (slot's limit)",
            "111.8GB \"Samsung SSD 750\" SSD as /dev/sda: SATA 6.0 Gbps of 6.0 Gbps, Driver=ahci",
            "3.6TB \"WDC WD40EFRX-68N\" HDD as /dev/sdb",
            "29.1GB \"Samsung BJTD4R\" HS400 Enhanced strobe eMMC 5.1 card as /dev/mmcblk0: date 09/2023",
            "up to 20% worn out",
            "16MB nor flash as /dev/mtd0, \"loader\"",
            "ASMedia ASM1164 SATA: Speed 8GT/s (ok), Width x2 (ok), driver in use: ahci",
            "dmc: 534 of 2400 MHz, governor dmc_ondemand",
            "The kernel lowered the SATA link speed of sdb from 6.0 Gbps to 3.0 Gbps after errors",
            "Scheduler bfq costs CPU time on nvme0n1",
            "ASPM policy is powersave",
            "SATA link power management of sdb is min_power",
        ],
    );
}

/// Sizes and speeds that the kernel does not give are unknown and not 0.
#[test]
fn unread_sizes_and_speeds_are_unknown() {
    let folder = testkit::Scratch::new("unknown-sizes");
    let is_read = |entry: &&str| {
        let path = entry.split_whitespace().next().unwrap_or_default();
        !path.starts_with("/sys/") || !["/size", "/speed"].iter().any(|end| path.ends_with(end))
    };
    for (name, unknown) in [
        ("rock-5-itx-storage", ["size unknown \"WDC WD40EFRX-68N\" HDD", "size unknown nor flash as /dev/mtd0"]),
        ("raspberry-pi-4-usb-disk", ["size unknown SSD as /dev/sda", "(152d:0578), speed unknown"]),
    ] {
        let board = testkit::board(name);
        let entries: Vec<&str> = board.split("\n== ").filter(is_read).collect();
        let path = folder.join(format!("{name}.board"));
        std::fs::write(&path, entries.join("\n== ")).unwrap();
        let texts = [["storage"].as_slice(), &["review", "--inspect"]].map(|words| {
            let words = [&["--root", path.to_str().unwrap()], words].concat();
            let output = testkit::clean_command(env!("CARGO_BIN_EXE_sbc-bench"), words).output().unwrap();
            let text = crate::outcome::texts(&output).1;
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        });
        for part in unknown {
            assert!(texts.iter().all(|text| text.contains(part)), "{part}: {texts:?}");
        }
        for zero in [" 0B", " empty ", "0Gbps", "capable of"] {
            assert!(!texts.iter().any(|text| text.contains(zero)), "{zero}: {texts:?}");
        }
    }
}

#[test]
fn review_lists_costs_first() {
    check(
        "raspberry-pi-4-usb-disk",
        &["review", "--inspect"],
        &[
            "# Raspberry Pi 4 Model B Rev 1.5",
            "io_is_busy of policy0 is 0",
            "config.txt lacks arm_boost=1",
            "JMicron JMS578 SATA bridge at 1-1.2 runs at USB 2 speed (480Mbps) but supports 5Gbps",
            "but a quirk on the kernel command line disables it",
            "indicate a counterfeit (manfid 0x000012, oemid 0x3456)",
            "reports 128 GB, but its product name says 16 GB",
            "Card mmcblk0 (SD16G): errors since boot: 1",
            "/dev/sda1 at /media/redacted is mounted through FUSE (NTFS or exFAT)",
            "Swap /var/swap is on an SD card or eMMC",
            "### Challenging filesystems:",
            "This kernel is from Raspberry Pi",
        ],
    );
}

#[test]
fn kernel_report() {
    check(
        "rock-5-itx-storage",
        &["-k"],
        &[
            "CONFIG_HZ=300",
            "This is a vendor kernel from Rockchip",
            "Rockchip (confidence 99 %)",
            "ttyFIQ0 in /proc/cmdline (75 %)",
            "spectre v2: Mitigation: CSV2, BHB",
        ],
    );
    let folder = testkit::Scratch::new("eol");
    let newer = folder.join("linux.json");
    std::fs::write(
        &newer,
        r#"[{"cycle":"5.10","lts":true,"eol":"2019-12-30","latest":"5.10.999","latestReleaseDate":"2019-12-31"}]"#,
    )
    .unwrap();
    let newer = newer.to_str().unwrap();
    check(
        "rock-5-itx-storage",
        &["kernel", "--eol-file", newer],
        &["Support of series 5.10 ended on 2019-12-30 with 5.10.999"],
    );
    let (status, _, error) = run("rock-5-itx-storage", &["kernel", "--eol-file", "/proc/version"]);
    assert_eq!(status, 1);
    assert!(error.contains("contains no kernel end-of-life dates"), "{error}");
}

#[test]
fn json_output_is_valid() {
    for words in
        [&["kernel", "--json"][..], &["storage", "--json"], &["review", "--inspect", "--json"], &["-S", "--json"]]
    {
        for board in ["rock-5-itx-storage", "hostile", "nothing"] {
            let (status, text, errors) = run(board, words);
            assert_eq!(status, 0, "{board} {words:?}: {errors}");
            let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            assert!(value.is_object());
            let is_printed =
                |finding: &serde_json::Value| finding["values"].is_object() && finding["sentence"].is_string();
            assert!(value["findings"].as_array().unwrap().iter().all(is_printed), "{board} {words:?}");
            assert!(!text.contains("\"missing\":"), "{board} {words:?}: a reason takes the place of a value");
        }
    }
}

#[test]
fn hostile_files_never_reach_the_terminal() {
    for words in [&["kernel"][..], &["storage"], &["review", "--inspect"], &["identify"], &["snapshot"]] {
        let (status, text, errors) = run("hostile", words);
        assert_eq!(status, 0, "{words:?}: {errors}");
        let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!text.chars().any(obeyed), "{words:?}: {text:?}");
        assert!(!errors.chars().any(obeyed), "{words:?}: {errors:?}");
        assert!(!errors.contains("panicked"), "{errors}");
    }
}

/// Output of a command without line breaks.
fn told(board: &str, words: &[&str]) -> String {
    let (status, text, errors) = run(board, words);
    assert_eq!(status, 0, "{board} {words:?}: {errors}");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cards without registers are not called counterfeit, and tables of storage fit into 80 columns.
#[test]
fn inspect_every_board() {
    let mut silent = 0;
    for board in testkit::boards() {
        let text = run(&board, &["storage"]).1;
        assert!(text.lines().all(|line| facts::lines::width(line) <= 80), "{board}: {text}");
        let texts = [told(&board, &["review", "--inspect"]), told(&board, &["storage"])];
        assert!(texts[0].contains("### Kernel info:"), "{board}: {}", texts[0]);
        let files = testkit::board(&board);
        if files.contains("/manfid") || files.contains("/cid") {
            continue;
        }
        for text in texts {
            assert!(!text.to_lowercase().contains("counterfeit"), "{board}: {text}");
            assert!(!text.contains("()") && !text.contains("\"\""), "{board}: {text}");
            silent += usize::from(text.contains("ID registers could not be read"));
        }
    }
    assert!(silent > 0);
}

/// Where nothing could be read, nothing is in order.
#[test]
fn unreadable_machines_get_no_clean_bill() {
    for (board, words, says) in [
        ("nothing", &["review", "--inspect"][..], "Nothing on this machine could be checked."),
        ("nothing", &["storage"], "Nothing on this machine could be checked."),
        ("raspberry-pi-3", &["review", "--inspect"], "Support of series 4.4 ended on 2022-02-03"),
    ] {
        let text = told(board, words);
        assert!(text.contains(says), "{board} {words:?}: {text}");
        assert!(!text.contains("No problems found."), "{board} {words:?}: {text}");
    }
    let text = told("x86-hybrid-laptop", &["review", "--inspect"]);
    for says in ["The machine runs on battery power (BAT0, 81 % charged)", "BAT0 (Battery): discharging, 81 %"] {
        assert!(text.contains(says), "{text}");
    }
}

#[test]
fn kernel_origin_needs_evidence() {
    for (board, says) in
        [("x86-hybrid-laptop", "Debian"), ("rk3399", "Debian"), ("server-96-cores", "Debian"), ("nothing", "Kernel")]
    {
        let text = told(board, &["kernel"]);
        assert!(text.contains(says) && !text.contains("unmodified mainline"), "{board}: {text}");
    }
}

#[test]
fn identify_names_the_deciding_evidence() {
    for (board, says, not) in [
        ("x86-hybrid-laptop", &["4600 to 4700 MHz"][..], &[][..]),
        ("ryzen-32-policies", &["5752 to 5881 MHz"], &[]),
        ("amlogic-fake-clocks", &["named by chip id"], &["named by device tree"]),
        ("raspberry-pi-3", &["named by revision code"], &["named by device tree"]),
        ("cix-p1", &["Also called CD8180, CP8180, CD8160"], &["Exynos 8890", "Graviton3"]),
    ] {
        let text = told(board, &["identify"]);
        assert!(says.iter().all(|says| text.contains(says)), "{board}: {text}");
        assert!(!not.iter().any(|not| text.contains(not)), "{board}: {text}");
    }
    let review = told("cix-p1", &["review", "--inspect"]);
    assert!(review.contains("Cix P1, Kernel: aarch64"), "{review}");
}

/// The kernel of a Raspberry Pi 5 reports a cluster for each CPU; they are one.
#[test]
fn cpus_of_one_cluster_have_one_number() {
    let (_, text, _) = run("raspberry-pi-5", &["review", "--inspect"]);
    let rows = text.lines().filter(|line| line.contains("Cortex-A76"));
    let rows: Vec<Vec<&str>> =
        rows.map(|line| line.split_whitespace().collect()).filter(|row: &Vec<&str>| row.len() > 4).collect();
    assert!(rows.iter().filter(|row| row[1] == "0" && row[2] == "0").count() >= 4, "{text}");
}
