//! Order of the main figures.

use facts::figures::FigureKey;
use facts::figures::main::HEADLINES;
use record::{Variant, WorkloadId};

/// Position among the main figures, those of [`HEADLINES`] first; `None` for figures that have their own section.
pub(crate) fn rank(key: &FigureKey) -> Option<usize> {
    let headline = HEADLINES.iter().position(|headline| headline.is_of(key));
    headline.or_else(|| match key.workload().id() {
        // OpenSSL 1.0 has no blocks of 16 KiB.
        Some(WorkloadId::OpenSsl) if key.is_form(&Variant::AES_256_CBC) => Some(2),
        Some(WorkloadId::Clock | WorkloadId::OpenSsl) => None,
        Some(WorkloadId::MemoryLibc) => Some(HEADLINES.len()),
        _ if key.workload().is_of_memory() => None,
        _ => Some(HEADLINES.len() + 1),
    })
}
