//! Location and ownership of cgroups.

use super::*;

#[test]
fn limited_process_stays_in_its_cgroup() {
    let own = "== /proc/thread-self/cgroup\n0::/a/b\n";
    for (files, expected) in [
        ("", ""),
        ("== /sys/fs/cgroup/a/b/cpu.max\nmax 100000\n", ""),
        ("== /sys/fs/cgroup/a/b/cpu.max\n50000 100000\n", "/a/b"),
        ("== /sys/fs/cgroup/a/memory.max\n400000000\n", "/a/b"),
        ("== /sys/fs/cgroup/a/memory.max\nmax\n", ""),
        ("== /sys/fs/cgroup/a/b/cpuset.cpus\n\n", ""),
        ("== /sys/fs/cgroup/a/b/cpuset.cpus\n0-1\n", "/a/b"),
    ] {
        let root = Root::from_board(&format!("{own}{files}")).unwrap();
        let mount = "/sys/fs/cgroup";
        let found = place(&root, Version::Two, mount);
        assert_eq!(found, format!("{mount}{expected}"), "{files}");
        assert_eq!(place(&root, Version::One, "/x"), "/x");
    }
}

#[test]
fn both_versions_are_found() {
    for (board, expected) in [
        ("== /sys/fs/cgroup/cgroup.controllers\ncpu\n", Some(Version::Two)),
        ("== /sys/fs/cgroup/cpuacct/cpuacct.usage\n12\n", Some(Version::One)),
        ("== /proc/stat\ncpu\n", None),
    ] {
        let root = Root::from_board(board).unwrap();
        assert_eq!(hierarchy(&root).map(|found| found.0), expected, "{board}");
    }
}

#[test]
fn usage_is_read() {
    let text = "usage_usec 2500\nuser_usec 2000\nsystem_usec 500\n";
    assert_eq!(parse_usage_us(text), Some(2500));
    assert_eq!(parse_usage_us("user_usec 1\n"), None);
}

#[test]
fn board_file_has_no_cgroup() {
    let root = Root::from_board("== /sys/fs/cgroup/cgroup.controllers\ncpu\n").unwrap();
    assert!(Group::new(&root, "x").is_err());
}

#[test]
fn thread_goes_in_and_out() {
    let root = Root::system();
    let name = format!("sbc-bench-test.{}", std::process::id());
    let mut group = match Group::new(&root, &name) {
        Ok(group) => group,
        Err(missing) => {
            return testkit::skip(&format!("no control group can be made: {missing}"));
        }
    };
    let membership = || root.read("/proc/thread-self/cgroup").unwrap();
    let before = membership();
    {
        let _inside = group.enter().unwrap();
        assert!(membership().contains(&name));
        assert!(!group.processes().is_empty());
    }
    assert_eq!(membership(), before);
    assert!(group.cpu_time_ns().is_ok());
    // The kernel may account CPU time but lack quotas.
    if group.limit(Some(0.5)).is_ok() {
        let inside = group.enter().unwrap();
        assert!(cgroup::has_quota(&root));
        drop(inside);
        assert_eq!(membership(), before);
        group.limit(None).unwrap();
        let _inside = group.enter().unwrap();
        assert!(group.is_limited() == cgroup::has_quota(&root));
    }
    let folder = group.folder().to_owned();
    // A cgroup of a live process is not left behind, regardless of its number.
    assert!(Group::left_behind(&root, "sbc-bench-test").is_empty());
    assert!(Group::adopted(&root, &folder).is_none());
    drop(group);
    assert!(!std::path::Path::new(&folder).exists());
}

/// Unlocked cgroup, as left by a killed run.
fn leftover(name: &str) -> Option<String> {
    let group = Group::new(&Root::system(), name).ok()?;
    let folder = group.folder().to_owned();
    drop(group);
    std::fs::create_dir(&folder).unwrap();
    Some(folder)
}

#[test]
fn group_without_owner_is_taken_over() {
    let root = Root::system();
    let own = std::process::id();
    let Some(folder) = leftover(&format!("sbc-bench-left.{own}")) else {
        return testkit::skip("no control group can be made");
    };
    // The name is taken; a live run of another container holds it.
    let lives = Group::new(&root, &format!("sbc-bench-left.{own}")).unwrap();
    assert_ne!(lives.folder(), folder);
    let theirs = Group::new(&root, "sbc-bench-left.4000000000").unwrap();
    let found = Group::left_behind(&root, "sbc-bench-left");
    let folders: Vec<&str> = found.iter().map(Group::folder).collect();
    assert_eq!(folders, [&folder]);
    drop(found);
    assert!(!std::path::Path::new(&folder).exists());
    for group in [lives, theirs] {
        assert!(std::path::Path::new(group.folder()).exists());
    }
    // Other users can use files in it but not lock it.
    use std::os::unix::fs::PermissionsExt;
    let group = Group::new(&root, &format!("sbc-bench-left.{own}")).unwrap();
    let mode = std::fs::metadata(group.folder()).unwrap().permissions().mode();
    assert_eq!(mode & 0o077, 0o011);
}
