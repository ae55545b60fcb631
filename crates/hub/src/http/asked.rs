//! What a handler is given.

use crate::hub_state::Hub;
use axum::http::HeaderMap;
use std::sync::Arc;

/// What a handler is given.
#[derive(Clone)]
pub(super) struct Ask {
    pub(super) hub: Arc<Hub>,
    pub(super) headers: HeaderMap,
    pub(super) query: Option<String>,
    /// The part of the path that names something.
    pub(super) name: String,
    /// The address of this hub as its reader knows it.
    pub(super) own_url: String,
}
