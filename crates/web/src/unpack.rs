//! Files that a reader opens, unpacked; a text with several results is several files.

use archive::Limits;

/// Limits for an archive, because a browser holds all files in memory.
const LIMITS: Limits = Limits { files_max: 5000, bytes_max: 256 << 20 };

/// Name and content of each file in these bytes: of the file itself, or of the members of an archive without their
/// directories. Directories, links and empty members are omitted.
///
/// # Errors
/// A sentence: the file is damaged or too large.
pub fn members(name: &str, bytes: Vec<u8>) -> Result<Vec<(String, Vec<u8>)>, String> {
    let found = archive::files(bytes, LIMITS);
    let files = found.map_err(|problem| format!("{name} {}.", facts::plain(&problem.to_string())))?;
    let mut members = Vec::new();
    for file in files {
        let name = if file.name.is_empty() { name } else { file.name.rsplit('/').next().unwrap_or(&file.name) };
        let name = facts::plain(name);
        match logs::any_file::split(&file.bytes) {
            Some(texts) => {
                members
                    .extend(texts.into_iter().map(|(line, text)| (format!("{name}, line {line}"), text.into_bytes())));
            }
            None => members.push((name, file.bytes)),
        }
    }
    Ok(members)
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
            assert_eq!(members("x.tar", tar(name)).unwrap(), [(expected.to_owned(), b"content".to_vec())]);
        }
    }

    #[test]
    fn damage_is_one_sentence() {
        let why = members("x.tar", tar("a\n\u{1b}b")[..600].to_vec()).unwrap_err();
        assert!(why.starts_with("x.tar is damaged: ") && why.lines().count() == 1 && why.ends_with('.'), "{why}");
    }
}
