//! Files that the user named, to be read whole: any kind of file, links followed, and never more of it than a file
//! of its kind has. Not files of our own: those are in [`machine::files`].

use anyhow::Context;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// All of a file.
///
/// # Errors
/// It cannot be read, or has more than so many bytes.
pub(crate) fn read(path: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    let cannot = || format!("{} cannot be read", path.display());
    whole(File::open(path).with_context(cannot)?, path, bytes_max)
}

/// All of what is left of an open file, which is named like this.
///
/// # Errors
/// As [`read`].
pub(crate) fn whole(file: impl Read, name: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.take(bytes_max + 1).read_to_end(&mut bytes);
    let count = read.with_context(|| format!("{} cannot be read", name.display()))?;
    anyhow::ensure!(
        count as u64 <= bytes_max,
        "{} has more than {} KiB, which no file of its kind has.",
        name.display(),
        bytes_max >> 10
    );
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_file_has_an_end() {
        let error = read(Path::new("/dev/zero"), 4096).unwrap_err().to_string();
        assert_eq!(
            error,
            "/dev/zero has more than 4 KiB, which no file of its kind has."
        );
        assert_eq!(read(Path::new("/dev/null"), 0).unwrap(), b"");
        let error = format!("{:#}", read(Path::new("/none"), 1).unwrap_err());
        assert!(
            error.starts_with("/none cannot be read: No such file"),
            "{error}"
        );
    }
}
