//! Main values of one moment, for programs that read rows.

use super::Watch;
use super::tracks::{Kind, Track, tracks};
use serde::Serialize;
use std::collections::BTreeMap;

/// Main values of one moment; unknown ones are omitted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LatestValues {
    /// Use of all CPUs since the previous row, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_percent: Option<f64>,
    /// Clocks in MHz by CPUs of a policy, or by channel.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub clock_mhz: BTreeMap<String, f64>,
    /// Temperature of the SoC in degrees Celsius.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temp_c: Option<f64>,
    /// Power in watts, by meter.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub power_w: BTreeMap<String, f64>,
    /// Reasons of throttling; absent if no source on this machine could show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled: Option<Vec<&'static str>>,
}

impl LatestValues {
    /// Values of the last row; `temperature` is the index of the SoC's temperature channel.
    pub fn of(watch: &Watch, temperature: Option<usize>) -> Self {
        let tracks = tracks(watch, temperature);
        let of = |kind: Kind| tracks.iter().filter(move |track| track.kind == kind);
        let value = |track: &Track| track.value(watch).map(|value| (value * 100.0).round() / 100.0);
        let named = |kind: Kind| {
            let name = |track: &Track| track.label.strip_prefix("clock ").unwrap_or(&track.label).to_owned();
            of(kind).filter_map(|track| Some((name(track), value(track)?))).collect()
        };
        let is_shown = !watch.observable().is_empty();
        Self {
            cpu_percent: of(Kind::Busy).next().and_then(value),
            clock_mhz: named(Kind::Clock),
            temp_c: of(Kind::Temperature).find(|track| track.is_of(temperature)).and_then(value),
            power_w: named(Kind::Power),
            throttled: is_shown.then(|| watch.throttled().iter().map(|throttled| throttled.reason.id()).collect()),
        }
    }
}
