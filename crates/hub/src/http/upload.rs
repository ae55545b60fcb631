//! Requests that change data: upload, publish, delete, acknowledge. Each needs a token.

use super::answer::{Answer, Media, Refusal};
use super::ask;
use super::input::PendingRequest;
use crate::hub_state::{Hub, Tally};
use crate::shares::Share;
use crate::store::{erase, read, write};
use crate::submit::{UploadOptions, submit};
use crate::tokens::{Scope, Token};
use crate::{changes, clock, own, quota, removal, results};
use axum::body::{Body, HttpBody};
use axum::http::{StatusCode, header};
use serde_json::json;
use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

/// Maximum time of a body: 8 MiB at 1 Mbit/s.
const BODY_TIME_MAX: Duration = Duration::from_secs(70);
/// Maximum length of the sender's name of a machine.
const ALIAS_CHARACTERS_MAX: usize = 100;

/// Sender and options, checked before the body is read.
pub(super) struct Permit {
    token: Token,
    publish: bool,
    alias: String,
}

impl Permit {
    pub(super) fn owner(&self) -> i64 {
        self.token.id
    }
}

/// Checks that a request may upload.
pub(super) fn permit(ask: &PendingRequest) -> Result<Permit, Refusal> {
    let PendingRequest { hub, headers, .. } = ask;
    let parameters = ask.parameters(&["publish", "machine"])?;
    let publish = parameters.flag("publish")?;
    let token = ask::allowed(hub, headers, Scope::Upload)?;
    if publish && !token.scopes.contains(&Scope::Publish) {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "The token has not the scope publish."));
    }
    let taken = hub.rates.upload(token.id, hub.settings.uploads_per_minute, clock::monotonic_ms());
    taken.map_err(|seconds| ask::too_often(hub, seconds))?;
    read(&*hub.store, |session| quota::of(session, token.id))?.check()?;
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > hub.settings.limits.request_bytes_max) {
        return Err(too_large(hub));
    }
    let alias = parameters.get("machine").unwrap_or_default();
    let alias = facts::plain(alias).chars().take(ALIAS_CHARACTERS_MAX).collect();
    Ok(Permit { token, publish, alias })
}

fn too_large(hub: &Hub) -> Refusal {
    let limit_kib = hub.settings.limits.request_bytes_max >> 10;
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("The limit of a request is {limit_kib} KiB."))
}

/// Reads a body within the limits of size and time and the share of its sender.
pub(super) async fn body(hub: &Hub, owner: i64, body: Body) -> Result<(Vec<u8>, Share<i64>), Refusal> {
    match tokio::time::timeout(BODY_TIME_MAX, whole(hub, owner, body)).await {
        Ok(read) => read,
        Err(_) => Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "The request took too long.")),
    }
}

async fn whole(hub: &Hub, owner: i64, mut body: Body) -> Result<(Vec<u8>, Share<i64>), Refusal> {
    let no_room = || Refusal::busy("Too much is being sent with this token; try again.");
    let mut room = hub.bodies.take(owner, 0).ok_or_else(no_room)?;
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        let frame = frame.map_err(|_| Refusal::bad("The request ended early."))?;
        // Trailers are ignored.
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > hub.settings.limits.request_bytes_max {
            return Err(too_large(hub));
        }
        // No waiting: bodies that wait for each other's memory would wait for ever.
        if !room.grow(data.len()) {
            return Err(no_room());
        }
        bytes.extend_from_slice(&data);
    }
    Ok((bytes, room))
}

/// Stores an upload durably.
pub(super) fn keep(ask: &PendingRequest, permit: Permit, body: &[u8]) -> Result<Answer, Refusal> {
    let PendingRequest { hub, headers, own_url, stop, .. } = ask;
    let sent = UploadOptions {
        owner: permit.token.id,
        publish: permit.publish,
        alias: permit.alias,
        now_utc_ms: clock::now_utc_ms(),
        build: hub.build,
        quarantines: true,
    };
    let also = |session: &mut dyn crate::store::Session,
                kept: &results::StoredResult,
                derived: &crate::derive::ResultSummary| {
        changes::look(session, sent.owner, kept.id, derived, sent.now_utc_ms).map(drop)
    };
    let submitted = submit(&*hub.store, &hub.workers, stop, body, &sent, &also)?;
    let mut all = Vec::new();
    let mut is_new = false;
    for (name, kept) in submitted.iter().filter_map(|(name, kept)| Some((name, kept.as_ref().ok()?))) {
        is_new |= !kept.was_there;
        if !kept.was_there {
            Tally::add(&hub.tally.uploads);
            let quarantined = kept.quarantined.is_some();
            if quarantined {
                Tally::add(&hub.tally.quarantined);
            }
        }
        let is_quarantined = kept.quarantined.is_some();
        all.push(json!({
            "name": name,
            "id": kept.slug,
            "url": own::address(own_url, &kept.slug, is_quarantined),
            "state": own::state(is_quarantined, kept.published),
            "reason": kept.quarantined,
            "known": kept.was_there,
        }));
    }
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let wants_text = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()) == Some("text/plain");
    let answer = if wants_text {
        let urls: Vec<String> = all.iter().filter_map(|one| Some(format!("{}\n", one["url"].as_str()?))).collect();
        Answer::of(Media::Text, urls.concat())
    } else {
        Answer::json(&json!({"results": all}))
    };
    Ok(answer.status(status))
}

pub(super) fn list(ask: &PendingRequest) -> Result<Answer, Refusal> {
    publish(ask, true)
}

pub(super) fn hide(ask: &PendingRequest) -> Result<Answer, Refusal> {
    publish(ask, false)
}

/// Lists a result, or hides it.
fn publish(ask: &PendingRequest, lists: bool) -> Result<Answer, Refusal> {
    let PendingRequest { hub, headers, name: slug, .. } = ask;
    let token = ask::allowed(hub, headers, Scope::Publish)?;
    let at = lists.then(clock::now_utc_ms);
    if write(&*hub.store, |session| results::publish(session, token.id, slug, at))? {
        Ok(Answer::json(&json!({"id": slug, "state": if lists { "listed" } else { "unlisted" }})))
    } else {
        Err(Refusal::not_found())
    }
}

pub(super) fn delete(ask: &PendingRequest) -> Result<Answer, Refusal> {
    let PendingRequest { hub, headers, name: slug, .. } = ask;
    let token = ask::allowed(hub, headers, Scope::Delete)?;
    if erase(&*hub.store, |session| removal::delete(session, token.id, slug))?.0 {
        Ok(Answer::json(&json!({"id": slug, "state": "deleted"})))
    } else {
        Err(Refusal::not_found())
    }
}

pub(super) fn acknowledge(ask: &PendingRequest) -> Result<Answer, Refusal> {
    let PendingRequest { hub, headers, name, .. } = ask;
    let token = ask::allowed(hub, headers, Scope::Acknowledge)?;
    let id: i64 = name.parse().map_err(|_| Refusal::not_found())?;
    if write(&*hub.store, |session| changes::acknowledge(session, token.id, id, clock::now_utc_ms()))? {
        Ok(Answer::json(&json!({"id": id, "state": "acknowledged"})))
    } else {
        Err(Refusal::not_found())
    }
}
