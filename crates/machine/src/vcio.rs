//! Queries to the firmware of a Raspberry Pi through its mailbox, `/dev/vcio`.
//!
//! Throttle bits, measured clock, voltages, reset reason, and firmware version; on a Raspberry Pi 5 also the rails of
//! its power controller ([`pmic`]). The module never sets values. Pure functions encode and decode messages; format and
//! tags: <https://github.com/raspberrypi/firmware/wiki/Mailbox-property-interface>.

mod command;
mod pmic;

use crate::syscall::{MAILBOX_WORDS, mailbox_property};
use crate::{Root, Source};
use command::ANSWERED;
use record::{Missing, NamedValue, Reading};
use std::fs::File;

pub use pmic::{PMIC_RAILS_MAX, Rail};

/// The device.
pub const PATH: &str = "/dev/vcio";

/// Words before the value of a message with one tag: length, code, tag, size, length.
const HEADER_WORDS: usize = 5;
/// Words for the value, without the header and the end tag.
const VALUE_WORDS: usize = MAILBOX_WORDS - HEADER_WORDS - 1;

/// Command for PM_RSTS, and the name in its answer.
const RESET_BITS: &str = "get_rsts";
const TAG_FIRMWARE_HASH: u32 = 0x0000_0003;

/// Query with a single number as answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Question {
    /// Bits: 0 under-voltage, 1 clock capped, 2 throttled, 3 soft temperature limit; 16 to 19 the same since boot. Sent
    /// with a mask of 0, so that bits are not cleared.
    Throttled,
    /// Measured clock of the ARM cores, in Hz.
    ArmClockMeasured,
    /// Core voltage in µV.
    CoreVoltage,
    /// Build time of the firmware in seconds since 1970; the documentation calls it its revision.
    FirmwareDate,
}

impl Question {
    /// Tag, value sent with it, and index of the answer in the returned value.
    fn wire(self) -> (u32, &'static [u32], usize) {
        // Clock 3 is that of the ARM cores, voltage 1 that of the core.
        match self {
            Question::Throttled => (0x0003_0046, &[0], 0),
            Question::ArmClockMeasured => (0x0003_0047, &[3, 0], 1),
            Question::CoreVoltage => (0x0003_0003, &[1, 0], 1),
            Question::FirmwareDate => (0x0000_0001, &[0], 0),
        }
    }
}

/// Open mailbox of the firmware.
#[derive(Debug)]
pub struct Firmware(File);

impl Firmware {
    /// Opens the mailbox.
    ///
    /// # Errors
    /// The machine has none (not a Raspberry Pi), permission is denied (group `video`), or the root is a copy.
    pub fn open(root: &Root) -> Reading<Self> {
        if !root.is_system() {
            let reason = "the firmware can be queried on the running system only";
            return Err(Missing::unsupported(PATH, reason));
        }
        match root.source(PATH)? {
            Source::File(file) => Ok(Self(file)),
            _ => Err(Missing::absent(PATH)),
        }
    }

    /// Sends a query.
    ///
    /// # Errors
    /// The errno; `EOPNOTSUPP` if this firmware does not support the query.
    pub fn ask(&self, question: Question) -> Result<i64, i32> {
        let (tag, value, place) = question.wire();
        let mut message = request(tag, value);
        mailbox_property(&self.0, &mut message)?;
        answer(&message)?.get(place).map(|word| i64::from(*word)).ok_or(libc::EIO)
    }

    /// Rails of the power controller of a Raspberry Pi 5, ordered by name.
    ///
    /// # Errors
    /// As [`Firmware::ask`]; `EOPNOTSUPP` on boards without one.
    pub fn pmic_rails(&self) -> Result<Vec<Rail>, i32> {
        let mut text = [0; command::TEXT_BYTES];
        Ok(pmic::rails(self.send_command(pmic::COMMAND, &mut text)?))
    }

    /// Total power of the rails in microwatts, then each rail in the order of [`Firmware::pmic_rails`]. Does not
    /// allocate.
    ///
    /// # Errors
    /// As [`Firmware::pmic_rails`].
    pub fn pmic(&self, values: &mut [i64]) -> Result<(), i32> {
        let mut text = [0; command::TEXT_BYTES];
        pmic::parse(self.send_command(pmic::COMMAND, &mut text)?, values);
        Ok(())
    }

    /// Register PM_RSTS, the reason of the last reset.
    ///
    /// # Errors
    /// As [`Firmware::ask`].
    pub fn reset_bits(&self) -> Result<u32, i32> {
        let mut text = [0; command::TEXT_BYTES];
        let answer = self.send_command(RESET_BITS.as_bytes(), &mut text)?;
        command::parse_hex(answer, RESET_BITS).ok_or(libc::EIO)
    }

    /// Answer of the firmware to a text command.
    fn send_command<'a>(&self, command: &[u8], text: &'a mut [u8; command::TEXT_BYTES]) -> Result<&'a [u8], i32> {
        let mut message = command::question(command);
        mailbox_property(&self.0, &mut message)?;
        command::answer(&message, text)
    }

    /// Commit of the firmware's source, in hexadecimal.
    ///
    /// # Errors
    /// As [`Firmware::ask`].
    pub fn hash(&self) -> Result<String, i32> {
        let mut message = request(TAG_FIRMWARE_HASH, &[0; 5]);
        mailbox_property(&self.0, &mut message)?;
        Ok(answer(&message)?.iter().map(|word| format!("{word:08x}")).collect())
    }
}

/// Versions of the firmware for the Record; empty on machines other than a Raspberry Pi.
pub(crate) fn firmware(root: &Root) -> Vec<NamedValue> {
    let Ok(firmware) = Firmware::open(root) else { return Vec::new() };
    let named = |name: &str, value: Result<String, i32>| {
        value.ok().map(|value| NamedValue { name: name.into(), value, from: PATH.into() })
    };
    let date = firmware.ask(Question::FirmwareDate);
    [named("threadx-version", firmware.hash()), named("threadx-date", date.map(|seconds| seconds.to_string()))]
        .into_iter()
        .flatten()
        .collect()
}

/// Parses arbitrary answers of the firmware, for fuzzing.
pub(crate) fn foreign(bytes: &[u8]) {
    let mut message = [0; command::WORDS];
    for (word, bytes) in message.iter_mut().zip(bytes.chunks(4)) {
        let mut whole = [0; 4];
        whole[..bytes.len()].copy_from_slice(bytes);
        *word = u32::from_le_bytes(whole);
    }
    let mut short = [0; MAILBOX_WORDS];
    short.copy_from_slice(&message[..MAILBOX_WORDS]);
    let _ = answer(&short);
    let mut text = [0; command::TEXT_BYTES];
    let mut values = [0; PMIC_RAILS_MAX];
    for text in [command::answer(&message, &mut text).unwrap_or_default(), bytes] {
        pmic::rails(text);
        pmic::parse(text, &mut values);
        command::parse_hex(text, RESET_BITS);
    }
}

/// Message with one tag. `value` has the length of the longer of query and answer.
fn request(tag: u32, value: &[u32]) -> [u32; MAILBOX_WORDS] {
    let mut message = [0; MAILBOX_WORDS];
    let value = &value[..value.len().min(VALUE_WORDS)];
    let bytes = size_of_val(value) as u32;
    let end_tag_bytes = 4;
    message[0] = (HEADER_WORDS * 4) as u32 + bytes + end_tag_bytes;
    message[2] = tag;
    message[3] = bytes;
    message[HEADER_WORDS..HEADER_WORDS + value.len()].copy_from_slice(value);
    message
}

/// Value of an answer.
fn answer(message: &[u32; MAILBOX_WORDS]) -> Result<&[u32], i32> {
    if message[1] != ANSWERED {
        return Err(libc::EIO);
    }
    if message[4] & ANSWERED == 0 {
        return Err(libc::EOPNOTSUPP);
    }
    let room_bytes = message[3];
    let bytes = (message[4] & !ANSWERED).min(room_bytes);
    let words = (bytes as usize / 4).min(VALUE_WORDS);
    Ok(&message[HEADER_WORDS..HEADER_WORDS + words])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn question_on_the_wire() {
        let message = request(0x0003_0047, &[3, 0]);
        assert_eq!(message[..8], [32, 0, 0x0003_0047, 8, 0, 3, 0, 0]);
    }

    #[test]
    fn answers() {
        let answered = |words: &[u32]| {
            let mut message = [0; MAILBOX_WORDS];
            message[..words.len()].copy_from_slice(words);
            answer(&message).map(<[u32]>::to_vec)
        };
        for (words, expected) in [
            // Currently throttled, and under-voltage since boot.
            (vec![28, ANSWERED, 0x0003_0046, 4, ANSWERED | 4, 0x0005_0005], Ok(vec![0x0005_0005])),
            (vec![32, ANSWERED, 0x0003_0047, 8, ANSWERED | 8, 3, 1_500_398_464], Ok(vec![3, 1_500_398_464])),
            // Message not understood.
            (vec![28, 0x8000_0001, 0x0003_0046, 4, 0, 0], Err(libc::EIO)),
            // Tag not understood.
            (vec![28, ANSWERED, 0x0003_0046, 4, 0, 0], Err(libc::EOPNOTSUPP)),
            // The answer is longer than the space.
            (vec![28, ANSWERED, 0x0003_0046, 4, ANSWERED | 400, 7, 8], Ok(vec![7])),
        ] {
            assert_eq!(answered(&words), expected, "{words:x?}");
        }
    }

    #[test]
    fn every_question_fits_and_has_its_answer_inside() {
        for question in [Question::Throttled, Question::ArmClockMeasured, Question::CoreVoltage, Question::FirmwareDate]
        {
            let (tag, value, place) = question.wire();
            assert!(place < value.len() && value.len() <= VALUE_WORDS, "{question:?}");
            assert_eq!(request(tag, value)[3] as usize, value.len() * 4);
        }
    }

    #[test]
    fn board_file_has_no_firmware() {
        let root = Root::from_board("== /dev/vcio\n").unwrap();
        let missing = Firmware::open(&root).unwrap_err();
        assert!(matches!(missing.why, record::MissingReason::Unsupported(_)));
    }
}
