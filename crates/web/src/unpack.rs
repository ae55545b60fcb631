//! Files of an archive that a reader opens. The browser itself unpacks gzip.

use archive::Limits;

/// Limits for an archive, because a browser holds all files in memory.
const LIMITS: Limits = Limits { files_max: 5000, bytes_max: 256 << 20 };

/// Name without directories, and content, of each file in an archive (tar, zip); directories, links and empty files are
/// omitted.
///
/// # Errors
/// A sentence: the archive is damaged or too large.
pub fn members(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, String> {
    let found = archive::members(bytes, LIMITS);
    let members = found.map_err(|problem| format!("The archive {}.", facts::plain(&problem.to_string())))?;
    let of = |name: &str| facts::plain(name.rsplit('/').next().unwrap_or(name));
    Ok(members.into_iter().map(|member| (of(&member.name), member.bytes)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tar archive with one file of seven bytes.
    fn tar(name: &str) -> Vec<u8> {
        let mut block = vec![0; 512];
        block[..name.len()].copy_from_slice(name.as_bytes());
        block[124..135].copy_from_slice(b"00000000007");
        block[156] = b'0';
        block[257..263].copy_from_slice(b"ustar\0");
        block[148..156].fill(b' ');
        let total = block.iter().fold(0_u32, |total, byte| total + u32::from(*byte));
        block[148..156].copy_from_slice(format!("{total:06o}\0 ").as_bytes());
        block.extend(b"content");
        block.resize(1024, 0);
        block
    }

    #[test]
    fn names_are_harmless() {
        for (name, expected) in [("logs/a.txt", "a.txt"), ("../../b\u{1b}[2J.txt", "b\u{fffd}[2J.txt"), ("c", "c")] {
            assert_eq!(members(&tar(name)).unwrap(), [(expected.to_owned(), b"content".to_vec())]);
        }
    }

    #[test]
    fn damage_is_one_sentence() {
        let why = members(&tar("a\n\u{1b}b")[..600]).unwrap_err();
        assert!(why.starts_with("The archive is damaged: ") && why.lines().count() == 1 && why.ends_with('.'), "{why}");
    }
}
