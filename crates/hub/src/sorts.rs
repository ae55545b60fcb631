//! Figures that lists are sorted by.

pub struct Sort {
    /// Column, field in JSON, and word in addresses.
    pub column: &'static str,
    pub heading: &'static str,
}

const fn sort(column: &'static str, heading: &'static str) -> Sort {
    Sort { column, heading }
}

/// All sorts; the highest value comes first.
pub const SORTS: [Sort; 7] = [
    sort("clock_khz", "Clock (kHz)"),
    sort("sevenzip_multi_mips", "7-zip multi (MIPS)"),
    sort("sevenzip_single_mips", "7-zip single (MIPS)"),
    sort("aes_kb_per_s", "AES (kB/s)"),
    sort("copy_mb_per_s", "memcpy (MB/s)"),
    sort("fill_mb_per_s", "memset (MB/s)"),
    sort("cpuminer_kh_per_s", "cpuminer (kH/s)"),
];
