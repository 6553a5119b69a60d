//! Share of a list of steps that a model finds in the response.

use probare_core::{
    BackendAnswer, BuildError, Evidence, EvidenceKind, Field, Judge, JudgeAction, Outcome, Sample, Score, ScoreError,
    metric,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::prompting::{
    ConversationText, JudgePanel, JudgeReplies, MOST_STEPS, PanelOptions, PanelProgress, PanelVerdict, PromptTemplate,
    QuotedTexts, StepVerdict, all_agree, judge_evidence, option_error, parse_step_verdicts, steps_schema,
    with_judge_parts,
};
use crate::bounded_evidence::{BoundedEvidence, truncate_for_note};

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/steps.txt");

/// Options of `judge_steps`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeSteps {
    /// The steps, where they are the same for every case; else those of `from`.
    pub steps: Vec<String>,
    /// Where the steps of a case are: `reference`, or `metadata.KEY`. `metadata.steps` if absent.
    pub from: Option<String>,
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one, step by step.
    pub panel: PanelOptions,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    pub schema: Option<bool>,
}

metric!(JudgeSteps as Judge {
    summary: "Share of a list of steps that a model finds in the response, with the words it rests on",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: StepJudge::new,
    since: "0.2",
    version: 3,
    page: "judge_steps.md",
});

struct StepJudge {
    /// The same for every case, where there are any.
    fixed: Vec<String>,
    from: StepSource,
    panel: JudgePanel,
    template: PromptTemplate,
}

enum StepSource {
    Reference,
    Metadata(String),
}

const FORM: &str = "Reply with one JSON object and nothing else: {\"steps\": [{\"step\": number of the step, \"quote\": \"the words of the \
     response that meet it, letter by letter, or an empty text\", \"met\": true or false}, …]}, with every step once.";

impl StepJudge {
    fn new(options: JudgeSteps) -> Result<Self, BuildError> {
        let from = match options.from.as_deref().unwrap_or("metadata.steps") {
            "reference" => StepSource::Reference,
            other => match other.strip_prefix("metadata.").filter(|key| !key.is_empty()) {
                Some(key) => StepSource::Metadata(key.to_owned()),
                None => return Err(option_error("`from` is `reference` or `metadata.KEY`")),
            },
        };
        if options.steps.iter().any(|step| step.trim().is_empty()) || options.steps.len() > MOST_STEPS {
            return Err(option_error(format!("`steps` holds an empty step, or more than {MOST_STEPS}")));
        }
        Ok(Self {
            fixed: options.steps,
            from,
            panel: JudgePanel::new(options.judges, options.panel, options.schema.unwrap_or(true).then(steps_schema))?,
            template: PromptTemplate::new(options.prompt.as_deref().unwrap_or(PROMPT), &["form", "data"])?,
        })
    }

    /// The steps of a case.
    fn steps_for_case<'a>(&'a self, sample: Sample<'a>) -> Vec<&'a str> {
        if !self.fixed.is_empty() {
            return self.fixed.iter().map(String::as_str).collect();
        }
        match &self.from {
            StepSource::Reference => sample.case.reference.iter().flatten().map(String::as_str).collect(),
            StepSource::Metadata(key) => {
                let list = sample.case.metadata.get(key).and_then(Json::as_array).into_iter().flatten();
                list.filter_map(Json::as_str).collect()
            }
        }
    }

    fn outcome(
        &self,
        response: &str,
        steps: &[&str],
        seats: &[JudgeReplies<Vec<StepVerdict>>],
        omitted: Option<String>,
    ) -> Result<Outcome, ScoreError> {
        let mut evidence = BoundedEvidence::default();
        if let Some(omitted) = omitted {
            evidence.push(|| Evidence::note(omitted));
        }
        let mut met = 0.0;
        for (at, step) in steps.iter().enumerate() {
            let verdicts: Vec<Result<f64, ScoreError>> = seats
                .iter()
                .filter_map(|seat| seat.verdicts.first())
                .map(|verdict| match verdict {
                    Ok(verdict) => Ok(verdict.get(at).map_or(0.0, |verdict| f64::from(verdict.met))),
                    Err(error) => Err(error.clone()),
                })
                .collect();
            let PanelVerdict { value, is_tied } = self.panel.vote(&verdicts)?;
            met += value;
            let shown = format!("step {}: {}", at + 1, truncate_for_note(step));
            if is_tied {
                evidence.push(|| Evidence::note(format!("{shown}; the judges are split, so it counts as half met")));
                continue;
            }
            if value < 0.5 {
                evidence.push(|| Evidence::missing(shown));
                continue;
            }
            let quotes = seats.iter().filter_map(|seat| seat.verdicts.first()?.as_ref().ok()?.get(at));
            let quote = quotes
                .filter(|verdict| verdict.met && !verdict.quote.trim().is_empty())
                .map(|verdict| verdict.quote.trim())
                .next();
            let place = quote.and_then(|quote| Some((response.find(quote)?, quote)));
            evidence.push(|| match (place, quote) {
                (Some((start, quote)), _) => {
                    Evidence::at(EvidenceKind::Matched, Field::Response, start..start + quote.len(), response)
                        .with_note(shown)
                }
                (None, Some(quote)) => {
                    judge_evidence(format!("{shown}; the words that the judge gives are not in the response"), quote)
                }
                (None, None) => judge_evidence(format!("{shown}; met, without words to show for it"), ""),
            });
        }
        self.panel.add_missing_verdicts(seats, &mut evidence);
        let score = Score::from_number(met / steps.len() as f64)?
            .with_part("met", met)?
            .with_part("steps", steps.len() as f64)?;
        let share = |verdicts: &Vec<StepVerdict>| {
            verdicts.iter().filter(|verdict| verdict.met).count() as f64 / steps.len() as f64
        };
        let first = seats.iter().filter_map(|seat| seat.verdicts.first());
        let values: Vec<_> = first.map(|replies| replies.as_ref().map(share).map_err(Clone::clone)).collect();
        let score = with_judge_parts(score, &values)?;
        Ok(score.because(evidence.finish()).into())
    }
}

impl Judge for StepJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let response = sample.response()?;
        let steps = self.steps_for_case(sample);
        if steps.is_empty() {
            return Ok(JudgeAction::Done(Outcome::not_applicable("the case has no steps")));
        }
        if steps.len() > MOST_STEPS {
            let reason = format!("the case has {} steps, at most {MOST_STEPS} are judged", steps.len());
            return Ok(JudgeAction::Done(Outcome::not_applicable(reason)));
        }
        let conversation = ConversationText::from_sample(sample);
        let messages = |_| {
            let mut data = QuotedTexts::default();
            if let Some(query) = &sample.case.query {
                data.add_block("query", query);
            }
            data.add_conversation(conversation.as_ref());
            for (at, step) in steps.iter().enumerate() {
                data.add_block(&format!("step {}", at + 1), step);
            }
            data.add_block("response", response);
            self.template.messages(&[("form", FORM), ("data", data.text())])
        };
        match self.panel.advance(
            answers,
            1,
            &messages,
            &|_, reply| parse_step_verdicts(reply, steps.len()),
            &all_agree,
        )? {
            PanelProgress::Ask(turn) => Ok(turn),
            PanelProgress::Complete(seats) => {
                let omitted = conversation.and_then(|shown| shown.omitted);
                Ok(JudgeAction::Done(self.outcome(response, &steps, &seats, omitted)?))
            }
        }
    }
}
