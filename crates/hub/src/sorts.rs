//! Figures that lists are sorted by.

pub struct Sort {
    /// Column, field in JSON, and word in addresses.
    pub column: &'static str,
    pub heading: &'static str,
    /// Unit of the heading, in which pages show the figure.
    pub unit: &'static str,
    /// Number of units of the column in one of these.
    pub divisor: f64,
}

const fn sort(column: &'static str, heading: &'static str, unit: &'static str) -> Sort {
    Sort { column, heading, unit, divisor: 1.0 }
}

/// All sorts; the highest value comes first.
pub const SORTS: [Sort; 7] = [
    Sort { divisor: 1000.0, ..sort("clock_khz", "Clock (MHz)", "MHz") },
    sort("sevenzip_multi_mips", "7-zip multi (MIPS)", "MIPS"),
    sort("sevenzip_single_mips", "7-zip single (MIPS)", "MIPS"),
    sort("aes_kb_per_s", "AES (kB/s)", "kB/s"),
    sort("copy_mb_per_s", "memcpy (MB/s)", "MB/s"),
    sort("fill_mb_per_s", "memset (MB/s)", "MB/s"),
    sort("cpuminer_kh_per_s", "cpuminer (kH/s)", "kH/s"),
];
