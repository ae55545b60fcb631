//! One probe at work: its open file, its place in the row, and when it is read next.

use super::SourceCost;
use crate::sensors::{Beat, NONE, Parser, Probe, Read};
use crate::vcio::{Firmware, Question};
use crate::{Root, Source};
use record::{Missing, Why};
use std::ops::Range;

/// Failures so many times in a row are retried at once: some drivers answer EAGAIN now and then.
const QUICK_RETRIES: u32 = 2;
/// Then a probe is tried again after this time only.
const RETRY_NS: u64 = 5_000_000_000;
/// What is forbidden stays so: the rights of a process do not grow.
const NEVER_NS: u64 = u64::MAX;
/// No probe may take more than one hundredth of the time, so that a slow bus (I2C, firmware) does
/// not hold up the others.
const DUTY_FACTOR: u64 = 100;
/// Characters of an answer that are kept when nobody understands it.
const EXCERPT_BYTES: usize = 40;

/// A probe that is being read.
#[derive(Debug)]
pub(super) struct Slot {
    path: String,
    read: Read,
    beat_ns: u64,
    columns: Range<usize>,
    source: Option<Source>,
    firmware: Option<Firmware>,
    due_ns: u64,
    failures: u32,
    /// The shortest read so far: a longer one only says that something else had the CPU.
    read_ns_min: u64,
    read_ns_total: u64,
    reads: u64,
    wrap: Option<Wrap>,
}

/// A counter that starts again at 0.
#[derive(Debug)]
struct Wrap {
    range: i64,
    last: i64,
    base: i64,
}

/// Why a read gave nothing. Plain data, so that it can be kept without allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The kernel answered with an error.
    Errno(i32),
    /// The answer could not be understood; its beginning.
    Garbled([u8; EXCERPT_BYTES]),
    /// The answer is fine, but says nothing about this channel (a CPU that is offline).
    NotNamed,
}

impl Failure {
    fn garbled(answer: &[u8]) -> Self {
        let mut excerpt = [0; EXCERPT_BYTES];
        let length = answer.len().min(EXCERPT_BYTES);
        excerpt[..length].copy_from_slice(&answer[..length]);
        Self::Garbled(excerpt)
    }

    /// The reason in the words of the Record.
    pub(super) fn missing(&self, path: &str) -> Missing {
        let why = match self {
            Failure::Errno(libc::ENOENT | libc::ENODEV | libc::ENXIO) => Why::Absent,
            Failure::Errno(libc::EACCES | libc::EPERM) => Why::Denied,
            Failure::Errno(errno) => Why::Io(*errno),
            Failure::Garbled(excerpt) => {
                let text = String::from_utf8_lossy(excerpt);
                return Missing::garbled(path, text.trim_end_matches('\0').trim_end());
            }
            Failure::NotNamed => {
                Why::Unsupported(format!("{path} does not name it at this moment"))
            }
        };
        Missing {
            path: path.to_owned(),
            why,
        }
    }
}

impl Slot {
    /// Opens the probe; its values begin at `column` of the row.
    pub(super) fn new(root: &Root, probe: &Probe, column: usize) -> Self {
        let beat_ns = match probe.beat {
            Beat::EveryTick => 0,
            Beat::AtMostEveryMs(ms) => u64::from(ms) * 1_000_000,
        };
        let source = match probe.read {
            Read::File(_) => root.source(&probe.path).ok(),
            _ => None,
        };
        Self {
            path: probe.path.clone(),
            read: probe.read,
            beat_ns,
            columns: column..column + probe.channels.len(),
            source,
            firmware: None,
            due_ns: 0,
            failures: 0,
            read_ns_min: u64::MAX,
            read_ns_total: 0,
            reads: 0,
            wrap: probe.wraps_after.map(|range| Wrap {
                range,
                last: 0,
                base: 0,
            }),
        }
    }

    /// Its place in the row.
    pub(super) fn columns(&self) -> Range<usize> {
        self.columns.clone()
    }

    /// What reading it cost so far.
    pub(super) fn cost(&self) -> SourceCost<'_> {
        SourceCost {
            path: &self.path,
            reads: self.reads,
            read_ns: self.read_ns_total,
        }
    }

    /// True if it is to be read at a tick now; ticks come every `interval_ns`, so that the nearest
    /// one is right.
    pub(super) fn is_due(&self, now_ns: u64, interval_ns: u64) -> bool {
        self.due_ns <= now_ns.saturating_add(interval_ns / 2)
    }

    /// Reads its values. On an error all of them are [`NONE`].
    pub(super) fn read(
        &mut self,
        root: &Root,
        own_cpu_ns: i64,
        buffer: &mut [u8],
        values: &mut [i64],
    ) -> Result<(), Failure> {
        match self.read {
            Read::File(parser) => self.read_file(root, parser, buffer, values)?,
            Read::Firmware(question) => values[0] = self.ask_firmware(root, question)?,
            Read::OwnCpuTime => values[0] = own_cpu_ns,
        }
        if let Some(wrap) = &mut self.wrap {
            values[0] = wrap.unwrap(values[0]);
        }
        Ok(())
    }

    fn ask_firmware(&mut self, root: &Root, question: Question) -> Result<i64, Failure> {
        let firmware = match &mut self.firmware {
            Some(firmware) => firmware,
            none => none.insert(Firmware::open(root).map_err(|missing| errno_of(&missing))?),
        };
        firmware.ask(question).map_err(Failure::Errno)
    }

    fn read_file(
        &mut self,
        root: &Root,
        parser: Parser,
        buffer: &mut [u8],
        values: &mut [i64],
    ) -> Result<(), Failure> {
        let source = match &mut self.source {
            Some(source) => source,
            none => none.insert(
                root.source(&self.path)
                    .map_err(|missing| errno_of(&missing))?,
            ),
        };
        let count = match source.read_into(buffer) {
            Ok(count) => count,
            Err(errno) => {
                // What was removed and comes back (a CPU, a USB device) is another file then.
                if matches!(errno, libc::ENODEV | libc::ENOENT | libc::ENXIO) {
                    self.source = None;
                }
                return Err(Failure::Errno(errno));
            }
        };
        let answer = whole_lines(&buffer[..count], count == buffer.len());
        parser(answer, values);
        if values.iter().all(|value| *value == NONE) {
            return Err(Failure::garbled(answer));
        }
        Ok(())
    }

    /// Puts another source under the probe, to make it fail.
    #[cfg(test)]
    pub(super) fn set_source(&mut self, source: Source) {
        self.source = Some(source);
    }

    /// Decides when it is read next, after a read that took `read_ns`.
    pub(super) fn plan_next(&mut self, now_ns: u64, read_ns: u64, outcome: Result<(), Failure>) {
        self.read_ns_min = self.read_ns_min.min(read_ns);
        self.read_ns_total += read_ns;
        self.reads += 1;
        self.failures = outcome.err().map_or(0, |_| self.failures + 1);
        let retry_ns = match outcome {
            Err(Failure::Errno(libc::EACCES | libc::EPERM)) => NEVER_NS,
            Err(_) if self.failures > QUICK_RETRIES => RETRY_NS,
            _ => 0,
        };
        let duty_ns = self.read_ns_min.saturating_mul(DUTY_FACTOR);
        let wait_ns = self.beat_ns.max(retry_ns).max(duty_ns);
        self.due_ns = now_ns.saturating_add(wait_ns);
    }
}

impl Wrap {
    /// The value as if the counter had never started again.
    fn unwrap(&mut self, value: i64) -> i64 {
        if value < self.last {
            self.base = self.base.saturating_add(self.range).saturating_add(1);
        }
        self.last = value;
        self.base.saturating_add(value)
    }
}

/// Leaves away a last line that did not fit: half a number is another number.
fn whole_lines(answer: &[u8], cut: bool) -> &[u8] {
    match answer.iter().rposition(|byte| *byte == b'\n') {
        Some(end) if cut => &answer[..=end],
        _ => answer,
    }
}

fn errno_of(missing: &Missing) -> Failure {
    Failure::Errno(match missing.why {
        Why::Denied => libc::EACCES,
        Why::Io(errno) => errno,
        _ => libc::ENOENT,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_that_starts_again_goes_on() {
        let mut wrap = Wrap {
            range: 99,
            last: 0,
            base: 0,
        };
        let seen = [10, 90, 5, 50, 49].map(|value| wrap.unwrap(value));
        assert_eq!(seen, [10, 90, 105, 150, 249]);
    }

    #[test]
    fn half_a_line_is_left_away() {
        assert_eq!(whole_lines(b"cpu 1\ncpu0 12", true), b"cpu 1\n");
        assert_eq!(whole_lines(b"cpu 1\ncpu0 12", false), b"cpu 1\ncpu0 12");
        assert_eq!(whole_lines(b"123", true), b"123");
    }
}
