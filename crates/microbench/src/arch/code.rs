//! Machine code as bytes, for code that is generated at run time ([`crate::translation`]): a function of one number
//! that adds ones to it, in the C calling convention of each architecture.

/// Length of the longest of these instructions.
pub(crate) const BYTES_MAX: usize = 4;

#[cfg(target_arch = "x86_64")]
mod words {
    /// `mov eax, edi`.
    pub(crate) const BEGIN: &[u8] = &[0x89, 0xf8];
    /// `add eax, 1`.
    pub(crate) const ADD_ONE: &[u8] = &[0x83, 0xc0, 0x01];
    /// `ret`.
    pub(crate) const RETURN: &[u8] = &[0xc3];
}

#[cfg(target_arch = "aarch64")]
mod words {
    /// `nop`: argument and result share a register.
    pub(crate) const BEGIN: &[u8] = &0xd503_201f_u32.to_le_bytes();
    /// `add w0, w0, #1`.
    pub(crate) const ADD_ONE: &[u8] = &0x1100_0400_u32.to_le_bytes();
    /// `ret`.
    pub(crate) const RETURN: &[u8] = &0xd65f_03c0_u32.to_le_bytes();
}

#[cfg(target_arch = "arm")]
mod words {
    /// `mov r0, r0`: argument and result share a register.
    pub(crate) const BEGIN: &[u8] = &0xe1a0_0000_u32.to_le_bytes();
    /// `add r0, r0, #1`.
    pub(crate) const ADD_ONE: &[u8] = &0xe280_0001_u32.to_le_bytes();
    /// `bx lr`.
    pub(crate) const RETURN: &[u8] = &0xe12f_ff1e_u32.to_le_bytes();
}

#[cfg(target_arch = "riscv64")]
mod words {
    /// `nop`: argument and result share a register.
    pub(crate) const BEGIN: &[u8] = &0x0000_0013_u32.to_le_bytes();
    /// `addiw a0, a0, 1`.
    pub(crate) const ADD_ONE: &[u8] = &0x0015_051b_u32.to_le_bytes();
    /// `ret`.
    pub(crate) const RETURN: &[u8] = &0x0000_8067_u32.to_le_bytes();
}

pub(crate) use words::{ADD_ONE, BEGIN, RETURN};

/// Makes generated instructions visible to all CPUs. x86 does this in hardware.
#[cfg(target_arch = "x86_64")]
pub(crate) fn synchronise(_start: *const u8, _bytes: usize) {}

/// Makes generated instructions visible to all CPUs: cleans data to the point of unification and invalidates
/// instructions, line by line (Arm Architecture Reference Manual, "Synchronization and coherency issues between data
/// and instruction accesses"). Linux permits this in user space.
#[cfg(target_arch = "aarch64")]
pub(crate) fn synchronise(start: *const u8, bytes: usize) {
    /// Smallest cache line of the architecture.
    const LINE: usize = 16;
    let lines = || (0..bytes).step_by(LINE).map(|offset| start.wrapping_add(offset));
    for line in lines() {
        // SAFETY: writes back a cache line; the content of memory is unchanged.
        unsafe { std::arch::asm!("dc cvau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: a barrier.
    unsafe { std::arch::asm!("dsb ish", options(nostack, preserves_flags)) };
    for line in lines() {
        // SAFETY: invalidates a line of the instruction cache.
        unsafe { std::arch::asm!("ic ivau, {}", in(reg) line, options(nostack, preserves_flags)) };
    }
    // SAFETY: barriers.
    unsafe { std::arch::asm!("dsb ish", "isb", options(nostack, preserves_flags)) };
}

/// Makes generated instructions visible to all CPUs (`__ARM_NR_cacheflush`).
#[cfg(target_arch = "arm")]
pub(crate) fn synchronise(start: *const u8, bytes: usize) {
    const CACHEFLUSH: libc::c_long = 0x0f_0002;
    // SAFETY: invalidates the range in the instruction caches; the content of memory is unchanged.
    unsafe { libc::syscall(CACHEFLUSH, start, start.wrapping_add(bytes), 0) };
}

/// Makes generated instructions visible to all CPUs (`riscv_flush_icache`, since Linux 4.15).
#[cfg(target_arch = "riscv64")]
pub(crate) fn synchronise(start: *const u8, bytes: usize) {
    const FLUSH_ICACHE: libc::c_long = 259;
    // SAFETY: invalidates the range in the instruction caches; the content of memory is unchanged.
    unsafe { libc::syscall(FLUSH_ICACHE, start, start.wrapping_add(bytes), 0usize) };
    // SAFETY: the same for this CPU only, if the kernel lacks the call.
    unsafe { std::arch::asm!("fence.i", options(nostack, preserves_flags)) };
}
