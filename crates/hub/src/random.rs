//! Random bytes of the kernel, for secrets of tokens and unguessable addresses.

use crate::store::StoreError;

pub fn bytes<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut random = [0_u8; N];
    match rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty()) {
        Ok(count) if count == N => Ok(random),
        _ => Err(StoreError::of("The kernel gives no random bytes.")),
    }
}
