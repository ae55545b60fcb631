//! Files of a request: a file, compressed or not, or those of an archive. A text with several results is several files.
//! Nothing is written to a disk, so names in an archive refer to no paths.

use crate::limits::{LimitRefusal, Limits};
use archive::{Member, Problem};

/// The files of a request, unpacked, with their names in the archive; a single file has an empty name.
pub fn members(body: Vec<u8>, limits: &Limits) -> Result<Vec<Member>, LimitRefusal> {
    let limits = archive::Limits { files_max: limits.files_max, bytes_max: limits.file_bytes_max };
    let mut members = Vec::new();
    for Member { name, bytes } in archive::files(body, limits)? {
        let name = facts::plain(&name);
        match logs::any_file::split(&bytes) {
            Some(texts) => members.extend(texts.into_iter().map(|(line, text)| Member {
                name: if name.is_empty() { format!("line {line}") } else { format!("{name}, line {line}") },
                bytes: text.into_bytes(),
            })),
            None => members.push(Member { name, bytes }),
        }
    }
    if members.len() > limits.files_max {
        return Err(Problem::Files(limits.files_max).into());
    }
    if members.iter().all(|member| member.bytes.is_empty()) { Err(LimitRefusal::Empty) } else { Ok(members) }
}

impl From<Problem> for LimitRefusal {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Damaged(why) => Self::Damaged(facts::plain(&why)),
            Problem::Files(_) | Problem::Bytes(_) => Self::TooLarge(format!("What was sent {problem}.")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::read::GzEncoder;
    use std::io::Read;

    /// Size of a block of a tar archive (POSIX.1-2017, pax, "ustar Interchange Format").
    const BLOCK: usize = 512;

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
        header[257..263].copy_from_slice(b"ustar\0");
        with_sum(&mut header);
        header.extend(content);
        header.resize(header.len().div_ceil(BLOCK) * BLOCK, 0);
        header
    }

    fn with_sum(header: &mut [u8]) {
        header[148..156].fill(b' ');
        let total = header[..BLOCK].iter().fold(0_u32, |total, byte| total + u32::from(*byte));
        header[148..156].copy_from_slice(format!("{total:06o}\0 ").as_bytes());
    }

    fn check(body: Vec<u8>, expected: Result<&[(&str, &str)], &str>) {
        let limits = Limits { file_bytes_max: 5000, files_max: 2, ..Limits::default() };
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
        check(archive[..BLOCK].to_vec(), Err("Damaged"));
        check(entry("c", b'5', b""), Err("Empty"));
        let mut lies = entry("a", b'0', b"1");
        lies[124..135].copy_from_slice(b"77777777777");
        with_sum(&mut lies);
        check(lies, Err("Damaged"));
        let bomb = gzip(&vec![0; 4000]);
        check([entry("a", b'0', &bomb), entry("b", b'0', &bomb)].concat(), Err("TooLarge"));
    }
}
