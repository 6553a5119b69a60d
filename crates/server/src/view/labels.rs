//! Labels over HTTP: the next output, what somebody decides, and the file to take away. A decision is a `POST` of JSON, which no page
//! of somebody else can send, with the token in its header; it adds a line to the file of labels and does nothing else.

use axum::extract::{Extension, Request, State};
use axum::http::header::CONTENT_DISPOSITION;
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::response::Response;
use probare_analysis::{LabellingOrder, LabelsQuery, NewLabel};

use super::{FromQuery, ViewParameters, query_viewer, viewer_error};
use crate::api_error::{ApiError, typed_response};
use crate::app::{RequestContext, SharedApp, query_parameters, truncated};
use crate::body::{self, JSON, JSON_LINES};

/// The longest label that is taken in, with its note and tags.
const LARGEST_LABEL: usize = 64 * 1024;

/// Where labelling stands, with the next output.
pub(super) async fn labels(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    ViewParameters(wanted): ViewParameters<LabelsQuery>,
) -> Result<Response, ApiError> {
    query_viewer(app, &begun, move |viewer| viewer.labels(&wanted)).await
}

/// Keeps a label.
pub(super) async fn label(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
    request: Request,
) -> Result<Response, ApiError> {
    body::content_type(request.headers(), &[JSON])?;
    let held = body::read_body(&app, request, LARGEST_LABEL, begun.deadline).await?;
    let given: NewLabel = body::parse_json(&held.bytes, "an object with `asked`, `label`, `note` and `tags`")?;
    query_viewer(app, &begun, move |viewer| viewer.label(&given)).await
}

/// The labels as a file.
pub(super) async fn export(
    State(app): State<SharedApp>,
    Extension(begun): Extension<RequestContext>,
) -> Result<Response, ApiError> {
    let Some(viewer) = app.viewer.clone() else { return Err(ApiError::internal()) };
    let lines =
        app.runs.run(begun.deadline, move |_| viewer.export_labels()).await?.map_err(|error| viewer_error(&error))?;
    let mut response = typed_response(StatusCode::OK, JSON_LINES, lines);
    let headers = response.headers_mut();
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"labels.jsonl\""));
    Ok(response)
}

impl FromQuery for LabelsQuery {
    fn from_uri(uri: &Uri) -> Result<Self, ApiError> {
        let mut wanted = Self::default();
        for (name, value) in
            query_parameters(uri, &["run", "metric", "by", "order", "seed", "threshold", "skip", "at"])?
        {
            let wrong = || {
                let error = format!("`{}` is no value of `{name}`", truncated(&value));
                ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, error)
            };
            match name.as_str() {
                "run" => wanted.run.clone_from(&value),
                "metric" => wanted.metric.clone_from(&value),
                "by" => wanted.by.clone_from(&value),
                "order" => {
                    let known = LabellingOrder::ALL.iter().find(|(word, _)| *word == value);
                    let expected = || LabellingOrder::ALL.map(|(word, _)| word).join(", ");
                    wanted.order = known.ok_or_else(|| wrong().expecting(expected()))?.1;
                }
                "seed" => wanted.seed = value.parse().map_err(|_| wrong())?,
                "threshold" => {
                    let number: f64 = value.parse().map_err(|_| wrong())?;
                    wanted.threshold = Some(Some(number).filter(|number| number.is_finite()).ok_or_else(wrong)?);
                }
                "skip" => wanted.skip = value.parse().map_err(|_| wrong())?,
                _ => wanted.at = Some(place(&value).ok_or_else(wrong)?),
            }
        }
        Ok(wanted)
    }
}

/// Data set, row, model (nothing where the answer is of the file), repeat, and the prompt, where the run has several.
fn place(text: &str) -> Option<probare_analysis::OutputPosition> {
    let mut parts = text.split(',');
    let (dataset, row, model, repeat) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let number = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
    let (model, prompt) = (number(model)?, number(parts.next().unwrap_or_default())?);
    parts.next().is_none().then_some(())?;
    Some((dataset.parse().ok()?, row.parse().ok()?, model, repeat.parse().ok()?, prompt))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_or_refused() {
        let asked = |uri: &str| LabelsQuery::from_uri(&uri.parse().unwrap());
        let wanted = asked("/x?run=r1&metric=f1&by=Ada&order=threshold&seed=7&threshold=0.4&skip=2&at=0,7,,1").unwrap();
        assert_eq!((wanted.order, wanted.seed, wanted.skip), (LabellingOrder::Threshold, 7, 2));
        assert_eq!((wanted.at, wanted.threshold), (Some((0, 7, None, 1, None)), Some(0.4)));
        assert_eq!(asked("/x?at=1,2,3,4").unwrap().at, Some((1, 2, Some(3), 4, None)));
        assert_eq!(asked("/x?at=1,2,3,4,").unwrap().at, Some((1, 2, Some(3), 4, None)));
        assert_eq!(asked("/x?at=1,2,3,4,5").unwrap().at, Some((1, 2, Some(3), 4, Some(5))));
        for wrong in [
            "/x?order=mine",
            "/x?seed=-1",
            "/x?threshold=NaN",
            "/x?skip=x",
            "/x?at=1,2,3",
            "/x?at=1,2,3,4,5,6",
            "/x?other=1",
        ] {
            assert!(asked(wrong).is_err(), "{wrong}");
        }
    }
}
