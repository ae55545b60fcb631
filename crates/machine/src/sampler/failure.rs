//! Reasons for failed reads: plain data that can be recorded without allocation, and their texts.

use record::{Missing, MissingReason};

/// Maximum number of bytes kept of an invalid answer.
const EXCERPT_BYTES: usize = 40;
/// Maximum number of bytes of a reason that names parts of the answer.
const PREDICATE_BYTES: usize = 112;
/// End of a shortened reason.
const ELLIPSIS: &str = "...";

/// Reason why a read failed, or why values around this time are unreliable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Kernel error.
    Errno(i32),
    /// Invalid answer; its beginning.
    Garbled([u8; EXCERPT_BYTES]),
    /// The answer is valid but lacks this channel (an offline CPU).
    NotNamed,
    /// The answer is well-formed but impossible; the reason, as a predicate.
    Doubtful(&'static str),
    /// The answer lacks the value; the reason, as a predicate that names what it has.
    Lacking([u8; PREDICATE_BYTES]),
    /// No answer for this many seconds.
    Silent(u32),
    /// The machine was suspended for this many milliseconds.
    Suspended(u64),
    /// The sampler extended its interval to this many milliseconds, to stay within its budget.
    SlowedDown(u64),
    /// Sampling takes this share of one CPU, in millionths; the interval is kept.
    Expensive(u64),
    /// The system time was set forward (negative: backward) by this many milliseconds.
    TimeStepped(i64),
}

impl Failure {
    /// Invalid answer.
    pub fn garbled(answer: &[u8]) -> Self {
        Self::Garbled(beginning(answer))
    }

    /// An answer without the value; a predicate, of which only the beginning is kept.
    pub fn lacking(predicate: &str) -> Self {
        if predicate.len() <= PREDICATE_BYTES {
            return Self::Lacking(beginning(predicate.as_bytes()));
        }
        let mut ends = (0..=PREDICATE_BYTES - ELLIPSIS.len()).rev();
        let end = ends.find(|end| predicate.is_char_boundary(*end)).unwrap_or(0);
        Self::Lacking(beginning(format!("{}{ELLIPSIS}", &predicate[..end]).as_bytes()))
    }

    /// Reason in the format of the Record; `path` is the source.
    pub fn missing(&self, path: &str) -> Missing {
        let why = match self {
            Failure::Errno(libc::ENOENT | libc::ENODEV | libc::ENXIO) => MissingReason::Absent,
            Failure::Errno(libc::EACCES | libc::EPERM) => MissingReason::Denied,
            Failure::Errno(libc::EOPNOTSUPP) => {
                MissingReason::Unsupported(format!("not available on this machine ({path})"))
            }
            Failure::Errno(errno) => MissingReason::Io(*errno),
            Failure::Garbled(excerpt) => return Missing::garbled(path, &text(excerpt)),
            Failure::Lacking(predicate) => MissingReason::Unsupported(format!("{path} {}", text(predicate))),
            Failure::NotNamed => MissingReason::Unsupported(format!("{path} does not currently contain it")),
            Failure::Doubtful(reason) => MissingReason::Unsupported(format!("{path} {reason}")),
            Failure::Silent(seconds) => MissingReason::Unsupported(format!("{path} has not responded for {seconds} s")),
            Failure::Suspended(ms) => {
                MissingReason::Unsupported(format!("the machine was suspended for {}.{:03} s", ms / 1000, ms % 1000))
            }
            Failure::SlowedDown(ms) => {
                MissingReason::Unsupported(format!("sampling interval increased to {ms} ms to limit CPU use"))
            }
            Failure::Expensive(ppm) => {
                let (percent, hundredths) = (ppm / 10_000, ppm / 100 % 100);
                MissingReason::Unsupported(format!(
                    "sampling takes {percent}.{hundredths:02} % of one CPU; a longer interval costs less"
                ))
            }
            Failure::TimeStepped(ms) => {
                let direction = if *ms < 0 { "back" } else { "forward" };
                let ms = ms.unsigned_abs();
                MissingReason::Unsupported(format!(
                    "the system time was set {direction} by {}.{:03} s; sample times are not affected",
                    ms / 1000,
                    ms % 1000
                ))
            }
        };
        Missing { path: path.to_owned(), why }
    }
}

/// The beginning of a text, as far as there is room.
fn beginning<const BYTES: usize>(text: &[u8]) -> [u8; BYTES] {
    let mut kept = [0; BYTES];
    let length = text.len().min(BYTES);
    kept[..length].copy_from_slice(&text[..length]);
    kept
}

fn text(kept: &[u8]) -> String {
    String::from_utf8_lossy(kept).trim_end_matches('\0').trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_words() {
        for (failure, words) in [
            (Failure::Errno(libc::ENODEV), "/x does not exist"),
            (Failure::Errno(libc::EAGAIN), "/x: temporarily unavailable (EAGAIN)"),
            (Failure::garbled(b"N/A\n"), "/x contains unexpected text \"N/A\""),
            (Failure::Doubtful("repeats its time stamp"), "/x repeats its time stamp"),
            (Failure::lacking("has no value at $.x"), "/x has no value at $.x"),
            (Failure::lacking(&"µ".repeat(99)), &format!("/x {}...", "µ".repeat(54))),
            (Failure::Silent(7), "/x has not responded for 7 s"),
            (Failure::Suspended(61_020), "the machine was suspended for 61.020 s"),
            (Failure::SlowedDown(1_000), "sampling interval increased to 1000 ms to limit CPU use"),
            (Failure::Expensive(34_567), "sampling takes 3.45 % of one CPU; a longer interval costs less"),
            (
                Failure::TimeStepped(-3_600_000),
                "the system time was set back by 3600.000 s; sample times are not affected",
            ),
        ] {
            assert_eq!(failure.missing("/x").to_string(), words);
        }
    }
}
