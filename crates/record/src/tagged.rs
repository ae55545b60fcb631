//! Deserialises enums that carry their tag as a field. The buffer of `serde` for such enums would compile the deserialiser
//! of every type of a Record a second time, which is half a megabyte.

use serde::Deserialize;
use serde::de::{DeserializeOwned, Error};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Declares an enum whose JSON is `{"TAG": "variant", ...fields}`, with variants in snake case.
macro_rules! tagged {
    ($tag:literal, $remote:literal, $(#[$meta:meta])* pub enum $name:ident { $($body:tt)* }) => {
        $(#[$meta])*
        #[derive(serde::Serialize)]
        #[serde(tag = $tag, rename_all = "snake_case")]
        pub enum $name { $($body)* }

        const _: () = {
            /// The same enum as `{"variant": {...fields}}`.
            #[derive(serde::Deserialize)]
            #[serde(remote = $remote, rename_all = "snake_case")]
            enum Outer { $($body)* }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    $crate::tagged::with_tag_outside(deserializer, $tag, |text| {
                        Outer::deserialize(&mut serde_json::Deserializer::from_str(text))
                    })
                }
            }
        };
    };
}
pub(crate) use tagged;

/// Reads an object and parses it as `{"value of its tag": object}`.
pub(crate) fn with_tag_outside<'de, D: serde::Deserializer<'de>, T>(
    deserializer: D,
    tag: &str,
    parse: impl FnOnce(&str) -> serde_json::Result<T>,
) -> Result<T, D::Error> {
    let object = <Box<RawValue>>::deserialize(deserializer)?;
    parse(&outside(object.get(), tag).map_err(custom)?).map_err(custom)
}

fn outside(object: &str, tag: &str) -> serde_json::Result<String> {
    let fields: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(object)?;
    let variant = fields.get(tag).ok_or_else(|| serde_json::Error::custom(format_args!("missing field `{tag}`")))?;
    Ok(format!("{{{variant}:{object}}}"))
}

/// Parses a part of a JSON text.
pub(crate) fn part<T: DeserializeOwned, E: Error>(text: &RawValue) -> Result<T, E> {
    serde_json::from_str(text.get()).map_err(custom)
}

/// An error without its place, which counts from the begin of the part.
fn custom<E: Error>(error: serde_json::Error) -> E {
    let words = error.to_string();
    E::custom(words.rsplit_once(" at line ").map_or(words.as_str(), |(words, _)| words))
}
