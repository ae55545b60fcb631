//! Which SoC a machine has: facts in, ranked candidates with evidence and confidence out.
//!
//! Every piece of evidence is a text that some file says and the SoCs that can be meant by it
//! ([`evidence`]); it weighs more than all evidence of lower authority together ([`score`]). What
//! cannot be told apart stays a set, and what nothing names and no known SoC fits stays unknown.
//! Reading the facts is done by `machine`, and by `logs` for the logs of earlier versions.

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

/// More names than this in a row help nobody: then the SoC counts as not known.
const NAMES_MAX: usize = 6;

/// Reads the tables, which is otherwise done when they are first asked: milliseconds, on small boards tens
/// of them, that can be spent while a program waits for something else.
pub fn read_tables() {
    LazyLock::force(&table::TABLES);
}

/// Identifies the SoC behind these facts.
pub fn identify(machine: &Machine) -> Answer {
    score::answer(&Facts::of(machine))
}

/// The name of the SoC to show where one line has room: one name, or a few that cannot be told
/// apart (`Amlogic S905X2/S905Y2`). What no evidence tells stays what a file or a log calls it.
pub fn name(machine: &Machine) -> Fact<String> {
    match score::names(&Facts::of(machine)) {
        Ok(names) if names.len() <= NAMES_MAX => Fact::Known(answer::joined(&names)),
        _ if machine.soc.known().is_some() => machine.soc.clone(),
        Ok(names) => Missing::unsupported("", format!("{} SoCs match", names.len())).into(),
        Err(why) => Missing::unsupported("", why).into(),
    }
}
