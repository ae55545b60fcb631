//! What a guard does when its owner is gone, and what the next start does when both are.

use super::*;
use machine::settings::{Node, Settings};
use std::os::unix::process::ExitStatusExt;

/// No process has such a number (`PID_MAX_LIMIT` is 2^22).
const GONE: u32 = 4_000_000_000;

/// A program that has left its group and its parent, with the mark of a run.
fn program(owner: u32) -> Child {
    let script = "setsid sh -c 'sleep 600 & sleep 600' & wait";
    let mut command = Command::new("/bin/sh");
    let command = command.args(["-c", script]).env(MARK, format!("{owner}-0"));
    command.process_group(0).spawn().unwrap()
}

/// Everything with the mark of this run, zombies apart.
fn marked(owner: u32) -> Vec<u32> {
    let root = Root::system();
    let mark = format!("{MARK}={owner}-0\0");
    let all = root.list("/proc").unwrap();
    let pids = all.iter().filter_map(|name| name.parse().ok());
    let is_marked = |pid: &u32| {
        let environment = root.read(&format!("/proc/{pid}/environ"));
        environment.is_ok_and(|text| text.contains(&mark))
    };
    pids.filter(is_marked).collect()
}

/// Waits until the program has started what it starts.
fn wait_for(owner: u32, count: usize) {
    for _ in 0..500 {
        if marked(owner).len() >= count {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("only {:?} of {count} run", marked(owner));
}

fn watched(owner: u32, journal: Option<PathBuf>) -> Watched {
    Watched {
        owner,
        journal,
        group: None,
        drive: None,
    }
}

#[test]
fn what_has_left_its_group_is_ended_when_the_owner_is_gone() {
    let owner = GONE + 1;
    let mut child = program(owner);
    wait_for(owner, 4);
    stand_guard(&Root::system(), &watched(owner, None), &mut &b""[..]).unwrap();
    assert_eq!(marked(owner), [0; 0]);
    assert_eq!(child.wait().unwrap().signal(), Some(9));
}

#[test]
fn a_guard_that_is_told_that_all_is_well_ends_nothing() {
    let owner = GONE + 2;
    let mut child = program(owner);
    wait_for(owner, 4);
    stand_guard(&Root::system(), &watched(owner, None), &mut &b"w"[..]).unwrap();
    assert_eq!(marked(owner).len(), 4);
    end_all_of(&Root::system(), owner, None);
    child.wait().unwrap();
}

#[test]
fn the_next_start_ends_what_dead_runs_have_left_and_nothing_else() {
    let (dead, alive) = (GONE + 3, std::process::id());
    let (mut orphan, mut own) = (program(dead), program(alive));
    wait_for(dead, 4);
    wait_for(alive, 4);
    let names = end_orphans(&Root::system());
    let (left, spared) = (marked(dead), marked(alive));
    end_all_of(&Root::system(), alive, None);
    orphan.wait().unwrap();
    own.wait().unwrap();
    assert_eq!(left, [0; 0]);
    assert_eq!(spared.len(), 4);
    assert!(names.iter().any(|name| name == "sleep"), "{names:?}");
}

#[test]
fn a_guard_puts_back_what_stands_in_the_journal() {
    let governor = Node::Governor(0).path();
    let folder = governor.trim_end_matches("/scaling_governor");
    let board = format!(
        "== /proc/sys/kernel/random/boot_id\nx\n== {governor}\nondemand\n\
         == {folder}/scaling_available_governors\nondemand performance\n"
    );
    let root = Root::from_board(&board).unwrap();
    let place = std::env::temp_dir().join(format!("sbc-bench-guard-{}", std::process::id()));
    std::fs::create_dir_all(&place).unwrap();
    let (journal, left) = (place.join("journal"), place.join("left"));
    let mut settings = Settings::new(&root, &journal).unwrap();
    let set = settings.set(Node::Governor(0), "performance");
    assert_eq!(set.tell(0, None, &mut |_| {}), None);
    // What SIGKILL leaves: a journal that nobody holds, and the setting.
    std::fs::copy(&journal, &left).unwrap();
    drop(settings);
    root.write(&governor, "performance").unwrap();
    let outcome = stand_guard(&root, &watched(GONE, Some(left.clone())), &mut &b""[..]);
    let is_removed = !left.exists();
    std::fs::remove_dir_all(&place).unwrap();
    outcome.unwrap();
    assert_eq!(root.read_value(&governor).unwrap(), "ondemand");
    assert!(is_removed);
}
