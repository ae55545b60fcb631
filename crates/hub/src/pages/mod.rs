//! Pages of the site as `maud` templates, without scripts or external resources. Templates read no database and no
//! clock.

mod markup;
mod result;
mod table;
mod trend;

pub(crate) use markup::Link;
pub use result::PageContext;
pub(crate) use result::{badge, choose_compared, compared, feed, result};
pub(crate) use table::{Spread, names, stability, table};
pub(crate) use trend::trend;

use maud::html;

/// A page of one sentence.
pub(crate) fn notice(title: &str, sentence: &str) -> String {
    markup::page(title, &html! { p { (sentence) } })
}
