//! Files of our own in folders where others may write: results, journals, recordings, notes for other
//! processes. Not what the kernel shows: that is read through [`crate::Root`].
//!
//! Every file is opened relative to its folder, which is opened first: nobody can put another folder in
//! its place meanwhile. No link is followed, nothing that might wait is waited for (a named pipe), and what
//! is believed of a file (its kind, its owner, its size) is asked of the open descriptor, not of its name.
//! A file is ours if it belongs to this user or to the owner of the folder that it lies in, who could
//! replace it anyway; the same rule as the kernel's `fs.protected_regular`.

mod asked;
mod by_path;
mod error;
mod exclusive;
mod folder;
mod identity;
mod names;
mod own;
mod owner;
mod pair;
mod removal;
mod stream;
#[cfg(test)]
mod tests;

pub use by_path::{append, create_new, existing, make_all, read, replace, replace_both, replace_unsynced};
pub use error::{Error, Problem};
pub use exclusive::Exclusive;
pub use folder::{Access, Folder, unguessable};
pub use identity::Identity;
pub use own::{Note, OwnFolder};
pub use owner::{Owner, set_default_owner};
pub use pair::Named;
pub use removal::remove_left;
pub use stream::{Stream, stream, stream_kind};

use asked::{is_empty, listed, own_uid};
