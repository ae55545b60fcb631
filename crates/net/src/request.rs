//! Requests to an address named by the user: by HTTP to this host, by curl's HTTPS to others.

use super::address::{Address, agent};
use super::curl::{self, RequestFailure};
use std::io::ErrorKind;
use std::time::Duration;
use ureq::RequestBuilder;

/// A request: a GET, or a POST with a body.
#[derive(Debug)]
pub(super) struct Request<'a> {
    /// Path below the address, with its slash and its query.
    pub(super) path: String,
    /// Names and plain values, which may have quotes.
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Option<Body>,
    /// Maximum time.
    pub(super) time_max: Duration,
    /// Maximum size of the answer.
    pub(super) bytes_max: u64,
    /// True if curl follows redirects to HTTPS; the answer then has no head.
    pub(super) is_redirected: bool,
    pub(super) address: &'a Address,
}

/// Body of a request.
#[derive(Debug)]
pub(super) enum Body {
    /// For this host.
    Bytes(Vec<u8>),
    /// Path for curl, without characters that need escaping.
    File(String),
}

/// An answer with any status.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Response {
    pub(super) status: u16,
    /// Fields of the head, one per line.
    head: String,
    pub(super) body: Vec<u8>,
}

impl Response {
    /// Value of a field of the head; empty without it.
    pub(super) fn field(&self, name: &str) -> &str {
        let mut fields = self.head.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(known, _)| known.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value.trim())
    }

    /// Splits the text of curl into head and body. A head of `100 Continue` may precede the last one.
    pub(super) fn parted(status: u16, said: &[u8]) -> Self {
        let (mut head, mut body) = (&[][..], said);
        let end = |body: &[u8]| body.windows(4).position(|four| four == b"\r\n\r\n");
        while let Some(end) = end(body).filter(|_| body.starts_with(b"HTTP/")) {
            (head, body) = (&body[..end], &body[end + 4..]);
        }
        Self { status, head: String::from_utf8_lossy(head).into_owned(), body: body.to_vec() }
    }
}

impl<'a> Request<'a> {
    /// A GET without headers.
    pub(super) fn get(address: &'a Address, path: String, time_max: Duration, bytes_max: u64) -> Self {
        Self { address, path, headers: Vec::new(), body: None, time_max, bytes_max, is_redirected: false }
    }

    /// Sends the request.
    ///
    /// # Errors
    /// There was no answer.
    pub(super) fn send(&self) -> Result<Response, RequestFailure> {
        let url = format!("{}{}", self.address.url, self.path);
        if !self.address.is_loopback {
            return self.by_curl(&url);
        }
        self.here(&url).map_err(|error| match &error {
            ureq::Error::Io(io) if is_end(io.kind()) => RequestFailure::Ended(error.to_string()),
            error => RequestFailure::Failed(error.to_string()),
        })
    }

    fn here(&self, url: &str) -> Result<Response, ureq::Error> {
        let agent = agent(self.time_max);
        let mut response = match &self.body {
            Some(Body::Bytes(bytes)) => self.with_headers(agent.post(url)).send(&bytes[..])?,
            _ => self.with_headers(agent.get(url)).call()?,
        };
        let fields = response.headers().iter();
        let head = fields.filter_map(|(name, value)| Some(format!("{name}: {}\n", value.to_str().ok()?))).collect();
        let body = response.body_mut().with_config().limit(self.bytes_max).read_to_vec()?;
        Ok(Response { status: response.status().as_u16(), head, body })
    }

    fn with_headers<B>(&self, builder: RequestBuilder<B>) -> RequestBuilder<B> {
        self.headers.iter().fold(builder, |builder, (name, value)| builder.header(*name, value))
    }

    fn by_curl(&self, url: &str) -> Result<Response, RequestFailure> {
        let head = if self.is_redirected {
            format!("location\nmax-filesize = {}\n", self.bytes_max)
        } else {
            "include\nsuppress-connect-headers\n".to_owned()
        };
        let mut config = format!("url = \"{url}\"\n{head}");
        for (name, value) in &self.headers {
            config.push_str(&format!("header = \"{name}: {}\"\n", value.replace('"', "\\\"")));
        }
        if let Some(Body::File(path)) = &self.body {
            config
                .push_str(&format!("header = \"Content-Type: application/octet-stream\"\ndata-binary = \"@{path}\"\n"));
        }
        let (status, said) = curl::ask(&config, self.time_max, self.bytes_max)?;
        let whole = |body| Response { status, head: String::new(), body };
        Ok(if self.is_redirected { whole(said) } else { Response::parted(status, &said) })
    }
}

/// True if the connection ended early.
fn is_end(kind: ErrorKind) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(kind, BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn answers_of_curl_are_parted_into_their_heads_and_body() {
        for (answer, pause, body) in [
            ("HTTP/2 201 \r\na: b\r\n\r\n{}", "", "{}"),
            ("HTTP/1.1 503 x\r\nRetry-After: 7\r\n\r\nno\r\n\r\nno", "7", "no\r\n\r\nno"),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 429 x\r\nretry-after: 9\r\n\r\n", "9", ""),
            ("no head", "", "no head"),
        ] {
            let response = Response::parted(200, answer.as_bytes());
            assert_eq!(
                (response.field("retry-after"), response.body.as_slice()),
                (pause, body.as_bytes()),
                "{answer:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_answer_never_panics(said in proptest::collection::vec(any::<u8>(), 0..200)) {
            let response = Response::parted(200, &said);
            prop_assert!(response.body.len() <= said.len() && response.field("etag").len() <= 3 * said.len());
        }
    }
}
