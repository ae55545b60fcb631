//! HTTP connections, limited in time and number, so that slow or many clients do not delay others.

mod answer;
mod ask;
mod input;
mod metrics;
mod openapi;
mod reading;
mod routes;
mod site;
mod stream;
mod upload;

use crate::hub_state::Hub;
use crate::shares::Shares;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Maximum number of connections; further ones wait to be accepted.
const CONNECTIONS_MAX: usize = 512;
/// Maximum number of connections of one network; further ones are closed at once. A proxy may have all.
const CONNECTIONS_OF_ONE_MAX: usize = 128;
/// Timeout of the head of a request.
const HEAD_TIME_MAX: Duration = Duration::from_secs(10);
/// Maximum lifetime of a connection, even of one that reads its answer slowly.
const CONNECTION_TIME_MAX: Duration = Duration::from_secs(300);
/// Maximum time for open requests when the hub ends, which takes at most 5 s in all.
const ENDING_TIME_MAX: Duration = Duration::from_secs(2);
/// Maximum size of a request's head.
const HEAD_BYTES_MAX: usize = 32 << 10;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Serves until `stop` is ready, then completes open requests.
pub async fn serve(listener: TcpListener, hub: Arc<Hub>, stop: impl Future<Output = ()>) {
    let per_address = if hub.settings.behind_proxy { CONNECTIONS_MAX } else { CONNECTIONS_OF_ONE_MAX };
    let places = Shares::new(CONNECTIONS_MAX, per_address);
    let app = routes::routes(hub);
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let open = GracefulShutdown::new();
    let accept = async {
        loop {
            let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
            let Ok((stream, peer)) = listener.accept().await else {
                // No file descriptor is free; one will be soon.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let Some(place) = places.take(crate::rate::network(peer.ip()), 1) else { continue };
            let _ = stream.set_nodelay(true);
            let app = app.clone().layer(axum::Extension(Peer(peer.ip())));
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME_MAX)
                .max_buf_size(HEAD_BYTES_MAX)
                .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
            let connection = open.watch(connection);
            tokio::spawn(async move {
                let _ = tokio::time::timeout(CONNECTION_TIME_MAX, connection).await;
                drop((place, permit));
            });
        }
    };
    futures_select(accept, stop).await;
    drop(listener);
    let _ = tokio::time::timeout(ENDING_TIME_MAX, open.shutdown()).await;
}

/// Runs the first until the second is ready.
async fn futures_select(first: impl Future<Output = ()>, second: impl Future<Output = ()>) {
    let (mut first, mut second) = (std::pin::pin!(first), std::pin::pin!(second));
    std::future::poll_fn(|context| {
        let _ = first.as_mut().poll(context);
        second.as_mut().poll(context)
    })
    .await;
}
