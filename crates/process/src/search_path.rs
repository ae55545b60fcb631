//! Directories in which programs are searched. As root, directories that other users can write are ignored and not
//! passed on to programs: a user who can put a program into one of them would be root. Without root, PATH is used
//! unchanged.

use machine::{Root, Trust};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Debian installs chess engines outside of root's PATH.
const GAMES: [&str; 2] = ["/usr/games", "/usr/local/games"];
/// Directories that every system has, used if no other is left (`confstr(3)`, `_CS_PATH`).
const LEAST: &str = "/usr/bin:/bin";

/// Directories of PATH, trusted and ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchPath {
    /// Directories to search, in order.
    pub folders: Vec<PathBuf>,
    /// Ignored directories with the reason.
    pub left_aside: Vec<(PathBuf, String)>,
}

/// Search path of this process, determined once.
pub fn search_path() -> &'static SearchPath {
    static FOUND: OnceLock<SearchPath> = OnceLock::new();
    FOUND.get_or_init(|| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let trust = machine::is_root().then(|| Trust::new(&Root::system(), None));
        SearchPath::of(std::env::split_paths(&path), trust.as_ref())
    })
}

impl SearchPath {
    fn of(entries: impl Iterator<Item = PathBuf>, trust: Option<&Trust>) -> Self {
        let mut found = Self::default();
        for folder in entries {
            match trust.and_then(|trust| trust.objection(&folder)) {
                Some(why) => found.left_aside.push((folder, why)),
                None => found.folders.push(folder),
            }
        }
        found
    }

    /// Search path with the directories where distributions install games.
    pub(crate) fn with_games(&self) -> Vec<PathBuf> {
        let games = GAMES.iter().map(PathBuf::from);
        self.folders.iter().cloned().chain(games).collect()
    }

    /// Program with this name, if any; relative directories are ignored.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let absolute = self.folders.iter().filter(|folder| folder.is_absolute());
        absolute.map(|folder| folder.join(name)).find(|path| is_program(path))
    }

    /// Reason why an existing program with this name is ignored.
    pub fn why_ignored(&self, name: &str) -> Option<String> {
        let is_there = |folder: &Path| is_program(&folder.join(name));
        let mut left = self.left_aside.iter();
        let (folder, why) = left.find(|(folder, _)| is_there(folder))?;
        let path = folder.join(name);
        Some(format!("{} is ignored because {why}; give its full path to run it as root", path.display()))
    }

    /// Value of the environment variable PATH.
    pub fn variable(&self) -> OsString {
        match std::env::join_paths(&self.folders) {
            Ok(path) if !path.is_empty() => path,
            _ => LEAST.into(),
        }
    }
}

/// True for a file that this user may run.
pub fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_ignores_writable_directories() {
        let entries = ["/usr/bin", "relative", "", "/tmp"].map(PathBuf::from);
        let trust = Trust::new(&Root::system(), None);
        let found = SearchPath::of(entries.clone().into_iter(), Some(&trust));
        assert_eq!(found.folders, [PathBuf::from("/usr/bin")]);
        assert_eq!(found.left_aside.len(), 3, "{found:?}");
        assert_eq!(found.variable(), "/usr/bin");
        assert!(found.program("env").is_some() && found.program("nothing").is_none());
        let anybody = SearchPath::of(entries.into_iter(), None);
        assert_eq!((anybody.folders.len(), anybody.left_aside.len()), (4, 0));
        assert_eq!(SearchPath::default().variable(), LEAST);
    }
}
