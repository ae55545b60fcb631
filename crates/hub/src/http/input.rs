//! Input of a handler.

use super::ask;
use crate::hub_state::Hub;
use crate::worker::Stop;
use axum::extract::{FromRequestParts, Path};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

#[derive(Clone)]
pub(super) struct Ask {
    pub(super) hub: Arc<Hub>,
    pub(super) headers: HeaderMap,
    pub(super) query: Option<String>,
    /// The part of the path that names something.
    pub(super) name: String,
    /// Address of this hub for the reader.
    pub(super) own_url: String,
    /// Ends the worker of this request.
    pub(super) stop: Arc<Stop>,
}

/// A request that waits for its turn.
pub(super) struct QueuedRequest {
    pub(super) hub: Arc<Hub>,
    pub(super) headers: HeaderMap,
    query: Option<String>,
    name: String,
    pub(super) network: IpAddr,
}

impl QueuedRequest {
    /// The input of a handler. Dropping the second value ends the work.
    pub(super) fn ask(self) -> (Ask, HangUp) {
        let Self { hub, headers, query, name, .. } = self;
        let own_url = ask::own_url(&hub, &headers);
        let stop = Arc::<Stop>::default();
        let hang_up = HangUp(Arc::clone(&stop));
        (Ask { hub, headers, query, name, own_url, stop }, hang_up)
    }
}

impl FromRequestParts<Arc<Hub>> for QueuedRequest {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, hub: &Arc<Hub>) -> Result<Self, Infallible> {
        // A path that is not UTF-8 has no name.
        let name = Path::<String>::from_request_parts(parts, hub).await.map(|Path(name)| name).unwrap_or_default();
        let network = parts.extensions.get().map_or(IpAddr::from([0, 0, 0, 0]), |Network(network)| *network);
        let (headers, query) = (parts.headers.clone(), parts.uri.query().map(str::to_owned));
        Ok(Self { hub: Arc::clone(hub), headers, query, name, network })
    }
}

/// The network of the client.
#[derive(Debug, Clone, Copy)]
pub(super) struct Network(pub(super) IpAddr);

/// Ends the work for a request when its client hangs up.
pub(super) struct HangUp(pub(super) Arc<Stop>);

impl Drop for HangUp {
    fn drop(&mut self) {
        self.0.stop();
    }
}
