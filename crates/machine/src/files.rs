//! Our own files in directories that other users may write to: results, journals, recordings, notes for other
//! processes. Kernel files are read through [`crate::Root`].
//!
//! Every file is opened relative to its open directory, so that the directory cannot be replaced. Links are not
//! followed, opening never blocks (on a named pipe), and kind, owner and size of a file are read from the open
//! descriptor rather than the path. A file is accepted if it belongs to this user or to the owner of its directory, who
//! could replace it anyway; the same rule as the kernel's `fs.protected_regular`.

mod by_path;
mod error;
mod exclusive;
mod folder;
mod identity;
mod listing;
mod names;
mod own_folder;
mod owner;
mod pair;
mod removal;
mod stream;
#[cfg(test)]
mod tests;

pub use by_path::{append, existing, read, replace, replace_both, replace_unsynced};
pub use error::{Error, Problem};
pub use exclusive::Exclusive;
pub use folder::{Access, Folder, unguessable};
pub use identity::Identity;
pub use own_folder::{Note, OwnFolder};
pub use owner::{Owner, make_all, set_default_owner};
pub use pair::NamedContent;
pub use removal::remove_left;
pub use stream::{Stream, stream, stream_kind};

use listing::{is_empty, listed};
use owner::own_uid;
