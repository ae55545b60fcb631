//! Whether the CPU of this machine is emulated: asked of the CPU, as no file tells it.

use machine::Root;
use microbench::clock;
use record::{Fact, Machine, Missing, NOT_EMULATED, Why};

/// The machine behind this root, and whether its CPU is emulated.
pub fn identified(root: &Root) -> Machine {
    told(root, &machine::identify(root))
}

/// The same machine, and whether its CPU is emulated.
pub(crate) fn told(root: &Root, machine: &Machine) -> Machine {
    Machine { emulation: emulation(root), ..machine.clone() }
}

/// What shows that the CPU is emulated, or `none`.
fn emulation(root: &Root) -> Fact<String> {
    if !root.is_system() {
        return Missing::unsupported("", "only running code shows it; these are the files of a machine").into();
    }
    match clock::emulated() {
        Ok(sign) => Fact::Known(sign.map_or(NOT_EMULATED.into(), |sign| sign.to_string())),
        Err(errno) => Missing { path: "memory for new code".into(), why: Why::Io(errno) }.into(),
    }
}
