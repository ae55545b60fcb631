//! Standard output; messages go through [`crate::stderr`]. Control characters in foreign text are removed, a closed pipe is not
//! an error, anything else is. Output waits for a slow reader until a signal asks for the end.

pub use crate::stderr::note;

use crate::terminal_caps::{TerminalCaps, line_columns, text_columns};
use crate::write::LOOK_EVERY;
use crate::{paint, signals, stderr, wrap};
use anyhow::Context;
use facts::lines::{padded, width, wrapped_at};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, fstat};
use serde::Serialize;
use std::io::IsTerminal;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Number of bytes that a pipe or terminal accepts at once if it accepts any.
const CHUNK_BYTES: usize = 2048;
/// Page size of small boards; the kernel fills pipes page by page.
const PAGE_BYTES: usize = 4096;
/// Maximum time for output after a signal.
const LAST_PATIENCE: Duration = Duration::from_millis(600);

/// Writes text to standard output. A reader that closes the pipe early (`grep -q`, `head`) is not an error.
pub fn print(text: &str) -> anyhow::Result<()> {
    print_to_reader(text).map(|_| ())
}

/// Prints a text for people, in the columns, characters and colours of a terminal.
pub fn print_text(text: &str) -> anyhow::Result<()> {
    let (look, columns) = (TerminalCaps::of_this_terminal(), line_columns());
    let text = columns.map_or_else(|| text.to_owned(), |columns| wrap::text(text, columns));
    let mut text = facts::harmless(&text).into_owned();
    if look.charset.are_ascii(columns.is_some()) {
        text = paint::ascii(&text);
    }
    if look.colours && columns.is_some() {
        text = paint::coloured(&text);
    }
    print_harmless(&text).map(|_| ())
}

/// Prints a value as JSON.
pub fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// As [`print`], but returns whether there is still a reader.
pub fn print_to_reader(text: &str) -> anyhow::Result<bool> {
    // Names of cards and messages of drivers must not control the terminal.
    print_harmless(&facts::harmless(text))
}

fn print_harmless(text: &str) -> anyhow::Result<bool> {
    let out = std::io::stdout();
    // Keeps the order if both are one terminal.
    stderr::settle();
    write(out.as_fd(), text.as_bytes(), may_wait()).context("Cannot write to standard output")
}

/// True if standard output can block a writer. Cached, because it costs a system call.
fn may_wait() -> bool {
    static MAY_WAIT: OnceLock<bool> = OnceLock::new();
    let out = std::io::stdout();
    *MAY_WAIT.get_or_init(|| out.is_terminal() || !is_file_or_null(out.as_fd()))
}

/// True if a line can be written to standard output without waiting for its reader.
pub fn has_room_for_line() -> bool {
    let out = std::io::stdout();
    !may_wait() || matches!(poll(&mut [PollFd::new(&out, PollFlags::OUT)], Some(&Timespec::default())), Ok(1..))
}

/// True if this number of bytes can be written to standard output without waiting for its reader.
pub fn has_room(bytes: usize) -> bool {
    let out = std::io::stdout();
    let mut room = [PollFd::new(&out, PollFlags::OUT)];
    let at_once = Timespec::default();
    if !matches!(poll(&mut room, Some(&at_once)), Ok(1..)) {
        return false;
    }
    // For a pipe, poll tells that there is some room; the amount is its size without its content, in whole pages.
    let size = rustix::pipe::fcntl_getpipe_size(&out);
    let (Ok(size), Ok(used)) = (size, rustix::io::ioctl_fionread(&out)) else { return true };
    let free = size.saturating_sub(usize::try_from(used).unwrap_or(usize::MAX));
    // Output that exceeds an empty pipe has to wait in any case.
    free >= (bytes + PAGE_BYTES).min(size)
}

/// Asks once. Without a terminal, --yes is required.
pub fn is_confirmed(question: &str, what: &str) -> anyhow::Result<bool> {
    let input = std::io::stdin();
    anyhow::ensure!(input.is_terminal(), "Standard input is not a terminal; use --yes to {what}.");
    print(&format!("{question} [y/N] "))?;
    let mut answer = String::new();
    input.read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn is_file_or_null(out: BorrowedFd<'_>) -> bool {
    let kind = fstat(out).map(|stat| FileType::from_raw_mode(stat.st_mode));
    matches!(kind, Ok(FileType::RegularFile | FileType::CharacterDevice))
}

/// Writes all text. False if the reader is gone.
fn write(out: BorrowedFd<'_>, mut text: &[u8], may_wait: bool) -> std::io::Result<bool> {
    while !text.is_empty() {
        if may_wait && !is_read(out) {
            return Ok(false);
        }
        let chunk = &text[..text.len().min(if may_wait { CHUNK_BYTES } else { text.len() })];
        match rustix::io::write(out, chunk) {
            Ok(count) => text = &text[count..],
            Err(rustix::io::Errno::INTR) => {}
            // Another process sharing the terminal made it non-blocking.
            Err(rustix::io::Errno::AGAIN) if is_read(out) => {}
            Err(rustix::io::Errno::AGAIN) => return Ok(false),
            Err(rustix::io::Errno::PIPE) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(true)
}

/// Waits for room. False if there is none some time after a signal.
fn is_read(out: BorrowedFd<'_>) -> bool {
    let mut asked_to_end = None;
    loop {
        let mut room = [PollFd::from_borrowed_fd(out, PollFlags::OUT)];
        match poll(&mut room, Some(&LOOK_EVERY)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            // A file that cannot be polled reports its error on write.
            Ok(_) | Err(_) => return true,
        }
        if signals::received() != 0 {
            let since = asked_to_end.get_or_insert_with(Instant::now);
            if since.elapsed() >= LAST_PATIENCE {
                return false;
            }
        }
    }
}

/// A row of a list: a name, and at this column its description, which is broken at the width of the terminal.
pub fn row(name: &str, column: usize, about: &str) -> String {
    let about = wrapped_at(&format!("{:column$}{about}", ""), column, text_columns());
    if width(name) < column {
        format!("{}{}\n", padded(name, column), about.trim_start())
    } else {
        format!("{name}\n{about}\n")
    }
}
