//! The table of workloads. One entry is one file with its doc, code and tests.

mod aes;
mod core_to_core;
mod lzma;
mod memory_bandwidth;
mod memory_latency;
mod openssl;
mod program;
mod sevenzip;
mod simd;

use crate::Lab;
use crate::tools::ToolKind;
use record::{Failure, Measured, Missing};

/// One kind of work that is measured.
#[derive(Debug)]
pub struct Workload {
    /// Name in the Record and on the command line, in kebab-case.
    pub id: &'static str,
    /// One sentence: what it does and what its figures mean.
    pub about: &'static str,
    /// Where to read more.
    pub link: &'static str,
    /// Unit of its figures.
    pub unit: &'static str,
    /// Whether a higher figure is better.
    pub higher_is_better: bool,
    /// The external program it runs; none for what is built in.
    pub tool: Option<&'static ToolKind>,
    /// Why it cannot run here: no tool, no memory. Asked before every step.
    pub lacking: fn(&Lab) -> Option<Missing>,
    /// Runs it once.
    pub run: fn(&mut Lab) -> Result<Measured, Failure>,
}

/// All workloads, by id.
pub const WORKLOADS: &[Workload] = &[
    aes::AES,
    core_to_core::CORE_TO_CORE,
    lzma::LZMA,
    memory_bandwidth::MEMORY_BANDWIDTH,
    memory_latency::MEMORY_LATENCY,
    openssl::OPENSSL,
    program::PROGRAM,
    sevenzip::SEVENZIP,
    simd::SIMD,
];

/// The workload with this id.
pub fn workload(id: &str) -> Option<&'static Workload> {
    WORKLOADS.iter().find(|workload| workload.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_complete() {
        for pair in WORKLOADS.windows(2) {
            assert!(
                pair[0].id < pair[1].id,
                "{} before {}",
                pair[0].id,
                pair[1].id
            );
        }
        for workload in WORKLOADS {
            let id = workload.id;
            let kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(!id.is_empty() && id.chars().all(kebab), "{id:?}");
            assert!(
                workload.about.ends_with('.') && workload.about.len() > 30,
                "{id}"
            );
            assert!(workload.link.starts_with("https://"), "{id}");
            assert!(!workload.unit.is_empty(), "{id}");
        }
    }
}
