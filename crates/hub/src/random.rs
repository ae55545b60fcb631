//! Random bytes from the kernel, for secrets of tokens and addresses that cannot be guessed.

use crate::store::Trouble;

/// `N` random bytes.
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
