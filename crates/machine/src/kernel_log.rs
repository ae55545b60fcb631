//! Messages of the kernel that appear during a run, from `/dev/kmsg` (Linux Documentation/ABI/ testing/dev-kmsg).
//! Opened once, positioned after existing messages, and non-blocking.
//!
//! Only the kernel's own messages are kept, because services write to the same buffer.

use crate::faults::{self, Call};
use crate::timeline::monotonic_ns;
use crate::{Root, Source, Timeline};
use identify::missing_errno;
pub use identify::{KmsgRecord, parse_kmsg};
use record::{KernelMessage, Missing, Reading};
use std::io::Read;

const PATH: &str = "/dev/kmsg";
/// Size of the read buffer; the kernel limits records to this (`CONSOLE_EXT_LOG_MAX`, 8 KiB), and shorter reads return
/// EINVAL.
const RECORD_BYTES_MAX: usize = 8192;
/// Maximum number of messages kept per call, because a faulty driver may print thousands a second.
const MESSAGES_MAX: usize = 2000;
/// Maximum number of records; the ring buffer holds some 16,000 of usual length (`CONFIG_LOG_BUF_SHIFT`).
const RECORDS_MAX: usize = 50_000;
/// Beginnings of the first message.
const BANNERS: [&str; 2] = ["Linux version", "Booting Linux"];
/// Number of first records in which boot messages are searched.
const BOOT_RECORDS: usize = 16;

/// Kernel messages since this was opened.
#[derive(Debug)]
pub struct KernelLog {
    reader: Reader,
    boot_messages_present: bool,
    /// End of the last call on the time axis of the run.
    asked_ms: i64,
}

#[derive(Debug)]
enum Reader {
    Device(std::fs::File),
    /// The text of a board is parsed at every call; records up to this number are known.
    Board {
        root: Root,
        after: Option<u64>,
    },
}

impl Reader {
    /// Opens the log; the first message is the oldest one.
    fn open(root: &Root) -> Reading<Self> {
        match root.source(PATH)? {
            Source::File(file) if root.is_system() => {
                // Otherwise a read after the last message would wait for the next one.
                let flags = rustix::fs::fcntl_getfl(&file).map_err(missing)?;
                rustix::fs::fcntl_setfl(&file, flags | rustix::fs::OFlags::NONBLOCK).map_err(missing)?;
                Ok(Self::Device(file))
            }
            // A directory used as a machine may contain any file with this name.
            _ => Ok(Self::Board { root: root.clone(), after: None }),
        }
    }

    /// Reads the next records, at most `count_max`.
    fn read(&mut self, count_max: usize) -> Reading<Vec<LogRead>> {
        let mut found = Vec::new();
        match self {
            Self::Device(file) => {
                while found.len() < count_max
                    && let Some(read) = read_record(file).map_err(|errno| missing_errno(PATH, errno))?
                {
                    found.push(read);
                }
            }
            Self::Board { root, after } => {
                let text = root.read(PATH)?;
                let records = text.lines().filter_map(parse_kmsg);
                let new = records.filter(|record| after.is_none_or(|known| record.sequence > known));
                found.extend(new.take(count_max).map(LogRead::Record));
                if let Some(LogRead::Record(last)) = found.last() {
                    *after = Some(last.sequence);
                }
            }
        }
        Ok(found)
    }
}

impl KernelLog {
    /// Opens the kernel log; existing messages are not reported.
    ///
    /// # Errors
    /// `/dev/kmsg` does not exist (containers), or needs root (`kernel.dmesg_restrict`).
    pub fn open(root: &Root) -> Reading<Self> {
        let mut reader = Reader::open(root)?;
        let is_device = matches!(reader, Reader::Device(_));
        let first = reader.read(if is_device { BOOT_RECORDS } else { RECORDS_MAX })?;
        if let Reader::Device(file) = &reader {
            rustix::fs::seek(file, rustix::fs::SeekFrom::End(0)).map_err(missing)?;
        }
        Ok(Self { boot_messages_present: begins_at_boot(&first), reader, asked_ms: 0 })
    }

    /// False if the ring buffer no longer contains the boot messages.
    pub fn boot_messages_present(&self) -> bool {
        self.boot_messages_present
    }

    /// Messages since the last call, or since it was opened. If the ring buffer was overrun, a message in brackets
    /// reports the loss.
    ///
    /// The clock of kernel messages drifts from that of the run by seconds a day. Times are clamped to the interval
    /// between the last call and this one, so frequent calls are more accurate.
    ///
    /// # Errors
    /// The log is no longer readable.
    pub fn since(&mut self, timeline: &Timeline) -> Reading<Vec<KernelMessage>> {
        let found = self.reader.read(MESSAGES_MAX)?;
        let (mut left_out, mut last) = (0, found.len());
        while last == MESSAGES_MAX {
            last = self.reader.read(MESSAGES_MAX)?.len();
            left_out += last;
        }
        let (asked_ms, now_ms) = (self.asked_ms, timeline.now_ms());
        self.asked_ms = now_ms;
        // The time axis of a resumed run began before this boot.
        let start_ns = i128::from(monotonic_ns()) - i128::from(timeline.now_ns());
        let moment = |stamp_us: u64| {
            let ms = (i128::from(stamp_us) * 1000 - start_ns) / 1_000_000;
            // A fake time axis is unrelated to the kernel's clock.
            let ms = i64::try_from(ms).ok().filter(|_| !timeline.is_fake())?;
            Some(ms.clamp(asked_ms.min(now_ms), now_ms))
        };
        let mut messages: Vec<KernelMessage> =
            found.into_iter().filter_map(|read| message(read, now_ms, &moment)).collect();
        if left_out > 0 {
            messages.push(note(now_ms, format!("[{left_out} more messages]")));
        }
        Ok(messages)
    }
}

/// First `records_max` kernel messages of the ring buffer; empty if it cannot be read.
pub(crate) fn boot_messages(root: &Root, records_max: usize) -> Vec<String> {
    messages(root, records_max).unwrap_or_default()
}

/// All kernel messages in the ring buffer, oldest first.
///
/// # Errors
/// `/dev/kmsg` does not exist, or needs root.
pub(crate) fn all_messages(root: &Root) -> Reading<Vec<String>> {
    messages(root, RECORDS_MAX)
}

fn messages(root: &Root, records_max: usize) -> Reading<Vec<String>> {
    let read = Reader::open(root)?.read(records_max)?;
    let text = |read| match read {
        LogRead::Record(record) => KmsgRecord::kernel_text(record),
        LogRead::Lost | LogRead::Garbled => None,
    };
    Ok(read.into_iter().filter_map(text).collect())
}

fn missing(errno: rustix::io::Errno) -> Missing {
    missing_errno(PATH, errno.raw_os_error())
}

/// Result of one read.
enum LogRead {
    Record(KmsgRecord),
    /// Messages were overwritten before they were read (EPIPE); the next read continues after them.
    Lost,
    /// A record that is invalid or too long for the buffer.
    Garbled,
}

/// Reads one record; `None` at the end.
fn read_record(file: &mut std::fs::File) -> Result<Option<LogRead>, i32> {
    let mut buffer = [0; RECORD_BYTES_MAX];
    match faults::pass(Call::Read, PATH, || file.read(&mut buffer)) {
        Ok(0) => Ok(None),
        Ok(count) => {
            let text = String::from_utf8_lossy(&buffer[..count]);
            Ok(Some(parse_kmsg(&text).map_or(LogRead::Garbled, LogRead::Record)))
        }
        Err(error) => match error.raw_os_error().unwrap_or(libc::EIO) {
            libc::EAGAIN => Ok(None),
            libc::EPIPE => Ok(Some(LogRead::Lost)),
            libc::EINTR => Ok(Some(LogRead::Garbled)),
            errno => {
                crate::root::unread_files::note(std::path::Path::new(PATH), errno);
                Err(errno)
            }
        },
    }
}

fn message(read: LogRead, now_ms: i64, moment: &impl Fn(u64) -> Option<i64>) -> Option<KernelMessage> {
    match read {
        LogRead::Record(record) if record.facility == 0 => {
            Some(KernelMessage { at_ms: moment(record.stamp_us), text: record.text, line: None })
        }
        LogRead::Lost => Some(note(now_ms, "[messages lost: ring buffer overrun]".into())),
        LogRead::Record(_) | LogRead::Garbled => None,
    }
}

fn note(now_ms: i64, text: String) -> KernelMessage {
    KernelMessage { at_ms: Some(now_ms), text, line: None }
}

/// Records are numbered from 0 at boot, so the oldest one shows whether any was lost.
fn begins_at_boot(first: &[LogRead]) -> bool {
    let record = |read: &LogRead| match read {
        LogRead::Record(record) => record.sequence == 0 || BANNERS.iter().any(|begin| record.text.starts_with(begin)),
        LogRead::Lost | LogRead::Garbled => false,
    };
    first.iter().any(record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::MissingReason;

    #[test]
    fn only_later_messages_are_returned() {
        let board = "== /dev/kmsg\n5,0,0,-;Linux version 6.1\n6,1,10,-;old\n";
        let root = Root::from_board(board).unwrap();
        let mut log = KernelLog::open(&root).unwrap();
        let timeline = Timeline::fake(0);
        assert!(log.boot_messages_present());
        assert_eq!(log.since(&timeline).unwrap(), []);
        let later = "6,1,10,-;old\n30,2,20,-;a service\n4,3,30,-;oom-kill: x";
        root.write(PATH, later).unwrap();
        let messages = log.since(&timeline).unwrap();
        let texts: Vec<_> = messages.iter().map(|m| (m.text.as_str(), m.at_ms)).collect();
        assert_eq!(texts, [("oom-kill: x", None)]);
        assert_eq!(log.since(&timeline).unwrap(), []);
    }

    #[test]
    fn ring_buffer_overrun() {
        for (text, expected) in [
            ("6,0,0,-;x\n", true),
            ("6,5,0,-;Booting Linux on physical CPU 0x0\n", true),
            ("6,5,0,-;x\n", false),
            ("", false),
        ] {
            let root = Root::from_board(&format!("== /dev/kmsg\n{text}")).unwrap();
            let log = KernelLog::open(&root).unwrap();
            assert_eq!(log.boot_messages_present(), expected, "{text}");
        }
        let denied = Root::from_board("== /dev/kmsg ! EPERM\n").unwrap();
        assert_eq!(KernelLog::open(&denied).unwrap_err().why, MissingReason::Denied);
    }

    #[test]
    fn running_kernel_log() {
        match KernelLog::open(&Root::system()) {
            Ok(mut log) => {
                let timeline = Timeline::start();
                for message in log.since(&timeline).unwrap() {
                    assert!(message.at_ms.is_some_and(|ms| ms <= timeline.now_ms()));
                }
            }
            Err(missing) => assert!(matches!(missing.why, MissingReason::Absent | MissingReason::Denied)),
        }
    }
}
