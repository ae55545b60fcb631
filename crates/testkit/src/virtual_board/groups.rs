//! cgroup files of both versions, as far as a board needs them.
//!
//! Version 1 accepts single threads of any process (Documentation/admin-guide/cgroup-v1). In version 2 the cgroup of a
//! board is the root of a threaded subtree with one threaded cgroup per CPU, and the controllers are delegated to it
//! (Documentation/admin-guide/cgroup-v2.rst, "Threads").

use std::io;
use std::path::{Path, PathBuf};

/// Mount point of cgroups.
pub(super) const MOUNT: &str = "/sys/fs/cgroup";
/// Length of a duty cycle. The scheduler checks quotas at its ticks, every 4 ms on many kernels: with five ticks per
/// period the used time is within 1 % of the quota.
pub(super) const PERIOD_US: u64 = 20_000;
/// Minimum quota of the kernel.
const QUOTA_US_MIN: u64 = 1_000;
/// Weight of the board's cgroups, the maximum, so that they get their full quota despite other processes. See
/// Documentation/scheduler/sched-design-CFS.rst.
const SHARES: &str = "262144";
/// The same for version 2.
const WEIGHT: &str = "10000";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    /// Separate controllers, each with its own hierarchy.
    One,
    /// One unified hierarchy.
    Two,
}

/// Mounted cgroup hierarchies.
#[derive(Debug, Clone)]
pub(super) struct Groups {
    version: Version,
    mount: PathBuf,
}

impl Groups {
    /// Finds the hierarchies for a board.
    ///
    /// # Errors
    /// A sentence about the missing controller.
    pub(super) fn find(mount: &Path) -> Result<Self, String> {
        let of = |version| Self { version, mount: mount.to_owned() };
        let has = |file: &str| mount.join(file).exists();
        if has("cpu/cpu.cfs_quota_us") || (has("cpu/tasks") && has("cpuacct/tasks")) {
            return Ok(of(Version::One));
        }
        let controllers = std::fs::read_to_string(mount.join("cgroup.controllers"));
        match controllers {
            Ok(all) if all.split_whitespace().any(|name| name == "cpu") => Ok(of(Version::Two)),
            Ok(_) => Err(format!("{} has no controller of CPU time", mount.display())),
            Err(_) => Err(format!("{} holds no control groups", mount.display())),
        }
    }

    /// Directories of a board's cgroup, one per hierarchy.
    pub(super) fn folders(&self, board: &str) -> Vec<PathBuf> {
        match self.version {
            Version::One => ["cpu", "cpuacct", "blkio"].map(|tree| self.mount.join(tree).join(board)).to_vec(),
            Version::Two => vec![self.mount.join(board)],
        }
    }

    /// Directory that contains the cgroups of boards.
    pub(super) fn top(&self) -> PathBuf {
        match self.version {
            Version::One => self.mount.join("cpu"),
            Version::Two => self.mount.clone(),
        }
    }

    fn slots(&self, board: &str, cpu: u32) -> Vec<PathBuf> {
        let trees = self.folders(board).into_iter().take(2);
        trees.map(|folder| folder.join(format!("cpu{cpu}"))).collect()
    }

    /// Creates the cgroups of a board.
    pub(super) fn make(&self, board: &str, cpus: &[u32], drive: Option<&Drive>) -> io::Result<()> {
        let all = &self.folders(board)[0];
        if self.version == Version::Two {
            hand_down(&self.mount, "+cpu")?;
            if drive.is_some() {
                hand_down(&self.mount, "+io")?;
            }
            std::fs::create_dir_all(all)?;
        }
        for cpu in cpus {
            for slot in self.slots(board, *cpu) {
                std::fs::create_dir_all(&slot)?;
                if self.version == Version::Two {
                    std::fs::write(slot.join("cgroup.type"), "threaded")?;
                }
            }
        }
        match self.version {
            Version::One => std::fs::write(all.join("cpu.shares"), SHARES)?,
            Version::Two => {
                hand_down(all, "+cpu")?;
                std::fs::write(all.join("cpu.weight"), WEIGHT)?;
            }
        }
        cpus.iter().try_for_each(|cpu| self.set_quota(board, *cpu, 1.0))?;
        drive.map_or(Ok(()), |drive| self.limit(board, drive))
    }

    fn limit(&self, board: &str, drive: &Drive) -> io::Result<()> {
        let Drive { major, minor, bytes_per_s } = drive;
        match self.version {
            Version::One => {
                let folder = &self.folders(board)[2];
                std::fs::create_dir_all(folder)?;
                let line = format!("{major}:{minor} {bytes_per_s}");
                std::fs::write(folder.join("blkio.throttle.read_bps_device"), line)
            }
            Version::Two => {
                let line = format!("{major}:{minor} rbps={bytes_per_s}");
                std::fs::write(self.folders(board)[0].join("io.max"), line)
            }
        }
    }

    /// Files to which a new process writes its id to enter the cgroup of this CPU.
    pub(super) fn entrances(&self, board: &str, cpu: u32, has_drive: bool) -> Vec<PathBuf> {
        let file = match self.version {
            Version::One => "tasks",
            Version::Two => "cgroup.procs",
        };
        let mut lists = self.slots(board, cpu);
        if has_drive && self.version == Version::One {
            lists.push(self.folders(board)[2].clone());
        }
        lists.iter().map(|folder| folder.join(file)).collect()
    }

    /// Thread lists of a CPU's cgroup; the first one is read.
    pub(super) fn threads(&self, board: &str, cpu: u32) -> Vec<PathBuf> {
        let file = self.list();
        self.slots(board, cpu).iter().map(|slot| slot.join(file)).collect()
    }

    /// Name of the file that lists threads.
    pub(super) fn list(&self) -> &'static str {
        match self.version {
            Version::One => "tasks",
            Version::Two => "cgroup.threads",
        }
    }

    /// Limits the cgroup of a CPU to this share of its time.
    pub(super) fn set_quota(&self, board: &str, cpu: u32, share: f64) -> io::Result<()> {
        let slot = &self.slots(board, cpu)[0];
        let quota_us = ((PERIOD_US as f64 * share) as u64).max(QUOTA_US_MIN);
        let quota = (share < 1.0).then(|| quota_us.to_string());
        match self.version {
            Version::One => {
                std::fs::write(slot.join("cpu.cfs_period_us"), PERIOD_US.to_string())?;
                std::fs::write(slot.join("cpu.cfs_quota_us"), quota.unwrap_or("-1".into()))
            }
            Version::Two => {
                let line = format!("{} {PERIOD_US}", quota.unwrap_or("max".into()));
                std::fs::write(slot.join("cpu.max"), line)
            }
        }
    }

    /// CPU time that a cgroup has used, in nanoseconds.
    pub(super) fn used_ns(&self, board: &str, cpu: u32) -> Option<u64> {
        let slots = self.slots(board, cpu);
        match self.version {
            Version::One => {
                let text = std::fs::read_to_string(slots[1].join("cpuacct.usage")).ok()?;
                text.trim().parse().ok()
            }
            Version::Two => {
                let text = std::fs::read_to_string(slots[0].join("cpu.stat")).ok()?;
                let usage = text.lines().find_map(|line| line.strip_prefix("usage_usec "));
                Some(usage?.trim().parse::<u64>().ok()? * 1000)
            }
        }
    }
}

/// Read bandwidth limit of a block device.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drive {
    pub(super) major: u32,
    pub(super) minor: u32,
    pub(super) bytes_per_s: u64,
}

/// Enables a controller for child cgroups.
fn hand_down(folder: &Path, controller: &str) -> io::Result<()> {
    std::fs::write(folder.join("cgroup.subtree_control"), controller)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRIVE: Drive = Drive { major: 179, minor: 0, bytes_per_s: 4096 };

    /// Tree of plain files, removed on drop.
    struct FakeGroups(PathBuf);

    impl FakeGroups {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let folder = std::env::temp_dir().join(format!("sbc-bench-groups-{name}-{}", std::process::id()));
            for (file, text) in files {
                let path = folder.join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Self(folder)
        }

        fn read(&self, file: &str) -> String {
            std::fs::read_to_string(self.0.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
        }
    }

    impl Drop for FakeGroups {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn version_two_is_a_threaded_subtree() {
        let tree = FakeGroups::new("two", &[("cgroup.controllers", "cpuset cpu io memory pids\n")]);
        let groups = Groups::find(&tree.0).unwrap();
        groups.make("b", &[0, 1], Some(&DRIVE)).unwrap();
        assert_eq!(tree.read("b/cpu1/cgroup.type"), "threaded");
        assert_eq!(tree.read("b/cgroup.subtree_control"), "+cpu");
        assert_eq!(tree.read("b/cpu0/cpu.max"), "max 20000");
        assert_eq!(tree.read("b/io.max"), "179:0 rbps=4096");
        groups.set_quota("b", 1, 0.25).unwrap();
        assert_eq!(tree.read("b/cpu1/cpu.max"), "5000 20000");
        groups.set_quota("b", 1, 0.001).unwrap();
        assert_eq!(tree.read("b/cpu1/cpu.max"), "1000 20000");
        // A process enters with all its threads; single threads are moved later.
        let entrances = groups.entrances("b", 0, true);
        assert_eq!(entrances, [tree.0.join("b/cpu0/cgroup.procs")]);
        assert_eq!(groups.threads("b", 1), [tree.0.join("b/cpu1/cgroup.threads")]);
        std::fs::write(tree.0.join("b/cpu1/cpu.stat"), "usage_usec 2500\nuser_usec 1\n").unwrap();
        assert_eq!(groups.used_ns("b", 1), Some(2_500_000));
        assert_eq!(groups.used_ns("b", 0), None);
    }

    #[test]
    fn version_one_has_a_tree_for_each_controller() {
        let tree = FakeGroups::new("one", &[("cpu/tasks", ""), ("cpuacct/tasks", "")]);
        let groups = Groups::find(&tree.0).unwrap();
        groups.make("b", &[0], Some(&DRIVE)).unwrap();
        groups.set_quota("b", 0, 0.5).unwrap();
        assert_eq!(tree.read("cpu/b/cpu0/cpu.cfs_period_us"), "20000");
        assert_eq!(tree.read("cpu/b/cpu0/cpu.cfs_quota_us"), "10000");
        assert_eq!(tree.read("cpu/b/cpu.shares"), SHARES);
        assert_eq!(tree.read("blkio/b/blkio.throttle.read_bps_device"), "179:0 4096");
        let lists = ["cpu/b/cpu0", "cpuacct/b/cpu0", "blkio/b"];
        let lists = lists.map(|folder| tree.0.join(folder).join("tasks"));
        assert_eq!(groups.entrances("b", 0, true), lists);
        std::fs::write(tree.0.join("cpuacct/b/cpu0/cpuacct.usage"), "77\n").unwrap();
        assert_eq!(groups.used_ns("b", 0), Some(77));
    }

    #[test]
    fn missing_requirements_are_reported() {
        for (files, expected) in [
            (&[][..], "holds no control groups"),
            (&[("cgroup.controllers", "hugetlb\n")], "has no controller of CPU time"),
        ] {
            let tree = FakeGroups::new("lacks", files);
            let why = Groups::find(&tree.0).unwrap_err();
            assert!(why.contains(expected), "{why}");
        }
    }
}
