//! Resources of a run besides the machine: the directory whose drive is measured, the remote host, and directories for
//! files. This module does not measure.
//!
//! Files live as long as the run, so that expensive ones (a video clip on a small board) are created once. They are
//! removed on drop; after a kill the guard removes them ([`crate::scratch::places`]).

pub mod host;
pub mod places;

use crate::scratch::host::Host;
use crate::scratch::places::Places;
use machine::Caller;
use machine::files::{Identity, OwnFolder, Problem};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Targets of workloads that need more than the machine, named by the user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Targets {
    /// Directory on the measured drive; the current one by default.
    pub folder: Option<PathBuf>,
    /// Remote host.
    pub host: Option<Host>,
    /// ssh configuration instead of the user's own.
    pub ssh_config: Option<PathBuf>,
}

/// Targets of a run, and its directories.
#[derive(Debug, Default)]
pub struct ScratchDirs {
    /// Targets named by the user.
    pub targets: Targets,
    drive: Mutex<Option<Arc<OwnFolder>>>,
    temporary: Mutex<Option<Arc<OwnFolder>>>,
    /// List of its directories; dropped after them.
    places: Option<Places>,
}

impl ScratchDirs {
    /// Creates it for these targets.
    pub fn of(targets: &Targets) -> Self {
        Self { targets: targets.clone(), ..Self::default() }
    }

    /// Adds a list of directories, so that they are found after a kill.
    pub fn noted_in(self, places: Option<Places>) -> Self {
        Self { places, ..self }
    }

    /// Path of the list, which a guard opens.
    pub fn notes(&self) -> Option<PathBuf> {
        self.places.as_ref().map(Places::path)
    }

    /// Directory named by the user, or the current one.
    pub fn drive(&self) -> PathBuf {
        let named = self.targets.folder.clone();
        named.unwrap_or_else(|| std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")))
    }

    /// Directory of our own on the measured drive.
    ///
    /// # Errors
    /// A sentence without full stop: the directory does not exist or is not writable.
    pub fn drive_folder(&self) -> Result<Arc<OwnFolder>, String> {
        let parent = self.drive();
        self.kept(&self.drive, &parent).map_err(|why| {
            let parent = parent.display();
            format!("cannot write to {parent}: {why}; use another directory (--dir)")
        })
    }

    /// Directory of our own for small files, in the directory for temporary files.
    ///
    /// # Errors
    /// A sentence without full stop.
    pub fn temporary_folder(&self) -> Result<Arc<OwnFolder>, String> {
        let parent = std::env::temp_dir();
        self.kept(&self.temporary, &parent).map_err(|why| format!("cannot create files in {}: {why}", parent.display()))
    }

    /// Directory for one program that runs with the rights of this user; removed on drop.
    ///
    /// # Errors
    /// As [`ScratchDirs::temporary_folder`], or its owner cannot be changed.
    pub fn folder_of(&self, user: Option<&Caller>) -> Result<OwnFolder, String> {
        let mut folder = self.create_folder(&std::env::temp_dir())?;
        if let Some(user) = user {
            let given = folder.give_to(user.uid, user.gid);
            given.map_err(|why| why.to_string())?;
        }
        Ok(folder)
    }

    fn kept(&self, place: &Mutex<Option<Arc<OwnFolder>>>, parent: &Path) -> Result<Arc<OwnFolder>, String> {
        let mut place = machine::threads::lock(place);
        if let Some(folder) = &*place {
            return Ok(Arc::clone(folder));
        }
        let folder = Arc::new(self.create_folder(parent)?);
        *place = Some(Arc::clone(&folder));
        Ok(folder)
    }

    fn create_folder(&self, parent: &Path) -> Result<OwnFolder, String> {
        let mut note = |path: &Path, identity: Option<Identity>| match &self.places {
            Some(places) => places.add(path, identity),
            None => Ok(()),
        };
        OwnFolder::make(parent, &mut note).map_err(|error| match error.problem {
            Problem::ForeignOwner(_) => {
                format!("{error}, who could put links in the place of files; run this as that user")
            }
            Problem::OthersWrite => {
                format!("{error}, who could put links in the place of files")
            }
            // The surrounding sentence names the directory.
            problem => match problem.errno().filter(|_| error.path == parent) {
                Some(errno) => std::io::Error::from(errno).to_string(),
                None => error.to_string(),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    fn folder() -> OwnFolder {
        OwnFolder::make(&std::env::temp_dir(), &mut |_, _| Ok(())).unwrap()
    }

    fn site(folder: &Path) -> ScratchDirs {
        ScratchDirs::of(&Targets { folder: Some(folder.to_owned()), ..Targets::default() })
    }

    #[test]
    fn scratch_directories_are_removed() {
        let place = folder();
        // Predictable names, taken by another process.
        for number in 0..64 {
            let guess = format!("sbc-bench-{}-{number}", std::process::id());
            std::fs::create_dir(place.path().join(guess)).unwrap();
        }
        let site = site(place.path());
        let first = site.drive_folder().unwrap().path().to_owned();
        assert_eq!(site.drive_folder().unwrap().path(), first);
        assert!(first.starts_with(place.path()) && first.is_dir());
        let mode = std::fs::metadata(&first).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        let temporary = site.temporary_folder().unwrap().path().to_owned();
        assert!(temporary.is_dir());
        drop(site);
        assert!(!first.exists() && !temporary.exists());
    }

    #[test]
    fn missing_directory_error() {
        let why = site(Path::new("/no/such/folder")).drive_folder().unwrap_err();
        assert!(why.contains("/no/such/folder: No such file") && why.contains("--dir"), "{why}");
    }
}
