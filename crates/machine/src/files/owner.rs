//! To whom files belong that root makes for the user who called it (sudo and its like): in a folder of that user's
//! they are the user's, who could not change or send them otherwise. Elsewhere they stay root's.
//!
//! The owner is changed by the descriptor of what was made by this very call, so that nobody can put something
//! else in its place.

use super::{Error, Folder, Problem, errno_of};
use crate::faults::{self, Call};
use rustix::fs::fchown;
use rustix::process::{Gid, Uid};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::OnceLock;

/// A user and the group of the user's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    /// Number of the user.
    pub uid: u32,
    /// Number of the group.
    pub gid: u32,
}

/// The user for whom this process works as root.
static MADE_FOR: OnceLock<Owner> = OnceLock::new();

/// From now on, what is made in folders of this user's belongs to the user. To be called once, by a program that
/// root's rights were lent to; later calls change nothing.
pub fn made_for(owner: Owner) {
    // The highest numbers mean nobody (`chown(2)`).
    if owner.uid == u32::MAX || owner.gid == u32::MAX {
        return;
    }
    // The first one stays.
    let _ = MADE_FOR.set(owner);
}

/// True for the user who called.
pub(super) fn is_of_caller(uid: u32) -> bool {
    MADE_FOR.get().is_some_and(|owner| owner.uid == uid)
}

/// Gives what was just made here to the user who called, if the folder is the user's.
pub(super) fn hand_over(made: impl AsFd, owner_of_folder: u32) {
    let Some(owner) = MADE_FOR.get().filter(|owner| owner.uid == owner_of_folder) else {
        return;
    };
    // A file system without owners (FAT) refuses: whoever mounted it has said whose all of it is.
    let _ = fchown(
        made,
        Some(Uid::from_raw(owner.uid)),
        Some(Gid::from_raw(owner.gid)),
    );
}

/// Makes a folder and those above it where they are missing, each for the owner of the one above.
pub(super) fn make_all(folder: &Path) -> Result<(), Error> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let above = folder.parent().unwrap_or(Path::new(""));
    make_all(above)?;
    match faults::pass(Call::Folder, folder, || std::fs::create_dir(folder)) {
        Ok(()) => {}
        // Somebody else was quicker, or `above/..` was meant.
        Err(_) if folder.is_dir() => return Ok(()),
        Err(error) => {
            let problem = match Problem::of_folder(folder, errno_of(&error)) {
                Problem::Read(errno) => Problem::Make(errno),
                other => other,
            };
            return Err(Error::new(folder, problem));
        }
    }
    if MADE_FOR.get().is_some() {
        // Without it the folder stays root's, as it is without sudo.
        if let (Ok(above), Ok(made)) = (Folder::open(above), Folder::open_itself(folder)) {
            hand_over(&made.folder, above.owner);
        }
    }
    Ok(())
}
