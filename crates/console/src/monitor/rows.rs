//! Rows on standard output. The printer waits for a slow reader, unless a recording or an exporter runs in parallel: then it
//! drops and counts rows.

use crate::output;

#[derive(Debug, Default)]
pub(super) struct RowPrinter {
    /// Drop rows instead of waiting for the reader.
    hurries: bool,
    left_out: u32,
}

impl RowPrinter {
    pub(super) fn new(hurries: bool) -> Self {
        Self { hurries, left_out: 0 }
    }

    /// Prints or drops a row. False if the reader is gone.
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

    /// Notes the number of dropped rows once the reader continues.
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
