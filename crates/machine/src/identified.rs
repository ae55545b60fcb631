//! The machine behind a root, and what only the running system tells of it.

mod running;

use crate::Root;
use identify::{Running, Texts, Tree};
use record::{Machine, Reading};
use std::sync::OnceLock;

impl Tree for Root {
    fn read_bytes(&self, path: &str) -> Reading<Vec<u8>> {
        Root::read_bytes(self, path)
    }

    fn read_head(&self, path: &str, bytes: usize) -> Reading<Vec<u8>> {
        Root::read_head(self, path, bytes)
    }

    fn list(&self, path: &str) -> Reading<Vec<String>> {
        Root::list(self, path)
    }

    fn link(&self, path: &str) -> Reading<String> {
        Root::link(self, path)
    }

    fn running(&self) -> Option<&dyn Running> {
        self.is_system().then_some(self)
    }
}

/// A root in which only these texts are known. With a base, they stand in the places of its files.
pub fn root_of_texts(base: Option<&Root>, texts: &Texts<'_>) -> Root {
    match base {
        None => Root::of_board(texts.machine()),
        Some(base) => texts.files().iter().fold(base.clone(), |root, (path, content)| root.with_file(path, content)),
    }
}

/// Identifies the machine behind this root. Takes a few milliseconds, on servers with hundreds of
/// CPUs a few dozen.
pub fn identify(root: &Root) -> Machine {
    identify::identify(root)
}

/// The machine behind a root, identified once, when it is first asked for: what is known before a run is
/// the same as what goes into the Record.
#[derive(Debug)]
pub struct Identified<'a> {
    root: &'a Root,
    found: OnceLock<Machine>,
}

impl<'a> Identified<'a> {
    /// Nothing is looked at yet.
    pub fn new(root: &'a Root) -> Self {
        Self { root, found: OnceLock::new() }
    }

    /// Where everything is read.
    pub fn root(&self) -> &'a Root {
        self.root
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        self.found.get_or_init(|| identify(self.root))
    }
}
