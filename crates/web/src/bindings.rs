//! What the script of the shell calls: the results that are open, in a worker of the browser.

use crate::{Results, Selection};
use wasm_bindgen::prelude::wasm_bindgen;

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
        // While nobody waits for it.
        explain::soc::read_tables();
        Self::default()
    }

    /// See [`Results::open`]; JSON.
    ///
    /// # Errors
    /// One sentence: the file has no result.
    pub fn open(&mut self, name: &str, bytes: Vec<u8>) -> Result<String, String> {
        self.results.open(name, bytes).map(|listed| listed.to_string())
    }

    /// See [`Results::page`].
    pub fn page(&self, index: usize) -> Option<String> {
        self.results.page(index)
    }

    /// See [`Results::report`].
    pub fn report(&self, index: usize, id: &str) -> Option<String> {
        self.results.report(index, id)
    }

    /// See [`Results::drawings`]; JSON.
    pub fn drawings(&self, index: usize) -> String {
        serde_json::Value::from_iter(self.results.drawings(index)).to_string()
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
