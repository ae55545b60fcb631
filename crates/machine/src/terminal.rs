//! A pseudo terminal. Programs keep back what they print into a pipe until there are some kB of it; into a
//! terminal they print line by line, so that one can see how far they are. What this is not: a session with
//! job control; nobody types here.

use crate::faults::{self, Call};
use record::{Missing, Reading};
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use std::os::fd::OwnedFd;

/// Both ends of a pseudo terminal, closed when a program is started.
#[derive(Debug)]
pub struct Terminal {
    /// What was printed is read here; the end is `EIO`, as `pty(7)` has it.
    pub reader: OwnedFd,
    /// For the program, as its standard output.
    pub writer: OwnedFd,
}

/// Opens one (`/dev/ptmx`, and `TIOCGPTPEER` since Linux 4.13).
///
/// # Errors
/// There is no `/dev/ptmx`, as in some containers, or the kernel is too old.
pub fn terminal() -> Reading<Terminal> {
    let missing = |errno: Errno| Missing::unsupported("/dev/ptmx", errno.to_string());
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let reader = faults::pass(Call::Pipe, "/dev/ptmx", || openpt(flags)).map_err(missing)?;
    grantpt(&reader).map_err(missing)?;
    unlockpt(&reader).map_err(missing)?;
    let writer = ioctl_tiocgptpeer(&reader, flags).map_err(missing)?;
    Ok(Terminal { reader, writer })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write};

    #[test]
    fn terminal_is_unbuffered() {
        // Containers need not have one, and then say so.
        let ends = match terminal() {
            Ok(ends) => ends,
            Err(missing) => {
                assert!(missing.to_string().contains("/dev/ptmx"), "{missing}");
                return testkit::skip("there is no pseudo terminal (/dev/ptmx)");
            }
        };
        File::from(ends.writer).write_all(b"one\n").unwrap();
        let mut buffer = [0; 16];
        let count = File::from(ends.reader).read(&mut buffer).unwrap();
        assert_eq!(&buffer[..count], b"one\r\n");
    }
}
