//! Evidence of the cores: types, steppings, features and counts. Cores fit SoCs; they do not name one.

use super::cores::Plain;
use super::evidence::{Evidence, Kind, push};
use super::facts::Facts;
use super::table::{Soc, TABLES};

/// Adds evidence of the cores.
pub(super) fn add(facts: &Facts, found: &mut Vec<Evidence>) {
    const FROM: &str = "cores";
    let cores = &facts.cores;
    if cores.is_empty() && facts.features.is_empty() || cores.total == 0 {
        return;
    }
    let plain = Plain::of(cores);
    let fits: Vec<Fit> = TABLES.socs.iter().map(|soc| Fit::of(soc, &plain, facts)).collect();
    let select = |wanted: &dyn Fn(&Fit) -> bool| -> Vec<usize> {
        let socs = fits.iter().enumerate().filter(|(_, fit)| wanted(fit));
        socs.map(|(index, _)| index).collect()
    };
    if !cores.is_empty() {
        let text = cores.text();
        push(found, Kind::Cores, &text, FROM, select(&|fit| fit.types));
        push(found, Kind::Steppings, &text, FROM, select(&|fit| fit.absent.is_some()));
    }
    if !facts.features.is_empty() {
        let words = feature_words(facts);
        push(found, Kind::Features, &words, FROM, select(&|fit| fit.features));
    }
    let count = match cores.total {
        1 => "1 CPU".to_owned(),
        total => format!("{total} CPUs"),
    };
    push(found, Kind::Count, &count, FROM, select(&|fit| fit.absent == Some(0)));
    let all = fits.iter().filter(|fit| fit.features);
    if let Some(fewest) = all.filter_map(|fit| fit.absent).min() {
        let says = format!("{fewest} more than present");
        push(found, Kind::Absent, &says, FROM, select(&|fit| fit.absent == Some(fewest)));
    }
}

/// True if none of these SoCs has a core of a type that the machine has, and others have all of them.
pub(super) fn excludes_all(facts: &Facts, socs: &[usize]) -> bool {
    let plain = Plain::of(&facts.cores);
    let has_any = |soc: &Soc| soc.shapes.is_empty() || soc.shapes.iter().any(|shape| shape.has_any_type(&plain));
    let is_known = || TABLES.socs.iter().flat_map(|soc| &soc.shapes).any(|shape| shape.fits_types(&plain));
    !facts.cores.is_empty() && !socs.iter().any(|soc| has_any(&TABLES.socs[*soc])) && is_known()
}

struct Fit {
    types: bool,
    /// Number of missing cores; `None` if types or steppings do not match.
    absent: Option<usize>,
    features: bool,
}

impl Fit {
    fn of(soc: &Soc, cores: &Plain<'_>, facts: &Facts) -> Self {
        let by_type = || soc.shapes.iter().filter(|shape| shape.fits_types(cores));
        let fitting = by_type().filter(|shape| shape.fits_steppings(cores));
        Self {
            types: by_type().next().is_some(),
            absent: fitting.map(|shape| shape.absent(cores)).min(),
            features: fits_features(soc, facts),
        }
    }
}

/// True if the features of cpuinfo fit this SoC. Only features that a kernel certainly prints count: 32-bit kernels
/// print `aes` only if they are new enough to print `crc32`.
fn fits_features(soc: &Soc, facts: &Facts) -> bool {
    if facts.features.is_empty() {
        return true;
    }
    let has = |name: &str| facts.features.contains(name);
    let prints_crypto = has("asimd") || has("crc32");
    soc.features.iter().all(|feature| match *feature {
        "crypto" => has("aes") || !prints_crypto,
        "nocrypto" => !has("aes"),
        "noneon" => !has("neon") && !has("asimd"),
        _ => true,
    }) && (!facts.is_riscv() || fits_riscv(soc, facts))
}

/// Old kernels may hide extensions of a RISC-V core, but never add some.
fn fits_riscv(soc: &Soc, facts: &Facts) -> bool {
    let is_riscv = soc.features.contains(&"riscv");
    let has_all = ["v", "h"].iter().all(|letter| {
        let maybe = format!("{letter}?");
        !facts.features.contains(*letter) || soc.features.iter().any(|feature| feature == letter || *feature == maybe)
    });
    is_riscv && has_all
}

fn feature_words(facts: &Facts) -> String {
    const DECIDING: [&str; 7] = ["asimd", "neon", "aes", "crc32", "v", "h", "i"];
    let found = DECIDING.iter().filter(|name| facts.features.contains(**name));
    found.copied().collect::<Vec<_>>().join(" ")
}
