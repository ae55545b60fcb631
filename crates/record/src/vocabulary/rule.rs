//! Ids of rules: `thermal-throttling`.

use std::borrow::Cow;

/// Id of a rule, defined next to it. Records do not contain ids, so ids of newer programs do not occur.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(&'static str);

impl RuleId {
    /// Id of the rule in this file.
    pub const fn own(text: &'static str) -> Self {
        Self(text)
    }

    /// Text of the id.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    pub(crate) fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0)
    }
}

written!(RuleId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_written_as_they_are_spelled() {
        let id = RuleId::own("thermal-throttling");
        assert_eq!(format!("{id:<20}|{id:?}"), "thermal-throttling  |\"thermal-throttling\"");
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"thermal-throttling\"");
    }
}
