//! The machine behind a root, and data that only the running system provides.

mod running;

use crate::{Root, survey};
use identify::{RunningSystem, Texts, Tree};
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

    fn running(&self) -> Option<&dyn RunningSystem> {
        self.is_system().then_some(self)
    }
}

/// Root with only these texts. With a base, they replace its files.
pub fn root_of_texts(base: Option<&Root>, texts: &Texts<'_>) -> Root {
    match base {
        None => Root::of_board(texts.machine()),
        Some(base) => texts.files().iter().fold(base.clone(), |root, (path, content)| root.with_file(path, content)),
    }
}

/// Identifies the machine behind this root. Takes a few milliseconds, on servers with hundreds of CPUs several dozen.
pub fn identify(root: &Root) -> Machine {
    Machine { supplies: survey::contracts(root), ..identify::identify(root) }
}

/// Machine behind a root, identified once on first use, so that checks before a run and the Record agree.
#[derive(Debug)]
pub struct LazyMachine<'a> {
    root: &'a Root,
    found: OnceLock<Machine>,
}

impl<'a> LazyMachine<'a> {
    /// Wraps a root without reading it.
    pub fn new(root: &'a Root) -> Self {
        Self { root, found: OnceLock::new() }
    }

    /// Root that is read.
    pub fn root(&self) -> &'a Root {
        self.root
    }

    /// The machine.
    pub fn machine(&self) -> &Machine {
        self.found.get_or_init(|| identify(self.root))
    }
}
