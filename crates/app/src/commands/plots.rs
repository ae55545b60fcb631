//! `sbc-bench report FILE --html PAGE` and `--plots DIR`: a result as a page, and its plots as files that can be looked at
//! and sent.

use super::explain::read;
use super::known::reference;
use crate::output;
use explain::plot::Raster;
use explain::{Explanation, plots};
use machine::files::{self, Access};
use std::path::Path;

/// Writes the plots and names the files.
pub(crate) fn write(file: &Path, folder: &Path) -> anyhow::Result<u8> {
    let record = read(file)?;
    let plots = plots(&record);
    anyhow::ensure!(
        !plots.is_empty(),
        "{} has no plots; only sensitivity, thermal and efficiency runs do.",
        file.display()
    );
    files::make_all(folder)?;
    for (id, picture) in plots {
        let png = Raster::of(&picture).png().map_err(|why| anyhow::anyhow!(why))?;
        for (path, bytes) in
            [(folder.join(format!("{id}.png")), png), (folder.join(format!("{id}.svg")), picture.svg().into_bytes())]
        {
            files::replace_unsynced(&path, &bytes, Access::World)?;
            output::print(&format!("{}\n", path.display()))?;
        }
    }
    Ok(0)
}

/// Writes the page.
pub(crate) fn page(file: &Path, page: &Path) -> anyhow::Result<u8> {
    let record = read(file)?;
    let text = page::page(&record, &Explanation::of(&record), &*reference(&[])?);
    files::replace_unsynced(page, text.as_bytes(), Access::World)?;
    Ok(0)
}
