//! A record of Every Eval Ever: the means of one model, with their intervals and what they were computed from.

use std::io::{self, Write};

use probare_core::{Better, Event, MetricInfo, SampleDimensions, Sink, Stop};
use probare_report::{MetricSummary, OutputWriter, RendererOptions, Summary, Utc, VERSION};
use serde_json::{Map, Value as Json, json};

use crate::tools::export::{DatasetUsed, ExportMetadata};

/// Version of the schema that the record keeps to.
pub(in crate::tools) const SCHEMA: &str = "0.3.0";

/// Writes a record.
pub(in crate::tools) struct EveryEvalEver {
    output: OutputWriter,
    about: ExportMetadata,
    source: String,
    metrics: Vec<MetricInfo>,
    /// One for each data set.
    summaries: Vec<Summary>,
}

impl EveryEvalEver {
    pub fn new(output: OutputWriter, about: ExportMetadata) -> Self {
        Self { output, about, source: String::new(), metrics: Vec::new(), summaries: Vec::new() }
    }

    /// The summary of a data set.
    fn summary(&mut self, number: usize) -> io::Result<&mut Summary> {
        while self.summaries.len() <= number {
            let mut summary = Summary::new(&RendererOptions::default());
            summary.event(&Event::Started {
                source: &self.source,
                metrics: &self.metrics,
                dimensions: SampleDimensions::default(),
            })?;
            self.summaries.push(summary);
        }
        Ok(&mut self.summaries[number])
    }

    fn record(&self) -> Json {
        let about = &self.about;
        let name = about.model_name();
        let id = about.model_path(&name);
        let made = about.made.to_string();
        let settings = about.settings(&name);
        let mut model = json!({
            "name": id.rsplit_once('/').map_or(id.as_str(), |(_, last)| last),
            "id": id,
            "additional_details": {"deployment_type": "unknown", "model_availability": "unknown"},
        });
        if let Some(settings) = settings {
            model["inference_platform"] = json!(settings.provider);
        }
        let mut results = Vec::new();
        for (number, summary) in self.summaries.iter().enumerate() {
            let unnamed = DatasetUsed { name: about.name.clone(), ..DatasetUsed::default() };
            let dataset = about.datasets.get(number).unwrap_or(&unnamed);
            for metric in &summary.metrics {
                results.extend(self.result(metric, dataset, summary.cases));
            }
        }
        json!({
            "schema_version": SCHEMA,
            "evaluation_id": format!("{}/{}/{made}", about.name, id.replace('/', "_")),
            "evaluation_timestamp": Utc::from_seconds(about.made).iso(),
            "retrieved_timestamp": made,
            "source_metadata": {
                "source_name": "probare",
                "source_type": "evaluation_run",
                "source_organization_name": about.organisation.as_deref().unwrap_or("unknown"),
                "evaluator_relationship": "other",
                "additional_details": {"run": about.id},
            },
            "eval_library": {"name": "probare", "version": VERSION},
            "model_info": model,
            "evaluation_results": results,
        })
    }

    /// A metric of a data set; nothing where no case has a value, since a record has no place for that.
    fn result(&self, metric: &MetricSummary, dataset: &DatasetUsed, cases: u64) -> Option<Json> {
        let info = &metric.info;
        let end = |end: f64| match end {
            f64::INFINITY => json!("Infinity"),
            f64::NEG_INFINITY => json!("-Infinity"),
            finite => json!(finite),
        };
        let mut parameters = Map::new();
        for (name, value) in info.options.as_object().into_iter().flatten() {
            let plain = if value.is_object() || value.is_array() { json!(value.to_string()) } else { value.clone() };
            parameters.insert(name.clone(), plain);
        }
        let mut config = json!({
            "evaluation_description": info.summary,
            "metric_id": format!("probare.{}", info.id),
            "metric_name": info.name,
            "lower_is_better": info.better == Better::Lower,
            "score_type": "continuous",
            "min_score": end(info.range.0),
            "max_score": end(info.range.1),
            "additional_details": {"version": info.version.to_string(), "profile": info.profile.unwrap_or_default().to_string()},
        });
        if !parameters.is_empty() {
            config["metric_parameters"] = Json::Object(parameters);
        }
        let mut uncertainty = json!({"num_samples": metric.cases()});
        if let Some(interval) = metric.interval() {
            uncertainty["confidence_interval"] = json!({
                "lower": interval.low,
                "upper": interval.high,
                "confidence_level": interval.level,
                "method": interval.method,
            });
        }
        let mut written = json!({
            "evaluation_name": dataset.name,
            "evaluation_timestamp": Utc::from_seconds(self.about.made).iso(),
            "source_data": {"dataset_name": dataset.name, "source_type": "other"},
            "metric_config": config,
            "score_details": {
                "score": metric.mean()?,
                "details": {
                    "cases": cases.to_string(),
                    "scored": metric.scored.to_string(),
                    "not_applicable": metric.not_applicable.to_string(),
                    "failed": metric.failed.to_string(),
                },
                "uncertainty": uncertainty,
            },
        });
        if !dataset.sha256.is_empty() {
            written["source_data"]["additional_details"] = json!({"sha256": dataset.sha256});
        }
        if let Some(settings) = self.about.settings(&self.about.model_name()) {
            let mut arguments = Map::new();
            if let Some(temperature) = settings.parameters.temperature {
                arguments.insert("temperature".to_owned(), json!(temperature));
            }
            if let Some(most) = settings.parameters.max_tokens {
                arguments.insert("max_tokens".to_owned(), json!(most));
            }
            if !arguments.is_empty() {
                written["generation_config"] = json!({"generation_args": arguments});
            }
        }
        Some(written)
    }

    fn finish(&mut self, stop: Stop) -> io::Result<()> {
        let text = format!("{:#}\n", self.record());
        self.output.write_all(text.as_bytes())?;
        self.output.finish(stop).map(|_| ())
    }
}

impl Sink for EveryEvalEver {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { source, metrics, .. } => {
                (self.source, self.metrics) = ((*source).to_owned(), metrics.to_vec());
                Ok(())
            }
            Event::Scored(result) if self.about.wants(result) => {
                let number = result.case.sample.map_or(0, |sample| sample.dataset as usize);
                self.summary(number)?.event(event)
            }
            Event::Finished(finish) => self.finish(finish.stop),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{MemoryOutput, events, metrics, result};

    #[test]
    fn a_record_has_a_mean_with_its_interval_and_leaves_out_what_has_no_value() {
        let written = MemoryOutput::default();
        let about = ExportMetadata { name: "facts".into(), made: 1_700_000_000, ..ExportMetadata::default() };
        let all = [result("a", 0.5), result("b", 0.25), result("c", 1.0)];
        events(&mut EveryEvalEver::new(written.output(), about), &metrics(), &all);
        let record: Json = serde_json::from_str(&written.text()).unwrap();
        let results = record["evaluation_results"].as_array().unwrap();
        assert_eq!(results.len(), 1);
        assert_eq!(results[0]["score_details"]["score"], json!(1.75 / 3.0));
        assert_eq!(results[0]["score_details"]["uncertainty"]["num_samples"], 3);
        assert!(results[0]["score_details"]["uncertainty"]["confidence_interval"]["lower"].is_number());
        assert_eq!(record["evaluation_id"], "facts/recorded/1700000000");
    }
}
