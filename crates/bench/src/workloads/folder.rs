//! A folder of our own for files of programs, removed when it is dropped. Only its owner can look into
//! it, and it is new: nobody can have put a link there before.

use machine::Caller;
use machine::faults::{self, Call};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// The folder.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

/// No result is larger.
const RESULT_BYTES_MAX: u64 = 16 << 20;
/// More folders than any run makes.
const FOLDERS_MAX: u32 = 64;

impl Folder {
    /// Makes one where temporary files are.
    ///
    /// # Errors
    /// There is no place for temporary files.
    pub(crate) fn new() -> std::io::Result<Self> {
        Self::within(&std::env::temp_dir())
    }

    /// Makes one in this folder.
    ///
    /// # Errors
    /// There is no such folder, or it cannot be written.
    pub(crate) fn within(parent: &Path) -> std::io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(name(std::process::id(), number));
        let make = || std::fs::DirBuilder::new().mode(0o700).create(&path);
        faults::pass(Call::Folder, &path, make)?;
        Ok(Self(path))
    }

    /// Makes one where temporary files are, for a program that runs with the rights of this user.
    ///
    /// # Errors
    /// As [`Folder::new`], or it cannot be given away.
    pub(crate) fn of_user(user: Option<&Caller>) -> std::io::Result<Self> {
        let folder = Self::new()?;
        if let Some(user) = user {
            std::os::unix::fs::chown(&folder.0, Some(user.uid), Some(user.gid))?;
        }
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn name(owner: u32, number: u32) -> String {
    format!("sbc-bench-{owner}-{number}")
}

/// Removes the folders that a killed process has left in this place, and tells which.
pub(crate) fn remove_left_by(owner: u32, parent: &Path) -> Vec<PathBuf> {
    let folders = (0..FOLDERS_MAX).map(|number| parent.join(name(owner, number)));
    folders
        .filter(|folder| std::fs::remove_dir_all(folder).is_ok())
        .collect()
}

/// A file that a program has written, where its user may have put something else in the meantime: no link,
/// no pipe that would be waited for, nothing without end.
pub(crate) fn written_by_program(path: &Path) -> Option<String> {
    let bytes = machine::files::read(path, RESULT_BYTES_MAX).ok()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn it_is_private_and_goes_away() {
        let folder = Folder::new().unwrap();
        let path = folder.path().to_owned();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        std::fs::write(path.join("file"), "text").unwrap();
        drop(folder);
        assert!(!path.exists());
    }
}
