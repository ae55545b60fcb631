//! Reads files that the user named: any kind of file, through links, up to a limit for each kind. The program's own files are
//! in [`machine::files`].
//!
//! A pipe (`<(zcat log.gz)`) may take long to fill; a pipe without a writer is an error.

use anyhow::Context;
use machine::Root;
use rustix::fs::{Mode, OFlags, fcntl_setfl};
use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// The largest board file has a few MiB.
const BOARD_BYTES_MAX: u64 = 64 << 20;
/// Maximum wait for the writer of a pipe: a shell opens both ends at about the same time.
const WRITER_TIME_MAX: Duration = Duration::from_secs(2);
const WRITER_LOOK: Duration = Duration::from_millis(20);

/// Reads a whole file.
///
/// # Errors
/// The file cannot be read, or is larger than `bytes_max`.
pub fn read(path: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    whole(open(path)?, path, bytes_max)
}

/// Opens a file; `-` is standard input.
///
/// # Errors
/// The file cannot be opened, or is a pipe without a writer.
pub fn open(path: &Path) -> anyhow::Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin()));
    }
    let cannot = || format!("Cannot read {}", path.display());
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = rustix::fs::open(path, flags, Mode::empty());
    let mut file = File::from(file.with_context(cannot)?);
    let is_pipe = file.metadata().with_context(cannot)?.file_type().is_fifo();
    let first = if is_pipe { first_byte(&mut file, path)? } else { Vec::new() };
    fcntl_setfl(&file, OFlags::empty()).with_context(cannot)?;
    Ok(Box::new(Cursor::new(first).chain(file)))
}

/// Reads a machine from a folder or a board file.
///
/// # Errors
/// The file cannot be read, or is not a board file.
pub fn root(path: &Path) -> anyhow::Result<Root> {
    if path.is_dir() {
        return Ok(Root::of_folder(path));
    }
    let bytes = read(path, BOARD_BYTES_MAX)?;
    Ok(Root::of_board_file(&path.display().to_string(), &bytes)?)
}

/// Waits for a writer. Returns its first byte, or nothing if it has not written yet.
fn first_byte(pipe: &mut File, path: &Path) -> anyhow::Result<Vec<u8>> {
    let until = Instant::now() + WRITER_TIME_MAX;
    let mut first = vec![0];
    loop {
        match pipe.read(&mut first) {
            Ok(0) => anyhow::ensure!(Instant::now() < until, "{} is a pipe without a writer.", path.display()),
            Ok(_) => return Ok(first),
            Err(why) if why.kind() == ErrorKind::WouldBlock => return Ok(Vec::new()),
            Err(why) => {
                return Err(why).with_context(|| format!("Cannot read {}", path.display()));
            }
        }
        std::thread::sleep(WRITER_LOOK);
    }
}

/// Reads the rest of an open file; `name` is for errors.
///
/// # Errors
/// As [`read`].
pub fn whole(file: impl Read, name: &Path, bytes_max: u64) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.take(bytes_max + 1).read_to_end(&mut bytes);
    let count = read.with_context(|| format!("Cannot read {}", name.display()))?;
    anyhow::ensure!(
        count as u64 <= bytes_max,
        "{} is larger than {} KiB, the limit for such files.",
        name.display(),
        bytes_max >> 10
    );
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    #[test]
    fn endless_file_is_cut() {
        let error = read(Path::new("/dev/zero"), 4096).unwrap_err().to_string();
        assert_eq!(error, "/dev/zero is larger than 4 KiB, the limit for such files.");
        assert_eq!(read(Path::new("/dev/null"), 0).unwrap(), b"");
        let error = format!("{:#}", read(Path::new("/none"), 1).unwrap_err());
        assert!(error.starts_with("Cannot read /none: No such file"), "{error}");
    }

    #[test]
    fn pipe_is_read_until_its_writer_ends() {
        let name = format!("sbc-bench-input-{}", std::process::id());
        let pipe = std::env::temp_dir().join(name);
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
        let error = read(&pipe, 99).unwrap_err().to_string();
        assert!(error.ends_with("is a pipe without a writer."), "{error}");
        for pause in [0, 200] {
            let to = pipe.clone();
            let writing = machine::threads::spawn("writer", move || {
                let to = rustix::fs::open(to, OFlags::WRONLY, Mode::empty()).unwrap();
                std::thread::sleep(Duration::from_millis(pause));
                rustix::io::write(to, b"all of it").unwrap();
            });
            assert_eq!(read(&pipe, 99).unwrap(), b"all of it");
            writing.unwrap().join().unwrap();
        }
        std::fs::remove_file(&pipe).unwrap();
    }
}
