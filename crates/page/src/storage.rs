//! Section: disks, cards, flash and buses.

use crate::{Section, Subject};
use maud::{Markup, html};
use rules::survey::words;

pub(crate) const SECTION: Section = Section::folded("storage", "Storage and buses", body);

fn body(subject: &Subject<'_>) -> Option<Markup> {
    let found = subject.facts.surveys.last()?;
    let parts = [
        ("Disks and cards", words::disk_lines(found)),
        ("Flash", words::flash_lines(found)),
        ("PCI", words::pci_lines(found)),
        ("USB", words::usb_lines(found)),
    ];
    let parts: Vec<_> = parts.into_iter().filter(|(_, lines)| !lines.is_empty()).collect();
    if parts.is_empty() {
        return None;
    }
    Some(html! {
        @for (title, lines) in parts {
            h3 { (title) }
            ul.notes { @for line in lines { li { (facts::plain(&line)) } } }
        }
    })
}
