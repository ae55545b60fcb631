//! `sbc-bench report FILE --html PAGE` and `--plots DIR`: a result as a page, and its plots as files that can be looked at
//! and sent.

use super::explain::read;
use super::known::reference;
use super::many;
use crate::output;
use machine::files::{self, Access};
use std::path::Path;

/// Writes the pictures and names the files.
pub(crate) fn write(file: &Path, folder: &Path) -> anyhow::Result<u8> {
    let record = read(file)?;
    let drawings = page::drawings(&record, &explain::explain(&record), &*reference(&[])?);
    files::make_all(folder)?;
    for drawing in drawings {
        let png = drawing.png().map_err(anyhow::Error::msg)?;
        for (ending, bytes) in [("png", png), ("svg", drawing.svg.into_bytes())] {
            let path = folder.join(format!("{}.{ending}", drawing.name));
            files::replace_unsynced(&path, &bytes, Access::World)?;
            output::print(&format!("{}\n", path.display()))?;
        }
    }
    Ok(0)
}

/// Writes the page.
pub(crate) fn page(file: &Path, page: &Path) -> anyhow::Result<u8> {
    let record = read(file)?;
    let text = page::page(&record, &explain::explain(&record), &*reference(&[])?);
    many::write(&text, Some(page))?;
    Ok(0)
}
