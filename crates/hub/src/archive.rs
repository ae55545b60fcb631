//! What a request holds: a file, a file packed by gzip, or a tar archive of files. Nothing of it is written to a disk, so that
//! names within it lead nowhere.

use crate::limits::{Limits, Refused};
use flate2::read::MultiGzDecoder;
use std::io::Read;

/// A file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name in the archive, for the answer alone; empty for a file by itself.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Size of a block of a tar archive (POSIX.1-2017, pax, "ustar Interchange Format").
const BLOCK: usize = 512;

/// The files of a request.
///
/// # Errors
/// It is damaged, empty, or larger than the limits.
pub fn members(body: Vec<u8>, limits: &Limits) -> Result<Vec<Member>, Refused> {
    let bytes = match body.starts_with(b"\x1f\x8b") {
        true => gunzip(&body, limits.file_bytes_max)?,
        false => body,
    };
    let members = match is_tar(&bytes) {
        true => tar(&bytes, limits)?,
        false => vec![Member { name: String::new(), bytes }],
    };
    if members.iter().all(|member| member.bytes.is_empty()) {
        return Err(Refused::Empty);
    }
    Ok(members)
}

fn gunzip(packed: &[u8], bytes_max: usize) -> Result<Vec<u8>, Refused> {
    let mut bytes = Vec::new();
    let mut limited = MultiGzDecoder::new(packed).take(bytes_max as u64 + 1);
    limited.read_to_end(&mut bytes).map_err(|error| Refused::Damaged(format!("gzip: {error}")))?;
    match bytes.len() > bytes_max {
        true => Err(Refused::TooLarge(format!("The unpacked file has more than {} KiB.", bytes_max >> 10))),
        false => Ok(bytes),
    }
}

fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

fn tar(bytes: &[u8], limits: &Limits) -> Result<Vec<Member>, Refused> {
    let damaged = |what: &str| Refused::Damaged(format!("tar: {what}"));
    let mut members = Vec::new();
    let mut at = 0;
    while let Some(header) = bytes.get(at..at + BLOCK) {
        if header.iter().all(|byte| *byte == 0) {
            break;
        }
        let size = octal(&header[124..136]).ok_or_else(|| damaged("a size that is not octal"))?;
        let content = bytes.get(at + BLOCK..).and_then(|rest| rest.get(..size));
        let content = content.ok_or_else(|| damaged("it ends within a file"))?;
        // 0 and NUL are files; folders, links and extended headers are of no use here.
        if matches!(header[156], b'0' | 0) && !content.is_empty() {
            if members.len() == limits.files_max {
                return Err(Refused::TooLarge(format!("The archive has more than {} files.", limits.files_max)));
            }
            let name = header[..100].split(|byte| *byte == 0).next().unwrap_or_default();
            let name = explain::plain(&String::from_utf8_lossy(name));
            let member = Member { name, bytes: content.to_vec() };
            let unpacked = match member.bytes.starts_with(b"\x1f\x8b") {
                true => Member { bytes: gunzip(&member.bytes, limits.file_bytes_max)?, ..member },
                false => member,
            };
            members.push(unpacked);
            let total: usize = members.iter().map(|member| member.bytes.len()).sum();
            if total > limits.file_bytes_max {
                return Err(Refused::TooLarge("The files of the archive are too large together.".to_owned()));
            }
        }
        at += BLOCK + size.div_ceil(BLOCK) * BLOCK;
    }
    match members.is_empty() {
        true => Err(Refused::Empty),
        false => Ok(members),
    }
}

/// A number of a header: octal digits, ended by blanks or NUL.
fn octal(field: &[u8]) -> Option<usize> {
    let digits = field.iter().copied().filter(|byte| !matches!(byte, b' ' | 0));
    digits.into_iter().try_fold(0_usize, |number, digit| match digit {
        b'0'..=b'7' => number.checked_mul(8)?.checked_add(usize::from(digit - b'0')),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::read::GzEncoder;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packed = Vec::new();
        GzEncoder::new(bytes, Compression::fast()).read_to_end(&mut packed).unwrap();
        packed
    }

    fn entry(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
        let mut header = vec![0; BLOCK];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = kind;
        header[257..262].copy_from_slice(b"ustar");
        header.extend(content);
        header.resize(header.len().div_ceil(BLOCK) * BLOCK, 0);
        header
    }

    fn check(body: Vec<u8>, expected: Result<&[(&str, &str)], &str>) {
        let limits = Limits { request_bytes_max: 9000, file_bytes_max: 5000, log_bytes_max: 5000, files_max: 2 };
        let found = members(body, &limits);
        match expected {
            Ok(expected) => {
                let found: Vec<(String, String)> = found
                    .unwrap()
                    .into_iter()
                    .map(|member| (member.name, String::from_utf8(member.bytes).unwrap()))
                    .collect();
                let expected: Vec<(String, String)> =
                    expected.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
                assert_eq!(found, expected);
            }
            Err(word) => {
                let found = format!("{:?}", found.unwrap_err());
                assert!(found.contains(word), "{found}");
            }
        }
    }

    #[test]
    fn files_and_archives_are_unpacked_within_limits() {
        check(b"log".to_vec(), Ok(&[("", "log")]));
        check(Vec::new(), Err("Empty"));
        check(gzip(b"log"), Ok(&[("", "log")]));
        check(gzip(&vec![0; 6000]), Err("TooLarge"));
        check(gzip(b"log")[..8].to_vec(), Err("Damaged"));
        let end = [0; 2 * BLOCK];
        let archive = [entry("a/../../b", b'0', b"1"), entry("c", b'5', b""), entry("d", 0, &gzip(b"2"))].concat();
        check([&archive[..], &end].concat(), Ok(&[("a/../../b", "1"), ("d", "2")]));
        check(gzip(&archive), Ok(&[("a/../../b", "1"), ("d", "2")]));
        check([&archive[..], &entry("e", b'0', b"3")].concat(), Err("files"));
        check(archive[..BLOCK].to_vec(), Err("ends within"));
        check(entry("c", b'5', b""), Err("Empty"));
        let mut lies = entry("a", b'0', b"1");
        lies[124..135].copy_from_slice(b"77777777777");
        check(lies, Err("ends within"));
        let bomb = gzip(&vec![0; 4000]);
        check([entry("a", b'0', &bomb), entry("b", b'0', &bomb)].concat(), Err("together"));
    }
}
