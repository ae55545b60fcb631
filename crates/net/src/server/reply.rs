//! Requests and answers without sockets (RFC 9110, RFC 9112; streams: the HTML standard, 9.2).

use std::net::IpAddr;
use std::sync::Arc;

/// Plain text.
pub const TEXT: &str = "text/plain; charset=utf-8";
/// Media type of metrics.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Media type of pages.
pub const HTML: &str = "text/html; charset=utf-8";

/// Content of a server.
pub trait Site: Send + 'static {
    /// Answers a request for a path, which starts with `/` and has no query.
    fn answer(&mut self, path: &str) -> Answer;

    /// Current block of a stream; it replaces the previous one.
    fn news(&mut self) -> String {
        String::new()
    }
}

/// An answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A document.
    Document {
        /// Its media type.
        kind: &'static str,
        /// Content.
        body: Vec<u8>,
    },
    /// A user's file, which must not run as a page.
    File {
        /// Its media type.
        kind: &'static str,
        /// All of it.
        body: Vec<u8>,
    },
    /// Redirect to this path.
    Elsewhere(String),
    /// Body of the answer 404.
    NotFound(&'static str),
    /// Stream of news.
    Stream,
}

impl Answer {
    /// A page.
    pub fn page(text: String) -> Self {
        Self::Document { kind: HTML, body: text.into_bytes() }
    }

    /// Metrics for Prometheus.
    pub fn metrics(text: String) -> Self {
        Self::Document { kind: METRICS, body: text.into_bytes() }
    }
}

/// Encoded answer.
#[derive(Debug)]
pub struct Reply {
    pub(crate) bytes: Vec<u8>,
    /// True if frames follow.
    pub(crate) is_stream: bool,
}

/// Forbids caching, sniffing, framing and referrers; the address may contain a token.
const HEADERS: &str = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
                       Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n";
/// Denies scripts and same-origin rights to files.
const SANDBOX: &str = "Content-Security-Policy: default-src 'none'; sandbox\r\n";

/// Answers a request. `is_local` for a server on loopback; `has_room` if a stream has room for one more follower.
pub fn reply(request: &[u8], is_local: bool, has_room: bool, site: &mut impl Site) -> Reply {
    let head = String::from_utf8_lossy(request);
    let mut words = head.lines().next().unwrap_or_default().split(' ');
    let method = words.next().unwrap_or_default();
    let path = words.next().unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let text = |status: &'static str, body: &str| (status, String::new(), TEXT, body.as_bytes().to_vec());
    let (status, more, kind, body) = match method {
        _ if is_local && !is_own_name(&head) => text("421 Misdirected Request", "use localhost or an IP address\n"),
        "GET" | "HEAD" => match site.answer(path) {
            Answer::Stream if !has_room => text("503 Service Unavailable", "too many follow already\n"),
            Answer::Stream => return stream(method == "GET"),
            Answer::Document { kind, body } => ("200 OK", String::new(), kind, body),
            Answer::File { kind, body } => ("200 OK", SANDBOX.to_owned(), kind, body),
            Answer::NotFound(why) => text("404 Not Found", why),
            Answer::Elsewhere(path) => ("303 See Other", format!("Location: {path}\r\n"), TEXT, Vec::new()),
        },
        _ => ("405 Method Not Allowed", "Allow: GET, HEAD\r\n".to_owned(), TEXT, b"use GET\n".to_vec()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{more}{HEADERS}Connection: close\r\n\r\n"
    );
    let mut bytes = head.into_bytes();
    if method != "HEAD" {
        bytes.extend(body);
    }
    Reply { bytes, is_stream: false }
}

/// Head of a stream, which has no length.
fn stream(is_stream: bool) -> Reply {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{HEADERS}Connection: close\r\n\r\n");
    Reply { bytes: head.into_bytes(), is_stream }
}

/// Encodes text as an event of a stream.
pub(super) fn frame(text: &str) -> Arc<[u8]> {
    let mut frame = String::with_capacity(text.len() + 64);
    for line in text.split(['\n', '\r']) {
        frame.push_str("data: ");
        frame.push_str(line);
        frame.push('\n');
    }
    frame.push('\n');
    frame.into_bytes().into()
}

/// True unless a browser was led here by a foreign DNS name: on loopback the host must be `localhost` or an address. A
/// missing host is accepted.
fn is_own_name(head: &str) -> bool {
    let mut fields = head.lines().filter_map(|line| line.split_once(':'));
    let Some((_, host)) = fields.find(|(name, _)| name.eq_ignore_ascii_case("host")) else {
        return true;
    };
    let host = host.trim();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => host.split(':').next(),
    };
    let name = name.unwrap_or_default();
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A site with one of each kind.
    struct TestSite;

    impl Site for TestSite {
        fn answer(&mut self, path: &str) -> Answer {
            match path {
                "/" => Answer::page("<p>page".to_owned()),
                "/file" => Answer::File { kind: TEXT, body: b"<script>".to_vec() },
                "/old" => Answer::Elsewhere("/".to_owned()),
                "/events" => Answer::Stream,
                _ => Answer::NotFound("see /\n"),
            }
        }
    }

    fn check(request: &str, is_local: bool, status: &str, holds: &str) {
        let reply = reply(request.as_bytes(), is_local, true, &mut TestSite);
        let text = String::from_utf8(reply.bytes).unwrap();
        assert!(text.starts_with(&format!("HTTP/1.1 {status}\r\n")) && text.contains(holds), "{request}: {text}");
    }

    #[test]
    fn requests_and_their_answers() {
        check("GET / HTTP/1.1\r\nHost: localhost:9478\r\n\r\n", true, "200 OK", "\r\n\r\n<p>page");
        check("GET /?x=1 HTTP/1.0\r\n\r\n", true, "200 OK", "\r\n\r\n<p>page");
        check("HEAD / HTTP/1.1\r\n\r\n", true, "200 OK", "Content-Length: 7\r\n");
        check("GET /file HTTP/1.1\r\n\r\n", true, "200 OK", "default-src 'none'; sandbox\r\n");
        check("GET /old HTTP/1.1\r\n\r\n", true, "303 See Other", "Location: /\r\n");
        check("GET /../etc/passwd HTTP/1.1\r\n\r\n", true, "404 Not Found", "see /\n");
        check("GET /events HTTP/1.1\r\n\r\n", true, "200 OK", "text/event-stream");
        check("POST / HTTP/1.1\r\n\r\n", true, "405 Method Not Allowed", "Allow: GET, HEAD\r\n");
        check("", true, "405 Method Not Allowed", "use GET\n");
        check("\u{fffd}\0 \r\n\r\n", true, "405 Method Not Allowed", "use GET\n");
        let full = reply(b"GET /events HTTP/1.1\r\n\r\n", true, false, &mut TestSite);
        assert!(full.bytes.starts_with(b"HTTP/1.1 503") && !full.is_stream);
    }

    #[test]
    fn foreign_host_names_are_refused() {
        for (host, status) in [
            ("127.0.0.1:9478", "200 OK"),
            ("[::1]:9478", "200 OK"),
            ("LocalHost", "200 OK"),
            ("rebound.example:9478", "421 Misdirected Request"),
            ("localhost.example", "421 Misdirected Request"),
            ("", "421 Misdirected Request"),
        ] {
            check(&format!("GET / HTTP/1.1\r\nhost: {host}\r\n\r\n"), true, status, "");
        }
        // A client on another machine may use any name of this machine.
        check("GET / HTTP/1.1\r\nHost: board.lan\r\n\r\n", false, "200 OK", "");
    }

    #[test]
    fn frames_hold_lines_and_end_once() {
        for (text, expected) in [
            ("", "data: \n\n"),
            ("a", "data: a\n\n"),
            ("a\n\nevent: b", "data: a\ndata: \ndata: event: b\n\n"),
            ("a\rid: 1", "data: a\ndata: id: 1\n\n"),
        ] {
            assert_eq!(&*frame(text), expected.as_bytes(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn requests_never_panics(request in proptest::collection::vec(any::<u8>(), 0..300), is_local in any::<bool>()) {
            let reply = reply(&request, is_local, true, &mut TestSite);
            prop_assert!(reply.bytes.starts_with(b"HTTP/1.1 "));
        }
    }
}
