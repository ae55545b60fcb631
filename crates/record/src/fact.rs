//! Missing values are data: they carry the reason.
//!
//! A read returns [`Reading`] (so that `?` works); a Record stores [`Fact`].

use crate::tagged;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt;

/// Reason for values that were not read yet.
const NOT_REACHED: &str = "the run did not reach this point";

/// Result of a read.
pub type Reading<T> = Result<T, Missing>;

/// Source that could not be read, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Missing {
    /// File, device or tool.
    pub path: String,
    /// Why it gave nothing.
    pub why: MissingReason,
}

/// Reason why a value is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MissingReason {
    /// The file, device or tool does not exist.
    Absent,
    /// Permission denied; usually needs root.
    Denied,
    /// The content is invalid; the text is its beginning.
    Garbled(String),
    /// The machine or the run does not support it; the text is the reason.
    Unsupported(String),
    /// Another kernel error, by errno.
    Io(i32),
}

impl Missing {
    /// The file does not exist.
    pub fn absent(path: impl Into<String>) -> Self {
        Self { path: path.into(), why: MissingReason::Absent }
    }

    /// The content `text` is invalid. Keeps at most 80 characters.
    pub fn garbled(path: impl Into<String>, text: &str) -> Self {
        Self { path: path.into(), why: MissingReason::Garbled(text.chars().take(80).collect()) }
    }

    /// The machine or run does not support it because of `reason`.
    pub fn unsupported(path: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { path: path.into(), why: MissingReason::Unsupported(reason.into()) }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.why {
            MissingReason::Absent => write!(f, "{path} does not exist"),
            MissingReason::Denied => write!(f, "{path}: permission denied"),
            MissingReason::Garbled(text) => write!(f, "{path} contains unexpected text {text:?}"),
            MissingReason::Unsupported(reason) => f.write_str(reason),
            MissingReason::Io(errno) => write!(f, "{path}: {}", crate::errno_words(*errno)),
        }
    }
}

impl std::error::Error for Missing {}

/// A value, or the reason why it is missing. In JSON the value itself, or `{"missing": {"path": ..., "why": ...}}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Fact<T> {
    /// Missing value.
    Missing {
        /// Source and reason.
        missing: Missing,
    },
    /// Known value.
    Known(T),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Fact<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// JSON object of a missing value.
        #[derive(Deserialize)]
        struct Absent {
            missing: Missing,
        }
        let value = <Box<RawValue>>::deserialize(deserializer)?;
        match tagged::part::<Absent, D::Error>(&value) {
            Ok(Absent { missing }) => Ok(Self::Missing { missing }),
            Err(_) => tagged::part(&value).map(Self::Known),
        }
    }
}

impl<T> Fact<T> {
    /// Missing because the run ended before the value was read, or has not read it yet.
    pub fn not_reached() -> Self {
        Missing::unsupported("", NOT_REACHED).into()
    }

    /// True for [`Fact::not_reached`].
    pub fn is_not_reached(&self) -> bool {
        let is_so = |why: &MissingReason| matches!(why, MissingReason::Unsupported(reason) if reason == NOT_REACHED);
        self.missing().is_some_and(|missing| missing.path.is_empty() && is_so(&missing.why))
    }

    /// Missing because logs of the bash program do not contain it.
    pub fn not_in_log() -> Self {
        Missing::unsupported("", "not in the log").into()
    }

    /// The value, if known.
    pub fn known(&self) -> Option<&T> {
        match self {
            Fact::Known(value) => Some(value),
            Fact::Missing { .. } => None,
        }
    }

    /// The reason, if the value is missing.
    pub fn missing(&self) -> Option<&Missing> {
        match self {
            Fact::Known(_) => None,
            Fact::Missing { missing } => Some(missing),
        }
    }

    /// Applies `f` to a known value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Fact<U> {
        match self {
            Fact::Known(value) => Fact::Known(f(value)),
            Fact::Missing { missing } => Fact::Missing { missing },
        }
    }
}

impl<T> Default for Fact<T> {
    fn default() -> Self {
        Self::not_reached()
    }
}

impl<T> From<Missing> for Fact<T> {
    fn from(missing: Missing) -> Self {
        Fact::Missing { missing }
    }
}

impl<T> From<Reading<T>> for Fact<T> {
    fn from(reading: Reading<T>) -> Self {
        match reading {
            Ok(value) => Fact::Known(value),
            Err(missing) => Fact::Missing { missing },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fact_is_plain_in_json() {
        let known: Fact<u32> = Fact::Known(7);
        assert_eq!(serde_json::to_string(&known).unwrap(), "7");
        let gone: Fact<u32> = Missing::absent("/proc/x").into();
        let text = serde_json::to_string(&gone).unwrap();
        assert_eq!(text, r#"{"missing":{"path":"/proc/x","why":"absent"}}"#);
        assert_eq!(serde_json::from_str::<Fact<u32>>(&text).unwrap(), gone);
        assert_eq!(serde_json::from_str::<Fact<u32>>("7").unwrap(), known);
    }
}
