//! Variants of workloads: `cold`, `aes-256-cbc`, `single`, `multi`.
//!
//! The set of variants is open, because users and tools define some. Constants exist for variants used in more than one
//! file.

use std::borrow::Cow;
use std::convert::Infallible;
use std::str::FromStr;

/// Variant of a workload; empty for a workload with a single variant.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variant(Cow<'static, str>);

macro_rules! variants {
    ($($(#[$about:meta])* $name:ident = $text:literal,)*) => {
        impl Variant {
            $(
                #[doc = concat!("`", $text, "`")]
                $(#[doc = ""] #[$about])*
                pub const $name: Self = Self::own($text);
            )*
        }
    };
}

variants! {
    /// The only variant.
    ONLY = "",
    COLD = "cold",
    COLD_CORES = "cold-cores",
    COLD_ALL_CPUS = "cold-all-cpus",
    HOT_LOADED = "hot-loaded",
    HOT_AFTER = "hot-after",
    AS_FOUND = "as-found",
    PARALLEL_IDLE = "parallel-idle",
    PARALLEL_LOADED = "parallel-loaded",
    SINGLE = "single",
    /// Benchmark on one CPU by a second version of its program.
    OTHER_VERSION = "single-other-version",
    MULTI = "multi",
    CORE_TYPE = "core-type",
    OPP = "opp",
    SMALL_PAGES = "small-pages",
    TLB_LIGHT = "tlb-light",
    RAMLAT = "ramlat",
    TINYMEMBENCH = "tinymembench",
    TINYMEMBENCH_HUGE = "tinymembench-huge-pages",
    TINYMEMBENCH_SMALL = "tinymembench-small-pages",
    AES_128_CBC = "aes-128-cbc",
    AES_192_CBC = "aes-192-cbc",
    AES_256_CBC = "aes-256-cbc",
    AES_256_GCM = "aes-256-gcm",
    SIDE_A = "a",
    SIDE_B = "b",
    IDLE = "idle",
    COOL_DOWN = "cool-down",
    COOLING = "cooling",
    HEATING = "heating",
    SIMD = "simd",
}

/// Suffix of an algorithm that all CPUs run at once.
const PARALLEL: &str = "-parallel";

impl Variant {
    /// Private variant of one file.
    pub const fn own(text: &'static str) -> Self {
        Self(Cow::Borrowed(text))
    }

    /// Variant of an algorithm that all CPUs run at once: `aes-256-cbc-parallel`.
    pub fn parallel(algorithm: &str) -> Self {
        format!("{algorithm}{PARALLEL}").into()
    }

    /// Text of the variant.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if it is the only variant of the workload.
    pub fn is_only(&self) -> bool {
        self.0.is_empty()
    }

    /// True for `single` and all variants with that prefix.
    pub fn is_single_of_any_kind(&self) -> bool {
        self.0.starts_with("single")
    }

    /// True for `multi` and all variants with that prefix.
    pub fn is_multi_of_any_kind(&self) -> bool {
        self.0.starts_with("multi")
    }

    /// True if all CPUs ran one algorithm at once.
    pub fn is_parallel(&self) -> bool {
        self.0.ends_with(PARALLEL)
    }

    /// Algorithm of a cipher, on any number of CPUs: `aes-256-cbc`.
    pub fn algorithm(&self) -> &str {
        self.0.strip_suffix(PARALLEL).unwrap_or(&self.0)
    }

    /// True for AES, on any number of CPUs.
    pub fn is_aes(&self) -> bool {
        self.0.starts_with("aes-")
    }

    /// True for AES with 256 bits, on any number of CPUs.
    pub fn is_aes_256(&self) -> bool {
        self.0.starts_with("aes-256-")
    }

    /// True for a cipher in CBC mode on one CPU.
    pub fn is_cbc(&self) -> bool {
        self.0.ends_with("-cbc")
    }

    /// True for results of tinymembench, with pages of any size.
    pub fn is_tinymembench(&self) -> bool {
        self.0.starts_with("tinymembench")
    }

    /// First word of the name: `matrix` of `matrix/prod`.
    pub fn first_word(&self) -> &str {
        self.0.split([' ', '-', '/']).next().unwrap_or_default()
    }

    pub(crate) fn text(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.0)
    }
}

spelled!(Variant);

impl From<&str> for Variant {
    fn from(text: &str) -> Self {
        Self(Cow::Owned(text.to_owned()))
    }
}

impl From<String> for Variant {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

impl FromStr for Variant {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::from(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::words::check_text_survives;
    use proptest::prelude::*;

    #[test]
    fn variants_answer_what_code_asks() {
        assert!(Variant::ONLY.is_only() && !Variant::COLD.is_only());
        assert_eq!(Variant::from("single"), Variant::SINGLE);
        assert!(Variant::from("multi-4-threads").is_multi_of_any_kind());
        let parallel = Variant::parallel("aes-256-cbc");
        assert_eq!(parallel.as_str(), "aes-256-cbc-parallel");
        assert!(parallel.is_parallel() && parallel.is_aes() && parallel.is_aes_256());
        assert!(!parallel.is_cbc() && Variant::AES_128_CBC.is_cbc());
        assert_eq!(parallel.algorithm(), Variant::AES_256_CBC.algorithm());
        assert!(Variant::TINYMEMBENCH_HUGE.is_tinymembench() && !Variant::RAMLAT.is_tinymembench());
        assert_eq!(Variant::from("matrix/prod").first_word(), "matrix");
        assert_eq!(Variant::ONLY.first_word(), "");
    }

    proptest! {
        #[test]
        fn any_text_survives(text in ".*") {
            check_text_survives::<Variant>(&text);
        }
    }
}
