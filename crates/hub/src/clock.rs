//! Wall clock for dates and due times of notices, and a monotonic clock for rates.

use std::sync::LazyLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Variable with the path of a file that holds an offset of the clock in milliseconds; read by debug builds only, for
/// tests.
const STEP_VARIABLE: &str = "SBC_BENCH_HUB_CLOCK";

/// UTC in milliseconds since 1970. Jumps when the clock of the machine is set.
pub fn now_utc_ms() -> i64 {
    let now_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64);
    now_ms.saturating_add(if cfg!(debug_assertions) { step_ms() } else { 0 })
}

/// Milliseconds since the first call. Never jumps.
pub fn monotonic_ms() -> i64 {
    static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);
    FIRST.elapsed().as_millis() as i64
}

fn step_ms() -> i64 {
    let step = std::env::var_os(STEP_VARIABLE).and_then(|path| std::fs::read_to_string(path).ok());
    step.and_then(|step| step.trim().parse().ok()).unwrap_or(0)
}
