//! `sbc-bench-hub serve`: from the database to a graceful end.

use crate::hub_state::{Hub, Settings};
use crate::store::{Store, StoreError, migrate, read, write};
use crate::tokens::{self, Scope};
use crate::{clock, http, log, private, work};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// Number of workers started before the first request.
const WARM_WORKERS: usize = 2;
/// Maximum wait for threads that use the database when the hub ends. Interrupted transactions were not acknowledged.
const THREADS_TIME_MAX: Duration = Duration::from_secs(1);
/// File of the first owner's token, next to the database.
pub const TOKEN_FILE: &str = "token";

/// Serves until SIGTERM or SIGINT. Calls `listening` once the hub accepts connections. An error is one sentence.
pub fn serve(
    store: Arc<dyn Store>,
    data: Option<&Path>,
    address: SocketAddr,
    settings: Settings,
    listening: impl FnOnce(SocketAddr),
) -> Result<(), String> {
    let text = |error: crate::store::StoreError| error.message;
    let taken = migrate(&*store, clock::now_utc_ms()).map_err(text)?;
    if !taken.is_empty() {
        log::event("migrated", &[("steps", &taken.join(", "))]);
    }
    match data {
        Some(data) => first_token(&*store, data)?,
        None if read(&*store, tokens::all).map_err(text)?.is_empty() => {
            log::event("no token", &[("remedy", "sbc-bench-hub token make NAME")]);
        }
        None => {}
    }
    let hub = Arc::new(Hub::new(store, settings).map_err(text)?);
    for _ in 0..WARM_WORKERS {
        hub.workers.warm().map_err(|error| format!("Processes cannot be started: {error}."))?;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(Hub::threads())
        .build()
        .map_err(|error| format!("Threads cannot be started: {error}."))?;
    let ends = Arc::new(AtomicBool::new(false));
    for task in [work::work, work::count] {
        let (hub, ends) = (Arc::clone(&hub), Arc::clone(&ends));
        runtime.spawn_blocking(move || task(&hub, &ends));
    }
    let deriving = Arc::clone(&hub);
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(address).await;
        let listener = listener.map_err(|error| format!("Cannot listen on {address}: {error}."))?;
        let own = listener.local_addr().map_err(|error| error.to_string())?;
        let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
        let (Ok(mut terminate), Ok(mut interrupt)) = signals else { return Err("Signals cannot be heard.".to_owned()) };
        listening(own);
        log::event("serving", &[("address", &own.to_string())]);
        let stop = std::future::poll_fn(|context| {
            let is_signalled = terminate.poll_recv(context).is_ready() || interrupt.poll_recv(context).is_ready();
            if is_signalled { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        });
        http::serve(listener, hub, stop).await;
        Ok(())
    });
    ends.store(true, Ordering::Relaxed);
    deriving.deriving.stop();
    runtime.shutdown_timeout(THREADS_TIME_MAX);
    log::event("ended", &[]);
    log::end();
    served
}

/// Makes the first token and writes it to a file for its owner alone, so that a new hub can be used at once. An error
/// is one sentence.
pub fn first_token(store: &dyn Store, data: &Path) -> Result<(), String> {
    let all = read(store, tokens::all).map_err(|error| error.message)?;
    if !all.is_empty() {
        return Ok(());
    }
    let file = data.join(TOKEN_FILE);
    let made = write(store, |session| {
        let secret = tokens::make(session, "owner", &Scope::ALL, clock::now_utc_ms())?;
        // Written before the database has the token: no later start makes a first token.
        let written = private::write(&file, format!("{secret}\n").as_bytes());
        written.map_err(|error| StoreError::of(format!("Cannot write {}: {error}.", file.display())))
    });
    made.map_err(|error| error.message)?;
    log::event("token", &[("name", "owner"), ("file", &file.display().to_string())]);
    Ok(())
}
