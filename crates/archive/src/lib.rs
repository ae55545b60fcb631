//! The files of an archive: tar, zip, and what gzip has packed. Nothing of it is written anywhere, so that names within it
//! lead nowhere, and no more is unpacked than the caller allows. An archive within an archive is a
//! file.

#![forbid(unsafe_code)]

use flate2::read::MultiGzDecoder;
use std::fmt::{self, Display};
use std::io::{Cursor, Read};

const MIB: usize = 1 << 20;

/// How much is taken out of one archive: it may claim anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Files that are not empty.
    pub files_max: usize,
    /// Bytes of all its files together.
    pub bytes_max: usize,
}

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its whole name as the archive has it: foreign text, and no path to anything.
    pub name: String,
    /// Its content, at least one byte.
    pub bytes: Vec<u8>,
}

/// Why nothing is taken out of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// It has more files than this.
    Files(usize),
    /// It has more bytes than this when it is unpacked.
    Bytes(usize),
    /// It is damaged, or packed in a way that is not supported; what exactly is foreign text.
    Damaged(String),
}

impl Display for Problem {
    /// What follows "The archive".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files(max) => write!(f, "has more than {max} files"),
            Self::Bytes(max) if *max >= MIB => write!(f, "has more than {} MiB when it is unpacked", max / MIB),
            Self::Bytes(max) => write!(f, "has more than {} KiB when it is unpacked", max >> 10),
            Self::Damaged(why) => write!(f, "is damaged: {why}"),
        }
    }
}

impl std::error::Error for Problem {}

/// True for what gzip has packed (RFC 1952).
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x1f\x8b")
}

/// True for a tar archive since POSIX.1-1988, and for a zip archive from its first byte on.
pub fn is_archive(bytes: &[u8]) -> bool {
    is_zip(bytes) || bytes.get(257..262) == Some(b"ustar")
}

/// By the first file, or by the end of an archive without files (APPNOTE.TXT 4.3.7, 4.3.16).
fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// What gzip has packed, of at most so many bytes.
///
/// # Errors
/// It is damaged or has more.
pub fn gunzip(packed: &[u8], bytes_max: usize) -> Result<Vec<u8>, Problem> {
    whole(MultiGzDecoder::new(packed), bytes_max, bytes_max).map_err(|problem| match problem {
        Problem::Damaged(why) => Problem::Damaged(format!("gzip: {why}")),
        larger => larger,
    })
}

/// The files of an archive in its order; directories, links and empty files are none.
///
/// # Errors
/// It is damaged, or larger than the limits.
pub fn members(bytes: &[u8], limits: Limits) -> Result<Vec<Member>, Problem> {
    let mut taken = Taken { limits, bytes: 0, members: Vec::new() };
    match is_zip(bytes) {
        true => taken.parse_zip(bytes)?,
        false => taken.parse_tar(bytes)?,
    }
    Ok(taken.members)
}

/// What was taken out of an archive so far.
struct Taken {
    limits: Limits,
    bytes: usize,
    members: Vec<Member>,
}

impl Taken {
    fn parse_zip(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        for index in 0..archive.len() {
            let file = archive.by_index(index).map_err(damaged)?;
            let name = file.name().to_owned();
            // The name of a directory ends like this; the content of a link is a name (stat.h: S_IFLNK).
            let is_link = file.unix_mode().is_some_and(|mode| mode & 0o170_000 == 0o120_000);
            if !name.ends_with('/') && !is_link {
                self.take(name, file)?;
            }
        }
        Ok(())
    }

    fn parse_tar(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let mut archive = tar::Archive::new(bytes);
        for entry in archive.entries().map_err(damaged)? {
            let entry = entry.map_err(damaged)?;
            if entry.header().entry_type() == tar::EntryType::Regular {
                let (name, size) = (String::from_utf8_lossy(&entry.path_bytes()).into_owned(), entry.size());
                let before = self.bytes;
                self.take(name, entry)?;
                // The reader of the library ends where the bytes do.
                if (self.bytes - before) as u64 != size {
                    return Err(damaged("it ends within a file"));
                }
            }
        }
        Ok(())
    }

    fn take(&mut self, name: String, file: impl Read) -> Result<(), Problem> {
        let bytes = whole(file, self.limits.bytes_max - self.bytes, self.limits.bytes_max)?;
        self.bytes += bytes.len();
        match self.members.len() {
            _ if bytes.is_empty() => {}
            taken if taken == self.limits.files_max => return Err(Problem::Files(taken)),
            _ => self.members.push(Member { name, bytes }),
        }
        Ok(())
    }
}

/// All bytes of a file for which so much room is left of the limit.
fn whole(file: impl Read, room: usize, bytes_max: usize) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    file.take(room as u64 + 1).read_to_end(&mut bytes).map_err(damaged)?;
    match bytes.len() > room {
        true => Err(Problem::Bytes(bytes_max)),
        false => Ok(bytes),
    }
}

fn damaged(why: impl Display) -> Problem {
    Problem::Damaged(why.to_string())
}

#[cfg(test)]
mod tests;
