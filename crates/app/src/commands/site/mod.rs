//! `sbc-bench results DIR... --site DIR`: results as static pages of [`page::site`]. Each result is read once; data for lists are
//! stored next to the pages.

mod folder;
pub(super) mod sources;

use super::known;
use super::unread::Unread;
use super::workers;
use anyhow::{Context, bail};
use compare::reference::Reference;
use console::output;
use explain::results::{Entry, USUAL_ORDER, order};
use folder::SiteFolder;
use page::site::{Site, SiteResult, of_result, result_path};
use record::StableSort;
use record::hex;
use sha2::{Digest, Sha256};
use sources::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Results with their files, by the names of their pages.
type Results = BTreeMap<String, (Entry, Source)>;

/// Parses the address of a web server.
pub(super) fn base(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_address = rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
    let is_plain = text.chars().all(|letter| letter.is_ascii_graphic() && !"<>\"'?#\\".contains(letter));
    if is_address && is_plain {
        Ok(text.to_owned())
    } else {
        Err("must be an address such as https://example.org/results".to_owned())
    }
}

/// Writes a site of the results in these files and directories.
///
/// # Errors
/// No file can be read, or the directory cannot be written.
pub(super) fn write(from: &[PathBuf], out: &Path, url: Option<&str>) -> anyhow::Result<u8> {
    let mut folder = SiteFolder::open(out)?;
    let mut unread = Unread::default();
    let sources = named(from, &mut unread)?;
    let reference = known::reference();
    let key = key_of_pages(reference);
    folder.claim(sources.keys().map(|page| result_path(page)))?;
    let results = results(&mut folder, sources, reference, &key, &mut unread);
    let status = unread.end();
    let results = results?;
    if results.is_empty() {
        bail!("None of the files could be read.");
    }
    let mut listed: Vec<SiteResult<'_>> = results
        .iter()
        .map(|(page, (entry, _))| SiteResult { entry, page })
        .filter(|listed| !is_part(listed, &results))
        .collect();
    let usual = order(USUAL_ORDER).context("the usual order of results has no key")?;
    listed.stable_sort_by(|a, b| usual(&a.entry.row, &b.entry.row));
    let count = listed.len();
    let site = Site::new(listed, url);
    groups(&mut folder, &site)?;
    lists(&mut folder, &site)?;
    let entries = results.iter().map(|(page, (entry, _))| (page.as_str(), entry));
    let done = folder.finish(entries)?;
    let (index, written, unchanged, removed) = (out.join("index.html"), done.written, done.unchanged, done.removed);
    output::print(&format!(
        "{}: {count} results; {written} files written, {unchanged} unchanged, {removed} removed.\n",
        index.display()
    ))?;
    if url.is_none() {
        output::note("No feed and no sitemap: they need the address of the site; give it by --url.");
    }
    Ok(status)
}

/// Files by the names of their pages, without those with the content of another, which are noted.
fn named(from: &[PathBuf], unread: &mut Unread) -> anyhow::Result<BTreeMap<String, Source>> {
    let found = sources::find(from)?;
    let mut by_content: BTreeMap<String, String> = BTreeMap::new();
    let mut named = BTreeMap::new();
    for source in found {
        let content = match source.bytes() {
            Ok(bytes) => hex(&Sha256::digest(&bytes)),
            Err(error) => {
                unread.add(&source.name, source.is_named, &error);
                continue;
            }
        };
        if let Some(first) = by_content.get(&content) {
            output::note(&format!("Skipped: {} has the content of {first}.", source.name));
            continue;
        }
        by_content.insert(content.clone(), source.name.clone());
        named.insert(of_result(&source.name, &content), source);
    }
    Ok(named)
}

/// What every page depends on besides its result: the version of the program and a hash of the user's known results.
fn key_of_pages(reference: &Reference) -> String {
    let mut hash = Sha256::new();
    reference.own.iter().for_each(|row| hash.update(format!("{row:?}")));
    format!("{} {}", folder::VERSION, hex(&hash.finalize()))
}

/// Reads and renders new results; notes files that cannot be read.
fn results(
    folder: &mut SiteFolder,
    sources: BTreeMap<String, Source>,
    reference: &Reference,
    key: &str,
    unread: &mut Unread,
) -> anyhow::Result<Results> {
    let mut results = Results::new();
    let mut new = Vec::new();
    for (page, source) in sources {
        let path = result_path(&page);
        match folder.kept(&page).filter(|_| folder.is_current(&path, key)) {
            Some(mut entry) => {
                folder.keep(&path, key);
                entry.row.file.clone_from(&source.name);
                results.insert(page, (entry, source));
            }
            None => new.push((page, source)),
        }
    }
    // Sorted by page: threads end in any order.
    let mut failed = BTreeMap::new();
    let make = |(page, source): (String, Source)| {
        let made = source.record().map(|record| {
            let explained = explain::explain(record);
            (Entry::of(&explained, &source.name), page::page(&explained, reference))
        });
        (page, source, made)
    };
    let end = workers::make_all(new, make, |(page, source, made)| {
        let path = result_path(&page);
        match made {
            Ok((entry, text)) => {
                folder.write(&path, key, &text)?;
                results.insert(page, (entry, source));
            }
            Err(error) => {
                folder.postpone(&path);
                failed.insert(page, (source, error));
            }
        }
        Ok(())
    });
    // After a write error as well.
    failed.into_values().for_each(|(source, error)| unread.add(&source.name, source.is_named, &error));
    end.map(|()| results)
}

/// True if another result contains this one because its run was resumed; prints a note then.
fn is_part(listed: &SiteResult<'_>, results: &Results) -> bool {
    let whole =
        listed.entry.run.as_ref().and_then(|_| results.values().find(|(other, _)| listed.entry.is_part_of(other)));
    if let Some((whole, _)) = whole {
        let (part, whole) = (&listed.entry.row.file, &whole.row.file);
        output::note(&format!("{part} has no row: its run was resumed and is complete in {whole}."));
    }
    whole.is_some()
}

/// Pages of boards, SoCs and core types whose results changed. Results do not say which machine they are of, so that there are
/// no changes over time.
fn groups(folder: &mut SiteFolder, site: &Site<'_>) -> anyhow::Result<()> {
    folder.claim(site.groups().map(|group| group.path.clone()))?;
    for group in site.groups() {
        let mut hash = Sha256::new();
        hash.update(folder::VERSION);
        for listed in &group.results {
            hash.update(format!("\n{} {}", listed.page, listed.entry.row.file));
        }
        let key = hex(&hash.finalize());
        if folder.is_current(&group.path, &key) {
            folder.keep(&group.path, &key);
            continue;
        }
        folder.write(&group.path, &key, &site.group_page(group))?;
    }
    Ok(())
}

/// Makes tables and data, and writes those that changed.
fn lists(folder: &mut SiteFolder, site: &Site<'_>) -> anyhow::Result<()> {
    let files = site.lists();
    folder.claim(files.iter().map(|file| file.path.to_owned()))?;
    for file in files {
        let key = hex(&Sha256::digest(&file.text));
        if folder.is_current(file.path, &key) {
            folder.keep(file.path, &key)
        } else {
            folder.write(file.path, &key, &file.text)?
        }
    }
    Ok(())
}
