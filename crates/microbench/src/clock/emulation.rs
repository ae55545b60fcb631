//! Detects emulated CPUs by the figures of a clock reading.
//!
//! A translator (QEMU's TCG, and others of its kind) runs the chain as host instructions, so its "clock" is the host's
//! times a constant and meaningless even if steady. Translation is visible when code runs for the first time
//! ([`crate::translation`]); if new code is not permitted, two other signs indicate it. Their absence does not prove a
//! real CPU. A virtual machine on a real CPU shows no sign, because its clock is real.

use super::reading::ClockReading;
use crate::{arch, translation};
use std::fmt;
use std::sync::OnceLock;

/// Sign of an emulated CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmulationSign {
    /// The translator identifies itself (x86 only).
    Named(&'static str),
    /// New code took this many times as long as the same code later: it was translated.
    Translated(u64),
    /// Floating-point operations take too many cycles for a hardware implementation.
    SlowFloat,
    /// A multiplication does not take a whole number of cycles. A changed clock or a host that preempts the CPU has the
    /// same effect, so this sign counts only if new code is not permitted, and in several readings.
    OddMultiply,
}

impl fmt::Display for EmulationSign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmulationSign::Named(name) => write!(f, "it signs as {name}"),
            EmulationSign::Translated(ratio) => {
                write!(f, "new code takes {ratio} times as long as code that ran before")
            }
            EmulationSign::SlowFloat => f.write_str("floating point is emulated in software"),
            EmulationSign::OddMultiply => f.write_str("a multiplication does not take a whole number of cycles"),
        }
    }
}

/// Maximum cycles of a multiplication of four-element vectors in hardware: 3 to 5 on most cores, 10 to 18 on the
/// slowest known unit (VFPLite of the Cortex-A8). QEMU 7.2 was measured at 98 to 112 with vectors (x86-64, AArch64,
/// NEON) and at 54 without (RISC-V).
const FLOAT_CYCLES_MAX: f64 = 30.0;
/// Maximum distance of a multiplication from a whole number of cycles.
const MULTIPLY_TOLERANCE: f64 = 0.06;

/// Odd pairs of a clock and its checks that indicate an emulated CPU. Single odd pairs occur on busy machines, because
/// the clock changes between the chains.
const PAIRS: usize = 3;
/// Maximum number of readings. On a busy machine many are disturbed and inconclusive.
const READINGS_MAX: usize = 12;

/// Sign of an emulated CPU, from the first reading and from further readings taken by `again`. `None` is inconclusive
/// if the ratios are missing; see [`EmulationSign`].
pub fn emulation_sign(first: &ClockReading, again: impl FnMut() -> ClockReading) -> Option<EmulationSign> {
    let new_code = emulated();
    if let Ok(Some(sign)) = new_code {
        return Some(sign);
    }
    let sign = agreed(first, again, new_code.is_ok())?;
    Some(*AGREED.get_or_init(|| sign))
}

/// Sign that earlier readings agreed on: an emulated CPU stays emulated even if later readings show no sign.
static AGREED: OnceLock<EmulationSign> = OnceLock::new();

/// Sign that needs neither a clock reading nor an idle machine, or the sign of earlier readings. Computed once, in less
/// than a millisecond on a real CPU.
///
/// # Errors
/// errno of the kernel if it denies memory for new code and the translator does not identify itself.
pub fn emulated() -> Result<Option<EmulationSign>, i32> {
    match (arch::translator(), AGREED.get()) {
        (Some(name), _) => Ok(Some(EmulationSign::Named(name))),
        (None, Some(sign)) => Ok(Some(*sign)),
        (None, None) => Ok(translation::translated()?.map(|found| EmulationSign::Translated(found.ratio()))),
    }
}

/// Sign that the readings agree on. If new code ran as on a real CPU, odd multiplications are caused by a busy host,
/// which preempts the CPU between the chains of several readings in a row.
fn agreed(
    first: &ClockReading,
    mut again: impl FnMut() -> ClockReading,
    is_new_code_fast: bool,
) -> Option<EmulationSign> {
    let mut signs = Vec::with_capacity(PAIRS);
    let mut taken = None;
    for index in 0..READINGS_MAX {
        if index > 0 {
            taken = Some(again());
        }
        let reading = taken.as_ref().unwrap_or(first);
        let doubt = sign(reading.multiply_ratio, reading.float_ratio);
        match doubt.filter(|sign| !is_new_code_fast || *sign == EmulationSign::SlowFloat) {
            Some(sign) => signs.push(sign),
            None if reading.multiply_ratio.is_none() || reading.float_ratio.is_none() => {}
            None => return None,
        }
        if signs.len() == PAIRS {
            let slow = |sign: &&EmulationSign| **sign == EmulationSign::SlowFloat;
            return signs.iter().find(slow).or(signs.first()).copied();
        }
    }
    None
}

fn sign(multiply_ratio: Option<f64>, float_ratio: Option<f64>) -> Option<EmulationSign> {
    if float_ratio.is_some_and(|cycles| cycles > FLOAT_CYCLES_MAX) {
        return Some(EmulationSign::SlowFloat);
    }
    let cycles = multiply_ratio?;
    let whole = cycles.round();
    let off = (cycles - whole).abs() > MULTIPLY_TOLERANCE * whole;
    (off || whole < 1.0).then_some(EmulationSign::OddMultiply)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clock changed between the chains of one reading on a busy host, about once in 60 readings.
    #[test]
    fn single_odd_pair_is_not_emulation() {
        let reading = |(multiply_ratio, float_ratio)| ClockReading {
            count: 3,
            best_khz: 2_000_000,
            supported: true,
            sustained_khz: 2_000_000,
            agreeing_permille: 1000,
            preempted_permille: 0,
            elapsed_us: 300,
            multiply_ratio,
            float_ratio,
            ramp_us: None,
            window_ns: 100_000,
            windows_khz: Vec::new(),
        };
        let of = |multiply: f64, float: f64| (Some(multiply), Some(float));
        let (real, odd, slow) = (of(3.0, 4.0), of(2.5, 4.0), of(3.0, 97.5));
        let (disturbed, half) = ((None, None), (Some(3.0), None));
        let is_odd = Some(EmulationSign::OddMultiply);
        let is_slow = Some(EmulationSign::SlowFloat);
        for (pairs, expected, taken) in [
            (&[real][..], None, 1),
            (&[odd, real], None, 2),
            (&[disturbed, real], None, 2),
            (&[disturbed, slow, slow, slow], is_slow, 4),
            (&[odd, odd, real], None, 3),
            (&[odd, disturbed, real], None, 3),
            (&[odd, of(0.3, 4.0), of(2.6, 4.0)], is_odd, 3),
            (&[slow, of(2.5, 111.9), of(3.0, 90.0)], is_slow, 3),
            // Busy emulated machine: most readings are inconclusive, one lacks the second check.
            (&[odd, disturbed, half, slow, disturbed, slow], is_slow, 6),
            (&[slow, half, half, half, half, half, half, half, half, half, half, half], None, 12),
        ] {
            let mut readings = pairs.iter().copied().map(reading);
            let first = readings.next().unwrap();
            let found = agreed(&first, || readings.next().unwrap(), false);
            assert_eq!((found, pairs.len() - readings.count()), (expected, taken), "{pairs:?}");
        }
        // A busy host disturbed every reading of a virtual machine, but new code ran as on a real CPU.
        let always = |pair| agreed(&reading(pair), || reading(pair), true);
        assert_eq!((always(odd), always(slow)), (None, is_slow));
    }

    #[test]
    fn signs() {
        let check = |multiply: f64, float: f64, expected| {
            assert_eq!(sign(Some(multiply), Some(float)), expected);
        };
        // EPYC of the fourth generation.
        check(3.000, 3.001, None);
        // In-order cores of Arm and RISC-V, from their vendors' tables.
        check(4.0, 4.0, None);
        check(3.02, 8.0, None);
        check(3.0, 18.0, None);
        // QEMU 7.2: x86-64, AArch64, 32-bit Arm, RISC-V. The multiplication looks like hardware.
        check(3.005, 103.5, Some(EmulationSign::SlowFloat));
        check(3.007, 97.5, Some(EmulationSign::SlowFloat));
        check(3.113, 111.9, Some(EmulationSign::SlowFloat));
        check(4.003, 54.1, Some(EmulationSign::SlowFloat));
        // Not a whole number, and zero cycles.
        check(2.5, 4.0, Some(EmulationSign::OddMultiply));
        check(0.3, 4.0, Some(EmulationSign::OddMultiply));
        // Missing values are inconclusive.
        assert_eq!(sign(None, None), None);
        assert_eq!(sign(None, Some(97.5)), Some(EmulationSign::SlowFloat));
    }
}
