//! Loss of each main score by cause: a bar on the page, and a waterfall as a picture.

use crate::Subject;
use crate::draw::{Bar, Plot, bars};
use facts::{Cause, Ledger};
use maud::{Markup, html};

/// Pictures of all losses.
pub(crate) fn plots(subject: &Subject<'_>) -> Vec<Plot> {
    lost(subject).filter_map(waterfall).collect()
}

/// Scores below the expected value.
fn lost<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a Ledger> {
    subject.explained.ledgers.iter().filter(|ledger| ledger.lost().0 > 0)
}

/// Part of the expected score.
struct Share {
    name: String,
    words: String,
    /// Index of the diagnosis.
    cause: Option<usize>,
    look: &'static str,
    /// In thousandths of the expected value.
    thousandths: i64,
}

/// Reached value, loss by each cause, and the unexplained rest.
fn shares(ledger: &Ledger) -> Vec<Share> {
    let told = ledger.whole_percents();
    let reached = Share {
        name: "reached".into(),
        words: format!("{} %", 100 - told.lost),
        cause: None,
        look: "reached",
        thousandths: 1000 - ledger.lost().0,
    };
    let mut shares = vec![reached];
    for (part, percent) in ledger.parts.iter().zip(&told.parts) {
        let at_most = if part.points.at_most { "at most " } else { "" };
        shares.push(Share {
            name: part.cause.words().to_owned(),
            words: format!("{at_most}{percent} %"),
            cause: Some(part.diagnosis),
            look: "lost",
            thousandths: part.points.percent.0,
        });
    }
    if told.unexplained != 0 {
        shares.push(Share {
            name: Cause::NotVisible.words().to_owned(),
            words: format!("{} %", told.unexplained),
            cause: None,
            look: "rest",
            thousandths: ledger.unexplained.percent.0,
        });
    }
    shares
}

/// `10625 MIPS of about 16197 MIPS`.
fn reached_of_expected(ledger: &Ledger) -> String {
    let amount = |value: f64| facts::with_unit(value, &facts::plain(&ledger.unit));
    match ledger.expected.known() {
        Some(expected) => format!("{} of about {}", amount(ledger.reached), amount(expected.value)),
        None => amount(ledger.reached),
    }
}

/// Bar of each score that lost something, with its causes by name.
pub(crate) fn losses(subject: &Subject<'_>) -> Markup {
    let width = |share: &Share| format!("width:{:.1}%", share.thousandths.clamp(0, 1000) as f64 / 10.0);
    html! {
        @for ledger in lost(subject) {
            @let shares = shares(ledger);
            div.losses {
                p { strong { (ledger.score.words()) } ": " (reached_of_expected(ledger)) }
                div.loss aria-hidden="true" { @for share in &shares { span.(share.look) style=(width(share)) {} } }
                ul {
                    @for share in &shares {
                        li {
                            i.(share.look) {} " "
                            @match share.cause { Some(cause) => a href={ "#cause-" (cause) } { (share.name) }, None => (share.name) }
                            " " (share.words)
                        }
                    }
                }
            }
        }
    }
}

/// Waterfall as a plot.
fn waterfall(ledger: &Ledger) -> Option<Plot> {
    let mut left = 1000_i64;
    let mut bar = |share: Share| {
        let from_to = match share.look {
            "reached" => (0, share.thousandths),
            _ => {
                left -= share.thousandths;
                (left.min(left + share.thousandths), left.max(left + share.thousandths))
            }
        };
        let percent = |thousandths: i64| thousandths as f64 / 10.0;
        Bar {
            name: share.name,
            words: share.words,
            look: share.look,
            from_to: (percent(from_to.0), percent(from_to.1)),
        }
    };
    let all: Vec<Bar> = shares(ledger).into_iter().map(&mut bar).collect();
    let score = ledger.score.words();
    let id = score.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let title = format!("Where the score went: {score}, {}", reached_of_expected(ledger));
    bars(&format!("losses-{}", id.collect::<String>()), &title, "percent of what was expected", &all)
}
