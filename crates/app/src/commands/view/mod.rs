//! `sbc-bench view FILE...`: results as pages for a browser of this machine, or of one that ssh leads to it, until Ctrl-C.

mod shelf;

use super::many::{Many, read_many};
use crate::args::ViewArgs;
use crate::{output, signals};
use anyhow::Context;
use bench::browser;
use bench::server::{Guarded, Token, serve};
use shelf::Shelf;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long is slept between two looks for a signal; one that comes ends it.
const NAP: Duration = Duration::from_secs(3600);

pub(crate) fn run(args: ViewArgs) -> anyhow::Result<u8> {
    let Many { results, status } = read_many(&args.files, 1)?;
    let cancelled = signals::watch()?;
    let token = Token::new().context("Cannot make a token")?;
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
    let site = Guarded::new(Shelf::of(results), token.clone());
    let served = serve("view", address, site).with_context(|| format!("Cannot listen on {address}"))?;
    output::print(&format!("http://{}{}\n", served.address, token.path()))?;
    output::note("Open this address in a browser of this machine. Ctrl-C ends it.");
    if args.open
        && let Err(why) = browser::open(&format!("http://{}{}", served.address, token.path_once()))
    {
        output::note(&format!("--open shows nothing: {why}."));
    }
    while cancelled.load(Ordering::Relaxed) == 0 {
        signals::wait(NAP);
    }
    Ok(status)
}
