//! `sbc-bench identify` as people and scripts use it: texts of another machine, logs, JSON, and files
//! that are not what they should be.

use crate::outcome::sbc_bench;
use serde_json::Value;
use std::io::Write;
use std::process::{Output, Stdio};

const PI_4: &str = "processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x0\nCPU part\t: 0xd08\nCPU revision\t: 3\n\n\
                    Hardware\t: BCM2835\nRevision\t: c03111\nModel\t\t: Raspberry Pi 4 Model B Rev 1.1\n";

fn run(words: &[&str], input: &[u8], cpuinfo_file: Option<&str>) -> Output {
    let mut command = sbc_bench(["identify"]);
    command.args(words).envs(cpuinfo_file.map(|path| ("CPUINFOFILE", path)));
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    // A program that needs no input may exit before it was written.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn answer(words: &[&str], input: &[u8]) -> Value {
    let mut all = words.to_vec();
    all.push("--json");
    let output = run(&all, input, None);
    assert!(output.status.success(), "{words:?}");
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    value["identification"].clone()
}

#[test]
fn identify_from_single_texts() {
    let compatible = "radxa,rock-5b,rockchip,rk3588";
    for (words, input, soc, confidence) in [
        (&["--cpuinfo", "-"][..], PI_4, "Broadcom BCM2711", "certain"),
        (&["--compatible", compatible], "", "Rockchip RK3588", "certain"),
        (&["--model", "Hardkernel ODROID-N2Plus"], "", "Amlogic S922X", "likely"),
    ] {
        let found = answer(words, input.as_bytes());
        assert_eq!(found["soc"], soc, "{words:?}");
        assert_eq!(found["confidence"], confidence, "{words:?}");
        assert!(found["evidence"].as_array().is_some_and(|list| !list.is_empty()));
    }
}

/// Logs of x86 machines quote all of /proc/cpuinfo: the file is a result, and its machine has a board.
#[test]
fn log_that_quotes_cpuinfo_is_a_result() {
    let folder = testkit::Scratch::new("identify-log");
    let log = include_str!("../../explain/tests/composed/0.9.72-hot.txt");
    let quoted: String =
        (0..4000).map(|line| format!("processor\t: {}\nflags\t\t: aes {line}\n\n", line % 8)).collect();
    let [plain, with_cpuinfo] = [log.to_owned(), format!("{log}\n{quoted}")].map(|text| {
        let path = folder.join("log.txt");
        std::fs::write(&path, text).unwrap();
        let output = run(&[path.to_str().unwrap()], b"", None);
        String::from_utf8(output.stdout).unwrap()
    });
    let board = plain.lines().find(|line| line.starts_with("Board")).unwrap();
    assert!(with_cpuinfo.contains(board), "{with_cpuinfo}");
}

#[test]
fn cpuinfofile_variable() {
    let folder = testkit::Scratch::new("identify");
    let path = folder.join("cpuinfo");
    std::fs::write(&path, PI_4).unwrap();
    let output = run(&[], b"", path.to_str());
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("Broadcom BCM2711"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn hostile_cpuinfo_is_harmless() {
    let hostile = "$(touch /tmp/x) `reboot` \x1b[2J ; rm -rf / %s%n";
    let inputs: [&[u8]; 4] = [b"", &[0; 4096], &[0xff; 4096], b"processor : 99999999999\nHardware : \x1b[31m\n"];
    for input in inputs {
        let output = run(&["--cpuinfo", "-", "--model", hostile], input, None);
        // A text that is not cpuinfo is refused.
        assert_eq!(output.status.code(), Some(if input.starts_with(b"processor") { 0 } else { 1 }), "{output:?}");
        assert!(![&output.stdout, &output.stderr].iter().any(|text| text.contains(&0x1b)), "no escape sequence passes");
    }
    let output = run(&["--cpuinfo", "/dev/zero"], b"", None);
    assert_eq!(output.status.code(), Some(1), "an endless file ends");
    assert!(String::from_utf8_lossy(&output.stderr).contains("/dev/zero is not a /proc/cpuinfo"));
    let output = run(&["--cpuinfo", "/none"], b"", None);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Cannot read /none"));
}

/// `explain` and `compare` name the command for files that only `identify` reads.
#[test]
fn explain_leads_to_identify() {
    let folder = testkit::Scratch::new("identify-way");
    let (board, cpuinfo) = (folder.join("my board.board"), folder.join("cpuinfo"));
    std::fs::copy(crate::outcome::board("rk3588"), &board).unwrap();
    std::fs::write(&cpuinfo, PI_4).unwrap();
    for file in [&board, &cpuinfo] {
        for verb in ["explain", "compare"] {
            let output = sbc_bench([verb]).arg(file).output().unwrap();
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{verb}: {told}");
            assert!(told.contains("sbc-bench inspect identify FILE") && told.lines().count() == 1, "{verb}: {told}");
        }
    }
}

/// A snapshot and `/proc/cpuinfo` are identified by their name alone, as by `--root` and `--cpuinfo`.
#[test]
fn snapshot_and_cpuinfo_are_identified_as_files() {
    let folder = testkit::Scratch::new("identify-files");
    let (board, cpuinfo) = (folder.join("a.board"), folder.join("cpuinfo"));
    std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/../../boards/raspberry-pi-5.board"), &board).unwrap();
    std::fs::write(&cpuinfo, PI_4).unwrap();
    let (board, cpuinfo) = (board.to_str().unwrap(), cpuinfo.to_str().unwrap());
    for (file, option) in [(board, "--root"), (cpuinfo, "--cpuinfo")] {
        for json in [&[][..], &["--json"]] {
            let [of_file, of_option] =
                [&[file][..], &[option, file]].map(|words| run(&[words, json].concat(), b"", None));
            assert!(of_file.status.success() && !of_file.stdout.is_empty(), "{file}");
            assert_eq!(of_file.stdout, of_option.stdout, "{file}");
        }
    }
}
