//! The document of the interface holds all routes and nothing else, and replies are as it says.

use probare_server::{ServerSettings, openapi_document, route_paths};
use serde_json::{Value as Json, json};

use crate::client::{Reply, TestServer};

#[test]
fn every_route_is_in_the_document_and_every_operation_is_a_route() {
    let server = TestServer::start(ServerSettings::default());
    let document = server.get("/openapi.json").json();
    assert_eq!(document, openapi_document());
    let operations = || {
        let paths = document["paths"].as_object().unwrap().iter();
        paths.flat_map(|(path, methods)| methods.as_object().unwrap().keys().map(move |method| (method, path)))
    };
    let mut known = 0;
    for (method, path) in route_paths() {
        assert!(document["paths"][path][method].is_object(), "{method} {path} is not in the document");
        known += 1;
    }
    assert_eq!(operations().count(), known);
    for (method, path) in operations() {
        let path = path.replace("{id}", "token_f1");
        let reply = server.ask(&method.to_uppercase(), &path, &["Content-Type: application/json"], "{}");
        assert!(!matches!(reply.status, 405 | 500), "{method} {path}: {reply:?}");
        let is_routed = reply.status != 404 || reply.body.contains("no corpus");
        assert!(is_routed, "{method} {path}: {reply:?}");
        // Every status that comes is one that the document knows.
        let template = if path == "/v1/metrics/token_f1" { "/v1/metrics/{id}" } else { &path };
        let known = &document["paths"][template][method.as_str()]["responses"];
        assert!(known[reply.status.to_string()].is_object(), "{method} {path}: {reply:?}");
    }
}

/// Whether a reply is as the document says.
#[track_caller]
fn fits(reply: &Reply, method: &str, path: &str) {
    let document = openapi_document();
    let content =
        &document["paths"][path][method]["responses"][reply.status.to_string()]["content"]["application/json"];
    let mut schema = content["schema"].clone();
    assert!(schema.is_object(), "{method} {path} {}", reply.status);
    schema["components"] = document["components"].clone();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let json = reply.json();
    let errors: Vec<String> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{method} {path}: {errors:?}");
}

#[test]
fn replies_are_as_the_document_says() {
    let server = TestServer::start(ServerSettings::default());
    let exchange = json!({"query": "q", "response": "r 5", "context": ["c"]}).to_string();
    fits(&server.post("/evaluate", &exchange), "post", "/evaluate");
    fits(&server.post("/evaluate?detail=true", &exchange), "post", "/evaluate");
    fits(&server.post("/evaluate", "{}"), "post", "/evaluate");
    fits(&server.post("/prompt", r#"{"question":"q"}"#), "post", "/prompt");
    for path in ["/v1/metrics", "/health", "/openapi.json"] {
        fits(&server.get(path), "get", path);
    }
    for metric in probare_benchmarks::registry().iter() {
        fits(&server.get(&format!("/v1/metrics/{}", metric.id)), "get", "/v1/metrics/{id}");
    }
}

#[test]
fn every_reference_leads_to_a_schema() {
    fn references(value: &Json, found: &mut Vec<String>) {
        match value {
            Json::Object(map) => {
                if let Some(Json::String(reference)) = map.get("$ref") {
                    found.push(reference.clone());
                }
                map.values().for_each(|value| references(value, found));
            }
            Json::Array(list) => list.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let document = openapi_document();
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(found.len() > 10);
    for reference in found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
}
