//! Identification of the SoC: ranked candidates with evidence and confidence.
//!
//! A piece of evidence is a text of a file with the SoCs that it allows ([`evidence`]); it outweighs all evidence of
//! lower authority together ([`score`]). Indistinguishable SoCs stay a set; without a name or a known SoC that fits,
//! the SoC stays unknown. `machine` reads the facts, and `logs` those of earlier versions.

mod answer;
mod boards;
mod by_cores;
mod clocks;
mod cores;
mod evidence;
mod facts;
mod gather;
mod identification;
mod names;
mod numbers;
mod report;
mod score;
mod settle;
mod spelling;
mod table;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Candidate, Confidence};
pub use boards::{bare_key, key as board_key};
pub use clocks::advertised;
pub use evidence::{Evidence, Kind};
pub use facts::Facts;
pub use identification::{json, text};
pub use report::{line, report};
pub use table::Soc;

use record::{Fact, Machine, Missing};
use std::sync::LazyLock;

/// Maximum number of names; above it the SoC counts as unknown.
const NAMES_MAX: usize = 6;

/// Reads the tables, which otherwise happens on first use. It takes milliseconds, tens of them on small boards, and can
/// overlap with other waits.
pub fn read_tables() {
    LazyLock::force(&table::TABLES);
}

/// Identifies the SoC behind these facts.
pub fn identify(machine: &Machine) -> Answer {
    score::answer(&Facts::of(machine))
}

/// Name of the SoC for a single line: one name, or a few indistinguishable ones (`Amlogic S905X2/S905Y2`). Without
/// evidence, the name in the file or log.
pub fn name(machine: &Machine) -> Fact<String> {
    match score::names(&Facts::of(machine)) {
        Ok(names) if names.len() <= NAMES_MAX => Fact::Known(answer::joined(&names)),
        _ if machine.soc.known().is_some() => machine.soc.clone(),
        Ok(names) => Missing::unsupported("", format!("{} SoCs match", names.len())).into(),
        Err(why) => Missing::unsupported("", why).into(),
    }
}
