//! List of directories that a run creates in those of others, written before they are created. After a kill the guard
//! finds them there; after a kill of the guard or a power loss, the next start does.
//!
//! Each run has one small file, which it holds locked; the kernel releases the lock when the run dies. If no file can
//! be written, the list is in memory that the guard has open.

use machine::Root;
use machine::faults;
use machine::files::{self, Access, Error, Exclusive, Identity, Problem};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Prefix of file names; the rest is unpredictable, because a process in a container may have the same id.
const PREFIX: &str = ".places-";
/// Maximum size: some 10 000 directories; the longest runs create one per step.
const BYTES_MAX: u64 = 4 << 20;

/// Directories of a live run; the list is removed on drop.
#[derive(Debug)]
pub struct Places {
    boot_id: String,
    file: Exclusive<File>,
    /// Directory and name of the file, unless it is in memory.
    kept: Option<(files::Folder, OsString)>,
}

impl Places {
    /// Creates the list in the directory in which runs keep their state.
    ///
    /// # Errors
    /// It cannot be written: directories left after a kill of run and guard must then be found by hand.
    pub fn note(root: &Root, state: &Path) -> std::io::Result<Self> {
        files::make_all(state)?;
        let folder = files::Folder::open(state)?;
        let name = OsString::from(format!("{PREFIX}{}", files::unguessable()));
        let file = Exclusive::new(folder.create_new(&name, Access::Owner)?);
        // A power loss must not remove the name of the file.
        let begun = file.lock().map_err(std::io::Error::from).and_then(|()| Ok(folder.sync()?));
        let places = Self { boot_id: boot_id(root), file, kept: Some((folder, name)) };
        begun.map(|()| places)
    }

    /// As [`Places::note`], in memory, which only the guard can read.
    ///
    /// # Errors
    /// The kernel lacks memfd.
    pub fn in_memory(root: &Root) -> std::io::Result<Self> {
        let file = memfd_create("sbc-bench-places", MemfdFlags::CLOEXEC)?;
        Ok(Self { boot_id: boot_id(root), file: Exclusive::new(File::from(file)), kept: None })
    }

    /// Path by which another process of this user opens the list while this one lives.
    pub(crate) fn path(&self) -> PathBuf {
        let (pid, fd) = (std::process::id(), self.file.as_raw_fd());
        PathBuf::from(format!("/proc/{pid}/fd/{fd}"))
    }

    /// Adds a directory before it is created, and its identity before it is filled.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn add(&self, path: &Path, identity: Option<Identity>) -> Result<(), Error> {
        let Identity { device, inode } = identity.unwrap_or(NOT_YET);
        let mut line = format!("{inode} {device} {} ", self.boot_id).into_bytes();
        line.extend_from_slice(path.as_os_str().as_bytes());
        line.push(0);
        let written = faults::write_all(&self.file, &line).and_then(|()| match self.kept {
            Some(_) => faults::sync_data(&self.file),
            None => Ok(()),
        });
        written.map_err(|error| Error {
            path: match &self.kept {
                Some((folder, name)) => folder.path().join(name),
                None => self.path(),
            },
            problem: Problem::Write(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
        })
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        // Checked again: remaining directories stay in the list for the next start.
        let notes = opened(&self.path()).map(|notes| text_of(&notes));
        let Some(Ok(text)) = notes else { return };
        let mut left = Leftovers::default();
        left.remove(&text, &self.boot_id);
        if let Some((folder, name)) = self.kept.as_ref().filter(|_| left.kept.is_empty()) {
            // A remaining list names directories that are gone.
            let _ = folder.remove(name);
        }
    }
}

/// Identity of a directory that may not have been created yet.
const NOT_YET: Identity = Identity { device: u64::MAX, inode: u64::MAX };

fn boot_id(root: &Root) -> String {
    let id = root.read_value("/proc/sys/kernel/random/boot_id");
    // Must be one word.
    id.ok().filter(|id| !id.is_empty() && !id.contains(' ')).unwrap_or_else(|| "-".into())
}

/// Directory in the list.
#[derive(Debug, PartialEq, Eq)]
struct FolderEntry {
    identity: Option<Identity>,
    boot_id: String,
    path: PathBuf,
}

impl FolderEntry {
    /// Parses `INODE DEVICE BOOT PATH`. A path may contain anything except NUL.
    fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line.splitn(4, |byte| *byte == b' ');
        let mut word = || std::str::from_utf8(words.next()?).ok();
        let inode = word()?.parse().ok()?;
        let device = word()?.parse().ok()?;
        let boot_id = word()?.to_owned();
        let identity = Identity { device, inode };
        Some(Self {
            identity: (identity != NOT_YET).then_some(identity),
            boot_id,
            path: Path::new(OsStr::from_bytes(words.next()?)).to_owned(),
        })
    }
}

/// Outcome of removing the folders of a dead run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Leftovers {
    /// Removed directories.
    pub(crate) removed: Vec<PathBuf>,
    /// Reasons why other directories were not removed, without a full stop.
    pub(crate) kept: Vec<String>,
}

impl Leftovers {
    fn remove(&mut self, text: &[u8], boot_id: &str) {
        let mut folders: Vec<FolderEntry> = Vec::new();
        // A kill may truncate the last line.
        let lines = text.split_inclusive(|byte| *byte == 0);
        let lines = lines.filter_map(|line| line.strip_suffix(b"\0"));
        for noted in lines.filter_map(FolderEntry::parse) {
            folders.retain(|earlier| earlier.path != noted.path);
            folders.push(noted);
        }
        for folder in folders {
            let is_same_boot = folder.boot_id == boot_id;
            match files::remove_left(&folder.path, folder.identity, is_same_boot) {
                Ok(true) => self.removed.push(folder.path),
                Ok(false) => {}
                Err(error) => self.kept.push(error.to_string()),
            }
        }
    }
}

/// Removes the directories of dead runs.
pub(crate) fn remove_left_behind(root: &Root, state: &Path) -> Leftovers {
    let mut left = Leftovers::default();
    let Ok(folder) = files::Folder::open(state) else { return left };
    for name in folder.names().unwrap_or_default() {
        if !name.as_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let Ok(file) = folder.readable(&name).map(Exclusive::new) else { continue };
        if file.lock().is_err() {
            continue;
        }
        // An unreadable list is tried again by the next start.
        let Ok(text) = text_of(&file) else { continue };
        left.remove(&text, &boot_id(root));
        // On failure the next start tries again.
        let _ = folder.remove(&name);
    }
    left
}

/// Opens the list of a run for its guard; `None` if it belongs to another user.
pub(crate) fn opened(path: &Path) -> Option<File> {
    let file = File::open(path).ok()?;
    let about = file.metadata().ok()?;
    let is_own = about.is_file() && about.uid() == rustix::process::geteuid().as_raw();
    is_own.then_some(file)
}

/// Removes the directories of the run with this list.
pub(crate) fn remove_noted(root: &Root, notes: File) -> Leftovers {
    let mut left = Leftovers::default();
    if let Ok(text) = text_of(&notes) {
        left.remove(&text, &boot_id(root));
    }
    left
}

/// Reads a list, which must have been written by this user, because it decides what is removed.
fn text_of(file: &File) -> std::io::Result<Vec<u8>> {
    if file.metadata()?.uid() != rustix::process::geteuid().as_raw() {
        return Err(Errno::PERM.into());
    }
    let mut text = Vec::new();
    file.take(BYTES_MAX).read_to_end(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::files::OwnFolder;

    /// Directories for state and for runs, and one with a file that must survive.
    struct TestFolders(testkit::Scratch);

    impl TestFolders {
        fn new(name: &str) -> Self {
            let ground = Self(testkit::Scratch::new(name));
            for folder in ["state", "drive", "precious"] {
                std::fs::create_dir_all(ground.0.join(folder)).unwrap();
            }
            std::fs::write(ground.0.join("precious/file"), "x").unwrap();
            ground
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }

        /// Creates the leftovers of a run that is killed at this point; returns their path.
        fn killed(&self, is_noted: bool) -> PathBuf {
            let places = Places::note(&board("1"), &self.path("state")).unwrap();
            let mut note = |path: &Path, identity: Option<Identity>| {
                if identity.is_none() || is_noted {
                    return places.add(path, identity);
                }
                Ok(())
            };
            let folder = OwnFolder::make(&self.path("drive"), &mut note).unwrap();
            if is_noted {
                folder.make_folder("small").unwrap();
                std::fs::write(folder.path().join("small/file"), "x").unwrap();
                folder.write("large", b"x").unwrap();
            }
            // State after a kill: the lock is gone, and nothing is removed.
            let path = folder.path().to_owned();
            std::mem::forget(folder);
            let file = std::fs::read_dir(self.path("state")).unwrap().next();
            let file = file.unwrap().unwrap().path();
            let text = std::fs::read(&file).unwrap();
            // Dropping the list must not find leftovers of a kill.
            std::fs::rename(&path, self.path("aside")).unwrap();
            drop(places);
            std::fs::rename(self.path("aside"), &path).unwrap();
            std::fs::write(&file, text).unwrap();
            path
        }

        fn next_start(&self, boot_id: &str) -> Leftovers {
            let left = remove_left_behind(&board(boot_id), &self.path("state"));
            assert_eq!(std::fs::read_dir(self.path("state")).unwrap().count(), 0);
            left
        }
    }

    fn board(boot_id: &str) -> Root {
        let text = format!("== /proc/sys/kernel/random/boot_id\n{boot_id}\n");
        Root::from_board(&text).unwrap()
    }

    #[test]
    fn directories_of_dead_runs_only_are_removed() {
        let ground = TestFolders::new("dead");
        let places = Places::note(&board("1"), &ground.path("state")).unwrap();
        let mut note = |path: &Path, identity| places.add(path, identity);
        let folder = OwnFolder::make(&ground.path("drive"), &mut note).unwrap();
        let left = remove_left_behind(&board("1"), &ground.path("state"));
        assert_eq!(left, Leftovers::default());
        assert!(folder.path().exists());
        let path = folder.path().to_owned();
        drop((folder, places));
        assert!(!path.exists() && ground.next_start("1") == Leftovers::default());
        for (is_noted, boot_id) in [(true, "1"), (true, "2"), (false, "1")] {
            let path = ground.killed(is_noted);
            let left = ground.next_start(boot_id);
            assert_eq!((left.removed, left.kept), (vec![path.clone()], vec![]));
            assert!(!path.exists());
        }
    }

    #[test]
    fn list_whose_name_is_not_on_the_disk_is_refused() {
        let ground = TestFolders::new("unsynced");
        let note = || Places::note(&board("1"), &ground.path("state")).is_err();
        assert!(faults::plan::under("run sync /state 0 EIO", note));
        assert_eq!(std::fs::read_dir(ground.path("state")).unwrap().count(), 0);
    }

    #[test]
    fn foreign_files_are_left_and_named() {
        let ground = TestFolders::new("stranger");
        for is_noted in [true, false] {
            let path = ground.killed(is_noted);
            std::fs::rename(&path, ground.path("moved")).unwrap();
            std::fs::create_dir(&path).unwrap();
            std::fs::write(path.join("mine"), "x").unwrap();
            let left = ground.next_start("1");
            assert!(left.removed.is_empty());
            assert_eq!(left.kept.len(), 1, "{left:?}");
            assert!(left.kept[0].ends_with("is not the directory that was created there"));
            assert!(path.join("mine").exists());
            std::fs::remove_dir_all(ground.path("moved")).unwrap();
        }
        // Links in the directory, and a link in its place, are not followed.
        let path = ground.killed(true);
        std::os::unix::fs::symlink(ground.path("precious"), path.join("link")).unwrap();
        assert_eq!(ground.next_start("1").removed, [path]);
        let path = ground.killed(true);
        std::fs::rename(&path, ground.path("moved")).unwrap();
        std::os::unix::fs::symlink(ground.path("precious"), &path).unwrap();
        assert_eq!(ground.next_start("1").kept.len(), 1);
        assert!(ground.path("precious/file").exists());
    }

    #[test]
    fn failed_removals_are_tried_again_and_stay_noted() {
        let ground = TestFolders::new("again");
        for (is_moved, count) in [(false, 0), (true, 1)] {
            let places = Places::note(&board("1"), &ground.path("state")).unwrap();
            let mut note = |path: &Path, identity| places.add(path, identity);
            let folder = OwnFolder::make(&ground.path("drive"), &mut note).unwrap();
            let path = folder.path().to_owned();
            // As if every attempt had failed.
            std::mem::forget(folder);
            if is_moved {
                std::fs::rename(&path, ground.path("moved")).unwrap();
                std::fs::create_dir(&path).unwrap();
            }
            drop(places);
            assert_eq!(path.exists(), is_moved);
            let names = std::fs::read_dir(ground.path("state")).unwrap();
            assert_eq!(names.count(), count);
        }
        assert_eq!(ground.next_start("1").kept.len(), 1);
    }

    #[test]
    fn notes_that_are_cut_short_or_made_by_nobody_name_nothing() {
        let ground = TestFolders::new("torn");
        let precious = ground.path("precious");
        let mut left = Leftovers::default();
        for text in [
            format!("1 1 1 {}", precious.display()),
            format!("{}\0", precious.display()),
            format!("{0} {0} 1 {1}\0", u64::MAX, precious.display()),
            format!("{0} {0} 1 relative\0", u64::MAX),
            "\0 \0   \0\n".to_owned(),
        ] {
            left.remove(text.as_bytes(), "1");
        }
        assert!(left.removed.is_empty());
        assert!(precious.join("file").exists());
    }

    #[test]
    fn a_guard_reads_what_is_noted_in_memory() {
        let ground = TestFolders::new("memory");
        let places = Places::in_memory(&board("1")).unwrap();
        let notes = opened(&places.path()).unwrap();
        let mut note = |path: &Path, identity| places.add(path, identity);
        let folder = OwnFolder::make(&ground.path("drive"), &mut note).unwrap();
        let path = folder.path().to_owned();
        std::mem::forget(folder);
        assert_eq!(remove_noted(&board("1"), notes).removed, [path]);
        drop(places);
    }
}
