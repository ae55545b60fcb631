//! Names in a file, and the tree of modules of a crate: resolves paths to modules.
//!
//! Names are followed through `pub use` to the module that defines them. Other crates, methods and macros are not resolved.

use super::arrows::Package;
use super::rust::{Token, tokens};
use crate::workspace::File;
use std::collections::{BTreeMap, BTreeSet};

/// Segments of a path, as written.
pub(super) type Segments = Vec<String>;

/// A path in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathUse {
    pub(super) segments: Segments,
    /// Line, from 1.
    pub(super) line: usize,
}

/// Names in a file, outside of tests.
#[derive(Debug, Default)]
pub(super) struct Source {
    /// Modules in other files (`mod x;`).
    children: Vec<String>,
    /// Imported names with their paths.
    uses: BTreeMap<String, Segments>,
    /// Paths that end with `*`.
    globs: Vec<Segments>,
    /// Defined names.
    items: BTreeSet<String>,
    /// All paths, including those of `use`, and calls of methods without arguments as `.method`.
    pub(super) named: Vec<PathUse>,
}

const DEFINES: [&str; 8] = ["fn", "struct", "enum", "trait", "const", "static", "type", "union"];

impl Source {
    pub(super) fn of(text: &str) -> Self {
        let tokens = tokens(text);
        let text = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text.as_str());
        let mut source = Self::default();
        // Depth of braces at the start of each module within the file.
        let mut inside = Vec::new();
        let mut depth = 0;
        let mut at = 0;
        while at < tokens.len() {
            match text(at) {
                "{" => depth += 1,
                "}" => {
                    depth -= 1;
                    inside.pop_if(|began| *began == depth);
                }
                "mod" if text(at + 2) == ";" => source.children.push(text(at + 1).to_owned()),
                "mod" if text(at + 2) == "{" => inside.push(depth),
                "use" if text(at + 1) != "<" => {
                    let length = tokens[at..].iter().position(|token| token.text == ";").unwrap_or(1);
                    source.use_tree(&tokens[at + 1..at + length], &[], !inside.is_empty());
                    at += length;
                    continue;
                }
                _ if tokens[at].is_word() => {
                    let (before, last) = (text(at.wrapping_sub(2)), text(at.wrapping_sub(1)));
                    // A field or a method does not start a path, but the end of a range may.
                    let begins = last != "::" && (last != "." || before == ".");
                    let mut segments = vec![text(at).to_owned()];
                    while text(at + 1) == "::" && tokens.get(at + 2).is_some_and(Token::is_word) {
                        at += 2;
                        segments.push(text(at).to_owned());
                    }
                    if segments.len() > 1 && begins {
                        source.name(segments, tokens[at].line, !inside.is_empty());
                    } else if last == "." && text(at + 1) == "(" && text(at + 2) == ")" {
                        source.name(vec![format!(".{}", segments[0])], tokens[at].line, false);
                    } else if DEFINES.contains(&last) || before == "macro_rules" {
                        source.items.insert(segments.swap_remove(0));
                    }
                }
                _ => {}
            }
            at += 1;
        }
        source
    }

    fn name(&mut self, mut segments: Segments, line: usize, inside: bool) {
        // `super` within an inline module is the module of the file.
        if inside && segments.first().is_some_and(|first| first == "super") {
            segments[0] = "self".to_owned();
        }
        self.named.push(PathUse { segments, line });
    }

    /// Expands the first segment of a path by the `use` items of this file.
    pub(super) fn whole(&self, path: &[String]) -> Segments {
        match path.split_first().and_then(|(first, rest)| Some((self.uses.get(first)?, rest))) {
            Some((used, rest)) => [used, rest].concat(),
            None => path.to_vec(),
        }
    }

    /// Parses the tree of a `use` item: `a::{b, c as d, e::*}`.
    fn use_tree(&mut self, tokens: &[Token], before: &[String], inside: bool) {
        let mut segments = before.to_vec();
        for (at, token) in tokens.iter().enumerate() {
            match token.text.as_str() {
                "::" => {}
                "{" => {
                    let mut depth = 0;
                    let branches = tokens[at + 1..tokens.len() - 1].split(|token| {
                        depth += i32::from(token.text == "{") - i32::from(token.text == "}");
                        token.text == "," && depth == 0
                    });
                    branches.for_each(|branch| self.use_tree(branch, &segments, inside));
                    return;
                }
                "*" => {
                    self.globs.push(segments.clone());
                    return self.name(segments, token.line, inside);
                }
                "as" => break,
                "self" if !segments.is_empty() => {}
                word => segments.push(word.to_owned()),
            }
        }
        let Some(last) = tokens.last().filter(|_| !segments.is_empty()) else { return };
        let name = if last.text == "self" { segments[segments.len() - 1].clone() } else { last.text.clone() };
        self.uses.entry(name).or_insert_with(|| segments.clone());
        self.name(segments, last.line, inside);
    }
}

/// A module of a crate.
#[derive(Debug)]
pub(super) struct Module {
    /// File, relative to the workspace.
    pub(super) file: String,
    /// Names of the module and its parents, from the root of the crate.
    pub(super) path: Segments,
    children: BTreeMap<String, usize>,
    parent: usize,
    pub(super) source: Source,
}

/// The modules of a crate; the first is its root.
#[derive(Debug, Default)]
pub(super) struct Modules {
    /// Name of the crate's folder.
    pub(super) krate: String,
    pub(super) all: Vec<Module>,
}

/// Maximum number of `pub use` items followed for a name.
const FOLLOWED_MAX: usize = 12;

impl Modules {
    pub(super) fn of(package: &Package, files: &[File]) -> Self {
        let folder = package.folder();
        let mut modules = Self { krate: package.name.clone(), all: Vec::new() };
        let roots = ["lib", "main"].map(|name| format!("{folder}/src/{name}.rs"));
        if let Some(root) = roots.iter().find_map(|path| super::find(files, path)) {
            modules.read(root, &format!("{folder}/src"), Vec::new(), 0, files);
        }
        modules
    }

    fn read(&mut self, file: &File, folder: &str, path: Segments, parent: usize, files: &[File]) -> usize {
        let index = self.all.len();
        let source = Source::of(&file.text);
        let mut children: Vec<(String, String)> =
            source.children.iter().map(|name| (name.clone(), format!("{folder}/{name}"))).collect();
        // `#[path = "x/mod.rs"]`: one of several files, selected by the architecture.
        let named =
            file.text.lines().filter_map(|line| line.trim().strip_prefix("#[path = \"")?.strip_suffix("/mod.rs\"]"));
        children.extend(named.map(|name| (name.to_owned(), format!("{folder}/{name}"))));
        self.all.push(Module { file: file.path.clone(), path, children: BTreeMap::new(), parent, source });
        for (name, folder) in children {
            let found = [format!("{folder}.rs"), format!("{folder}/mod.rs")];
            if let Some(file) = found.iter().find_map(|path| super::find(files, path)) {
                let path = [&self.all[index].path[..], std::slice::from_ref(&name)].concat();
                let child = self.read(file, &folder, path, index, files);
                self.all[index].children.insert(name, child);
            }
        }
        index
    }

    /// Child modules.
    pub(super) fn children(&self, module: usize) -> impl Iterator<Item = usize> {
        self.all[module].children.values().copied()
    }

    /// The module that defines the item of a path in this module.
    pub(super) fn defining(&self, module: usize, path: &[String]) -> Option<usize> {
        self.follow(module, path, 0)
    }

    fn follow(&self, module: usize, path: &[String], followed: usize) -> Option<usize> {
        if followed > FOLLOWED_MAX {
            return None;
        }
        let (mut base, mut rest) = self.begin(module, path)?;
        while let Some(&child) = rest.first().and_then(|name| self.all[base].children.get(name)) {
            base = child;
            rest.remove(0);
        }
        let Some(name) = rest.first() else { return Some(base) };
        let source = &self.all[base].source;
        if source.items.contains(name) {
            return Some(base);
        }
        if let Some(used) = source.uses.get(name) {
            let is_itself = base == module && used == path;
            return if is_itself { None } else { self.follow(base, used, followed + 1) };
        }
        for glob in &source.globs {
            let Some(through) = self.follow(base, glob, followed + 1) else { continue };
            let there = &self.all[through];
            if there.source.items.contains(name)
                || there.children.contains_key(name)
                || there.source.uses.contains_key(name)
            {
                let path = [&["self".to_owned()], &rest[..]].concat();
                return self.follow(through, &path, followed + 1);
            }
        }
        Some(base)
    }

    /// The module where a path starts, and its remaining segments. `None` for a path of another crate.
    fn begin(&self, module: usize, path: &[String]) -> Option<(usize, Segments)> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => return Some((0, rest.to_vec())),
            "self" => return Some((module, rest.to_vec())),
            "super" => {
                let ups = path.iter().take_while(|segment| *segment == "super").count();
                let base = (0..ups).fold(module, |module, _| self.all[module].parent);
                return Some((base, path[ups..].to_vec()));
            }
            _ => {}
        }
        if self.all[module].children.contains_key(first) {
            return Some((module, path.to_vec()));
        }
        let used = self.all[module].source.uses.get(first).filter(|used| used.first() != Some(first))?;
        let (base, mut segments) = self.begin(module, used)?;
        segments.extend_from_slice(rest);
        Some((base, segments))
    }
}
