//! Results of one board or SoC by their clock: some boards are overclocked, others limited by firmware or power, and a median
//! over several clocks belongs to none of them.

use record::StableSort;

/// Maximum ratio of neighbouring clocks of one setting.
const CLOCK_RATIO_MAX: f64 = 1.04;

/// Results at one clock.
#[derive(Debug, Clone, PartialEq)]
pub struct ClockGroup<T> {
    /// Highest clock in MHz; `None` if unknown.
    pub mhz: Option<f64>,
    /// True for the usual clock, and for the only one.
    pub is_usual: bool,
    /// Results.
    pub results: Vec<T>,
}

impl<T> ClockGroup<T> {
    /// Name of a board at this clock: `ROCK 5B at 1800 MHz`, without the clock if it is the usual one.
    pub fn name_of(&self, board: &str) -> String {
        match self.mhz.filter(|_| !self.is_usual) {
            Some(mhz) => format!("{board} at {:.0} MHz", (mhz / 10.0).round() * 10.0),
            None => board.to_owned(),
        }
    }

    /// Ratio of this clock to another one, at least 1; infinite if this one is unknown.
    pub(super) fn distance(&self, mhz: f64) -> f64 {
        self.mhz.map_or(f64::INFINITY, |own| (own / mhz).max(mhz / own))
    }
}

/// Groups results with their clocks in MHz, the lowest clock first. `usual_mhz` is the clock that the maker states; without
/// it no clock is the usual one, unless all results have one clock. Results of unknown clock are taken for usual ones.
pub fn by_clock<T>(usual_mhz: Option<f64>, results: impl IntoIterator<Item = (Option<f64>, T)>) -> Vec<ClockGroup<T>> {
    let mut unclocked = Vec::new();
    let mut clocked: Vec<(f64, T)> = Vec::new();
    for (mhz, result) in results {
        match mhz {
            Some(mhz) => clocked.push((mhz, result)),
            None => unclocked.push(result),
        }
    }
    clocked.stable_sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_usual = |mhz: f64| usual_mhz.is_some_and(|usual| (mhz / usual).max(usual / mhz) <= CLOCK_RATIO_MAX);
    let mut groups: Vec<ClockGroup<T>> = Vec::new();
    for (mhz, result) in clocked {
        let is_usual = is_usual(mhz);
        match groups.last_mut() {
            Some(ClockGroup { mhz: Some(last), is_usual: usual, results })
                if *usual == is_usual && (is_usual || mhz <= *last * CLOCK_RATIO_MAX) =>
            {
                *last = mhz;
                results.push(result);
            }
            _ => groups.push(ClockGroup { mhz: Some(mhz), is_usual, results: vec![result] }),
        }
    }
    if let ([only], None) = (groups.as_mut_slice(), usual_mhz) {
        only.is_usual = true;
    }
    match groups.iter_mut().find(|group| group.is_usual) {
        Some(usual) => usual.results.append(&mut unclocked),
        None if unclocked.is_empty() => {}
        None => groups.push(ClockGroup { mhz: usual_mhz, is_usual: usual_mhz.is_some(), results: unclocked }),
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_clock_does_not_depend_on_the_number_of_results() {
        let pi = Some(2400.0);
        for (usual, clocks, expected) in [
            (pi, &[Some(3000.0), Some(2999.0), Some(2398.0), None][..], &["X: [2, 3]", "X at 3000 MHz: [1, 0]"][..]),
            (pi, &[Some(2999.0), Some(3000.0)], &["X at 3000 MHz: [0, 1]"]),
            (pi, &[Some(2330.0), Some(2348.0)], &["X: [0, 1]"]),
            (pi, &[Some(3000.0), None], &["X at 3000 MHz: [0]", "X: [1]"]),
            (None, &[Some(2070.0), Some(2000.0), None], &["X: [1, 0, 2]"]),
            (None, &[Some(2070.0), Some(1800.0), None], &["X at 1800 MHz: [1]", "X at 2070 MHz: [0]", "X: [2]"]),
            (None, &[None], &["X: [0]"]),
        ] {
            let groups = by_clock(usual, clocks.iter().enumerate().map(|(index, mhz)| (*mhz, index)));
            let told = groups.iter().map(|group| format!("{}: {:?}", group.name_of("X"), group.results));
            assert_eq!(told.collect::<Vec<_>>(), expected);
        }
    }
}
