//! Cache boundaries: buffer sizes at which the latency of memory rises, independent of the
//! tables of the kernel say.

use record::{Cache, Latency, Record, StableSort};

/// Latency rises with this power of the size, at least, where a cache ends: caches that replace lines
/// at random and the translation of addresses rise more slowly.
const STEEP: f64 = 0.5;
/// A rise by less in all is noise.
const RISE_MIN: f64 = 1.3;
/// Sizes rise by the square root of two: a cache boundary one step off counts as equal.
const STEP: f64 = 1.5;

/// The end of a cache.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CacheBoundary {
    /// Largest size that is still answered as fast.
    pub size_bytes: u64,
    /// Nanoseconds before it.
    pub before_ns: f64,
    /// Nanoseconds where the next level is reached.
    pub after_ns: f64,
}

/// Sizes and latencies of dependent single accesses, ascending.
pub fn latency_curve(latency: &Latency) -> Vec<(u64, f64)> {
    const NAMES: [&str; 3] = ["1xPTR", "random", "single random read"];
    let is_plain = |name: &String| NAMES.contains(&name.as_str());
    let Some(column) = latency.columns.iter().position(is_plain) else {
        return Vec::new();
    };
    let point = |row: &record::LatencyRow| {
        let ns = row.ns.get(column).copied().flatten();
        Some((row.size_bytes, ns.filter(|ns| *ns > 0.0)?))
    };
    let mut curve: Vec<(u64, f64)> = latency.rows.iter().filter_map(point).collect();
    curve.stable_sort_by_key(|point| point.0);
    curve
}

/// Every knee of the curve, smallest size first: where a steep stretch has its first step that is at
/// least half as steep as its steepest.
pub fn cache_boundaries(latency: &Latency) -> Vec<CacheBoundary> {
    let curve = latency_curve(latency);
    let slope = |pair: &[(u64, f64)]| {
        let sizes = (pair[1].0 as f64 / pair[0].0 as f64).ln();
        (pair[1].1 / pair[0].1).ln() / sizes.max(f64::MIN_POSITIVE)
    };
    let slopes: Vec<f64> = curve.windows(2).map(slope).collect();
    let mut boundaries: Vec<CacheBoundary> = Vec::new();
    let mut at = 0;
    while at < slopes.len() {
        let steep = slopes[at..].iter().take_while(|slope| **slope > STEEP).count();
        let stretch = &slopes[at..at + steep];
        let steepest = stretch.iter().copied().fold(0.0, f64::max);
        let first = stretch.iter().position(|slope| *slope >= steepest / 2.0);
        let (before_ns, after_ns) = (curve[at].1, curve[at + steep].1);
        if let Some(first) = first.filter(|_| after_ns >= RISE_MIN * before_ns) {
            boundaries.push(CacheBoundary { size_bytes: curve[at + first].0, before_ns, after_ns });
        }
        at += steep.max(1);
    }
    boundaries
}

/// Caches of a CPU that hold data, as the kernel claims them, smallest level first.
pub fn data_caches(record: &Record, cpu: u32) -> Vec<&Cache> {
    let cpus = record.machine.cpus.iter().filter(|known| known.cpu == cpu);
    let caches = cpus.flat_map(|known| &known.caches);
    let mut caches: Vec<&Cache> = caches.filter(|cache| cache.kind != "Instruction").collect();
    caches.stable_sort_by_key(|cache| cache.level);
    caches
}

/// True if the knee is the end of a cache of this size.
pub fn is_end_of(boundary: &CacheBoundary, size_bytes: u64) -> bool {
    let ratio = boundary.size_bytes as f64 / size_bytes.max(1) as f64;
    (1.0 / STEP..=STEP).contains(&ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::LatencyRow;

    fn latency(curve: &[(u64, f64)]) -> Latency {
        let row = |(kib, ns): &(u64, f64)| LatencyRow {
            size_bytes: kib << 10,
            rounds_apart_percent: None,
            ns: vec![None, Some(*ns)],
            line: None,
        };
        Latency {
            columns: vec!["8xPTR".into(), "1xPTR".into()],
            rows: curve.iter().map(row).collect(),
            ..Latency::default()
        }
    }

    fn check(curve: &[(u64, f64)], expected_kib: &[u64]) {
        let boundaries = cache_boundaries(&latency(curve));
        let found: Vec<u64> = boundaries.iter().map(|boundary| boundary.size_bytes >> 10).collect();
        assert_eq!(found, expected_kib);
    }

    /// Two levels of cache and memory: ramlat of a Raspberry Pi 4 (Cortex-A72, 32 KiB and 1 MiB), as
    /// published in results of sbc-bench.
    const PI_4: &[(u64, f64)] = &[
        (4, 2.22),
        (8, 2.22),
        (16, 2.22),
        (32, 2.23),
        (64, 6.4),
        (128, 8.9),
        (256, 10.4),
        (512, 12.7),
        (1024, 20.1),
        (2048, 93.4),
        (4096, 121.9),
        (8192, 139.0),
        (16384, 148.1),
        (32768, 152.0),
    ];

    #[test]
    fn caches_show_where_they_end() {
        check(PI_4, &[32, 1024]);
        // Clear steps at 48 KiB, 1.25 MiB and 12 MiB in sizes of the square root of two.
        let level = |kib: u64| match kib {
            0..=48 => 1.6,
            49..=1280 => 4.9,
            1281..=12288 => 18.0,
            _ => 85.0,
        };
        let sizes = [32, 45, 64, 90, 1024, 1448, 2048, 8192, 11585, 16384, 23170, 32768];
        let curve: Vec<(u64, f64)> = sizes.iter().map(|kib| (*kib, level(*kib))).collect();
        check(&curve, &[45, 1024, 11585]);
    }

    #[test]
    fn slow_rises_and_short_tables_are_no_cache() {
        check(&[(4, 1.0), (8, 1.05), (16, 1.1), (32, 1.16), (64, 1.2)], &[]);
        check(&[(4, 1.0)], &[]);
        check(&[], &[]);
        assert_eq!(cache_boundaries(&Latency::default()), []);
    }

    #[test]
    fn one_step_off_is_the_same_cache() {
        let boundary = cache_boundaries(&latency(PI_4))[0];
        assert!(is_end_of(&boundary, 32 << 10) && is_end_of(&boundary, 45 << 10));
        assert!(!is_end_of(&boundary, 64 << 10) && !is_end_of(&boundary, 0));
    }
}
