//! Pseudo-terminal. Programs buffer several kB of output to a pipe, but write to a terminal line by line, so that their
//! progress is visible. It has no session with job control and no input.

use crate::faults::{self, Call};
use record::{Missing, Reading};
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use std::os::fd::OwnedFd;

/// Both ends of a pseudo-terminal, closed on exec.
#[derive(Debug)]
pub struct Terminal {
    /// End for reading the output; end of file is `EIO`, see `pty(7)`.
    pub reader: OwnedFd,
    /// Standard output of the program.
    pub writer: OwnedFd,
}

/// Opens a pseudo-terminal (`/dev/ptmx`, and `TIOCGPTPEER` since Linux 4.13).
///
/// # Errors
/// `/dev/ptmx` does not exist, as in some containers, or the kernel is too old.
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
        // Containers may lack one, with a reason.
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
