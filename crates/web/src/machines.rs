//! Machines that are identified without a result: snapshots, and `/proc/cpuinfo` alone.

use facts::soc::{self, Answer};
use identify::{BoardFile, Texts, identify, is_cpuinfo};
use record::{Machine, Missing};
use serde_json::{Value, json};

/// A snapshot begins within so many bytes: comments stand before it.
const HEAD_BYTES: usize = 64 << 10;

/// A machine and what is concluded of it.
pub(crate) struct Identified {
    machine: Machine,
    answer: Answer,
    /// What it was read from.
    from: String,
}

impl Identified {
    /// The machine of a snapshot, where the file is one.
    ///
    /// # Errors
    /// A line of it cannot be understood.
    pub(crate) fn of_snapshot(name: &str, bytes: &[u8]) -> Result<Option<Self>, Missing> {
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]);
        if !BoardFile::is_one(&head) {
            return Ok(None);
        }
        let board = BoardFile::parse(&String::from_utf8_lossy(bytes))
            .map_err(|(line, text)| Missing::garbled(format!("line {line}"), &text))?;
        Ok(Some(Self::of(&board, format!("the snapshot {name}"))))
    }

    /// The machine of a text that is `/proc/cpuinfo` alone.
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

    /// Its page.
    pub(crate) fn page(&self) -> String {
        page::identification(&self.machine, &self.answer, &self.from)
    }

    /// What `sbc-bench identify` prints: `text`, or with `--json` `json`; harmless to a terminal, as all that it prints.
    pub(crate) fn report(&self, id: &str) -> Option<String> {
        let text = match id {
            "text" => soc::text(&self.machine, &self.answer),
            "json" => soc::json(&self.machine, &self.answer),
            _ => return None,
        };
        Some(facts::harmless(&text).into_owned())
    }

    /// What to list of it.
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
