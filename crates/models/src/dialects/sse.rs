//! Streams as JSON values: server-sent events, and lines of JSON.

use serde_json::Value as Json;

/// The data of all events that are JSON, in their order. `[DONE]`, comments and keep-alives are passed over.
pub(crate) fn parse_events(body: &[u8]) -> Vec<Json> {
    let text = String::from_utf8_lossy(body);
    let mut found = Vec::new();
    let mut data = String::new();
    // An event ends with an empty line; the last one may end with the stream.
    for line in text.lines().map(|line| line.trim_end_matches('\r')).chain([""]) {
        if let Some(piece) = line.strip_prefix("data:") {
            if !data.is_empty() {
                data.push('\n');
            }
            data.push_str(piece.strip_prefix(' ').unwrap_or(piece));
        } else if line.is_empty() {
            found.extend(serde_json::from_str(&data).ok());
            data.clear();
        }
    }
    found
}

/// The lines of a stream that are JSON, in their order.
pub(crate) fn parse_lines(body: &[u8]) -> Vec<Json> {
    body.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_several_lines_is_one_event_and_the_rest_is_passed_over() {
        let stream = "event: a\ndata: {\"x\":\ndata: 1}\n\n: keep-alive\n\r\ndata: [DONE]\n\ndata: {\"y\": 2}";
        assert_eq!(parse_events(stream.as_bytes()), [serde_json::json!({"x": 1}), serde_json::json!({"y": 2})]);
        assert_eq!(parse_lines(b"{\"x\":1}\r\n\n{\"cut"), [serde_json::json!({"x": 1})]);
    }
}
