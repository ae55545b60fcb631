//! Figures that are lower than those of similar boards: a loss that the run alone need not show.

use super::verdict::LOSS_MIN;
use compare::reference::Reference;
use compare::{Answer, Entry, Gap, LikelyCause, answer_among_similar};
use facts::view::ScoreKey;
use facts::{Cause, Deficit, Explanation, Facts};
use record::{Variant, WorkloadId};

/// Maximum number of causes in the sentence.
const CAUSES_MAX: usize = 2;

/// Main figures that are lower than those of similar boards.
pub(super) fn of(facts: &Facts<'_>, explanation: &Explanation) -> Option<Deficit> {
    let (answer, entries, soc) = answer_among_similar(facts, explanation, Reference::builtin());
    let entry = |gap: &Gap| &entries[gap.entry];
    let weight = |gap: &&Gap| {
        let key = &entry(gap).figure.key;
        let is_score = key.is_of(WorkloadId::SevenZip);
        (!(is_score && key.is_form(&Variant::MULTI)), !is_score)
    };
    // The ledger reports these losses.
    let score = |gap: &Gap| facts.steps.get(entry(gap).figure.step).map(ScoreKey::of);
    let is_lost = |gap: &&Gap| {
        let ledger = score(gap).and_then(|score| explanation.ledger(&score));
        ledger.is_some_and(|ledger| ledger.lost() >= LOSS_MIN)
    };
    let news: Vec<&Gap> = answer.gaps.iter().filter(|gap| !is_lost(gap)).collect();
    // Gaps are sorted, the widest first.
    let worst = news.iter().copied().min_by_key(weight).or(answer.gaps.first())?;
    let figures = answer.gaps.iter().map(|gap| {
        let figure = &entry(gap).figure;
        (figure.step, figure.core.as_ref().map(|core| core.cluster))
    });
    let causes = answer.causes.iter().map(|cause| cause.id);
    let is_news = !news.is_empty() && answer.causes.first().is_none_or(|cause| cause.id != Cause::Diagnosis);
    Some(Deficit {
        sentence: facts::plain(&sentence(&answer, entry(worst), soc.as_deref(), worst, news.len().max(1) - 1)),
        figure: name(entry(worst), worst).to_owned(),
        change_percent: worst.change_percent.round() as i64,
        figures: figures.collect(),
        scores: news.iter().filter_map(|gap| score(gap)).collect(),
        is_news,
        cause: causes.min_by_key(|cause| *cause == Cause::HighestOpp),
    })
}

/// Name of a figure in a sentence, without sizes.
fn name<'a>(entry: &'a Entry, gap: &'a Gap) -> &'a str {
    let key = &entry.figure.key;
    match key.workload().id() {
        Some(WorkloadId::Clock) => "the clock",
        Some(WorkloadId::MemoryLatency) => "memory latency",
        Some(WorkloadId::SevenZip) if key.is_form(&Variant::MULTI) => "7-zip on all CPUs",
        Some(WorkloadId::OpenSsl | WorkloadId::Aes) => gap.title.split(',').next().unwrap_or_default(),
        _ => &gap.title,
    }
}

/// `7-zip on all CPUs is 47 % below the 10 other boards with RK3588 (3 more figures as well): the kernel has no OPPs.`
fn sentence(answer: &Answer, entry: &Entry, soc: Option<&str>, gap: &Gap, others: usize) -> String {
    let core = gap.core.as_ref().map_or_else(String::new, |core| format!(" ({core})"));
    let name = name(entry, gap);
    let side = if gap.change_percent < 0.0 { "below" } else { "above" };
    let like = match (&entry.same_soc, soc) {
        (Some(standing), Some(soc)) if standing.range.is_some() => {
            format!("the {} other boards with {soc}", standing.of - 1)
        }
        _ => "what cores of this type reach elsewhere".to_owned(),
    };
    let more = match others {
        0 => String::new(),
        1 => " (1 more figure as well)".to_owned(),
        count => format!(" ({count} more figures as well)"),
    };
    // Diagnoses have their own paragraphs.
    let causes = answer.causes.iter().filter(|cause| cause.id != Cause::Diagnosis);
    let causes = causes.take(CAUSES_MAX).map(LikelyCause::behind_colon);
    let causes = causes.collect::<Vec<_>>().join("; ");
    let causes = match (causes.is_empty(), answer.causes.is_empty()) {
        (true, true) => ": no cause is visible".to_owned(),
        (true, false) => String::new(),
        (false, _) => format!(": {causes}"),
    };
    format!("{name}{core} is {:.0} % {side} {like}{more}{causes}.", gap.change_percent.abs())
}
