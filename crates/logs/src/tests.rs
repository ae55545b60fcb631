//! Reads a log of every format version. The fixtures were composed for these tests; their figures belong to no board.

use super::digest::digest;
use super::{LINES_MAX, looks_like_log, read, read_all};
use expect_test::{Expect, expect};
use proptest::prelude::*;
use record::Source;

mod copies;

fn check(text: &str, expected: Expect) {
    assert!(looks_like_log(text));
    expected.assert_eq(&digest(&read(text)));
}

/// Name of the board, else of a host that is named like one kind of board, else of the SoC.
fn board_or_host(machine: &record::Machine) -> Option<&str> {
    let host = machine.hostname.known().filter(|host| redact::names_a_model(host));
    machine.board.known().or(host).or(machine.soc.known()).map(String::as_str)
}

#[test]
fn name_of_the_host_is_no_board() {
    const DMI: &str = "Device Info:\n\tManufacturer: GIGABYTE\n\tProduct Name: H270-T70-D5\n\n";
    const TREE: &str = "\n DT compat: acme,board-7\n            acme,soc\n";
    const SOC: &str = "\nSoC guess: Acme SoC\n";
    for (name, host, before, behind, expected) in [
        ("bigboy", "bigboy", DMI, TREE, Some("GIGABYTE H270-T70-D5")),
        ("redacted", "redacted", DMI, TREE, Some("GIGABYTE H270-T70-D5")),
        ("keeper.lan", "keeper", "", TREE, Some("acme,board-7")),
        ("redacted.lan", "redacted", "", SOC, Some("Acme SoC")),
        ("81f328652970", "localhost", "", SOC, Some("Acme SoC")),
        ("bigboy", "bigboy", "", "", None),
        ("rock64", "rock64", "", SOC, Some("rock64")),
        (
            "redacted.lan",
            "redacted",
            "",
            "\nSoC guess: Acme SoC / guess flawed since running in proot\n",
            Some("Acme SoC"),
        ),
        ("raspberrypi", "raspberrypi", "", TREE, Some("acme,board-7")),
        ("raspberrypi", "raspberrypi", "", SOC, Some("Acme SoC")),
        ("Acme Board", "bigboy", DMI, TREE, Some("Acme Board")),
    ] {
        let text = format!(
            "sbc-bench v0.9.2 {name} (Sat, 22 Jan 2022 11:40:12 +0900)\n\n{before}Linux 5.16.0 ({host}) \t01/22/22 \t_aarch64_\t\
             (4 CPU)\n\n##########\n{behind}"
        );
        assert_eq!(board_or_host(&read(&text).machine), expected, "{text}");
    }
}

#[test]
fn no_header_before_0_4() {
    check(
        include_str!("fixtures/before-0.4.txt"),
        expect![[r#"
            "" None standard Finished
            started None +0 up Some(480000) load Some([15, 18, 14]) elapsed None
            Debian GNU/Linux 9.5 (stretch) | 4.14.1-made-up | armv7l | armhf | testhost
            memory-bandwidth/tinymembench@0 [] x1 #0 600000..1313999: C copy backwards Copy [1401500000] Some(0.7); standard memcpy Copy [1428000000] None; standard memset Fill [3622000000] Some(0.3); NEON read (from framebuffer) Other [82300000] None
            memory-latency/tinymembench@0 [] x1 #0 600000..1313999: ["single random read", "dual random read"] [(1024, [Some(0.0), Some(0.0)]), (67108864, [Some(170.9), Some(224.2)])]
            memory-bandwidth/tinymembench@0 [] x1 #0 600000..1313999: standard memcpy Copy [2428000000] None; standard memset Fill [4622000000] Some(0.3)
            sevenzip/single@9 [] x6 #0 1314000..1449000: 1004 MIPS, 100 %, [(22, 705, 1303), (23, 716, 1295)] (not comparable: dictionaries of 2^22, 2^23 bytes only)
            sevenzip/multi@9 [0, 1, 2, 3, 4, 5] x6 #0 0..0: failed Signal: 7-zip printed no total
            openssl/aes-128-cbc@1 [] x1 #0 0..0: [(16, 49674250), (64, 56971900), (256, 59571290), (1024, 60246360), (8192, 60440580)]
            openssl/aes-128-cbc@1 [] x1 #1 0..0: [(16, 51758240), (64, 59351100), (256, 62050470), (1024, 62765400), (8192, 62966440)]
            at [600000, 900000, 1314000, 1449000] lines [95, 96, 101, 102]
              big.claimed () [800000, 1800000, 1800000, 1800000] 0
              little.claimed () [500000, 1400000, 1400000, 1400000] 0
              load.1min () [15, 62, 100, 151] 0
              cpu.busy_percent () [3, 22, 15, 25] 0
              cpu.system_percent () [0, -1, 0, 0] 0
              cpu.user_percent () [1, 21, 14, 24] 0
              cpu.nice_percent () [0, 0, 0, 0] 0
              cpu.iowait_percent () [1, 0, 0, 0] 0
              cpu.irq_percent () [0, 0, 0, 0] 0
              soc.temp () [44100, 50000, -1, -1] 1
              monitor.first_row (average since boot) [1, 0, 1, 0] 0
            state at 0 Some((1992294, 1887437, 10240)) [("/var/swap", Unknown, 10240)]
            state at 1449000 Some((1992294, 1782579, 43008)) [("/var/swap", Unknown, 43008)]
            blocks iostat, swapon, iostat, swapon
            summary None"#]],
    );
}

#[test]
fn first_versions_without_separators() {
    check(
        include_str!("fixtures/first-versions.txt"),
        expect![[r#"
        "" None standard Finished
        started None +0 up Some(5940000) load Some([15, 60, 108]) elapsed None
        Raspbian GNU/Linux 9.4 (stretch) | 4.14.1-made-up | armv7l | armhf | testhost
          config.txt/disable_overscan = 1 (line 135)
          config.txt/dtparam = audio=on (line 136)
        cluster [0, 1, 2, 3] None None
        memory-bandwidth/tinymembench@0 [0] x1 #0 1000..570999: standard memcpy Copy [1020000000] None; standard memset Fill [1720000000] Some(0.3)
        sevenzip/single@16 [0] x4 #0 571000..819999: 1050 MIPS, 100 %, [(22, 565, 1544), (23, 566, 1526)] (not comparable: dictionaries of 2^22, 2^23 bytes only)
        sevenzip/multi@16 [0, 1, 2, 3] x4 #0 820000..1082999: 3684 MIPS, 361 %, [(22, 2005, 5374), (23, 1988, 5366)] (not comparable: dictionaries of 2^22, 2^23 bytes only)
        sevenzip/multi@16 [0, 1, 2, 3] x4 #1 820000..1082999: 3674 MIPS, 360 %, [(22, 1995, 5365), (23, 1978, 5357)] (not comparable: dictionaries of 2^22, 2^23 bytes only)
        openssl/aes-128-cbc@1 [0] x1 #0 0..0: [(16, 35784110), (64, 49220800), (256, 54720680), (1024, 56134660), (8192, 56762370), (16384, 56743250)]
        openssl/aes-128-cbc@1 [0] x1 #1 0..0: [(16, 35793850), (64, 49224230), (256, 54575620), (1024, 56282450), (8192, 56593070), (16384, 56126120)]
        cpuminer/@0 [] x4 #0 1083000..1123000: failed Garbled: the log has monitoring data but no result
        at [1000, 61000, 571000, 586000, 820000, 865000, 1083000, 1123000] lines [100, 101, 106, 107, 112, 113, 118, 119]
          policy0.claimed (CPUs 0-3) [1400000, 1400000, 1400000, 1400000, 1400000, 1400000, 1400000, 1400000] 0
          rpi.firmware_clock () [1400000, 1400000, 1400000, 1400000, 1400000, 1400000, 1400000, 1400000] 0
          load.1min () [15, 62, 100, 151, 268, 264, 352, 398] 0
          cpu.busy_percent () [18, 21, 19, 25, 19, 61, 21, 99] 0
          cpu.system_percent () [0, 0, 0, 0, 0, 0, 0, 0] 0
          cpu.user_percent () [17, 21, 17, 24, 18, 60, 20, 99] 0
          cpu.nice_percent () [0, 0, 0, 0, 0, 0, 0, 0] 0
          cpu.iowait_percent () [0, 0, 0, 0, 0, 0, 0, 0] 0
          cpu.irq_percent () [0, 0, 0, 0, 0, 0, 0, 0] 0
          soc.temp () [50500, 50500, 45600, 46200, 46700, 51500, 54200, 54900] 0
          rpi.core_voltage () [1325000, 1325000, 1325000, 1325000, 1325000, 1325000, 1325000, 1325000] 0
          monitor.first_row (average since boot) [1, 0, 1, 0, 1, 0, 1, 0] 0
        state at 0 Some((949248, 822272, 0)) [("/var/swap", Unknown, 0)]
        state at 1123000 Some((949248, 829440, 0)) [("/var/swap", Unknown, 0)]
        blocks iostat, swapon, iostat, swapon
        summary None"#]],
    );
}

#[test]
fn lines_that_figures_stand_on_can_be_quoted() {
    let text = include_str!("fixtures/0.4-big-little.txt");
    let record = read(text);
    let Source::Log(log) = &record.source else { panic!("no log") };
    let lines: Vec<&str> = text.lines().collect();
    let points = record.steps.iter().filter_map(|step| match &step.outcome {
        record::Outcome::Done(record::StepMeasurement::Clock(clocks)) => Some(clocks.points.iter()),
        _ => None,
    });
    let points = points.flatten().filter_map(|point| point.line);
    let steps = record.steps.iter().filter_map(|step| step.line);
    let numbers: Vec<u32> = points.chain(steps).chain(record.samples.lines.iter().copied()).collect();
    assert!(numbers.len() > 8);
    for number in numbers {
        assert_eq!(log.line(number), Some(lines[number as usize - 1].trim()), "{number}");
    }
    assert_eq!(log.line(60), Some("Throttling occured. Cpufreq statistics (time in milliseconds)"));
    assert_eq!(log.line(100_000), None);
}

#[test]
fn many_and_long_lines_are_not_all_kept() {
    let rows = "12:00:00: 1400MHz  0.15  18%   0%  17%   0%   0%   0%  50.5°C\n".repeat(3000);
    let long = format!("{}\n", "x".repeat(500));
    let text = format!(
        "tinymembench v0.4.9\n\nSystem health while running tinymembench:\n\nTime        CPU    load %cpu\n{rows}{long}"
    );
    let record = read(&text);
    assert_eq!(record.samples.lines.len(), 3000);
    let Source::Log(log) = &record.source else { panic!("no log") };
    assert!((300..=400).contains(&log.cited.len()), "{}", log.cited.len());
    assert!(log.cited.iter().all(|line| line.text.chars().count() <= 160));
    // The first line, and a line near the end.
    assert!(
        log.cited.first().is_some_and(|line| line.line < 10) && log.cited.last().is_some_and(|line| line.line > 2900)
    );
}

#[test]
fn two_clusters_in_0_4() {
    check(
        include_str!("fixtures/0.4-big-little.txt"),
        expect![[r#"
            "0.4.6" Some("Testboard Two") standard Finished
            started Some(1533093581000) +0 up Some(5760000) load Some([5, 1, 0]) elapsed None
            Ubuntu 18.04.1 LTS | Armbian 5.55 dev | 4.14.52-made-up | aarch64 | testhost | /usr/bin/gcc (Ubuntu 7.3.0-16ubuntu3) 7.3.0
            cluster [0, 1, 2, 3] None Some(0)
            cluster [4, 5, 6, 7] None Some(4)
            policy0 Some(1512000) None [500000, 1512000]
            policy4 Some(1000000) None [1000000]
            clock/cold@0 [] x1 #0 0..19000: cpu0 Some(500000) [498920, 497872, 496849] None None; cpu0 Some(1512000) [1414009, 1413576, 1413109] None None; cpu4 Some(1000000) [998635, 998424, 998353] None None
            openssl/aes-256-cbc@1 [0] x1 #0 19000..1219000: [(16, 60430810), (64, 71989650), (256, 76365310), (1024, 77541380), (8192, 77889540), (16384, 77867690)]
            openssl/aes-256-cbc@1 [4] x1 #0 19000..1219000: [(16, 40430810), (64, 41989650), (256, 46365310), (1024, 47541380), (8192, 47889540), (16384, 47867690)]
            clock/hot-after@0 [] x1 #0 1219000..1219000: cpu0 Some(1512000) [1414009, 1413576, 706100] None None
            at [19000, 1219000] lines [55, 56]
              policy0.claimed (CPUs 0-3) [1512000, 1512000] 0
              policy4.claimed (CPUs 4-7) [1000000, 1000000] 0
              load.1min () [98, 798] 0
              cpu.busy_percent () [12, 99] 0
              cpu.system_percent () [1, 1] 0
              cpu.user_percent () [11, 98] 0
              cpu.nice_percent () [0, 0] 0
              cpu.iowait_percent () [0, 0] 0
              cpu.irq_percent () [0, 0] 0
              soc.temp () [42500, 62500] 0
              monitor.first_row (average since boot) [1, 0] 0
            state at 0 Some((2097152, 1887437, 0)) []
            state at 1219000 Some((2097152, 1887437, 0)) []
              [] [(1512000, 0), (1416000, 86780)]
            kernel Some(30084) thermal thermal_zone0: too hot
            kernel Some(40500) Killed process 77 (7za) total-vm:1kB
            verdict 60 Throttling occured. Cpufreq statistics (time in milliseconds)
            blocks armbian-release, iostat, iostat
            summary None"#]],
    );
}

#[test]
fn raspberry_pi_in_0_6() {
    check(
        include_str!("fixtures/0.6-raspberry-pi.txt"),
        expect![[r#"
            "0.6.7" Some("Raspberry Pi 4 Model B Rev 1.1") standard Finished
            started Some(1561375021000) +120 up Some(183840000) load Some([5, 1, 0]) elapsed None
            Raspbian GNU/Linux 10 (buster) | 4.19.50-v7l+ | armv7l | testhost | /usr/bin/gcc (Raspbian 8.3.0-6+rpi1) 8.3.0
              threadx-version = Jun 20 2019 16:00:54, version 0123456789abcdef (clean) (release) (start) (line 6)
              config.txt/dtparam = audio=on (line 12)
              config.txt/[pi4] =  (line 14)
              config.txt/arm_freq = 1750 (line 15)
              threadx/arm_freq = 1750 (line 18)
              threadx/over_voltage = 3 (line 19)
            cluster [0, 1, 2, 3] None Some(0)
            policy0 Some(1750000) None [600000, 1750000]
            clock/cold@0 [] x1 #0 0..59000: cpu0 Some(1750000) [1748576, 1748109, 1748009] None Some(1750000); cpu0 Some(600000) [598635, 598424, 598353] None Some(600000)
            clock/hot-after@0 [] x1 #0 779000..779000: cpu0 Some(1750000) [999009, 998576, 998109] None Some(1000000)
            memory-bandwidth/@0 [0] x1 #0 59000..779000: failed Garbled: the log has monitoring data but no result
            at [59000, 779000] lines [57, 58]
              policy0.claimed (CPUs 0-3) [1750000, 1750000] 0
              rpi.firmware_clock () [1750000, 1000000] 0
              load.1min () [98, 398] 0
              cpu.busy_percent () [27, 99] 0
              cpu.system_percent () [1, 1] 0
              cpu.user_percent () [25, 98] 0
              cpu.nice_percent () [0, 0] 0
              cpu.iowait_percent () [0, 0] 0
              cpu.irq_percent () [0, 0] 0
              soc.temp () [51500, 81500] 0
              rpi.core_voltage () [883800, 843800] 0
              monitor.first_row (average since boot) [1, 0] 0
            state at 0 Some((4089446, 3879731, 0)) [("/dev/mmcblk0p3", SdCard, 0)]
            state at 779000 Some((4089446, 3879731, 1536)) [("/dev/mmcblk0p3", SdCard, 1536)]
              bits 0x70002
            blocks iostat, swapon, firmware-bits, iostat, swapon
            summary None"#]],
    );
}

#[test]
fn standard_run_of_0_9_72() {
    check(
        include_str!("fixtures/0.9.72-standard.txt"),
        expect![[r#"
            "0.9.72" Some("Testboard Three") standard Finished
            started Some(1777543512000) +120 up Some(180000) load Some([46, 26, 11]) elapsed None
            Testchip 3399 | Debian GNU/Linux 12 (bookworm) | https://example.org/build, 26.02, testboard | 6.6.98-made-up | aarch64 | arm64 | kvm | testhost | /usr/bin/gcc (Debian 12.2.0-14) 12.2.0 / aarch64-linux-gnu | zstd/zsmalloc
              temperature-at-start = 37.6°C (line 11)
              bash-loop-ns = 81216468 (line 11)
              thermal-source = /sys/class/hwmon/hwmon0/ (cpu_thermal) (line 251)
              cpuinfo = http://example.org/x (line 310)
              dmc-gov = performance (856 MHz) (line 312)
              CONFIG_HZ = 250 (line 319)
              governor/ff9a0000.gpu = simple_ondemand / 200 MHz (performance simple_ondemand / 200 800) (line 345)
              /sys/module/pcie_aspm/parameters/policy = default [performance] powersave (line 348)
            cluster [0, 1, 2, 3] Some("Cortex-A53") Some(0)
            cluster [4, 5] Some("Cortex-A72") Some(4)
            policy0 Some(1416000) None [408000, 1416000]
            policy4 Some(2016000) None [408000, 2016000]
            clock/cold@0 [] x1 #0 0..48000: cpu0 Some(1416000) [1412135, 1412014, 1411014] Some(1412) None; cpu0 Some(408000) [394564, 394486, 394435] Some(394) None; cpu4 Some(2016000) [2014001, 2013980, 2013940] Some(2014) None; cpu4 Some(408000) [404360, 404304, 404244] Some(404) None
            memory-bandwidth/tinymembench@0 [0] x1 #0 48000..527999: libc memcpy copy Copy [1523200000] Some(1.3); libc memchr scan Read [1184900000] None; libc memset fill Fill [5484600000] Some(1.5)
            memory-latency/tinymembench-small-pages@0 [0] x1 #0 48000..527999: ["single random read", "dual random read"] [(67108864, [Some(156.0), Some(186.3)])]
            memory-latency/tinymembench-huge-pages@0 [0] x1 #0 48000..527999: ["single random read", "dual random read"] [(67108864, [Some(126.0), Some(146.3)])]
            memory-bandwidth/tinymembench@0 [4] x1 #0 48000..527999: libc memcpy copy Copy [2710200000] Some(0.3); libc memset fill Fill [5570600000] None
            memory-latency/ramlat@0 [0] x1 #0 0..0: ["1x32", "2x32", "1x64"] [(4096, [Some(1.69), Some(1.676), Some(1.676)]), (134217728, [Some(182.4), Some(182.3), Some(181.4)])]
            openssl/aes-256-cbc@3 [0] x1 #0 0..0: [(16, 137625580), (64, 369481880), (256, 635810050), (1024, 780274690), (8192, 834139480), (16384, 838118060)]
            openssl/aes-256-cbc@3 [4] x1 #0 0..0: [(16, 466789290), (64, 844659220), (256, 1053297410), (1024, 1113431380), (8192, 1138854570), (16384, 1141112830)]
            sevenzip/single@16 [0] x1 #0 0..0: 1095 MIPS, 100 %, [(22, 1167, 1828), (23, 1171, 1819), (24, 1182, 1806), (25, 1193, 1787)]
            sevenzip/single@16 [4] x1 #0 0..0: 1700 MIPS, 100 %, [(22, 1167, 1828), (23, 1171, 1819), (24, 1182, 1806), (25, 1193, 1787)]
            sevenzip/multi@16 [0, 1, 2, 3, 4, 5] x6 #0 528000..736999: 7257 MIPS, 575 %, [(22, 5589, 9288), (23, 5522, 9136), (24, 5269, 9013), (25, 5401, 8837)]
            sevenzip/multi@16 [0, 1, 2, 3, 4, 5] x6 #1 528000..736999: 7260 MIPS, 575 %, [(22, 5589, 9288), (23, 5522, 9136), (24, 5269, 9013), (25, 5401, 8837)]
            sevenzip/multi@16 [0, 1, 2, 3, 4, 5] x6 #2 528000..736999: 7263 MIPS, 575 %, [(22, 5589, 9288), (23, 5522, 9136), (24, 5269, 9013), (25, 5401, 8837)]
            cpuminer/@1 [] x6 #0 742000..747000: [12.02, 11.5] kH/s at [0, 5000] cpuminer-multi 1.3.7
            cpuminer-per-cpu/@1 [0] x1 #0 737000..737000: [2.28] kH/s at [0] cpuminer-multi 1.3.7
            cpuminer-per-cpu/@1 [1] x1 #0 737000..737000: [2.97] kH/s at [0] cpuminer-multi 1.3.7
            stockfish/@15 [] x6 #0 0..0: [568818.0] nodes/s at [] nn-0123456789ab.nnue
            clock/hot-after@0 [] x1 #0 943000..943000: cpu0 Some(1416000) [1412135, 1412014, 1411014] Some(1412) None; cpu4 Some(2016000) [1795001, 1794980, 1793940] Some(1794) None
            at [48000, 68000, 528000, 548000, 737000, 943000] lines [256, 257, 262, 263, 268, 269]
              policy0.claimed (Cortex-A53 (CPUs 0-3)) [1416000, 1416000, 1416000, 1416000, 1416000, 1416000] 0
              policy4.claimed (Cortex-A72 (CPUs 4-5)) [2016000, 2016000, 2016000, 1800000, 2016000, 1800000] 0
              load.1min () [46, 66, 146, 606, 146, 806] 0
              cpu.busy_percent () [4, 16, 18, 100, 18, 100] 0
              cpu.system_percent () [1, 0, 1, 0, 1, 0] 0
              cpu.user_percent () [3, 16, 17, 99, 17, 99] 0
              cpu.nice_percent () [0, 0, 0, 0, 0, 0] 0
              cpu.iowait_percent () [0, 0, 0, 0, 0, 0] 0
              cpu.irq_percent () [0, 0, 0, 0, 0, 0] 0
              soc.temp () [41100, 42100, 55100, 79200, 55100, 79200] 0
              monitor.first_row (average since boot) [1, 0, 1, 0, 1, 0] 0
            state at 0 Some((6081741, 5767168, 0)) [("/dev/zram0", Zram, 0)]
            state at 943000 Some((6081741, 5767168, 256)) [("/dev/zram0", Zram, 256)]
              [4, 5] [(2016000, 660120), (1800000, 250500), (408000, 0)]
            kernel Some(120048) thermal: trip 1
            kernel None ** a line that goes on **
            verdict 25 WARNING: ZSWAP ON TOP OF ZRAM HAS BEEN CONFIGURED ON THIS SYSTEM!
            verdict 273 Throttling statistics (time spent on each cpufreq OPP) for CPUs 4-5 (Cortex-A72)
            verdict 323 Kernel 6.6.98 is not latest 6.6.99 LTS that was released on 2026-04-01.
            verdict 339 Advertised vs. measured max CPU clockspeed: -0.1% before, -11.0% after -> https://example.org/1
            verdict 340 No swapping
            verdict 341 Throttling occured -> https://example.org/2
            blocks iostat, swapon, zswap, sensors, stockfish, iostat, swapon, lscpu, kernel-support, opp-tables
            summary Some(350)"#]],
    );
}

#[test]
fn review_ends_the_same_log() {
    let standard = digest(&read(include_str!("fixtures/0.9.72-standard.txt")));
    let review = digest(&read(include_str!("fixtures/0.9.72-review.txt")));
    let added: Vec<&str> = review.lines().filter(|line| !standard.lines().any(|known| known == *line)).collect();
    expect![[r#"
        "0.9.72" Some("Testboard Three") review Finished
        started Some(1777543512000) +120 up Some(180000) load Some([46, 26, 11]) elapsed Some(1200000)
        policy0 Some(1416000) Some("performance") [408000, 1416000]
        policy4 Some(2016000) Some("schedutil") [408000, 2016000]
        blocks iostat, swapon, zswap, sensors, stockfish, iostat, swapon, lscpu, kernel-support, opp-tables, clock-tree, review: Testboard Three, review: General information:, review: Governors/policies (performance vs. idle consumption):, review: Software versions:
        summary None"#]].assert_eq(&added.join("\n"));
}

#[test]
fn another_language_and_carriage_returns() {
    check(
        include_str!("fixtures/russian-crlf.txt"),
        expect![[r#"
            "0.9.8" Some("Тест 2") standard Died
            started Some(1657095184000) +480 up Some(1209600000) load Some([5, 10, 15]) elapsed None
            Ubuntu 20.04.4 LTS | 5.4.0 | x86_64 | хост
              intel-p-states = Intel P-state driver initializing (line 18)
            cluster [0, 1] None None
            clock/cold@0 [] x1 #0 0..56000: cpu1 None [1995100, 1995000, 1994900] Some(1995) None
            memory-bandwidth/@0 [0] x1 #0 56000..86000: failed Garbled: the log has monitoring data but no result
            at [56000, 86000] lines [27, 28]
              load.1min () [36, 36] 0
              cpu.busy_percent () [28, 28] 0
              cpu.system_percent () [9, 9] 0
              cpu.user_percent () [17, 17] 0
              cpu.nice_percent () [0, 0] 0
              cpu.iowait_percent () [0, 0] 0
              cpu.irq_percent () [0, 0] 0
              soc.temp () [41600, -1] 1
              monitor.first_row (average since boot) [1, 0] 0
            state at 0 Some((1992294, 1572864, 1536)) [("/swap file", Unknown, 1536)]
            blocks iostat, swapon
            summary None"#]],
    );
}

#[test]
fn foreign_text_is_rejected() {
    for (text, heading) in
        [("", "empty"), ("\n \n", "empty"), ("Hello all,\nplease find attached\n", "not an sbc-bench log")]
    {
        assert!(!looks_like_log(text));
        let record = read(text);
        let Source::Log(log) = &record.source else {
            panic!("not a log");
        };
        assert_eq!(log.blocks[0].heading, heading);
        assert!(record.steps.is_empty() && record.machine.cpus.is_empty());
    }
}

#[test]
fn review_alone_names_its_board() {
    let text = include_str!("fixtures/0.9.72-review.txt");
    let (_, review) = text.split_once("# Testboard Three\n").unwrap();
    let review = format!("# Testboard Three\n{review}");
    assert!(looks_like_log(&review));
    let record = read(&review);
    assert_eq!(record.machine.board.known().unwrap(), "Testboard Three");
    let Source::Log(log) = &record.source else {
        panic!("not a log");
    };
    assert_eq!(log.version, "0.9.72");
    assert_eq!(log.unread, []);
    assert_eq!(log.blocks.len(), 4);
}

#[test]
fn lines_beyond_the_limit_are_counted_and_not_read() {
    let fixture = include_str!("fixtures/0.4-big-little.txt");
    let Source::Log(log) = read(&format!("{fixture}\n{}", "/\n".repeat(1 << 20))).source else {
        panic!("not a log");
    };
    let kept = log.unread.iter().filter(|line| line.text == "/").count();
    assert!((LINES_MAX / 2..=LINES_MAX).contains(&kept), "{kept}");
    let last = log.unread.iter().find(|line| line.line == LINES_MAX as u32 + 1).unwrap();
    let further = log.lines as usize - LINES_MAX;
    assert_eq!(last.text, format!("{further} lines after the first {LINES_MAX} are not read"));
}

#[test]
fn last_of_several_runs_in_one_file_is_read() {
    let first = include_str!("fixtures/0.4-big-little.txt");
    let second = include_str!("fixtures/0.6-raspberry-pi.txt");
    let record = read(&format!("{first}\n\n\n{second}"));
    let alone = read(second);
    assert_eq!(record.machine.board, alone.machine.board);
    assert_eq!(record.samples.channels, alone.samples.channels);
    let lines: Vec<u32> = read_all(&format!("{first}\n\n\n{second}")).iter().map(|result| result.line).collect();
    assert_eq!(lines, [1, first.lines().count() as u32 + 4]);
}

proptest! {
    #[test]
    fn log_reader_never_panics(text in "\\PC*") {
        read(&text);
    }

    #[test]
    fn lines_of_logs_in_any_order_are_survived(
        picks in proptest::collection::vec((0_usize..5000, 0_usize..120, any::<bool>()), 0..60)
    ) {
        let all = concat!(
            include_str!("fixtures/before-0.4.txt"),
            include_str!("fixtures/0.6-raspberry-pi.txt"),
            include_str!("fixtures/0.9.72-review.txt"),
            include_str!("fixtures/russian-crlf.txt"),
        );
        let lines: Vec<&str> = all.lines().collect();
        let mut text = String::from("sbc-bench v1 x\n");
        for (line, cut, whole) in picks {
            let line = lines[line % lines.len()];
            text.extend(line.chars().take(if whole { usize::MAX } else { cut }));
            text.push('\n');
        }
        read(&text);
    }
}
