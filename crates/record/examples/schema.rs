//! Prints the JSON Schema of the Record (draft 2020-12). Its `$id` is a name, not an address: the schema travels with the
//! program, and readers need not fetch anything.
#![allow(clippy::print_stdout, reason = "an example prints")]

use record::{Record, SCHEMA_VERSION};
use serde_json::json;

fn main() -> serde_json::Result<()> {
    let mut schema = schemars::schema_for!(Record);
    schema.insert("$id".into(), json!(format!("urn:sbc-bench:record:{SCHEMA_VERSION}")));
    schema.insert("title".into(), json!("Record of one run of sbc-bench"));
    println!("{}", serde_json::to_string_pretty(&schema)?);
    Ok(())
}
