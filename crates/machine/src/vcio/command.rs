//! Text commands to the firmware, as `vcgencmd` sends them, and its text answers.
//! <https://www.raspberrypi.com/documentation/computers/os.html#vcgencmd>

/// Code of an answered message, and flag in the length of an answered tag.
pub(super) const ANSWERED: u32 = 0x8000_0000;
/// Size of the text in query and answer, in bytes.
pub(super) const TEXT_BYTES: usize = 1024;
/// Words before the text: length, code, tag, size, length of the value, error.
const HEADER_WORDS: usize = 6;
pub(super) const WORDS: usize = HEADER_WORDS + TEXT_BYTES / 4 + 1;
const TAG_COMMAND: u32 = 0x0003_0080;

/// Command as a message; it ends with a zero.
pub(super) fn question(command: &[u8]) -> [u32; WORDS] {
    let mut message = [0; WORDS];
    message[0] = (WORDS * 4) as u32;
    message[2] = TAG_COMMAND;
    message[3] = TEXT_BYTES as u32;
    for (index, bytes) in command.chunks(4).take(TEXT_BYTES / 4 - 1).enumerate() {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        message[HEADER_WORDS + index] = u32::from_le_bytes(word);
    }
    message
}

/// Text of an answer.
pub(super) fn answer<'a>(message: &[u32; WORDS], text: &'a mut [u8; TEXT_BYTES]) -> Result<&'a [u8], i32> {
    if message[1] != ANSWERED {
        return Err(libc::EIO);
    }
    // Other boards answer with an error number, or with `error=1 error_msg="Command not ..."`.
    if message[HEADER_WORDS - 1] != 0 {
        return Err(libc::EOPNOTSUPP);
    }
    let words = &message[HEADER_WORDS..HEADER_WORDS + TEXT_BYTES / 4];
    for (bytes, word) in text.chunks_exact_mut(4).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    let end = text.iter().position(|byte| *byte == 0);
    let text = &text[..end.unwrap_or(TEXT_BYTES)];
    if text.starts_with(b"error=") {
        return Err(libc::EOPNOTSUPP);
    }
    Ok(text)
}

/// Hexadecimal number of an answer `get_rsts=1020`.
pub(super) fn parse_hex(text: &[u8], name: &str) -> Option<u32> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let digits = text.strip_prefix(name)?.strip_prefix('=')?;
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_is_in_the_message() {
        let message = question(b"pmic_read_adc");
        assert_eq!(message[..6], [(WORDS * 4) as u32, 0, 0x0003_0080, 1024, 0, 0]);
        assert_eq!(message[6], u32::from_le_bytes(*b"pmic"));
        assert_eq!(message[9], u32::from_le_bytes([b'c', 0, 0, 0]));
    }

    #[test]
    fn answers_of_other_boards_are_refused() {
        let answered = |error: u32, first: [u8; 4], code: u32| {
            let mut message = question(b"pmic_read_adc");
            message[1] = code;
            message[5] = error;
            message[6] = u32::from_le_bytes(first);
            message[7] = u32::from_le_bytes(*b"r=1\0");
            let mut text = [0; TEXT_BYTES];
            answer(&message, &mut text).map(<[u8]>::to_vec)
        };
        let done = super::ANSWERED;
        assert_eq!(answered(0, *b"abcd", done), Ok(b"abcdr=1".to_vec()));
        assert_eq!(answered(0, *b"abcd", done | 1), Err(libc::EIO));
        assert_eq!(answered(1, *b"abcd", done), Err(libc::EOPNOTSUPP));
    }

    #[test]
    fn numbers_in_words() {
        for (text, expected) in [
            ("get_rsts=1020", Some(0x1020)),
            ("get_rsts=0x1000\n", Some(0x1000)),
            ("get_rsts=", None),
            ("get_rsts=-1", None),
            ("get_rsts=123456789", None),
            ("other=1", None),
            ("", None),
        ] {
            assert_eq!(parse_hex(text.as_bytes(), "get_rsts"), expected, "{text}");
        }
    }
}
