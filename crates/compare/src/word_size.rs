//! Word size of the programs of a machine.

use record::Machine;

/// Architectures of 32-bit userlands, as distributions and kernels name them.
const NARROW: [&str; 8] = ["arm", "armel", "armhf", "armv6l", "armv7l", "armv8l", "i386", "i686"];

/// True for the architecture of a 32-bit userland.
pub(crate) fn is_narrow(arch: &str) -> bool {
    NARROW.contains(&arch)
}

/// Bits of a word in programs: 32 or 64. A 32-bit kernel has 32-bit programs, a 64-bit one has either.
pub(crate) fn userland_bits(machine: &Machine) -> Option<u32> {
    let userland = machine.userland_arch.known().map(String::as_str);
    let kernel = || machine.kernel_arch.known().map(String::as_str).filter(|arch| is_narrow(arch));
    match userland.or_else(kernel)? {
        arch if is_narrow(arch) => Some(32),
        arch if arch.contains("64") => Some(64),
        _ => None,
    }
}
