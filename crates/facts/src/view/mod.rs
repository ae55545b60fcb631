//! Views: values derived from a Record in the same way for own runs and old logs.
//!
//! A view decides nothing. It hides that CPU use, for example, comes from tick counters in own runs and from printed
//! percentages in logs. A value that the Record does not provide is `None` or empty, never zero.

mod base;
mod busy_processes;
mod clock_gauge;
mod clocks;
mod core_clusters;
mod core_types;
mod core_use;
mod counted;
mod cpu_use;
mod death;
mod declines;
mod energy;
mod falls;
mod firmware;
mod flops;
mod governors;
mod guest;
mod halves;
mod heat;
mod idle;
mod limits;
mod load_clocks;
mod lost_cpus;
mod memory;
mod messages;
mod online;
mod opp_clock;
mod opp_ladder;
mod others;
mod phases;
mod power;
mod power_doubt;
mod power_series;
mod programs;
mod samples;
mod score;
mod score_steps;
mod scores;
mod sensor_block;
mod step_energy;
mod step_time;
mod swap;
mod switched_off;
mod time_below_top;
mod topology;
mod unread_power;
mod waits;
mod witness;

pub use base::is_x86;
pub use busy_processes::{busy_processes, process_words, with_processes};
pub use clock_gauge::clock_gauge;
pub use clocks::{
    CLOCK_KHZ_MAX, ClusterClock, clock_passes, is_disturbed, is_second_pass_unreliable, is_top_point, later_clock,
    measured_khz, point_clock,
};
pub use core_clusters::{CoreLevel, between_ns, core_levels, pair_ns};
pub use core_types::core_types;
pub use core_use::{core_use, core_use_by_second};
pub use counted::counted_khz;
pub use cpu_use::{CpuUse, cpu_count, mean_busy_percent, mean_steal_percent, own_cost_percent};
pub use death::{Death, LastSample, death};
pub use declines::{Decline, claims_are_whole, unmoved_claim};
pub(crate) use energy::score_energies;
pub use energy::{Energy, LineFailure, ScoreEnergy, SilentMeter, SourceAgreement, source_of_board};
pub use falls::{ClockFall, narrow_falls, phase_clock_loss_percent};
pub(crate) use firmware::firmware_bits;
pub use firmware::{FirmwareBits, FirmwareClock, SoftLimit, firmware_bits_line, firmware_clock_channel, soft_limit};
pub use governors::{governor_during_run, is_other_governor};
pub use guest::{
    CONTAINERS, LogSteal, is_guest, is_shared, others_with_the_rest, others_words, parse_iostat, steal_of_log,
};
pub use halves::{Difference, Fall, Halves, differs, fall, usual_decompressing_percent};
pub use heat::{Cooling, Heat, sensor_of_a_part, stuck_millicelsius, temperatures};
pub use idle::Idle;
pub use limits::{limit_set_at, limit_taken};
pub use load_clocks::LoadClock;
pub use lost_cpus::{LostCpus, cpus_away, is_short_of_cpus, kill_messages, killed_cpu, offline_by_states};
pub use memory::{CacheBoundary, cache_boundaries, data_caches, is_end_of, latency_curve};
pub use messages::{matching_messages, message_place};
pub use online::OnlineCpus;
pub use opp_clock::{OppClock, opp_clock};
pub use opp_ladder::{OppShape, opp_shape};
pub use others::{cpu_ns, cpus_of_others, waited_ns};
pub use phases::{Phase, busy_cpus_expected, step_name, step_words};
pub use power::{PowerSource, mean_power_mw};
pub use power_doubt::{ANY_MW_MIN, Doubt, power_doubt};

pub use programs::ProgramScore;
pub use samples::{
    Reading, channels, counter_steps, counter_total, gauge, is_log, is_without_head, log_version, spans_a_death,
    states_of_last_part, whole_run,
};
pub use score::{StepScore, step_score};
pub use score_steps::{ScoreKey, ScoreSteps};
pub use scores::{SeriesTrend, compressions, fall_percent, spread_percent};
pub use sensor_block::{SensorBlocks, parse_sensors, sensor_blocks};
pub use step_energy::StepEnergy;
pub use step_time::{StepTime, TimePart, step_time};
pub use swap::{SwapGrowth, swap_devices, swap_traffic_pages};
pub use switched_off::SwitchedOffCpu;
pub use time_below_top::TimeBelowTop;
pub use topology::topology;
pub use waits::CpuWait;
pub use witness::{ClockDoubt, DoubtedColumn};

pub(crate) use base::first_rows;
pub(crate) use clocks::{all_cluster_clocks, cluster_clocks};
pub(crate) use cpu_use::{busy_percent_at, cpu_use, loaded_percent_at};
pub(crate) use death::deaths;
pub(crate) use declines::declines;
pub(crate) use energy::energy;
pub(crate) use falls::clock_falls;
pub(crate) use firmware::{firmware_clocks, under_voltage_rows};
pub(crate) use governors::governors_during_run;
pub(crate) use halves::halves;
pub(crate) use heat::{
    heat, limits_lowered, limits_lowered_by_programs, raised_cooling, soc_channel, soc_temperatures,
};
pub(crate) use idle::idle;
pub(crate) use load_clocks::load_clocks;
pub(crate) use lost_cpus::lost_cpus;
pub(crate) use phases::phases;
pub(crate) use power::{power_mw, power_source, power_sources};
pub(crate) use programs::{programs, remarks};
pub(crate) use score_steps::scores;
pub(crate) use scores::{multi_totals, series_trends};
pub(crate) use swap::swap_growth;
pub(crate) use switched_off::switched_off;
pub(crate) use time_below_top::residency_below_top;
pub(crate) use waits::waited_for_memory;
pub(crate) use witness::doubted_columns;
