//! Answers and refusals of handlers, and the responses made of them.

use super::stream::{PIECE_BYTES, Stream};
use crate::hub_state::Hub;
use crate::limits::LimitRefusal;
use crate::originals::hash;
use crate::shares::Share;
use crate::store::StoreError;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, REFERRER_POLICY, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use hyper::body::{Frame, SizeHint};
use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Content security policy: no fetches, no scripts, no frames.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

/// Addition to the content security policy of result pages.
const UNFRAMED: &str = "frame-ancestors 'none'";

/// Delay in seconds before a request that found no memory is repeated.
const BUSY_S: u64 = 2;

/// Body sent in pieces. Its memory stays reserved until the last piece is sent.
struct ChunkedBody {
    left: Bytes,
    _room: Option<Share<IpAddr>>,
}

impl HttpBody for ChunkedBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let count = self.left.len().min(PIECE_BYTES);
        Poll::Ready((count > 0).then(|| Ok(Frame::data(self.left.split_to(count)))))
    }

    fn is_end_stream(&self) -> bool {
        self.left.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left.len() as u64)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Media {
    Html,
    Json,
    Csv,
    Text,
    Svg,
    Atom,
    Tsv,
    Png,
    #[default]
    Bytes,
}

impl Media {
    fn content_type(self) -> &'static str {
        match self {
            Self::Html => "text/html; charset=utf-8",
            Self::Json => "application/json",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Text => "text/plain; charset=utf-8",
            Self::Svg => "image/svg+xml",
            Self::Atom => "application/atom+xml",
            Self::Tsv => "text/tab-separated-values; charset=utf-8",
            Self::Png => "image/png",
            Self::Bytes => "application/octet-stream",
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) media: Media,
    pub(crate) body: Vec<u8>,
    /// Entity tag, where it is known without the body.
    pub(crate) tag: Option<String>,
    pub(crate) retry_after_s: Option<u64>,
    /// Address of the next page.
    pub(crate) next: Option<String>,
    /// Body in pieces, in place of `body`.
    pub(crate) stream: Option<Stream>,
    /// Memory reserved for the body.
    pub(crate) room: Option<Share<IpAddr>>,
    /// Content security policy of the page, if it differs from the default.
    pub(crate) policy: Option<String>,
    /// Whether search engines must not index it.
    pub(crate) is_unlisted: bool,
}

impl Answer {
    pub(crate) fn of(media: Media, body: impl Into<Vec<u8>>) -> Self {
        Self { media, body: body.into(), ..Self::default() }
    }

    pub(crate) fn json(value: &serde_json::Value) -> Self {
        Self::of(Media::Json, format!("{value}\n"))
    }

    pub(crate) fn status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// Reserves memory for the body from the share of a network, so that a client that does not read takes none of
    /// others.
    pub(crate) fn reserve_memory(mut self, hub: &Hub, network: IpAddr) -> Result<Self, Refusal> {
        if self.body.len() > PIECE_BYTES {
            let room = self.body.len().min(hub.answers.of_one());
            self.room = Some(hub.answers.take(network, room).ok_or_else(Refusal::unread)?);
        }
        Ok(self)
    }

    /// Makes the response; one that the client has in its cache is not sent again.
    pub(crate) fn response(self, asked: &HeaderMap) -> Response<Body> {
        let tag = self.tag.unwrap_or_else(|| hash(&self.body)[..20].to_owned());
        let tag = format!("\"{tag}\"");
        let known = asked.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
        let is_known = self.status == StatusCode::OK
            && known.is_some_and(|known| known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag));
        let mut response = Response::new(match (is_known, self.stream) {
            (true, _) => Body::empty(),
            (false, Some(stream)) => Body::new(stream),
            (false, None) => Body::new(ChunkedBody { left: self.body.into(), _room: self.room }),
        });
        *response.status_mut() = if is_known { StatusCode::NOT_MODIFIED } else { self.status };
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.media.content_type()));
        let policy = self.policy.map(|own| HeaderValue::from_str(&format!("{own}; {UNFRAMED}")));
        let policy = policy.and_then(Result::ok).unwrap_or(HeaderValue::from_static(POLICY));
        headers.insert(CONTENT_SECURITY_POLICY, policy);
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        let mut put = |name, value: Option<String>| {
            if let Some(value) = value.and_then(|value| HeaderValue::from_str(&value).ok()) {
                headers.insert(name, value);
            }
        };
        put(ETAG, Some(tag).filter(|_| self.status == StatusCode::OK));
        put(RETRY_AFTER, self.retry_after_s.map(|seconds| seconds.to_string()));
        put(HeaderName::from_static("x-robots-tag"), self.is_unlisted.then(|| "noindex".to_owned()));
        put(header::LINK, self.next.map(|next| format!("<{next}>; rel=\"next\"")));
        response
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    pub(crate) retry_after_s: Option<u64>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), retry_after_s: None }
    }

    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "Not found.")
    }

    pub(crate) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// No memory is free for the request.
    pub(crate) fn busy(message: &str) -> Self {
        Self { retry_after_s: Some(BUSY_S), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, message) }
    }

    /// The network does not read earlier answers.
    pub(crate) fn unread() -> Self {
        Self::busy("Too many answers to your network are not read yet; try again.")
    }

    pub(crate) fn json(&self) -> Answer {
        let answer = Answer::json(&serde_json::json!({"error": self.message})).status(self.status);
        Answer { retry_after_s: self.retry_after_s, ..answer }
    }

    pub(crate) fn page(&self) -> Answer {
        let page = crate::pages::notice(self.status.canonical_reason().unwrap_or("Error"), &self.message);
        Answer { retry_after_s: self.retry_after_s, ..Answer::of(Media::Html, page).status(self.status) }
    }
}

impl From<StoreError> for Refusal {
    /// The error of the database goes to the log; the client may retry.
    fn from(trouble: StoreError) -> Self {
        crate::log::event("store", &[("error", &trouble.message)]);
        if trouble.is_over_quota {
            return Self { retry_after_s: Some(300), ..Self::new(StatusCode::INSUFFICIENT_STORAGE, trouble.message) };
        }
        if trouble.is_full {
            let message = "The disk of this hub is full: nothing was kept; what it has can be read. Try again later.";
            return Self { retry_after_s: Some(300), ..Self::new(StatusCode::INSUFFICIENT_STORAGE, message) };
        }
        let message = match &trouble {
            StoreError { is_locked: true, .. } => "The database is locked by another process; try again later.",
            StoreError { is_slow: true, .. } => "This takes the database too long; ask for less.",
            _ => "The database does not answer; try again later.",
        };
        Self { retry_after_s: Some(5), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, message) }
    }
}

impl From<LimitRefusal> for Refusal {
    fn from(refused: LimitRefusal) -> Self {
        match refused {
            LimitRefusal::TooLarge(why) => Self::new(StatusCode::PAYLOAD_TOO_LARGE, why),
            LimitRefusal::Empty => Self::bad("The request holds no file."),
            LimitRefusal::Damaged(why) => Self::bad(format!("The file cannot be unpacked: {why}.")),
            LimitRefusal::Stopped(why) => Self::busy(&why),
            LimitRefusal::Unreadable(why) => Self::bad(why),
            LimitRefusal::Died(why) => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, format!("This page cannot be made: {why}."))
            }
            LimitRefusal::Store(trouble) => trouble.into(),
        }
    }
}
