//! User identities: the user who called sudo, and users other than root who could replace a program or definition that
//! root is about to use. The module only reads.

pub(crate) mod accounts;
mod caller;
mod trust;

pub use accounts::Accounts;
pub use caller::{Caller, caller, keep_descriptors};
pub use trust::Trust;
