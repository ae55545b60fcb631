//! The OpenAPI document has every route, and describes parameters as the hub accepts them.

use crate::common::hub_process::HubProcess;
use serde_json::Value;
use std::collections::BTreeSet;

/// Methods of the router, and their names in the document.
const METHODS: [(&str, &str); 5] =
    [("api(", "get"), ("worker_route(", "get"), ("get(", "get"), ("post(", "post"), ("delete(", "delete")];

/// Routes of the API in the router's source.
fn routes() -> BTreeSet<(String, &'static str)> {
    let lines = include_str!("../src/http/routes.rs").lines();
    let api = lines.filter_map(|line| line.trim().strip_prefix(".route(\"")).filter(|line| line.starts_with("/api/"));
    let mut found = BTreeSet::new();
    for (path, handlers) in api.filter_map(|line| line.split_once("\", ")) {
        let methods = METHODS.into_iter().filter(|(call, _)| handlers.contains(call));
        found.extend(methods.map(|(_, method)| (path.to_owned(), method)));
    }
    found
}

#[test]
fn document_has_every_route_and_no_other() {
    let hub = HubProcess::start(None, &[]);
    let document = hub.get("/api/openapi.json").json();
    let described: BTreeSet<(String, &str)> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, methods)| {
            let names = METHODS.into_iter().map(|(_, method)| method).filter(|method| !methods[method].is_null());
            names.map(|method| (path.clone(), method))
        })
        .collect();
    assert!(described.len() > 10, "{described:?}");
    assert_eq!(described, routes());
}

/// Whether a schema accepts an empty text.
fn takes_empty(schema: &Value) -> bool {
    let has =
        |list: &Value, value: &str| list == value || list.as_array().is_some_and(|list| list.contains(&value.into()));
    match (&schema["enum"], schema["pattern"].as_str()) {
        (Value::Array(_), _) => has(&schema["enum"], ""),
        // The only pattern is that of the cursor.
        (_, Some(pattern)) => pattern.ends_with(")?$"),
        _ => has(&schema["type"], "string"),
    }
}

#[test]
fn empty_parameters_are_as_described() {
    let hub = HubProcess::start(None, &[]);
    let document = hub.get("/api/openapi.json").json();
    let mut asked = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for parameter in methods["get"]["parameters"].as_array().into_iter().flatten() {
            if parameter["in"] != "query" {
                continue;
            }
            asked += 1;
            let path = format!("{path}?{}=", parameter["name"].as_str().unwrap());
            let answer = hub.ask("GET", &path);
            assert_eq!(answer.status == 200, takes_empty(&parameter["schema"]), "{path}: {parameter}");
        }
    }
    assert!(asked > 10, "{asked}");
    let answer = hub.send("?publish=", b"no log");
    let publish = &document["paths"]["/api/results"]["post"]["parameters"][0];
    assert_eq!(answer.status == 201, takes_empty(&publish["schema"]), "{publish}");
}
