//! Exit statuses; the manual lists them.

/// Usage or failure.
pub const FAILURE: u8 = 1;
/// Finished, but the results are lower than this machine reaches.
pub const DEGRADED: u8 = 2;
/// Finished, but the results must not be used.
pub const INVALID: u8 = 3;
/// Refused to start: the system is busy.
pub const REFUSED: u8 = 4;
/// A setting was left changed.
pub const NOT_RESTORED: u8 = 5;
/// The results could not be written.
pub const NOT_WRITTEN: u8 = 6;
/// Finished, but nothing shows whether the results are valid.
pub const UNPROVEN: u8 = 7;
/// Interrupted; what was measured is kept.
pub const INTERRUPTED: u8 = 130;

/// Status for the settings in a Record; none if each is restored or was set by another process.
pub fn of_settings(record: &record::Record) -> Option<u8> {
    record.not_restored().any(|(_, left)| left.is_failure()).then_some(NOT_RESTORED)
}

/// Status for results with this verdict.
pub fn of(verdict: facts::Verdict) -> u8 {
    match verdict {
        facts::Verdict::Valid => 0,
        facts::Verdict::Unproven => UNPROVEN,
        facts::Verdict::Degraded => DEGRADED,
        facts::Verdict::Invalid => INVALID,
    }
}
