//! What the pages of the viewer are given: one type for each answer of the server. Their declarations for the scripts stand in
//! `crates/server/src/view/contract.d.ts`, which `cargo x gen types` writes from these types.

use probare_core::{DecisionThresholds, Panel, Parameters, StopReason};
use probare_report::Histogram;
use probare_report::comparison::ComparisonView;
use probare_report::html::PageSettings;
use probare_store::{CasePosition, HumanLabel};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::labels::OutputPosition;
use crate::labels::LevelOfRubric;

/// All runs and files.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunList {
    /// The version that serves them.
    pub probare: &'static str,
    /// The oldest first.
    pub runs: Vec<RunDescription>,
    pub settings: PageSettings,
}

/// What is known of a run without looking at its results; of a file that nobody has opened yet, its name alone.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunDescription {
    pub key: String,
    pub name: String,
    pub kind: RunKind,
    #[serde(flatten)]
    pub facts: Option<RunFacts>,
}

/// Where results come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// A run of a store.
    Run,
    /// A file of results, or of another tool.
    File,
}

/// What a store knows of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunFacts {
    /// `open` or `complete`.
    pub state: &'static str,
    /// Seconds since 1970; nothing for a file.
    pub made: Option<u64>,
    pub finished: u64,
    pub samples: u64,
    /// Failed results by their kind.
    pub errors: Vec<(String, u64)>,
    /// What calls cost, in words; nothing where there were none.
    pub cost: Option<String>,
    /// What the calls cost whose price is known.
    pub cost_usd: Option<f64>,
    pub config: String,
    pub benchmark: Option<String>,
    pub models: Vec<String>,
    pub prompts: Vec<String>,
    pub datasets: Vec<String>,
    pub notes: Vec<String>,
    /// The day on which the traces came, where they were collected.
    pub collected: Option<String>,
}

/// What a run came to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunSummary {
    #[serde(flatten)]
    pub run: RunDescription,
    pub settings: PageSettings,
    #[serde(flatten)]
    pub means: RunMeans,
}

/// What is read from all results of a run. The store keeps it of a run that is complete.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunMeans {
    pub cases: u64,
    pub outputs: u64,
    pub failed: u64,
    /// What rows are made by: `model` or `model+prompt`, or what was asked for.
    pub by: String,
    /// One for each group.
    pub rows: Vec<MeansRow>,
    /// Means over all outputs, one for each metric.
    pub whole: Vec<MeanCell>,
    /// How the values of each metric lie; nothing where none was scored.
    pub distributions: Vec<Option<Histogram>>,
    pub gates: Vec<GateLine>,
    #[schemars(with = "Vec<Json>", extend("tsType" = "Panel[]"))]
    pub panels: Vec<Panel>,
    /// A word in front, and what it introduces.
    pub remarks: Vec<(String, String)>,
}

/// The means of some outputs.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct MeansRow {
    /// The group, as reports name it.
    pub name: String,
    /// The filter that shows its cases.
    pub filter: String,
    /// What `compare` takes behind the run, where the group is a model or a prompt.
    pub part: OutputPart,
    pub cases: u64,
    pub outputs: u64,
    pub cost_usd: Option<f64>,
    /// One for each metric.
    pub cells: Vec<MeanCell>,
}

/// Which outputs of a run: those of a model, of a prompt, or of both.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct OutputPart {
    pub model: Option<String>,
    pub prompt: Option<String>,
}

/// A mean with its interval, as reports write both, and what it is over.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct MeanCell {
    pub mean: Option<f64>,
    pub words: Option<String>,
    pub interval: Option<String>,
    pub ends: Option<(f64, f64)>,
    pub method: Option<String>,
    pub cases: u64,
    pub scored: u64,
    pub unsure: u64,
    pub not_applicable: u64,
    pub failed: u64,
}

/// What became of a gate, with the filter and the order that show the cases behind it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct GateLine {
    pub passed: bool,
    pub words: String,
    pub filter: String,
    pub sort: String,
}

/// Cases that fit a filter, some at a time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CasePage {
    pub run: RunDescription,
    pub settings: PageSettings,
    pub total: usize,
    pub from: usize,
    pub rows: Vec<CaseRow>,
    /// Whether questions and answers are known.
    pub has_texts: bool,
    /// Why nothing fits, where the filter names what the run does not have.
    pub hint: Option<String>,
}

/// Orders of cases that are not those of a metric; a number with `-` before it puts the largest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CaseSort {
    Cost,
    Latency,
    Tokens,
    Worst,
}

/// A case in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CaseRow {
    pub at: CasePosition,
    pub id: String,
    pub dataset: String,
    pub query: String,
    pub tags: Vec<String>,
    pub outputs: Vec<OutputRow>,
    /// Outputs that are not in the list.
    pub more: usize,
}

/// An output, as a list and the page of its case show it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OutputSummary {
    pub model: Option<String>,
    pub prompt: Option<String>,
    /// The name under which the provider answered, where it differs.
    pub answered_by: Option<String>,
    pub repeat: u32,
    pub status: String,
    pub cost_usd: Option<f64>,
    pub latency_ms: Option<i64>,
    #[schemars(extend("tsType" = "Entry"))]
    pub entry: Json,
}

/// An output in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OutputRow {
    #[serde(flatten)]
    pub output: OutputSummary,
    /// How the answer begins.
    pub answer: Option<String>,
}

/// One case with all its outputs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CaseDetail {
    pub run: RunDescription,
    pub settings: PageSettings,
    pub at: CasePosition,
    pub id: String,
    pub dataset: String,
    pub occurrence: u32,
    /// Where it stands in the list, from 1.
    pub number: Option<usize>,
    pub total: usize,
    pub previous: Option<CasePosition>,
    pub next: Option<CasePosition>,
    /// The command that shows the same in a terminal.
    pub command: String,
    pub outputs: Vec<OutputDetail>,
}

/// An output with everything that is known of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OutputDetail {
    #[serde(flatten)]
    pub output: OutputSummary,
    /// Its number in the store.
    pub sample: i64,
    pub attempts: Option<i64>,
    pub input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    /// What is to be known of the trace behind it.
    pub trace_notes: Vec<String>,
    #[schemars(extend("tsType" = "CaseRecord"))]
    pub record: Json,
}

/// What models were asked for an output.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModelCalls {
    /// The response cache that was searched.
    pub record: String,
    pub asked: Vec<ModelCall>,
    /// Why there is none.
    pub note: &'static str,
}

/// A request and its reply.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModelCall {
    pub kind: CallKind,
    pub name: String,
    pub model: String,
    #[schemars(with = "Json")]
    pub parameters: Parameters,
    pub messages: Vec<CallMessage>,
    pub reply: String,
    /// The body that came back.
    pub raw: Option<String>,
    #[schemars(with = "Option<String>")]
    pub stop: Option<StopReason>,
    pub cost_usd: Option<f64>,
    pub latency_ms: u64,
    pub attempts: u32,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
}

/// Who was asked.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallKind {
    /// The model under test.
    Answer,
    Judge,
}

/// A message of a request.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CallMessage {
    pub role: &'static str,
    pub text: String,
}

/// Runs against the first of them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Comparison {
    #[serde(flatten)]
    pub comparison: ComparisonView,
    /// The run of each side.
    pub keys: Vec<String>,
    pub settings: PageSettings,
}

/// Where labelling stands, and the output that comes next.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LabelState {
    pub run: RunDescription,
    pub settings: PageSettings,
    pub metric: String,
    pub summary: String,
    /// What the judge is asked.
    pub question: Option<Json>,
    pub levels: Vec<LevelOfRubric>,
    /// From where on a value passes.
    pub threshold: f64,
    #[schemars(with = "Json")]
    pub decision_thresholds: Option<DecisionThresholds>,
    /// The file of labels, and whether there is one yet.
    pub file: String,
    pub exists: bool,
    /// The command that holds the labels against the metric.
    pub command: String,
    /// Lines that were not written to their end.
    pub torn: u64,
    pub people: Vec<Labeller>,
    pub outputs: usize,
    pub labellable: usize,
    pub unsure: usize,
    pub decided: usize,
    pub deferred: usize,
    pub agreements: Vec<Agreement>,
    pub sample: Option<OutputToLabel>,
}

/// Somebody who has labelled.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Labeller {
    pub name: String,
    pub decided: usize,
}

/// How far two agree about the outputs that both decided.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Agreement {
    pub who: String,
    pub with: String,
    pub is_metric: bool,
    pub cases: usize,
    pub same: usize,
    pub kappa: Option<f64>,
    /// Ends of the interval of kappa.
    pub interval: Option<(f64, f64)>,
    pub words: Option<String>,
    /// Labels that are missing for an interval of ±0.1.
    pub more: Option<usize>,
}

/// An output as it is labelled.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OutputToLabel {
    pub at: OutputPosition,
    pub case: CasePosition,
    pub id: String,
    pub dataset: Option<String>,
    #[schemars(with = "Json", extend("tsType" = "HumanLabel | null"))]
    pub own: Option<HumanLabel>,
    #[schemars(extend("tsType" = "Entry"))]
    pub entry: Json,
    #[schemars(extend("tsType" = "CaseRecord"))]
    pub record: Json,
    /// What is told once the person has decided.
    #[serde(flatten)]
    pub decided: Option<DecidedOutput>,
}

/// Whose an output is, and what others said of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DecidedOutput {
    #[schemars(with = "Json", extend("tsType" = "HumanLabel[]"))]
    pub others: Vec<HumanLabel>,
    pub model: Option<String>,
    pub repeat: u32,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use probare_report::history::HistoryView;
    use schemars::generate::SchemaSettings;

    use super::*;

    const HEAD: &str = "// Written by `cargo x gen types` from the types of crates/analysis/src/viewer/contract.rs.\n\
        import type { CaseRecord, Entry } from \"./case.js\";\n\
        import type { Panel } from \"./panel.js\";\n\n\
        /** A line of the file of labels. */\n\
        export type HumanLabel = { id: string; label: string; by: string; at: number; note?: string; tags?: string[] };\n";

    /// A JSON Schema as a type of TypeScript.
    fn type_of(schema: &Json) -> String {
        let list = |key: &str| schema[key].as_array().filter(|list| !list.is_empty());
        let union = |types: Vec<String>| types.join(" | ");
        if let Some(own) = schema["tsType"].as_str() {
            return own.to_owned();
        }
        if let Some(name) = schema["$ref"].as_str() {
            return name.rsplit('/').next().unwrap().to_owned();
        }
        if let Some(word) = schema.get("const") {
            return word.to_string();
        }
        if let Some(words) = list("enum") {
            return union(words.iter().map(Json::to_string).collect());
        }
        if let Some(parts) = list("anyOf").or_else(|| list("oneOf")) {
            return union(parts.iter().map(type_of).collect());
        }
        let named = |name: &str| match name {
            "integer" | "number" => "number".to_owned(),
            "array" => match list("prefixItems") {
                Some(items) => format!("[{}]", items.iter().map(type_of).collect::<Vec<_>>().join(", ")),
                None => format!("Array<{}>", type_of(&schema["items"])),
            },
            "object" => fields_of(schema, "  "),
            other => other.to_owned(),
        };
        match &schema["type"] {
            Json::String(name) => named(name),
            Json::Array(names) => union(names.iter().filter_map(Json::as_str).map(named).collect()),
            _ => "unknown".to_owned(),
        }
    }

    fn comment(schema: &Json, indent: &str) -> String {
        let words = schema["description"].as_str().unwrap_or_default().replace('\n', " ");
        if words.is_empty() { String::new() } else { format!("{indent}/** {words} */\n") }
    }

    fn fields_of(schema: &Json, indent: &str) -> String {
        let required =
            |name: &String| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
        let fields = schema["properties"].as_object().into_iter().flatten().map(|(name, field)| {
            let sign = if required(name) { "" } else { "?" };
            format!("{}{indent}{name}{sign}: {};\n", comment(field, indent), type_of(field))
        });
        format!("{{\n{}}}", fields.collect::<String>())
    }

    #[test]
    fn the_declarations_of_the_scripts_are_those_of_the_types() {
        let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        generator.subschema_for::<RunList>();
        generator.subschema_for::<RunSummary>();
        generator.subschema_for::<CasePage>();
        generator.subschema_for::<CaseSort>();
        generator.subschema_for::<CaseDetail>();
        generator.subschema_for::<ModelCalls>();
        generator.subschema_for::<Comparison>();
        generator.subschema_for::<HistoryView>();
        generator.subschema_for::<LabelState>();
        let mut definitions: Vec<(String, Json)> = generator.take_definitions(true).into_iter().collect();
        definitions.sort_by(|one, other| one.0.cmp(&other.0));
        let declared = definitions
            .iter()
            .map(|(name, schema)| format!("\n{}export type {name} = {};\n", comment(schema, ""), type_of(schema)));
        let text = format!("{HEAD}{}", declared.collect::<String>());
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/src/view/contract.d.ts");
        if std::env::var_os("PROBARE_WRITE_TYPES").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        let kept = std::fs::read_to_string(&file).unwrap();
        assert!(kept == text, "{} is stale: run `cargo x gen types`", file.display());
    }
}
