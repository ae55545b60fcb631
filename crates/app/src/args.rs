//! Flags shared by several verbs, and the environment. Other flags are in the file of their verb in `commands`.

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
