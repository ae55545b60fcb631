//! What a run may use besides the machine itself: the folder whose drive is measured, the host at the other
//! end of the network, and folders of our own for files. Nothing is measured here.
//!
//! Files live as long as the run, so that what takes long to make (a video clip on a small board) is made
//! once. They go with the value; after a kill the guard removes them ([`crate::scratch::places`]).

pub mod host;
pub mod places;

use crate::scratch::host::Host;
use crate::scratch::places::Places;
use machine::Caller;
use machine::files::{Identity, OwnFolder, Problem};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Targets of workloads that need more than the machine, named by the user.
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
pub struct ScratchDirs {
    /// Targets named by the user.
    pub targets: Targets,
    drive: Mutex<Option<Arc<OwnFolder>>>,
    temporary: Mutex<Option<Arc<OwnFolder>>>,
    /// List of its folders; dropped after them.
    places: Option<Places>,
}

impl ScratchDirs {
    /// The site of a run with these targets.
    pub fn of(targets: &Targets) -> Self {
        Self { targets: targets.clone(), ..Self::default() }
    }

    /// The same, with its folders written down so that they are found after a kill.
    pub fn noted_in(self, places: Option<Places>) -> Self {
        Self { places, ..self }
    }

    /// Path of the list of folders, which a guard opens.
    pub fn notes(&self) -> Option<PathBuf> {
        self.places.as_ref().map(Places::path)
    }

    /// The folder that the user named, or the current one.
    pub fn drive(&self) -> PathBuf {
        let named = self.targets.folder.clone();
        named.unwrap_or_else(|| std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")))
    }

    /// A folder of our own on the drive that is measured.
    ///
    /// # Errors
    /// One sentence, without its stop: there is no such folder, or nothing can be written there.
    pub fn drive_folder(&self) -> Result<Arc<OwnFolder>, String> {
        let parent = self.drive();
        self.kept(&self.drive, &parent).map_err(|why| {
            let parent = parent.display();
            format!("cannot write to {parent}: {why}; use another directory (--dir)")
        })
    }

    /// A folder of our own for small files, wherever temporary files are.
    ///
    /// # Errors
    /// One sentence, without its stop.
    pub fn temporary_folder(&self) -> Result<Arc<OwnFolder>, String> {
        let parent = std::env::temp_dir();
        self.kept(&self.temporary, &parent).map_err(|why| format!("cannot create files in {}: {why}", parent.display()))
    }

    /// A folder for one program that runs with the rights of this user; it goes with the value.
    ///
    /// # Errors
    /// As [`ScratchDirs::temporary_folder`], or it cannot be given away.
    pub fn folder_of(&self, user: Option<&Caller>) -> Result<OwnFolder, String> {
        let mut folder = self.made(&std::env::temp_dir())?;
        if let Some(user) = user {
            let given = folder.give_to(user.uid, user.gid);
            given.map_err(|why| why.to_string())?;
        }
        Ok(folder)
    }

    fn kept(&self, place: &Mutex<Option<Arc<OwnFolder>>>, parent: &Path) -> Result<Arc<OwnFolder>, String> {
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = &*place {
            return Ok(Arc::clone(folder));
        }
        let folder = Arc::new(self.made(parent)?);
        *place = Some(Arc::clone(&folder));
        Ok(folder)
    }

    fn made(&self, parent: &Path) -> Result<OwnFolder, String> {
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
            // The sentence that it goes into names the folder.
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
        // Names that could be guessed, taken by another process.
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
