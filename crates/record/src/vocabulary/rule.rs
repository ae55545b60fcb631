//! Which rule said something: `thermal-throttling`.

use std::borrow::Cow;

/// Id of a rule. Each is made next to its rule; ids stand in no Record, so that there are none of newer programs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(&'static str);

impl RuleId {
    /// The id of the rule in whose file this stands.
    pub const fn own(text: &'static str) -> Self {
        Self(text)
    }

    /// Its spelling.
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
