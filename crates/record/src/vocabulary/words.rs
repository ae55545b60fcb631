//! Macros for types of words: enums with a text, and their conversions.

/// Enum of words. The part after `or Own` is a variant with a private word.
macro_rules! words {
    ($(#[$doc:meta])* $vis:vis enum $name:ident {
        $($(#[$about:meta])* $variant:ident = $text:literal,)*
    } $(or $(#[$own_about:meta])* $own:ident)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $(#[doc = concat!("`", $text, "`")] $(#[doc = ""] #[$about])* $variant,)*
            $($(#[$own_about])* $own(&'static str),)?
        }

        impl $name {
            /// All words defined here, in order.
            $vis const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Text of the word.
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                    $(Self::$own(text) => text,)?
                }
            }

            /// Word with this text.
            $vis fn of(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

/// Output of a type with `fn text(&self) -> Cow<'_, str>`: `Display` with padding, `Debug` of the text, JSON.
macro_rules! written {
    ($name:ty) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.text())
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&*self.text(), f)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.text())
            }
        }
    };
}

/// Input and output of a type that is [`written!`] and has `FromStr<Err = Infallible>`. Its schema is that of a string.
macro_rules! spelled {
    ($name:ty) => {
        written!($name);

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str($crate::vocabulary::words::Text::default())
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                <String as schemars::JsonSchema>::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <String as schemars::JsonSchema>::json_schema(generator)
            }
        }
    };
}

/// Deserializes a type from JSON text without an intermediate `String`.
pub(super) struct Text<T>(std::marker::PhantomData<T>);

impl<T> Default for Text<T> {
    fn default() -> Self {
        Self(std::marker::PhantomData)
    }
}

impl<T> serde::de::Visitor<'_> for Text<T>
where
    T: std::str::FromStr<Err = std::convert::Infallible>,
{
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        let Ok(value) = text.parse();
        Ok(value)
    }
}

/// Checks that any text is preserved by parsing and formatting, also through JSON. Holds for all types of this module.
#[cfg(test)]
pub(super) fn check_text_survives<T>(text: &str)
where
    T: std::str::FromStr<Err = std::convert::Infallible>
        + std::fmt::Display
        + std::fmt::Debug
        + PartialEq
        + serde::Serialize
        + serde::de::DeserializeOwned,
{
    let Ok(value) = text.parse::<T>();
    assert_eq!(value.to_string(), text);
    let json = serde_json::to_string(&value).unwrap();
    assert_eq!(json, serde_json::to_string(text).unwrap());
    assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value);
}
