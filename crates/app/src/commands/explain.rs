//! `sbc-bench explain`, `sbc-bench report`: reads Records, the streams of runs that died, and text
//! logs, and says what they mean.

use super::reports::find;
use crate::{input, output};
use explain::any_file::{self, Unreadable};
use explain::{Explanation, Finding, report};
use machine::files::{self, Access};
use record::Record;
use serde_json::Value;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

/// A Record of an hour with hundreds of channels has a quarter of that.
const FILE_BYTES_MAX: u64 = 256 << 20;

pub(crate) fn run(files: &[PathBuf], json: bool, verbose: bool) -> anyhow::Result<u8> {
    let mut values: Vec<Value> = Vec::new();
    let mut failed = false;
    // Several files make a list for programs; people at a terminal get one text after the other.
    let json = json || (files.len() > 1 && !std::io::stdout().is_terminal());
    for file in files {
        let record = match read(file) {
            Ok(record) => record,
            Err(error) if files.len() == 1 => return Err(error),
            // One file that cannot be read must not hide what the others say.
            Err(error) => {
                failed = true;
                let file = file.display().to_string();
                if !json {
                    output::print(&format!("=== {file}\n{error:#}\n\n"))?;
                    continue;
                }
                values.push(serde_json::json!({"file": file, "error": format!("{error:#}")}));
                continue;
            }
        };
        let explained = Explanation::of(&record);
        if json {
            let mut value = report::findings_json(&record, &explained);
            value["file"] = file.display().to_string().into();
            values.push(value);
            continue;
        }
        let mut text = render("text", &record, &explained)?;
        if verbose {
            text.push_str(&evidence(&explained.findings));
        }
        if files.len() > 1 {
            text = format!("=== {}\n{text}\n", file.display());
        }
        output::print(&text)?;
    }
    match values.as_slice() {
        [] => {}
        [one] => output::print(&format!("{}\n", serde_json::to_string_pretty(one)?))?,
        all => output::print(&format!("{}\n", serde_json::to_string_pretty(all)?))?,
    }
    Ok(if failed { crate::status::FAILURE } else { 0 })
}

/// `report FILE --html PAGE`.
pub(crate) fn page(file: &Path, page: &Path) -> anyhow::Result<u8> {
    let record = read(file)?;
    let text = find(page::REPORT.id)?.text(&record, &Explanation::of(&record));
    files::replace_unsynced(page, text.as_bytes(), Access::World)?;
    Ok(0)
}

/// `report FILE --format ID`.
pub(crate) fn report(file: &Path, format: &str) -> anyhow::Result<u8> {
    let report = find(format)?;
    let record = read(file)?;
    output::print(&report.text(&record, &Explanation::of(&record)))?;
    Ok(0)
}

fn render(id: &str, record: &Record, explained: &Explanation) -> anyhow::Result<String> {
    Ok(find(id)?.text(record, explained))
}

/// Every finding with its rule, confidence and places.
fn evidence(findings: &[Finding]) -> String {
    let mut text = "\nEvidence:\n".to_owned();
    for finding in findings {
        text.push_str(&format!(
            "   {} (confidence {} %): {}\n",
            finding.rule,
            finding.confidence_percent,
            finding.sentence()
        ));
        for place in &finding.places {
            text.push_str(&format!("      {}\n", serde_json::to_string(place).unwrap_or_default()));
        }
    }
    text
}

/// A Record from any supported file; `-` is standard input.
pub(crate) fn read(file: &Path) -> anyhow::Result<Record> {
    anyhow::ensure!(!file.is_dir(), "{0} is a directory; pass its files, for example {0}/*.", file.display());
    read_from(input::open(file)?, file)
}

/// A Record from any supported file, which is named like this.
pub(crate) fn read_from(input: impl Read, file: &Path) -> anyhow::Result<Record> {
    let bytes = crate::input::whole(input, file, FILE_BYTES_MAX)?;
    any_file::read(bytes, record::VALUES_MAX).map_err(|why| {
        let file = file.display();
        match why {
            Unreadable::Packed(packer) => {
                anyhow::anyhow!("{file} is compressed; use {packer} -dc FILE | sbc-bench explain -")
            }
            Unreadable::Stream(missing) => anyhow::Error::new(missing).context(file.to_string()),
            Unreadable::NoSamples => anyhow::anyhow!("{file} is a recording without samples"),
            Unreadable::Json(error) => {
                anyhow::Error::new(error).context(format!("{file} is JSON but not an sbc-bench result file"))
            }
            Unreadable::NoResults => {
                anyhow::anyhow!("{file} contains no results; it is neither an sbc-bench log nor a result file.")
            }
        }
    })
}
