//! Machines identified without a result: snapshots, and `/proc/cpuinfo` alone.

use facts::soc::{self, Answer};
use identify::{BoardFile, Texts, identify, is_cpuinfo};
use record::{Machine, Missing};
use serde_json::{Value, json};

/// Maximum size of the comments before a snapshot's first entry, in bytes.
const HEAD_BYTES: usize = 64 << 10;

/// Machine with its identification.
pub(crate) struct IdentifiedMachine {
    machine: Machine,
    answer: Answer,
    /// Source of the data.
    from: String,
}

impl IdentifiedMachine {
    /// Machine of a snapshot; `None` if the file is not one.
    ///
    /// # Errors
    /// A line of the snapshot is invalid.
    pub(crate) fn of_snapshot(name: &str, bytes: &[u8]) -> Result<Option<Self>, Missing> {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]);
        if !BoardFile::is_one(&head) {
            return Ok(None);
        }
        let board = BoardFile::parse(&String::from_utf8_lossy(bytes))
            .map_err(|(line, text)| Missing::garbled(format!("line {line}"), &text))?;
        Ok(Some(Self::of(&board, format!("the snapshot {name}"))))
    }

    /// Machine of a text that is `/proc/cpuinfo` alone.
    pub(crate) fn of_cpuinfo(text: &str) -> Option<Self> {
        let texts = Texts { cpuinfo: Some(text.as_bytes()), ..Texts::default() };
        let from = "/proc/cpuinfo alone: what other files say is unknown";
        is_cpuinfo(text).then(|| Self::of(&texts.machine(), from.to_owned()))
    }

    fn of(board: &BoardFile, from: String) -> Self {
        let machine = identify(board);
        let answer = soc::identify(&machine);
        Self { machine, answer, from }
    }

    /// Page of the machine.
    pub(crate) fn page(&self) -> String {
        page::identification(&self.machine, &self.answer, &self.from)
    }

    /// Output of `sbc-bench inspect identify`: `text`, or `json` as with `--json`; safe for terminals.
    pub(crate) fn report(&self, id: &str) -> Option<String> {
        let text = match id {
            "text" => soc::text(&self.machine, &self.answer),
            "json" => soc::json(&self.machine, &self.answer),
            _ => return None,
        };
        Some(facts::harmless(&text).into_owned())
    }

    /// Entry for the list of files.
    pub(crate) fn listed(&self, name: &str) -> Value {
        json!({
            "name": facts::plain(name),
            "board": page::identified_name(&self.machine, &self.answer),
            "verdict": format!("SoC {}", self.answer.confidence),
            "is_result": false,
            "saves": ["html", "text", "json"],
            "findings": [],
        })
    }
}
