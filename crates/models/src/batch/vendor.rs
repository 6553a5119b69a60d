//! [`BatchApi`]: how vendors take many requests at once: what is sent, and what their replies mean. Pure: values in, values out.

use serde_json::{Value as Json, json};

use crate::dialects::{text_at, u64_at};
use crate::{Fault, Provider};

/// A vendor's interface for batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BatchApi {
    /// A file of lines, and a batch that names it.
    OpenAi,
    /// All requests in one body.
    Anthropic,
}

/// How far a batch is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BatchState {
    /// It is worked on: so many requests are done.
    Running(u64),
    /// It has ended; the results are at these paths.
    Ended(Vec<String>),
    /// Nothing came of it, for this reason.
    Failed(String),
}

/// What came of one request of a batch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LineResult {
    /// The body that would have come at once; an error may stand in it.
    Body(Json),
    /// A status other than 200, and its body.
    Status(u16, Json),
    /// It was not worked on in time.
    Expired(String),
}

/// A batch in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedBatch {
    pub id: String,
    /// What we called it, where the vendor keeps such a word.
    pub token: Option<String>,
    pub requests: u64,
    pub is_ended: bool,
}

/// The word under which a batch has our token among its metadata.
const TOKEN: &str = "probare";

/// An id that can be part of an address.
fn plain_id(id: &str) -> Option<&str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    Some(id).filter(|id| !id.is_empty() && id.len() <= 128 && id.bytes().all(is_plain))
}

impl BatchApi {
    /// That of a provider, where it has one.
    pub(crate) const fn for_provider(provider: Provider) -> Option<Self> {
        match provider {
            Provider::OpenAi | Provider::OpenAiResponses => Some(Self::OpenAi),
            Provider::Anthropic => Some(Self::Anthropic),
            _ => None,
        }
    }

    /// Most requests of a batch, and most bytes of all of them, a little below what the vendors allow.
    pub(crate) const fn limits(self) -> (usize, usize) {
        match self {
            Self::OpenAi => (50_000, 190_000_000),
            Self::Anthropic => (100_000, 240_000_000),
        }
    }

    /// One request, by our name for it; `body` is the JSON that would be sent alone.
    pub(crate) fn request(self, provider: Provider, name: &str, body: &[u8]) -> Vec<u8> {
        let head = match self {
            Self::OpenAi => {
                let path = endpoint(provider);
                format!(r#"{{"custom_id":"{name}","method":"POST","url":"{path}","body":"#)
            }
            Self::Anthropic => format!(r#"{{"custom_id":"{name}","params":"#),
        };
        [head.as_bytes(), body, b"}"].concat()
    }

    /// The requests in the form of the vendor: lines of a file, or a body.
    pub(crate) fn join(self, requests: &[Vec<u8>]) -> Vec<u8> {
        match self {
            Self::OpenAi => requests.iter().flat_map(|request| request.iter().copied().chain([b'\n'])).collect(),
            Self::Anthropic => [b"{\"requests\":[".as_slice(), requests.join(&b',').as_slice(), b"]}"].concat(),
        }
    }

    /// Where a batch is made, below the base URL.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/batches",
            Self::Anthropic => "/v1/messages/batches",
        }
    }

    /// The batch of a file that was uploaded.
    pub(crate) fn of_file(provider: Provider, file: &str, token: &str) -> Json {
        json!({"input_file_id": file, "endpoint": endpoint(provider), "completion_window": "24h", "metadata": {TOKEN: token}})
    }

    /// The path of a list of batches; after one of them, where it is not the beginning.
    pub(crate) fn list_path(self, after: Option<&str>) -> String {
        let field = if self == Self::OpenAi { "after" } else { "after_id" };
        let after = after.map(|id| format!("&{field}={id}")).unwrap_or_default();
        format!("{}?limit=100{after}", self.path())
    }

    /// The batches of a list, and the id after which the next list begins.
    pub(crate) fn listed(self, list: &Json) -> (Vec<ListedBatch>, Option<String>) {
        let items = list.get("data").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
        let found = items.iter().filter_map(|item| {
            let counts = ["processing", "succeeded", "errored", "canceled", "expired"];
            Some(ListedBatch {
                id: id(item)?,
                token: text_at(item, &format!("/metadata/{TOKEN}")).map(str::to_owned),
                requests: match self {
                    Self::OpenAi => u64_at(item, "/request_counts/total"),
                    Self::Anthropic => counts.iter().map(|name| u64_at(item, &format!("/request_counts/{name}"))).sum(),
                },
                is_ended: !matches!(self.state(item), BatchState::Running(_)),
            })
        });
        let found: Vec<ListedBatch> = found.collect();
        let has_more = list.get("has_more") == Some(&Json::Bool(true));
        let next = found.last().map(|last| last.id.clone()).filter(|_| has_more);
        (found, next)
    }

    /// How far a batch is.
    pub(crate) fn state(self, batch: &Json) -> BatchState {
        match self {
            Self::OpenAi => match text_at(batch, "/status") {
                Some("completed" | "expired" | "cancelled") => {
                    let file = |field: &str| text_at(batch, field).and_then(plain_id);
                    let files = [file("/output_file_id"), file("/error_file_id")].into_iter().flatten();
                    BatchState::Ended(files.map(|file| format!("/files/{file}/content")).collect())
                }
                Some("failed") => {
                    let messages = batch.pointer("/errors/data").and_then(Json::as_array).into_iter().flatten();
                    let messages: Vec<&str> = messages.filter_map(|error| text_at(error, "/message")).take(3).collect();
                    BatchState::Failed(if messages.is_empty() {
                        "the batch failed".to_owned()
                    } else {
                        messages.join("; ")
                    })
                }
                _ => BatchState::Running(
                    u64_at(batch, "/request_counts/completed") + u64_at(batch, "/request_counts/failed"),
                ),
            },
            // The address of the results is made here: one that a reply names could be anybody's.
            Self::Anthropic => match (text_at(batch, "/processing_status"), id(batch)) {
                (Some("ended"), Some(id)) => BatchState::Ended(vec![format!("{}/{id}/results", self.path())]),
                _ => BatchState::Running(
                    ["succeeded", "errored", "canceled", "expired"]
                        .iter()
                        .map(|name| u64_at(batch, &format!("/request_counts/{name}")))
                        .sum(),
                ),
            },
        }
    }

    /// Our name of a request, and what came of it, in a line of the results.
    pub(crate) fn line(self, line: &Json) -> Option<(&str, LineResult)> {
        let name = text_at(line, "/custom_id")?;
        let part = |pointer: &str| line.pointer(pointer).filter(|part| !part.is_null());
        let result = match self {
            Self::OpenAi => match (part("/response"), part("/error")) {
                (Some(response), _) => {
                    let status = response.get("status_code").and_then(Json::as_u64).unwrap_or(200);
                    let body = response.get("body").cloned().unwrap_or_default();
                    match u16::try_from(status) {
                        Ok(200) => LineResult::Body(body),
                        status => LineResult::Status(status.unwrap_or(500), body),
                    }
                }
                (None, Some(error)) => match text_at(error, "/code") {
                    Some("batch_expired" | "batch_cancelled") => LineResult::Expired(message(error)),
                    _ => LineResult::Status(500, json!({ "error": error })),
                },
                (None, None) => LineResult::Expired("the line of the results holds nothing".to_owned()),
            },
            Self::Anthropic => match text_at(line, "/result/type") {
                Some("succeeded") => LineResult::Body(line.pointer("/result/message").cloned().unwrap_or_default()),
                Some("errored") => LineResult::Body(line.pointer("/result/error").cloned().unwrap_or_default()),
                Some(other) => LineResult::Expired(format!("the request was {other}")),
                None => LineResult::Expired("the line of the results holds nothing".to_owned()),
            },
        };
        Some((name, result))
    }
}

fn endpoint(provider: Provider) -> &'static str {
    if provider == Provider::OpenAiResponses { "/v1/responses" } else { "/v1/chat/completions" }
}

/// The id of a batch or file.
pub(crate) fn id(json: &Json) -> Option<String> {
    text_at(json, "/id").and_then(plain_id).map(str::to_owned)
}

fn message(error: &Json) -> String {
    text_at(error, "/message").or_else(|| text_at(error, "/code")).unwrap_or("no reason is given").to_owned()
}

/// Whether a vendor has surely not taken a batch after this fault.
pub(crate) fn is_surely_refused(fault: Fault) -> bool {
    !fault.rule().charged && fault != Fault::ServerError
}

/// A file as a form with two fields, and the kind of that form.
pub(crate) fn file_form(token: &str, lines: &[u8]) -> (Vec<u8>, String) {
    let boundary = format!("probare-{token}");
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"purpose\"\r\n\r\nbatch\r\n--{boundary}\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"{token}.jsonl\"\r\nContent-Type: application/jsonl\r\n\r\n"
    );
    let end = format!("\r\n--{boundary}--\r\n");
    ([head.as_bytes(), lines, end.as_bytes()].concat(), format!("multipart/form-data; boundary={boundary}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_the_form_of_the_vendor() {
        let request = |api: BatchApi, provider| {
            let whole = api.join(&[api.request(provider, "k1", b"{\"a\":1}"), api.request(provider, "k2", b"{}")]);
            String::from_utf8(whole).unwrap()
        };
        assert_eq!(
            request(BatchApi::OpenAi, Provider::OpenAi),
            "{\"custom_id\":\"k1\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{\"a\":1}}\n\
             {\"custom_id\":\"k2\",\"method\":\"POST\",\"url\":\"/v1/chat/completions\",\"body\":{}}\n"
        );
        assert!(request(BatchApi::OpenAi, Provider::OpenAiResponses).contains("\"url\":\"/v1/responses\""));
        assert_eq!(
            request(BatchApi::Anthropic, Provider::Anthropic),
            r#"{"requests":[{"custom_id":"k1","params":{"a":1}},{"custom_id":"k2","params":{}}]}"#
        );
    }

    #[test]
    fn the_forms_for_the_test_with_the_vendors_packages_are_these() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/sdk/batches.json");
        let forms: Json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let ask = |api: BatchApi, provider, more: Json| {
            let one = |(name, words): (&str, &str)| {
                let mut body = json!({"model": "m"});
                body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                body["messages"] = json!([{"role": "user", "content": words}]);
                api.request(provider, name, body.to_string().as_bytes())
            };
            String::from_utf8(api.join(&[("k1", "Why?"), ("k2", "Who?")].map(one))).unwrap()
        };
        assert_eq!(ask(BatchApi::OpenAi, Provider::OpenAi, json!({})), forms["openai"]["file"].as_str().unwrap());
        assert_eq!(BatchApi::of_file(Provider::OpenAi, "file-1", "t1"), forms["openai"]["batch"]);
        let body: Json =
            serde_json::from_str(&ask(BatchApi::Anthropic, Provider::Anthropic, json!({"max_tokens": 9}))).unwrap();
        assert_eq!(body, forms["anthropic"]["body"]);
        for (api, name, field) in
            [(BatchApi::OpenAi, "openai", "status"), (BatchApi::Anthropic, "anthropic", "processing_status")]
        {
            for kind in ["running", "ended", "failed"] {
                for word in forms[name][kind].as_array().unwrap() {
                    let state = match api.state(&json!({"id": "b", field: word})) {
                        BatchState::Running(_) => "running",
                        BatchState::Ended(_) => "ended",
                        BatchState::Failed(_) => "failed",
                    };
                    assert_eq!(state, kind, "{name} {word}");
                }
            }
        }
    }

    #[test]
    fn states_are_told_apart_and_no_address_is_taken_from_a_reply() {
        let openai = |batch: Json| BatchApi::OpenAi.state(&batch);
        assert_eq!(
            openai(json!({"status": "in_progress", "request_counts": {"total": 9, "completed": 3, "failed": 1}})),
            BatchState::Running(4)
        );
        assert_eq!(
            openai(json!({"status": "completed", "output_file_id": "file-1", "error_file_id": "../../x"})),
            BatchState::Ended(vec!["/files/file-1/content".to_owned()])
        );
        assert_eq!(
            openai(json!({"status": "failed", "errors": {"data": [{"message": "line 3 is wrong", "line": 3}]}})),
            BatchState::Failed("line 3 is wrong".to_owned())
        );
        let anthropic = |batch: Json| BatchApi::Anthropic.state(&batch);
        assert_eq!(
            anthropic(json!({"id": "msgbatch_1", "processing_status": "ended", "results_url": "https://else.where/x"})),
            BatchState::Ended(vec!["/v1/messages/batches/msgbatch_1/results".to_owned()])
        );
        let counts = json!({"processing": 5, "succeeded": 2, "errored": 1});
        let running = json!({"id": "msgbatch_1", "processing_status": "in_progress", "request_counts": counts});
        assert_eq!(anthropic(running.clone()), BatchState::Running(3));
        let (listed, next) = BatchApi::Anthropic.listed(&json!({"data": [running], "has_more": true}));
        assert_eq!((listed[0].requests, listed[0].is_ended, next.as_deref()), (8, false, Some("msgbatch_1")));
    }

    #[test]
    fn a_line_is_a_body_a_status_or_nothing() {
        let openai = |line: Json| BatchApi::OpenAi.line(&line).map(|(name, result)| (name.to_owned(), result));
        let named = |result| Some(("k".to_owned(), result));
        let whole = json!({"custom_id": "k", "response": {"status_code": 200, "body": {"a": 1}}, "error": null});
        assert_eq!(openai(whole), named(LineResult::Body(json!({"a": 1}))));
        let refused = json!({"custom_id": "k", "response": {"status_code": 400, "body": {"error": {}}}, "error": null});
        assert_eq!(openai(refused), named(LineResult::Status(400, json!({"error": {}}))));
        let late =
            json!({"custom_id": "k", "response": null, "error": {"code": "batch_expired", "message": "too late"}});
        assert_eq!(openai(late), named(LineResult::Expired("too late".to_owned())));
        assert_eq!(openai(json!({"no": "name"})), None);
        let anthropic = |result: Json| {
            let line = json!({"custom_id": "k", "result": result});
            BatchApi::Anthropic.line(&line).map(|(_, result)| result)
        };
        assert_eq!(
            anthropic(json!({"type": "succeeded", "message": {"content": []}})),
            Some(LineResult::Body(json!({"content": []})))
        );
        let error = json!({"type": "error", "error": {"type": "invalid_request_error", "message": "no"}});
        assert_eq!(anthropic(json!({"type": "errored", "error": error})), Some(LineResult::Body(error)));
        assert_eq!(
            anthropic(json!({"type": "expired"})),
            Some(LineResult::Expired("the request was expired".to_owned()))
        );
    }
}
