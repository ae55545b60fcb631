//! The directory of a site: its files, their keys, and stored data of each result.
//!
//! Files of others are never replaced or removed. Names are written to a list before the files are made, so that the next call
//! recognises the files of a killed one.

use anyhow::{Context, bail, ensure};
use explain::results::Entry;
use machine::files::{self, Access, Folder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Version of the program; pages of another version are made again.
pub(super) const VERSION: &str = env!("SBC_BENCH_VERSION");

/// List of the files of the site with their keys.
const FILES: &str = ".sbc-bench-site.json";
/// Stored data of each result.
const RESULTS: &str = ".sbc-bench-site-results.json";
/// Files at the top, and directories of pages.
const TOP: [&str; 7] =
    ["all.html", "feed.atom", "index.html", "results.csv", "results.json", "results.md", "sitemap.xml"];
const FOLDERS: [&str; 4] = ["boards", "cores", "results", "socs"];
/// Maximum size of a list, above that of a hundred thousand results.
const BYTES_MAX: u64 = 2 << 30;

/// Keys by relative path; a file with another key is made again.
type Keys = BTreeMap<String, String>;

#[derive(Serialize, Deserialize)]
struct Files {
    made_by: String,
    files: Keys,
}

#[derive(Deserialize)]
struct OldPage {
    version: String,
    results: BTreeMap<String, Entry>,
}

#[derive(Serialize)]
struct PageWriter<'a> {
    version: &'a str,
    results: BTreeMap<&'a str, &'a Entry>,
}

pub(super) struct SiteFolder {
    path: PathBuf,
    folders: BTreeMap<&'static str, Folder>,
    /// Files written by this and earlier calls.
    ours: Keys,
    /// Files of the current site.
    current: Keys,
    kept: BTreeMap<String, Entry>,
    written: usize,
}

/// Counts of the changes.
pub(super) struct ChangeCounts {
    pub(super) written: usize,
    pub(super) unchanged: usize,
    pub(super) removed: usize,
}

/// True for a directory with a site in it.
pub(super) fn is_site(path: &Path) -> bool {
    Folder::open(path).is_ok_and(|folder| folder.holds(OsStr::new(FILES)))
}

/// True for paths that a site can have; a list may be manipulated.
fn is_of_site(path: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let page = path.split_once('/').filter(|(folder, _)| FOLDERS.contains(folder));
    let page = page.and_then(|(_, file)| file.strip_suffix(".html"));
    TOP.contains(&path) || page.is_some_and(|name| !name.is_empty() && is_name(name))
}

fn parts(path: &str) -> (&str, &OsStr) {
    let (folder, name) = path.split_once('/').unwrap_or(("", path));
    (folder, OsStr::new(name))
}

impl SiteFolder {
    /// Opens or creates the directory.
    ///
    /// # Errors
    /// The directory has other files and no site.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        files::make_all(path)?;
        let top = Folder::open(path)?;
        let mut site = Self {
            path: path.to_owned(),
            folders: BTreeMap::new(),
            ours: Keys::new(),
            current: Keys::new(),
            kept: BTreeMap::new(),
            written: 0,
        };
        if top.holds(OsStr::new(FILES)) {
            let read = |name: &str| top.read(OsStr::new(name), BYTES_MAX);
            let broken = || format!("{} is damaged; use another directory", path.join(FILES).display());
            let files: Files = record::json::from_bytes(&read(FILES)?).with_context(broken)?;
            site.ours = files.files;
            site.ours.retain(|path, _| is_of_site(path));
            // Without stored data, everything is made again.
            let kept = read(RESULTS).ok().and_then(|bytes| record::json::from_bytes::<OldPage>(&bytes).ok());
            site.kept = kept.filter(|kept| kept.version == VERSION).map(|kept| kept.results).unwrap_or_default();
        } else {
            ensure!(
                top.names()?.is_empty(),
                "{} has files in it and is not a site of sbc-bench; give an empty or a new directory.",
                path.display()
            );
        }
        site.folders.insert("", top);
        Ok(site)
    }

    /// Adds files to the list before they are made.
    ///
    /// # Errors
    /// A file of this name exists and is not of this site.
    pub(super) fn claim(&mut self, paths: impl Iterator<Item = String>) -> anyhow::Result<()> {
        let new: Vec<String> = paths.filter(|path| !self.ours.contains_key(path)).collect();
        for path in &new {
            let (folder, name) = parts(path);
            if self.folder(folder)?.holds(name) {
                bail!("{} is not of this site and is not replaced; move it away.", self.path.join(path).display());
            }
        }
        if !new.is_empty() {
            self.ours.extend(new.into_iter().map(|path| (path, String::new())));
            self.write_names(&self.ours)?;
        }
        Ok(())
    }

    /// Stored data of the result with this page.
    pub(super) fn kept(&self, page: &str) -> Option<Entry> {
        self.kept.get(page).cloned()
    }

    /// True if a file exists and was made with this key.
    pub(super) fn is_current(&mut self, path: &str, key: &str) -> bool {
        let (folder, name) = parts(path);
        self.ours.get(path).is_some_and(|own| own == key)
            && self.folder(folder).is_ok_and(|folder| folder.length(name).is_some())
    }

    /// Keeps a file unchanged.
    pub(super) fn keep(&mut self, path: &str, key: &str) {
        self.current.insert(path.to_owned(), key.to_owned());
    }

    /// Keeps a claim for a file whose source cannot be read now.
    pub(super) fn postpone(&mut self, path: &str) {
        self.keep(path, "");
    }

    /// Writes a claimed file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(&mut self, path: &str, key: &str, text: &str) -> anyhow::Result<()> {
        let (folder, name) = parts(path);
        self.folder(folder)?.replace_unsynced(name, text.as_bytes(), Access::World)?;
        self.written += 1;
        self.keep(path, key);
        Ok(())
    }

    /// Removes obsolete files of the site, and stores data of each result for the next call.
    ///
    /// # Errors
    /// A file cannot be removed or written.
    pub(super) fn finish<'a>(
        mut self,
        entries: impl Iterator<Item = (&'a str, &'a Entry)>,
    ) -> anyhow::Result<ChangeCounts> {
        let stale: Vec<String> = self.ours.keys().filter(|path| !self.current.contains_key(*path)).cloned().collect();
        let mut removed = 0;
        for path in &stale {
            let (folder, name) = parts(path);
            let folder = self.folder(folder)?;
            removed += usize::from(folder.holds(name));
            folder.remove(name)?;
        }
        let results: BTreeMap<&str, &Entry> = entries.collect();
        let is_same = results.len() == self.kept.len()
            && results.iter().all(|(page, entry)| self.kept.get(*page).is_some_and(|kept| kept == *entry));
        if !is_same {
            let bytes = serde_json::to_vec(&PageWriter { version: VERSION, results })?;
            self.top()?.replace_unsynced(OsStr::new(RESULTS), &bytes, Access::World)?;
        }
        if self.ours != self.current {
            self.write_names(&self.current)?;
        }
        let made = self.current.values().filter(|key| !key.is_empty()).count();
        Ok(ChangeCounts { written: self.written, unchanged: made - self.written, removed })
    }

    fn write_names(&self, files: &Keys) -> anyhow::Result<()> {
        let files = Files { made_by: format!("sbc-bench {VERSION}"), files: files.clone() };
        Ok(self.top()?.replace_unsynced(OsStr::new(FILES), &serde_json::to_vec(&files)?, Access::World)?)
    }

    fn top(&self) -> anyhow::Result<&Folder> {
        self.folders.get("").context("the directory of the site is not open")
    }

    /// A directory of the site, created if missing; links are not followed.
    fn folder(&mut self, name: &str) -> anyhow::Result<&Folder> {
        let known = FOLDERS.into_iter().find(|known| *known == name).unwrap_or("");
        if !self.folders.contains_key(known) {
            let path = self.path.join(known);
            files::make_all(&path)?;
            self.folders.insert(known, Folder::open_itself(&path)?);
        }
        self.folders.get(known).context("a directory of the site is not open")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_files_lead_nowhere_else() {
        for path in ["index.html", "results/a-1.html", "boards/x.html", "sitemap.xml"] {
            assert!(is_of_site(path), "{path}");
        }
        for path in [
            "../x",
            "/etc/passwd",
            "results/../../x.html",
            "results/a/b.html",
            "results/.html",
            "other/a.html",
            "x.html",
            "",
        ] {
            assert!(!is_of_site(path), "{path}");
        }
    }
}
