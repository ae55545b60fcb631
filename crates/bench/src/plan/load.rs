//! Loads requested by name (`run --workload stress-ng:cpu`, `-s`): workload, forms, CPUs and repetitions.
//! `question::loads` turns them into steps; the workloads are in `workloads`.

use record::{Variant, WorkloadId};
use workloads::Workload;
use workloads::job::definition::Repeat;
use workloads::job::pinning::CpuSelection;

/// A workload of the table, requested by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load {
    /// Its id in the table.
    pub workload: WorkloadId,
    /// Its forms; empty for all.
    pub variants: Vec<Variant>,
    /// CPUs that replace the usual ones.
    pub pinning: Option<CpuSelection>,
    /// Number of repetitions that replaces the usual one.
    pub repeat: Option<Repeat>,
}

impl Load {
    /// The workload with its default forms, CPUs and repetitions.
    pub fn usual(workload: WorkloadId) -> Self {
        Self { workload, variants: Vec::new(), pinning: None, repeat: None }
    }

    /// Parses `stockfish`, `stress-ng:cpu,vm`, `phoronix:compress-7zip`. `None` if the table has no workload of this
    /// name.
    ///
    /// # Errors
    /// The workload has no such form; one sentence.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        let (name, forms) = text.split_once(':').unwrap_or((text, ""));
        let Some(workload) = workloads::named(name) else { return Ok(None) };
        let forms = forms.split(',').map(str::trim);
        let forms: Vec<Variant> = forms.filter(|form| !form.is_empty()).map(Variant::from).collect();
        let known = known_variants(workload);
        if let Some(wrong) = forms.iter().find(|form| !known.is_empty() && !known.contains(form)) {
            let known: Vec<&str> = known.iter().map(Variant::as_str).collect();
            return Err(format!("{name} has no variant {wrong:?}; its variants are {}", known.join(", ")));
        }
        if known.is_empty() && forms.is_empty() {
            return Err(format!("{name} needs test names: {name}:TEST[,TEST...]"));
        }
        Ok(Some(Self { variants: forms, ..Self::usual(workload.id) }))
    }
}

/// Names of its forms; empty if it takes any name or has only one form.
fn known_variants(workload: &Workload) -> &'static [Variant] {
    let standard = workload.attributes.forms;
    workload.shape.map_or(standard, |shape| shape.variants)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_variants_are_refused() {
        assert_eq!(Load::parse("my-own"), Ok(None));
        let why = Load::parse("stress-ng:fork").unwrap_err();
        assert!(why.contains("matrix, cpu, vm"), "{why}");
    }
}
