//! Web server with pages rendered on request and a stream of news.
//!
//! One thread, without blocking on a connection. Requests have a deadline; at the limit of connections, the one that has hung
//! longest is closed. A follower that does not read holds two frames until its deadline. Producing news never blocks, and costs
//! the same for any number of followers. A [`Site`] provides the content.

mod client;
mod reply;
mod token;

pub use reply::{Answer, HTML, Site, TEXT};
pub use token::{Token, TokenSite};

pub use reply::reply;

use client::Client;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Maximum number of connections without a stream; a browser opens six.
const CLIENTS_MAX: usize = 16;
/// Maximum number of followers of a stream.
const FOLLOWERS_MAX: usize = 64;
/// Stack size for rendering pages.
const STACK_BYTES: usize = 2 << 20;
/// Pause when file descriptors run out.
const RECOVERY: Duration = Duration::from_millis(100);
/// Minimum interval between news.
const NEWS_EVERY: Duration = Duration::from_millis(500);
/// Minimum pause between news in units of the time to produce them: at most 2 % of one CPU.
const NEWS_REST: u32 = 50;

/// A server that runs until the process ends.
#[derive(Debug)]
pub struct RunningServer {
    /// Listening address.
    pub address: SocketAddr,
    /// Notifies it of news.
    pub notifier: Notifier,
}

/// Notifies a server of new [`Site::news`]; cheap without followers.
#[derive(Debug, Clone)]
pub struct Notifier(Arc<NotifierState>);

#[derive(Debug)]
struct NotifierState {
    wakes: OwnedFd,
    followers: AtomicUsize,
}

impl Notifier {
    /// Notifies of news.
    pub fn notify(&self) {
        if self.0.followers.load(Ordering::Relaxed) > 0 {
            // A full counter wakes as well.
            let _ = rustix::io::write(&self.0.wakes, &1_u64.to_ne_bytes());
        }
    }

    /// True if it was rung since the last call.
    fn was_notified(&self) -> bool {
        rustix::io::read(&self.0.wakes, &mut [0_u8; 8]).is_ok()
    }
}

/// Serves a site until the process ends; `name` is the name of the thread.
///
/// # Errors
/// The address is unavailable, or the kernel refuses a thread.
pub fn serve(name: &str, address: SocketAddr, site: impl Site) -> std::io::Result<RunningServer> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let wakes = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
    let notifier = Notifier(Arc::new(NotifierState { wakes, followers: AtomicUsize::new(0) }));
    let mut server = Server {
        listener,
        clients: Vec::new(),
        is_local: address.ip().is_loopback(),
        site,
        notifier: notifier.clone(),
        is_rung: false,
        news_after: Instant::now(),
    };
    let work = move || {
        loop {
            server.turn();
        }
    };
    std::thread::Builder::new().name(name.into()).stack_size(STACK_BYTES).spawn(work)?;
    Ok(RunningServer { address, notifier })
}

struct Server<S> {
    listener: TcpListener,
    clients: Vec<Client>,
    /// True if it listens on loopback only.
    is_local: bool,
    site: S,
    notifier: Notifier,
    /// True if there are unsent news.
    is_rung: bool,
    news_after: Instant,
}

impl<S: Site> Server<S> {
    /// Waits for events and handles them.
    fn turn(&mut self) {
        self.wait();
        self.is_rung |= self.notifier.was_notified();
        self.accept();
        self.tell();
        let mut followers = self.followers();
        let (site, is_local) = (&mut self.site, self.is_local);
        let now = Instant::now();
        self.clients.retain_mut(|client| {
            let has_followed = client.follows();
            let stays = client.goes_on(now, site, is_local, followers < FOLLOWERS_MAX);
            followers += usize::from(stays && client.follows() && !has_followed);
            stays
        });
        self.notifier.0.followers.store(self.followers(), Ordering::Relaxed);
    }

    fn wait(&self) {
        let news = (self.is_rung && self.followers() > 0).then_some(self.news_after);
        let deadlines = self.clients.iter().filter_map(Client::deadline);
        let next = deadlines.chain(news).min();
        let wait = next.map(|next| timespec(next.saturating_duration_since(Instant::now())));
        let mut waiting =
            vec![PollFd::new(&self.notifier.0.wakes, PollFlags::IN), PollFd::new(&self.listener, PollFlags::IN)];
        waiting.extend(self.clients.iter().map(Client::waits_for));
        // After an error, all connections are checked again.
        let _ = poll(&mut waiting, wait.as_ref());
    }

    fn followers(&self) -> usize {
        self.clients.iter().filter(|client| client.follows()).count()
    }

    /// Accepts at most the maximum number of connections at once, so that each is read before another replaces it.
    fn accept(&mut self) {
        for _ in 0..CLIENTS_MAX {
            match self.listener.accept() {
                Ok((connection, _)) => {
                    let Ok(client) = Client::new(connection) else { continue };
                    if self.clients.len() - self.followers() >= CLIENTS_MAX
                        && let Some(oldest) = self.clients.iter().position(|client| !client.follows())
                    {
                        self.clients.remove(oldest);
                    }
                    self.clients.push(client);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => return std::thread::sleep(RECOVERY),
            }
        }
    }

    /// Produces news once and queues them for all followers.
    fn tell(&mut self) {
        let begin = Instant::now();
        if !self.is_rung || begin < self.news_after || self.followers() == 0 {
            return;
        }
        self.is_rung = false;
        let frame = reply::frame(&self.site.news());
        let end = Instant::now();
        self.clients.iter_mut().filter(|client| client.follows()).for_each(|client| client.offer(&frame, end));
        self.news_after = end + (end.duration_since(begin) * NEWS_REST).max(NEWS_EVERY);
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos() as _ }
}

#[cfg(test)]
mod tests;
