//! The root of everything that is read: the running system, a directory, or a `.board` file.
//!
//! A board file holds a whole `/proc` and `/sys` as one plain text file, with links and read
//! errors, so that every bug report can become a fixture. Writing under a board or a directory
//! changes the copy, which makes restoration testable.

mod board;
mod judge;
mod order;
mod read;
mod source;
mod times;
pub(crate) mod unread;

pub use judge::Judge;
pub use source::Source;

use crate::faults::{self, Call};
use board::{Entry, board_children, normal, parse_board, resolve};
use order::natural_key;
use record::{Missing, Reading, Why};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use unread::Unread;

/// No file of the kernel that is worth reading is larger; whatever is larger is cut here.
const FILE_BYTES_MAX: u64 = 4 << 20;
/// What the kernel gives in one read of most of its files.
const PAGE_BYTES: usize = 4096;

/// The root of everything that is read. Cheap to clone; clones share what is written to a board.
#[derive(Debug, Clone)]
pub struct Root {
    tree: Arc<Tree>,
    /// Files that are read from memory instead, for example another `/proc/cpuinfo`.
    replaced: Arc<BTreeMap<String, Vec<u8>>>,
    /// What a board makes of what is written to it.
    judge: Option<Judge>,
    /// What could not be read, although it is there.
    unread: Arc<Unread>,
}

#[derive(Debug)]
enum Tree {
    Directory(PathBuf),
    Board(Mutex<BTreeMap<String, Entry>>),
}

impl Root {
    fn of(tree: Tree) -> Self {
        Self { tree: Arc::new(tree), replaced: Arc::default(), judge: None, unread: Arc::default() }
    }

    /// What is there and could not be read since last asked, by whomever; each path once, without what users may
    /// not read.
    pub fn take_unread(&self) -> Vec<Missing> {
        self.unread.take()
    }

    fn failed(&self, path: &str, error: &std::io::Error) -> Missing {
        self.failed_by(path, error.raw_os_error().unwrap_or(libc::EIO))
    }

    fn failed_by(&self, path: &str, errno: i32) -> Missing {
        let missing = missing_errno(path, errno);
        self.unread.note(&missing, errno);
        missing
    }

    /// The same root in which one file reads as `content`.
    pub fn with_file(&self, path: &str, content: &[u8]) -> Self {
        let mut replaced = (*self.replaced).clone();
        replaced.insert(normal(path), content.to_vec());
        Self { replaced: Arc::new(replaced), ..self.clone() }
    }

    /// The same board with a kernel that judges what is written to its files.
    pub fn with_judge(&self, judge: Judge) -> Self {
        Self { judge: Some(judge), ..self.clone() }
    }

    /// True if the file system that holds this folder lets nothing be written.
    pub fn is_read_only(&self, path: &str) -> bool {
        match &*self.tree {
            Tree::Directory(_) => rustix::fs::statvfs(self.real(path))
                .is_ok_and(|fs| fs.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY)),
            Tree::Board(_) => false,
        }
    }

    /// The running system.
    pub fn system() -> Self {
        Self {
            // There is one running system, however many values stand for it.
            unread: unread::of_system(),
            ..Self::of(Tree::Directory(PathBuf::from("/")))
        }
    }

    /// A directory with `proc`, `sys`, `etc` ... in it.
    pub fn of_folder(path: &Path) -> Self {
        Self::of(Tree::Directory(path.to_path_buf()))
    }

    /// What a board file of this name holds.
    ///
    /// # Errors
    /// It is not a board file.
    pub fn of_board_file(name: &str, bytes: &[u8]) -> Reading<Self> {
        Self::from_board(&String::from_utf8_lossy(bytes))
            .map_err(|(line, text)| Missing::garbled(format!("{name} line {line}"), &text))
    }

    /// A machine without any file.
    pub fn empty() -> Self {
        Self::of(Tree::Board(Mutex::default()))
    }

    /// A board from its text.
    ///
    /// # Errors
    /// Number and text of the line that cannot be understood.
    pub fn from_board(text: &str) -> Result<Self, (usize, String)> {
        Ok(Self::of(Tree::Board(Mutex::new(parse_board(text)?))))
    }

    /// True for the running system: only then do devices, ioctls and system calls mean anything.
    pub fn is_system(&self) -> bool {
        matches!(&*self.tree, Tree::Directory(path) if path == Path::new("/"))
    }

    /// True for a board in one file: its files answer at once and never hang.
    pub fn is_board(&self) -> bool {
        matches!(&*self.tree, Tree::Board(_))
    }

    /// Writes a value to an existing file, in one write as the kernel wants it.
    ///
    /// # Errors
    /// As [`Root::read`].
    pub fn write(&self, path: &str, value: &str) -> Reading<()> {
        match &*self.tree {
            Tree::Directory(_) => {
                // One call for a test's plan: a setting is written or it is not.
                let write = || {
                    let mut options = File::options();
                    let options = options.write(true).truncate(true);
                    options.open(self.real(path))?.write_all(value.as_bytes())
                };
                faults::pass(Call::Write, self.real(path), write).map_err(|e| missing_from(path, &e))
            }
            Tree::Board(entries) => match self.board_entry(entries, path)? {
                (_, Entry::Error(errno)) => Err(missing_errno(path, errno)),
                (resolved, _) => {
                    let judged = match &self.judge {
                        Some(judge) => judge.of(path, value),
                        None => Ok(value.to_owned()),
                    };
                    let mut bytes = judged.map_err(|e| missing_errno(path, e))?.into_bytes();
                    bytes.push(b'\n');
                    let mut entries = entries.lock().unwrap_or_else(|e| e.into_inner());
                    entries.insert(resolved, Entry::Content(bytes));
                    Ok(())
                }
            },
        }
    }

    /// Every file of a board with its text, for tests that compare before and after; empty for
    /// directories.
    pub fn board_files(&self) -> Vec<(String, String)> {
        let Tree::Board(entries) = &*self.tree else {
            return Vec::new();
        };
        let entries = entries.lock().unwrap_or_else(|e| e.into_inner());
        let contents = entries.iter().filter_map(|(path, entry)| match entry {
            Entry::Content(bytes) => Some((path.clone(), String::from_utf8_lossy(bytes).into_owned())),
            _ => None,
        });
        contents.collect()
    }

    fn real(&self, path: &str) -> PathBuf {
        match &*self.tree {
            Tree::Directory(directory) => directory.join(path.trim_start_matches('/')),
            Tree::Board(_) => PathBuf::from(path),
        }
    }

    fn board_entry(&self, entries: &Mutex<BTreeMap<String, Entry>>, path: &str) -> Reading<(String, Entry)> {
        let entries = entries.lock().unwrap_or_else(|e| e.into_inner());
        let resolved = resolve(&entries, path, true)?;
        match entries.get(&resolved) {
            Some(entry) => Ok((resolved, entry.clone())),
            None => Err(Missing::absent(path)),
        }
    }
}

/// Opens for reading without ever waiting for another program, as a pipe would.
fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    faults::pass(Call::Open, path, || File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path))
}

fn missing_from(path: &str, error: &std::io::Error) -> Missing {
    missing_errno(path, error.raw_os_error().unwrap_or(libc::EIO))
}

fn missing_errno(path: &str, errno: i32) -> Missing {
    let why = match errno {
        libc::ENOENT | libc::ENOTDIR | libc::ENODEV | libc::ENXIO => Why::Absent,
        libc::EACCES | libc::EPERM => Why::Denied,
        other => Why::Io(other),
    };
    Missing { path: path.to_owned(), why }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "\
# A made board.
== /sys/class/thermal/thermal_zone0 -> ../../devices/virtual/thermal/thermal_zone0
== /sys/devices/virtual/thermal/thermal_zone0/temp
45000
== /sys/devices/virtual/thermal/thermal_zone0/type
cpu-thermal
== /sys/devices/virtual/thermal/thermal_zone0/trip_point_0_temp ! EINVAL
== /sys/devices/system/cpu/cpu10/online
1
== /sys/devices/system/cpu/cpu2/online
1
== /sys/firmware/devicetree/base/compatible
vendor,board\\0vendor,soc\\0
\\
== /loop -> loop
";

    fn board() -> Root {
        Root::from_board(BOARD).unwrap()
    }

    #[test]
    fn links_are_followed() {
        let root = board();
        assert_eq!(root.read_value("/sys/class/thermal/thermal_zone0/temp").unwrap(), "45000");
        assert_eq!(
            root.link("/sys/class/thermal/thermal_zone0").unwrap(),
            "../../devices/virtual/thermal/thermal_zone0"
        );
        assert_eq!(root.list("/sys/class/thermal/thermal_zone0").unwrap(), ["temp", "trip_point_0_temp", "type"]);
        assert_eq!(root.read("/loop/x").unwrap_err().why, Why::Io(libc::ELOOP));
    }

    #[test]
    fn errors_and_absence_are_replayed() {
        let root = board();
        let trip = root.read("/sys/class/thermal/thermal_zone0/trip_point_0_temp");
        assert_eq!(trip.unwrap_err().why, Why::Io(libc::EINVAL));
        assert_eq!(root.read("/proc/none").unwrap_err().why, Why::Absent);
        assert_eq!(root.list("/proc").unwrap_err().why, Why::Absent);
    }

    #[test]
    fn names_are_listed_as_people_count() {
        assert_eq!(board().list("/sys/devices/system/cpu").unwrap(), ["cpu2", "cpu10"]);
    }

    #[test]
    fn a_file_can_be_replaced() {
        let root = board().with_file("/proc/cpuinfo", b"processor : 0\n");
        assert_eq!(root.read("/proc/cpuinfo").unwrap(), "processor : 0\n");
        assert_eq!(board().read("/proc/cpuinfo").unwrap_err().why, Why::Absent);
    }

    #[test]
    fn bytes_are_escaped() {
        let compatible = board().read("/sys/firmware/devicetree/base/compatible").unwrap();
        assert_eq!(compatible, "vendor,board\0vendor,soc\0");
    }

    #[test]
    fn writing_changes_the_copy() {
        let root = board();
        let source = root.source("/sys/devices/virtual/thermal/thermal_zone0/temp").unwrap();
        root.write("/sys/class/thermal/thermal_zone0/temp", "50000").unwrap();
        let mut buffer = [0; 16];
        let count = source.read_into(&mut buffer).unwrap();
        assert_eq!(&buffer[..count], b"50000\n");
        assert_eq!(root.write("/proc/none", "1").unwrap_err().why, Why::Absent);
    }

    #[test]
    fn a_board_with_nonsense_is_refused_with_its_line() {
        for (text, line) in [("nonsense", 1), ("== /a ! EWHAT", 1), ("== /a\nx\\y", 2), ("== a", 1)] {
            assert_eq!(Root::from_board(text).unwrap_err().0, line, "{text}");
        }
    }
}
