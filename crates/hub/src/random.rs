//! Bytes of chance from the kernel: secrets of tokens, and addresses that nobody can work out.

use crate::store::Trouble;

/// So many random bytes.
///
/// # Errors
/// The kernel gives none.
pub fn bytes<const N: usize>() -> Result<[u8; N], Trouble> {
    let mut random = [0_u8; N];
    match rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty()) {
        Ok(count) if count == N => Ok(random),
        _ => Err(Trouble::of("The kernel gives no random bytes.")),
    }
}
