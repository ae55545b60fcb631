//! First words of the verdict in a report. Reports without their log are recognised by them.

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
/// All of them.
pub const ALL: [&str; 5] = [VALID, MAIN_VALID, DEGRADED, INVALID, UNPROVEN];
