//! Detects an emulated CPU by its behaviour, as no file reports it.

use machine::Root;
use microbench::clock;
use record::{Fact, Machine, Missing, MissingReason, NOT_EMULATED};

/// The machine of this root, with the emulation of its CPU.
pub fn identified(root: &Root) -> Machine {
    with_emulation(root, &machine::identify(root))
}

/// The machine with the emulation of its CPU.
pub fn with_emulation(root: &Root, machine: &Machine) -> Machine {
    if root.is_system() { Machine { emulation: emulation(), ..machine.clone() } } else { machine.clone() }
}

/// Evidence that the CPU is emulated, or `none`.
fn emulation() -> Fact<String> {
    match clock::emulated() {
        Ok(sign) => Fact::Known(sign.map_or(NOT_EMULATED.into(), |sign| sign.to_string())),
        Err(errno) => Missing { path: "memory for new code".into(), why: MissingReason::Io(errno) }.into(),
    }
}
