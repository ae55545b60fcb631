//! A control group of our own: everything that a program starts stays in it, so that its CPU time is
//! counted as a whole and nothing of it survives.
//!
//! It lies directly below the mount of the hierarchy, where its files do not depend on what service
//! or session this program runs in; but where version 2 limits that service, below the service, because a
//! limit must hold for what it was given for. Needs root, or a delegated hierarchy.
//! (Kernel: Documentation/admin-guide/cgroup-v2.rst, Documentation/admin-guide/cgroup-v1/cpuacct.rst.)

mod hierarchy;
mod hold;
mod lock;

pub(crate) use hold::{Held, hold, is_there};

use crate::Root;
use crate::cgroup;
use crate::faults::{self, Call};
use hierarchy::{Version, hierarchy};
use lock::{Lock, Owner};
use record::{Missing, Reading, Why};

/// Folders of a group: one in version 2, one for each hierarchy used in version 1.
#[derive(Debug)]
pub struct Group {
    root: Root,
    version: Version,
    folder: String,
    /// Where this process was before, to go back.
    home: String,
    /// The same in the hierarchy that has quotas, where that is another one.
    quota: Option<Place>,
    /// CPU time a second that the group is held to, in CPUs, if it is.
    limit_cpus: Option<f64>,
    /// Tells all processes that the group is in use, in any container; let go of last.
    _lock: Option<Lock>,
}

/// A folder of the group, and where this process was before.
#[derive(Debug, Clone)]
struct Place {
    folder: String,
    home: String,
}

/// Names that are tried for a group.
const NAMES_MAX: u32 = 16;
/// Looks that are enough for the kernel to take killed processes out of the group.
const REMOVAL_TRIES: u32 = 100;
const REMOVAL_NAP: std::time::Duration = std::time::Duration::from_millis(2);

/// Length of one slice of a quota. After every pause caches and predictors are cold: of slices of 8 ms
/// each LZMA thread lost 12 %, of slices of 40 ms 3 %, so that much shorter ones measure the pauses.
const PERIOD_US: u64 = 100_000;

/// Version 1's hierarchy of quotas.
const QUOTA_MOUNT: &str = "/sys/fs/cgroup/cpu";

impl Group {
    /// Makes a group.
    ///
    /// # Errors
    /// There are no control groups, or no right to make one.
    pub fn new(root: &Root, name: &str) -> Reading<Self> {
        if !root.is_system() {
            return Err(Missing::unsupported("/sys/fs/cgroup", "not the running system"));
        }
        let membership = root.read("/proc/thread-self/cgroup")?;
        let (version, mount) = hierarchy(root)
            .ok_or_else(|| Missing::unsupported("/sys/fs/cgroup", "no cgroup hierarchy with CPU accounting"))?;
        let controller = if version == Version::Two { "" } else { "cpuacct" };
        let home = cgroup::folders(&membership, controller).into_iter().next();
        let (folder, lock) = made(&place(root, version, &mount), name)?;
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

    /// Holds everything in the group to so much CPU time a second, in CPUs; none takes the limit away.
    /// Programs that are in the group already are held only where one hierarchy does everything, so
    /// set it before they start. (Kernel: Documentation/scheduler/sched-bwc.rst.)
    ///
    /// # Errors
    /// The kernel was built without quotas, or does not allow one here.
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

    /// True while everything in the group is held to a limit.
    pub fn is_limited(&self) -> bool {
        self.limit_cpus.is_some()
    }

    /// The folder in version 1's hierarchy of quotas, made at the first need.
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

    /// Groups that a program of this name has left behind, which are now this value's: nobody is left to remove
    /// them. The process id in a name says nothing about that, since it may be one of another container; a
    /// group whose owner lives is held by a lock.
    pub fn left_behind(root: &Root, name: &str) -> Vec<Self> {
        let Some((version, mount)) = hierarchy(root).filter(|_| root.is_system()) else {
            return Vec::new();
        };
        // `NAME.PID`, or `NAME.PID.2` where that was taken.
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

    /// An existing group whose owner is gone, which this value now owns. None while another process holds it.
    pub fn adopted(root: &Root, folder: &str) -> Option<Self> {
        let (version, mount) = hierarchy(root)?;
        // Dropping removes the folder, so only a group of ours will do.
        let name = folder.strip_prefix(&format!("{mount}/"))?;
        if folder.contains("..") {
            return None;
        }
        let Owner::Gone(lock) = lock::owner_of(folder) else {
            return None;
        };
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

    /// Its folder.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Moves the calling thread (version 1) or process (version 2) into the group for as long as the
    /// value lives. What is started meanwhile is born in the group, so that nothing escapes it.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn enter(&self) -> Reading<Inside<'_>> {
        self.root.write(&self.members(&self.folder), "0")?;
        let inside = Inside(self);
        if let Some(place) = self.quota.as_ref().filter(|_| self.is_limited()) {
            self.root.write(&self.members(&place.folder), "0")?;
        }
        Ok(inside)
    }

    /// CPU time of everything that was ever in the group, in nanoseconds.
    ///
    /// # Errors
    /// The kernel does not tell.
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

    /// Processes that are in the group, by their numbers here: those that have none in this container are left out.
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

/// This thread or process is in a group; it goes back when this is dropped.
#[derive(Debug)]
pub struct Inside<'a>(&'a Group);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        // A thread that cannot go back ends in a moment; a process would only be counted with the rest.
        let _ = self.0.root.write(&self.0.members(&self.0.home), "0");
        if let Some(place) = &self.0.quota {
            let _ = self.0.root.write(&self.0.members(&place.home), "0");
        }
    }
}

/// Where a group is made: in version 1 the hierarchy that counts has no limits, in version 2 a group created
/// next to the group of this process is free of its limits.
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
    // The root of all has no limits, and that of a container has those of the container.
    let mut groups = folders.iter().filter(|folder| *folder != mount);
    let own = folders.first().filter(|_| groups.any(is_limited));
    own.cloned().unwrap_or_else(|| mount.to_owned())
}

/// Makes the folder of a group and holds it. A dead process may have had our number and left one of that name,
/// or a living one of another container has it: that is not ours to enter, since another process may be in it.
fn made(mount: &str, name: &str) -> Reading<(String, Option<Lock>)> {
    let others = (2..=NAMES_MAX).map(|number| format!("{name}.{number}"));
    let mut refused = libc::EEXIST;
    for name in std::iter::once(name.to_owned()).chain(others) {
        let folder = format!("{mount}/{name}");
        match faults::pass(Call::Folder, &folder, || lock::make(&folder)) {
            Ok(()) => match lock::owner_of(&folder) {
                Owner::Gone(lock) => return Ok((folder, Some(lock))),
                Owner::NoLocks => return Ok((folder, None)),
                // Another start took it for left behind before it was held, and removes it.
                Owner::Lives => refused = libc::EEXIST,
                Owner::Unknown(errno) => {
                    // Others would take it for left behind while we are in it.
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
    Err(Missing { path: format!("{mount}/{name}"), why: Why::Io(refused) })
}

/// `usage_usec` of a group's `cpu.stat`.
pub(crate) fn parse_usage_us(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("usage_usec "))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests;
