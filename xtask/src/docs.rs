//! What is published and made from the code: the JSON Schema of the Record, and the tables of ARCHITECTURE.md.
//!
//! A test compares what is there with what would be written, so that a change of the code cannot leave them behind.

use crate::{tidy, workspace};
use anyhow::{Context, Result, ensure};
use record::{Record, SCHEMA_VERSION};
use serde_json::json;

/// Where the schema is, from the workspace's folder.
const SCHEMA: &str = "docs/record.schema.json";
/// The document with parts that are made.
const ARCHITECTURE: &str = "ARCHITECTURE.md";

/// The JSON Schema of the Record (draft 2020-12), as text. Its `$id` is a name, not a place:
/// the schema travels with the program, and readers shall not fetch anything.
fn schema() -> Result<String> {
    let mut schema = schemars::schema_for!(Record);
    schema.insert("$id".into(), json!(format!("urn:sbc-bench:record:{SCHEMA_VERSION}")));
    schema.insert("title".into(), json!("Record of one run of sbc-bench"));
    let mut text = serde_json::to_string_pretty(&schema)?;
    text.push('\n');
    Ok(text)
}

/// Every file that is made from code, whole or in part, with its text.
fn made() -> Result<[(&'static str, String); 2]> {
    let path = workspace::root().join(ARCHITECTURE);
    let document = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    Ok([(SCHEMA, schema()?), (ARCHITECTURE, tidy::architecture(&document)?)])
}

/// Writes everything that is made from code.
pub(crate) fn write() -> Result<()> {
    for (name, text) in made()? {
        let path = workspace::root().join(name);
        std::fs::write(&path, text).with_context(|| path.display().to_string())?;
        println!("wrote {name}");
    }
    Ok(())
}

/// Fails if something is not what [`write`] would write.
pub(crate) fn check() -> Result<()> {
    for (name, text) in made()? {
        let found = std::fs::read_to_string(workspace::root().join(name)).unwrap_or_default();
        ensure!(found == text, "{name} is not up to date; run: cargo xtask docs");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn docs_are_up_to_date() {
        check().unwrap();
    }

    #[test]
    fn schema_names_itself_and_explains_every_field() {
        let schema: Value = serde_json::from_str(&schema().unwrap()).unwrap();
        let dialect = "https://json-schema.org/draft/2020-12/schema";
        assert_eq!(schema["$schema"], dialect);
        assert_eq!(schema["$id"], format!("urn:sbc-bench:record:{SCHEMA_VERSION}"));
        for (name, field) in schema["properties"].as_object().unwrap() {
            assert!(field["description"].is_string(), "{name} has no description");
        }
    }
}
