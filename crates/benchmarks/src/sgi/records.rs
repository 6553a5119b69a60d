//! The records of a result file, as the collector of `LLMRouterBench` writes them.

use probare_core::{Case, CaseResult, MetricResult, Outcome, Sample, Score};
use probare_text::python;
use serde_json::{Map, Value as Json, json};

use super::Subtask;
use super::aggregate::RecordScore;
use super::subtask::case_subtask;
use crate::sgi::metrics::idea::{self, DIMENSION_NAMES, RESPECTS, win_threshold};
use crate::sgi::metrics::idea_generation::VOTES;
use crate::sgi::metrics::protocol::SoftScore;
use crate::sgi::metrics::reasoning::boxed_letter;
use crate::sgi::metrics::reasoning_validity::NO_PICTURES;
use crate::sgi::metrics::replies::UNREADABLE;
use crate::sgi::metrics::wet_experiment::ProtocolComparison;
use crate::sgi::metrics::{answer, deep_research, dry_experiment, idea_generation};

/// What is published of a case beyond its score: fields by their published names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CaseDetails {
    /// What counted as the answer.
    pub prediction: Json,
    /// What it was held against.
    pub ground_truth: Json,
    /// Fields beside those that are parts of the score.
    pub fields: Map<String, Json>,
}

impl CaseDetails {
    /// Those of a sample that was scored. What only the judges said is there where they were asked just now.
    pub fn from_sample(sample: Sample<'_>) -> Option<Self> {
        let subtask = case_subtask(sample.case)?;
        let response = sample.output()?.text.as_str();
        let mut details = Self {
            prediction: answer::prediction(response).1.into(),
            ground_truth: ground_truth(subtask, sample.case),
            fields: Map::new(),
        };
        match subtask {
            Subtask::DeepResearch | Subtask::DeepResearchGold => {
                if let Some(record) = deep_research::published_record(sample).as_ref() {
                    details.fields.insert("parsed_answer".into(), record.parsed.clone().into());
                    details.fields.insert("llm_judge_output".into(), record.judge.clone().into());
                    if let Some(official) = &record.official {
                        details.fields.insert("llm_judge_reason".into(), official.reason.clone());
                        details.fields.insert("step_llm_judge".into(), official.steps.clone().into());
                    }
                }
            }
            Subtask::WetExperiment => details.add_step_comparison(sample.case, response),
            Subtask::ExperimentalReasoning => {
                details.prediction = boxed_letter(response, false).map(|span| &response[span]).into();
            }
            Subtask::IdeaGeneration => {
                details.prediction = response.into();
                if let Some(record) = idea_generation::published_record(sample).as_ref() {
                    details.add_votes(record);
                } else if idea::parse_idea(response).is_none() {
                    details.ground_truth = Json::Null;
                    details.fields.insert("error".into(), "Failed to parse generated idea".into());
                }
            }
            Subtask::DryExperiment => {
                if let Some(record) = dry_experiment::published_record(sample).as_ref() {
                    details.prediction = record.prediction.clone().into();
                    details.fields.extend(record.error.clone().map(|error| ("error".to_owned(), Json::from(error))));
                    let tests = serde_json::to_value(&record.tests).unwrap_or_default();
                    details.fields.insert("unit_test_results".into(), tests);
                }
            }
        }
        Some(details)
    }

    /// The steps of a protocol, side by side.
    fn add_step_comparison(&mut self, case: &Case, response: &str) {
        let reference = case.text(probare_core::Field::Reference, None).unwrap_or_default();
        let compared = ProtocolComparison::new(reference, response, false);
        if compared.is_unread() {
            self.fields.insert("error".into(), "Failed to parse experiment steps".into());
        }
        let steps = compared.fit.steps.iter().enumerate().map(|(at, difference)| {
            let action = |steps: &[crate::sgi::metrics::protocol::ProtocolStep]| steps.get(at).map(|step| step.action.clone());
            json!({
                "step": at + 1,
                "action_gt": action(&compared.reference),
                "action_pred": action(&compared.predicted),
                "status": if difference.is_some() { "error" } else { "success" },
                "message": difference.as_ref().map(crate::sgi::metrics::protocol::StepDifference::message).unwrap_or_default(),
            })
        });
        self.fields.insert("comparison_details".into(), steps.collect());
    }

    /// The votes on an idea.
    fn add_votes(&mut self, published: &idea_generation::PublishedIdea) {
        self.prediction = python_to_json(&published.idea);
        self.ground_truth = python_to_json(&published.reference);
        let raw = &published.objective;
        self.fields.insert(
            "raw_scores".into(),
            json!({
                "effectiveness_obj": raw.effectiveness,
                "novelty_similarity": raw.novelty_similarity,
                "cutting_edge": raw.cutting_edge,
                "novelty_obj": raw.novelty,
                "detailedness_obj": raw.detailedness,
                "feasibility_obj": raw.feasibility,
            }),
        );
        let each = RESPECTS.iter().zip(published.counts).enumerate();
        let counts: Map<String, Json> = each
            .clone()
            .map(|(_, (name, count))| {
                ((*name).to_owned(), json!({"original": count.original, "generated": count.generated}))
            })
            .collect();
        let results: Map<String, Json> = each
            .map(|(at, (name, count))| {
                let published = json!({
                    "result": count.result(win_threshold(at)),
                    "original_votes": count.original,
                    "generated_votes": count.generated,
                });
                ((*name).to_owned(), published)
            })
            .collect();
        // A vote that could not be read is not in the published list.
        let readable = published.votes.iter().enumerate().filter_map(|(at, votes)| Some((at, votes.as_ref()?)));
        let votes: Vec<Json> = readable
            .map(|(at, votes)| {
                let of = |(name, vote): (&&str, &idea::IdeaVote)| {
                    let judgment = if vote.is_b { "win_B" } else { "win_A" };
                    ((*name).to_owned(), json!({"judgment": judgment, "reason": vote.reason}))
                };
                let result: Map<String, Json> = RESPECTS.iter().zip(&votes.0).map(of).collect();
                json!({"judge": published.judges.get(at / 2), "swapped": at % 2 == 1, "result": result})
            })
            .collect();
        self.fields.insert(
            "voting_details".into(),
            json!({"vote_counts": counts, "final_results": results, "all_evaluations": votes}),
        );
    }
}

/// A Python value as JSON; what JSON does not have becomes text.
fn python_to_json(value: &python::PyValue) -> Json {
    match value {
        python::PyValue::None => Json::Null,
        python::PyValue::Bool(yes) => json!(yes),
        python::PyValue::Int(digits) => serde_json::from_str(digits).unwrap_or_else(|_| json!(digits)),
        python::PyValue::Float(number) if number.is_finite() => json!(number),
        python::PyValue::Text(text) => json!(text),
        python::PyValue::List(items) | python::PyValue::Tuple(items) | python::PyValue::Set(items) => {
            items.iter().map(python_to_json).collect()
        }
        python::PyValue::Dict(pairs) => {
            Json::Object(pairs.iter().map(|(key, value)| (key.to_text(), python_to_json(value))).collect())
        }
        other => json!(other.to_text()),
    }
}

/// What a case is held against, as the published record names it.
fn ground_truth(subtask: Subtask, case: &Case) -> Json {
    let field = match subtask {
        Subtask::DeepResearch | Subtask::DeepResearchGold | Subtask::WetExperiment | Subtask::ExperimentalReasoning => {
            "answer"
        }
        Subtask::IdeaGeneration => "core_idea",
        Subtask::DryExperiment => "main_code",
    };
    case.metadata.get(field).cloned().unwrap_or_default()
}

/// One record with what aggregates need of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SgiRecord {
    /// Score and extra fields.
    pub scored: RecordScore,
    /// Discipline of the row, where it names one.
    pub discipline: Option<String>,
    /// The record as it is written.
    pub json: Json,
    /// The score under the other profile, if it differs, on the scale of the record.
    pub other: Option<f64>,
    /// Why there is no score.
    pub error: Option<String>,
    /// Replies of graders that came and could not be read.
    pub unreadable: u64,
    /// Why nobody judged the reasoning, though somebody should have; the score does without.
    pub unjudged: Option<String>,
}

/// The record of a result; `index` counts from 1. `beside` is what a judge made of the reasoning, where one was asked.
pub fn build_record(
    subtask: Subtask,
    index: usize,
    result: &CaseResult,
    named: &MetricResult,
    beside: Option<&MetricResult>,
) -> SgiRecord {
    let case = &result.case;
    let details = result.detail.as_ref().and_then(|detail| detail.get::<CaseDetails>()).cloned();
    let known = |name: &str| case.metadata.get(name).and_then(Json::as_str);
    let score = named.as_ref().ok().and_then(Outcome::score);
    let mut extra = Map::new();
    if let Some(score) = score {
        extra = parts(subtask, score);
        extra.extend(details.as_ref().map(|details| details.fields.clone()).unwrap_or_default());
        extra.extend(beside.and_then(validity_field));
    }
    let response = case.response.as_ref().map(|output| output.text.as_str());
    let raw = match (named, response) {
        (Err(error), _) => format!("Processing failed: {error}"),
        (Ok(_), response) => response.unwrap_or_default().to_owned(),
    };
    let spent = case.spent.unwrap_or_default();
    let scored = RecordScore { score: score.map(|score| score.value.get()), extra_fields: extra };
    let json = json!({
        "index": index,
        "origin_query": known("question"),
        "prompt": case.query,
        "prompt_tokens": spent.usage.input_tokens,
        "completion_tokens": spent.usage.output_tokens,
        "cost": spent.cost_usd.unwrap_or_default(),
        "score": scored.score,
        "prediction": if score.is_some() { details.as_ref().map(|details| details.prediction.clone()).unwrap_or_default() } else { "".into() },
        "ground_truth": details.map_or_else(|| ground_truth(subtask, case), |details| details.ground_truth),
        "raw_output": raw,
        "extra_fields": scored.extra_fields,
    });
    let other = score.and_then(|score| other_profile_score(subtask, score));
    let error = match named {
        Err(error) => Some(error.to_string()),
        Ok(Outcome::NotApplicable { reason }) => Some(reason.to_string()),
        Ok(_) => None,
    };
    let unreadable = score.map_or(0, unreadable_replies)
        + beside.and_then(|beside| beside.as_ref().ok()?.score()).map_or(0, unreadable_replies);
    let unjudged = beside.and_then(|beside| beside.as_ref().err()).map(ToString::to_string);
    SgiRecord { scored, discipline: known("discipline").map(str::to_owned), json, other, error, unreadable, unjudged }
}

/// The validity of the reasoning under its published name; under another where the judge saw no pictures.
fn validity_field(beside: &MetricResult) -> Option<(String, Json)> {
    let score = beside.as_ref().ok()?.score()?;
    let name = if score.label.as_deref() == Some(NO_PICTURES) { "RV_text_only" } else { "RV" };
    Some((name.to_owned(), json!(score.value.get())))
}

/// How many replies of graders came and could not be read; the published rule counts them 0.
pub fn unreadable_replies(score: &Score) -> u64 {
    let lost = score.parts.get("valid_votes").map(|valid| VOTES as f64 - valid);
    let count = score.parts.get(UNREADABLE).or(lost).unwrap_or_default();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count, held as a number")]
    let count = count as u64;
    count
}

/// The parts of a score under their published names.
fn parts(subtask: Subtask, score: &Score) -> Map<String, Json> {
    let part = |name: &str| score.parts.get(name);
    let mut fields = Map::new();
    let mut set = |name: String, value: Option<f64>| {
        if let Some(value) = value {
            fields.insert(name, json!(value));
        }
    };
    match subtask {
        Subtask::DeepResearch | Subtask::DeepResearchGold => {
            set("exact_match".into(), part("exact_match"));
            set("step_level_acc".into(), part("step_level_acc"));
            if let Some(judge) = part("llm_judge") {
                set("llm_judge".into(), Some(judge));
                let routed = part("step_level_acc_llmrouterbench").or_else(|| part("step_level_acc"));
                set("step_level_acc_llmrouterbench".into(), routed);
            }
        }
        Subtask::ExperimentalReasoning => set("MCA".into(), Some(score.value.get())),
        Subtask::IdeaGeneration => {
            set("final_score".into(), part("final_score"));
            for name in DIMENSION_NAMES {
                for ending in ["_objective", "_subjective", ""] {
                    let name = format!("{name}{ending}");
                    let value = part(&name);
                    set(name, value);
                }
            }
        }
        Subtask::WetExperiment => {
            set("action_sequence_similarity".into(), part("action_sequence_similarity").or_else(|| part("order")));
            set("parameter_accuracy".into(), part("parameter_accuracy").or_else(|| part("parameters")));
            set("final_score".into(), Some(score.value.get()));
            for name in SoftScore::default().parts().map(|(name, _)| name) {
                set(name.into(), part(name));
            }
        }
        Subtask::DryExperiment => {
            for name in ["PassAll@5", "PassAll@3", "PassAll@1", "pass_count", "SER"] {
                set(name.into(), part(name));
            }
            // Where no run ended well the published record says -1.
            set("AET".into(), Some(part("AET").unwrap_or(-1.0)));
        }
    }
    fields
}

/// The score of the record under the other profile, from 0 to 1, if that is a different number.
fn other_profile_score(subtask: Subtask, score: &Score) -> Option<f64> {
    let part = |name: &str| score.parts.get(name);
    match subtask {
        Subtask::WetExperiment => part("improved").or_else(|| part("published")),
        Subtask::IdeaGeneration => {
            part("final_score_improved").or_else(|| part("final_score_published")).map(|score| score / 100.0)
        }
        Subtask::DeepResearch | Subtask::DeepResearchGold | Subtask::DryExperiment | Subtask::ExperimentalReasoning => {
            None
        }
    }
}
