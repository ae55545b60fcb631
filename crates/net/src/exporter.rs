//! One page of text for Prometheus: the metrics that it fetches.

use super::server::{Answer, RunningServer, Site, serve as serve_site};
use std::net::SocketAddr;

/// The format of the page, as Prometheus wants it named.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Serves the page until the process ends; returns where.
///
/// # Errors
/// The address cannot be listened on.
pub fn serve(address: SocketAddr, page: impl Fn() -> String + Send + 'static) -> std::io::Result<SocketAddr> {
    serve_site("exporter", address, Metrics(page)).map(|RunningServer { address, .. }| address)
}

/// The page, and a link to it.
pub struct Metrics<P>(pub P);

impl<P: Fn() -> String + Send + 'static> Site for Metrics<P> {
    fn answer(&mut self, path: &str) -> Answer {
        match path {
            "/metrics" => Answer::Document { kind: CONTENT_TYPE, body: (self.0)().into_bytes() },
            "/" => Answer::page("<title>sbc-bench</title><a href=\"/metrics\">metrics</a>\n".to_owned()),
            _ => Answer::NotFound("see /metrics\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_metrics_page_is_served() {
        let mut site = Metrics(|| "load 1\n".to_owned());
        let metrics = Answer::Document { kind: CONTENT_TYPE, body: b"load 1\n".to_vec() };
        assert_eq!(site.answer("/metrics"), metrics);
        assert_eq!(site.answer("/../etc/passwd"), Answer::NotFound("see /metrics\n"));
        let Answer::Document { body, .. } = site.answer("/") else { panic!("a page") };
        assert!(String::from_utf8(body).unwrap().contains("href=\"/metrics\""));
    }
}
