//! One form of a workload, as named for tests that repeat one thing: `drive:read`, `video:hevc-1080p`, `network`. The
//! test chooses CPUs and duration.

use crate::plan::load::Load;
use record::{Variant, WorkloadId};
use workloads::job::Job;
use workloads::job::definition::Definition;
use workloads::{WORKLOADS, workload};

/// A workload and its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Its id in the table.
    pub workload: WorkloadId,
    /// The form; empty for its only one.
    pub variant: Variant,
}

impl Form {
    /// Parses `drive:read,write`, or `drive` for all forms. `None` if the table has no such workload, or if it has no
    /// forms.
    ///
    /// # Errors
    /// The workload has no such form; a sentence without its full stop.
    pub fn parse(text: &str) -> Result<Option<Vec<Self>>, String> {
        let Some(load) = Load::parse(text)? else { return Ok(None) };
        let Some(shape) = workload(load.workload).and_then(|workload| workload.shape) else {
            return Ok(None);
        };
        let variants = if load.variants.is_empty() { shape.variants } else { &load.variants };
        let form = |variant: &Variant| Self { workload: load.workload, variant: variant.clone() };
        Ok(Some(variants.iter().map(form).collect()))
    }

    /// Its job on these CPUs.
    pub(crate) fn job(&self, cpus: Vec<u32>) -> Job {
        Job::on(self.workload, self.variant.clone(), cpus)
    }

    /// The named form, or the first: for tests that run one form only.
    ///
    /// # Errors
    /// As [`Form::parse`].
    pub fn first(text: &str) -> Result<Option<Self>, String> {
        Ok(Self::parse(text)?.and_then(|forms| forms.into_iter().next()))
    }
}

/// Workload that a thermal or sensitivity test repeats.
#[derive(Debug, Clone, PartialEq)]
pub enum RepeatedWorkload {
    /// One form of a workload of the table.
    Form(Form),
    /// A user's program.
    Program(Box<Definition>),
}

impl RepeatedWorkload {
    /// Its workload in the table; `None` for a user's program.
    pub fn workload_id(&self) -> Option<WorkloadId> {
        match self {
            Self::Form(form) => Some(form.workload),
            Self::Program(_) => None,
        }
    }

    /// The user's program.
    pub fn program(&self) -> Option<&Definition> {
        match self {
            Self::Form(_) => None,
            Self::Program(definition) => Some(definition),
        }
    }
}

/// Ids of all workloads that have forms, for messages.
pub fn workloads_with_variants() -> Vec<&'static str> {
    let with_forms = WORKLOADS.iter().filter(|workload| workload.shape.is_some());
    with_forms.map(|workload| workload.id.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_named_or_all() {
        for (text, expected) in [
            ("drive:read", Ok(Some("drive read"))),
            ("drive:read,write", Ok(Some("drive read, drive write"))),
            (WorkloadId::Network.as_str(), Ok(Some("network send, network receive"))),
            (WorkloadId::Stockfish.as_str(), Ok(Some("stockfish "))),
            (WorkloadId::Lzma.as_str(), Ok(None)),
            ("make", Ok(None)),
            ("drive:fast", Err("its variants are write, read")),
        ] {
            let found = Form::parse(text).map(|forms| {
                let words = |form: &Form| format!("{} {}", form.workload.as_str(), form.variant);
                forms.map(|forms| forms.iter().map(words).collect::<Vec<_>>().join(", "))
            });
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found.as_deref(), expected, "{text}"),
                (Err(why), Err(words)) => assert!(why.contains(words), "{why}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
        let first = Form::first(WorkloadId::Video.as_str()).unwrap().unwrap();
        assert_eq!(first.variant, Variant::own("h264-540p"));
        assert!(workloads_with_variants().contains(&WorkloadId::OpenGl.as_str()));
    }
}
