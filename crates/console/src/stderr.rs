//! Standard error: notes, and the bar at the bottom of a terminal. A separate thread writes them, so that callers never wait for
//! a stopped terminal, a full pipe, or a disk.
//!
//! A bounded number of lines is queued until it is written; of the bar only the latest state.

use crate::terminal_caps::{COLUMNS_MIN, TerminalCaps};
use crate::write::write_all;
use crate::{paint, wrap};
use machine::Outbox;
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Maximum number of lines kept for a stopped reader; further lines are counted.
const LINES_MAX: usize = 200;
const STACK_BYTES: usize = 128 << 10;
/// Erases the current line (ECMA-48: CR, EL 0).
const CLEAR: &str = "\r\x1b[K";
/// Maximum wait for a stopped reader at the end.
const LAST_PATIENCE: Duration = Duration::from_millis(1500);
/// The same before output to standard output, which keeps the order if both are one terminal.
const PATIENCE: Duration = Duration::from_millis(200);

/// Pending output.
#[derive(Debug, Default)]
struct PendingOutput {
    lines: VecDeque<String>,
    /// Number of dropped lines.
    lost: u32,
    /// Current and displayed state of the bar.
    bar: String,
    shown: String,
    /// Nothing is written while a full screen is in the terminal.
    held: bool,
    /// The thread is writing.
    busy: bool,
    /// The thread could not be started.
    alone: bool,
}

/// Prints a line, in the columns of a terminal. Errors are ignored.
pub fn line(text: &str) {
    let mut text = facts::harmless(text).into_owned();
    let on_terminal = is_terminal();
    if on_terminal {
        text = wrap::line(&text, columns().max(COLUMNS_MIN));
    }
    if TerminalCaps::of_this_terminal().charset.are_ascii(on_terminal) {
        text = paint::ascii(&text);
    }
    change(|due| {
        if due.lines.len() < LINES_MAX {
            due.lines.push_back(text);
        } else {
            due.lost += 1;
        }
    });
}

/// Prints a message on standard error without blocking.
pub fn note(text: &str) {
    line(&format!("sbc-bench: {text}"));
}

/// Sets the bar below all lines of a terminal: one line without control characters. An empty text removes it.
pub fn bar(text: &str) {
    let text =
        if TerminalCaps::of_this_terminal().charset.are_ascii(true) { paint::ascii(text) } else { text.to_owned() };
    change(|due| due.bar = text);
}

/// Holds all output back, or releases it.
pub fn hold(held: bool) {
    // Without messages there is nothing to release.
    if held || STDERR.get().is_some() {
        change(|due| due.held = held);
    }
}

/// True if a progress bar can be shown.
pub fn is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Columns of the terminal on standard error.
pub fn columns() -> usize {
    let (columns, _) = crate::terminal_caps::size(std::io::stderr());
    usize::from(columns)
}

/// Waits until everything is written, up to [`LAST_PATIENCE`].
pub fn finish() {
    wait(LAST_PATIENCE);
}

/// Waits until everything is written, up to [`PATIENCE`].
pub fn settle() {
    wait(PATIENCE);
}

fn wait(patience: Duration) {
    // Without messages there is nothing to flush and no thread to start.
    if let Some(stderr) = STDERR.get() {
        drop(stderr.wait(Some(Instant::now() + patience), |due| !due.busy && !due.is_due()));
    }
}

static STDERR: OnceLock<Outbox<PendingOutput>> = OnceLock::new();

/// The queue; its first use starts the thread.
fn stderr() -> &'static Outbox<PendingOutput> {
    let mut is_new = false;
    let stderr = STDERR.get_or_init(|| {
        is_new = true;
        Outbox::default()
    });
    if is_new {
        let builder = std::thread::Builder::new().name("stderr".into());
        let thread = builder.stack_size(STACK_BYTES).spawn(|| {
            // With `stty tostop`, a write from the background would stop the program.
            machine::signals::never_stop_here();
            stderr.serve(PendingOutput::next, write);
        });
        stderr.lock().alone = thread.is_err();
    }
    stderr
}

fn write(text: String) {
    write_all(std::io::stderr().as_fd(), text.as_bytes());
}

fn change(edit: impl FnOnce(&mut PendingOutput)) {
    let alone = stderr().change(|due| {
        edit(due);
        // Without a thread, write immediately; held output is written on release.
        if due.alone { due.next() } else { None }
    });
    alone.into_iter().for_each(write);
}

impl PendingOutput {
    fn is_due(&self) -> bool {
        !self.held && (!self.lines.is_empty() || self.lost > 0 || self.bar != self.shown)
    }

    /// Takes the pending output, if any, and marks the thread as writing.
    fn next(&mut self) -> Option<String> {
        self.busy = self.is_due() && !self.alone;
        self.is_due().then(|| self.take())
    }

    /// Takes all pending output, with the bar last.
    fn take(&mut self) -> String {
        let mut text = String::new();
        if !self.shown.is_empty() {
            text.push_str(CLEAR);
        }
        for line in self.lines.drain(..) {
            text.push_str(&line);
            text.push('\n');
        }
        if self.lost > 0 {
            let lost = std::mem::take(&mut self.lost);
            text.push_str(&format!("({lost} lines dropped: standard error was not read)\n"));
        }
        text.push_str(&self.bar);
        self.shown.clone_from(&self.bar);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_printed_above_bar() {
        let mut due = PendingOutput::default();
        let mut check = |lines: &[&str], bar: &str, expected: &str| {
            due.lines.extend(lines.iter().map(|line| (*line).to_owned()));
            due.bar = bar.to_owned();
            assert_eq!(due.is_due(), !expected.is_empty());
            if due.is_due() {
                assert_eq!(due.take(), expected);
            }
        };
        check(&["a", "b"], "", "a\nb\n");
        check(&[], "half", "half");
        check(&[], "half", "");
        check(&["c"], "done", "\r\x1b[Kc\ndone");
        check(&[], "", "\r\x1b[K");
        check(&["d"], "", "d\n");
    }
}
