//! Sends notices of changes. One hub leases a notice at a time; a failed attempt is repeated with growing delays, and
//! the lease of a hub that died expires.

use crate::changes::{self, Change};
use crate::hooks::{Form, Hook};
use crate::mail::{self, Mail};
use crate::store::{Store, StoreError, first, write};
use crate::{curl, log};
use serde_json::json;
use std::time::Duration;

/// Maximum number of attempts, which span about a day.
const TRIES_MAX: i64 = 12;
/// Maximum delay of an attempt; a later due time dates from before the clock was set back.
const WAIT_MS_MAX: i64 = 1_000 << 14;
const LEASE_MS: i64 = 60_000;
/// Timeout of an attempt.
const TIME_MAX: Duration = Duration::from_secs(20);

struct LeaseRow {
    /// Notices of one hook about one machine, sent as one.
    ids: Vec<i64>,
    tries: i64,
    hook: Option<Hook>,
    changes: Vec<Change>,
}

/// Sends one notice that is due. False if none is due or the attempt failed.
pub fn send_one(store: &dyn Store, own_url: &str, now_utc_ms: i64) -> Result<bool, StoreError> {
    let Some(taken) = take(store, now_utc_ms)? else { return Ok(false) };
    let sent = match &taken.hook {
        Some(hook) => send(hook, &taken.changes, own_url, now_utc_ms),
        None => Err("unknown form of notice".to_owned()),
    };
    let ids = numbers(&taken.ids);
    write(store, |session| match &sent {
        Ok(()) => {
            let sql = format!("UPDATE notice SET sent_utc_ms = $1, last_error = NULL WHERE id IN ({ids})");
            session.run(&sql, &[now_utc_ms.into()])
        }
        Err(why) => {
            let wait_ms = (1_000_i64 << (taken.tries + 4).min(14)).min(WAIT_MS_MAX);
            let sql = format!("UPDATE notice SET due_utc_ms = $1, last_error = $2 WHERE id IN ({ids})");
            session.run(&sql, &[(now_utc_ms + wait_ms).into(), why.as_str().into()])
        }
    })?;
    if let Err(why) = &sent {
        log::event("notice", &[("error", why)]);
    }
    Ok(sent.is_ok())
}

fn numbers(all: &[i64]) -> String {
    all.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

fn take(store: &dyn Store, now_utc_ms: i64) -> Result<Option<LeaseRow>, StoreError> {
    let ending = store.dialect().for_one_worker();
    let found = format!(
        "SELECT id, hook_id, change_id, tries FROM notice WHERE sent_utc_ms IS NULL AND tries < $2 \
         AND (due_utc_ms <= $1 OR due_utc_ms > $3) ORDER BY due_utc_ms LIMIT 1{ending}"
    );
    // All notices due to one receiver about one machine: one cause lowers several figures.
    let of_machine = format!(
        "SELECT id, change_id FROM notice WHERE hook_id = $1 AND sent_utc_ms IS NULL AND tries < $3 AND due_utc_ms <= $4 \
         AND change_id IN (SELECT other.id FROM change AS other JOIN change AS this ON other.owner = this.owner \
         AND other.machine = this.machine WHERE this.id = $2){ending}"
    );
    write(store, |session| {
        let Some(row) =
            first(session, &found, &[now_utc_ms.into(), TRIES_MAX.into(), (now_utc_ms + WAIT_MS_MAX).into()])?
        else {
            return Ok(None);
        };
        let (id, tries) = (row.integer(0).unwrap_or(0), row.integer(3).unwrap_or(0));
        let others =
            session.run(&of_machine, &[row.0[1].clone(), row.0[2].clone(), TRIES_MAX.into(), now_utc_ms.into()])?;
        let mut taken = vec![(id, row.integer(2).unwrap_or(0))];
        taken.extend(others.iter().map(|row| (row.integer(0).unwrap_or(0), row.integer(1).unwrap_or(0))));
        taken.sort_unstable();
        taken.dedup();
        let ids: Vec<i64> = taken.iter().map(|(id, _)| *id).collect();
        let sql = format!("UPDATE notice SET tries = tries + 1, due_utc_ms = $1 WHERE id IN ({})", numbers(&ids));
        session.run(&sql, &[(now_utc_ms + LEASE_MS).into()])?;
        let sql = "SELECT kind, target, allow_private FROM hook WHERE id = $1";
        let hook = first(session, sql, &[row.0[1].clone()])?;
        let mut found = Vec::new();
        for (_, change) in &taken {
            found.extend(changes::one(session, *change)?);
        }
        let changes = Some(found).filter(|found| !found.is_empty());
        Ok(hook.zip(changes).map(|(hook, changes)| LeaseRow {
            ids: ids.clone(),
            tries,
            hook: Form::of(hook.text(0).unwrap_or_default()).map(|form| Hook {
                form,
                target: hook.words(1),
                allow_private: hook.flag(2),
            }),
            changes,
        }))
    })
}

/// The address of a result, and a text with it. Without a public address the hub cannot make a link.
fn link(own_url: &str, slug: &str) -> (Option<String>, String) {
    if own_url.is_empty() {
        return (None, format!("Result {slug}; there is no link because the hub was started without --public-url."));
    }
    let url = format!("{}/r/{slug}", own_url.trim_end_matches('/'));
    (Some(url.clone()), url)
}

fn send(hook: &Hook, changes: &[Change], own_url: &str, now_utc_ms: i64) -> Result<(), String> {
    let Some(change) = changes.first() else { return Ok(()) };
    let target = hook.target.as_str();
    let (url, end) = link(own_url, &change.slug);
    let text = format!("{} {end}", changes::sentences(changes));
    match hook.form {
        Form::Generic => {
            let all: Vec<_> = changes.iter().map(Change::json).collect();
            let body = json!({"event": "change", "change": change.json(), "changes": all, "text": text, "url": url});
            post(hook, target, "POST", &body, change.id)
        }
        Form::Slack => post(hook, target, "POST", &json!({"text": text}), change.id),
        Form::Matrix => {
            // The number of the change makes repeated attempts one message.
            let (room, token) = target.split_once('?').unwrap_or((target, ""));
            let address = format!("{room}/send/m.room.message/sbc-bench-{}?{token}", change.id);
            post(hook, &address, "PUT", &json!({"msgtype": "m.text", "body": text}), change.id)
        }
        Form::Mail => {
            let mail = Mail { subject: "sbc-bench: a figure changed", text: &text, number: change.id, now_utc_ms };
            mail::send(target, hook.allow_private, &mail, TIME_MAX)
        }
    }
}

fn post(to: &Hook, url: &str, method: &str, body: &serde_json::Value, change: i64) -> Result<(), String> {
    let (body, key) = (body.to_string(), format!("idempotency-key: {change}"));
    let options = [
        ("proto", "=http,https"),
        ("request", method),
        ("header", "content-type: application/json"),
        ("header", &key),
        ("data-raw", &body),
    ];
    curl::send(url, to.allow_private, &options, TIME_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    #[test]
    fn redirection_is_not_followed_and_the_notice_is_not_sent() {
        for status in [301, 302, 307, 308] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let url = format!("http://{}/hook", listener.local_addr().unwrap());
            let location = url.replace("/hook", "/internal");
            let receiver = std::thread::Builder::new().spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                let _ = stream.read(&mut [0; 4096]).unwrap();
                let head = format!("HTTP/1.1 {status} Elsewhere\r\nlocation: {location}\r\n");
                stream.write_all(format!("{head}content-length: 0\r\nconnection: close\r\n\r\n").as_bytes()).unwrap();
                drop(stream);
                listener.set_nonblocking(true).unwrap();
                listener
            });
            let hook = Hook { form: Form::Generic, target: url.clone(), allow_private: true };
            assert_eq!(post(&hook, &url, "POST", &json!({}), 1), Err(format!("the answer is {status}")));
            // A followed redirection would leave a connection to accept.
            assert!(receiver.unwrap().join().unwrap().accept().is_err(), "{status}");
        }
    }
}
