//! `sbc-bench view FILE...`: serves results as pages to browsers of this machine, or through ssh, until Ctrl-C.

mod site_cache;

use super::Command;
use super::explained_files::{ExplainedFiles, read_many};
use super::site::sources::Source;
use anyhow::Context;
use console::{output, signals};
use net::browser;
use net::server::{Token, TokenSite, serve};
use site_cache::SiteCache;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Interval between checks for a signal; a signal ends the sleep.
const NAP: Duration = Duration::from_secs(3600);

/// Show results in a browser
///
/// Serves a table, a page for each result, comparisons and the files themselves, on loopback only and at an address with
/// a random token, until Ctrl-C. To see them from another computer: ssh -L PORT:127.0.0.1:PORT BOARD.
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub(crate) struct View {
    /// Logs of any sbc-bench version, result files or recordings; `-` reads standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Open the address in the browser of this desktop (xdg-open)
    #[arg(long)]
    open: bool,
    /// Port to serve on, always on loopback [default: a free one]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
}

impl Command for View {
    fn run(self: Box<Self>, _: &machine::Root) -> anyhow::Result<u8> {
        let ExplainedFiles { results, status } =
            read_many(&self.files.into_iter().map(Source::named).collect::<Vec<_>>(), 1)?;
        let cancelled = signals::watch()?;
        let token = Token::new().context("Cannot make a token")?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let site = TokenSite::new(SiteCache::of(results), token.clone());
        let served = serve("view", address, site).with_context(|| format!("Cannot listen on {address}"))?;
        output::print(&format!("http://{}{}\n", served.address, token.path()))?;
        output::note("Open this address in a browser of this machine. Ctrl-C ends it.");
        if self.open
            && let Err(why) = browser::open(&format!("http://{}{}", served.address, token.path_once()))
        {
            output::note(&format!("--open shows nothing: {why}."));
        }
        while cancelled.load(Ordering::Relaxed) == 0 {
            signals::wait(NAP);
        }
        Ok(status)
    }
}
