//! A table of routes as an OpenAPI 3.1 document.

use axum::http::StatusCode;
use probare_report::VERSION;
use schemars::generate::SchemaSettings;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value as Json, json};

use crate::api_error::ErrorReply;
use crate::app::RouteAccess;
use crate::body::JSON;
use crate::route::Route;

/// Name of the way in which a token is sent.
const BEARER: &str = "bearer";

/// The document.
pub(crate) fn document(routes: &[Route]) -> Json {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths: Map<String, Json> = Map::new();
    for route in routes {
        let operation = operation(route, &mut generator);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(route.method.to_owned(), operation);
        }
    }
    let schemas = generator.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Probare",
            "version": VERSION,
            "description": "Evaluates what language models answer: fast, offline, with the evidence behind every score.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": { BEARER: { "type": "http", "scheme": "bearer" } },
        },
    })
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Json {
    let refused = generator.subschema_for::<ErrorReply>();
    let (kind, made) = route.reply;
    let mut responses = Map::new();
    responses.insert("200".into(), reply("What was asked for", kind, &made(generator)));
    for status in route.refusals {
        let status = StatusCode::from_u16(*status).unwrap_or_default();
        let words = status.canonical_reason().unwrap_or_default();
        responses.insert(status.as_str().to_owned(), reply(words, JSON, &refused));
    }
    let parameters: Vec<Json> = route
        .parameters
        .iter()
        .map(|parameter| {
            let one = (parameter.schema)(generator);
            let schema = if parameter.repeats { json!({ "type": "array", "items": one }) } else { one.into() };
            json!({
                "name": parameter.name,
                "in": parameter.place,
                "required": parameter.place == "path",
                "description": parameter.summary,
                "schema": schema,
            })
        })
        .collect();
    let mut operation = json!({
        "operationId": operation_id(route),
        "summary": route.summary,
        "responses": responses,
    });
    let Some(map) = operation.as_object_mut() else { return operation };
    if !parameters.is_empty() {
        map.insert("parameters".into(), parameters.into());
    }
    if !route.bodies.is_empty() {
        let content: Map<String, Json> = route
            .bodies
            .iter()
            .map(|(kind, schema)| ((*kind).to_owned(), json!({ "schema": schema(generator) })))
            .collect();
        map.insert("requestBody".into(), json!({ "required": true, "content": content }));
    }
    match route.access {
        RouteAccess::Public => {}
        // Without a token on the server, and with one in the body, no header is needed.
        RouteAccess::HeaderToken | RouteAccess::HeaderOrBodyToken => {
            map.insert("security".into(), json!([{}, { BEARER: [] }]));
        }
    }
    operation
}

fn reply(description: &str, kind: &str, schema: &Schema) -> Json {
    let kind = kind.split(';').next().unwrap_or(kind);
    json!({ "description": description, "content": { kind: { "schema": schema } } })
}

/// `post /v1/score` is `post_v1_score`.
fn operation_id(route: &Route) -> String {
    let words = route.path.split(|sign: char| !sign.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    std::iter::once(route.method).chain(words).collect::<Vec<_>>().join("_")
}
