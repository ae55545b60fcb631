//! OpenAPI 3.1 document of the API, made from the tables of the routes.

use super::answer::{Answer, Refusal};
use super::input::PendingRequest;
use super::reading::FILTERS;
use crate::names::Kind;
use crate::query::LIMIT_MAX;
use crate::sorts::SORTS;
use serde_json::{Map, Value, json};

/// Descriptions of query parameters.
const DESCRIPTIONS: [(&str, &str); 15] = [
    ("board", "Name of the board, or its slug as in /board/SLUG. A name that no result has gives no results."),
    ("soc", "Name of the SoC or CPU, or its slug as in /soc/SLUG."),
    ("core", "A core type, such as Cortex-A76, or its slug."),
    ("cores", "A set of cores, such as 4x Cortex-A55 + 4x Cortex-A76, or its slug."),
    ("kernel", "Release of the kernel, or its slug."),
    ("distribution", "Name of the distribution, or its slug."),
    ("verdict", "Only results with this verdict."),
    ("died", "1: only runs that died."),
    ("q", "Words of boards, SoCs, kernels and others, all of which a result must have."),
    ("sort", "Figure to sort by, the best first; newest: by when a result was listed."),
    ("cursor", "The `next` of the page before."),
    ("limit", "Results of a page."),
    ("format", "json or csv."),
    ("publish", "1: list the result for all people."),
    ("machine", "Name of the machine, under which its results are one history."),
];

/// `GET /api/openapi.json`
pub(super) fn document(ask: &PendingRequest) -> Result<Answer, Refusal> {
    ask.parameters(&[])?;
    Ok(Answer::json(&json!({
        "openapi": "3.1.0",
        "info": {
            "title": "sbc-bench hub",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Results of sbc-bench. Lists are read page by page: `next`, also in the header Link.",
        },
        "servers": [{"url": if ask.own_url.is_empty() { "/" } else { &ask.own_url }}],
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "paths": paths(),
    })))
}

fn paths() -> Value {
    let id = [in_path("name")];
    let csv = json!({"text/csv": {}, "application/json": {"schema": {"type": "object"}}});
    json!({
        "/api/results": {
            "get": get("Lists results.", &filters(), csv, &[]),
            "post": send(),
        },
        "/api/results/{name}": {
            "get": get("One result.", &id, object(), &[404]),
            "delete": owned("Deletes a result of the token's owner.", &id),
        },
        "/api/results/{name}/original": {"get": get("What was sent, redacted.", &id, json!({"application/octet-stream": {}}), &[404])},
        "/api/results/{name}/findings": {"get": get("What the rules say.", &id, object(), &[404, 409])},
        "/api/results/{name}/publish": {
            "post": owned("Lists a result for all people.", &id),
            "delete": owned("Hides a result; its address stays.", &id),
        },
        "/api/names/{name}": {"get": get("Names of a kind with their results.", &[kind()], object(), &[404])},
        "/api/references": {
            "get": get("Valid results as reference data.", &references(), json!({"text/tab-separated-values": {}}), &[]),
        },
        "/api/mine": {"get": with_token(get(
            "All results of the token's owner, the newest first.",
            &["cursor", "limit"].map(filter),
            object(),
            &[401],
        ))},
        "/api/changes": {"get": with_token(get("Changes of the owner's machines.", &[], object(), &[401]))},
        "/api/changes/{name}/acknowledge": {"post": owned("Acknowledges a change.", &id)},
        "/api/openapi.json": {"get": get("This document.", &[], object(), &[])},
    })
}

fn object() -> Value {
    json!({"application/json": {"schema": {"type": "object"}}})
}

fn responses(of: &[(u16, Value)]) -> Value {
    let mut all = Map::new();
    for (status, content) in of {
        all.insert(status.to_string(), json!({"description": format!("Status {status}."), "content": content}));
    }
    // A malformed request, a rate limit, a failure of the database.
    for status in [400_u16, 429, 500, 503] {
        let error = json!({"application/json": {"schema": {
            "type": "object", "required": ["error"], "properties": {"error": {"type": "string"}},
        }}});
        all.entry(status.to_string()).or_insert_with(|| json!({"description": "An error in words.", "content": error}));
    }
    Value::Object(all)
}

fn get(summary: &str, parameters: &[Value], content: Value, refusals: &[u16]) -> Value {
    let mut all = vec![(200, content), (304, json!({}))];
    all.extend(refusals.iter().map(|status| (*status, object())));
    json!({"summary": summary, "parameters": parameters, "responses": responses(&all)})
}

fn with_token(mut operation: Value) -> Value {
    operation["security"] = json!([{"token": []}]);
    operation
}

fn owned(summary: &str, parameters: &[Value]) -> Value {
    let all = [200, 401, 403, 404, 507].map(|status| (status, object()));
    with_token(json!({"summary": summary, "parameters": parameters, "responses": responses(&all)}))
}

fn send() -> Value {
    let parameters = ["publish", "machine"].map(filter);
    let mut all = [200, 201, 401, 403, 408, 413, 507].map(|status| (status, object())).to_vec();
    for (_, content) in all.iter_mut().take(2) {
        content["text/plain"] = json!({});
    }
    with_token(json!({
        "summary": "Sends a result file, stream, recording or log, also packed by gzip, or a tar or zip archive of them.",
        "parameters": parameters,
        "requestBody": {
            "required": true,
            "content": {"application/octet-stream": {"schema": {"minLength": 1}}},
        },
        "responses": responses(&all),
    }))
}

fn in_path(name: &str) -> Value {
    let about = "The last part of the address of a result; of a change, its number.";
    json!({"name": name, "in": "path", "required": true, "description": about, "schema": {"type": "string"}})
}

fn kind() -> Value {
    let kinds: Vec<&str> = Kind::ALL.iter().map(|kind| kind.word()).collect();
    json!({"name": "name", "in": "path", "required": true, "description": "Kind of the names.", "schema": {"enum": kinds}})
}

/// A query parameter. Forms send empty fields, so an empty value counts as none.
fn filter(name: &str) -> Value {
    let sorts = || ["", "newest"].into_iter().chain(SORTS.iter().map(|sort| sort.column));
    let schema = match name {
        "verdict" => json!({"enum": ["", "valid", "unproven", "degraded", "invalid"]}),
        "died" | "publish" => json!({"enum": ["", "0", "1", "true", "false"]}),
        "sort" => json!({"enum": sorts().collect::<Vec<_>>()}),
        // `minimum` and `maximum` apply to numbers, `maxLength` to texts.
        "limit" => json!({"type": ["integer", "string"], "minimum": 1, "maximum": LIMIT_MAX, "maxLength": 0}),
        "format" => json!({"enum": ["", "json", "csv"]}),
        "cursor" => json!({"type": "string", "pattern": "^(-?[0-9]{1,15}(\\.[0-9]{1,9})?_[0-9]{1,18})?$"}),
        _ => json!({"type": "string"}),
    };
    let about = DESCRIPTIONS.iter().find(|(known, _)| *known == name).map_or("", |(_, about)| about);
    json!({"name": name, "in": "query", "description": about, "schema": schema})
}

fn filters() -> Vec<Value> {
    FILTERS.iter().map(|name| filter(name)).collect()
}

fn references() -> Vec<Value> {
    ["board", "soc", "core", "cursor"].map(filter).to_vec()
}
