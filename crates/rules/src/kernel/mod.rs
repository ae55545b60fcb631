//! The running kernel: origin, age, configuration, and settings that cost speed.
//!
//! Pure: facts of a Record in, a verdict with its evidence out. The date of today comes from the
//! Record, the dates of support from `data/kernels.tsv` or a newer file ([`Eol`]).

mod eol;
mod origin;
mod remarks;
mod support;
mod text;
pub use text::weakness_lines;
mod version;

pub use eol::{Date, Eol, Series};
pub use origin::{Class, Origin, Trace};
pub use support::ENDED;
pub use support::Support;
pub use text::{lines, text};
pub use version::KernelVersion;

use facts::Finding;
use record::{Record, StableSort};
use serde::Serialize;

/// Verdict on a kernel.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KernelVerdict {
    /// As `uname -r`.
    pub release: String,
    /// Version in numbers, with the upstream revision if the distribution reports it.
    pub version: Option<KernelVersion>,
    /// Possible origins, most likely first. Empty without any trace.
    pub origins: Vec<Origin>,
    /// Support of its series at kernel.org.
    pub support: Support,
    /// Date of the support data.
    pub data_of: Date,
    /// Remarks, most important first.
    pub findings: Vec<Finding>,
}

/// Verdict on the kernel of a Record.
pub fn verdict(record: &Record, eol: &Eol) -> KernelVerdict {
    let machine = &record.machine;
    let release = machine.kernel_release.known().cloned().unwrap_or_default();
    let facts = record.surveys.first().map(|survey| &survey.kernel);
    let build = machine.kernel_version.known().map_or("", String::as_str);
    let upstream = facts.and_then(|facts| facts.upstream.known());
    let version = KernelVersion::of(&release, build, upstream.map_or("", String::as_str));
    let today = record.run.started.known().map(|ms| Date::of_utc_ms(*ms));
    let origins = origin::origins(machine, facts);
    let support = support::support(version.as_ref(), eol, today);
    let mut findings = support::findings(&release, version.as_ref(), &support, &origins, eol, today);
    findings.extend(remarks::findings(record, version.as_ref(), &origins));
    findings.stable_sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    KernelVerdict { release, version, origins, support, data_of: eol.as_of, findings }
}

#[cfg(test)]
mod tests;
