//! The time of day. Nothing relies on it but dates that people see, rates, and when a notice is sent again.

use std::time::{SystemTime, UNIX_EPOCH};

/// UTC in milliseconds since 1970.
pub fn now_utc_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}
