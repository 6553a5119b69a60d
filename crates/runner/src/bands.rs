//! [`BandsFile`]: what `probare calibrate` writes and `--bands` reads.

use std::fs;
use std::path::{Path, PathBuf};

use probare_core::{Bands, MetricRequest, Profile, Registry, closest};
use probare_metrics::cascade;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// The format that this release writes.
pub const BANDS_FORMAT: u32 = 1;

/// The bands of one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BandsFile {
    /// Which format the file has.
    pub format: u32,
    /// The name of the metric in the results.
    pub metric: String,
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: u32,
    /// Which reading it was.
    pub profile: Profile,
    /// Its options.
    #[serde(default)]
    pub options: Json,
    /// The bands.
    pub bands: Bands,
    /// Labelled cases that they rest on.
    pub cases: usize,
    /// Those of them that the bands decide.
    pub decided: usize,
}

/// A file of bands cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BandsError {
    /// It cannot be read.
    #[error("cannot read the bands in `{}`: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The run has no such metric.
    #[error("`{}` has bands for `{metric}`, which is not computed here{}", path.display(), similar.as_ref().map(|name| format!("; `{name}` is")).unwrap_or_default())]
    NoMetric {
        /// The file.
        path: PathBuf,
        /// The metric.
        metric: String,
        /// A name like it.
        similar: Option<String>,
    },
    /// The metric is another one than that which was calibrated.
    #[error("the bands in `{}` are for {then}, but here it is {now}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What was calibrated.
        then: String,
        /// What is computed.
        now: String,
    },
}

impl BandsFile {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, BandsError> {
        let unreadable = |reason: String| BandsError::Unreadable { path: path.to_owned(), reason };
        let text = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
        let file: Self = serde_json::from_str(&text).map_err(|error| unreadable(error.to_string()))?;
        if file.format != BANDS_FORMAT {
            let reason = format!("it has format {}, and this release reads format {BANDS_FORMAT}", file.format);
            return Err(unreadable(reason));
        }
        Ok(file)
    }

    /// The file as text.
    pub fn text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// What was calibrated, in words.
    fn told(&self) -> String {
        told(&self.id, self.version, self.profile, &self.options)
    }

    /// Puts the bands to the metric that they are for.
    fn apply(
        &self,
        path: &Path,
        requests: &mut [MetricRequest],
        profile: Profile,
        registry: &Registry,
    ) -> Result<(), BandsError> {
        let names: Vec<String> = requests.iter().map(|request| request.name.clone()).collect();
        // Options that are written on the command line become part of the name; where one metric alone can be meant it is.
        let of_id: Vec<usize> = (0..requests.len()).filter(|at| requests[*at].id == self.id).collect();
        let named = requests.iter().position(|request| request.name == self.metric);
        let at = named.or(if let [only] = of_id[..] { Some(only) } else { None });
        let Some(request) = at.and_then(|at| requests.get_mut(at)) else {
            let similar = closest(&self.metric, names.iter().map(String::as_str)).map(str::to_owned);
            return Err(BandsError::NoMetric { path: path.to_owned(), metric: self.metric.clone(), similar });
        };
        let version = registry.get(&request.id).map_or(self.version, |definition| definition.version);
        // Whom a reading asks where it is unsure changes nothing about where that is.
        let is_reading = self.options.get(cascade::OPTION).is_none();
        let options = if is_reading { cascade::without(&request.options) } else { request.options.clone() };
        let now = told(&request.id, version, request.profile.unwrap_or(profile), &options);
        if now != self.told() {
            return Err(BandsError::Other { path: path.to_owned(), then: self.told(), now });
        }
        let mut options = request.options.as_object().cloned().unwrap_or_default();
        options.insert(Bands::OPTION.to_owned(), serde_json::to_value(self.bands).unwrap_or_default());
        request.options = Json::Object(options);
        Ok(())
    }
}

/// A metric in words. The order in which options were written does not matter.
fn told(id: &str, version: u32, profile: Profile, options: &Json) -> String {
    let mut options: Map<String, Json> = options.as_object().cloned().unwrap_or_default();
    options.sort_keys();
    let with = if options.is_empty() { String::new() } else { format!(" with {}", Json::Object(options)) };
    format!("{id} version {version}, {}{with}", profile.name())
}

/// Puts the bands of files to the metrics of a run. Bands of another version, reading or other options promise nothing.
pub fn put_bands(
    files: &[PathBuf],
    requests: &mut [MetricRequest],
    profile: Profile,
    registry: &Registry,
) -> Result<(), BandsError> {
    files.iter().try_for_each(|path| BandsFile::read(path)?.apply(path, requests, profile, registry))
}
