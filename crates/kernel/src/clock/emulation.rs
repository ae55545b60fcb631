//! Whether the figures of a clock reading can come from a real CPU.
//!
//! A translator (QEMU's TCG, and others of its kind) runs the chain as host instructions, so its
//! "clock" means nothing. It cannot be proved from inside, but two things give it away.

/// What speaks against a real CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmulationSign {
    /// Floating point takes so many cycles that it must be done in software.
    SlowFloat,
    /// A multiplication does not take a whole number of cycles. Also seen when the clock changed
    /// during the reading, so this alone is a doubt and no verdict.
    OddMultiply,
}

/// More cycles than any hardware with a floating-point unit needs for a multiplication: the slowest
/// known one (VFPLite of the Cortex-A8) needs 10 to 18.
const FLOAT_CYCLES_MAX: f64 = 20.0;
/// How far from a whole number a multiplication may be.
const MULTIPLY_TOLERANCE: f64 = 0.06;

pub(super) fn sign(multiply_ratio: f64, float_ratio: f64) -> Option<EmulationSign> {
    if float_ratio > FLOAT_CYCLES_MAX {
        return Some(EmulationSign::SlowFloat);
    }
    let whole = multiply_ratio.round();
    let off = (multiply_ratio - whole).abs() > MULTIPLY_TOLERANCE * whole.max(1.0);
    (off || whole < 1.0).then_some(EmulationSign::OddMultiply)
}
