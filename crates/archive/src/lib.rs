//! Files of an archive: tar, zip, gzip, xz, zstd.
//!
//! Files are unpacked into memory only, so names in an archive cannot refer to paths, and at most as much as the caller
//! permits. An archive in an archive is not unpacked; compressed files are.

#![forbid(unsafe_code)]

use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::StreamingDecoder;
use std::fmt::{self, Display};
use std::io::{Cursor, Read};

const MIB: usize = 1 << 20;

/// Limits for unpacking an archive, whose own sizes are not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of files that are not empty.
    pub files_max: usize,
    /// Maximum total size of the files in bytes.
    pub bytes_max: usize,
}

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Full name in the archive: untrusted text, never used as a path.
    pub name: String,
    /// Its content, at least one byte.
    pub bytes: Vec<u8>,
}

/// Reason why an archive is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// More files than this limit.
    Files(usize),
    /// More unpacked bytes than this limit.
    Bytes(usize),
    /// Damaged, or an unsupported format; the details are untrusted text.
    Damaged(String),
}

impl Display for Problem {
    /// Formats a predicate whose subject is "The archive".
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

/// Compressions, by the first bytes of their data.
const COMPRESSIONS: [(&[u8], Compression); 3] =
    [(b"\x1f\x8b", Compression::Gzip), (b"\xfd7zXZ\0", Compression::Xz), (b"\x28\xb5\x2f\xfd", Compression::Zstd)];
/// Maximum depth of compression: `tar.gz` that a browser has packed again.
const COMPRESSED_MAX: usize = 3;

/// A compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    /// RFC 1952.
    Gzip,
    /// The .xz File Format 1.2.1.
    Xz,
    /// RFC 8878.
    Zstd,
}

impl Compression {
    fn of(bytes: &[u8]) -> Option<Self> {
        COMPRESSIONS.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, compression)| *compression)
    }

    fn unpack(self, packed: &[u8], bytes_max: usize) -> Result<Vec<u8>, Problem> {
        let unpacked = match self {
            Self::Gzip => whole(MultiGzDecoder::new(packed), bytes_max, bytes_max),
            Self::Xz => whole(XzReader::new(packed, true), bytes_max, bytes_max),
            Self::Zstd => whole(StreamingDecoder::new(packed).map_err(damaged)?, bytes_max, bytes_max),
        };
        unpacked.map_err(|problem| match problem {
            Problem::Damaged(why) => Problem::Damaged(format!("{}: {why}", self.name())),
            larger => larger,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
        }
    }
}

/// True for compressed data.
pub fn is_compressed(bytes: &[u8]) -> bool {
    Compression::of(bytes).is_some()
}

/// True for a tar archive since POSIX.1-1988, and for a zip archive without a prefix.
pub fn is_archive(bytes: &[u8]) -> bool {
    is_zip(bytes) || bytes.get(257..262) == Some(b"ustar")
}

/// Detects the first file, or the end record of an archive without files (APPNOTE.TXT 4.3.7, 4.3.16).
fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Unpacks compressed data of at most `bytes_max` bytes; returns other data as it is.
///
/// # Errors
/// The data is damaged or larger than the limit.
pub fn unpacked(mut bytes: Vec<u8>, bytes_max: usize) -> Result<Vec<u8>, Problem> {
    for _ in 0..COMPRESSED_MAX {
        let Some(compression) = Compression::of(&bytes) else { break };
        bytes = compression.unpack(&bytes, bytes_max)?;
    }
    Ok(bytes)
}

/// Unpacks every file of an archive. Other bytes are returned as one file without a name.
///
/// # Errors
/// The bytes are damaged or exceed the limits.
pub fn files(bytes: Vec<u8>, limits: Limits) -> Result<Vec<Member>, Problem> {
    let bytes = unpacked(bytes, limits.bytes_max)?;
    if !is_archive(&bytes) {
        return Ok(vec![Member { name: String::new(), bytes }]);
    }
    let mut room = limits.bytes_max;
    let mut files = members(&bytes, limits)?;
    for file in &mut files {
        file.bytes = unpacked(std::mem::take(&mut file.bytes), limits.bytes_max)?;
        room = room.checked_sub(file.bytes.len()).ok_or(Problem::Bytes(limits.bytes_max))?;
    }
    Ok(files)
}

/// Files of an archive in order; directories, links and empty files are omitted.
///
/// # Errors
/// The archive is damaged or exceeds the limits.
pub fn members(bytes: &[u8], limits: Limits) -> Result<Vec<Member>, Problem> {
    let mut unpacker = Unpacker { limits, bytes: 0, members: Vec::new() };
    if is_zip(bytes) {
        unpacker.parse_zip(bytes)?
    } else {
        unpacker.parse_tar(bytes)?
    }
    Ok(unpacker.members)
}

/// Files and bytes unpacked so far.
struct Unpacker {
    limits: Limits,
    bytes: usize,
    members: Vec<Member>,
}

impl Unpacker {
    fn parse_zip(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        for index in 0..archive.len() {
            let file = archive.by_index(index).map_err(damaged)?;
            let name = file.name().to_owned();
            // Names of directories end in a slash; the content of a link is a path (stat.h: S_IFLNK).
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
                // The library's reader stops at the end of the input without an error.
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
            files if files == self.limits.files_max => return Err(Problem::Files(files)),
            _ => self.members.push(Member { name, bytes }),
        }
        Ok(())
    }
}

/// Reads all bytes of a file, if `room` bytes of the limit are enough.
fn whole(file: impl Read, room: usize, bytes_max: usize) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    file.take(room as u64 + 1).read_to_end(&mut bytes).map_err(damaged)?;
    if bytes.len() > room { Err(Problem::Bytes(bytes_max)) } else { Ok(bytes) }
}

fn damaged(why: impl Display) -> Problem {
    Problem::Damaged(why.to_string())
}

#[cfg(test)]
mod tests;
