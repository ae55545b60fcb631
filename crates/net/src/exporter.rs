//! Serves metrics to Prometheus.

use super::server::{Answer, RunningServer, Site, serve as serve_site};
use std::net::SocketAddr;

/// Serves the page until the process ends; returns the address.
///
/// # Errors
/// The address cannot be listened on.
pub fn serve(address: SocketAddr, page: impl Fn() -> String + Send + 'static) -> std::io::Result<SocketAddr> {
    serve_site("exporter", address, Metrics(page)).map(|RunningServer { address, .. }| address)
}

/// Site with the metrics and a link to them.
pub struct Metrics<P>(pub P);

impl<P: Fn() -> String + Send + 'static> Site for Metrics<P> {
    fn answer(&mut self, path: &str) -> Answer {
        match path {
            "/metrics" => Answer::metrics((self.0)()),
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
        let metrics = Answer::metrics("load 1\n".to_owned());
        assert_eq!(site.answer("/metrics"), metrics);
        assert_eq!(site.answer("/../etc/passwd"), Answer::NotFound("see /metrics\n"));
        let Answer::Document { body, .. } = site.answer("/") else { panic!("a page") };
        assert!(String::from_utf8(body).unwrap().contains("href=\"/metrics\""));
    }
}
