//! The monitor as a page with values and plots of the last minutes, rendered by the server thread while a browser follows.

use super::{Viewer, live};
use anyhow::Context;
use explain::monitor::{Moment, MonitorHistory, Watch};
use net::server::{Answer, Notifier, Site, Token, TokenSite, serve};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Path of the stream for the page's script.
const EVENTS: &str = "/events";
/// Path of the metrics, for another sbc-bench.
const METRICS: &str = "/metrics";

/// Hands rows to the server.
pub(super) struct Web {
    shared: Arc<Mutex<MonitorHistory>>,
    notifier: Notifier,
    /// The address, until it was noted.
    notes: Vec<String>,
}

impl Web {
    /// Listens before anything is shown, so that an address in use is an error at the start.
    ///
    /// # Errors
    /// The address cannot be listened on, or the kernel gives no random bytes.
    pub(super) fn start(address: SocketAddr) -> anyhow::Result<Self> {
        let shared = Arc::new(Mutex::new(MonitorHistory::new(Watch::new(record::nothing_known()))));
        let token = Token::new().context("Cannot make a token")?;
        let site = TokenSite::new(LivePage { shared: Arc::clone(&shared) }, token.clone());
        let served = serve("web", address, site).with_context(|| format!("Cannot listen on {address}"))?;
        let notes = vec![note(served.address, &token)];
        Ok(Self { shared, notifier: served.notifier, notes })
    }
}

/// Note with the address of the page.
fn note(address: SocketAddr, token: &Token) -> String {
    let (port, path) = (address.port(), token.path());
    match address.ip() {
        ip if ip.is_unspecified() => {
            format!("Monitor page: http://ADDRESS:{port}{path} at every address of this machine.")
        }
        _ => format!("Monitor page: http://{address}{path}"),
    }
}

impl Viewer for Web {
    fn begin(&mut self, watch: &Watch) -> anyhow::Result<()> {
        *lock(&self.shared) = MonitorHistory::new(watch.clone());
        Ok(())
    }

    fn row(&mut self, watch: &Watch) -> anyhow::Result<bool> {
        lock(&self.shared).follow(watch);
        self.notifier.notify();
        Ok(true)
    }

    fn take_notes(&mut self, notes: &mut Vec<String>) {
        notes.append(&mut self.notes);
    }
}

/// The page and its events.
struct LivePage {
    shared: Arc<Mutex<MonitorHistory>>,
}

impl LivePage {
    fn moment(&self) -> Moment {
        let course = lock(&self.shared);
        course.moment(live::chosen(course.watch()))
    }
}

impl Site for LivePage {
    fn answer(&mut self, path: &str) -> Answer {
        match path {
            "/" => Answer::page(page::live(&self.moment())),
            METRICS => Answer::metrics(explain::monitor::metrics(lock(&self.shared).watch())),
            EVENTS => Answer::Stream,
            _ => Answer::NotFound("There is no such page.\n"),
        }
    }

    fn news(&mut self) -> String {
        page::live_event(&self.moment())
    }
}

fn lock(course: &Mutex<MonitorHistory>) -> MutexGuard<'_, MonitorHistory> {
    course.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_named_with_its_token() {
        let token = Token::new().unwrap();
        for (address, expected) in [
            ("127.0.0.1:80", "http://127.0.0.1:80/"),
            ("[::1]:80", "http://[::1]:80/"),
            ("0.0.0.0:80", "http://ADDRESS:80/"),
            ("[::]:80", "http://ADDRESS:80/"),
        ] {
            let note = note(address.parse().unwrap(), &token);
            assert!(note.contains(&format!("{}{}", expected.trim_end_matches('/'), token.path())), "{note}");
        }
    }
}
