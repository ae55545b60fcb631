//! Text where a type belongs, until all callers are typed.

use super::{ChannelId, Mode, RuleId, Variant, WorkloadName};
use std::borrow::Cow;

macro_rules! compares_with_text {
    ($($name:ty),*) => {$(
        #[doc(hidden)]
        impl PartialEq<str> for $name {
            fn eq(&self, text: &str) -> bool {
                self.text() == text
            }
        }

        #[doc(hidden)]
        impl PartialEq<&str> for $name {
            fn eq(&self, text: &&str) -> bool {
                self.text() == *text
            }
        }

        #[doc(hidden)]
        impl PartialEq<String> for $name {
            fn eq(&self, text: &String) -> bool {
                self.text() == *text
            }
        }
    )*};
}

compares_with_text!(ChannelId, WorkloadName, Variant, Mode, RuleId);

#[doc(hidden)]
impl ChannelId {
    pub fn as_text(&self) -> Cow<'_, str> {
        self.text()
    }
}

#[doc(hidden)]
impl From<&str> for ChannelId {
    fn from(text: &str) -> Self {
        let Ok(id) = text.parse();
        id
    }
}

#[doc(hidden)]
impl From<String> for ChannelId {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

macro_rules! made_of_text {
    ($($name:ty),*) => {$(
        #[doc(hidden)]
        impl From<&String> for $name {
            fn from(text: &String) -> Self {
                text.as_str().into()
            }
        }

        #[doc(hidden)]
        impl From<&&str> for $name {
            fn from(text: &&str) -> Self {
                (*text).into()
            }
        }

        #[doc(hidden)]
        impl From<&$name> for $name {
            fn from(name: &$name) -> Self {
                name.clone()
            }
        }
    )*};
}

made_of_text!(ChannelId, WorkloadName, Variant);

#[doc(hidden)]
impl From<String> for WorkloadName {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

#[doc(hidden)]
impl From<&str> for Mode {
    fn from(text: &str) -> Self {
        let Ok(mode) = text.parse();
        mode
    }
}
