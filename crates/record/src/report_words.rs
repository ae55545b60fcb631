//! Words of reports by which others find their parts: reports without their log are recognised by the first words of the verdict.

/// The results are valid.
pub const VALID: &str = "Results are valid.";
/// The main scores are valid, others are not.
pub const MAIN_VALID: &str = "Results are valid; only ";
/// The results are degraded.
pub const DEGRADED: &str = "Results are genuine, but ";
/// The results are invalid.
pub const INVALID: &str = "Results are invalid; do not use them";
/// Nothing proves or disproves the results.
pub const UNPROVEN: &str = "Nothing here shows whether ";
/// Name of the result itself in a chart.
pub const THIS_BOARD: &str = "this board";
/// First words of all verdicts.
pub const ALL: [&str; 5] = [VALID, MAIN_VALID, DEGRADED, INVALID, UNPROVEN];
