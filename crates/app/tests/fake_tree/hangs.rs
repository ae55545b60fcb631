//! Disks and terminals that never respond: a run loses what they hold and ends.

use crate::fake_tree::tree::{Tree, can_run, difference};
use crate::outcome::{finished, record, text};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{Winsize, tcsetwinsize};
use std::io::Write;
use std::net::{TcpListener, UdpSocket};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Three waits for the disk, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(150);

const RUN: &str = "run --force --wait 0s --quiet --repeat 1 --cpus 0 -- true";

/// Every call of this kind on such a path hangs.
fn check_disk(call: &str, place: &str) {
    let tree = Tree::new();
    let before = tree.settings();
    let words: Vec<&str> = RUN.split(' ').collect();
    let output = finished(&mut tree.command(&words, &format!("run {call} {place} 0 hang")));
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    let status = output.status.code();
    let is_lost = said.contains("has not responded for ");
    assert!(
        if is_lost { status == Some(6) } else { matches!(status, Some(0 | 2 | 3)) },
        "{call} {place}: {status:?} {said}"
    );
    assert_eq!(is_lost, !place.contains("journal"), "{call} {place}: {said}");
    assert!(shown.contains("true"), "{call} {place}: {shown}");
    assert!([&shown, &said].iter().any(|text| text.contains("respond")), "{call} {place}: {shown}{said}");
    assert_eq!(difference(&before, &tree.settings()), "", "{call} {place}");
}

#[test]
fn hanging_disk_does_not_block_run() {
    testkit::needs!(can_run());
    let all = [
        ("write", "/runs/"),
        ("sync", "/runs/"),
        ("rename", "/runs"),
        ("write", "/var/log/"),
        ("sync", "/var/log/"),
        ("open", "/settings.journal"),
        ("write", "/settings.journal"),
        ("sync", "/settings.journal"),
    ];
    // All of them wait nearly all of the time.
    std::thread::scope(|scope| {
        for (call, place) in all {
            scope.spawn(move || check_disk(call, place));
        }
    });
    // Everything is back by then, and the next start finds that it is.
    let tree = Tree::new();
    let plan = "run remove /settings.journal 0 hang";
    let words: Vec<&str> = RUN.split(' ').collect();
    finished(&mut tree.command(&words, plan));
}

/// Says something and then nothing more, or one byte a second; ends with the test.
fn serve(says: &'static [u8], then: &'static [u8]) -> u16 {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in server.incoming() {
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || {
                let mut is_there = stream.write_all(says).is_ok();
                for byte in then.iter().cycle() {
                    std::thread::sleep(Duration::from_secs(1));
                    is_there &= stream.write_all(&[*byte]).is_ok();
                    if !is_there {
                        return;
                    }
                }
                // Nothing more, and the connection stays open.
                std::thread::sleep(PATIENCE);
            });
        }
    });
    port
}

#[test]
fn hanging_meter_is_reported_and_does_not_block_run() {
    testkit::needs!(can_run());
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n";
    let (silent, trickles) = (serve(b"", b""), serve(head, b" "));
    let unheard = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = unheard.local_addr().unwrap().port();
    drop(unheard);
    let meters = [
        format!("tasmota:127.0.0.1:{silent}"),
        format!("shelly:127.0.0.1:{trickles}"),
        format!("smartpower2:127.0.0.1:{silent}"),
        format!("smartpower3:127.0.0.1:{port}"),
    ];
    let tree = Tree::new();
    let mut words: Vec<&str> = RUN.split(' ').collect();
    let end = words.len() - 2;
    let with = meters.iter().flat_map(|meter| ["--meter", meter.as_str()]);
    words.splice(end..end, with);
    let output = finished(tree.command(&words, "").env("NOTUNING", "yes"));
    let said = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 2 | 3)), "{said}");
    let told = said.matches("The power meter does not respond").count();
    assert_eq!(told, meters.len(), "{said}");
}

/// Lines go on, and end, while nothing of the recording can be written.
#[test]
fn hanging_disk_does_not_block_monitor() {
    testkit::needs!(can_run());
    for call in ["write", "sync"] {
        let tree = Tree::new();
        let words = ["-m", "0.1", "--count", "40", "--record", "watched"];
        let output = finished(&mut tree.command(&words, &format!("run {call} /watched 0 hang")));
        let (shown, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(shown.lines().count(), 41, "{call}: {shown}{said}");
        assert!(said.contains("is not responding"), "{call}: {said}");
    }
}

/// A program in the kernel's uninterruptible sleep, on a drive that is dying: SIGKILL does not end it.
#[test]
fn a_program_that_not_even_sigkill_ends_keeps_no_run() {
    testkit::needs!(can_run());
    if !Path::new("/dev/fuse").exists() {
        return testkit::skip("/dev/fuse is not there");
    }
    let tree = Tree::new();
    let stuck = testkit::StuckMount::mount(&tree.path("drive/stuck")).unwrap();
    let file = stuck.file().display().to_string();
    let mut words: Vec<&str> = RUN.split(' ').collect();
    words.pop();
    let end = words.len() - 1;
    words.splice(end..end, ["--timeout", "2s"]);
    // It begins before the file hangs, because the run does not depend on how it is read.
    words.extend(["/bin/cat", &file]);
    let mut command = tree.command(&words, "");
    let command = command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.env("NOTUNING", "yes").spawn().unwrap();
    assert!(testkit::ended(&mut child).is_some(), "it keeps the run");
    let stuck_in_kernel = tree.processes().into_iter().any(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.is_ok_and(|stat| stat.contains("(cat) D "))
    });
    let record = record(tree.path("log/sbc-bench.json"));
    drop(stuck);
    tree.wait_for_ends().unwrap();
    assert!(stuck_in_kernel, "the program could be ended");
    let step = record.steps.iter().find(|step| step.workload.as_str() == "cat");
    let outcome = format!("{:?}", step.unwrap().outcome);
    assert!(outcome.contains("TimedOut"), "{outcome}");
}

/// The whole screen on a terminal whose other end stops reading: the recording goes on, and so does Ctrl-C.
#[test]
fn hanging_terminal_does_not_block_recording() {
    testkit::needs!(can_run());
    let (reader, writer) = testkit::found!(testkit::terminal());
    let size = Winsize { ws_row: 150, ws_col: 400, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&writer, size).unwrap();
    let tree = Tree::new();
    let words = ["monitor", "0.02", "--tui", "--record", "watched"];
    let mut command = tree.command(&words, "");
    command.env("TERM", "xterm").stderr(Stdio::null());
    command.stdin(Stdio::from(writer.try_clone().unwrap()));
    let mut child = command.stdout(Stdio::from(writer)).spawn().unwrap();
    let pid = child.id();
    let rows = || {
        let bytes = std::fs::read(tree.path("drive/watched")).unwrap_or_default();
        record::read_stream(&bytes).map_or(0, |record| record.samples.at_ms.len())
    };
    let mut wait_for = |what: &str, is_so: &dyn Fn() -> bool| {
        let begin = Instant::now();
        while !is_so() {
            let is_too_long = begin.elapsed() > PATIENCE;
            if is_too_long {
                let _ = child.kill();
            }
            assert!(!is_too_long, "{what}, at row {}", rows());
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    wait_for("no frame hangs", &|| hangs_in_a_frame(pid));
    let then = rows();
    wait_for("the recording stopped", &|| rows() > then + 20);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert!(testkit::ended(&mut child).is_some(), "Ctrl-C is not heard");
    drop(reader);
}

/// True if a thread waits for its standard output and gets nowhere. The kernel names the system call in which a
/// thread waits, with its arguments and stack.
fn hangs_in_a_frame(pid: u32) -> bool {
    let calls = || {
        let threads = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter();
        let calls = threads.flatten().flatten().filter_map(|thread| {
            let call = std::fs::read_to_string(thread.path().join("syscall")).ok()?;
            (call.split(' ').nth(1) == Some("0x1")).then_some((thread.file_name(), call))
        });
        calls.collect::<Vec<_>>()
    };
    let before = calls();
    std::thread::sleep(Duration::from_secs(1));
    calls().iter().any(|call| before.contains(call))
}
