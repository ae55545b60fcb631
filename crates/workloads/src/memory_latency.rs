//! Memory latency of one CPU: a random ring through all cache lines of buffers from 4 KiB, walked by 1, 2, 4 and 8 chains
//! at once over three kinds of links.
//!
//! The variants separate the costs of a miss: huge pages measure caches and memory alone, `small-pages` adds address
//! translation, and `tlb-light` visits all lines of a small page before the next page. `ramlat` is `small-pages` at the
//! sizes of published results; it takes one or two seconds and is part of every run.

mod rounds;

use super::Workload;
use super::attributes::{Attributes, ClockForm};
use super::memory::{in_haste, wanted_bytes};
use super::scored::not_started;
use crate::measure::context::WorkloadContext;
use crate::measure::report::StepReport;
use machine::{Root, available_kib, huge_kib};
use microbench::buffer::{Buffer, Pages};
use microbench::clock::{ClockPlan, emulated, emulation_sign, measure};
use microbench::latency::{LINE, Link, Order};
use record::{
    Fact, Failure, Latency, LatencyRow, Missing, RepetitionStats, StepMeasurement, StoppingRule, Variant, WorkloadId,
};
use std::sync::atomic::AtomicI32;
use std::time::Duration;

/// The entry in the table of workloads.
pub(super) const MEMORY_LATENCY: Workload = Workload {
    id: WorkloadId::MemoryLatency,
    about: "Latency of dependent memory accesses by buffer size, in nanoseconds.",
    link: "https://lmbench.sourceforge.net/man/lat_mem_rd.8.html",
    attributes: Attributes { at_a_clock: Some(ClockForm::ONE_FORM), ..Attributes::PLAIN },
    lacking,
    run,
    ..Workload::PLAIN
};

/// Rises when the ring or the repetition changes.
const METHOD: u32 = 3;
/// Smallest size: fits into every L1 cache.
const SIZE_BYTES_MIN: u64 = 4 << 10;
/// Largest size, unless caches are larger.
const SIZE_BYTES_MAX: u64 = 128 << 20;
/// Sizes of published results of ramlat.
const RAMLAT_BYTES: [u64; 3] = [16 << 20, 64 << 20, 128 << 20];
/// The buffer takes at most one in this many bytes of available memory.
const MEMORY_PART: u64 = 4;
/// Duration of a repetition: short enough that most are not interrupted.
const REPETITION_NS: u64 = 300_000;
/// Repetitions of one figure in one round.
const RULE: StoppingRule = StoppingRule::new(33, Duration::from_millis(6));
/// Seed of the ring.
const SEED: u64 = 0x5bc_be7c;

/// A column: name as in logs, number of parallel chains, kind of links.
type Column = (&'static str, usize, Link);
/// Columns of the walk with huge pages.
const COLUMNS: &[Column] = &[
    ("1x32", 1, Link::Bits32),
    ("2x32", 2, Link::Bits32),
    ("1x64", 1, Link::Bits64),
    ("2x64", 2, Link::Bits64),
    ("1xPTR", 1, Link::Pointer),
    ("2xPTR", 2, Link::Pointer),
    ("4xPTR", 4, Link::Pointer),
    ("8xPTR", 8, Link::Pointer),
];
/// Column of the other walks.
const ONE_COLUMN: &[Column] = &[("1xPTR", 1, Link::Pointer)];

/// Sizes of buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sizes {
    /// Buffer sizes from the first-level cache to main memory.
    Curve,
    /// [`RAMLAT_BYTES`].
    Ramlat,
}

/// Walk of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Form {
    pages: Pages,
    order: Order,
    columns: &'static [Column],
    sizes: Sizes,
}

/// The walk of a variant.
fn form(variant: &Variant) -> Form {
    let on_small_pages = Form { pages: Pages::Small, order: Order::Random, columns: ONE_COLUMN, sizes: Sizes::Curve };
    if *variant == Variant::SMALL_PAGES {
        on_small_pages
    } else if *variant == Variant::RAMLAT {
        Form { sizes: Sizes::Ramlat, ..on_small_pages }
    } else if *variant == Variant::TLB_LIGHT {
        Form { order: Order::PageByPage, ..on_small_pages }
    } else {
        Form { pages: Pages::Huge, columns: COLUMNS, ..on_small_pages }
    }
}

fn lacking(context: &WorkloadContext) -> Option<Missing> {
    let available = available_bytes(context)?;
    sizes(context, form(&context.job.variant)).is_empty().then(|| {
        let why = format!("needs {} MiB of memory, {} MiB are available", need_mib(), available >> 20);
        Missing::unsupported("/proc/meminfo", why)
    })
}

/// Memory that must be available for the smallest compared size.
fn need_mib() -> u64 {
    (MEMORY_PART * in_haste(RAMLAT_BYTES[0])) >> 20
}

fn run(context: &WorkloadContext, report: &mut StepReport) -> Result<StepMeasurement, Failure> {
    report.method = METHOD;
    let form = form(&context.job.variant);
    let sizes = sizes(context, form);
    let (cancelled, root) = (context.cancelled, context.root);
    let page_bytes = context.machine.page_size_bytes.known().copied();
    let walked = context.pinned(report, || walked(root, form, &sizes, cancelled))?;
    let walked = walked.map_err(not_started)?;
    report.repeated = walked.repeated;
    Ok(StepMeasurement::Latency(Latency {
        columns: form.columns.iter().map(|column| column.0.to_owned()).collect(),
        rows: walked.rows,
        pages: pages_in_words(form.pages, page_bytes, &walked.huge_kib, sizes.last().copied()),
        clock_khz: walked.clock_khz,
    }))
}

fn available_bytes(context: &WorkloadContext) -> Option<u64> {
    available_kib(context.root).map(|kib| kib * 1024).ok()
}

/// Sizes of a walk for which the memory suffices.
fn sizes(context: &WorkloadContext, form: Form) -> Vec<u64> {
    let room = available_bytes(context).map_or(SIZE_BYTES_MAX, |bytes| bytes / MEMORY_PART);
    match form.sizes {
        Sizes::Curve => {
            let wanted = wanted_bytes(context).max(in_haste(SIZE_BYTES_MAX));
            curve(room.clamp(SIZE_BYTES_MIN, wanted))
        }
        Sizes::Ramlat => RAMLAT_BYTES.map(in_haste).into_iter().filter(|size| *size <= room).collect(),
    }
}

/// Sizes in steps of the square root of two, in whole lines.
fn curve(largest: u64) -> Vec<u64> {
    let size = |step: u32| {
        let whole = SIZE_BYTES_MIN << (step / 2);
        match step % 2 {
            0 => whole,
            _ => (whole as f64 * std::f64::consts::SQRT_2) as u64 / LINE as u64 * LINE as u64,
        }
    };
    (0..).map(size).take_while(|size| *size <= largest).collect()
}

/// Latencies of one walk over all sizes.
#[derive(Debug)]
struct ChaseResult {
    rows: Vec<LatencyRow>,
    repeated: Vec<RepetitionStats>,
    huge_kib: Fact<u64>,
    clock_khz: Fact<u32>,
}

fn walked(root: &Root, form: Form, sizes: &[u64], cancelled: &AtomicI32) -> Result<ChaseResult, String> {
    let largest = sizes.last().copied().unwrap_or(SIZE_BYTES_MIN) as usize;
    let mut buffer = Buffer::new(largest, form.pages).map_err(|refused| refused.to_string())?;
    let huge_kib = huge_kib(root, buffer.address()).into();
    let clock_khz = clock_khz();
    let (rows, repeated) = rounds::walk_all(&mut buffer, form, sizes, cancelled);
    Ok(ChaseResult { rows, repeated, huge_kib, clock_khz })
}

/// The clock of the calling thread's CPU.
fn clock_khz() -> Fact<u32> {
    let unknown = |why: String| Missing::unsupported("clock", why).into();
    if let Ok(Some(sign)) = emulated() {
        return unknown(format!("this CPU is emulated ({sign})"));
    }
    let reading = measure(&ClockPlan::default());
    match emulation_sign(&reading, || measure(&ClockPlan::warm())) {
        Some(sign) => unknown(format!("this CPU is emulated ({sign})")),
        None if !reading.supported => unknown("the clock reading was disturbed".into()),
        None => Fact::Known(reading.best_khz),
    }
}

/// Page size that backs the memory, if the kernel reports it.
fn pages_in_words(asked: Pages, page_bytes: Option<u32>, huge_kib: &Fact<u64>, size_bytes: Option<u64>) -> String {
    let small = match page_bytes {
        Some(bytes) => format!("{} KiB pages", bytes >> 10),
        None => "default page size".to_owned(),
    };
    let (huge_mib, mib) = (huge_kib.clone().map(|kib| kib >> 10), size_bytes.unwrap_or(0) >> 20);
    match (asked, huge_mib) {
        (Pages::Small, Fact::Known(0) | Fact::Missing { .. }) => small,
        (Pages::Small, Fact::Known(huge)) => format!("{small}, {huge} MiB in huge pages"),
        (_, Fact::Known(0)) => format!("{small}; no huge pages were available"),
        (_, Fact::Known(huge)) if huge >= mib => "huge pages".to_owned(),
        (_, Fact::Known(huge)) => format!("huge pages for {huge} of {mib} MiB"),
        (_, Fact::Missing { missing }) => format!("page size unknown: {missing}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(variant: &Variant, cancelled: i32) -> ChaseResult {
        let root = Root::from_board("== /proc/meminfo\nMemAvailable: 8000000 kB\n").unwrap();
        let sizes = [4 << 10, 64 << 10];
        super::walked(&root, form(variant), &sizes, &AtomicI32::new(cancelled)).unwrap()
    }

    #[test]
    fn every_size_has_every_column_of_its_walk() {
        for (variant, columns) in
            [(Variant::ONLY, 8), (Variant::SMALL_PAGES, 1), (Variant::RAMLAT, 1), (Variant::TLB_LIGHT, 1)]
        {
            let walked = walked(&variant, 0);
            assert_eq!(walked.rows.len(), 2);
            assert_eq!(walked.repeated.len(), 2 * columns);
            for row in &walked.rows {
                assert_eq!(row.ns.len(), columns);
                assert!(row.ns.iter().all(|ns| ns.is_some_and(|ns| ns > 0.0)));
            }
            assert_eq!(walked.repeated[columns].min, walked.rows[1].ns[0].unwrap());
        }
    }

    #[test]
    fn interrupted_walk_ends() {
        assert!(walked(&Variant::ONLY, 2).rows.is_empty());
    }

    #[test]
    fn sizes_rise_by_the_square_root_of_two() {
        assert_eq!(curve(20_000), [4096, 5760, 8192, 11_584, 16_384]);
        let all = curve(128 << 20);
        assert_eq!((all.len(), all[30]), (31, 128 << 20));
        assert!(all.iter().all(|size| size.is_multiple_of(LINE as u64)));
    }

    #[test]
    fn page_size_description() {
        let size = Some(128 << 20);
        let huge = |mib: u64| Fact::Known(mib << 10);
        let unknown = Fact::from(Missing::absent("/proc/self/smaps"));
        for (asked, huge, expected) in [
            (Pages::Huge, huge(128), "huge pages"),
            (Pages::Huge, huge(100), "huge pages for 100 of 128 MiB"),
            (Pages::Huge, huge(0), "4 KiB pages; no huge pages were available"),
            (Pages::Huge, unknown.clone(), "page size unknown: /proc/self/smaps does not exist"),
            (Pages::Small, huge(0), "4 KiB pages"),
            (Pages::Small, unknown, "4 KiB pages"),
            (Pages::Small, huge(2), "4 KiB pages, 2 MiB in huge pages"),
        ] {
            assert_eq!(pages_in_words(asked, Some(4096), &huge, size), expected);
        }
    }
}
