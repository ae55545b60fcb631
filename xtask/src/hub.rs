//! `cargo xtask hub`: tests the hub with other programs. Schemathesis makes requests from the document of its API, on
//! both databases, and Chromium shows its pages.

use crate::web_page;
use crate::workspace::{self, run};
use anyhow::Result;

/// From PyPI.
const SCHEMATHESIS: &str = "schemathesis==4.32.5";

pub(crate) fn main() -> Result<()> {
    let environment = workspace::target_folder()?.join("tools").join(SCHEMATHESIS);
    let program = workspace::python_programs(&environment, &[SCHEMATHESIS], "schemathesis")?.join("schemathesis");
    let words =
        ["test", "--locked", "-p", "sbc-bench-hub", "--test", "integration", "--", "schemathesis::", "--nocapture"];
    run(workspace::cargo().args(words).env("SCHEMATHESIS", program))?;
    web_page::check_hub()
}
