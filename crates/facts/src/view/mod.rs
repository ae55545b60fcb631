//! Views: plain questions asked of a Record, answered the same way for own runs and for old logs.
//!
//! A view derives and decides nothing: it knows that CPU use comes from tick counters in own runs
//! and from printed percentages in logs, so that rules and reports need not. A question that the
//! Record cannot answer gives nothing, never zero.

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
mod falls;
mod firmware;
mod governors;
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
mod programs;
mod residency;
mod samples;
mod score;
mod score_steps;
mod scores;
mod swap;
mod switched_off;
mod topology;
mod waited;
mod witness;

pub use base::is_x86;
pub use busy_processes::{busy_processes, process_words};
pub use clock_gauge::clock_gauge;
pub use clocks::{
    CLOCK_KHZ_MAX, ClusterClock, all_cluster_clocks, clock_passes, cluster_clocks, is_top_point, measured_khz,
    point_clock,
};
pub use core_clusters::{CoreLevel, between_ns, core_levels, pair_ns};
pub use core_types::core_types;
pub use core_use::{core_use, core_use_by_second};
pub use counted::counted_khz;
pub use cpu_use::{CpuUse, busy_percent_at, cpu_count, cpu_use, own_cost_percent};
pub use death::{Death, LastSeen, death, deaths};
pub use declines::{Decline, claims_are_whole, declines, unmoved_claim};
pub use falls::{ClockFall, clock_falls, phase_clock_loss_percent};
pub use firmware::{
    FirmwareBits, FirmwareClock, firmware_bits, firmware_clock_channel, firmware_clocks, has_soft_limit,
    under_voltage_rows,
};
pub use governors::{governor_during_run, governors_during_run, is_other_governor};
pub use halves::{Differs, Halves, differs, halves};
pub use heat::{
    Cooling, Heat, heat, limits_lowered, limits_lowered_by_programs, raised_cooling, sensor_of_a_part, soc_temperature,
    stuck_millicelsius, temperatures,
};
pub use idle::{Idle, idle};
pub use limits::{limit_set_at, limit_taken};
pub use load_clocks::{LoadClock, load_clocks};
pub use lost_cpus::{LostCpus, cpus_away, is_short_of_cpus, kill_messages, killed_cpu, lost_cpus};
pub use memory::{Knee, data_caches, is_end_of, latency_curve, latency_knees};
pub use messages::{matching_messages, message_place};
pub use online::OnlineCpus;
pub use opp_clock::{OppClock, opp_clock};
pub use opp_ladder::{OppShape, opp_shape};
pub use others::{cpu_ns, cpus_of_others, waited_ns};
pub use phases::{Phase, busy_cpus_expected, phases, step_name};
pub use power::{PowerSource, mean_power_mw, power_mw, power_source};
pub use power_doubt::{ANY_MW_MIN, Doubt, power_doubt};
pub use programs::{ProgramScore, programs, remarks};
pub use residency::{BelowTop, residency_below_top};
pub use samples::{
    Reading, channels, counter_steps, counter_total, gauge, is_log, is_without_head, log_version, spans_a_death,
    states_of_last_part, whole_run,
};
pub use score::{StepScore, step_score};
pub use score_steps::{ScoreKey, ScoreSteps, scores};
pub use scores::{SeriesTrend, compressions, fall_percent, multi_totals, series_trends, spread_percent};
pub use swap::{SwapGrowth, swap_devices, swap_growth, swap_traffic_pages};
pub use switched_off::{SwitchedOff, switched_off};
pub use topology::topology;
pub use waited::{Waited, waited_for_memory};
pub use witness::{ClockDoubt, DoubtedColumn, doubted_columns};
