//! What a run may use beside the machine itself: the folder whose drive is measured, the host at the other
//! end of the network, and folders of our own for files. Nothing is measured here.
//!
//! Files live as long as the run, so that what takes long to make (a video clip on a small board) is made
//! once. They go with the value; after a kill the guard removes them ([`remove_left_by`]).

use crate::host::Host;
use crate::workloads::folder::Folder;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What the user names for workloads that need more than the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Targets {
    /// Folder on the drive that is measured; the current one if none is given.
    pub folder: Option<PathBuf>,
    /// The other end of the network.
    pub host: Option<Host>,
    /// Configuration of ssh, instead of the user's own.
    pub ssh_config: Option<PathBuf>,
}

/// The targets of a run, and its own folders.
#[derive(Debug, Default)]
pub struct Site {
    /// What the user named.
    pub targets: Targets,
    drive: Mutex<Option<Folder>>,
    temporary: Mutex<Option<Folder>>,
}

impl Site {
    /// The site of a run with these targets.
    pub fn of(targets: &Targets) -> Self {
        Self {
            targets: targets.clone(),
            ..Self::default()
        }
    }

    /// Where folders of our own are made.
    pub(crate) fn places(&self) -> Vec<PathBuf> {
        vec![self.drive(), std::env::temp_dir()]
    }

    /// The folder that the user named, or the current one.
    pub(crate) fn drive(&self) -> PathBuf {
        let named = self.targets.folder.clone();
        named.unwrap_or_else(|| std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")))
    }

    /// A folder of our own on the drive that is measured.
    ///
    /// # Errors
    /// One sentence, without its stop: there is no such folder, or nothing can be written there.
    pub(crate) fn drive_folder(&self) -> Result<PathBuf, String> {
        let parent = self.drive();
        made(&self.drive, &parent).map_err(|why| {
            let parent = parent.display();
            format!("nothing can be written in {parent}: {why}; name another folder by --folder")
        })
    }

    /// A folder of our own for small files, wherever temporary files are.
    ///
    /// # Errors
    /// One sentence, without its stop.
    pub(crate) fn temporary_folder(&self) -> Result<PathBuf, String> {
        let parent = std::env::temp_dir();
        made(&self.temporary, &parent)
            .map_err(|why| format!("no file can be made in {}: {why}", parent.display()))
    }
}

fn made(place: &Mutex<Option<Folder>>, parent: &Path) -> std::io::Result<PathBuf> {
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(folder) = &*place {
        return Ok(folder.path().to_owned());
    }
    let folder = Folder::within(parent)?;
    let path = folder.path().to_owned();
    *place = Some(folder);
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::folder::remove_left_by;

    fn site(folder: &Path) -> Site {
        Site::of(&Targets {
            folder: Some(folder.to_owned()),
            ..Targets::default()
        })
    }

    #[test]
    fn folders_are_made_once_and_go_with_the_site() {
        let place = Folder::new().unwrap();
        let site = site(place.path());
        let first = site.drive_folder().unwrap();
        assert_eq!(site.drive_folder(), Ok(first.clone()));
        assert!(first.starts_with(place.path()) && first.is_dir());
        let temporary = site.temporary_folder().unwrap();
        assert!(temporary.is_dir());
        drop(site);
        assert!(!first.exists() && !temporary.exists());
    }

    #[test]
    fn no_such_folder_is_one_sentence() {
        let why = site(Path::new("/no/such/folder"))
            .drive_folder()
            .unwrap_err();
        assert!(why.contains("/no/such/folder: No such file") && why.contains("--folder"));
    }

    #[test]
    fn what_a_killed_run_left_is_removed() {
        let place = Folder::new().unwrap();
        let left = place.path().join("sbc-bench-4000000-3");
        let other = place.path().join("sbc-bench-4000001-0");
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("large"), "x").unwrap();
        std::fs::create_dir(&other).unwrap();
        remove_left_by(4_000_000, place.path());
        assert!(!left.exists() && other.exists());
    }
}
