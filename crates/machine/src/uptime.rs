//! Values read once at the start of a run: time since boot and load averages.

use crate::Root;
use record::{Missing, Reading};

/// Time since boot in milliseconds, from `/proc/uptime`: `seconds.hundredths idle`.
///
/// # Errors
/// The file is missing or invalid.
pub fn uptime_ms(root: &Root) -> Reading<u64> {
    let path = "/proc/uptime";
    let text = root.read_value(path)?;
    let seconds = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    seconds.map(|seconds| (seconds * 1000.0) as u64).ok_or_else(|| Missing::garbled(path, &text))
}

/// Load averages over 1, 5 and 15 minutes times 100, from `/proc/loadavg`: `0.97 0.72 0.34 2/123 4567`.
///
/// # Errors
/// The file is missing or invalid.
pub fn load_hundredths(root: &Root) -> Reading<[u32; 3]> {
    let path = "/proc/loadavg";
    let text = root.read_value(path)?;
    let mut loads = text.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
    let mut next = || loads.next().map(|load| (load * 100.0).round() as u32);
    match (next(), next(), next()) {
        (Some(one), Some(five), Some(fifteen)) => Ok([one, five, fifteen]),
        _ => Err(Missing::garbled(path, &text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_of_a_run_is_read_from_proc() {
        let board = "== /proc/uptime\n35.12 60.00\n== /proc/loadavg\n1.97 0.72 0.34 2/123 4567\n";
        let root = Root::from_board(board).unwrap();
        assert_eq!(uptime_ms(&root).unwrap(), 35_120);
        assert_eq!(load_hundredths(&root).unwrap(), [197, 72, 34]);
    }

    #[test]
    fn missing_proc_values() {
        let root = Root::from_board("== /proc/loadavg\nbusy\n").unwrap();
        assert!(uptime_ms(&root).is_err());
        assert!(load_hundredths(&root).is_err());
    }
}
