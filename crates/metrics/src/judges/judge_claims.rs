//! Share of the claims of a response that a model finds in its sources.

use std::ops::Range;

use probare_core::{
    BackendAnswer, BuildError, Evidence, EvidenceKind, Field, Judge, JudgeAction, Outcome, Sample, Score, ScoreError,
    metric,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::prompting::{
    JudgePanel, JudgeReplies, MOST_STEPS, PanelOptions, PanelProgress, PanelVerdict, PromptTemplate, QuotedTexts,
    StepVerdict, all_agree, parse_step_verdicts, statement_spans, steps_schema,
};
use crate::bounded_evidence::{BoundedEvidence, truncate_for_note};
use crate::source_texts::SourceTexts;

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/claims.txt");

/// Options of `judge_claims`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JudgeClaims {
    /// Name in the metadata of the source texts; `sources_verified` if absent. Where the metadata have none, `context` is used.
    pub sources: Option<String>,
    /// Names of the models that are asked; the judges of the run if absent.
    pub judges: Vec<String>,
    /// How several judges become one, claim by claim.
    pub panel: PanelOptions,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// Whether the form of the reply is sent as a JSON Schema. Default true; false for servers that refuse it.
    pub schema: Option<bool>,
}

metric!(JudgeClaims as Judge {
    summary: "Share of the claims of a response that a model finds in its sources, with the words that support each",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: ClaimJudge::new,
    since: "0.3",
    version: 2,
    page: "judge_claims.md",
});

struct ClaimJudge {
    sources: String,
    panel: JudgePanel,
    template: PromptTemplate,
}

const FORM: &str = "Reply with one JSON object and nothing else: {\"steps\": [{\"step\": number of the claim, \"quote\": \"the words of \
     one source that bear it out, letter by letter, or an empty text\", \"met\": true or false}, …]}, with every claim once.";

impl ClaimJudge {
    fn new(options: JudgeClaims) -> Result<Self, BuildError> {
        Ok(Self {
            sources: options.sources.unwrap_or_else(|| "sources_verified".to_owned()),
            panel: JudgePanel::new(options.judges, options.panel, options.schema.unwrap_or(true).then(steps_schema))?,
            template: PromptTemplate::new(options.prompt.as_deref().unwrap_or(PROMPT), &["form", "data"])?,
        })
    }

    fn outcome(
        &self,
        response: &str,
        claims: &[Range<usize>],
        sources: &SourceTexts<'_>,
        seats: &[JudgeReplies<Vec<StepVerdict>>],
    ) -> Result<Outcome, ScoreError> {
        let mut evidence = BoundedEvidence::default();
        let (mut verified, mut unproved) = (0.0, 0.0);
        for (at, span) in claims.iter().enumerate() {
            let proof = |verdict: &StepVerdict| quoted_source(verdict, sources);
            let verdicts: Vec<Result<f64, ScoreError>> = seats
                .iter()
                .filter_map(|seat| seat.verdicts.first())
                .map(|verdict| match verdict {
                    Ok(verdict) => Ok(verdict.get(at).map_or(0.0, |verdict| f64::from(proof(verdict).is_some()))),
                    Err(error) => Err(error.clone()),
                })
                .collect();
            let PanelVerdict { value, is_tied } = self.panel.vote(&verdicts)?;
            verified += value;
            let all = || seats.iter().filter_map(|seat| seat.verdicts.first()?.as_ref().ok()?.get(at));
            let place = all().find_map(proof);
            let is_unproved = value < 0.5 && all().any(|verdict| verdict.met);
            unproved += f64::from(is_unproved);
            let claim = Evidence::at(
                if value < 0.5 { EvidenceKind::Unsupported } else { EvidenceKind::Matched },
                Field::Response,
                span.clone(),
                response,
            );
            if is_tied {
                let note = format!("claim {}: the judges are split, so it counts as half supported", at + 1);
                evidence.push(|| Evidence { kind: EvidenceKind::Unverified, ..claim }.with_note(note));
                continue;
            }
            evidence.push(|| match place {
                Some((index, words)) if value >= 0.5 => claim.with_note(format!(
                    "claim {}: source {} says `{}`",
                    at + 1,
                    index + 1,
                    truncate_for_note(&sources.texts[index][words])
                )),
                _ if is_unproved => claim.with_note(format!(
                    "claim {}: called supported, but the words that the judge gives stand in no source, so it does not count",
                    at + 1
                )),
                _ => claim.with_note(format!("claim {}: no source supports it", at + 1)),
            });
        }
        self.panel.add_missing_verdicts(seats, &mut evidence);
        let score = Score::from_number(verified / claims.len() as f64)?
            .with_part("verified", verified)?
            .with_part("claims", claims.len() as f64)?
            .with_part("without_proof", unproved)?;
        Ok(score.because(evidence.finish()).into())
    }
}

/// Where the words stand that a judge gives for a claim: source and bytes. A verdict without such words is none.
fn quoted_source(verdict: &StepVerdict, sources: &SourceTexts<'_>) -> Option<(usize, Range<usize>)> {
    let quote = verdict.quote.trim();
    if !verdict.met || quote.is_empty() {
        return None;
    }
    let place = |(index, text): (usize, &&str)| text.find(quote).map(|start| (index, start..start + quote.len()));
    sources.texts.iter().enumerate().find_map(place)
}

/// The score where there is nothing to ask about, as the published measure has it.
fn empty_score(claims: usize, why: &'static str) -> Result<JudgeAction, ScoreError> {
    let score = Score::from_number(0.0)?.with_part("verified", 0.0)?.with_part("claims", claims as f64)?;
    Ok(JudgeAction::Done(score.because([Evidence::note(why)]).into()))
}

impl Judge for ClaimJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let response = sample.response()?;
        let sources = SourceTexts::from_sample(sample, &self.sources)?;
        let claims = statement_spans(response);
        if claims.is_empty() {
            return empty_score(0, "the response claims nothing");
        }
        if sources.texts.iter().all(|text| text.trim().is_empty()) {
            return empty_score(claims.len(), "there is no source to hold the claims against");
        }
        if claims.len() > MOST_STEPS {
            let reason = format!("the response has {} claims, at most {MOST_STEPS} are judged", claims.len());
            return Ok(JudgeAction::Done(Outcome::not_applicable(reason)));
        }
        let messages = |_| {
            let mut data = QuotedTexts::default();
            for (at, source) in sources.texts.iter().enumerate() {
                data.add_block(&format!("source {}", at + 1), source);
            }
            for (at, span) in claims.iter().enumerate() {
                data.add_block(&format!("claim {}", at + 1), &response[span.clone()]);
            }
            self.template.messages(&[("form", FORM), ("data", data.text())])
        };
        match self.panel.advance(
            answers,
            1,
            &messages,
            &|_, reply| parse_step_verdicts(reply, claims.len()),
            &all_agree,
        )? {
            PanelProgress::Ask(turn) => Ok(turn),
            PanelProgress::Complete(seats) => Ok(JudgeAction::Done(self.outcome(response, &claims, &sources, &seats)?)),
        }
    }
}
