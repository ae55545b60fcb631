//! Actions of a guard after the death of its owner, and of the next start after the death of both.

use super::*;
use machine::settings::{Node, Settings};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;

/// No process has this id (`PID_MAX_LIMIT` is 2^22).
const GONE: u32 = 4_000_000_000;

/// Live run, so that its programs are not taken for those of a dead one.
struct Owner(Child);

impl Owner {
    fn new() -> Self {
        Self(Command::new("sleep").arg("600").spawn().unwrap())
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Program with the mark of a run that has left its group and its parent.
fn program(owner: u32) -> Child {
    let script = "setsid sh -c 'sleep 600 & sleep 600' & exec sleep 600";
    let mut command = Command::new("/bin/sh");
    let command = command.args(["-c", script]).env(MARK, mark(owner));
    command.process_group(0).spawn().unwrap()
}

/// Mark of a run's first program in this PID namespace.
fn mark(owner: u32) -> String {
    format!("{}-{owner}-0", processes::namespace(&Root::system()))
}

/// Processes with the mark of this run, except zombies.
fn marked(owner: u32) -> Vec<u32> {
    let root = Root::system();
    let mark = format!("{MARK}={}\0", mark(owner));
    let all = root.list("/proc").unwrap();
    let pids = all.iter().filter_map(|name| name.parse().ok());
    let is_marked = |pid: &u32| {
        let environment = root.read(&format!("/proc/{pid}/environ"));
        environment.is_ok_and(|text| text.contains(&mark))
    };
    pids.filter(is_marked).collect()
}

/// Waits until the program has started its children.
fn wait_for(owner: u32, count: usize) {
    for _ in 0..500 {
        if marked(owner).len() >= count {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("only {:?} of {count} run", marked(owner));
}

fn watched(owner: u32, journal: Option<PathBuf>) -> GuardResources {
    GuardResources { owner, journal, group: None, places: None }
}

#[test]
fn escaped_processes_are_killed_with_owner() {
    let owner = Owner::new();
    let mut child = program(owner.pid());
    wait_for(owner.pid(), 4);
    let watched = watched(owner.pid(), None);
    run_guard(&Root::system(), &watched, &mut &b""[..], &mut Vec::new()).unwrap();
    assert_eq!(marked(owner.pid()), [0; 0]);
    assert_eq!(child.wait().unwrap().signal(), Some(9));
}

#[test]
fn guard_does_nothing_after_normal_exit() {
    let owner = Owner::new();
    let mut child = program(owner.pid());
    wait_for(owner.pid(), 4);
    let watched = watched(owner.pid(), None);
    run_guard(&Root::system(), &watched, &mut &b"w"[..], &mut Vec::new()).unwrap();
    let left = marked(owner.pid()).len();
    kill_descendants(&Root::system(), owner.pid());
    child.wait().unwrap();
    assert_eq!(left, 4);
}

#[test]
fn next_start_kills_only_processes_of_dead_runs() {
    let (dead, alive) = (Owner::new(), Owner::new());
    let (mut orphan, mut own) = (program(dead.pid()), program(alive.pid()));
    wait_for(dead.pid(), 4);
    wait_for(alive.pid(), 4);
    let owner = dead.pid();
    drop(dead);
    let names = kill_orphans(&Root::system());
    let (left, spared) = (marked(owner), marked(alive.pid()).len());
    kill_descendants(&Root::system(), alive.pid());
    orphan.wait().unwrap();
    own.wait().unwrap();
    assert_eq!((left, spared), (Vec::new(), 4));
    // Some may not have executed their program yet.
    let is_known = |name: &String| ["sh", "setsid", "sleep"].contains(&name.as_str());
    assert!(names.iter().any(is_known), "{names:?}");
}

#[test]
fn of_many_names_a_few_are_told() {
    let names: Vec<String> = (0..2000).map(|number| format!("p{number}")).collect();
    for (count, expected) in [
        (1, "p0"),
        (5, "p0, p1, p2, p3, p4"),
        (6, "p0, p1, p2, p3, p4 and 1 more"),
        (2000, "p0, p1, p2, p3, p4 and 1995 more"),
    ] {
        assert_eq!(first_of(&names[..count]), expected);
    }
}

/// Pipe of a run: the path of its open journal, then an action before the run is killed.
struct Pipe<'a>(std::io::Cursor<Vec<u8>>, &'a dyn Fn());

impl Read for Pipe<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.0.read(buffer)?;
        if bytes == 0 {
            (self.1)();
        }
        Ok(bytes)
    }
}

/// Governor after the guard has ended, and directory of the journal, whose path `happens` gets.
fn restored(name: &str, is_told: bool, happens: &dyn Fn(&Path)) -> (String, PathBuf) {
    let governor = Node::Governor(0).path();
    let folder = governor.trim_end_matches("/scaling_governor");
    let board = format!(
        "== /proc/sys/kernel/random/boot_id\nx\n== {governor}\nondemand\n\
         == {folder}/scaling_available_governors\nondemand performance\n"
    );
    let root = Root::from_board(&board).unwrap();
    let place = std::env::temp_dir().join(format!("sbc-bench-guard-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&place).unwrap();
    let (journal, left) = (place.join("journal"), place.join("left"));
    let mut settings = Settings::new(&root, &journal).unwrap();
    let set = settings.set(Node::Governor(0), "performance");
    assert_eq!(set.tell(0, None, &mut |_| {}), None);
    // State after SIGKILL: an unlocked journal, and the setting.
    std::fs::copy(&journal, &left).unwrap();
    drop(settings);
    root.write(&governor, "performance").unwrap();
    let of_run = std::fs::File::open(&left).unwrap();
    let descriptor =
        if is_told { format!("/proc/{}/fd/{}\n", std::process::id(), of_run.as_raw_fd()) } else { String::new() };
    let killed = || {
        if !place.join("killed").exists() {
            std::fs::write(place.join("killed"), "").unwrap();
            happens(&left);
        }
    };
    let mut pipe = Pipe(std::io::Cursor::new(descriptor.into_bytes()), &killed);
    run_guard(&root, &watched(GONE, Some(left.clone())), &mut pipe, &mut Vec::new()).unwrap();
    (root.read_value(&governor).unwrap(), place)
}

#[test]
fn guard_restores_journal() {
    for is_told in [false, true] {
        let (governor, place) = restored("left", is_told, &|_| {});
        let is_removed = !place.join("left").exists();
        std::fs::remove_dir_all(&place).unwrap();
        assert_eq!(governor, "ondemand");
        assert!(is_removed);
    }
}

#[test]
fn guard_restores_from_a_journal_that_was_renamed_replaced_or_removed() {
    const FOREIGN: &str = "not a journal\n";
    let replaced = |left: &Path| {
        std::fs::rename(left, left.with_extension("moved")).unwrap();
        std::fs::write(left, FOREIGN).unwrap();
    };
    let (governor, place) = restored("replaced", true, &replaced);
    let foreign = std::fs::read_to_string(place.join("left"));
    std::fs::remove_dir_all(&place).unwrap();
    assert_eq!((governor.as_str(), foreign.unwrap().as_str()), ("ondemand", FOREIGN));
    for (name, happens) in [
        ("removed", &(|left: &Path| std::fs::remove_file(left).unwrap()) as &dyn Fn(&Path)),
        ("moved", &|left: &Path| std::fs::rename(left, left.with_extension("moved")).unwrap()),
    ] {
        let (governor, place) = restored(name, true, happens);
        std::fs::remove_dir_all(&place).unwrap();
        assert_eq!(governor, "ondemand", "{name}");
    }
}
