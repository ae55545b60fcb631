//! Which address is answered by what. Work with the database is done on threads of its own, and no request waits in memory
//! for longer than its connection lives.

use super::answer::{Answer, Media, Refusal};
use super::asked::Ask;
use super::upload::{self, body};
use super::{HEAD_BYTES_MAX, Peer, ask, metrics, openapi, reading, site};
use crate::hub_state::{Hub, Tally};
use crate::log;
use axum::body::Body;
use axum::extract::{Path, RawQuery, Request, State};
use axum::http::{HeaderMap, Method, Response, StatusCode, header};
use axum::middleware::{self, Next};
use axum::routing::{get, post};
use axum::{Extension, Router};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

type Shared = State<Arc<Hub>>;
type Slug = Result<Path<String>, axum::extract::rejection::PathRejection>;

/// A handler.
type Handler = fn(&Ask) -> Result<Answer, Refusal>;

/// All routes.
pub(super) fn routes(hub: Arc<Hub>) -> Router {
    Router::new()
        .route("/", page(site::table))
        .route("/search", page(site::table))
        .route("/r/{name}", page(site::result))
        .route("/r/{name}/page", page(site::whole))
        .route("/r/{name}/trend", page(site::trend))
        .route("/names/{name}", page(site::names))
        .route("/board/{name}", page(site::board))
        .route("/soc/{name}", page(site::soc))
        .route("/core/{name}", page(site::core))
        .route("/compare", page(site::compare))
        .route("/stability", page(site::stability))
        .route("/feed.atom", page(site::feed))
        .route("/badge/{name}", page(site::badge))
        .route("/badge/board/{name}", page(site::board_badge))
        .route("/api/results", api(reading::results).post(send))
        .route("/api/results/{name}", api(reading::result).delete(delete))
        .route("/api/results/{name}/original", api(reading::original))
        .route("/api/results/{name}/findings", api(reading::findings))
        .route("/api/results/{name}/publish", post(publish).delete(hide))
        .route("/api/names/{name}", api(reading::names))
        .route("/api/references", api(reading::references))
        .route("/api/mine", api(reading::mine))
        .route("/api/changes", api(reading::changes))
        .route("/api/changes/{name}/acknowledge", post(acknowledge))
        .route("/api/openapi.json", api(openapi::document))
        .route("/metrics", api(metrics::metrics))
        // Browsers ask for it on their own, and write an error where it is not there.
        .route("/favicon.ico", api(|_| Ok(Answer::of(Media::Svg, "").status(StatusCode::NO_CONTENT))))
        .route("/healthz", api(|_| Ok(Answer::of(Media::Text, "alive\n"))))
        .route("/readyz", api(metrics::ready))
        .fallback(no_such)
        .layer(middleware::from_fn_with_state(Arc::clone(&hub), around))
        .with_state(hub)
}

/// Around every request: its rate, its count, its line in the log.
async fn around(
    State(hub): Shared,
    Extension(Peer(address)): Extension<Peer>,
    request: Request,
    next: Next,
) -> Response<Body> {
    let began = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let headers = request.headers().clone();
    let is_probe = matches!(path.as_str(), "/healthz" | "/readyz" | "/metrics");
    let response = match ask::rated(&hub, ask::sender(&hub, &headers, address)) {
        Err(refusal) if !is_probe => refusal.json().response(&headers),
        _ if head_bytes(&request) > HEAD_BYTES_MAX => {
            let why = format!("The limit of a request's head is {} KiB.", HEAD_BYTES_MAX >> 10);
            Refusal::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, why).json().response(&headers)
        }
        _ => next.run(request).await,
    };
    let response = described(response, &headers);
    Tally::add(&hub.tally.requests);
    if response.status().is_server_error() {
        Tally::add(&hub.tally.failures);
    }
    if method != Method::GET || response.status().is_server_error() {
        let status = response.status().as_u16().to_string();
        let elapsed_ms = began.elapsed().as_millis().to_string();
        let path = explain::plain(&path);
        log::event(
            "request",
            &[("method", method.as_str()), ("path", &path), ("status", &status), ("ms", &elapsed_ms)],
        );
    }
    response
}

/// Bytes of a request's head. hyper reads more than its limit where they come at once.
fn head_bytes(request: &Request) -> usize {
    let fields = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    request.method().as_str().len() + target + "  HTTP/1.1\r\n\r\n".len() + fields.sum::<usize>()
}

/// What the router itself refuses says why in the same form as all else.
fn described(response: Response<Body>, headers: &HeaderMap) -> Response<Body> {
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        return response;
    }
    let allow = response.headers().get(header::ALLOW).cloned();
    let refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "This address does not know the method.");
    let mut response = refusal.json().response(headers);
    if let Some(allow) = allow {
        response.headers_mut().insert(header::ALLOW, allow);
    }
    response
}

fn page(handler: Handler) -> axum::routing::MethodRouter<Arc<Hub>> {
    get(move |state: Shared, name: Slug, query: RawQuery, headers: HeaderMap| async move {
        answered(state, name, query, headers, handler, Refusal::page).await
    })
}

fn api(handler: Handler) -> axum::routing::MethodRouter<Arc<Hub>> {
    get(move |state: Shared, name: Slug, query: RawQuery, headers: HeaderMap| async move {
        answered(state, name, query, headers, handler, Refusal::json).await
    })
}

async fn answered(
    State(hub): Shared,
    name: Slug,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    handler: Handler,
    refused: fn(&Refusal) -> Answer,
) -> Response<Body> {
    let name = name.map(|Path(name)| name).unwrap_or_default();
    let own_url = ask::own_url(&hub, &headers);
    let ask = Ask { hub, headers: headers.clone(), query, name, own_url };
    let answer = blocking(move || handler(&ask)).await;
    answer.unwrap_or_else(|refusal| refused(&refusal)).response(&headers)
}

/// Runs work with the database on a thread that may wait. A panic is a failure of this request alone.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Refusal> + Send + 'static) -> Result<T, Refusal> {
    let failed = || Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "This request met a defect of the hub.");
    let done = tokio::task::spawn_blocking(move || catch_unwind(AssertUnwindSafe(work)));
    match done.await {
        Ok(Ok(done)) => done,
        _ => Err(failed()),
    }
}

async fn send(State(hub): Shared, RawQuery(query): RawQuery, headers: HeaderMap, content: Body) -> Response<Body> {
    let answer = async {
        let (of, asked) = (Arc::clone(&hub), headers.clone());
        let permit = blocking(move || upload::permit(&of, &asked, query.as_deref())).await?;
        // A body that trickles takes the room of its bytes and nobody's turn.
        let (bytes, room) = body(&hub, content).await?;
        let turn = Arc::clone(&hub.uploads).acquire_owned().await;
        let own_url = ask::own_url(&hub, &headers);
        let (of, asked) = (Arc::clone(&hub), headers.clone());
        // The work holds both: a sender who hangs up does not end it.
        blocking(move || {
            let _held = (room, turn);
            upload::keep(&of, permit, bytes, &own_url, &asked)
        })
        .await
    };
    answer.await.unwrap_or_else(|refusal| refusal.json()).response(&headers)
}

/// A change of one thing by its owner.
async fn changed(
    State(hub): Shared,
    name: Slug,
    headers: HeaderMap,
    change: impl FnOnce(&Hub, &HeaderMap, &str) -> Result<Answer, Refusal> + Send + 'static,
) -> Response<Body> {
    let asked = headers.clone();
    let name = name.map(|Path(name)| name).unwrap_or_default();
    let answer = blocking(move || change(&hub, &asked, &name)).await;
    answer.unwrap_or_else(|refusal| refusal.json()).response(&headers)
}

async fn publish(state: Shared, name: Slug, headers: HeaderMap) -> Response<Body> {
    changed(state, name, headers, |hub, headers, name| upload::publish(hub, headers, name, true)).await
}

async fn hide(state: Shared, name: Slug, headers: HeaderMap) -> Response<Body> {
    changed(state, name, headers, |hub, headers, name| upload::publish(hub, headers, name, false)).await
}

async fn delete(state: Shared, name: Slug, headers: HeaderMap) -> Response<Body> {
    changed(state, name, headers, upload::delete).await
}

async fn acknowledge(state: Shared, name: Slug, headers: HeaderMap) -> Response<Body> {
    changed(state, name, headers, upload::acknowledge).await
}

async fn no_such(headers: HeaderMap) -> Response<Body> {
    Refusal::not_found().json().response(&headers)
}
