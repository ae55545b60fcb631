//! Interface for the script of the shell: the open results, in a worker of the browser.

use crate::{Results, Selection, unpack};
use wasm_bindgen::prelude::wasm_bindgen;

/// Log with nearly all kinds of events.
const EXAMPLE: &str = include_str!("../../explain/tests/composed/0.9.72-hot.txt");

/// File of an archive.
#[wasm_bindgen(getter_with_clone)]
pub struct Member {
    /// Name in the archive.
    pub name: String,
    /// Content.
    pub bytes: Vec<u8>,
}

/// Open results.
#[wasm_bindgen]
#[derive(Default)]
pub struct Session {
    results: Results,
}

#[wasm_bindgen]
impl Session {
    /// Creates an empty set.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        // Runs the code once, because browsers compile it on first use, and the user is not waiting yet.
        let mut first = Results::default();
        let _ = first.open("", EXAMPLE.as_bytes().to_vec());
        let _ = first.page(0);
        Self::default()
    }

    /// See [`Results::open`]; JSON.
    ///
    /// # Errors
    /// A sentence: the file has no result.
    pub fn open(&mut self, name: &str, bytes: Vec<u8>) -> Result<String, String> {
        self.results.open(name, bytes).map(|listed| listed.to_string())
    }

    /// Files of an archive (`.tar`, `.zip`).
    ///
    /// # Errors
    /// A sentence: the archive is damaged or too large.
    pub fn unpack(&self, name: &str, bytes: Vec<u8>) -> Result<Vec<Member>, String> {
        let members = unpack::members(name, bytes)?;
        Ok(members.into_iter().map(|(name, bytes)| Member { name, bytes }).collect())
    }

    /// See [`Results::page`].
    pub fn page(&self, index: usize) -> Option<String> {
        self.results.page(index)
    }

    /// See [`Results::report`].
    pub fn report(&self, index: usize, id: &str) -> Option<String> {
        self.results.report(index, id)
    }

    /// See [`Results::card`].
    pub fn card(&self, index: usize) -> Option<String> {
        self.results.card(index)
    }

    /// See [`Results::several`]; `None` for an unknown word.
    pub fn several(&self, word: &str, indices: &[usize]) -> Option<String> {
        Some(self.results.several(Selection::find(word)?, indices))
    }

    /// See [`Results::clear`].
    pub fn clear(&mut self) {
        self.results.clear();
    }
}
