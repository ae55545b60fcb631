//! Whose rights are at stake: the user who called sudo, and who besides root can put another program or
//! definition in the place of one that root is about to use. Nothing is changed here.

pub(crate) mod accounts;
mod caller;
mod trust;

pub use accounts::Accounts;
pub use caller::{Caller, caller, keep_descriptors};
pub use trust::Trust;
