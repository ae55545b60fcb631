//! Flags that several verbs share, and the environment. A verb's own flags are in its file in `commands`.

mod environment;
pub(crate) mod groups;
pub(crate) mod limits;
pub(crate) mod meters;
pub(crate) mod program;
pub(crate) mod run;
pub(crate) mod targets;
pub(crate) mod upload;
pub(crate) mod written;

pub(crate) use environment::Environment;
