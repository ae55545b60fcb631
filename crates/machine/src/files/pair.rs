//! Two files of one directory that belong together: both are replaced or neither is.

use super::folder::errno_of;
use super::{Access, Error, Folder, Problem};
use crate::faults::{self, Call};
use rustix::fs;
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};

/// A name and the content of its file.
pub type NamedContent<'a> = (&'a OsStr, &'a [u8]);

/// State of the replacement of one file.
struct Replacement<'a> {
    name: &'a OsStr,
    /// Temporary name of the new file.
    new: OsString,
    /// Temporary name of the old file; none if there was none.
    old: Option<OsString>,
    is_there: bool,
}

impl Folder {
    /// Replaces two files durably. Both are written under temporary names first, and the old files are moved away
    /// before a new one takes its place: a kill in between never leaves an old and a new one together. Other kinds of
    /// files are treated as by [`Folder::replace`].
    ///
    /// # Errors
    /// One of them cannot be written, or is a device; the old files are unchanged.
    pub fn replace_both(&self, files: [NamedContent<'_>; 2], access: Access) -> Result<(), Error> {
        let mut moves: Vec<Replacement<'_>> = Vec::new();
        let put = self.written(&files, access, &mut moves).and_then(|()| self.exchanged(&mut moves));
        if put.is_err() {
            self.undo(&mut moves);
        }
        for one in &moves {
            // Temporary files are not needed any more; a failure to remove them does not change the outcome.
            let _ = one.old.as_ref().map(|old| self.remove(old));
            let _ = (!one.is_there).then(|| self.remove(&one.new));
        }
        put.and_then(|()| self.sync())
    }

    fn written<'a>(
        &self,
        files: &[NamedContent<'a>; 2],
        access: Access,
        moves: &mut Vec<Replacement<'a>>,
    ) -> Result<(), Error> {
        for (name, bytes) in files {
            if self.discarding(name)?.is_some() {
                return Err(self.error(name, Problem::Kind("a device")));
            }
            let (new, file) = self.temporary(name, access)?;
            moves.push(Replacement { name, new, old: None, is_there: false });
            let sync = || faults::pass_open(Call::Sync, &file, || file.sync_all());
            let written = faults::write_all(&file, bytes).and_then(|()| sync());
            written.map_err(|error| self.error(name, Problem::Write(errno_of(&error))))?;
        }
        Ok(())
    }

    fn exchanged(&self, moves: &mut [Replacement<'_>]) -> Result<(), Error> {
        for one in moves.iter_mut() {
            let aside = Self::unused(one.name);
            match self.moved(one.name, &aside) {
                Ok(()) => one.old = Some(aside),
                Err(Errno::NOENT) => {}
                Err(errno) => return Err(self.error(one.name, Problem::Write(errno))),
            }
        }
        for one in moves.iter_mut() {
            let put = self.moved(&one.new, one.name);
            put.map_err(|errno| self.error(one.name, Problem::Write(errno)))?;
            one.is_there = true;
        }
        Ok(())
    }

    /// Moves the old files back. A failure is ignored: nothing else can be done.
    fn undo(&self, moves: &mut [Replacement<'_>]) {
        for one in moves {
            if one.is_there {
                let _ = self.remove(one.name);
            }
            if let Some(old) = one.old.take() {
                let _ = self.moved(&old, one.name);
            }
        }
    }

    fn moved(&self, from: &OsStr, to: &OsStr) -> Result<(), Errno> {
        let rename = || fs::renameat(&self.folder, from, &self.folder, to);
        faults::pass(Call::Rename, self.path.join(to), rename)
    }
}
