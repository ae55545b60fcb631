//! Originals: redacted and compressed uploads, identified by the hash of their content.

use crate::store::{Session, Store, StoreError, first, read};
use flate2::read::{ZlibDecoder, ZlibEncoder};
use flate2::{Compression, Decompress, FlushDecompress};
use record::hex;
use sha2::{Digest, Sha256};
use std::io::Read;

/// A Record of 200 KB is compressed to less than 40 KB.
const LEVEL: u32 = 1;

pub fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompressedOriginal {
    pub hash: String,
    /// Uncompressed size in bytes.
    pub size: usize,
    pub bytes: Vec<u8>,
}

impl CompressedOriginal {
    pub fn of(bytes: &[u8]) -> Self {
        Self { hash: hash(bytes), size: bytes.len(), bytes: pack(bytes) }
    }

    pub fn unpacked(&self) -> Result<Vec<u8>, StoreError> {
        unpack(&self.bytes, self.size, &self.hash)
    }
}

pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    // Reading from memory into memory cannot fail. A higher level takes longer than all other work on a result.
    let _ = ZlibEncoder::new(bytes, Compression::new(LEVEL)).read_to_end(&mut packed);
    packed
}

/// The bytes of [`pack`]; an error if they are damaged or have another hash.
pub fn unpack(packed: &[u8], size: usize, expected: &str) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::with_capacity(size);
    let read = ZlibDecoder::new(packed).take(size as u64 + 1).read_to_end(&mut bytes);
    if read.is_err() || hash(&bytes) != expected {
        return Err(damaged(expected));
    }
    Ok(bytes)
}

/// Maximum length of an unpacked page in bytes; a page of the largest Record is smaller.
const PAGE_BYTES_MAX: u64 = 64 << 20;

/// The bytes of [`pack`] of a page; none if they are damaged or too many.
pub fn unpack_page(packed: &[u8]) -> Option<Vec<u8>> {
    let mut page = Vec::new();
    let count = ZlibDecoder::new(packed).take(PAGE_BYTES_MAX).read_to_end(&mut page).ok()?;
    ((count as u64) < PAGE_BYTES_MAX).then_some(page)
}

/// Stores an original, unless it exists.
pub fn keep(session: &mut dyn Session, original: &CompressedOriginal) -> Result<(), StoreError> {
    let sql = "INSERT INTO original (hash, size, packed) VALUES ($1, $2, $3) ON CONFLICT (hash) DO NOTHING";
    let values = [original.hash.as_str().into(), (original.size as i64).into(), original.bytes.clone().into()];
    session.run(sql, &values)?;
    // An existing original is locked until the result refers to it; another transaction may be deleting it.
    let held = format!("SELECT 1 FROM original WHERE hash = $1{}", session.dialect().to_point_to());
    match first(session, &held, &[original.hash.as_str().into()])? {
        Some(_) => Ok(()),
        None => {
            Err(StoreError { is_passing: true, ..StoreError::of("The same original is being deleted; try again.") })
        }
    }
}

pub fn packed(session: &mut dyn Session, hash: &str) -> Result<CompressedOriginal, StoreError> {
    let row = first(session, "SELECT size, packed FROM original WHERE hash = $1", &[hash.into()])?;
    let row = row.ok_or_else(|| missing(hash))?;
    let size = row.integer(0).unwrap_or(0).max(0) as usize;
    Ok(CompressedOriginal { hash: hash.to_owned(), size, bytes: row.bytes(1).to_vec() })
}

fn damaged(hash: &str) -> StoreError {
    StoreError::of(format!("The original {hash} is damaged."))
}

fn missing(hash: &str) -> StoreError {
    StoreError::of(format!("The original {hash} is missing."))
}

/// The bytes of an original; an error if it is missing or damaged.
pub fn get(session: &mut dyn Session, hash: &str) -> Result<Vec<u8>, StoreError> {
    packed(session, hash)?.unpacked()
}

/// Size in bytes of a compressed piece that is read at once.
pub const PIECE_BYTES: usize = 128 << 10;

/// Reads and unpacks an original piece by piece.
pub struct Unpacking {
    hash: String,
    left: usize,
    /// Offset of the next piece.
    at: usize,
    piece: Vec<u8>,
    used: usize,
    inflater: Decompress,
    digest: Sha256,
}

impl Unpacking {
    /// Reads the original of this hash and uncompressed size.
    pub fn new(hash: String, size: usize) -> Self {
        let (inflater, digest) = (Decompress::new(true), Sha256::new());
        Self { hash, left: size, at: 0, piece: Vec::new(), used: 0, inflater, digest }
    }

    /// The next `count` bytes, or the rest; none at the end. Damage may be found only at the end.
    pub fn next(&mut self, store: &dyn Store, count: usize) -> Result<Option<Vec<u8>>, StoreError> {
        if self.left == 0 {
            return Ok(None);
        }
        let wanted = count.min(self.left);
        let mut bytes = Vec::with_capacity(wanted);
        while bytes.len() < wanted {
            if self.used == self.piece.len() {
                self.read(store)?;
            }
            let (read, written) = (self.inflater.total_in(), bytes.len());
            let part = self.piece.get(self.used..).unwrap_or_default();
            let done = self.inflater.decompress_vec(part, &mut bytes, FlushDecompress::None);
            self.used += (self.inflater.total_in() - read) as usize;
            let is_stuck = self.used < self.piece.len() && bytes.len() == written;
            if done.is_err() || is_stuck {
                return Err(damaged(&self.hash));
            }
        }
        self.left -= bytes.len().min(self.left);
        self.digest.update(&bytes);
        if self.left == 0 && hex(&std::mem::take(&mut self.digest).finalize()) != self.hash {
            return Err(damaged(&self.hash));
        }
        Ok(Some(bytes))
    }

    fn read(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let sql = "SELECT substr(packed, CAST(CAST($2 AS BIGINT) AS INTEGER), CAST(CAST($3 AS BIGINT) AS INTEGER)) \
                   FROM original WHERE hash = $1";
        let values = [self.hash.as_str().into(), (self.at as i64 + 1).into(), (PIECE_BYTES as i64).into()];
        let row = read(store, |session| first(session, sql, &values))?.ok_or_else(|| missing(&self.hash))?;
        self.piece = row.bytes(0).to_vec();
        self.used = 0;
        self.at += self.piece.len();
        if self.piece.is_empty() { Err(damaged(&self.hash)) } else { Ok(()) }
    }
}

/// Removes an original that no result needs.
pub fn forget(session: &mut dyn Session, hash: &str) -> Result<(), StoreError> {
    let lock = format!("SELECT 1 FROM original WHERE hash = $1{}", session.dialect().to_remove());
    session.run(&lock, &[hash.into()])?;
    let sql = "DELETE FROM original WHERE hash = $1 AND NOT EXISTS (SELECT 1 FROM result WHERE result.hash = $1)";
    session.run(sql, &[hash.into()]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_bytes_come_back_and_damage_is_seen() {
        for bytes in [&b""[..], b"a", &[7; 100_000]] {
            let packed = pack(bytes);
            assert_eq!(unpack(&packed, bytes.len(), &hash(bytes)).unwrap(), bytes);
            assert!(unpack(&packed, bytes.len(), &hash(b"other")).is_err());
            assert!(unpack(&packed[..packed.len() / 2], bytes.len(), &hash(bytes)).is_err());
        }
        let bomb = pack(&[0; 1 << 20]);
        assert!(unpack(&bomb, 10, &hash(&[0; 10])).is_err());
    }
}
