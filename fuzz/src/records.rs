//! Operations on a Record that every fuzz target performs.

use crate::limits;
use compare::reference::Reference;
use compare::trend;
use explain::monitor::{Columns, Item, RecordingLines, Watch, cores, metrics, tracks};
use explain::results::Row;
use facts::{Explained, Facts};
use record::recording::frame;
use record::{Channel, Record};
use rules::kernel::{self, Eol};

/// Every view of the monitor, row by row.
fn watch_all(record: &Record) {
    let mut watch = Watch::new(record.clone());
    for (row, at_ms) in record.samples.at_ms.iter().enumerate() {
        let value = |channel: &Channel| channel.values.get(row).copied().flatten();
        watch.row(*at_ms, record.samples.channels.iter().map(value));
        let columns = Columns::of(record, *Facts::of(record).soc_channel());
        (columns.heading(), columns.line(&watch), metrics(&watch));
        for track in tracks(&watch, None).iter().chain(&cores(&watch)) {
            track.text(track.value(&watch));
        }
    }
    explain::watched::watched(&Facts::of(record));
}

/// Every rule, every report, every figure, every picture; compared with itself, with the others and over time.
pub(crate) fn explain_all(record: &Record) {
    let explained = &explain::explain(record);
    let Explained { facts, assessment } = explained;
    for finding in &assessment.findings {
        finding.sentence();
    }
    for report in report::REPORTS.iter() {
        // A user asks for one at a time.
        limits::again();
        report.text(explained, compare::reference::Reference::builtin);
    }
    limits::again();
    facts.figures();
    explain::Narrative::of(facts, assessment);
    watch_all(record);
    rules::plots(facts);
    let rows = [Row::of(explained, "a"), Row::of(explained, "b")];
    for format in explain::results::FORMATS {
        (format.write)(&explain::results::Table { rows: &rows, columns: 80 });
    }
    compare::ranking_text(&compare::rank(explained, Reference::builtin()), 40, compare::Detail::Full);
    let name = || "a".to_owned();
    let side = || compare::Side { name: name(), explained };
    compare::text(&compare::compare(&[side(), side()]), 40, compare::Detail::Full);
    let sample = || trend::Sample { name: name(), facts, verdict: assessment.verdict };
    trend::text(&trend::trends(&[sample(), sample(), sample()]));
    kernel::text(facts, &kernel::verdict(facts, &Eol::shipped()));
}

/// A recording as the monitor shows it, its lines also with the right length and checksum.
pub(crate) fn replay(data: &[u8]) {
    show(data);
    let text = String::from_utf8_lossy(data);
    let framed = text.lines().map(|line| frame(line.splitn(4, ' ').nth(3).unwrap_or(line)));
    show(framed.collect::<String>().as_bytes());
}

fn show(data: &[u8]) {
    let mut shown: Option<(Columns, Watch)> = None;
    for item in RecordingLines::new(data) {
        match (item, &mut shown) {
            (Item::Begin(record), shown) => {
                *shown = Some((Columns::of(&record, *Facts::of(&record).soc_channel()), Watch::new(*record)));
            }
            (Item::Row(at_ms, values), Some((columns, watch))) => {
                watch.row(at_ms, values);
                columns.line(watch);
                metrics(watch);
            }
            (Item::Event(event), Some((_, watch))) => watch.event(*event),
            (_, None) => {}
        }
    }
}
