//! Creates files and directories of the hub. They hold secrets and unlisted results, so only their owner reads and
//! writes them, whatever the umask and the owner of the directory are.

use rustix::fs::Mode;
use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Permission bits of group and others.
const OTHERS: u32 = 0o077;
/// Bit of directories in which every user may add files (`/tmp`).
const STICKY: u32 = 0o1000;

/// Makes files private that libraries and other programs create for the hub (SQLite, `pg_dump`).
pub fn set_umask() {
    rustix::process::umask(Mode::from_raw_mode(OTHERS));
}

/// Creates a file, or truncates an existing one, for its owner alone.
pub fn file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    // The mode above applies to a new file only.
    file.set_permissions(Permissions::from_mode(0o600))?;
    Ok(file)
}

/// Writes a file for its owner alone, and syncs it and its directory.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = file(path)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Creates a directory and its parents for their owner alone; an existing one stays as it is.
pub fn directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Creates the directory of a hub, or closes an existing one and the hub's `files` in it to other users. An error is
/// one sentence.
pub fn data_directory(data: &Path, files: &[&str]) -> Result<(), String> {
    directory(data).map_err(|error| format!("Cannot create {}: {error}.", data.display()))?;
    let cannot = |error: io::Error| format!("Cannot close {} to other users: {error}.", data.display());
    let mode = std::fs::metadata(data).map_err(cannot)?.permissions().mode();
    if mode & OTHERS != 0 {
        let is_empty = std::fs::read_dir(data).map_err(cannot)?.next().is_none();
        let is_of_hub = is_empty || files.iter().any(|name| data.join(name).exists());
        if mode & STICKY != 0 || !is_of_hub {
            return Err(format!(
                "{} is open to other users (mode {:04o}) and not the hub's own; name a new directory, or run chmod 700.",
                data.display(),
                mode & 0o7777
            ));
        }
        std::fs::set_permissions(data, Permissions::from_mode(0o700)).map_err(cannot)?;
    }
    for path in files.iter().map(|name| data.join(name)) {
        match std::fs::metadata(&path) {
            Ok(found) if found.permissions().mode() & OTHERS != 0 => {
                std::fs::set_permissions(&path, Permissions::from_mode(0o600)).map_err(cannot)?;
            }
            _ => {}
        }
    }
    Ok(())
}
