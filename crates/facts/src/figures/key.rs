//! Key of a figure: workload, method, form and name.

use record::{Variant, WorkloadId, WorkloadName};
use serde::{Serialize, Serializer};
use std::cmp::Ordering;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// Another library under the command of OpenSSL.
pub(super) const LIBRESSL: &str = "libressl";
/// Power and energy. The last word of a key is the place of the measurement.
pub(super) const POWER: &str = "power";
/// Rises whenever the way to compute energy changes.
pub(super) const POWER_METHOD: u32 = 1;

/// `sevenzip@16 multi compressing`: workload, method, form and name of a figure. Compared and ordered by its text.
#[derive(Clone)]
pub struct FigureKey {
    text: Box<str>,
    workload: WorkloadName,
    method: u32,
}

impl FigureKey {
    /// Key of a figure of a workload; `rest` holds its form and name, if any.
    pub fn new(workload: WorkloadName, method: u32, rest: &str) -> Self {
        let blank = if rest.is_empty() { "" } else { " " };
        Self { text: format!("{workload}@{method}{blank}{rest}").into(), workload, method }
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Workload.
    pub fn workload(&self) -> &WorkloadName {
        &self.workload
    }

    /// The method: rises whenever scores stop being comparable.
    pub fn method(&self) -> u32 {
        self.method
    }

    /// `sevenzip@16`: what figures are compared by.
    pub fn workload_at_method(&self) -> &str {
        self.text.split(' ').next().unwrap_or_default()
    }

    /// True for a figure of this workload.
    pub fn is_of(&self, workload: WorkloadId) -> bool {
        self.workload == workload
    }

    /// True for a figure of this form of its workload.
    pub fn is_form(&self, variant: &Variant) -> bool {
        self.text.split(' ').nth(1) == Some(variant.as_str())
    }

    /// Last word after the method; empty without one.
    pub fn name(&self) -> &str {
        self.text.rsplit_once(' ').map_or("", |(_, name)| name)
    }

    /// True for a figure of power, whose last word is the place of the measurement.
    pub fn is_power(&self) -> bool {
        self.workload.as_str() == POWER
    }

    /// True if LibreSSL ran and not OpenSSL.
    pub fn is_libressl(&self) -> bool {
        self.workload.as_str() == LIBRESSL
    }
}

/// Any text is a key, so that tables of newer programs can be read. Without a number behind `@` the method is 0.
impl FromStr for FigureKey {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let first = text.split(' ').next().unwrap_or_default();
        let (workload, method) = first.split_once('@').unwrap_or((first, ""));
        Ok(Self { text: text.into(), workload: workload.into(), method: method.parse().unwrap_or(0) })
    }
}

impl fmt::Display for FigureKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for FigureKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl Serialize for FigureKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl PartialEq for FigureKey {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for FigureKey {}

impl PartialOrd for FigureKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for FigureKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_are_written() {
        let check = |text: &str, workload: WorkloadName, method: u32, name: &str| {
            let Ok(key) = text.parse::<FigureKey>();
            assert_eq!((key.to_string(), key.as_str()), (text.to_owned(), text));
            assert_eq!(key.workload(), &workload, "{text}");
            assert_eq!((key.method(), key.name()), (method, name), "{text}");
        };
        check("sevenzip@16 multi compressing", WorkloadId::SevenZip.into(), 16, "compressing");
        check("clock@0 x", WorkloadId::Clock.into(), 0, "x");
        check("lzma@1", WorkloadId::Lzma.into(), 1, "");
        check("newer@x y", "newer".into(), 0, "y");
        check("", "".into(), 0, "");
        let made = FigureKey::new(WorkloadId::SevenZip.into(), 16, "multi compressing");
        assert_eq!("sevenzip@16 multi compressing".parse(), Ok(made.clone()));
        assert_eq!(made.workload_at_method(), "sevenzip@16");
        assert!(made.is_of(WorkloadId::SevenZip) && made.is_form(&Variant::MULTI));
        let bare = FigureKey::new(WorkloadId::Lzma.into(), 1, "");
        assert_eq!((bare.as_str(), bare.is_form(&Variant::ONLY)), ("lzma@1", false));
    }
}
