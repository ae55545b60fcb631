//! Sentences about every text of the corpus by class of defect, and the verdict in proportion to the losses.
//!
//! A class counts a text as right if none of its sentences has the defect.

use super::{Subject, Table};
use compare::Gap;
use facts::{Cause, ScoreVerdict, Severity, Tenths, Verdict};
use record::{Outcome, Record, Source, StepMeasurement, SwapKind, Variant, WorkloadId};
use rules::relation::Relation;

/// Finds a defect of a class.
type Find = fn(&Subject) -> Option<String>;

const CLASSES: &[(&str, Find)] = &[
    ("T1 absence as a sentence", absence),
    ("T2 a number that is another number", other_number),
    ("T3 one cause told as two", two_causes),
    ("T4 a remedy that is the state", remedy_in_place),
    ("T5 a column that is not read", unread_use),
    ("T6 a limiter that is known", known_limiter),
    ("T7 two limits for one clock", two_limits),
    ("T8 a share that cannot be", impossible_share),
    ("T9 the wrong scope", wrong_scope),
    ("T10 what the log says of itself", own_claims),
    ("T12 AES of cores without AES", no_aes),
    ("T13 contradictions between verbs", contradiction),
    ("T14 words", words),
    ("degraded with a main loss under 2 %", small_loss),
    ("first line without cause or size", first_line),
];

/// Largest loss in percent of a valid result for which a comparison names a cause.
const VALID_LOSS_PERCENT_MAX: f64 = 5.0;
/// Smallest loss of a degraded score.
const LOSS_MIN: Tenths = Tenths(20);

impl Subject {
    fn has(&self, words: &str) -> bool {
        self.said.contains(words)
    }

    fn harmful(&self) -> impl Iterator<Item = &facts::Diagnosis> {
        let diagnoses = self.explained.assessment.diagnoses.iter();
        diagnoses.filter(|diagnosis| diagnosis.severity > Severity::Info)
    }

    /// Main scores whose verdict is `degraded`.
    fn degraded(&self) -> impl Iterator<Item = &ScoreVerdict> {
        let scores = self.explained.assessment.scores.iter();
        scores.filter(|score| score.is_main && score.verdict == Verdict::Degraded)
    }
}

fn absence(subject: &Subject) -> Option<String> {
    let falls = subject.explained.facts.clock_falls();
    if falls.is_empty() && subject.has("the cause of lower clocks cannot be determined") {
        return Some("cause of clocks of which none is lower".to_owned());
    }
    let count =
        ["cannot be known", "cannot be excluded", "cannot be detected"].map(|words| subject.said.matches(words));
    let count: usize = count.into_iter().map(Iterator::count).sum();
    if count > 1 {
        return Some(format!("{count} sentences about throttling"));
    }
    let passes = [&Variant::COLD, &Variant::HOT_LOADED].map(|pass| subject.explained.facts.cluster_clocks(pass));
    let is_measured = passes.iter().all(|clocks| !clocks.is_empty());
    (is_measured && subject.has("no clock was read"))
        .then(|| "no clock was read, although both passes exist".to_owned())
}

fn other_number(subject: &Subject) -> Option<String> {
    let findings = subject.explained.assessment.findings.iter();
    let mut claims = findings.filter(|finding| finding.sentence().contains("not counting"));
    claims.find(|finding| finding.value("own").is_none()).map(|finding| finding.sentence())
}

fn two_causes(subject: &Subject) -> Option<String> {
    let explanation = &subject.explained.assessment;
    let mut hidden = subject.harmful().filter(|diagnosis| diagnosis.cause == Cause::NotVisible);
    let both = hidden.find(|diagnosis| {
        let ledgers = diagnosis.holds_for.iter().filter_map(|score| explanation.ledger(score));
        // The other causes explain the whole loss.
        let mut whole = ledgers.filter(|ledger| {
            let is_own = ledger.parts.iter().any(|part| part.cause == Cause::NotVisible);
            !ledger.parts.is_empty() && !is_own && ledger.unexplained.percent < Tenths(5)
        });
        let names_another = |index: &usize| {
            // Threads that left CPUs idle name no other task.
            if explanation.findings[*index].value("idle").is_some() {
                return false;
            }
            let (lines, _) = rules::relations::lines_of(explanation.findings[*index].rule);
            lines.iter().any(|(relation, _)| matches!(relation, Relation::Root(_)))
        };
        whole.next().is_some() || diagnosis.evidence.iter().any(names_another)
    })?;
    Some(explanation.findings[both.root].sentence())
}

fn remedy_in_place(subject: &Subject) -> Option<String> {
    let swaps = subject.explained.facts.states.iter().filter_map(|state| state.swaps.known()).flatten();
    let has_zram = swaps.clone().any(|swap| swap.kind == SwapKind::Zram);
    (has_zram && subject.has("se zram")).then(|| "zram as a remedy, where zram is the swap".to_owned())
}

/// Largest difference in CPU use between runs of 7-zip.
const USE_MIN: f64 = 0.97;

/// Usage of 7-zip that fell with the score, with no cause that uses CPU time.
fn unread_use(subject: &Subject) -> Option<String> {
    let record: &Record = &subject.explained.facts;
    let runs = record.steps_of(WorkloadId::SevenZip).filter(|step| step.variant == Variant::MULTI);
    let runs: Vec<(f64, f64)> = runs
        .filter_map(|step| match &step.outcome {
            Outcome::Done(StepMeasurement::Compression(done)) => {
                Some((f64::from(done.usage_percent), f64::from(done.total_mips)))
            }
            _ => None,
        })
        .collect();
    let (first, last) = (runs.first()?, runs.last()?);
    let (by_use, by_score) = (last.0 / first.0, last.1 / first.1);
    let is_by_use = by_use < USE_MIN && by_score < USE_MIN && by_use <= by_score;
    let explanation = &subject.explained.assessment;
    let is_used = |diagnosis: &facts::Diagnosis| {
        let root = &explanation.findings[diagnosis.root];
        diagnosis.cause != Cause::NotVisible || root.value("last_use").is_some()
    };
    let multi = |diagnosis: &&facts::Diagnosis| diagnosis.holds_for.iter().any(|key| key.as_str() == "sevenzip-multi");
    let mut unread = subject.harmful().filter(multi).filter(|diagnosis| !is_used(diagnosis));
    unread.next().filter(|_| is_by_use).map(|diagnosis| explanation.findings[diagnosis.root].sentence())
}

fn known_limiter(subject: &Subject) -> Option<String> {
    /// SoCs whose firmware chooses the clock by the silicon.
    const BY_SILICON: [&str; 3] = ["RK3576", "RK3588", "RK3582"];
    let soc = subject.explained.facts.soc().known()?;
    let is_by_silicon = BY_SILICON.iter().any(|name| soc.contains(name));
    (is_by_silicon && subject.has("turbo, a jumper")).then(|| format!("turbo or a jumper of {soc}"))
}

fn two_limits(subject: &Subject) -> Option<String> {
    const LIMITS: [Cause; 3] = [Cause::PowerLimit, Cause::FirmwareCap, Cause::SettingLimit];
    let limits = subject.harmful().filter(|diagnosis| LIMITS.contains(&diagnosis.cause));
    let limits: Vec<&facts::Diagnosis> = limits.collect();
    let [one, other, ..] = limits[..] else { return None };
    let cpus = |diagnosis: &facts::Diagnosis| {
        let root = &subject.explained.assessment.findings[diagnosis.root];
        root.value("cpus").cloned()
    };
    let is_shared = one.holds_for.iter().any(|score| other.holds_for.contains(score)) && cpus(one) == cpus(other);
    is_shared.then(|| format!("{} and {}", one.cause.words(), other.cause.words()))
}

fn impossible_share(subject: &Subject) -> Option<String> {
    let facts = &subject.explained.facts;
    subject.explained.assessment.ledgers.iter().find_map(|ledger| {
        let expected = ledger.expected.known()?;
        let sum: i64 = ledger.parts.iter().map(|part| part.points.percent.0).sum();
        let lost = ledger.lost();
        if (sum + ledger.unexplained.percent.0 - lost.0).abs() > 1 {
            return Some(format!("{}: parts of {sum} tenths, lost {lost}", ledger.score.words()));
        }
        let steps = facts.scores().iter().find(|score| score.key == ledger.score)?;
        let values = steps.steps.iter().filter_map(|step| facts.steps.get(*step));
        let scores = values.filter_map(|step| facts::view::step_score(step).map(|score| score.rate()));
        let best = scores.reduce(f64::max).filter(|_| ledger.unit == "MIPS")?;
        // A repetition that is not part of the mean may be above.
        (expected.value < best * 0.99 && lost >= LOSS_MIN)
            .then(|| format!("{}: expected {:.0}, reached {best:.0}", ledger.score.words(), expected.value))
    })
}

fn wrong_scope(subject: &Subject) -> Option<String> {
    let explanation = &subject.explained.assessment;
    let is_free = subject.explained.facts.machine.cpus.len() > 1;
    // Tasks that keep whole CPUs busy leave none free on a pinned thread's cluster.
    let is_small = |diagnosis: &&facts::Diagnosis| diagnosis.severity == Severity::Degraded;
    let mut others =
        subject.harmful().filter(|diagnosis| diagnosis.cause == Cause::Background && is_free).filter(is_small);
    let wrong = others.find(|diagnosis| {
        let is = |id: &str| diagnosis.holds_for.iter().any(|score| score.as_str() == id);
        is("sevenzip-single") && !is("sevenzip-multi")
    })?;
    Some(explanation.findings[wrong.root].sentence())
}

/// The log's own guess of the SoC, where the program names another one.
fn own_claims(subject: &Subject) -> Option<String> {
    /// A chip with cores fused off; guesses of others are often wrong.
    const FUSED: &str = "RK3582";
    let guess = subject.text.lines().find_map(|line| line.trim_start().strip_prefix("SoC guess: "))?;
    let soc = subject.explained.facts.soc().known()?;
    (guess.contains(FUSED) && !soc.contains(FUSED)).then(|| format!("{soc}, guessed {guess}"))
}

fn no_aes(subject: &Subject) -> Option<String> {
    let cpus = &subject.explained.facts.machine.cpus;
    let has_features = cpus.iter().any(|cpu| !cpu.features.is_empty());
    let has_aes = cpus.iter().any(|cpu| cpu.features.iter().any(|name| name == WorkloadId::Aes.as_str()));
    let is_cipher = |gap: &&Gap| {
        let key = &subject.ranking.entries[gap.entry].figure.key;
        key.is_of(WorkloadId::OpenSsl) || key.is_of(WorkloadId::Aes)
    };
    let gap = subject.ranking.answer.gaps.iter().find(is_cipher);
    gap.filter(|_| has_features && !has_aes).map(|gap| gap.title.clone())
}

fn contradiction(subject: &Subject) -> Option<String> {
    let (verdict, answer) = (subject.explained.assessment.verdict, &subject.ranking.answer);
    if verdict == Verdict::Degraded && answer.sentence.starts_with("As good as") {
        return Some(answer.sentence.clone());
    }
    // A lower highest clock is a property of the board, not a loss.
    let cause = answer.causes.iter().find(|cause| !matches!(cause.id, Cause::Diagnosis | Cause::HighestOpp));
    let gap = answer.gaps.iter().find(|gap| gap.change_percent.abs() > VALID_LOSS_PERCENT_MAX);
    (verdict == Verdict::Valid && cause.is_some() && gap.is_some()).then(|| answer.sentence.clone())
}

fn words(subject: &Subject) -> Option<String> {
    let words: Vec<&str> = subject.said.split(' ').collect();
    let is_absolute = |window: &[&str]| {
        let percent = window[1].parse::<f64>().is_ok_and(|percent| percent > 120.0);
        window[0] == WorkloadId::Clock.as_str() && percent && window[2].starts_with('%')
    };
    if let Some(window) = words.windows(3).find(|window| is_absolute(window)) {
        return Some(window.join(" "));
    }
    let is_both = subject.has("lower OPPs") && subject.has("Measured clocks match the advertised ones");
    is_both.then(|| "clocks that match, and OPPs that do not".to_owned())
}

/// A degraded score whose whole loss is known and small, with nothing else that explains the verdict.
fn small_loss(subject: &Subject) -> Option<String> {
    let explanation = &subject.explained.assessment;
    if explanation.verdict != Verdict::Degraded || explanation.deficit.is_some() || !explanation.answers.is_empty() {
        return None;
    }
    let lost: Option<Vec<Tenths>> = subject
        .degraded()
        .map(|score| {
            let ledger = explanation.ledger(&score.score).filter(|ledger| ledger.expected.known().is_some())?;
            // A cause without a share takes more than the ledger shows.
            let is_measured = score.because.iter().all(|index| {
                let diagnosis = &explanation.diagnoses[*index];
                diagnosis.is_minor() || diagnosis.cause == Cause::NotVisible || ledger.measures(*index)
            });
            is_measured.then(|| ledger.lost())
        })
        .collect();
    let lost = lost?.into_iter().max()?;
    (lost < LOSS_MIN).then(|| format!("{lost} %"))
}

/// A degraded verdict names the largest loss of the ledger.
fn first_line(subject: &Subject) -> Option<String> {
    let explanation = &subject.explained.assessment;
    if explanation.verdict != Verdict::Degraded {
        return None;
    }
    let sentence = explain::diagnosis::narrative::verdict_sentence(explanation);
    let ledgers = subject.degraded().filter_map(|score| explanation.ledger(&score.score));
    let parts = ledgers.flat_map(|ledger| ledger.parts.iter().zip(ledger.whole_percents().parts));
    let (worst, percent) = parts.max_by_key(|(part, _)| part.points.percent)?;
    let size = format!("{percent} %");
    let is_named = sentence.contains(worst.cause.words()) && sentence.contains(&size);
    (worst.points.percent >= Tenths(10) && !is_named).then_some(sentence)
}

/// Looks for each class of defect.
pub(super) fn check(subject: &Subject, table: &mut Table) {
    if !matches!(subject.explained.facts.source, Source::Log(_)) {
        return;
    }
    for (class, find) in CLASSES {
        let defect = find(subject).map(|defect| format!("{}: {defect}", subject.name));
        table.add_defect(&format!("sentences: {class}"), defect);
    }
}
