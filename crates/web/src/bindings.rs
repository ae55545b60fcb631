//! What the script of the shell calls: the results that are open, in a worker of the browser.

use crate::{Results, Selection, unpack};
use wasm_bindgen::prelude::wasm_bindgen;

/// A log in which nearly everything happens.
const EXAMPLE: &str = include_str!("../../explain/tests/composed/0.9.72-hot.txt");

/// A file of an archive.
#[wasm_bindgen(getter_with_clone)]
pub struct Member {
    /// Its name in the archive.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The results that are open.
#[wasm_bindgen]
#[derive(Default)]
pub struct Session {
    results: Results,
}

#[wasm_bindgen]
impl Session {
    /// None yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        // What a browser runs for the first time it has to compile: here, while nobody waits for it.
        let mut first = Results::default();
        let _ = first.open("", EXAMPLE.as_bytes().to_vec());
        let _ = first.page(0);
        Self::default()
    }

    /// See [`Results::open`]; JSON.
    ///
    /// # Errors
    /// One sentence: the file has no result.
    pub fn open(&mut self, name: &str, bytes: Vec<u8>) -> Result<String, String> {
        self.results.open(name, bytes).map(|listed| listed.to_string())
    }

    /// The files of an archive (`.tar`, `.zip`).
    ///
    /// # Errors
    /// One sentence: it is damaged or too large.
    pub fn unpack(&self, bytes: &[u8]) -> Result<Vec<Member>, String> {
        let members = unpack::members(bytes)?;
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

    /// See [`Results::several`]; none for an unknown word.
    pub fn several(&self, word: &str, indices: &[usize]) -> Option<String> {
        Some(self.results.several(Selection::find(word)?, indices))
    }

    /// See [`Results::clear`].
    pub fn clear(&mut self) {
        self.results.clear();
    }
}
