//! Order of the main figures.

use facts::figures::FigureKey;
use record::{Variant, WorkloadId};

/// Position among the main figures; `None` for figures that have their own section.
pub(crate) fn rank(key: &FigureKey) -> Option<usize> {
    let is = |workload: WorkloadId, form: &Variant| key.is_of(workload) && key.is_form(form);
    let of_memory = key.workload().is_of_memory();
    match key.workload().id() {
        Some(WorkloadId::Clock) => None,
        Some(WorkloadId::SevenZip) if is(WorkloadId::SevenZip, &Variant::MULTI) => Some(0),
        Some(WorkloadId::SevenZip) if is(WorkloadId::SevenZip, &Variant::SINGLE) => Some(1),
        Some(WorkloadId::SevenZip) => Some(5),
        Some(WorkloadId::MemoryLibc) if key.name() == "copy" => Some(2),
        Some(WorkloadId::MemoryLibc) => Some(3),
        Some(WorkloadId::OpenSsl) if key.as_str().contains("aes-256") => Some(4),
        Some(WorkloadId::OpenSsl) => None,
        _ if of_memory => None,
        _ => Some(5),
    }
}
