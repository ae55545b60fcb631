//! Page of a monitor: current values, and the plot of the last minutes as on result pages. Its script replaces the
//! content with each event of the stream `events`; without the script the page shows one moment.

use crate::document::{Frame, LIVE, Part};
use crate::{summary, timeline};
use explain::monitor::Moment;
use facts::Facts;
use maud::{Markup, html};

/// Page at a moment.
pub fn live(moment: &Moment) -> String {
    let name = format!("{}: monitor", summary::name(&moment.record));
    let head = html! {
        h1 { (name) }
        p.soft { (summary::line(&moment.record)) }
        p.live { button id="pause" type="button" hidden { "Pause" } span id="state" role="status" { "One moment of the monitor" } }
    };
    let body = html! { div id="shown" { (shown(moment)) } };
    let parts = [Part::of("now", "The last minutes", body)];
    let foot = "It loads nothing but this machine's values.";
    let script = Some(&LIVE);
    Frame { name: &name, head: html! {}, style: STYLE, top: &head, parts: &parts, nothing: "", foot, script }.page()
}

/// Content of the page at a moment, as an event of the stream.
pub fn live_event(moment: &Moment) -> String {
    shown(moment).into_string()
}

const STYLE: &str = ".live { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; }\n\
                     .live button { font: inherit; padding: .3rem .9rem; min-width: 6rem; }\n\
                     .facts { grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); }\n";

fn shown(moment: &Moment) -> Markup {
    let (look, throttling) = match moment.throttled.as_deref() {
        None => ("watched", "No channel of this machine reports throttling.".to_owned()),
        Some([]) => ("valid", "Not throttled.".to_owned()),
        Some(reasons) => ("invalid", format!("Throttled: {}.", reasons.join(", "))),
    };
    html! {
        @match &moment.time {
            None => p { "No sample yet." }
            Some(time) => {
                p.verdict.(look) { (time) ": " (facts::plain(&throttling)) }
                dl.facts { @for (name, value) in &moment.values { div { dt { (facts::plain(name)) } dd { (value) } } } }
                @match timeline::plot(&Facts::of(&moment.record), None) {
                    Some(plot) => (plot.on_page())
                    None if moment.record.samples.at_ms.len() < 2 => p { "A plot needs two samples." }
                    None => p { "No clock, temperature, power, voltage or CPU use is reported that a plot could show." }
                }
                @if !moment.record.marks.is_empty() {
                    h3 { "Marks" }
                    ul.notes { @for mark in &moment.record.marks { li { (timeline::moment(mark.at_ms)) " " (facts::plain(&mark.text)) } } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Channel, ChannelId, ChannelKind, Mark, Record, Run, Source, Unit};

    #[test]
    fn a_machine_without_channels_has_no_plot_and_says_so() {
        let mut moment = moment(9, None, "");
        moment.record.samples.channels.clear();
        let event = live_event(&moment);
        assert!(event.contains("No clock, temperature") && !event.contains("two samples"), "{event}");
    }

    fn moment(rows: i64, throttled: Option<Vec<String>>, text: &str) -> Moment {
        let mut record = Record::new(Source::Run { version: "1".into(), target: "t".into() }, Run::default());
        let mut channel = Channel::new(ChannelId::claimed(0), Unit::Kilohertz, ChannelKind::Gauge);
        channel.values = (0..rows).map(|row| Some(600_000 + row)).collect();
        record.samples.channels = vec![channel];
        record.samples.at_ms = (0..rows).map(|row| row * 1000).collect();
        record.marks = vec![Mark { at_ms: 0, text: text.to_owned() }];
        let time = (rows > 0).then(|| "12:00:00".to_owned());
        Moment { time, values: vec![(text.to_owned(), "600 MHz".to_owned())], throttled, record }
    }

    #[test]
    fn moments_are_shown_as_far_as_they_go() {
        for (rows, throttled, holds, lacks) in [
            (0, None, "No sample yet.", "<svg"),
            (1, None, "A plot needs two samples.", "<svg"),
            (9, None, "No channel of this machine reports throttling.", "Not throttled"),
            (9, Some(vec![]), "12:00:00: Not throttled.", "No sample"),
            (9, Some(vec!["overheating".to_owned()]), "Throttled: overheating.", "Not throttled"),
            (9, None, "<svg id=\"plot-timeline\"", "A plot needs"),
        ] {
            let moment = moment(rows, throttled, "fan on");
            let event = live_event(&moment);
            assert!(event.contains(holds) && !event.contains(lacks), "{rows}: {event}");
            assert!(live(&moment).contains(&event), "the page holds the same");
        }
    }

    #[test]
    fn hostile_text_stays_text() {
        let page = live(&moment(9, None, "</script><script>alert(1)</script><img src=x onerror=alert(1)>"));
        assert!(!page.contains("<script>alert") && !page.contains("<img"));
        assert_eq!(page.matches("</script>").count(), 1);
    }
}
