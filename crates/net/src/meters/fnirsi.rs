//! Meter: testers of FNIRSI between supply and board on USB (FNB58, FNB48, FNB48S, C1), by hidraw.
//!
//! After three requests, the tester sends reports of 64 bytes: 0xaa, type 4, four samples of 15 bytes taken 10 ms apart,
//! a byte of unknown meaning, and a checksum (CRC-8, polynomial 0x39, initial value 0x42) of all but the first byte. A
//! sample begins with voltage and current as unsigned 32-bit numbers of 10 µV and 10 µA, least significant byte first.
//! It continues as long as a fourth request is repeated: once per second for FNB58 and FNB48S, after each report for the
//! others. Source of these facts: <https://github.com/baryluk/fnirsi-usb-power-data-logger>.
//!
//! The tester sends no energy; it is integrated here over all samples, and ends when samples were lost. Readings are means
//! over a tenth of a second.

use super::reading::{RawOutput, unit};
use super::usb::{self, Device};
use super::{ANSWER_MAX, Address, Answer, OpenResult, Source};
use machine::{Caller, Failure, Root};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

/// Word of these testers in the table of USB ids.
pub(super) const ID: &str = "fnirsi";

pub(super) fn open(address: &Address, _: Option<&Caller>) -> OpenResult {
    let mut devices = usb::devices(&Root::system()).into_iter();
    let is_it = |device: &Device| address.host.is_empty() || address.host == device.node;
    let found = devices.find(|device| device.meter == Some(ID) && is_it(device));
    let device = found.ok_or_else(|| format!("{} is not on USB; connect it.", address.shown))?;
    Ok(Box::new(FakeTester::open(device)))
}

const REPORT_BYTES: usize = 64;
const SAMPLES: usize = 4;
const SAMPLE_BYTES: usize = 15;
const SAMPLE_TIME: Duration = Duration::from_millis(10);
/// Second byte and checksum of the requests.
const BEGIN: [u8; 2] = [0x81, 0x8e];
const SECOND: [u8; 2] = [0x82, 0x96];
const GO_ON: [u8; 2] = [0x83, 0x9e];
const GO_ON_EVERY: Duration = Duration::from_secs(1);
/// Maximum time between reports without lost samples.
const LATE: Duration = Duration::from_millis(500);
/// Reports of this time are read together: a wake-up costs more than a report.
pub(super) const GATHERED: Duration = Duration::from_millis(100);
/// Maximum number of reports read together, as many as hidraw keeps.
const REPORTS_MAX: usize = 64;
/// Factor of 10 µV to mV.
const PER_THOUSANDTH: f64 = 100.0;

/// A tester, connected or unplugged.
struct FakeTester {
    node: String,
    name: String,
    /// True if each report must be requested.
    asks_each: bool,
    file: Option<File>,
    asked: Instant,
    energy: Energy,
}

/// Energy since the first sample.
#[derive(Debug, Default)]
struct Energy {
    microjoules: f64,
    last: Option<Instant>,
    is_broken: bool,
}

impl Energy {
    /// Adds the mean power of these samples, which is that of the time since the last ones.
    fn add(&mut self, milliwatts: f64, samples: usize, now: Instant) -> Option<f64> {
        let time = self.last.replace(now).map_or(SAMPLE_TIME * samples as u32, |last| now.duration_since(last));
        self.is_broken |= time > LATE;
        self.microjoules += milliwatts * time.as_secs_f64() * 1e3;
        (!self.is_broken).then_some(self.microjoules)
    }
}

impl FakeTester {
    fn open(device: Device) -> Self {
        Self {
            asks_each: device.asks_each,
            node: device.node,
            name: device.name,
            file: None,
            asked: Instant::now(),
            energy: Energy::default(),
        }
    }

    fn next(&mut self) -> Result<Option<Answer>, Failure> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => {
                let path = format!("/dev/{}", self.node);
                let opened = File::options().read(true).write(true).open(path);
                let mut file = opened.map_err(|why| failure(&why))?;
                ioctl_fionbio(&file, true).map_err(|why| Failure::Errno(why.raw_os_error()))?;
                self.begin(&mut file)?;
                file
            }
        };
        let answer = self.reports(&mut file);
        self.file = Some(file);
        answer
    }

    fn begin(&mut self, file: &mut File) -> Result<(), Failure> {
        let third = if self.asks_each { GO_ON } else { SECOND };
        for request in [BEGIN, SECOND, third] {
            ask(file, request)?;
        }
        self.asked = Instant::now();
        Ok(())
    }

    /// Waits for a report, and reads all others that are there. A tester that must be asked for each has no others: it is
    /// asked again for some time.
    fn reports(&mut self, file: &mut File) -> Result<Option<Answer>, Failure> {
        let begin = Instant::now();
        let mut samples = Vec::with_capacity(SAMPLES * REPORTS_MAX);
        for number in 0..REPORTS_MAX {
            if self.asks_each && number > 0 && begin.elapsed() >= GATHERED {
                break;
            }
            if self.asks_each || self.asked.elapsed() >= GO_ON_EVERY {
                ask(file, GO_ON)?;
                self.asked = Instant::now();
            }
            let is_awaited = self.asks_each || number == 0;
            let Some(bytes) = report(file, is_awaited)? else { break };
            match parse_report(&bytes) {
                Ok(own) => samples.extend(own),
                Err(Some(why)) => return Err(why),
                Err(None) => {}
            }
        }
        Ok((!samples.is_empty()).then(|| self.answer(&samples, Instant::now())))
    }

    fn answer(&mut self, samples: &[(f64, f64)], now: Instant) -> Answer {
        let mean = |of: fn(&(f64, f64)) -> f64| samples.iter().map(of).sum::<f64>() / samples.len() as f64;
        let milliwatts = mean(|(millivolts, milliamperes)| millivolts * milliamperes / 1e3);
        let values = [
            ("mW", Some(milliwatts)),
            ("mV", Some(mean(|sample| sample.0))),
            ("mA", Some(mean(|sample| sample.1))),
            ("J", self.energy.add(milliwatts, samples.len(), now)),
        ];
        let mut raw = RawOutput::default();
        for (name, value) in values {
            unit(name).into_iter().for_each(|unit| raw.set(unit, value));
        }
        Answer { name: self.name.clone(), outputs: vec![raw.output()] }
    }
}

impl Source for FakeTester {
    fn read(&mut self) -> Result<Option<Answer>, Failure> {
        let answer = self.next();
        if answer.is_err() {
            // An unplugged tester may return.
            self.file = None;
            std::thread::sleep(GO_ON_EVERY);
        }
        answer
    }
}

/// The next report, at most 64 bytes; `None` if none is there and none is awaited.
fn report(file: &mut File, is_awaited: bool) -> Result<Option<Vec<u8>>, Failure> {
    let mut bytes = vec![0; REPORT_BYTES];
    loop {
        match file.read(&mut bytes) {
            Ok(count) => {
                bytes.truncate(count);
                return Ok(Some(bytes));
            }
            Err(why) if why.kind() != ErrorKind::WouldBlock => return Err(failure(&why)),
            Err(_) if !is_awaited => return Ok(None),
            Err(_) => {}
        }
        let wait = Timespec { tv_sec: ANSWER_MAX.as_secs() as _, tv_nsec: 0 };
        let ready = poll(&mut [PollFd::new(&*file, PollFlags::IN)], Some(&wait));
        if let Ok(0) | Err(_) = ready {
            return Err(Failure::Errno(Errno::TIMEDOUT.raw_os_error()));
        }
    }
}

/// Sends a request. hidraw expects a report number first, 0 for devices without numbered reports.
fn ask(file: &mut File, [word, checksum]: [u8; 2]) -> Result<(), Failure> {
    let mut bytes = [0; REPORT_BYTES + 1];
    (bytes[1], bytes[2], bytes[REPORT_BYTES]) = (0xaa, word, checksum);
    file.write_all(&bytes).map_err(|why| failure(&why))
}

fn failure(why: &std::io::Error) -> Failure {
    why.raw_os_error().map_or_else(|| Failure::garbled(why.to_string().as_bytes()), Failure::Errno)
}

/// Millivolts and milliamperes of the samples of a report; `Err(None)` for a report without samples.
pub(super) fn parse_report(bytes: &[u8]) -> Result<[(f64, f64); SAMPLES], Option<Failure>> {
    let [0xaa, covered @ .., checksum] = bytes else {
        return Err(Some(Failure::garbled(bytes)));
    };
    if bytes.len() != REPORT_BYTES || crc8(covered) != *checksum {
        return Err(Some(Failure::Doubtful("sent a report with a wrong checksum")));
    }
    if covered[0] != 4 {
        return Err(None);
    }
    let mut samples = [(0.0, 0.0); SAMPLES];
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0_u32, |value, byte| value << 8 | u32::from(*byte));
    for (sample, bytes) in samples.iter_mut().zip(covered[1..].chunks_exact(SAMPLE_BYTES)) {
        *sample = (f64::from(number(&bytes[..4])) / PER_THOUSANDTH, f64::from(number(&bytes[4..8])) / PER_THOUSANDTH);
    }
    Ok(samples)
}

fn crc8(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0x42, |crc, byte| {
        (0..8).fold(crc ^ byte, |crc, _| if crc & 0x80 == 0 { crc << 1 } else { crc << 1 ^ 0x39 })
    })
}

#[cfg(test)]
mod tests;
