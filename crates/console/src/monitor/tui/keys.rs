//! Keys, read directly from the terminal: a terminal that goes away (a closed window, a lost connection) ends the monitor at
//! once, where libraries would spin on it.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::time::Duration;

/// A key with a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    Left,
    Right,
    Escape,
    Interrupt,
}

/// Input from the keyboard.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum KeyEvent {
    /// Keys within the given time.
    Keys(Vec<Key>),
    /// The terminal is gone.
    Gone,
}

/// Waits for keys for at most `time`.
pub(super) fn wait(time: Duration) -> KeyEvent {
    let stdin = std::io::stdin();
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let time = Timespec::try_from(time).ok();
    // A signal ends the wait.
    let Ok(1..) = poll(&mut fds, time.as_ref()) else { return KeyEvent::Keys(Vec::new()) };
    let mut buffer = [0; 64];
    match rustix::io::read(&stdin, &mut buffer) {
        Ok(0) => KeyEvent::Gone,
        Ok(count) => KeyEvent::Keys(parse(&buffer[..count])),
        Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => KeyEvent::Keys(Vec::new()),
        Err(_) => KeyEvent::Gone,
    }
}

/// Parses keys as terminals from the VT100 on send them; skips others.
fn parse(bytes: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = bytes;
    while let [first, behind @ ..] = rest {
        rest = behind;
        match first {
            0x03 => keys.push(Key::Interrupt),
            0x1b => match behind {
                // Cursor keys, in either mode of the keypad.
                [b'[' | b'O', b'D', behind @ ..] => {
                    keys.push(Key::Left);
                    rest = behind;
                }
                [b'[' | b'O', b'C', behind @ ..] => {
                    keys.push(Key::Right);
                    rest = behind;
                }
                // Another key, up to its last byte.
                [b'[' | b'O', behind @ ..] => {
                    let last = behind.iter().position(|byte| (0x40..0x7f).contains(byte));
                    rest = &behind[last.map_or(behind.len(), |last| last + 1)..];
                }
                _ => keys.push(Key::Escape),
            },
            printable @ 0x20..0x7f => keys.push(Key::Char(char::from(*printable))),
            _ => {}
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_terminals() {
        use Key::*;
        for (bytes, expected) in [
            (&b"q"[..], &[Char('q')][..]),
            (b"\x03", &[Interrupt]),
            (b"\x1b", &[Escape]),
            (b"\x1b[D\x1bOC+", &[Left, Right, Char('+')]),
            (b"\x1b[15~\x1b[1;5Cp", &[Char('p')]),
            (b"\x1b[", &[]),
            ("ä".as_bytes(), &[]),
            (b"", &[]),
        ] {
            assert_eq!(parse(bytes), expected, "{bytes:?}");
        }
    }
}
