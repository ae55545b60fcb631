//! What the program measures itself, beside what must be reached and what other tools measure: from
//! their texts to the table. Pure: no files, no processes.

use record::{ClockPoint, Latency, Measured, MemoryOperation, Outcome, Record, Variant, WorkloadId};

/// One row of the table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) name: String,
    /// The figure, or why there is none.
    pub(super) found: Result<f64, String>,
    pub(super) must: Must,
    pub(super) unit: &'static str,
    /// What it is made of.
    pub(super) detail: String,
}

/// What a figure must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Must {
    AtMost(f64),
    AtLeast(f64),
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (must, is_reached) = match (self.must, &self.found) {
            (Must::AtMost(limit), found) => (format!("at most {limit}"), found.as_ref().map(|found| *found <= limit)),
            (Must::AtLeast(limit), found) => (format!("at least {limit}"), found.as_ref().map(|found| *found >= limit)),
        };
        let figure = match &self.found {
            Ok(found) => format!("{found:.3}"),
            Err(_) => "-".into(),
        };
        let verdict = match is_reached {
            Ok(true) => String::new(),
            Ok(false) => "   MISSED".into(),
            Err(why) => format!("   not measured, because {why}"),
        };
        let (name, unit) = (&self.name, self.unit);
        write!(f, "{name:44} {figure:>9} {unit:2}   {must}{verdict}")?;
        match self.detail.is_empty() {
            true => Ok(()),
            false => write!(f, "\n      {}", self.detail),
        }
    }
}

/// The clock of one CPU alone, read many times.
fn point(record: &Record) -> Result<&ClockPoint, String> {
    let steps = record.steps_of(WorkloadId::Clock).filter(|step| step.variant == Variant::COLD_CORES);
    let mut points = steps.filter_map(|step| match &step.outcome {
        Outcome::Done(Measured::Clock(clocks)) => clocks.points.first(),
        _ => None,
    });
    points.next().ok_or_else(|| "no clock was read".into())
}

/// Time of one reading after pre-heating, in milliseconds: the median.
pub(super) fn reading_ms(record: &Record) -> Result<f64, String> {
    let windows = point(record)?.windows.as_ref().ok_or("no windows")?;
    // The first reading also looks for the ramp.
    let mut us: Vec<u32> = windows.readings_us.iter().skip(1).copied().collect();
    us.sort_unstable();
    let middle = us.get(us.len() / 2).ok_or("there was one reading only")?;
    Ok(f64::from(*middle) / 1000.0)
}

/// Largest less smallest reading over the median, in percent.
pub(super) fn spread_percent(record: &Record) -> Result<f64, String> {
    let mut khz = point(record)?.readings_khz.clone();
    khz.sort_unstable();
    match khz.as_slice() {
        [low, .., high] => Ok(100.0 * f64::from(high - low) / f64::from(khz[khz.len() / 2])),
        _ => Err("there was one reading only".into()),
    }
}

/// What of the clock arrived at the reading, and how many windows agreed.
pub(super) fn disturbance(record: &Record) -> String {
    let Ok(Some(windows)) = point(record).map(|point| point.windows.as_ref()) else {
        return String::new();
    };
    format!(
        "{} readings, {:.1} % of the clock arrived, {:.1} % of the windows agree",
        point(record).map_or(0, |point| point.readings_khz.len()),
        100.0 * f64::from(windows.sustained_khz) / f64::from(windows.best_khz.max(1)),
        f64::from(windows.agreeing_permille) / 10.0
    )
}

/// Best rate of an operation in bytes per second, its routine and the size of the buffers.
pub(super) fn best(record: &Record, operation: MemoryOperation) -> Option<(f64, String, u64)> {
    let mut best: Option<(u64, String, u64)> = None;
    for step in record.steps_of(WorkloadId::MemoryBandwidth) {
        let Outcome::Done(Measured::Bandwidth(bandwidth)) = &step.outcome else {
            continue;
        };
        for row in bandwidth.rows.iter().filter(|row| row.operation == operation) {
            let rate = row.bytes_per_s.iter().max().copied().unwrap_or(0);
            if best.as_ref().is_none_or(|known| rate > known.0) {
                best = Some((rate, row.routine.clone(), bandwidth.buffer_bytes));
            }
        }
    }
    best.map(|(rate, routine, bytes)| (rate as f64, routine, bytes))
}

/// Seconds that the whole picture took.
pub(super) fn picture_s(record: &Record) -> Result<f64, String> {
    let ms = record.run.elapsed_ms.ok_or("the run did not end")?;
    Ok(ms as f64 / 1000.0)
}

/// How narrow the intervals are, in percent: the median one and the share below 1 %.
pub(super) fn half_widths(record: &Record) -> String {
    let repeated = record.steps.iter().flat_map(|step| &step.repeated);
    let groups = repeated.flat_map(|repeated| &repeated.groups);
    let mut halves: Vec<f64> =
        groups.map(|group| group.half_width().map_or(f64::INFINITY, |half| 100.0 * half)).collect();
    halves.sort_by(f64::total_cmp);
    let narrow = halves.iter().filter(|half| **half < 1.0).count();
    let middle = halves.get(halves.len() / 2).copied().unwrap_or(f64::INFINITY);
    format!("half-widths: {middle:.2} % typically, {narrow} of {} below 1 %", halves.len())
}

/// Sizes and latencies of one access after the other with huge pages.
fn latencies(record: &Record) -> Vec<(u64, f64)> {
    let steps = record.steps_of(WorkloadId::MemoryLatency).filter(|step| step.variant.is_only());
    let mut tables = steps.filter_map(|step| match &step.outcome {
        Outcome::Done(Measured::Latency(latency)) => Some(latency),
        _ => None,
    });
    let of = |latency: &Latency| explain::view::latency_curve(latency);
    tables.next().map(of).unwrap_or_default()
}

/// Largest difference between two runs at the sizes that one level of cache answers alone, in percent:
/// at most two thirds of it, and more than one and a half of the level before. `level` 0 is memory.
pub(super) fn latency_difference_percent(a: &Record, b: &Record, level: u32) -> Result<f64, String> {
    let caches = explain::view::data_caches(a, 0);
    let size = |level: u32| {
        let mut own = caches.iter().filter(|cache| cache.level == level);
        own.next().map(|cache| cache.size_bytes as f64)
    };
    let last = caches.iter().map(|cache| cache.level).max().unwrap_or(0);
    let (above, below) = match level {
        0 => (size(last).unwrap_or(0.0), f64::INFINITY),
        level => (size(level - 1).unwrap_or(0.0), size(level).ok_or_else(|| format!("there is no L{level}"))?),
    };
    let inside = |bytes: u64| bytes as f64 > 1.5 * above && bytes as f64 <= below / 1.5;
    let (a, b) = (latencies(a), latencies(b));
    let pairs = a.iter().zip(&b).filter(|(a, b)| a.0 == b.0 && inside(a.0));
    let differences = pairs.map(|(a, b)| 200.0 * (a.1 - b.1).abs() / (a.1 + b.1));
    differences.reduce(f64::max).ok_or_else(|| "no size was measured there".into())
}

/// Bytes per second of the built-in cipher at 16 KiB.
pub(super) fn aes_bytes_per_s(record: &Record) -> Option<f64> {
    let mut steps = record.steps_of(WorkloadId::Aes);
    steps.find_map(|step| match &step.outcome {
        Outcome::Done(Measured::Cipher(cipher)) => {
            let row = cipher.rows.iter().find(|row| row.0 == 16_384)?;
            Some(row.1 as f64)
        }
        _ => None,
    })
}

/// Bytes per second in the output of `mbw -q`: the best line.
pub(super) fn parse_mbw(text: &str) -> Option<f64> {
    let rate = |line: &str| {
        let (_, rate) = line.split_once("Copy:")?;
        rate.trim().strip_suffix("MiB/s")?.trim().parse::<f64>().ok()
    };
    let best = text.lines().filter_map(rate).reduce(f64::max)?;
    Some(best * 1_048_576.0)
}

/// Bytes per second in the output of `sysbench memory run`.
pub(super) fn parse_sysbench(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.contains("MiB/sec"))?;
    let (_, rate) = line.split_once('(')?;
    let rate: f64 = rate.split_whitespace().next()?.parse().ok()?;
    Some(rate * 1_048_576.0)
}

/// Bytes per second in the output of `perf bench mem`: the best function. Its `GB` are 2^30 bytes.
pub(super) fn parse_perf(text: &str) -> Option<f64> {
    let rate = |line: &str| {
        let (number, unit) = line.trim().split_once(' ')?;
        let scale = match unit {
            "GB/sec" => 1024.0 * 1_048_576.0,
            "MB/sec" => 1_048_576.0,
            _ => return None,
        };
        Some(number.parse::<f64>().ok()? * scale)
    };
    text.lines().filter_map(rate).reduce(f64::max)
}

/// Bytes per second in the output of `openssl speed -mr`.
pub(super) fn parse_openssl(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with("+F:"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_of_the_peers_is_read() {
        let mbw = "0\tMethod: MEMCPY\tElapsed: 0.02851\tMiB: 64.00000\tCopy: 2245.063 MiB/s\n\
                   AVG\tMethod: DUMB\tElapsed: 0.03167\tMiB: 64.00000\tCopy: 2020.670 MiB/s\n";
        assert_eq!(parse_mbw(mbw), Some(2245.063 * 1_048_576.0));
        let sysbench = "Total operations: 75\n\n4800.00 MiB transferred (4792.48 MiB/sec)\n";
        assert_eq!(parse_sysbench(sysbench), Some(4792.48 * 1_048_576.0));
        let perf = "# function 'x86-64-movsb' (movsb-based memcpy() in arch/x86/lib/memcpy_64.S)\n\
                    # Copying 64MB bytes ...\n\n       4.982462 GB/sec\n     3.1 GB/sec\n";
        assert_eq!(parse_perf(perf), Some(4.982462 * 1_073_741_824.0));
        let openssl = "+H:16384\n+F:25:AES-256-CBC:247431168.00\n";
        assert_eq!(parse_openssl(openssl), Some(247_431_168.0));
        for parse in [parse_mbw, parse_sysbench, parse_perf, parse_openssl] {
            assert_eq!(parse("command not understood\n"), None);
        }
    }

    #[test]
    fn a_row_says_whether_it_is_reached() {
        let row = |found, must| Row {
            name: "best copy over the best of the peers".into(),
            found,
            must,
            unit: "",
            detail: String::new(),
        };
        for (found, must, expected) in [
            (Ok(1.2), Must::AtLeast(1.0), "at least 1"),
            (Ok(0.9), Must::AtLeast(1.0), "at least 1   MISSED"),
            (Ok(0.1), Must::AtMost(0.2), "at most 0.2"),
            (Err("mbw is not installed".into()), Must::AtLeast(1.0), "not measured, because mbw is not installed"),
        ] {
            let text = row(found, must).to_string();
            assert!(text.ends_with(expected), "{text}");
        }
    }

    #[test]
    fn an_empty_record_has_no_figures() {
        let source = record::Source::Run { version: "0".into(), target: "x".into() };
        let record = Record::new(source, record::Run::default());
        assert!(reading_ms(&record).is_err() && spread_percent(&record).is_err());
        assert!(picture_s(&record).is_err() && aes_bytes_per_s(&record).is_none());
        assert!(best(&record, MemoryOperation::Copy).is_none());
        assert!(latency_difference_percent(&record, &record, 0).is_err());
        assert_eq!(disturbance(&record), "");
    }
}
