//! How the site looks: whole pages as text, made from what was gathered. No scripts, nothing fetched, everything foreign
//! escaped in one place. All that shows a page is in this folder, so that another way to render can take its place.

mod markup;
mod result;
mod table;
mod trend;

pub(crate) use markup::Link;
pub(crate) use result::{badge, choose_compared, compared, feed, result};
pub(crate) use table::{names, stability, table};
pub(crate) use trend::trend;

use markup::{Page, escape};

/// A page of one sentence.
pub(crate) fn notice(title: &str, sentence: &str) -> String {
    let mut page = Page::new(title);
    page.add(&format!("<p>{}</p>\n", escape(sentence)));
    page.end()
}
