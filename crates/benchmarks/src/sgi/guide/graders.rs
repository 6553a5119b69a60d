//! Who judges: by the guide's environment variables, or by the configuration.

use probare_models::{ModelName, ModelSettings};

use super::config::Graders;
use crate::sgi::Subtask;

/// Looks up environment variables.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Models that vote on ideas where no variable says otherwise.
const IDEA_JUDGES: [&str; 3] = ["gpt-5.1-2025-11-13", "gemini-3-pro-preview", "anthropic/claude-sonnet-4.5"];

/// Seconds that a grader may take.
const TIMEOUT: f64 = 500.0;

/// A panel of graders, or why there is none.
pub(super) type GraderPanel = Result<Vec<ModelSettings>, String>;

/// The graders of a subtask. `known` are models that the configuration sets up.
pub(super) fn graders(
    subtask: Subtask,
    own: &Graders,
    known: &[ModelSettings],
    environment: Environment<'_>,
) -> GraderPanel {
    match subtask {
        Subtask::WetExperiment => Ok(Vec::new()),
        // The choice needs nobody; its reasoning is judged where somebody is named.
        Subtask::ExperimentalReasoning => {
            own.experimental_reasoning.iter().map(|name| grader_by_name(name, known)).collect()
        }
        Subtask::DeepResearch | Subtask::DeepResearchGold => with_parser(
            single("deep_research", own.deep_research.as_deref(), "SGI_DR_GRADER_MODEL", known, environment)?,
            own,
            known,
            environment,
        ),
        Subtask::DryExperiment => with_parser(
            single("dry_experiment", own.dry_experiment.as_deref(), "SGI_DE_GRADER_MODEL", known, environment)?,
            own,
            known,
            environment,
        ),
        Subtask::IdeaGeneration => ideas(&own.idea_generation, known, environment),
    }
}

/// The graders that the guide's variables name; which variables are missing where they name none.
pub fn by_environment(subtask: Subtask, environment: Environment<'_>) -> Result<Vec<ModelSettings>, String> {
    graders(subtask, &Graders::default(), &[], environment)
}

/// A model by its name in the configuration, or `provider:model`.
fn grader_by_name(name: &str, known: &[ModelSettings]) -> Result<ModelSettings, String> {
    if let Some(model) = known.iter().find(|model| model.name == name) {
        return Ok(model.clone());
    }
    ModelName::parse(name).map_err(|error| format!("the grader `{name}`: {error}"))?;
    Ok(ModelSettings { timeout: Some(TIMEOUT), ..ModelSettings::from_name(name) })
}

/// A model behind the address and the key that variables name.
fn by_variables(
    name: String,
    model: &str,
    base_url: Option<String>,
    key: Option<&str>,
    missing: &mut Vec<String>,
    names: [&str; 2],
) -> Option<ModelSettings> {
    // Recorded replies, and providers that say where they are, need neither.
    if base_url.is_none()
        && ModelName::parse(model).is_ok_and(|parsed| model.starts_with(&format!("{}:", parsed.provider.name())))
    {
        return Some(ModelSettings {
            api_model_name: Some(model.to_owned()),
            timeout: Some(TIMEOUT),
            ..ModelSettings::from_name(name)
        });
    }
    if base_url.is_none() {
        missing.push(names[0].to_owned());
    }
    if key.is_none() {
        missing.push(names[1].to_owned());
    }
    Some(ModelSettings {
        api_model_name: Some(model.to_owned()),
        base_url: Some(base_url?),
        api_key: Some(key?.to_owned()),
        timeout: Some(TIMEOUT),
        ..ModelSettings::from_name(name)
    })
}

fn single(
    task: &str,
    own: Option<&str>,
    variable: &str,
    known: &[ModelSettings],
    environment: Environment<'_>,
) -> GraderPanel {
    if let Some(name) = own {
        return Ok(vec![grader_by_name(name, known)?]);
    }
    let model = environment(variable).unwrap_or_else(|| "o4-mini".to_owned());
    let key = environment("GRADER_API_KEY").map(|_| "GRADER_API_KEY");
    let mut missing = Vec::new();
    let found = by_variables(
        format!("{task}_grader"),
        &model,
        environment("GRADER_BASE_URL"),
        key,
        &mut missing,
        ["GRADER_BASE_URL", "GRADER_API_KEY"],
    );
    found.map(|model| vec![model]).ok_or_else(|| unset(&missing))
}

/// The answer parser is a setting of its own; without it the grader does its work.
fn with_parser(
    mut panel: Vec<ModelSettings>,
    own: &Graders,
    known: &[ModelSettings],
    environment: Environment<'_>,
) -> GraderPanel {
    if let Some(name) = &own.answer_parser {
        panel.push(grader_by_name(name, known)?);
    } else if let Some(model) = environment("SGI_ANSWER_PARSER_MODEL") {
        let mut parser = panel[0].clone();
        parser.name = format!("{}_parser", parser.name);
        parser.api_model_name = Some(model);
        panel.push(parser);
    }
    Ok(panel)
}

fn ideas(own: &[String], known: &[ModelSettings], environment: Environment<'_>) -> GraderPanel {
    if !own.is_empty() {
        if own.len() != IDEA_JUDGES.len() {
            return Err(format!("`graders.idea_generation` names {} models; three vote", own.len()));
        }
        return own.iter().map(|name| grader_by_name(name, known)).collect();
    }
    let mut panel = Vec::new();
    let mut missing = Vec::new();
    for (number, usual) in (1..).zip(IDEA_JUDGES) {
        let variables = ["MODEL", "BASE_URL", "API_KEY"].map(|what| format!("SGI_JUDGE_{what}_{number}"));
        let model = environment(&variables[0]).unwrap_or_else(|| usual.to_owned());
        let base_url = environment(&variables[1]).or_else(|| environment("GRADER_BASE_URL"));
        let key = [variables[2].as_str(), "GRADER_API_KEY"].into_iter().find(|name| environment(name).is_some());
        let names = [variables[1].as_str(), variables[2].as_str()];
        panel.extend(by_variables(format!("idea_judge_{number}"), &model, base_url, key, &mut missing, names));
    }
    if panel.len() < IDEA_JUDGES.len() {
        return Err(format!("three judges vote on ideas and {} are set up; {}", panel.len(), unset(&missing)));
    }
    Ok(panel)
}

fn unset(missing: &[String]) -> String {
    format!("these variables are not set: {}", missing.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(panel: GraderPanel) -> Result<Vec<String>, String> {
        panel.map(|models| {
            models.into_iter().map(|model| format!("{} {:?}", model.name, model.api_model_name)).collect()
        })
    }

    #[test]
    fn what_is_missing_is_named() {
        let none = |_: &str| None;
        let error = names(graders(Subtask::IdeaGeneration, &Graders::default(), &[], &none)).unwrap_err();
        assert!(error.contains("0 are set up") && error.contains("SGI_JUDGE_API_KEY_3"), "{error}");
        let error = names(graders(Subtask::DeepResearch, &Graders::default(), &[], &none)).unwrap_err();
        assert_eq!(error, "these variables are not set: GRADER_BASE_URL, GRADER_API_KEY");
        assert_eq!(names(graders(Subtask::WetExperiment, &Graders::default(), &[], &none)), Ok(Vec::new()));
    }

    #[test]
    fn shared_variables_stand_in_and_recorded_replies_need_none() {
        let shared = |name: &str| match name {
            "GRADER_BASE_URL" => Some("http://localhost:1/v1".to_owned()),
            "GRADER_API_KEY" => Some("x".to_owned()),
            "SGI_JUDGE_MODEL_2" => Some("other".to_owned()),
            _ => None,
        };
        let found = names(graders(Subtask::IdeaGeneration, &Graders::default(), &[], &shared)).unwrap();
        assert_eq!(found[1], "idea_judge_2 Some(\"other\")");
        let own = Graders { deep_research: Some("replay:r.jsonl".to_owned()), ..Graders::default() };
        assert!(graders(Subtask::DeepResearch, &own, &[], &|_| None).is_ok());
    }
}
