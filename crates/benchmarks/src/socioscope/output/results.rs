//! The results file: the input with what was found beside it.

use probare_core::Profile;
use probare_metrics::interviews::quotations::{NearestPassage, QuotationFinding, TextChange};
use probare_report::VERSION;
use serde_json::{Map, Value as Json, json};

use crate::socioscope::input::{Fixture, FixtureAnswer};
use crate::socioscope::interviews::matching::{MatchReason, Mention, MentionStatus};
use crate::socioscope::interviews::polarity::Polarity;
use crate::socioscope::interviews::{Grade, GradingOptions};
use crate::socioscope::{AnswerResult, PairResult, Redaction, SocioscopeEvaluation, SocioscopeSummary};

/// The whole file, without a time in it: the same input and settings give the same bytes.
pub fn results(
    fixture: &Fixture,
    evaluation: &SocioscopeEvaluation,
    settings: GradingOptions,
    (summary, improved): (&SocioscopeSummary, Option<&SocioscopeSummary>),
    redaction: Option<&Redaction>,
) -> Json {
    let mut root = Map::new();
    root.insert("probare".into(), json!({"version": VERSION, "suite": "socioscope", "format": 1}));
    root.insert("settings".into(), settings_json(settings, redaction.is_some()));
    let mut means = summary.to_json();
    if let (Some(improved), Json::Object(means)) = (improved, &mut means) {
        let mut improved = improved.to_json();
        // Quotations are checked once; they stand in the published summary.
        if let Json::Object(improved) = &mut improved {
            improved.remove("verbatim");
            improved.remove("verbatim_average");
        }
        means.insert("improved".into(), improved);
    }
    root.insert("summary".into(), means);
    for (name, value) in &fixture.given {
        root.entry(name.clone()).or_insert_with(|| value.clone());
    }
    let pairs = fixture.pairs.iter().zip(&evaluation.pairs).map(|(pair, result)| {
        let mut object = pair.given.clone();
        let existence = result.existence();
        object.insert("existence_score".into(), json!(existence.score()));
        object.insert("existence_score_normalised".into(), json!(existence.score_normalised()));
        let answers: Vec<Json> = pair
            .answers
            .iter()
            .zip(&result.answers)
            .map(|(answer, graded)| answer_json(answer, graded, result))
            .collect();
        object.insert("answers".into(), answers.into());
        let mut pair = Json::Object(object);
        if let Some(redaction) = redaction {
            redaction.json(&mut pair);
        }
        pair
    });
    root.insert("qa_pairs".into(), pairs.collect::<Vec<_>>().into());
    Json::Object(root)
}

fn settings_json(settings: GradingOptions, redacted: bool) -> Json {
    json!({
        "profile": settings.profile.name(),
        "strict_yes_no": settings.strict_yes_no,
        "fuzzy_threshold": settings.fuzzy_threshold,
        "rationale_weight": settings.rationale_weight,
        "synonyms": settings.synonyms,
        "fuzzy": settings.fuzzy,
        "redacted": redacted,
    })
}

fn answer_json(answer: &FixtureAnswer, graded: &AnswerResult, pair: &PairResult) -> Json {
    let mut object = answer.given.clone();
    match &graded.grade {
        Some(grade) => object.extend(grade_json(grade, pair, answer.response.as_deref().unwrap_or_default())),
        None => {
            object.insert("score".into(), Json::Null);
        }
    }
    if let Some(improved) = &graded.improved {
        let mut grade_object = grade_json(improved, pair, answer.response.as_deref().unwrap_or_default());
        if let Some(grade) = &graded.grade {
            let reasons = differences(grade, improved, pair);
            if !reasons.is_empty() {
                grade_object.insert("differs_because".into(), reasons.into());
            }
        }
        object.insert(Profile::Improved.name().into(), grade_object.into());
    }
    let checks: Vec<Json> = graded.findings.iter().map(citation_json).collect();
    object.insert("citation_checks".into(), checks.into());
    object.insert("existence_score".into(), json!(graded.existence.score()));
    object.insert("existence_score_normalised".into(), json!(graded.existence.score_normalised()));
    object.into()
}

fn grade_json(grade: &Grade, pair: &PairResult, response: &str) -> Map<String, Json> {
    let mut object = Map::new();
    object.insert("score".into(), json!(grade.score));
    for (name, value) in [("raw", grade.raw), ("binary", grade.binary), ("rationale", grade.rationale)] {
        if let Some(value) = value {
            object.insert(name.into(), json!(value));
        }
    }
    if grade.raw.is_some() || grade.rationale.is_some() {
        object
            .insert("matched".into(), grade.matched.iter().map(|value| name(pair, *value)).collect::<Vec<_>>().into());
        object.insert(
            "mentions".into(),
            grade.mentions.iter().map(|mention| mention_json(mention, pair, response)).collect::<Vec<_>>().into(),
        );
    }
    if let Some(decision) = &grade.decision {
        object.insert(
            "decision".into(),
            json!({
                "says": decision.polarity.map(Polarity::name),
                "start": decision.span.as_ref().map(|span| char_offset(response, span.start)),
                "end": decision.span.as_ref().map(|span| char_offset(response, span.end)),
                "why": decision.why,
            }),
        );
    }
    object.insert("flags".into(), grade.flags.iter().map(|flag| flag.name()).collect::<Vec<_>>().into());
    object
}

fn name(pair: &PairResult, value: usize) -> &str {
    pair.values.get(value).map_or("", |(name, _)| name.as_str())
}

/// Positions count Unicode scalar values, as those of quotations do.
fn char_offset(text: &str, at: usize) -> usize {
    text.get(..at).map_or(0, |part| part.chars().count())
}

fn mention_json(mention: &Mention, pair: &PairResult, response: &str) -> Json {
    let mut object = json!({
        "value": name(pair, mention.value),
        "start": char_offset(response, mention.span.start),
        "end": char_offset(response, mention.span.end),
        "surface": mention.surface,
        "reason": mention.reason.name(),
    });
    if let Json::Object(object) = &mut object {
        match &mention.reason {
            MatchReason::Synonym { synset: Some(synset) } => {
                object.insert("synset".into(), json!(synset));
            }
            MatchReason::BaseForm { base } => {
                object.insert("base".into(), json!(base));
            }
            MatchReason::Fuzzy { similarity } => {
                object.insert("similarity".into(), json!(similarity));
            }
            _ => {}
        }
        match &mention.status {
            MentionStatus::Asserted => {}
            MentionStatus::Denied(word) => {
                object.insert("denied_by".into(), json!(word));
            }
            MentionStatus::OtherSense(sense) => {
                object.insert("other_sense".into(), json!(sense));
            }
        }
    }
    object
}

/// Why the improved definition gives another score than the published one.
pub(crate) fn differences(published: &Grade, improved: &Grade, pair: &PairResult) -> Vec<String> {
    let mut reasons = Vec::new();
    if (published.score - improved.score).abs() < 1e-12 {
        return reasons;
    }
    let polarity_name = |grade: &Grade| grade.decision.as_ref().map(|decision| decision.polarity.map(Polarity::name));
    if polarity_name(published) != polarity_name(improved)
        && let Some(decision) = &improved.decision
    {
        let says = decision.polarity.map_or("neither yes nor no", |polarity| polarity.name());
        reasons.push(format!("the whole answer says {says}: {}", decision.why));
    }
    for flag in improved.flags.iter().filter(|flag| !published.flags.contains(flag)) {
        if flag.name() == "everything" {
            reasons.push("everything on offer is named, so nothing is selected".to_owned());
        }
    }
    for value in published.matched.iter().filter(|value| !improved.matched.contains(value)) {
        let mention = improved.mentions.iter().find(|mention| mention.value == *value);
        let why = match mention.map(|mention| &mention.status) {
            Some(MentionStatus::Denied(word)) => format!("it is denied by `{word}`"),
            Some(MentionStatus::OtherSense(sense)) => sense.clone(),
            Some(MentionStatus::Asserted) => continue,
            None => {
                match published.mentions.iter().find(|mention| mention.value == *value).map(|mention| &mention.reason) {
                    Some(MatchReason::Fuzzy { .. }) => "its near spelling is a word of its own".to_owned(),
                    Some(MatchReason::Synonym { .. }) => "its synonym belongs to a rare sense".to_owned(),
                    _ => "it is not asserted".to_owned(),
                }
            }
        };
        reasons.push(format!("`{}` does not count: {why}", name(pair, *value)));
    }
    for value in improved.matched.iter().filter(|value| !published.matched.contains(value)) {
        if let Some(mention) = improved.mentions.iter().find(|mention| mention.value == *value && mention.is_asserted())
        {
            reasons.push(format!("`{}` counts: {}", name(pair, *value), mention.reason.describe()));
        }
    }
    if reasons.is_empty() {
        reasons.push("the first value that is asserted is another one".to_owned());
    }
    reasons
}

/// A checked citation.
pub fn citation_json(finding: &QuotationFinding) -> Json {
    let found = finding.status.is_found();
    let mut object = json!({
        "status": finding.status.name(),
        "exact": u8::from(finding.status.name() == "exact"),
        "normalised": u8::from(found),
        "start": finding.scalars.as_ref().map(|range| range.start),
        "end": finding.scalars.as_ref().map(|range| range.end),
        "similarity": finding.similarity,
        "found_in": finding.found_in,
        "trivial": finding.is_trivial,
    });
    let Json::Object(members) = &mut object else { return object };
    if let Some(near) = &finding.near {
        members.insert("nearest".into(), near_json(near));
    }
    if let Some(elsewhere) = &finding.other_transcript {
        members.insert("wrong_source".into(), json!(elsewhere.name));
        if let Some(near) = &elsewhere.near {
            members.insert("nearest_there".into(), near_json(near));
        }
    }
    object
}

fn near_json(near: &NearestPassage) -> Json {
    let changes: Vec<Json> = near
        .difference
        .changes
        .iter()
        .map(|change| match change {
            TextChange::Same(text) => json!(["same", text]),
            TextChange::Dropped(text) => json!(["dropped", text]),
            TextChange::Added(text) => json!(["added", text]),
        })
        .collect();
    json!({
        "start": near.scalars.start,
        "end": near.scalars.end,
        "difference": changes,
        "negation": near.difference.negation,
    })
}
