//! Where results go: the system's log folder for root, the user's state folder otherwise.

use std::path::{Path, PathBuf};

/// Files of one run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Paths {
    /// The latest log; its last line is the summary line.
    pub(crate) log: PathBuf,
    /// The latest Record, beside the log.
    pub(crate) record: PathBuf,
    /// Folder of all runs.
    pub(crate) history: PathBuf,
    /// Journal of changed settings.
    pub(crate) journal: PathBuf,
}

/// The journal of changed settings; it must survive a loss of power, so it is not in `/run`.
const JOURNAL: &str = "/var/lib/sbc-bench/settings.journal";

impl Paths {
    /// By the rights of the user and what was asked for.
    pub(crate) fn choose(as_root: bool, asked: Option<&Path>) -> Self {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let log = match asked {
            Some(path) => path.to_path_buf(),
            None if as_root => PathBuf::from("/var/log/sbc-bench.log"),
            None => state_folder(variable("XDG_STATE_HOME"), variable("HOME"))
                .join("sbc-bench/sbc-bench.log"),
        };
        let record = log.with_extension("json");
        let history = match (asked, as_root) {
            (None, true) => PathBuf::from("/var/log/sbc-bench"),
            _ => log.with_file_name("runs"),
        };
        Self {
            record,
            history,
            log,
            journal: PathBuf::from(JOURNAL),
        }
    }
}

/// XDG Base Directory Specification: `$XDG_STATE_HOME`, else `~/.local/state`.
fn state_folder(xdg: Option<PathBuf>, home: Option<PathBuf>) -> PathBuf {
    let absolute = |path: &PathBuf| path.is_absolute();
    xdg.filter(absolute)
        .or_else(|| home.filter(absolute).map(|home| home.join(".local/state")))
        .unwrap_or_else(std::env::temp_dir)
}

/// Replaces a file in one step: readers see the old or the new one, never half of it. A link in
/// its place is replaced, not followed. It survives a loss of power.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    place(path, text, std::fs::File::sync_all)
}

/// As [`replace`], for a copy of what is safe on disk already: nobody waits for the drive.
pub(crate) fn replace_copy(path: &Path, text: &str) -> std::io::Result<()> {
    place(path, text, |_| Ok(()))
}

fn place(
    path: &Path,
    text: &str,
    sync: fn(&std::fs::File) -> std::io::Result<()>,
) -> std::io::Result<()> {
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = path.with_file_name(name);
    let written = write(&new, text, sync).and_then(|()| std::fs::rename(&new, path));
    if written.is_err() {
        // Half a file is of no use; that it cannot be removed changes nothing about the error.
        let _ = std::fs::remove_file(&new);
    }
    written
}

fn write(
    path: &Path,
    text: &str,
    sync: fn(&std::fs::File) -> std::io::Result<()>,
) -> std::io::Result<()> {
    use std::io::Write;
    let mut file = std::fs::File::create(path)?;
    file.write_all(text.as_bytes())?;
    sync(&file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_and_user_have_their_folders() {
        assert_eq!(
            Paths::choose(true, None).log,
            Path::new("/var/log/sbc-bench.log")
        );
        assert_eq!(
            Paths::choose(true, None).record,
            Path::new("/var/log/sbc-bench.json")
        );
        let asked = Paths::choose(true, Some(Path::new("/tmp/a/b.log")));
        assert_eq!(asked.record, Path::new("/tmp/a/b.json"));
        assert_eq!(asked.history, Path::new("/tmp/a/runs"));
        let home = Some(PathBuf::from("/home/a"));
        assert_eq!(
            state_folder(None, home.clone()),
            Path::new("/home/a/.local/state")
        );
        assert_eq!(
            state_folder(Some("/x".into()), home.clone()),
            Path::new("/x")
        );
        assert_eq!(
            state_folder(Some("relative".into()), home),
            Path::new("/home/a/.local/state")
        );
    }

    #[test]
    fn a_link_is_replaced_not_followed() {
        let folder = std::env::temp_dir().join(format!("sbc-bench-paths-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (target, link) = (folder.join("target"), folder.join("log"));
        std::fs::write(&target, "precious").unwrap();
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(&target, &link).unwrap();
        replace(&link, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "precious");
        assert_eq!(std::fs::read_to_string(&link).unwrap(), "new");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
