//! Plan of a run: stages, jobs, and their estimated duration. Nothing here touches the machine.

pub(crate) mod estimate;
pub(crate) mod heat;
pub(crate) mod load;
pub(crate) mod options;
pub(crate) mod stage;
pub(crate) mod standard;
pub(crate) mod time_left;
pub(crate) mod variant;
