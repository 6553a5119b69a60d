//! [`Plan`]: which metrics, under which names, with which options. Made and checked before anything runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;

use probare_core::{
    BuildError, Case, CaseResult, Field, Metric, MetricDef, MetricInfo, Named, Outcome, Profile, Registry, Sample,
    ScoreError, UnknownMetric,
};
use serde_json::{Map, Value as Json};

/// A metric as the user asks for it.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricRequest {
    /// Name in the results.
    pub name: String,
    /// Id in the registry.
    pub id: String,
    /// Options; an object, or `Null` for none.
    pub options: Json,
    /// Profile of this metric alone.
    pub profile: Option<Profile>,
}

impl MetricRequest {
    /// A metric with its defaults.
    pub fn plain(id: impl Into<String>) -> Self {
        let id = id.into();
        Self { name: id.clone(), id, options: Json::Null, profile: None }
    }
}

/// Reads `ID`, `ID:KEY=VALUE,KEY=VALUE` or `NAME=ID:KEY=VALUE`. A value is JSON where it can be read as such and text
/// otherwise; commas inside brackets and quotes do not separate. Without a name of its own the metric is called as it is
/// written, so that a file of results says with which options it was made.
impl FromStr for MetricRequest {
    type Err = PlanError;

    fn from_str(text: &str) -> Result<Self, PlanError> {
        let bad = |reason: &str| PlanError::Request { text: text.to_owned(), reason: reason.to_owned() };
        let (head, tail) = text.split_once(':').map_or((text, None), |(head, tail)| (head, Some(tail)));
        let (name, id) = match head.split_once('=') {
            Some((name, id)) => (name.trim(), id.trim()),
            None => (text.trim(), head.trim()),
        };
        if id.is_empty() || name.is_empty() {
            return Err(bad("it names no metric"));
        }
        let mut options = Map::new();
        for pair in tail.map(split_pairs).unwrap_or_default() {
            let (key, value) = pair.split_once('=').ok_or_else(|| bad("options are written KEY=VALUE"))?;
            let value = serde_json::from_str(value).unwrap_or_else(|_| Json::String(value.to_owned()));
            if options.insert(key.trim().to_owned(), value).is_some() {
                return Err(bad("an option stands there twice"));
            }
        }
        let options = if options.is_empty() { Json::Null } else { Json::Object(options) };
        Ok(Self { name: name.to_owned(), id: id.to_owned(), options, profile: None })
    }
}

/// Cuts at commas that stand outside of brackets and quotes.
fn split_pairs(text: &str) -> Vec<&str> {
    let (mut pairs, mut start, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0_usize, false, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                pairs.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pairs.push(&text[start..]);
    pairs
}

/// Why a plan could not be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The request cannot be read.
    #[error("cannot read the metric `{text}`: {reason}")]
    Request {
        /// What was written.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No such metric.
    #[error(transparent)]
    Unknown(#[from] UnknownMetric),
    /// Its options do not fit.
    #[error("metric `{name}`: {source}")]
    Build {
        /// Name in the results.
        name: String,
        /// What is wrong.
        #[source]
        source: BuildError,
    },
    /// Two metrics under one name.
    #[error("two metrics are called `{0}`")]
    SameName(String),
    /// No metric at all.
    #[error("no metric is named")]
    Empty,
}

/// A metric ready to score.
pub struct PlannedMetric {
    /// What sinks are told.
    pub info: MetricInfo,
    definition: &'static MetricDef,
    metric: Box<dyn Metric>,
}

/// All metrics of a run.
pub struct Plan {
    metrics: Vec<PlannedMetric>,
    infos: Vec<MetricInfo>,
}

impl Plan {
    /// Looks up and builds every metric.
    pub fn new(requests: &[MetricRequest], profile: Profile, registry: &Registry) -> Result<Self, PlanError> {
        if requests.is_empty() {
            return Err(PlanError::Empty);
        }
        let mut metrics: Vec<PlannedMetric> = Vec::with_capacity(requests.len());
        for request in requests {
            if metrics.iter().any(|earlier| earlier.info.name == request.name) {
                return Err(PlanError::SameName(request.name.clone()));
            }
            let definition = registry.get(&request.id)?;
            let profile = request.profile.unwrap_or(profile);
            let metric = definition
                .build(request.options.clone(), profile)
                .map_err(|source| PlanError::Build { name: request.name.clone(), source })?;
            let info = MetricInfo::new(&request.name, definition, profile).with_options(request.options.clone());
            metrics.push(PlannedMetric { info, definition, metric });
        }
        let infos = metrics.iter().map(|metric| metric.info.clone()).collect();
        Ok(Self { metrics, infos })
    }

    /// What sinks are told about the metrics, in order.
    pub fn infos(&self) -> &[MetricInfo] {
        &self.infos
    }

    /// Fields that at least one metric needs.
    pub fn needs(&self) -> Vec<Field> {
        Field::ALL
            .into_iter()
            .filter(|field| self.metrics.iter().any(|metric| metric.definition.needs.contains(field)))
            .collect()
    }

    /// All results of one case.
    pub fn score(&self, case: Case) -> CaseResult {
        let results = self.metrics.iter().map(|metric| metric.score(Sample::of(&case))).collect();
        CaseResult { case, results }
    }
}

impl PlannedMetric {
    /// A missing response is a failure, because something should have been answered; another missing field means that
    /// the question does not apply to this case.
    fn score(&self, sample: Sample<'_>) -> Named {
        match self.definition.lacks(sample) {
            Some(Field::Response) => return Err(ScoreError::MissingField(Field::Response)),
            Some(field) => return Ok(Outcome::not_applicable(format!("the case has no `{field}`"))),
            None => {}
        }
        catch_unwind(AssertUnwindSafe(|| self.metric.score(sample))).unwrap_or_else(|panic| {
            let reason = panic
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "no reason given".to_owned());
            Err(ScoreError::Internal { reason })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_may_carry_a_name_and_options() {
        let plain: MetricRequest = "token_f1".parse().unwrap();
        assert_eq!(plain, MetricRequest::plain("token_f1"));
        let with: MetricRequest = "precision_at_k:k=3".parse().unwrap();
        assert_eq!(
            (with.name.as_str(), with.id.as_str(), &with.options["k"]),
            ("precision_at_k:k=3", "precision_at_k", &Json::from(3))
        );
        let named: MetricRequest = r#"words=contains:all=["a,b","c"],mode=any"#.parse().unwrap();
        assert_eq!((named.name.as_str(), named.id.as_str()), ("words", "contains"));
        assert_eq!(named.options["all"][0], "a,b");
        assert_eq!(named.options["mode"], "any");
    }

    #[test]
    fn a_request_that_cannot_be_read_says_why() {
        for (text, part) in
            [("", "names no metric"), ("a:b", "KEY=VALUE"), ("a:k=1,k=2", "twice"), ("=a", "names no metric")]
        {
            let error = text.parse::<MetricRequest>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
