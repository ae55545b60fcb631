//! Originals: what was sent, redacted, compressed, and named by its content.

use crate::store::{Session, Trouble, Value, first};
use flate2::Compression;
use flate2::read::{ZlibDecoder, ZlibEncoder};
use sha2::{Digest, Sha256};
use std::io::Read;

/// Of a Record of 200 KB less than 40 KB are left.
const LEVEL: u32 = 1;

/// SHA-256 in hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes, compressed.
pub fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    // Reading from memory into memory cannot fail. A higher level takes more time than all else that is done with a result.
    let _ = ZlibEncoder::new(bytes, Compression::new(LEVEL)).read_to_end(&mut packed);
    packed
}

/// The bytes of [`pack`].
///
/// # Errors
/// They are damaged: too short, or not those of this hash.
pub fn unpack(packed: &[u8], size: usize, expected: &str) -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::with_capacity(size);
    let read = ZlibDecoder::new(packed).take(size as u64 + 1).read_to_end(&mut bytes);
    if read.is_err() || hash(&bytes) != expected {
        return Err(Trouble::of(format!("The original {expected} is damaged.")));
    }
    Ok(bytes)
}

/// Keeps bytes that were packed before, unless they are there.
///
/// # Errors
/// As [`Session::run`].
pub fn keep(session: &mut dyn Session, hash: &str, size: usize, packed: &[u8]) -> Result<(), Trouble> {
    let sql = "INSERT INTO original (hash, size, packed) VALUES ($1, $2, $3) ON CONFLICT (hash) DO NOTHING";
    session.run(sql, &[hash.into(), (size as i64).into(), Value::Bytes(packed.to_vec())])?;
    // One that was there is held, so that who deletes its last result waits; it may be gone already.
    let held = format!("SELECT 1 FROM original WHERE hash = $1{}", session.dialect().to_point_to());
    match first(session, &held, &[hash.into()])? {
        Some(_) => Ok(()),
        None => Err(Trouble { is_passing: true, ..Trouble::of("The same original is being deleted; try again.") }),
    }
}

/// The original of this hash.
///
/// # Errors
/// It is not there or damaged.
pub fn get(session: &mut dyn Session, hash: &str) -> Result<Vec<u8>, Trouble> {
    let row = first(session, "SELECT size, packed FROM original WHERE hash = $1", &[hash.into()])?;
    let row = row.ok_or_else(|| Trouble::of(format!("The original {hash} is missing.")))?;
    unpack(row.bytes(1), row.integer(0).unwrap_or(0).max(0) as usize, hash)
}

/// Removes an original that no result needs any more.
///
/// # Errors
/// As [`Session::run`].
pub fn forget(session: &mut dyn Session, hash: &str) -> Result<(), Trouble> {
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
