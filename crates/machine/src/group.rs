//! A cgroup of our own that contains all processes started by a program, to account their CPU time and to kill all of
//! them.
//!
//! It is directly below the mount of the hierarchy, so that it does not depend on the service or session of this
//! program. If version 2 limits that service, it is below the service, because the limit must apply. Needs root or a
//! delegated hierarchy. (Kernel: Documentation/admin-guide/cgroup-v2.rst,
//! Documentation/admin-guide/cgroup-v1/cpuacct.rst.)

mod exclusive;
mod lock;

pub(crate) use exclusive::{ExclusiveGroup, acquire, is_present};

use crate::Root;
use crate::cgroup;
use crate::faults::{self, Call};
use lock::{Lock, Owner};
use record::{Missing, MissingReason, Reading};

/// Directories of a cgroup: one in version 2, one for each used hierarchy in version 1.
#[derive(Debug)]
pub struct Group {
    root: Root,
    version: Version,
    folder: String,
    /// Previous cgroup of this process.
    home: String,
    /// Directory in the hierarchy with quotas, if that is a separate one.
    quota: Option<Place>,
    /// Limit of CPU time per second, in CPUs.
    limit_cpus: Option<f64>,
    /// Marks the cgroup as in use for processes of all containers; released last.
    _lock: Option<Lock>,
}

/// Directory of the cgroup, and the previous cgroup of this process.
#[derive(Debug, Clone)]
struct Place {
    folder: String,
    home: String,
}

/// Maximum number of names to try.
const NAMES_MAX: u32 = 16;
/// Maximum number of attempts, so that the kernel has time to remove killed processes.
const REMOVAL_TRIES: u32 = 100;
const REMOVAL_NAP: std::time::Duration = std::time::Duration::from_millis(2);

/// Period of a quota. Caches and predictors are cold after every pause: LZMA threads lost 12 % with slices of 8 ms, 3 %
/// with slices of 40 ms, so much shorter periods would measure the pauses.
const PERIOD_US: u64 = 100_000;

/// Hierarchy of quotas in version 1.
const QUOTA_MOUNT: &str = "/sys/fs/cgroup/cpu";

impl Group {
    /// Creates a cgroup.
    ///
    /// # Errors
    /// cgroups are not available, or permission is denied.
    pub fn new(root: &Root, name: &str) -> Reading<Self> {
        if !root.is_system() {
            return Err(Missing::unsupported("/sys/fs/cgroup", "not the running system"));
        }
        let membership = root.read("/proc/thread-self/cgroup")?;
        let (version, mount) = hierarchy(root)
            .ok_or_else(|| Missing::unsupported("/sys/fs/cgroup", "no cgroup hierarchy with CPU accounting"))?;
        let controller = if version == Version::Two { "" } else { "cpuacct" };
        let home = cgroup::folders(&membership, controller).into_iter().next();
        let (folder, lock) = create(&place(root, version, &mount), name)?;
        Ok(Self {
            root: root.clone(),
            version,
            folder,
            home: home.unwrap_or(mount),
            quota: None,
            limit_cpus: None,
            _lock: lock,
        })
    }

    /// Limits the cgroup to this CPU time per second, in CPUs; `None` removes the limit. Call it before programs start:
    /// with separate hierarchies the limit does not apply to programs that are already in the cgroup. (Kernel:
    /// Documentation/scheduler/sched-bwc.rst.)
    ///
    /// # Errors
    /// The kernel was built without quotas, or rejects this one.
    pub fn limit(&mut self, cpus: Option<f64>) -> Reading<()> {
        if cpus == self.limit_cpus {
            return Ok(());
        }
        let quota_us = cpus.map(|cpus| ((cpus * PERIOD_US as f64) as u64).max(1000));
        match self.version {
            Version::Two => {
                let quota = quota_us.map_or("max".to_owned(), |quota_us| quota_us.to_string());
                let path = format!("{}/cpu.max", self.folder);
                self.root.write(&path, &format!("{quota} {PERIOD_US}"))?;
            }
            Version::One => {
                let folder = self.quota_folder()?;
                let quota = quota_us.map_or("-1".to_owned(), |quota_us| quota_us.to_string());
                let period = format!("{folder}/cpu.cfs_period_us");
                self.root.write(&period, &PERIOD_US.to_string())?;
                self.root.write(&format!("{folder}/cpu.cfs_quota_us"), &quota)?;
            }
        }
        self.limit_cpus = cpus;
        Ok(())
    }

    /// True while the cgroup has a limit.
    pub fn is_limited(&self) -> bool {
        self.limit_cpus.is_some()
    }

    /// Directory in version 1's hierarchy of quotas, created on first use.
    fn quota_folder(&mut self) -> Reading<String> {
        if let Some(place) = &self.quota {
            return Ok(place.folder.clone());
        }
        let membership = self.root.read("/proc/thread-self/cgroup")?;
        let home = cgroup::folders(&membership, "cpu").into_iter().next();
        let name = self.folder.rsplit('/').next().unwrap_or_default();
        let folder = format!("{QUOTA_MOUNT}/{name}");
        if std::fs::create_dir(&folder).is_err() && !std::path::Path::new(&folder).exists() {
            return Err(Missing::unsupported(folder, "cannot create a cgroup with a CPU quota"));
        }
        let home = home.unwrap_or(QUOTA_MOUNT.into());
        self.quota = Some(Place { folder: folder.clone(), home });
        Ok(folder)
    }

    /// cgroups left behind by programs with this name, now owned by the returned values. Process ids in names are not
    /// reliable, because they may be from another container; a cgroup of a live process is locked.
    pub fn left_behind(root: &Root, name: &str) -> Vec<Self> {
        let Some((version, mount)) = hierarchy(root).filter(|_| root.is_system()) else { return Vec::new() };
        // `NAME.PID`, or `NAME.PID.2` if that was taken.
        let is_ours = |folder: &String| {
            let rest = folder.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
            rest.is_some_and(|rest| rest.split('.').all(|part| part.parse::<u32>().is_ok()))
        };
        let mut places = vec![mount.clone(), place(root, version, &mount)];
        places.dedup();
        let of_place = |place: String| {
            let folders = root.list(&place).unwrap_or_default().into_iter();
            let adopted = move |folder| Self::adopted(root, &format!("{place}/{folder}"));
            folders.filter(is_ours).filter_map(adopted)
        };
        places.into_iter().flat_map(of_place).collect()
    }

    /// Adopts an existing cgroup whose owner is gone. `None` while another process holds it.
    pub fn adopted(root: &Root, folder: &str) -> Option<Self> {
        let (version, mount) = hierarchy(root)?;
        // Dropping removes the directory, so only our own cgroups qualify.
        let name = folder.strip_prefix(&format!("{mount}/"))?;
        if folder.contains("..") {
            return None;
        }
        let Owner::Gone(lock) = lock::owner_of(folder) else { return None };
        let quota = format!("{QUOTA_MOUNT}/{name}");
        let has_quota = version == Version::One && root.list(&quota).is_ok();
        Some(Self {
            root: root.clone(),
            version,
            folder: folder.to_owned(),
            home: mount.clone(),
            quota: has_quota.then(|| Place { folder: quota, home: QUOTA_MOUNT.into() }),
            limit_cpus: None,
            _lock: Some(lock),
        })
    }

    /// Directory of the cgroup.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Moves the calling thread (version 1) or process (version 2) into the cgroup while the value lives. Programs
    /// started in that time are in the cgroup from the beginning, so that none escapes.
    ///
    /// # Errors
    /// The kernel rejects it.
    pub fn enter(&self) -> Reading<Membership<'_>> {
        self.root.write(&self.members(&self.folder), "0")?;
        let membership = Membership(self);
        if let Some(place) = self.quota.as_ref().filter(|_| self.is_limited()) {
            self.root.write(&self.members(&place.folder), "0")?;
        }
        Ok(membership)
    }

    /// Total CPU time of the cgroup, in nanoseconds.
    ///
    /// # Errors
    /// The kernel does not report it.
    pub fn cpu_time_ns(&self) -> Reading<u64> {
        match self.version {
            Version::One => self.root.read_number(&format!("{}/cpuacct.usage", self.folder)),
            Version::Two => {
                let path = format!("{}/cpu.stat", self.folder);
                let text = self.root.read(&path)?;
                parse_usage_us(&text).map(|us| us.saturating_mul(1000)).ok_or_else(|| Missing::garbled(path, &text))
            }
        }
    }

    /// Processes of the cgroup by their ids in this container; processes without one are omitted.
    pub fn processes(&self) -> Vec<u32> {
        let text = self.root.read(&format!("{}/cgroup.procs", self.folder));
        let text = text.unwrap_or_default();
        let pids = text.lines().filter_map(|line| line.parse().ok());
        pids.filter(|pid| *pid != 0).collect()
    }

    fn members(&self, folder: &str) -> String {
        match self.version {
            Version::One => format!("{folder}/tasks"),
            Version::Two => format!("{folder}/cgroup.procs"),
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let quota = self.quota.take().map(|place| place.folder);
        for folder in quota.iter().chain([&self.folder]) {
            for _ in 0..REMOVAL_TRIES {
                let gone = faults::pass(Call::Remove, folder, || std::fs::remove_dir(folder));
                if gone.is_ok() || !std::path::Path::new(folder).exists() {
                    break;
                }
                std::thread::sleep(REMOVAL_NAP);
            }
        }
    }
}

/// Membership of this thread or process in a cgroup; ends on drop.
#[derive(Debug)]
pub struct Membership<'a>(&'a Group);

impl Drop for Membership<'_> {
    fn drop(&mut self) {
        // A thread that cannot go back ends soon; a process would merely be accounted with the rest.
        let _ = self.0.root.write(&self.0.members(&self.0.home), "0");
        if let Some(place) = &self.0.quota {
            let _ = self.0.root.write(&self.0.members(&place.home), "0");
        }
    }
}

/// Location of new cgroups: in version 1 the accounting hierarchy has no limits; in version 2 a cgroup next to that of
/// this process would not have its limits.
fn place(root: &Root, version: Version, mount: &str) -> String {
    if version == Version::One {
        return mount.to_owned();
    }
    let membership = root.read("/proc/thread-self/cgroup").unwrap_or_default();
    let folders = cgroup::folders(&membership, "");
    let limits = [("cpu.max", "max"), ("memory.max", "max"), ("memory.high", "max"), ("cpuset.cpus", "")];
    let is_limited = |folder: &String| {
        limits.iter().any(|(file, free)| {
            let value = root.read(&format!("{folder}/{file}"));
            let value = value.unwrap_or_else(|_| (*free).to_owned());
            value.split_whitespace().next().unwrap_or_default() != *free
        })
    };
    // The root cgroup has no limits, and the root of a container has those of the container.
    let mut groups = folders.iter().filter(|folder| *folder != mount);
    let own = folders.first().filter(|_| groups.any(is_limited));
    own.cloned().unwrap_or_else(|| mount.to_owned())
}

/// Creates the directory of a cgroup and locks it. An existing one with this name, left by a dead process or used in
/// another container, is not reused, because it may contain other processes.
fn create(mount: &str, name: &str) -> Reading<(String, Option<Lock>)> {
    let others = (2..=NAMES_MAX).map(|number| format!("{name}.{number}"));
    let mut refused = libc::EEXIST;
    for name in std::iter::once(name.to_owned()).chain(others) {
        let folder = format!("{mount}/{name}");
        match faults::pass(Call::Folder, &folder, || lock::make(&folder)) {
            Ok(()) => match lock::owner_of(&folder) {
                Owner::Gone(lock) => return Ok((folder, Some(lock))),
                Owner::NoLocks => return Ok((folder, None)),
                // Another start took it for left behind before it was locked, and is removing it.
                Owner::Lives => refused = libc::EEXIST,
                Owner::Unknown(errno) => {
                    // Without a lock, others would take it for left behind.
                    let remove = || std::fs::remove_dir(&folder);
                    let _ = faults::pass(Call::Remove, &folder, remove);
                    refused = errno.raw_os_error();
                }
            },
            Err(error) => refused = error.raw_os_error(),
        }
        if refused != libc::EEXIST {
            break;
        }
    }
    Err(Missing { path: format!("{mount}/{name}"), why: MissingReason::Io(refused) })
}

/// Version of cgroups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// Threads move individually (`tasks`).
    One,
    /// Processes move as a whole (`cgroup.procs`).
    Two,
}

/// Hierarchy that accounts CPU time, with its mount point.
pub(super) fn hierarchy(root: &Root) -> Option<(Version, String)> {
    const MOUNT: &str = "/sys/fs/cgroup";
    if root.read(&format!("{MOUNT}/cgroup.controllers")).is_ok() {
        return Some((Version::Two, MOUNT.into()));
    }
    let v1 = format!("{MOUNT}/cpuacct");
    let counted = root.read(&format!("{v1}/cpuacct.usage"));
    counted.is_ok().then_some((Version::One, v1))
}

/// `usage_usec` of a group's `cpu.stat`.
pub(crate) fn parse_usage_us(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("usage_usec "))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests;
