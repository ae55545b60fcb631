//! Samples of a run as a monitor sees them: its screen and its bar read the same rows.

use crate::monitor::soc_temperature;
use explain::monitor::{LatestValues, Watch};
use record::{ChannelId, LoadSpan, Record};

/// Rows of the Record so far.
#[derive(Default)]
pub(crate) struct RunWatch {
    watch: Option<Watch>,
    rows: usize,
}

/// Change of the rows.
pub(crate) enum Change<'a> {
    /// A stream with other channels begins.
    Begin(&'a Watch),
    /// A row was added.
    Row(&'a Watch),
}

impl RunWatch {
    /// Passes the new rows of an unfinished Record to its readers.
    pub(crate) fn update(&mut self, record: &Record, mut changed: impl FnMut(Change<'_>)) {
        let channels = &record.samples.channels;
        // Another sampler has other channels.
        let watch = self.watch.take().filter(|watch| watch.channels().len() == channels.len());
        let mut watch = watch.unwrap_or_else(|| {
            self.rows = 0;
            let watch = Watch::new(record.clone());
            changed(Change::Begin(&watch));
            watch
        });
        for (row, at_ms) in record.samples.at_ms.iter().enumerate().skip(self.rows) {
            watch.row(*at_ms, channels.iter().map(|channel| channel.values.get(row).copied().flatten()));
            changed(Change::Row(&watch));
            watch.discard_events();
        }
        self.rows = record.samples.at_ms.len();
        self.watch = Some(watch);
    }

    /// `2400/1800 MHz, 61.3 °C, load 4.1`, without values that are unknown.
    pub(crate) fn words(&self) -> String {
        let Some(watch) = self.watch.as_ref().filter(|_| self.rows > 0) else { return String::new() };
        let values = LatestValues::of(watch, soc_temperature(watch));
        let mut clocks: Vec<u64> = values.clock_mhz.values().map(|mhz| mhz.round() as u64).collect();
        clocks.sort_unstable_by(|a, b| b.cmp(a));
        clocks.dedup();
        // More clocks leave no room for the name of the step.
        clocks.truncate(2);
        let clocks: Vec<String> = clocks.iter().map(u64::to_string).collect();
        let load = watch.channels().iter().position(|channel| channel.id == ChannelId::Load(LoadSpan::One));
        let load = load.and_then(|place| watch.value(place));
        let mut words: Vec<String> = Vec::new();
        if !clocks.is_empty() {
            words.push(format!("{} MHz", clocks.join("/")));
        }
        words.extend(values.temp_c.map(|celsius| format!("{celsius:.1} °C")));
        words.extend(load.map(|hundredths| format!("load {:.1}", hundredths as f64 / 100.0)));
        words.join(", ")
    }
}
