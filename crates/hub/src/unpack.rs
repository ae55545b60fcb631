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
