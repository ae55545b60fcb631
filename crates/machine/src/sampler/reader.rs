//! Reads one source: its open file or device, and the parser of its answer.
//!
//! The caller decides when to read, and stores the values.

use super::failure::Failure;
use super::measured_threads::MeasuredThreads;
use crate::perf::CpuCycles;
use crate::sensors::{NONE, Parser, Probe, ReadMethod, Scale};
use crate::vcio::{Firmware, PMIC_RAILS_MAX, Question};
use crate::{Root, Source};
use record::{Missing, MissingReason};

/// Values of the sampler itself, for its own channels.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SamplerValues {
    pub(super) cpu_ns: i64,
    pub(super) delay_us: i64,
}

/// Number of reads until a missing source (a CPU register without its driver) is tried again, because opening costs
/// much more than reading.
const READS_UNTIL_RETRY: u32 = 64;

/// Probe with its open file.
#[derive(Debug)]
pub(super) struct Reader {
    root: Root,
    path: String,
    read: ReadMethod,
    source: Option<Source>,
    /// Failure of a source that never existed, and the number of reads since the last try.
    never_there: Option<(Failure, u32)>,
    firmware: Option<Firmware>,
    cycles: Option<CpuCycles>,
    threads: MeasuredThreads,
    wrap: Option<Wrap>,
    scale: Scale,
}

/// Counter that wraps to 0.
#[derive(Debug)]
struct Wrap {
    range: i64,
    last: i64,
    base: i64,
}

impl Reader {
    pub(super) fn new(root: &Root, probe: &Probe) -> Self {
        Self {
            root: root.clone(),
            path: probe.path.clone(),
            read: probe.read,
            source: None,
            never_there: None,
            firmware: None,
            cycles: None,
            threads: MeasuredThreads::default(),
            wrap: probe.wraps_after.map(|range| Wrap { range, last: 0, base: 0 }),
            scale: probe.scale.clone(),
        }
    }

    /// Opens the file before the first read. Reads retry on failure and report the reason.
    pub(super) fn open(&mut self) {
        if matches!(self.read, ReadMethod::File(_) | ReadMethod::Register(_)) {
            match self.root.source(&self.path) {
                Ok(source) => self.source = Some(source),
                Err(missing) => self.never_there = Some((errno_of(&missing), 0)),
            }
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Replaces the source of the probe by a failing one.
    #[cfg(test)]
    pub(super) fn set_source(&mut self, source: Source) {
        self.source = Some(source);
    }

    /// Reads the values. On an error all of them are [`NONE`].
    pub(super) fn read(
        &mut self,
        sampler_values: SamplerValues,
        buffer: &mut [u8],
        values: &mut [i64],
    ) -> Result<(), Failure> {
        match self.read {
            ReadMethod::File(parser) => self.read_file(parser, buffer, values)?,
            ReadMethod::Register(address) => values[0] = self.read_register(address)?,
            ReadMethod::Firmware(question) => values[0] = self.ask_firmware(question)?,
            ReadMethod::Cycles(cpu) => values[0] = self.read_cycles(cpu)?,
            ReadMethod::MeasuredThreads => {
                let times = self.threads.read(&self.root).map_err(|m| errno_of(&m))?;
                values.copy_from_slice(&times);
            }
            ReadMethod::PmicRails => self.ask_pmic(values)?,
            ReadMethod::OwnCpuTime => values[0] = sampler_values.cpu_ns,
            ReadMethod::OwnDelay => values[0] = sampler_values.delay_us,
        }
        if let Some(wrap) = &mut self.wrap {
            values[0] = wrap.unwrap(values[0]);
        }
        Ok(())
    }

    fn firmware(&mut self) -> Result<&Firmware, Failure> {
        match &mut self.firmware {
            Some(firmware) => Ok(firmware),
            none => {
                let opened = Firmware::open(&self.root).map_err(|missing| errno_of(&missing))?;
                Ok(none.insert(opened))
            }
        }
    }

    fn read_cycles(&mut self, cpu: u32) -> Result<i64, Failure> {
        let cycles = match &mut self.cycles {
            Some(cycles) => cycles,
            none => {
                let opened = CpuCycles::open(&self.root, cpu);
                none.insert(opened.map_err(|missing| errno_of(&missing))?)
            }
        };
        let read = cycles.read();
        if read == Err(libc::ENODEV) {
            // The CPU went offline; its counter must be reopened.
            self.cycles = None;
        }
        read.map_err(Failure::Errno)
    }

    fn ask_firmware(&mut self, question: Question) -> Result<i64, Failure> {
        self.firmware()?.ask(question).map_err(Failure::Errno)
    }

    fn ask_pmic(&mut self, values: &mut [i64]) -> Result<(), Failure> {
        let mut rails = [NONE; PMIC_RAILS_MAX];
        let count = values.len().min(rails.len());
        let firmware = self.firmware()?;
        firmware.pmic(&mut rails[..count]).map_err(Failure::Errno)?;
        values[..count].copy_from_slice(&rails[..count]);
        Ok(())
    }

    fn source(&mut self) -> Result<&Source, Failure> {
        match &mut self.source {
            Some(source) => Ok(source),
            none => {
                if let Some((why, reads)) = &mut self.never_there {
                    *reads = reads.wrapping_add(1);
                    if *reads % READS_UNTIL_RETRY != 0 {
                        return Err(*why);
                    }
                }
                let opened = self.root.source(&self.path).map_err(|missing| errno_of(&missing))?;
                self.never_there = None;
                Ok(none.insert(opened))
            }
        }
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> Result<usize, Failure> {
        match self.source()?.read_at(buffer, offset) {
            Ok(count) => Ok(count),
            Err(errno) => {
                // A device that was removed and added again (a CPU, a USB device) has a new file.
                if matches!(errno, libc::ENODEV | libc::ENOENT | libc::ENXIO) {
                    self.source = None;
                }
                Err(Failure::Errno(errno))
            }
        }
    }

    fn read_file(&mut self, parser: Parser, buffer: &mut [u8], values: &mut [i64]) -> Result<(), Failure> {
        let count = self.read_at(buffer, 0)?;
        let answer = whole_lines(&buffer[..count], count == buffer.len());
        parser(answer, values);
        self.scale.apply(values);
        if values.iter().all(|value| *value == NONE) {
            return Err(Failure::garbled(answer));
        }
        Ok(())
    }

    /// Reads a CPU register: eight bytes at the register's number. The relevant bits are the lower ones.
    fn read_register(&mut self, address: u32) -> Result<i64, Failure> {
        let mut bytes = [0; 8];
        let count = self.read_at(&mut bytes, u64::from(address))?;
        if count != bytes.len() {
            return Err(Failure::garbled(&bytes[..count]));
        }
        Ok(i64::from_le_bytes(bytes) & i64::MAX)
    }
}

impl Wrap {
    /// Value without wraps.
    fn unwrap(&mut self, value: i64) -> i64 {
        if value == NONE {
            return NONE;
        }
        if value < self.last {
            self.base = self.base.saturating_add(self.range).saturating_add(1);
        }
        self.last = value;
        self.base.saturating_add(value)
    }
}

/// Removes a truncated last line, because half a number is a wrong number.
fn whole_lines(answer: &[u8], cut: bool) -> &[u8] {
    match answer.iter().rposition(|byte| *byte == b'\n') {
        Some(end) if cut => &answer[..=end],
        _ => answer,
    }
}

fn errno_of(missing: &Missing) -> Failure {
    Failure::Errno(match missing.why {
        MissingReason::Denied => libc::EACCES,
        MissingReason::Io(errno) => errno,
        MissingReason::Unsupported(_) => libc::EOPNOTSUPP,
        _ => libc::ENOENT,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counter_that_starts_again_goes_on() {
        let mut wrap = Wrap { range: 99, last: 0, base: 0 };
        let seen = [10, 90, 5, NONE, 50, 49].map(|value| wrap.unwrap(value));
        assert_eq!(seen, [10, 90, 105, NONE, 150, 249]);
    }

    #[test]
    fn half_a_line_is_left_away() {
        assert_eq!(whole_lines(b"cpu 1\ncpu0 12", true), b"cpu 1\n");
        assert_eq!(whole_lines(b"cpu 1\ncpu0 12", false), b"cpu 1\ncpu0 12");
        assert_eq!(whole_lines(b"123", true), b"123");
    }
}
