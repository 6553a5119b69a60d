//! A program as a model: one JSON object on its standard input, one on its standard output.
//!
//! In: `{"model", "messages", "parameters", "repeat", "seat", "attempt"}`. Out: `{"text": …}` or `{"refused": …}` or
//! `{"error": …}`, with `usage` and `model` where they are known.

use std::process::Stdio;

use probare_core::{Content, Reply, Usage};
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

use super::{Heard, Request, Unheard};
use crate::Fault;
use crate::transport::LARGEST;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    text: Option<String>,
    refused: Option<String>,
    error: Option<String>,
    usage: Option<Usage>,
    model: Option<String>,
}

/// What the program reads.
pub(crate) fn input(request: &Request) -> Vec<u8> {
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
    let mut bytes = input.to_string().into_bytes();
    bytes.push(b'\n');
    bytes
}

/// Reads what the program wrote.
pub(crate) fn heard(output: &[u8]) -> Result<Heard, Unheard> {
    let wrong = |reason: String| Unheard::new(Fault::CommandFailed, reason);
    let said: Said = serde_json::from_slice(output)
        .map_err(|error| wrong(format!("the program did not write the agreed JSON: {error}")))?;
    let content = match (said.text, said.refused, said.error) {
        (Some(text), None, None) => Content::Text(text),
        (None, Some(words), None) => Content::Refused(words),
        (None, None, Some(error)) => return Err(wrong(format!("the program says: {error}"))),
        _ => return Err(wrong("the program must write exactly one of `text`, `refused` and `error`".to_owned())),
    };
    Ok(Heard {
        reply: Reply { usage: said.usage, model: said.model, ..Reply::new(content) },
        cost: None,
        logprobs: None,
    })
}

/// Ends the program and everything that it started, when nobody waits for it any more.
struct Group(Option<u32>);

impl Drop for Group {
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
pub(crate) async fn run(command: &[String], input: Vec<u8>) -> Result<Vec<u8>, Unheard> {
    let wrong = |reason: String| Unheard::new(Fault::CommandFailed, reason);
    let Some((program, arguments)) = command.split_first() else {
        return Err(wrong("no program is named".to_owned()));
    };
    let mut building = Command::new(program);
    building.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    #[cfg(unix)]
    building.process_group(0);
    let mut child = building.spawn().map_err(|error| wrong(format!("cannot start `{program}`: {error}")))?;
    // Dropped before the child: as long as that is not waited for, nobody else can have its number.
    let mut group = Group(child.id());
    let (Some(mut stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(wrong("the program has no standard streams".to_owned()));
    };
    let feed = async move {
        // A program may answer without reading all of its input.
        let _ = stdin.write_all(&input).await;
        drop(stdin);
    };
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let most = LARGEST as u64 + 1;
    let (mut out, mut complaints) = (stdout.take(most), stderr.take(1 << 16));
    let ((), read, _) = tokio::join!(feed, out.read_to_end(&mut output), complaints.read_to_end(&mut errors));
    read.map_err(|error| wrong(format!("cannot read from `{program}`: {error}")))?;
    if output.len() > LARGEST {
        return Err(Unheard::new(Fault::TooLarge, "the program writes more than any reply"));
    }
    let status = child.wait().await.map_err(|error| wrong(error.to_string()))?;
    // The program ended by itself, and its number may soon be another's.
    group.0 = None;
    if !status.success() {
        let said = String::from_utf8_lossy(&errors);
        let last = said.trim().lines().next_back().unwrap_or_default().chars().take(300).collect::<String>();
        return Err(wrong(format!("`{program}` ended with {status}{}{last}", if last.is_empty() { "" } else { ": " })));
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Provider;
    use crate::providers::tests_support::request;

    #[test]
    fn text_refusal_and_error_are_told_apart() {
        assert_eq!(heard(br#"{"text":"Yes"}"#).unwrap().reply.content, Content::Text("Yes".into()));
        assert_eq!(heard(br#"{"refused":"No"}"#).unwrap().reply.content, Content::Refused("No".into()));
        for wrong in [r#"{"error":"x"}"#, "{}", r#"{"text":"a","refused":"b"}"#, r#"{"txt":"a"}"#, "", "Yes"] {
            assert_eq!(heard(wrong.as_bytes()).unwrap_err().fault, Fault::CommandFailed, "{wrong}");
        }
    }

    #[test]
    fn the_program_reads_one_line_of_json() {
        let text = String::from_utf8(input(&request(Provider::Command))).unwrap();
        assert!(text.starts_with(r#"{"model":"m","messages":[{"role":"system","text":"Be brief."}"#), "{text}");
        assert!(text.ends_with("}\n"));
    }
}
