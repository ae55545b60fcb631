//! Endpoints for Prometheus and load balancers.

use super::answer::{Answer, Media, Refusal};
use super::input::PendingRequest;
use crate::store::{first, read};
use std::fmt::Write;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

/// `GET /metrics`: counters of this process, and the latest count of results.
pub(super) fn metrics(ask: &PendingRequest) -> Result<Answer, Refusal> {
    let tally = &ask.hub.tally;
    let rows: [(&str, &str, &str, &AtomicU64); 9] = [
        ("requests_total", "counter", "Requests answered.", &tally.requests),
        ("failures_total", "counter", "Answers with status 500 or above.", &tally.failures),
        ("uploads_total", "counter", "Results taken in.", &tally.uploads),
        ("quarantined_total", "counter", "Results quarantined.", &tally.quarantined),
        ("limited_total", "counter", "Requests refused by a rate limit.", &tally.limited),
        ("derived_total", "counter", "Results derived once more for a newer build.", &tally.derived),
        ("outdated_results", "gauge", "Results that wait to be derived once more.", &tally.outdated),
        ("finished_total", "counter", "Results whose pages are finished before they are asked for.", &tally.finished),
        ("notices_total", "counter", "Notices of changes sent.", &tally.notices),
    ];
    let mut text = String::new();
    for (name, kind, help, value) in rows {
        let value = value.load(Ordering::Relaxed);
        let _ = write!(
            text,
            "# HELP sbc_bench_hub_{name} {help}\n# TYPE sbc_bench_hub_{name} {kind}\nsbc_bench_hub_{name} {value}\n"
        );
    }
    let _ = write!(
        text,
        "# HELP sbc_bench_hub_results Results listed.\n# TYPE sbc_bench_hub_results gauge\nsbc_bench_hub_results {}\n",
        ask.hub.counts().total
    );
    text.push_str(
        "# HELP sbc_bench_hub_request_seconds Time of answers by route.\n# TYPE sbc_bench_hub_request_seconds summary\n",
    );
    let times = tally.times.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for (route, times) in &times {
        let sum = times.sum.as_secs_f64();
        let _ = write!(
            text,
            "sbc_bench_hub_request_seconds_sum{{route=\"{route}\"}} {sum}\n\
             sbc_bench_hub_request_seconds_count{{route=\"{route}\"}} {}\n",
            times.count
        );
    }
    text.push_str(
        "# HELP sbc_bench_hub_slow_total Answers that took a second or longer, by route.\n\
         # TYPE sbc_bench_hub_slow_total counter\n",
    );
    for (route, times) in &times {
        let _ = writeln!(text, "sbc_bench_hub_slow_total{{route=\"{route}\"}} {}", times.slow);
    }
    Ok(Answer::of(Media::Text, text))
}

/// `GET /readyz`: checks that the database answers.
pub(super) fn ready(ask: &PendingRequest) -> Result<Answer, Refusal> {
    read(&*ask.hub.store, |session| first(session, "SELECT 1 FROM migration LIMIT 1", &[]))?;
    Ok(Answer::of(Media::Text, "ready\n"))
}
