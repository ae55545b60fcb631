//! Input of a handler.

use super::answer::Refusal;
use super::ask::{self, Parameters};
use crate::hub_state::Hub;
use crate::worker::Stop;
use axum::extract::{FromRequestParts, Path};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;

/// A request, which may wait for its turn.
#[derive(Clone)]
pub(super) struct PendingRequest {
    pub(super) hub: Arc<Hub>,
    pub(super) headers: HeaderMap,
    pub(super) query: Option<String>,
    /// The part of the path that names something.
    pub(super) name: String,
    pub(super) network: IpAddr,
    /// Address of this hub for the reader.
    pub(super) own_url: String,
    /// Ends the worker of this request.
    pub(super) stop: Arc<Stop>,
}

impl PendingRequest {
    /// Parameters of the address; refuses unknown ones.
    pub(super) fn parameters(&self, known: &[&str]) -> Result<Parameters, Refusal> {
        Parameters::parse(self.query.as_deref(), known)
    }
}

impl FromRequestParts<Arc<Hub>> for PendingRequest {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, hub: &Arc<Hub>) -> Result<Self, Infallible> {
        // A path that is not UTF-8 has no name.
        let name = Path::<String>::from_request_parts(parts, hub).await.map(|Path(name)| name).unwrap_or_default();
        let network = parts.extensions.get().map_or(IpAddr::from([0, 0, 0, 0]), |Network(network)| *network);
        let (headers, query) = (parts.headers.clone(), parts.uri.query().map(str::to_owned));
        let own_url = ask::own_url(hub, &headers);
        Ok(Self { hub: Arc::clone(hub), headers, query, name, network, own_url, stop: Arc::default() })
    }
}

/// The network of the client.
#[derive(Debug, Clone, Copy)]
pub(super) struct Network(pub(super) IpAddr);

/// Ends the work for a request when its client hangs up.
pub(super) struct DisconnectGuard(pub(super) Arc<Stop>);

impl Drop for DisconnectGuard {
    fn drop(&mut self) {
        self.0.stop();
    }
}
