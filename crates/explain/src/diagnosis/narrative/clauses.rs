//! Short forms of findings, for sentences that would repeat earlier ones.

use facts::Finding;
use facts::lines::listed;
use rules::relations;

/// Phrase for a finding without repetition; empty if the report contains it elsewhere, `None` without a phrase.
pub(super) fn clause(finding: &Finding, repeats: impl Fn(&str) -> bool) -> Option<String> {
    pick(&relations::of(finding.rule)?.clauses, finding, repeats)
}

/// Short form of a finding; empty if the report contains it elsewhere.
pub(super) fn short(finding: &Finding, repeats: impl Fn(&str) -> bool) -> Option<String> {
    pick(&relations::of(finding.rule)?.short, finding, repeats)
}

/// First form without repetition, or else the last one.
fn pick(forms: &[&str], finding: &Finding, repeats: impl Fn(&str) -> bool) -> Option<String> {
    let forms: Vec<String> = forms.iter().filter_map(|words| finding.filled(words)).collect();
    let shortest = forms.last().cloned();
    forms.into_iter().find(|words| !repeats(words)).or(shortest)
}

/// Phrases of one sentence. Phrases that differ only in the figure in brackets are merged: `other tasks at work (47 %
/// and 5.1 % of the CPU time)`.
#[derive(Default)]
pub(super) struct Phrases(Vec<(String, Vec<String>)>);

impl Phrases {
    pub(super) fn add(&mut self, words: String) {
        let figure = words.strip_suffix(')').and_then(|words| words.split_once(" ("));
        let (name, figure) = figure.map_or((words.as_str(), None), |(name, figure)| (name, Some(figure)));
        let at = self.0.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.0.push((name.to_owned(), Vec::new()));
            self.0.len() - 1
        });
        let figures = &mut self.0[at].1;
        if let Some(figure) = figure.filter(|figure| !figures.iter().any(|known| known == figure)) {
            figures.push(figure.to_owned());
        }
    }

    pub(super) fn listed(&self) -> Option<String> {
        let whole = self.0.iter().map(|(name, figures)| match figures.as_slice() {
            [] => name.clone(),
            figures => format!("{name} ({})", in_one_unit(figures)),
        });
        let whole: Vec<String> = whole.collect();
        (!whole.is_empty()).then(|| listed(&whole))
    }
}

/// `47 % and 5.1 % of the CPU time`: states a common ending once.
fn in_one_unit(figures: &[String]) -> String {
    let (last, before) = figures.split_last().map_or(("", [].as_slice()), |(last, before)| (last.as_str(), before));
    let of = last.find(" of ").map_or("", |at| &last[at..]);
    let shorter = before.iter().map(|figure| figure.strip_suffix(of).unwrap_or(figure).to_owned());
    listed(&shorter.chain([last.to_owned()]).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::Phrases;

    #[test]
    fn a_phrase_with_two_figures_is_told_once() {
        let told = |phrases: &[&str]| {
            let mut told = Phrases::default();
            phrases.iter().for_each(|phrase| told.add((*phrase).to_owned()));
            told.listed()
        };
        assert_eq!(told(&[]), None);
        assert_eq!(
            told(&[
                "swapping",
                "other tasks (47 % of the CPU time)",
                "swapping",
                "other tasks (5.1 % of the CPU time)"
            ]),
            Some("swapping and other tasks (47 % and 5.1 % of the CPU time)".to_owned())
        );
        assert_eq!(told(&["a (1 %)", "a (1 %)", "a (2 of 3)", "a"]), Some("a (1 % and 2 of 3)".to_owned()));
    }
}
