//! The first commands of docs/hub.md: they start a hub and upload a result.

use crate::common;
use crate::common::made;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

const DOCUMENT: &str = include_str!("../../../docs/hub.md");

const UNIT: &str = include_str!("../../../packaging/hub/sbc-bench-hub.service");

/// Lines of the first shell block.
fn lines() -> Vec<&'static str> {
    let block = DOCUMENT.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next());
    block.unwrap().lines().collect()
}

#[test]
fn two_commands_start_a_hub_and_send_the_first_result() {
    let hub = env!("CARGO_BIN_EXE_sbc-bench-hub");
    let board = Path::new(hub).with_file_name("sbc-bench");
    if !board.exists() {
        return testkit::skip("sbc-bench is not built next to the hub (cargo build)");
    }
    let lines = lines();
    let [serve, upload] = lines.as_slice() else { panic!("two commands: {lines:?}") };
    let home = common::Folder::new();
    std::fs::write(home.0.join("result.json"), made::log("First board", 1, 7000.0)).unwrap();
    // A free port, and the programs built for this test.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    assert!(serve.starts_with("./hub serve ") && upload.starts_with("./bench upload ") && upload.contains(":8321 "));
    let serve = serve.replacen("./hub", hub, 1);
    let serve = format!("exec {serve} --listen 127.0.0.1:{port}");
    let upload = upload.replace(":8321", &format!(":{port}")).replacen("./bench", &board.display().to_string(), 1);
    let shell = |line: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(&home.0).env("HOME", &*home.0).env_remove("SBC_BENCH_HUB_DATABASE");
        shell.env("STATE_DIRECTORY", home.0.join("state")).env("XDG_STATE_HOME", home.0.join("state"));
        shell.stdin(Stdio::null()).stderr(Stdio::piped()).stdout(Stdio::piped());
        shell
    };
    let mut serving = shell(&serve).stderr(Stdio::null()).spawn().unwrap();
    testkit::wait_until("the hub listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    let sent = shell(&upload).output().unwrap();
    let address = String::from_utf8_lossy(&sent.stdout).trim().to_owned();
    let answer = ureq::get(&address).call().map(|mut answer| answer.body_mut().read_to_string().unwrap());
    let _ = serving.kill();
    serving.wait().unwrap();
    assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    assert!(address.starts_with(&format!("http://127.0.0.1:{port}/r/")), "{address}");
    assert!(answer.unwrap().contains("First board"));
}

/// systemd splits the value of an unbraced variable into words, as a shell does.
#[test]
fn options_of_the_unit_are_a_variable() {
    let folder = common::Folder::new();
    let start = UNIT.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    let start = start.replace("/usr/bin/sbc-bench-hub", env!("CARGO_BIN_EXE_sbc-bench-hub"));
    let start = start.replace("/var/lib/sbc-bench-hub", &folder.0.join("data").display().to_string());
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let options = format!("--listen 127.0.0.1:{port} --public-url https://hub.example");
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec {start}")]).env("SBC_BENCH_HUB_OPTIONS", options);
    shell.env_remove("SBC_BENCH_HUB_DATABASE").stdout(Stdio::null()).stderr(Stdio::null());
    let mut serving = shell.spawn().unwrap();
    testkit::wait_until("the hub listens", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    let feed = ureq::get(format!("http://127.0.0.1:{port}/feed.atom")).call().unwrap().body_mut().read_to_string();
    let _ = serving.kill();
    serving.wait().unwrap();
    assert!(feed.unwrap().contains("https://hub.example/"));
    assert!(DOCUMENT.contains("`SBC_BENCH_HUB_OPTIONS=--public-url "));
}

/// systemd rates exposure from 0 to 100 tenths; the rest is the network that a hub serves.
#[test]
fn systemd_takes_the_unit_and_finds_a_tight_sandbox() {
    let folder = common::Folder::new();
    let unit = folder.0.join("sbc-bench-hub.service");
    // The program and the manual page are not installed here.
    let text = UNIT.replace("/usr/bin/sbc-bench-hub", env!("CARGO_BIN_EXE_sbc-bench-hub"));
    std::fs::write(&unit, text.replace("Documentation=man:sbc-bench-hub(1)\n", "")).unwrap();
    for words in [&["verify"][..], &["security", "--offline=true", "--threshold=15"]] {
        let Ok(output) = Command::new("systemd-analyze").args(words).arg(&unit).output() else {
            return testkit::skip("systemd-analyze is not installed");
        };
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {said}");
    }
}

/// `man` reports a listed page that is missing.
#[test]
fn every_manual_page_that_is_named_is_written() {
    let folder = common::Folder::new();
    let written = Command::new(env!("CARGO_BIN_EXE_sbc-bench-hub")).arg("manual").arg(&folder.0).status().unwrap();
    assert!(written.success());
    let missing = testkit::missing_manual_pages(&folder.0, "sbc-bench-hub");
    assert!(missing.is_empty(), "{missing:?}");
    let page = std::fs::read_to_string(folder.0.join("sbc-bench-hub.1")).unwrap();
    for section in ["ENVIRONMENT", "FILES", "EXAMPLES", "SEE ALSO"] {
        assert!(page.contains(&format!(".SH {section}\n")), "no {section}");
    }
}

#[test]
fn a_mistyped_directory_is_no_hub() {
    let home = common::Folder::new();
    let typo = home.0.join("typo");
    for words in
        [&["verify"][..], &["token", "list"], &["token", "make", "x"], &["backup", "x"], &["export", "--out", "x"]]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sbc-bench-hub"));
        let output = command.args(words).arg("--data").arg(&typo).current_dir(&*home.0).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains("has no hub.sqlite; `serve` makes one."),
            "{words:?}: {said}"
        );
        assert!(!typo.exists(), "{words:?}");
    }
}

#[test]
fn container_starts_a_hub() {
    let file = include_str!("../../../deploy/container/Containerfile");
    let of = |word: &str| {
        let list = file.lines().rev().find_map(|line| line.strip_prefix(word)).unwrap();
        serde_json::from_str::<Vec<String>>(list.trim()).unwrap()
    };
    assert_eq!(of("ENTRYPOINT "), ["sbc-bench-hub"]);
    let folder = common::Folder::new();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let words = of("CMD ").into_iter().map(|word| match word.as_str() {
        "/data" => folder.0.join("data").display().to_string(),
        _ => word.replace("0.0.0.0:8321", &format!("127.0.0.1:{port}")),
    });
    let mut hub = Command::new(env!("CARGO_BIN_EXE_sbc-bench-hub"));
    let mut hub = hub.args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let probe = of("HEALTHCHECK CMD ").pop().unwrap().replace(":8321", &format!(":{port}"));
    testkit::wait_until("the probe of the container succeeds", || {
        ureq::get(&probe).call().is_ok_and(|answer| answer.status() == 200)
    });
    let _ = hub.kill();
    hub.wait().unwrap();
    assert!(folder.0.join("data/token").exists(), "the owner reads it there");
}
