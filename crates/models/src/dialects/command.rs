//! A program as a model: one JSON object on its standard input, one on its standard output.
//!
//! In: `{"model", "messages", "parameters", "repeat", "seat", "attempt"}`. Out: `{"text": …}` or `{"refused": …}` or
//! `{"truncated": …}` or `{"error": …}`, with `usage`, `model` and `tool_calls` where they are known.

use std::process::Stdio;
use std::time::{Duration, SystemTime};

use probare_core::{MessagePart, ModelReply, ReplyContent, StopReason, ToolCall, Usage};
use reqwest::header::HeaderMap;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

use super::{Dialect, Feature, LARGEST_REPLY, RawReply, RawRequest, ReplyError, base64};
use crate::{Fault, ModelRequest};

/// Bytes of what a program complains about that are kept.
const LONGEST_COMPLAINT: usize = 1 << 16;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramOutput {
    text: Option<String>,
    refused: Option<String>,
    truncated: Option<String>,
    error: Option<String>,
    usage: Option<Usage>,
    model: Option<String>,
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
}

/// A program.
pub(crate) struct Command;

impl Dialect for Command {
    fn supports(&self, feature: Feature) -> bool {
        // The program gets everything and decides what it makes of it.
        feature != Feature::Streaming
    }

    fn write(&self, request: &ModelRequest, _: bool) -> Result<RawRequest, ReplyError> {
        Ok(RawRequest { url: String::new(), body: input(request) })
    }

    fn read(&self, _: &ModelRequest, body: &[u8]) -> Result<RawReply, ReplyError> {
        read(body)
    }

    fn write_vectors(&self, requests: &[ModelRequest]) -> Result<RawRequest, ReplyError> {
        Ok(RawRequest { url: String::new(), body: requests.first().map(input).unwrap_or_default() })
    }

    fn read_vectors(&self, _: &[ModelRequest], body: &[u8]) -> Result<Vec<RawReply>, ReplyError> {
        read(body).map(|reply| vec![reply])
    }

    fn fault(&self, _: u16, _: &str) -> Fault {
        Fault::CommandFailed
    }

    fn retry_after(&self, _: &HeaderMap, _: &str, _: SystemTime) -> Option<Duration> {
        None
    }
}

/// What the program reads.
fn input(request: &ModelRequest) -> Vec<u8> {
    let mut input = json!({
        "model": request.model,
        "messages": request.messages,
        "parameters": request.parameters,
        "repeat": request.repeat,
        "seat": request.seat,
        "attempt": request.attempt,
    });
    if request.embedding {
        input["embedding"] = json!(true);
    }
    // In files an image is known by its digest; a program wants to see it.
    for (message, shown) in request.messages.iter().zip(input["messages"].as_array_mut().into_iter().flatten()) {
        for (at, part) in message.parts.iter().enumerate() {
            if let (MessagePart::Image(image), Some(shown)) = (part, shown["parts"].get_mut(at)) {
                shown["base64"] = Json::from(base64(image.bytes()));
            }
        }
    }
    let mut bytes = input.to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}

/// Reads what the program wrote.
fn read(output: &[u8]) -> Result<RawReply, ReplyError> {
    let wrong = |reason: String| ReplyError::new(Fault::CommandFailed, reason);
    let parsed: ProgramOutput = serde_json::from_slice(output)
        .map_err(|error| wrong(format!("the program did not write the agreed JSON: {error}")))?;
    let (content, stop) = match (parsed.text, parsed.refused, parsed.truncated, parsed.error) {
        (Some(text), None, None, None) => (ReplyContent::Text(text), None),
        (None, Some(words), None, None) => (ReplyContent::Refused(words), Some(StopReason::Refusal)),
        (None, None, Some(text), None) => (ReplyContent::Truncated(text), Some(StopReason::Length)),
        (None, None, None, Some(error)) => return Err(wrong(format!("the program says: {error}"))),
        _ => {
            let reason = "the program must write exactly one of `text`, `refused`, `truncated` and `error`";
            return Err(wrong(reason.to_owned()));
        }
    };
    let parts = parsed.tool_calls.into_iter().map(MessagePart::ToolCall).collect();
    Ok(ModelReply { usage: parsed.usage, model: parsed.model, stop, parts, ..ModelReply::new(content) }.into())
}

/// Reads everything, and keeps so much of it: whoever is not read stops at a full pipe.
async fn read_limited(mut stream: impl AsyncRead + Unpin, most: usize) -> std::io::Result<Vec<u8>> {
    let (mut output, mut piece) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        let count = stream.read(&mut piece).await?;
        if count == 0 {
            return Ok(output);
        }
        let room = most.saturating_sub(output.len()).min(count);
        output.extend_from_slice(piece.get(..room).unwrap_or_default());
    }
}

/// Ends the program and everything that it started, when nobody waits for it any more.
struct ProcessGroup(Option<u32>);

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(id) = self.0
            && let Some(group) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw)
        {
            // The group may have ended by itself.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

/// Runs the program and returns what it wrote.
pub(crate) async fn run(command: &[String], input: Vec<u8>) -> Result<Vec<u8>, ReplyError> {
    let wrong = |reason: String| ReplyError::new(Fault::CommandFailed, reason);
    let Some((program, arguments)) = command.split_first() else {
        return Err(wrong("no program is named".to_owned()));
    };
    // The user's own program, in the user's folder: a bare name is none that happens to lie here, and it needs no owner key.
    let found = probare_files::find_program(program);
    let mut building = tokio::process::Command::new(found.as_deref().unwrap_or(std::path::Path::new(program)));
    building.env_remove(probare_files::PROBARE_KEY);
    building.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    #[cfg(unix)]
    building.process_group(0);
    let mut child = building.spawn().map_err(|error| wrong(format!("cannot start `{program}`: {error}")))?;
    // Dropped before the child: as long as that is not waited for, nobody else can have its number.
    let mut group = ProcessGroup(child.id());
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(wrong("the program has no standard streams".to_owned()));
    };
    let feed = async move {
        // A program may answer without reading all of its input.
        let _ = stdin.write_all(&input).await;
        drop(stdin);
    };
    // What a program complains about at length is read to its end; what it answers too long is not.
    let most = LARGEST_REPLY as u64 + 1;
    let mut output = Vec::new();
    let mut out = stdout.take(most);
    let ((), read, errors) = tokio::join!(feed, out.read_to_end(&mut output), read_limited(stderr, LONGEST_COMPLAINT));
    let errors = errors.unwrap_or_default();
    read.map_err(|error| wrong(format!("cannot read from `{program}`: {error}")))?;
    if output.len() > LARGEST_REPLY {
        return Err(ReplyError::new(Fault::TooLarge, "the program writes more than any reply"));
    }
    let status = child.wait().await.map_err(|error| wrong(error.to_string()))?;
    // The program ended by itself, and its number may soon be another's.
    group.0 = None;
    if !status.success() {
        let message = String::from_utf8_lossy(&errors);
        let last = message.trim().lines().next_back().unwrap_or_default().chars().take(300).collect::<String>();
        return Err(wrong(format!("`{program}` ended with {status}{}{last}", if last.is_empty() { "" } else { ": " })));
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;
    use crate::dialects::tests_support::request;

    #[test]
    fn text_refusal_cut_and_error_are_told_apart() {
        let content = |output: &str| read(output.as_bytes()).unwrap().reply.content;
        assert_eq!(content(r#"{"text":"Yes"}"#), ReplyContent::Text("Yes".into()));
        assert_eq!(content(r#"{"refused":"No"}"#), ReplyContent::Refused("No".into()));
        assert_eq!(content(r#"{"truncated":"Ye"}"#), ReplyContent::Truncated("Ye".into()));
        for wrong in [r#"{"error":"x"}"#, "{}", r#"{"text":"a","refused":"b"}"#, r#"{"txt":"a"}"#, "", "Yes"] {
            assert_eq!(read(wrong.as_bytes()).unwrap_err().fault, Fault::CommandFailed, "{wrong}");
        }
    }

    #[test]
    fn the_program_reads_one_line_of_json() {
        let text = String::from_utf8(input(&request(Provider::Command))).unwrap();
        assert!(text.starts_with(r#"{"model":"m","messages":[{"role":"system","text":"Be brief."}"#), "{text}");
        assert!(text.ends_with("}\n"));
    }

    #[test]
    fn a_program_sees_an_image_that_files_know_by_its_digest() {
        let image = probare_core::Image::new(*b"\x89PNG\r\n\x1a\n").unwrap();
        let mut request = request(Provider::Command);
        request.messages = vec![probare_core::Message::user("What?").with_part(MessagePart::Image(image))];
        let json: Json = serde_json::from_slice(&input(&request)).unwrap();
        assert_eq!(json["messages"][0]["parts"][0]["base64"], "iVBORw0KGgo=");
    }
}
