//! ramlat: memory latency by buffer size and access width.

use super::draft::{Draft, done, tool};
use super::sections::{Line, Section};
use super::text;
use record::{Latency, LatencyRow, StepMeasurement, Variant, WorkloadId};

/// Reads `Executing ramlat on cpu0 (Cortex-A55), results in ns:`, a row of column names (which depend on the CPU), and
/// rows `4k: 2.194 2.137 ...`.
pub(super) fn read(section: &Section<'_, '_>, draft: &mut Draft) {
    let heading = section.heading();
    let mut latency = Latency { pages: "as the kernel decides".to_string(), ..Latency::default() };
    let mut own = None;
    for line in section.body().iter().filter(|line| !line.is_blank()) {
        let text = line.text.trim();
        if let Some(heading) = own_heading(text) {
            latency.pages = heading.pages.to_string();
            own = Some(heading);
        } else if let Some(columns) = text.strip_prefix("size:") {
            latency.columns = columns.split_whitespace().map(str::to_string).collect();
        } else if let Some(row) = row(line, latency.columns.len()) {
            latency.rows.push(row);
        } else {
            draft.unread(line);
        }
    }
    if latency.rows.is_empty() {
        return;
    }
    let measured = StepMeasurement::Latency(latency);
    let is_own = own.is_some();
    let (method, variant) = own.map_or((0, Variant::RAMLAT), |own| (own.method, own.variant));
    let mut step = done(WorkloadId::MemoryLatency, method, variant, measured, heading.number);
    step.cpus = place(heading.text).into_iter().collect();
    step.tool = tool("ramlat", "").filter(|_| !is_own);
    draft.push(step);
}

/// Heading that this program writes above its own tables.
struct OwnHeading<'a> {
    method: u32,
    variant: Variant,
    pages: &'a str,
}

/// Parses `(sbc-bench memory-latency@3 ramlat: one random cycle over all cache lines, 4 KiB pages)`. Early versions had
/// one variant and omit its name.
fn own_heading(text: &str) -> Option<OwnHeading<'_>> {
    let rest = text.strip_prefix("(sbc-bench memory-latency@")?;
    let (method, rest) = rest.split_once(": ")?;
    let (method, variant) = method.split_once(' ').unwrap_or((method, ""));
    let (_, pages) = rest.strip_suffix(')')?.split_once(", ")?;
    Some(OwnHeading { method: method.parse().ok()?, variant: variant.to_owned().into(), pages })
}

fn place(heading: &str) -> Option<u32> {
    let on = heading.split_once(" on ")?.1;
    let end = on.find([' ', ',']).unwrap_or(on.len());
    text::cpu_ranges(&on[..end])?.first().copied()
}

fn row(line: &Line<'_>, columns: usize) -> Option<LatencyRow> {
    let (size, rest) = line.text.trim().split_once("k:")?;
    let size_kib: u64 = size.trim().parse().ok()?;
    let ns: Vec<Option<f64>> = rest.split_whitespace().map(text::decimal).collect();
    (ns.len() == columns && ns.iter().any(Option::is_some)).then(|| LatencyRow {
        size_bytes: size_kib.saturating_mul(1024),
        rounds_apart_percent: None,
        ns,
        line: Some(line.number),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_need_all_columns() {
        let text = "        64k: 10.38 11.30 - ";
        let row_of = |columns| row(&Line { number: 1, text }, columns);
        let row = row_of(3).unwrap();
        assert_eq!((row.size_bytes, row.ns), (65_536, vec![Some(10.38), Some(11.3), None]));
        assert!(row_of(4).is_none());
    }

    #[test]
    fn cpu_stands_in_the_heading() {
        assert_eq!(place("Executing ramlat on cpu6 (Cortex-A76), results in ns:"), Some(6));
        assert_eq!(place("Executing ramlat on cpu0, results in ns:"), Some(0));
    }
}
