//! Facts of one Record: every view of it, computed at most once, on first use.
//!
//! A run makes one Record; a Record becomes `Facts` once. Rules, answers, comparisons and reports take `&Facts`.

use crate::figures::equivalent::in_known_methods;
use crate::foreign::in_lines;
use crate::names::short;
use crate::thermal::{self, ThermalResult};
use crate::view::{
    self, ClockFall, ClusterClock, Cooling, CpuUse, CpuWait, Death, Decline, DoubtedColumn, Energy, FirmwareBits,
    FirmwareClock, Halves, Heat, Idle, LoadClock, LostCpus, Phase, PowerSource, ProgramScore, Reading, ScoreEnergy,
    ScoreSteps, SeriesTrend, SwapGrowth, SwitchedOffCpu, TimeBelowTop,
};
use crate::{Explanation, Figure, Finding, figures, soc};
use record::{Channel, Fact, Record, RuleId, Variant, Window, WorkBound};
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Declares views: a cell of each in `Views`, and a method of `Facts` that fills it on first use.
macro_rules! views {
    ($($(#[$doc:meta])* $name:ident: $value:ty = $compute:expr;)*) => {
        #[derive(Default)]
        struct Views {
            $($name: OnceCell<$value>,)*
        }

        impl Facts<'_> {
            $($(#[$doc])*
            pub fn $name(&self) -> &$value {
                let compute: fn(&Self) -> $value = $compute;
                self.views.$name.get_or_init(|| {
                    #[cfg(feature = "count-views")]
                    crate::count::add(self, stringify!($name).to_owned());
                    compute(self)
                })
            })*
        }
    };
}

/// Declares views with one argument: a table of each in `ViewsOf`, and a method of `Facts` that computes a value once
/// for each argument.
macro_rules! views_of {
    ($($(#[$doc:meta])* $name:ident($argument:ty): $value:ty = $compute:expr;)*) => {
        #[derive(Default)]
        struct ViewsOf {
            $($name: RefCell<Vec<($argument, $value)>>,)*
        }

        impl Facts<'_> {
            $($(#[$doc])*
            pub fn $name(&self, argument: &$argument) -> $value {
                let known = self.views_of.$name.borrow().iter().find(|(key, _)| key == argument).cloned();
                known.map_or_else(
                    || {
                        #[cfg(feature = "count-views")]
                        crate::count::add(self, format!("{} of {argument:?}", stringify!($name)));
                        let compute: fn(&Self, &$argument) -> $value = $compute;
                        let value = compute(self, argument);
                        self.views_of.$name.borrow_mut().push((argument.clone(), value.clone()));
                        value
                    },
                    |(_, value)| value,
                )
            })*
        }
    };
}

/// A Record with its views. It dereferences to the Record.
pub struct Facts<'a> {
    record: Cow<'a, Record>,
    views: Views,
    views_of: ViewsOf,
    found: RefCell<BTreeMap<RuleId, Arc<[Finding]>>>,
    in_lines: OnceCell<Option<Box<Facts<'static>>>>,
    for_people: OnceCell<Option<Box<Facts<'static>>>>,
}

/// Facts of a Record with their assessment: a Record is explained once, and every report takes this.
#[derive(Debug)]
pub struct Explained<'a> {
    /// Facts.
    pub facts: Facts<'a>,
    /// Verdict, causes and findings.
    pub assessment: Explanation,
}

impl<'a> Facts<'a> {
    /// Facts of this Record; views are computed on first use.
    pub fn of(record: &'a Record) -> Self {
        Self::new(Cow::Borrowed(record))
    }

    fn new(record: Cow<'a, Record>) -> Self {
        let (views, views_of) = (Views::default(), ViewsOf::default());
        let (in_lines, for_people) = (OnceCell::new(), OnceCell::new());
        Self { record, views, views_of, found: RefCell::default(), in_lines, for_people }
    }

    /// Facts of the same Record with every string on one line, for text.
    pub fn in_lines(&self) -> &Self {
        self.in_lines.get_or_init(|| changed(in_lines(self))).as_deref().unwrap_or(self)
    }

    /// Facts of the same Record with short names on one line, for people.
    pub fn for_people(&self) -> &Self {
        let facts = self.in_lines();
        self.for_people.get_or_init(|| changed(short(facts))).as_deref().unwrap_or(facts)
    }

    /// Findings of a rule; `check` is called once.
    pub fn found(&self, rule: RuleId, check: impl FnOnce() -> Vec<Finding>) -> Arc<[Finding]> {
        let known = self.found.borrow().get(&rule).cloned();
        known.unwrap_or_else(|| {
            let found: Arc<[Finding]> = check().into();
            self.found.borrow_mut().insert(rule, Arc::clone(&found));
            found
        })
    }

    /// Phases of workloads limited by one of these resources: waiting for a drive is intended in a workload that
    /// measures it.
    pub fn phases_bound_by(&self, bounds: &[WorkBound]) -> Vec<Phase> {
        self.phases().iter().filter(|phase| bounds.contains(&phase.bound)).cloned().collect()
    }

    /// True if the kernel reports disabled boost clocks.
    pub fn is_boost_off(&self) -> bool {
        const OFF: [(&str, &str); 2] = [("boost", "0"), ("intel_no_turbo", "1")];
        let features = &self.machine.features;
        features.iter().any(|feature| OFF.contains(&(feature.name.as_str(), feature.value.as_str())))
    }

    /// Channel of the temperature of the SoC, if it has a plausible value.
    pub fn soc_temperature(&self) -> Option<&Channel> {
        self.soc_channel().map(|index| &self.samples.channels[index])
    }

    /// Temperature of the SoC at its hottest moment of the whole run; `None` without a temperature.
    pub fn heat_of_run(&self) -> Option<Heat> {
        self.heat(&view::whole_run())
    }
}

fn changed(record: Cow<'_, Record>) -> Option<Box<Facts<'static>>> {
    match record {
        Cow::Borrowed(_) => None,
        Cow::Owned(record) => Some(Box::new(Facts::new(Cow::Owned(record)))),
    }
}

impl<'a> From<&'a Record> for Facts<'a> {
    fn from(record: &'a Record) -> Self {
        Self::of(record)
    }
}

impl From<Record> for Facts<'_> {
    fn from(record: Record) -> Self {
        Self::new(Cow::Owned(record))
    }
}

impl Deref for Facts<'_> {
    type Target = Record;

    fn deref(&self) -> &Record {
        &self.record
    }
}

impl fmt::Debug for Facts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facts").field("record", &self.record).finish_non_exhaustive()
    }
}

views! {
    /// Intervals with one workload.
    phases: Vec<Phase> = |facts| view::phases(facts);
    /// Comparable numbers of the Record.
    figures: Vec<Figure> = |facts| figures::figures(facts);
    /// Figures converted to the methods of the reference data where possible.
    known_figures: Vec<Figure> = |facts| in_known_methods(facts, facts.figures());
    /// Energy of each score, in the order of the run.
    score_energies: Vec<ScoreEnergy> = |facts| view::score_energies(facts);
    /// Scores, and the steps that measured each.
    scores: Vec<ScoreSteps> = |facts| view::scores(facts);
    /// Columns of reported clocks that are wrong.
    doubted_columns: Vec<DoubtedColumn> = |facts| view::doubted_columns(facts);
    /// Falls of reported clocks under full load.
    clock_falls: Vec<ClockFall> = |facts| view::clock_falls(facts, facts.phases(), facts.doubted_columns());
    /// Reliable clocks, read all over the run.
    load_clocks: Vec<LoadClock> = |facts| view::load_clocks(facts, facts.phases(), facts.doubted_columns());
    /// Name of the SoC.
    soc: Fact<String> = |facts| soc::name(&facts.machine);
    /// Scores that fell while they were measured.
    declines: Vec<Decline> = |facts| view::declines(facts);
    /// Compression and decompression of each run on all CPUs.
    halves: Vec<Halves> = |facts| view::halves(facts);
    /// Cooling devices that lowered limits of policies.
    limits_lowered: Vec<Cooling> = |facts| view::limits_lowered(facts);
    /// Limits of policies that other programs lowered.
    limits_lowered_by_programs: Vec<Cooling> = |facts| view::limits_lowered_by_programs(facts);
    /// Cooling devices that acted.
    raised_cooling: Vec<Cooling> = |facts| view::raised_cooling(facts);
    /// Policies that spent time below their highest OPP under load.
    residency_below_top: Vec<TimeBelowTop> = |facts| view::residency_below_top(facts);
    /// Workloads that waited for memory; `None` if none did.
    waited_for_memory: Option<CpuWait> = |facts| view::waited_for_memory(facts);
    /// Totals of 7-zip on all CPUs, each with its step.
    multi_totals: Vec<(usize, f64)> = |facts| view::multi_totals(facts);
    /// Result of a thermal test.
    thermal: Option<ThermalResult> = |facts| thermal::result(facts);
    /// Index of the channel of [`Facts::soc_temperature`].
    soc_channel: Option<usize> = |facts| view::soc_channel(facts);
    /// All sources of power, best first.
    power_sources: Vec<PowerSource> = |facts| view::power_sources(facts);
    /// Energy of the steps, or the reason why it is unknown.
    energy: Result<Energy, String> = |facts| view::energy(facts);
    /// Best source of power.
    power_source: Option<PowerSource> = |facts| view::power_source(facts);
    /// First temperature of the SoC.
    idle: Option<Idle> = |facts| view::idle(facts);
    /// Readings of the SoC's temperature that can be true.
    soc_temperatures: Vec<Reading> = |facts| view::soc_temperatures(facts);
    /// Deaths of the run, in order.
    deaths: Vec<Death> = |facts| view::deaths(facts);
    /// Stretches during which CPUs were lost.
    lost_cpus: Vec<LostCpus> = |facts| view::lost_cpus(facts);
    /// Intervals during which the run itself had switched CPUs off.
    switched_off: Vec<SwitchedOffCpu> = |facts| view::switched_off(facts);
    /// Growth of swap.
    swap_growth: Option<SwapGrowth> = |facts| view::swap_growth(facts);
    /// Clocks reported by the firmware, with those of the kernel.
    firmware_clocks: Option<FirmwareClock> = |facts| view::firmware_clocks(facts);
    /// Trends within series of repetitions.
    series_trends: Vec<SeriesTrend> = |facts| view::series_trends(facts);
    /// Scores of other programs.
    programs: Vec<ProgramScore> = |facts| view::programs(facts);
    /// Remarks of other programs.
    remarks: Vec<String> = |facts| view::remarks(facts);
    /// Governors during the run.
    governors_during_run: Vec<String> = |facts| view::governors_during_run(facts);
    /// Use of the CPUs in percent, for every row of the samples.
    busy_percent_at: Vec<Option<f64>> = |facts| view::busy_percent_at(facts);
    /// Same, with the time that was waited for storage or withheld by a quota.
    loaded_percent_at: Vec<Option<f64>> = |facts| view::loaded_percent_at(facts);
    /// Rows of a log that are averages since boot.
    first_rows: Vec<bool> = |facts| view::first_rows(facts);
    /// Rows in which the firmware reported low voltage.
    under_voltage_rows: BTreeSet<usize> = |facts| view::under_voltage_rows(facts);
}

views_of! {
    /// State of one bit, 0 to 3, of the Raspberry Pi firmware.
    firmware_bits(u32): FirmwareBits = |facts, bit| view::firmware_bits(facts, *bit);
    /// Hottest moment of the SoC within a window.
    heat(Window): Option<Heat> = |facts, window| view::heat(facts, *window);
    /// Use of the CPUs within a window.
    cpu_use(Window): Vec<CpuUse> = |facts, window| view::cpu_use(facts, *window);
    /// Power in milliwatts within a window, each with its time.
    power_mw(Window): Vec<(i64, f64)> = |facts, window| view::power_mw(facts, *window);
    /// Steady clocks of clusters in passes of a variant.
    cluster_clocks(Variant): Vec<ClusterClock> = |facts, variant| view::cluster_clocks(facts, variant);
    /// Clocks of clusters in passes of a variant.
    all_cluster_clocks(Variant): Vec<ClusterClock> = |facts, variant| view::all_cluster_clocks(facts, variant);
}
