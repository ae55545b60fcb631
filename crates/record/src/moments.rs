//! Limits for times read from files, so that arithmetic cannot overflow: a value beyond 2⁵³ milliseconds is rejected
//! when it is read.

use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// 285 thousand years; the largest integer that JSON represents exactly.
const MOMENT_MS_MAX: u64 = 1 << 53;

/// True for a plausible time, in milliseconds since the start of a run or since 1970.
pub(crate) fn can_be(at_ms: i64) -> bool {
    at_ms.unsigned_abs() <= MOMENT_MS_MAX
}

fn checked<E: Error>(at_ms: i64) -> Result<i64, E> {
    if can_be(at_ms) { Ok(at_ms) } else { Err(E::custom(format_args!("no run has a moment {at_ms}"))) }
}

/// Deserializes one time.
///
/// # Errors
/// The value is not plausible.
pub(crate) fn one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    checked(i64::deserialize(deserializer)?)
}

/// Deserializes an optional time.
///
/// # Errors
/// The value is not plausible.
pub(crate) fn maybe<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<i64>, D::Error> {
    Option::deserialize(deserializer)?.map(checked).transpose()
}

/// Deserializes a column of times.
///
/// # Errors
/// A value is not plausible.
pub(crate) fn many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i64>, D::Error> {
    let moments = Vec::deserialize(deserializer)?;
    moments.into_iter().map(checked).collect()
}

#[cfg(test)]
mod tests {
    use crate::{Event, Window};

    #[test]
    fn moments_that_no_run_has_are_refused() {
        let check = |json: &str, is_read: bool| {
            assert_eq!(serde_json::from_str::<Event>(json).is_ok(), is_read, "{json}");
        };
        check(r#"{"event":"samples","at_ms":[-5, 9007199254740992],"columns":[]}"#, true);
        check(r#"{"event":"samples","at_ms":[-9223372036854775808],"columns":[]}"#, false);
        check(r#"{"event":"step_begins","step":"x","repetition":0,"at_ms":9007199254740993}"#, false);
        let window = r#"{"start_ms":0,"end_ms":9223372036854775807}"#;
        assert!(serde_json::from_str::<Window>(window).is_err());
        let window = r#"{"start_ms":0,"end_ms":7,"start_utc_ms":null}"#;
        assert!(serde_json::from_str::<Window>(window).is_ok());
    }
}
