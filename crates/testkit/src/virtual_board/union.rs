//! Union file system over `/sys`: files of the board take precedence over real ones.
//!
//! It runs outside the mount namespace where it is mounted, so that the real `/sys` stays readable. Every read
//! generates the file, as in sysfs; nothing is cached.

use super::files::{Node, STATE, WriteError, nodes, write};
use super::lock;
use super::model::Model;
use super::slots::kill;
use super::stat::stat;
use fuser::{
    Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, LockOwner, OpenFlags,
    ReplyAttr, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyWrite, Request, TimeOrNow,
    WriteFlags,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// Not below `/sys`: mounted over `/proc/stat`.
const STAT: &str = "stat";
const NO_TIME: Duration = Duration::ZERO;
/// Real tree.
const REAL: &str = "/sys";

/// Union of a board's files and the real ones.
pub(super) struct Union {
    model: Arc<Mutex<Model>>,
    /// Inode numbers of paths, in both directions. Paths are few and are kept.
    paths: Mutex<Paths>,
    /// Last text of each open file, so that a read at an offset continues the same text, as in sysfs.
    texts: Mutex<Texts>,
    /// `/proc/stat` of the host at the start of the board.
    first_stat: String,
}

#[derive(Default)]
struct Texts {
    opened: u64,
    by_handle: BTreeMap<u64, Vec<u8>>,
}

#[derive(Default)]
struct Paths {
    by_number: Vec<String>,
    numbers: BTreeMap<String, u64>,
}

/// Target of a path.
enum Target {
    Folder,
    Made(Node),
    Real(std::fs::Metadata),
}

impl Union {
    pub(super) fn new(model: Arc<Mutex<Model>>) -> Self {
        let union = Self {
            model,
            paths: Mutex::default(),
            texts: Mutex::default(),
            first_stat: std::fs::read_to_string("/proc/stat").unwrap_or_default(),
        };
        union.number("");
        union
    }

    fn nodes(&self) -> BTreeMap<String, Node> {
        let mut nodes = nodes(&lock(&self.model));
        // Generated on read, because it needs the real file.
        nodes.insert(STAT.to_owned(), Node::Stat);
        nodes
    }

    /// Inode number of a path; 1 is the root.
    fn number(&self, path: &str) -> INodeNo {
        let mut paths = lock(&self.paths);
        if let Some(number) = paths.numbers.get(path) {
            return INodeNo(*number);
        }
        paths.by_number.push(path.to_owned());
        let number = paths.by_number.len() as u64;
        paths.numbers.insert(path.to_owned(), number);
        INodeNo(number)
    }

    fn path(&self, number: INodeNo) -> Option<String> {
        let paths = lock(&self.paths);
        let index = usize::try_from(u64::from(number).checked_sub(1)?).ok()?;
        paths.by_number.get(index).cloned()
    }

    fn find(&self, path: &str) -> Option<Target> {
        let nodes = self.nodes();
        if let Some(node) = nodes.get(path) {
            return Some(Target::Made(node.clone()));
        }
        let below = format!("{path}/");
        if path.is_empty() || nodes.keys().any(|known| known.starts_with(&below)) {
            return Some(Target::Folder);
        }
        if is_hidden(path) {
            return None;
        }
        Some(Target::Real(real(path).symlink_metadata().ok()?))
    }

    fn attributes(&self, path: &str) -> Option<FileAttr> {
        let (kind, perm, size) = match self.find(path)? {
            Target::Folder => (FileType::Directory, 0o755, 0),
            Target::Made(Node::Link(to)) => (FileType::Symlink, 0o777, to.len() as u64),
            Target::Made(Node::Dead | Node::Stat) => (FileType::RegularFile, 0o444, 4096),
            Target::Made(Node::File { is_writable, .. }) => {
                let perm = if is_writable { 0o644 } else { 0o444 };
                (FileType::RegularFile, perm, 4096)
            }
            Target::Real(data) => {
                let kind = FileType::from_std(data.file_type()).unwrap_or(FileType::RegularFile);
                (kind, (data.mode() & 0o7777) as u16, data.len())
            }
        };
        Some(crate::fuse_attributes(self.number(path), kind, perm, size))
    }

    /// Names in a directory, of the board and of the real tree.
    fn names(&self, path: &str) -> BTreeSet<String> {
        let below = match path {
            "" => String::new(),
            path => format!("{path}/"),
        };
        let nodes = self.nodes();
        let made = nodes.keys().filter_map(|known| known.strip_prefix(&below));
        let mut names: BTreeSet<String> = made.filter_map(|rest| rest.split('/').next()).map(str::to_owned).collect();
        if let Ok(entries) = std::fs::read_dir(real(path)) {
            let real = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
            names.extend(real.filter(|name| !is_hidden(&format!("{below}{name}"))));
        }
        names
    }

    fn text(&self, path: &str) -> Result<Vec<u8>, Errno> {
        match self.find(path) {
            None => Err(Errno::ENOENT),
            Some(Target::Made(Node::File { text, .. })) => Ok(text.into_bytes()),
            Some(Target::Made(Node::Dead)) => Err(Errno::ENXIO),
            Some(Target::Made(Node::Stat)) => {
                let host = std::fs::read_to_string("/proc/stat").map_err(Errno::from)?;
                let model = lock(&self.model);
                Ok(stat(&self.first_stat, &host, &model.busy_s, model.at_s).into_bytes())
            }
            Some(Target::Made(Node::Link(_)) | Target::Folder) => Err(Errno::EINVAL),
            Some(Target::Real(_)) => std::fs::read(real(path)).map_err(Errno::from),
        }
    }

    fn write_text(&self, path: &str, data: &[u8], writer: u32) -> Result<(), Errno> {
        let text = String::from_utf8_lossy(data);
        match self.find(path) {
            None => Err(Errno::ENOENT),
            Some(Target::Real(_)) => std::fs::write(real(path), data).map_err(Errno::from),
            Some(_) => {
                let mut model = lock(&self.model);
                if path == STATE && model.board.kernel.never_wakes {
                    switch_off(writer);
                }
                write(&mut model, path, &text).map_err(|refused| match refused {
                    WriteError::Access => Errno::EACCES,
                    WriteError::Invalid => Errno::EINVAL,
                })
            }
        }
    }
}

/// Subtrees that the board replaces, because those of this machine would contradict it.
const OWN: [&str; 9] = [
    "class/devfreq/",
    "class/hwmon/",
    "class/power_supply/",
    "class/powercap/",
    "class/thermal/",
    "devices/virtual/hwmon/",
    "devices/virtual/powercap/",
    "devices/virtual/thermal/",
    "devices/system/cpu/cpufreq/",
];
/// The same in the directory of CPUs, and in that of each CPU.
const OWN_OF_CPUS: [&str; 5] = ["cpufreq", "acpi_cppc", "amd_pstate", "intel_pstate", "thermal_throttle"];

/// True for paths of this machine that are hidden.
fn is_hidden(path: &str) -> bool {
    let of_cpus = path.strip_prefix("devices/system/cpu/").unwrap_or_default();
    OWN.iter().any(|folder| path.starts_with(folder))
        || of_cpus.split('/').take(2).any(|name| OWN_OF_CPUS.contains(&name))
}

fn real(path: &str) -> PathBuf {
    Path::new(REAL).join(path)
}

/// Ends the program of this thread with all its processes, as a machine that is switched off does. Other boards run the
/// same program, in mount namespaces of their own.
fn switch_off(writer: u32) {
    let link = |number: &str, name: &str| std::fs::read_link(format!("/proc/{number}/{name}")).ok();
    let program = |number: &str| Some((link(number, "exe")?, link(number, "ns/mnt")?));
    let Some(own) = program(&writer.to_string()) else { return };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().filter_map(Result::ok);
    let numbers = processes.filter_map(|entry| entry.file_name().into_string().ok());
    let is_its = |number: &String| program(number).as_ref() == Some(&own);
    numbers.filter(is_its).for_each(|number| kill(&number));
}

impl Filesystem for Union {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let path = self.path(parent).zip(name.to_str()).map(|(parent, name)| match parent.as_str() {
            "" => name.to_owned(),
            parent => format!("{parent}/{name}"),
        });
        match path.and_then(|path| self.attributes(&path)) {
            Some(attributes) => reply.entry(&NO_TIME, &attributes, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.path(ino).and_then(|path| self.attributes(&path)) {
            Some(attributes) => reply.attr(&NO_TIME, &attributes),
            None => reply.error(Errno::ENOENT),
        }
    }

    /// Truncation when a file is opened for writing is ignored.
    fn setattr(
        &self,
        request: &Request,
        ino: INodeNo,
        _mode: Option<u32>,
        _uid: Option<u32>,
        _gid: Option<u32>,
        _size: Option<u64>,
        _atime: Option<TimeOrNow>,
        _mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<fuser::BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        self.getattr(request, ino, fh, reply);
    }

    fn readlink(&self, _: &Request, ino: INodeNo, reply: ReplyData) {
        let Some(path) = self.path(ino) else { return reply.error(Errno::ENOENT) };
        match self.find(&path) {
            Some(Target::Made(Node::Link(to))) => reply.data(to.as_bytes()),
            Some(Target::Real(_)) => match std::fs::read_link(real(&path)) {
                Ok(to) => reply.data(to.as_os_str().as_encoded_bytes()),
                Err(error) => reply.error(error.into()),
            },
            _ => reply.error(Errno::EINVAL),
        }
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let mut texts = lock(&self.texts);
        texts.opened += 1;
        // Otherwise the kernel would cache the first read.
        reply.opened(FileHandle(texts.opened), FopenFlags::FOPEN_DIRECT_IO);
    }

    fn release(
        &self,
        _: &Request,
        _: INodeNo,
        fh: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        lock(&self.texts).by_handle.remove(&u64::from(fh));
        reply.ok();
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        let handle = u64::from(fh);
        let known = lock(&self.texts).by_handle.get(&handle).cloned();
        let text = match known.filter(|_| offset > 0) {
            Some(text) => Ok(text),
            None => {
                let path = self.path(ino).ok_or(Errno::ENOENT);
                path.and_then(|path| self.text(&path))
            }
        };
        match text {
            Ok(text) => {
                let start = (offset as usize).min(text.len());
                let end = (start + size as usize).min(text.len());
                reply.data(&text[start..end]);
                lock(&self.texts).by_handle.insert(handle, text);
            }
            Err(error) => reply.error(error),
        }
    }

    fn write(
        &self,
        request: &Request,
        ino: INodeNo,
        _: FileHandle,
        _offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        let path = self.path(ino).ok_or(Errno::ENOENT);
        match path.and_then(|path| self.write_text(&path, data, request.pid())) {
            Ok(()) => reply.written(data.len() as u32),
            Err(error) => reply.error(error),
        }
    }

    /// No data is buffered. `ENOSYS` stops further calls by the kernel, for which a process that executes another
    /// program would wait.
    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.error(Errno::ENOSYS);
    }

    fn readdir(&self, _: &Request, ino: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let Some(path) = self.path(ino) else { return reply.error(Errno::ENOENT) };
        let names = self.names(&path);
        for (index, name) in names.iter().enumerate().skip(offset as usize) {
            let child = match path.as_str() {
                "" => name.clone(),
                path => format!("{path}/{name}"),
            };
            let Some(attributes) = self.attributes(&child) else { continue };
            if reply.add(attributes.ino, index as u64 + 1, attributes.kind, name) {
                break;
            }
        }
        reply.ok();
    }
}

#[cfg(test)]
mod tests {
    use super::is_hidden;

    #[test]
    fn clocks_and_temperatures_of_this_machine_are_hidden() {
        for (path, expected) in [
            ("devices/system/cpu/cpu0/cpufreq", true),
            ("devices/system/cpu/cpu0/cpufreq/scaling_governor", true),
            ("devices/system/cpu/cpufreq/policy4/scaling_max_freq", true),
            ("devices/system/cpu/intel_pstate", true),
            ("devices/system/cpu/cpu1/online", false),
            ("devices/system/cpu/cpu1/topology/core_id", false),
            ("devices/system/cpu/online", false),
            ("class/thermal/thermal_zone3", true),
            ("class/hwmon/hwmon2/temp1_input", true),
            ("class/thermal", false),
            ("class/block/sda", false),
        ] {
            assert_eq!(is_hidden(path), expected, "{path}");
        }
    }
}
