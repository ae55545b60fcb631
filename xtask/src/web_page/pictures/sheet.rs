//! Pages and pictures in Chromium on one sheet, with the faults that it finds on them.

use super::Browser;
use crate::web_page::browser;
use crate::workspace;
use anyhow::{Context, Result, ensure};
use record::WorkloadId;
use std::fs;
use std::path::{Path, PathBuf};

/// The script that finds faults in the open page.
const FAULTS: &str = include_str!("faults.js");
/// A page with every kind of fault.
const FAULTY: &str = include_str!("faulty.html");
const KINDS: [&str; 8] =
    ["9.0 px", "contrast", "id ", "overlaps", "outside", "cut by its box", "cut by its picture", "empty: section"];
/// Opens folded parts.
const UNFOLD: &str = "document.querySelectorAll('details').forEach((part) => { part.open = true; })";
/// Width of the sheet and of a thumbnail, in pixels.
const WIDTH: u32 = 2500;
const THUMBNAIL: u32 = 150;

/// Window and colour scheme of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Medium {
    name: &'static str,
    width: u32,
    scheme: &'static str,
    medium: &'static str,
    /// Smallest legible letters, in pixels.
    letter_px_min: f64,
}

/// Media of a page. A sheet of A4 has 718 pixels between margins of 1 cm; the smallest letters on paper have 6 points.
const MEDIA: [Medium; 5] = [
    Medium::screen("1280", 1280, "light"),
    Medium::screen("1280-dark", 1280, "dark"),
    Medium::screen("768", 768, "light"),
    Medium::screen("360", 360, "light"),
    Medium { medium: "print", letter_px_min: 8.0, ..Medium::screen("print", 718, "light") },
];

impl Medium {
    const fn screen(name: &'static str, width: u32, scheme: &'static str) -> Self {
        Self { name, width, scheme, medium: "", letter_px_min: 11.0 }
    }

    /// Window of a terminal with this number of columns; letters are 18 pixels high.
    pub(super) const fn terminal(columns: u32) -> Self {
        Self::screen("terminal", 64 + columns * 11, "light")
    }
}

/// The sheet.
pub(super) struct Sheet {
    browser: Browser,
    folder: PathBuf,
    /// Regular expression of ids with hyphens, which pages must not show.
    ids: String,
    /// Rows as HTML.
    rows: String,
    pictures: usize,
    faults: Vec<String>,
}

impl Sheet {
    /// Empty sheet, once the script has found every kind of fault on a page that has them.
    pub(super) fn new(browser: Browser, folder: &Path) -> Result<Self> {
        let ids = rules::of_runs().map(|rule| rule.id.as_str()).chain(WorkloadId::ALL.iter().map(|id| id.as_str()));
        let ids: Vec<&str> = ids.filter(|id| id.contains('-')).collect();
        let ids = format!(
            r"\b[\w-]+@\d+\b|\b({})\b|sevenzip|cold-cores|cold-all-cpus|as-found|hot-(loaded|after)",
            ids.join("|")
        );
        let mut sheet =
            Self { browser, folder: folder.to_owned(), ids, rows: String::new(), pictures: 0, faults: Vec::new() };
        let faulty = folder.join("faulty.html");
        fs::write(&faulty, FAULTY)?;
        sheet.browser.open(&faulty)?;
        let found = sheet.found(11.0)?;
        for kind in KINDS {
            ensure!(found.iter().any(|fault| fault.contains(kind)), "{kind} is not found: {found:?}");
        }
        Ok(sheet)
    }

    /// Begins a row.
    pub(super) fn row(&mut self, name: &str) {
        self.rows.push_str(&format!("<h2>{name}</h2>"));
    }

    /// A page in every medium.
    pub(super) fn page(&mut self, name: &str, page: &Path) -> Result<()> {
        MEDIA.into_iter().try_for_each(|medium| self.look(&format!("{name}-{}", medium.name), page, medium))
    }

    /// Card and plots of a directory.
    pub(super) fn drawings(&mut self, name: &str, folder: &Path) -> Result<()> {
        for file in workspace::files_of(folder, &["svg"])? {
            let plot = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let page = file.with_extension("html");
            fs::write(
                &page,
                format!("<!DOCTYPE html><meta charset=utf-8><body style='margin: 0'>{}", fs::read_to_string(&file)?),
            )?;
            self.look(&format!("{name}-{plot}"), &page, Medium::screen("picture", 1200, "light"))?;
        }
        Ok(())
    }

    /// Keeps a picture of a page and its faults, also of folded parts.
    pub(super) fn look(&mut self, name: &str, page: &Path, medium: Medium) -> Result<()> {
        self.browser.window(medium.width, medium.scheme, medium.medium)?;
        self.browser.open(page)?;
        let file = format!("{name}.png");
        fs::write(self.folder.join(&file), self.browser.picture(medium.width, browser::HEIGHT_MAX)?)?;
        // Print shows open parts only.
        if medium.medium.is_empty() {
            self.browser.evaluate(UNFOLD)?;
        }
        let found = self.found(medium.letter_px_min)?;
        self.rows.push_str(&format!("<a href='{file}'><img src='{file}'>{name}: {} faults</a>", found.len()));
        self.faults.extend(found.into_iter().map(|fault| format!("{name}: {fault}")));
        self.pictures += 1;
        Ok(())
    }

    fn found(&mut self, letter_px_min: f64) -> Result<Vec<String>> {
        let ids = serde_json::to_string(&self.ids)?;
        let script = FAULTS.replace("IDS", &ids).replace("SIZE_MIN", &letter_px_min.to_string());
        let found = self.browser.evaluate(&script)?;
        serde_json::from_value(found).context("the script gave no list")
    }

    /// A picture of a page, as PNG.
    pub(super) fn picture(&mut self, page: &Path, width: u32, height_max: u64) -> Result<Vec<u8>> {
        self.browser.window(width, "light", "")?;
        self.browser.open(page)?;
        self.browser.picture(width, height_max)
    }

    /// Writes the sheet; fails where a fault was found.
    pub(super) fn end(mut self) -> Result<()> {
        let style = format!(
            "body {{ font: 12px sans-serif; width: {WIDTH}px; margin: 0 }} h2 {{ margin: 4px 0 }} a {{ display: inline-block; width: \
             {THUMBNAIL}px; margin: 2px; vertical-align: top }} img {{ display: block; width: 100%; height: {THUMBNAIL}px; object-fit: cover; \
             object-position: top; border: 1px solid #ccc }}"
        );
        let (sheet, picture) = (self.folder.join("index.html"), self.folder.join("sheet.png"));
        fs::write(&sheet, format!("<!DOCTYPE html><meta charset=utf-8><style>{style}</style>{}", self.rows))?;
        fs::write(&picture, self.picture(&sheet, WIDTH, browser::HEIGHT_MAX)?)?;
        println!("{} pictures: {}, {}", self.pictures, sheet.display(), picture.display());
        let faults = self.faults;
        ensure!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
        println!("text that overlaps, is cut, small or pale, ids as words, empty boxes, sideways scrolling: 0");
        Ok(())
    }
}
