//! `site`: a folder of results as static pages.

use clap::Args;
use std::path::PathBuf;

/// What becomes a site, and where.
#[derive(Debug, Clone, PartialEq, Args)]
pub(crate) struct SiteArgs {
    /// Logs, result files, or directories of them (.txt, .log, .json; with all directories below)
    #[arg(required = true, value_name = "DIR|FILE")]
    pub(crate) from: Vec<PathBuf>,
    /// Directory of the site: an empty one, or one that an earlier call has written
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Address that the site will have; a feed and a sitemap need it
    #[arg(long, value_name = "URL", value_parser = base)]
    pub(crate) url: Option<String>,
}

/// An address of a web server.
fn base(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let is_address = rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
    let is_plain = text.chars().all(|letter| letter.is_ascii_graphic() && !"<>\"'?#\\".contains(letter));
    match is_address && is_plain {
        true => Ok(text.to_owned()),
        false => Err("must be an address such as https://example.org/results".to_owned()),
    }
}
