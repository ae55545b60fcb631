//! `docs/`: what is published and can be made from the code.
//!
//! Today that is the JSON Schema of the Record. A test compares what is there with what would be
//! written, so a change of the Record cannot leave its schema behind.

use crate::workspace;
use anyhow::{Context, Result, ensure};
use record::{Record, SCHEMA_VERSION};
use serde_json::json;

/// Where the schema is, from the workspace's folder.
const SCHEMA: &str = "docs/record.schema.json";

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

/// Writes everything in `docs/` that is made from code.
pub(crate) fn write() -> Result<()> {
    let path = workspace::root().join(SCHEMA);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(&path, schema()?).with_context(|| path.display().to_string())?;
    println!("wrote {SCHEMA}");
    Ok(())
}

/// Fails if `docs/` is not what [`write`] would write.
pub(crate) fn check() -> Result<()> {
    let path = workspace::root().join(SCHEMA);
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    ensure!(found == schema()?, "{SCHEMA} is not up to date; run: cargo xtask docs");
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
    fn the_schema_names_itself_and_explains_every_field() {
        let schema: Value = serde_json::from_str(&schema().unwrap()).unwrap();
        let dialect = "https://json-schema.org/draft/2020-12/schema";
        assert_eq!(schema["$schema"], dialect);
        assert_eq!(schema["$id"], format!("urn:sbc-bench:record:{SCHEMA_VERSION}"));
        for (name, field) in schema["properties"].as_object().unwrap() {
            assert!(field["description"].is_string(), "{name} has no description");
        }
    }
}
