//! The figures that tables are sorted by.

/// A column that tables are sorted by.
pub struct Sort {
    /// Its column, its field in JSON and its word in addresses.
    pub column: &'static str,
    /// Its heading.
    pub heading: &'static str,
}

const fn sort(column: &'static str, heading: &'static str) -> Sort {
    Sort { column, heading }
}

/// All of them; the best comes first.
pub const SORTS: [Sort; 7] = [
    sort("clock_khz", "Clock (kHz)"),
    sort("sevenzip_multi_mips", "7-zip multi (MIPS)"),
    sort("sevenzip_single_mips", "7-zip single (MIPS)"),
    sort("aes_kb_per_s", "AES (kB/s)"),
    sort("copy_mb_per_s", "memcpy (MB/s)"),
    sort("fill_mb_per_s", "memset (MB/s)"),
    sort("cpuminer_kh_per_s", "cpuminer (kH/s)"),
];
