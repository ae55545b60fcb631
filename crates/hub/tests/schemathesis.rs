//! Schemathesis: random requests that fit the document of the API, and others, are answered as the document says.
//! `cargo xtask hub` fetches the program; it is random, and no part of `./test`.

use crate::common::{made, on_hubs};
use std::process::Command;

/// Variable with the path of the program.
const SCHEMATHESIS: &str = "SCHEMATHESIS";

#[test]
fn requests_made_from_the_document_are_answered_as_it_says() {
    let Some(program) = std::env::var_os(SCHEMATHESIS) else {
        testkit::excuse(testkit::Excuse::Schemathesis);
        return testkit::was_skipped();
    };
    on_hubs(&[], |hub| {
        for number in 0..5 {
            hub.keep("?publish=1&machine=shelf", &made::log(&format!("Board {number}"), number, 7000.0));
        }
        let mut command = Command::new(&program);
        command.args(["run", "--no-color", "--max-failures", "20", "--header"]);
        command.arg(format!("Authorization: Bearer {}", hub.secret)).arg(format!("{}/api/openapi.json", hub.url));
        assert!(command.current_dir(&hub.data).status().unwrap().success(), "what it found stands above");
        assert_eq!(hub.get("/readyz").status, 200);
    });
}
