//! The HTML file: style, script, worker and the program as WebAssembly, with a policy that permits no connections.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use flate2::{Compression, read::GzEncoder};
use sha2::{Digest, Sha256};
use std::io::Read;

const DOCUMENT: &str = include_str!("shell/document.html");
const SCRIPT: &str = include_str!("shell/script.js");
const WORKER: &str = include_str!("shell/worker.js");
const STYLE: &str = include_str!("shell/style.css");

/// Log that a reader without one can open: a board that was throttled by heat.
pub const EXAMPLE: &str = include_str!("../../explain/tests/composed/0.9.72-hot.txt");

/// Renders the file. `wasm` is the program, and `glue` the matching script of wasm-bindgen (`--target no-modules`).
pub fn document(wasm: &[u8], glue: &str) -> String {
    let worker = format!("{glue}\n{WORKER}");
    [
        ("POLICY", policy()),
        ("STYLE", page::style() + STYLE),
        ("LICENCES", escaped(&licences::text())),
        ("VERSION", env!("CARGO_PKG_VERSION").to_owned()),
        // The element is not executed; the script creates a worker from it.
        ("WORKER", BASE64.encode(worker)),
        ("PROGRAM", BASE64.encode(packed(wasm))),
        ("EXAMPLE", BASE64.encode(EXAMPLE)),
        ("SCRIPT", SCRIPT.to_owned()),
    ]
    .into_iter()
    .fold(DOCUMENT.to_owned(), |text, (name, value)| text.replace(&format!("{{{{{name}}}}}"), &value))
}

/// Content security policy of the file: its own script and those of its pages, workers and images created by it, and no
/// connections. It also applies to pages in its frame.
fn policy() -> String {
    let hash = |script: &str| format!("'sha256-{}'", BASE64.encode(Sha256::digest(script)));
    format!(
        "default-src 'none'; script-src {} {} 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; \
         worker-src blob:; connect-src 'none'; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(page::script())
    )
}

/// Plain text that a browser displays unchanged.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    // Reading from and writing to memory cannot fail.
    let _ = GzEncoder::new(bytes, Compression::best()).read_to_end(&mut packed);
    packed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_is_whole_and_may_not_connect() {
        let made = document(b"\0asm", "let wasm_bindgen;");
        assert!(!made.contains("{{"), "every place is filled");
        for needed in ["connect-src 'none'", "default-src 'none'", "H4sI", "<meta charset=\"utf-8\">"] {
            assert!(made.contains(needed), "{needed}");
        }
        for loaded in [" src=", "href=\"http", "@import", "url(", "fetch(", "XMLHttpRequest", "sendBeacon", "WebSocket"]
        {
            assert!(!made.contains(loaded), "{loaded}");
        }
    }

    #[test]
    fn script_in_the_document_is_the_one_allowed() {
        let made = document(b"", "");
        let script = made.split("<script>").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
        let hash = BASE64.encode(Sha256::digest(script));
        assert!(made.contains(&format!("'sha256-{hash}'")));
    }
}
