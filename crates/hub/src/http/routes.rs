//! Routes. Work with the database is done on its own threads, and no request waits in memory for longer than its
//! connection lives.

use super::answer::{Answer, Media, Refusal};
use super::input::{DisconnectGuard, Network, PendingRequest};
use super::upload::{self, body};
use super::{HEAD_BYTES_MAX, Peer, ask, metrics, openapi, reading, site, stream};
use crate::hub_state::{Hub, SLOW, Tally};
use crate::log;
use crate::names::Kind;
use crate::rate::network;
use crate::shares::Shares;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, Method, Response, StatusCode, header};
use axum::middleware::{self, Next};
use axum::routing::{MethodRouter, get, post};
use axum::{Extension, Router};
use std::future::Future;
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

/// Search engines may index lists and listed results; unlisted ones carry `noindex`.
const ROBOTS: &str = "User-agent: *\nDisallow: /api/\nDisallow: /metrics\nDisallow: /search\n";

type Handler = fn(&PendingRequest) -> Result<Answer, Refusal>;
type RefusalFormat = fn(&Refusal) -> Answer;

pub(super) fn routes(hub: Arc<Hub>) -> Router {
    Router::new()
        .route("/", page(site::table))
        .route("/search", page(site::table))
        .route("/r/{name}", worker_route(site::result, Refusal::page))
        .route("/r/{name}/card.png", worker_route(site::card, Refusal::page))
        .route("/r/{name}/trend", page(site::trend))
        .route("/names/{name}", page(site::names))
        .route("/board/{name}", page(|ask| site::of_name(ask, Kind::Board)))
        .route("/soc/{name}", page(|ask| site::of_name(ask, Kind::Soc)))
        .route("/core/{name}", page(|ask| site::of_name(ask, Kind::Core)))
        .route("/compare", worker_route(site::compare, Refusal::page))
        .route("/stability", page(site::stability))
        .route("/feed.atom", page(site::feed))
        .route("/badge/{name}", page(site::badge))
        .route("/badge/board/{name}", page(site::board_badge))
        .route("/api/results", api(reading::results).post(send))
        .route("/api/results/{name}", api(reading::result).delete(changed(upload::delete)))
        .route("/api/results/{name}/original", get(original))
        .route("/api/results/{name}/findings", worker_route(reading::findings, Refusal::json))
        .route("/api/results/{name}/publish", post(changed(upload::list)).delete(changed(upload::hide)))
        .route("/api/names/{name}", api(reading::names))
        .route("/api/references", api(reading::references))
        .route("/api/mine", api(reading::mine))
        .route("/api/changes", api(reading::changes))
        .route("/api/changes/{name}/acknowledge", post(changed(upload::acknowledge)))
        .route("/api/openapi.json", api(openapi::document))
        .route("/metrics", api(metrics::metrics))
        // Browsers ask for it unprompted and log an error where it is missing.
        .route("/favicon.ico", api(|_| Ok(Answer::of(Media::Svg, "").status(StatusCode::NO_CONTENT))))
        .route("/robots.txt", api(|_| Ok(Answer::of(Media::Text, ROBOTS))))
        .route("/healthz", api(|_| Ok(Answer::of(Media::Text, "alive\n"))))
        .route("/readyz", api(metrics::ready))
        .fallback(no_such)
        .route_layer(middleware::from_fn_with_state(Arc::clone(&hub), timed))
        .layer(middleware::from_fn_with_state(Arc::clone(&hub), around))
        .with_state(hub)
}

/// Applies the rate limit, counts, and logs each request.
async fn around(
    State(hub): State<Arc<Hub>>,
    Extension(Peer(address)): Extension<Peer>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let began = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let headers = request.headers().clone();
    let is_probe = matches!(path.as_str(), "/healthz" | "/readyz" | "/metrics");
    let sender = ask::sender(&hub, &headers, address);
    request.extensions_mut().insert(Network(network(sender)));
    let response = match ask::rated(&hub, sender) {
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
    let elapsed = began.elapsed();
    if method != Method::GET || response.status().is_server_error() || elapsed >= SLOW {
        let status = response.status().as_u16().to_string();
        let elapsed_ms = elapsed.as_millis().to_string();
        let path = facts::plain(&path);
        log::event(
            "request",
            &[("method", method.as_str()), ("path", &path), ("status", &status), ("ms", &elapsed_ms)],
        );
    }
    response
}

/// Measures the response time of every route. Requests without a route and with a method that the route does not know
/// are not counted, so that clients cannot add names.
async fn timed(State(hub): State<Arc<Hub>>, route: MatchedPath, request: Request, next: Next) -> Response<Body> {
    let (began, method) = (Instant::now(), request.method().clone());
    let response = next.run(request).await;
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        hub.tally.took(&format!("{method} {}", route.as_str()), began.elapsed());
    }
    response
}

/// Size of a request's head in bytes. hyper reads more than its limit if it arrives at once.
fn head_bytes(request: &Request) -> usize {
    let fields = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len());
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    request.method().as_str().len() + target + "  HTTP/1.1\r\n\r\n".len() + fields.sum::<usize>()
}

/// Gives refusals of the router the form of other errors.
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

/// Queue in which the requests of a network take turns.
type Lane = fn(&Hub) -> &Arc<Shares<IpAddr>>;
const QUERIES: Lane = |hub| &hub.queries;

/// Pages of lists.
fn page(handler: Handler) -> MethodRouter<Arc<Hub>> {
    get(answered(handler, Refusal::page, QUERIES))
}

/// Answers for programs.
fn api(handler: Handler) -> MethodRouter<Arc<Hub>> {
    get(answered(handler, Refusal::json, QUERIES))
}

/// Answers that a worker makes from originals.
fn worker_route(handler: Handler, refused: RefusalFormat) -> MethodRouter<Arc<Hub>> {
    get(answered(handler, refused, |hub| &hub.pages))
}

/// Changes by an owner. They may wait for the lock of the database, and readers do not wait for them.
fn changed(change: Handler) -> impl Fn(PendingRequest) -> ResponseFuture + Clone + Send + Sync + 'static {
    answered(change, Refusal::json, |hub| &hub.changes)
}

type ResponseFuture = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

fn answered(
    handler: Handler,
    refused: RefusalFormat,
    lane: Lane,
) -> impl Fn(PendingRequest) -> ResponseFuture + Clone + Send + Sync + 'static {
    move |asked: PendingRequest| {
        Box::pin(async move {
            let (hub, headers, network) = (Arc::clone(&asked.hub), asked.headers.clone(), asked.network);
            let answer = in_turn(asked, lane, handler).await.and_then(|answer| answer.reserve_memory(&hub, network));
            answer.unwrap_or_else(|refusal| refused(&refusal)).response(&headers)
        })
    }
}

/// Runs work on a blocking thread, once it is the turn of its network. A hang-up ends the work.
async fn in_turn<T: Send + 'static>(
    ask: PendingRequest,
    lane: Lane,
    work: impl FnOnce(&PendingRequest) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let turn = lane(&ask.hub).wait(ask.network).await;
    let _hang_up = DisconnectGuard(Arc::clone(&ask.stop));
    blocking(move || {
        let _turn = turn;
        work(&ask)
    })
    .await
}

async fn original(asked: PendingRequest) -> Response<Body> {
    let (hub, headers, network) = (Arc::clone(&asked.hub), asked.headers.clone(), asked.network);
    let answer = async {
        let again = asked.clone();
        let (hash, size) = in_turn(asked, QUERIES, reading::original).await?;
        let tag = Some(hash[..hash.len().min(20)].to_owned());
        let room = hub.answers.take(network, stream::ROOM_BYTES).ok_or_else(Refusal::unread)?;
        let stream = match stream::start(hub, room, network, hash, size).await {
            Ok(stream) => Some(stream),
            // It may be deleted after it was found.
            Err(trouble) => {
                in_turn(again, QUERIES, reading::original).await?;
                return Err(trouble.into());
            }
        };
        Ok(Answer { tag, stream, ..Answer::of(Media::Bytes, "") })
    };
    answer.await.unwrap_or_else(|refusal: Refusal| refusal.json()).response(&headers)
}

/// Runs work on a blocking thread. A panic fails this request alone.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Refusal> + Send + 'static) -> Result<T, Refusal> {
    let failed = || Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "This request met a defect of the hub.");
    let done = tokio::task::spawn_blocking(move || catch_unwind(AssertUnwindSafe(work)));
    match done.await {
        Ok(Ok(done)) => done,
        _ => Err(failed()),
    }
}

async fn send(ask: PendingRequest, content: Body) -> Response<Body> {
    let headers = ask.headers.clone();
    let answer = async {
        let permit = in_turn(ask.clone(), QUERIES, upload::permit).await?;
        // A slow body takes the memory of its bytes and no turn.
        let (bytes, room) = body(&ask.hub, permit.owner(), content).await?;
        let turn = ask.hub.uploads.wait(permit.owner()).await;
        // `in_turn` has stopped the one of the permit.
        let ask = PendingRequest { stop: Arc::default(), ..ask };
        let _hang_up = DisconnectGuard(Arc::clone(&ask.stop));
        // Lets a hang-up be noticed before the work begins.
        tokio::task::yield_now().await;
        blocking(move || {
            let _held = (room, turn);
            upload::keep(&ask, permit, &bytes)
        })
        .await
    };
    answer.await.unwrap_or_else(|refusal| refusal.json()).response(&headers)
}

/// Browsers get a page, programs JSON.
async fn no_such(headers: HeaderMap) -> Response<Body> {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let refusal = Refusal::not_found();
    let answer = if accepted.contains("text/html") { refusal.page() } else { refusal.json() };
    answer.response(&headers)
}
