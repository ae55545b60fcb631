//! What a run will do, worked out before anything is touched: stages, jobs, and how long they take.

pub(crate) mod estimate;
pub(crate) mod heat;
pub(crate) mod load;
pub(crate) mod options;
pub(crate) mod stage;
pub(crate) mod standard;
pub(crate) mod variant;
