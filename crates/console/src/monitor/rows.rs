//! Rows on standard output. A reader that has stopped is waited for where showing them is all that is done; where
//! a recording or an exporter continues in parallel, rows that it has no room for are left out and counted.

use crate::output;

/// Prints rows.
#[derive(Debug, Default)]
pub(super) struct RowPrinter {
    /// Another reader needs every sample in time.
    hurries: bool,
    left_out: u32,
}

impl RowPrinter {
    /// `hurries` where nobody may wait for the reader.
    pub(super) fn new(hurries: bool) -> Self {
        Self { hurries, left_out: 0 }
    }

    /// Prints a row, or leaves it out. False if nobody reads any more.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) fn print(&mut self, text: &str) -> anyhow::Result<bool> {
        if self.hurries && !output::has_room(text.len()) {
            self.left_out += 1;
            return Ok(true);
        }
        output::print_to_reader(text)
    }

    /// Tells what was left out, once rows are read again.
    pub(super) fn take_notes(&mut self, notes: &mut Vec<String>) {
        if self.left_out > 0 && output::has_room(0) {
            let rows = std::mem::take(&mut self.left_out);
            notes.push(format!(
                "{rows} rows were not printed because the reader was too slow; the recording contains \
                                them."
            ));
        }
    }
}
