//! The monitor on a board, as the documents start it.

use super::{ROW, Row, check};

const HEADING: &str = "Time        CPU    load %cpu %sys %usr %nice %io %irq   Temp";

#[test]
fn monitor_runs_until_ctrl_c() {
    let row = Row { flags: "", end: "3", says: &[HEADING, "MHz", "°C"], ..ROW };
    check(&[
        Row { line: "sbc-bench -m", ..row },
        Row { line: "sbc-bench -m 10", ..row },
        Row { line: "sbc-bench -m 0.5 | head -n 3", ..row },
        Row { line: "NO_COLOR=1 sbc-bench -m", ..row },
    ]);
}
