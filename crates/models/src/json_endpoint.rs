//! [`JsonEndpoint`]: messages of JSON to an address that the user's own configuration names, such as a server of tools (MCP,
//! "streamable HTTP"): one message out, one message or a stream of them back.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value as Json;

use crate::connection::expand_header;
use crate::dialects::parse_events;
use crate::http::Http;
use crate::shared::{ModelContext, OpenError};
use crate::{ModelSettings, SettingsError};

/// The header by which a server knows who it speaks with.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// An address that takes messages.
pub struct JsonEndpoint {
    http: Http,
    url: String,
    /// Headers of every further message, beside those of the configuration.
    further: HeaderMap,
    shared: ModelContext,
}

impl JsonEndpoint {
    /// Prepares to send to an address; `${NAME}` in a header is a variable of the environment. Nothing is sent.
    pub fn open(url: &str, headers: &BTreeMap<String, String>, shared: &ModelContext) -> Result<Self, OpenError> {
        let settings = ModelSettings { base_url: Some(url.to_owned()), ..ModelSettings::from_name(url) };
        let mut all = HeaderMap::new();
        all.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        all.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        for (name, template) in headers {
            let wrong = |reason: &str| SettingsError::value(url, "headers", &format!("holds `{name}`, which {reason}"));
            let parsed = HeaderName::try_from(name.as_str()).map_err(|_| wrong("is no name of a header"))?;
            let value = zeroize::Zeroizing::new(expand_header(template, &settings, shared)?);
            let mut value =
                HeaderValue::from_str(&value).map_err(|_| wrong("has characters that a header cannot carry"))?;
            value.set_sensitive(true);
            all.insert(parsed, value);
        }
        shared.start(false)?;
        let http = Http::new(all, url, None, shared).map_err(|reason| OpenError::System { reason })?;
        Ok(Self { http, url: url.to_owned(), further: HeaderMap::new(), shared: shared.clone() })
    }

    /// Sends a header with every further message.
    pub fn set_header(&mut self, name: &'static str, value: &str) -> Result<(), String> {
        let value =
            HeaderValue::from_str(value).map_err(|_| format!("`{name}` has characters that no header carries"))?;
        self.further.insert(HeaderName::from_static(name), value);
        Ok(())
    }

    /// Sends a message and gives those that came back, none where there was nothing to say. Of a stream those up to the answer,
    /// where the message is a request.
    pub fn post(&mut self, message: &Json, limit: Duration) -> Result<Vec<Json>, String> {
        let request = message.get("method").and(message.get("id"));
        let is_answer = |came: &Json| request.is_some() && came.get("id") == request && came.get("method").is_none();
        let sending = self.http.post_json(&self.url, self.further.clone(), message.to_string(), is_answer, limit);
        let stopped = || Err("nothing is sent any more".to_owned());
        let (headers, bytes) = self
            .shared
            .block_on(sending)
            .unwrap_or_else(stopped)
            .map_err(|reason| self.shared.redactor().clean(reason))?;
        if let Some(session) = headers.get(SESSION) {
            self.further.insert(SESSION, session.clone());
        }
        if bytes.trim_ascii().is_empty() {
            return Ok(Vec::new());
        }
        let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.contains("event-stream") {
            return Ok(parse_events(&bytes));
        }
        match serde_json::from_slice(&bytes) {
            Ok(Json::Array(batch)) => Ok(batch),
            Ok(one) => Ok(vec![one]),
            Err(error) => Err(format!("the answer is not JSON: {error}")),
        }
    }
}
