//! Short forms of findings: phrases for the paragraph of a cause ("the drop of the multi-core score by 13 % from the
//! first to the last run"), and sentences that do not repeat numbers of the same report.

use crate::tables::Rule;
use crate::*;

/// A rule, and words with names of values.
pub type Form = (&'static Rule, &'static str);

/// Phrases for the paragraph of a cause, most detailed first. Empty if the report shows the same elsewhere.
pub const CLAUSES: &[Form] = &[
    (&background_activity::RULE, "threads that left the CPUs idle for {idle} of the time"),
    (&background_activity::RULE, "other tasks at work ({mean} of one CPU during {phase})"),
    (&background_activity::RULE, "other tasks at work ({share} of the CPU time)"),
    (&background_activity::RULE, "other tasks at work"),
    (&clock_above_claim::RULE, "a measured clock of {cpus} above the advertised one (+{deviation})"),
    (&clock_below_claim::RULE, "an unstable clock of {cpus} ({measured}, later {later})"),
    (&clock_below_claim::RULE, "a measured clock of {cpus} below the advertised one ({deviation})"),
    (&clock_below_claim::RULE, "a measured clock of {cpus} below the advertised one"),
    (&clock_column_untrue::RULE, "reported clocks that are wrong ({whose})"),
    (&clock_column_untrue::RULE, "a reported clock that stayed the same while scores fell"),
    (&clock_disturbed::RULE, "disturbed clock readings"),
    (&clock_lower_all_cpus::RULE, "a clock of {together} with all CPUs busy ({cpus})"),
    (&clock_lower_all_cpus::RULE, "a lower clock with all CPUs busy ({cpus})"),
    (&clock_lower_hot::RULE, "{hot} measured on CPU {cpu} {when} ({change})"),
    (&clock_lower_hot::RULE, "the lower clock of CPU {cpu} {when} ({change})"),
    (&clock_lower_hot::RULE, "the lower clock of CPU {cpu} {when}"),
    (&clock_methods_differ::RULE, "clock readings that differ by method"),
    (&clock_ok::RULE, "measured clocks that match the advertised ones"),
    (&cores_killed::RULE, "CPUs that the kernel took offline ({cpus})"),
    (&cores_killed::RULE, "{lost} of {before} CPUs that went offline"),
    (&fewer_dictionaries::RULE, "scores that do not compare with others ({reason})"),
    (&hot::RULE, ""),
    (&io_wait::RULE, "I/O wait (up to {peak} of CPU time during {phase})"),
    (&io_wait::RULE, ""),
    (&kernel_trouble::RULE, "{times} error messages of the kernel"),
    (&latency_unsteady::RULE, "a memory latency that differs from round to round"),
    (&log_remark::RULE, "the remark \"{remark}\" in the log"),
    (&memory_slow::RULE, "slow memory ({figure} {change} {above} the median of {results} results)"),
    (&memory_slow::RULE, "slow memory ({figure})"),
    (&no_throttling::RULE, "no throttling in {witnesses}"),
    (&no_throttling::RULE, ""),
    (&opp_not_honoured::RULE, "{wrong} of {tried} lower OPPs that do not run at their nominal clock"),
    (&power_limit::RULE, "the drop of the clock to {clock_after} during {phase}"),
    (&power_limit::RULE, "the drop of the clock during {phase}"),
    (&rpi_config::RULE, "{setting}={value} in config.txt"),
    (&rpi_firmware::RULE, "{what} reported by the firmware"),
    (&rpi_firmware_clock::RULE, "the lower clock of the firmware in {samples} of {of} samples (down to {firmware})"),
    (&rpi_firmware_clock::RULE, "the lower clock of the firmware in {samples} of {of} samples"),
    (&score_low::RULE, "a single-threaded score {percent} below the usual one of {core}"),
    (&score_low::RULE, "a single-threaded score below the usual one of {core}"),
    (&scores_decline::RULE, "the drop of the multi-core score by {fall} from the first to the last run"),
    (&scores_decline::RULE, "the drop of the multi-core score from run to run"),
    (&scores_unstable::RULE, "the spread of the multi-core runs ({spread})"),
    (&scores_unstable::RULE, "the spread of the multi-core runs"),
    (&series_declines::RULE, "the drop of the {name} score by {loss}"),
    (&series_declines::RULE, "the drop of the {name} score"),
    (&setting_unmet::RULE, "{path}, which was {found} instead of {wanted}"),
    (&setting_unmet::RULE, "{path}, which could not be set"),
    (&steps_missing::RULE, "the missing score of [run {run} of ]{step} ({reason})"),
    (&steps_missing::RULE, "results of only {done} of {expected} runs"),
    (&steps_missing::RULE, "the missing result of {step}"),
    (&swap_on_slow_storage::RULE, "swap on {storage} ({path})"),
    (&swapping::RULE, "swap use that grew to {after} ({device})"),
    (&swapping::RULE, "swapping ({written} written, {read} read)"),
    (&system_time::RULE, "kernel overhead (up to {peak} of CPU time during {phase})"),
    (&system_time::RULE, ""),
    (&thermal_throttling::RULE, "the drop of the clock to {clock_after} during {phase}"),
    (&thermal_throttling::RULE, "the drop of the clock during {phase}"),
    (&thermal_throttling::RULE, "{below} of {cpus} below {clock_before}"),
    (&thermal_throttling::RULE, "time of {cpus} below their highest clock"),
    (&thermal_throttling::RULE, "a cooling device at work ({device})"),
    (&thermal_throttling::RULE, "a clock limit lowered to {limit}"),
    (&thermal_throttling::RULE, "{events} thermal throttle events"),
    (&virtualised::RULE, "a run inside {kind}"),
    (&zswap_on_zram::RULE, "zswap on top of zram"),
];

/// Replacements for sentences whose content was reported before.
pub const SHORT: &[Form] = &[
    (&clock_above_claim::RULE, "Clock of {cpus}: +{deviation} against the advertised one."),
    (&clock_below_claim::RULE, "Clock of {cpus}: {deviation} against the advertised one: {why}."),
    (&clock_below_claim::RULE, "Clock of {cpus}: {deviation} against the advertised one."),
    (&clock_column_untrue::RULE, "The reported clock of {whose} is not used as evidence either."),
    (&clock_column_untrue::RULE, "The reported clock did not change while the score dropped."),
    (&clock_disturbed::RULE, "The second clock pass of CPU {cpu} ran under leftover load and is not a valid reading."),
    (&clock_lower_hot::RULE, "CPU {cpu} was slower {when} ({change})."),
    (&fewer_dictionaries::RULE, "{step} is not comparable either: {reason}."),
    (&hot::RULE, ""),
    (&io_wait::RULE, "I/O wait during {phase}: up to {peak} of CPU time."),
    (&memory_slow::RULE, "{figure}: {change} {above} the median of results for this SoC."),
    (&no_temperature::RULE, ""),
    (
        &old_verdict_wrong::RULE,
        "The log says \"{verdict}\" because of {below} below the highest OPP; clocks and scores did not drop.",
    ),
    (&old_verdict_wrong::RULE, "The log says \"{verdict}\", but {but}."),
    (&old_verdict_wrong::RULE, "The log says \"{verdict}\", which is wrong."),
    (&opp_not_honoured::RULE, "{wrong} of {tried} lower OPPs do not run at their nominal clock."),
    (&power_limit::RULE, "During {phase}, the clock dropped to {clock_after}: {limit_words}."),
    (&power_limit::RULE, "During {phase}, the clock dropped: {limit_words}."),
    (&power_limit::RULE, "During {phase}, the clock was lower as well: {design}."),
    (&rpi_firmware_clock::RULE, "In {samples} of {of} samples the firmware ran a lower clock than cpufreq reported."),
    (&score_high::RULE, "{core}: {percent} faster in single-threaded 7-zip than usual."),
    (&score_low::RULE, "{core}: {percent} slower in single-threaded 7-zip than usual."),
    (&thermal_throttling::RULE, "During {phase}, the clock dropped to {clock_after} at up to {temperature}."),
    (&thermal_throttling::RULE, "During {phase}, the clock dropped because of heat."),
    (&thermal_throttling::RULE, "{cpus} were below their highest clock for {below}."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relation::Relation;
    use crate::relations::RELATIONS;

    #[test]
    fn every_rule_that_belongs_to_causes_of_others_has_a_phrase() {
        for row in RELATIONS {
            let belongs = |relation: &Relation| {
                matches!(relation, Relation::Evidence(_) | Relation::Follows(_) | Relation::Contradicts(_))
            };
            if row.lines.iter().any(|(relation, _)| belongs(relation)) {
                let has_phrase = CLAUSES.iter().any(|(rule, _)| rule.id == row.rule.id);
                assert!(has_phrase, "{} has no phrase", row.rule.id);
            }
        }
        let sentences = SHORT.iter().map(|(_, words)| (words, true));
        for (words, is_sentence) in CLAUSES.iter().map(|(_, words)| (words, false)).chain(sentences) {
            assert!(words.is_empty() || words.ends_with('.') == is_sentence, "{words}");
        }
    }
}
