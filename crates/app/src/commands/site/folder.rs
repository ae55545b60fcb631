//! The directory of a site: which files in it are ours, which of them are up to date, and what is kept of each result.
//!
//! No other file is ever replaced or removed. Names of ours are written down before the files are made, so that a call that
//! is killed leaves nothing that the next one takes for another's.

use anyhow::{Context, bail, ensure};
use explain::results::Entry;
use machine::files::{self, Access, Folder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Which program made a page; pages of another one are made again.
pub(super) const VERSION: &str = env!("SBC_BENCH_VERSION");

/// Names and keys of the files that are ours.
const FILES: &str = ".sbc-bench-site.json";
/// Stored data of each result.
const RESULTS: &str = ".sbc-bench-site-results.json";
/// Files at the top, and folders of pages.
const TOP: [&str; 7] =
    ["all.html", "feed.atom", "index.html", "results.csv", "results.json", "results.md", "sitemap.xml"];
const FOLDERS: [&str; 4] = ["boards", "cores", "results", "socs"];
/// A site of a hundred thousand results has less.
const BYTES_MAX: u64 = 2 << 30;

/// Files by their paths from the directory, each with a key that changes when the file has to be made again.
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

/// The directory of a site that is being made.
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

/// True for paths that a site has; a list of files may say anything.
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
    /// Opens it, and makes it where it is missing.
    ///
    /// # Errors
    /// It has files of others and no site.
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
            // Without it everything is made again.
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

    /// Says which files are about to be made.
    ///
    /// # Errors
    /// One of them is there and not ours.
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

    /// True if a file is there and was made with this key.
    pub(super) fn is_current(&mut self, path: &str, key: &str) -> bool {
        let (folder, name) = parts(path);
        self.ours.get(path).is_some_and(|own| own == key)
            && self.folder(folder).is_ok_and(|folder| folder.length(name).is_some())
    }

    /// Keeps a file as it is.
    pub(super) fn keep(&mut self, path: &str, key: &str) {
        self.current.insert(path.to_owned(), key.to_owned());
    }

    /// Leaves a file unmade that was claimed: what it is to be made of cannot be read today.
    pub(super) fn postpone(&mut self, path: &str) {
        self.keep(path, "");
    }

    /// Writes a file that was claimed.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&mut self, path: &str, key: &str, text: &str) -> anyhow::Result<()> {
        let (folder, name) = parts(path);
        self.folder(folder)?.replace_unsynced(name, text.as_bytes(), Access::World)?;
        self.written += 1;
        self.keep(path, key);
        Ok(())
    }

    /// Removes what is ours and no longer of the site, and keeps what is known of each result for the next call.
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

    /// A folder of the site, made where it is missing; no link is followed to it.
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
