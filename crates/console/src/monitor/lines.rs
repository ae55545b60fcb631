//! Classic lines of the monitor, for any terminal or pipe.

use super::rows::RowPrinter;
use super::{Viewer, live};
use crate::output;
use explain::monitor::{Columns, Watch, gaps, summary};
use facts::Facts;
use facts::throttle::Reason;
use record::Event;

/// Number of lines between headings on a terminal.
const LINES_PER_HEADING: u64 = 15;
/// Size of most lines.
const LINE_BYTES: usize = 160;

/// Prints a line for each row.
pub(super) struct Lines {
    /// Print the hardware first, and repeat headings.
    for_people: bool,
    columns: Option<Columns>,
    lines: u64,
    /// Buffer for the next line.
    text: String,
    /// Reasons of throttling in the previous row.
    throttled: Vec<Reason>,
    rows: RowPrinter,
}

impl Lines {
    /// On a terminal, lines are for people; programs get one heading and rows.
    pub(super) fn new(on_terminal: bool, rows: RowPrinter) -> Self {
        let spacing = std::env::var("SPACING").is_ok_and(|value| value == "yes");
        Self {
            for_people: on_terminal || spacing,
            columns: None,
            lines: 0,
            text: String::with_capacity(LINE_BYTES),
            throttled: Vec::new(),
            rows,
        }
    }

    /// Text before the first row, which shows the sensors that respond.
    fn first_text(&self, watch: &Watch, columns: &Columns, why: Option<&str>) -> String {
        let heading = columns.heading();
        if self.for_people {
            format!("{}\n{heading}\n", summary(watch.record(), columns, why))
        } else {
            format!("{heading}\n")
        }
    }

    /// Prints throttling and gaps to standard error, so that programs can parse the lines.
    fn notes(&mut self, watch: &Watch) {
        if watch.throttled().is_empty() && self.throttled.is_empty() && watch.happened().is_empty() {
            return;
        }
        let reasons: Vec<Reason> = watch.throttled().iter().map(|t| t.reason).collect();
        if reasons != self.throttled {
            let words: Vec<&str> = reasons.iter().map(|reason| reason.words()).collect();
            match words.as_slice() {
                [] => output::note("Throttling ended."),
                words => output::note(&format!("Throttled: {}.", words.join(", "))),
            }
            self.throttled = reasons;
        }
        // Channels without any value are not reported.
        if self.lines > 1 {
            gaps(watch).iter().for_each(|gap| output::note(gap));
        }
    }

    /// Columns with the temperature that follows the load by now, and a note if it is another one.
    fn update_columns(&self, watch: &Watch, columns: Columns) -> (Columns, String) {
        match live::temperature(watch) {
            Some((place, why)) if columns.temperature().is_some_and(|shown| shown != place) => {
                let columns = Columns::of(watch.record(), Some(place));
                (columns, format!("Temperature source changed: {why}\n"))
            }
            _ => (columns, String::new()),
        }
    }
}

impl Viewer for Lines {
    fn begin(&mut self, _watch: &Watch) -> anyhow::Result<()> {
        self.columns = None;
        Ok(())
    }

    fn row(&mut self, watch: &Watch) -> anyhow::Result<bool> {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let columns = match self.columns.take() {
            Some(columns) => columns,
            None => {
                let (place, why) = live::temperature(watch).unzip();
                let columns = Columns::of(watch.record(), place.or_else(|| *Facts::of(watch.record()).soc_channel()));
                text = self.first_text(watch, &columns, why.as_deref());
                self.lines = 0;
                columns
            }
        };
        let columns = if self.for_people && self.lines > 0 && self.lines.is_multiple_of(LINES_PER_HEADING) {
            let (columns, note) = self.update_columns(watch, columns);
            text = format!("\n{note}{}\n", columns.heading());
            columns
        } else {
            columns
        };
        columns.push_line(&mut text, watch);
        text.push('\n');
        self.lines += 1;
        self.columns = Some(columns);
        if !watch.happened().is_empty() {
            text.push_str(&marks(watch));
        }
        self.notes(watch);
        let is_read = self.rows.print(&text);
        self.text = text;
        is_read
    }

    fn take_notes(&mut self, notes: &mut Vec<String>) {
        self.rows.take_notes(notes);
    }

    /// Marks after the last row.
    fn end(&mut self, watch: &Watch) -> anyhow::Result<()> {
        self.rows.print(&marks(watch)).map(|_| ())
    }
}

/// Marks as lines.
fn marks(watch: &Watch) -> String {
    let texts = watch.happened().iter().filter_map(|event| match event {
        Event::Mark { mark } => Some(format!("--- {}\n", mark.text)),
        _ => None,
    });
    texts.collect()
}
