//! Images that a case names in its metadata, for models that look at them (`generator_type: multimodal`).

use std::path::Path;

use probare_core::{Case, ErrorKind, Message, MessagePart, Role, ScoreError};
use probare_models::read_image;
use serde_json::Value as Json;

/// Adds the images of `metadata.images` (a list of paths) or `metadata.image` (one) to what is asked last. They lie below the
/// folder of the data set.
pub(super) fn attach(messages: &mut [Message], case: &Case, folder: &Path) -> Result<(), ScoreError> {
    let failed = |reason: String| ScoreError::other(ErrorKind::Failed, reason);
    let named: Vec<&str> = match (case.metadata.get("images"), case.metadata.get("image")) {
        (Some(Json::Array(paths)), _) => {
            let text = |path: &'_ Json| path.as_str().is_some();
            if !paths.iter().all(text) {
                return Err(failed("`metadata.images` is not a list of paths".to_owned()));
            }
            paths.iter().filter_map(Json::as_str).collect()
        }
        (Some(Json::Null) | None, Some(Json::Null) | None) => return Ok(()),
        (Some(Json::Null) | None, Some(Json::String(path))) | (Some(Json::String(path)), _) => vec![path],
        _ => return Err(failed("`metadata.images` is not a list of paths, or `metadata.image` no path".to_owned())),
    };
    let Some(last) = messages.iter_mut().rev().find(|message| message.role == Role::User) else {
        return Err(failed("there is no message of the user to which an image could be added".to_owned()));
    };
    for path in named {
        last.parts.push(MessagePart::Image(read_image(folder, path).map_err(|error| failed(error.to_string()))?));
    }
    Ok(())
}
