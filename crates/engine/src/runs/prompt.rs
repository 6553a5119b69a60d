//! [`GenerationPrompt`]: what models under test are asked: instructions, examples, and a text with fields of the case.

use std::borrow::Cow;
use std::collections::BTreeSet;

use probare_core::{BuildError, Case, ErrorKind, Field, Message, Parameters, Role, ScoreError, Sha256};
use probare_metrics::judges::{TemplatePiece, template_pieces};
use serde_json::Value as Json;

use super::conversation;
use crate::config::{Generate, NamedPrompt, PromptParameters};

/// The question of a case and nothing else.
const QUESTION: &str = "{{query}}";

/// A prompt that is ready to be filled.
#[derive(Debug, Clone)]
pub(super) struct GenerationPrompt {
    /// Everything in order: who speaks, and what is filled in.
    messages: Vec<(Role, Vec<TemplatePiece>)>,
    /// Whether the question of a case is asked as it stands: then with the conversation that it is part of.
    is_plain: bool,
    /// Its name, where it is one of those that have names.
    pub name: Option<String>,
    /// What is set for it in place of what the model has.
    pub parameters: Parameters,
    /// SHA-256 of the whole text, and of the parameters where there are any.
    pub sha256: String,
}

impl GenerationPrompt {
    /// The prompts of a configuration, whose files are read: one without a name, or those that have names.
    pub fn from_config(generate: &Generate) -> Result<Vec<Self>, BuildError> {
        if generate.prompts.is_empty() {
            return Ok(vec![Self::new(generate)?]);
        }
        let mut prompts: Vec<Self> = Vec::with_capacity(generate.prompts.len());
        for named in &generate.prompts {
            let prompt = Self::with_name(named, generate)?;
            if let Some(other) = prompts.iter().find(|other| other.sha256 == prompt.sha256) {
                let other = other.name.as_deref().unwrap_or_default();
                return Err(BuildError::Options(format!(
                    "prompts `{other}` and `{}` ask the same; a reply to the one would answer the other",
                    named.name
                )));
            }
            prompts.push(prompt);
        }
        Ok(prompts)
    }

    /// One of several.
    fn with_name(named: &NamedPrompt, generate: &Generate) -> Result<Self, BuildError> {
        let texts = Generate {
            system: named.system.clone().or_else(|| generate.system.clone()),
            prompt: named.prompt.clone(),
            examples: named.examples.as_ref().unwrap_or(&generate.examples).clone(),
            ..Generate::default()
        };
        let prompt =
            Self::new(&texts).map_err(|error| BuildError::Options(format!("prompt `{}`: {error}", named.name)))?;
        let PromptParameters { temperature, top_p, max_tokens, seed, ref stop } = named.parameters;
        let parameters =
            Parameters { temperature, top_p, max_tokens, seed, stop: stop.clone(), ..Parameters::default() };
        let sha256 = if parameters == Parameters::default() {
            prompt.sha256
        } else {
            let whole = (&prompt.sha256, &parameters);
            Sha256::hex_digest(serde_json::to_string(&whole).unwrap_or_default().as_bytes())
        };
        Ok(Self { name: Some(named.name.clone()), parameters, sha256, ..prompt })
    }

    /// Reads the texts of a configuration.
    pub fn new(generate: &Generate) -> Result<Self, BuildError> {
        let mut texts: Vec<(Role, &str)> = Vec::new();
        texts.extend(generate.system.as_deref().map(|text| (Role::System, text)));
        for example in &generate.examples {
            texts.push((Role::User, &example.prompt));
            texts.push((Role::Assistant, &example.response));
        }
        texts.push((Role::User, generate.prompt.as_deref().unwrap_or(QUESTION)));
        let sha256 = Sha256::hex_digest(serde_json::to_string(&texts).unwrap_or_default().as_bytes());
        let mut messages = Vec::with_capacity(texts.len());
        for (role, text) in texts {
            // What an example answers is taken as it stands.
            let pieces = if role == Role::Assistant {
                vec![TemplatePiece::Text(text.to_owned())]
            } else {
                template_pieces(text)?
            };
            messages.push((role, pieces));
        }
        let (name, parameters) = (None, Parameters::default());
        Ok(Self { messages, is_plain: generate.prompt.is_none(), name, parameters, sha256 })
    }

    /// The names in the prompt that cases fill, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().flat_map(|(_, pieces)| pieces).filter_map(|piece| match piece {
            TemplatePiece::Name(name) => Some(name.as_str()),
            TemplatePiece::Text(_) => None,
        })
    }

    /// Where a name stands, for messages: the text and its line.
    pub fn variable_location(&self, name: &str) -> String {
        let last = self.messages.len().saturating_sub(1);
        for (number, (role, pieces)) in self.messages.iter().enumerate() {
            let mut line = 1;
            for piece in pieces {
                match piece {
                    TemplatePiece::Text(text) => line += text.matches('\n').count(),
                    TemplatePiece::Name(known) if known == name => {
                        let text = match role {
                            Role::System => "`system`",
                            _ if number == last => "`prompt`",
                            _ => "`examples`",
                        };
                        let whose = self.name.as_ref().map(|name| format!(" of prompt `{name}`")).unwrap_or_default();
                        return format!("line {line} of {text}{whose}");
                    }
                    TemplatePiece::Name(_) => {}
                }
            }
        }
        "the prompt".to_owned()
    }

    /// The messages for a case. A field that the case does not have is an error of kind `missing`.
    pub fn messages(&self, case: &Case) -> Result<Vec<Message>, ScoreError> {
        let conversation = if self.is_plain { conversation::messages(case).transpose()? } else { None };
        // The question comes last.
        let own = self.messages.len() - usize::from(conversation.is_some());
        let mut filled = Vec::with_capacity(self.messages.len());
        for (role, pieces) in &self.messages[..own] {
            let mut text = String::new();
            for piece in pieces {
                match piece {
                    TemplatePiece::Text(own) => text.push_str(own),
                    TemplatePiece::Name(name) => text.push_str(&value(case, name)?),
                }
            }
            filled.push(Message::new(*role, text));
        }
        filled.extend(conversation.into_iter().flatten());
        Ok(filled)
    }
}

/// What a name in a prompt stands for: a field of the case, or something from its metadata.
pub(crate) fn value<'a>(case: &'a Case, name: &str) -> Result<Cow<'a, str>, ScoreError> {
    let found = match Field::ALL.into_iter().find(|field| field.name() == name) {
        Some(Field::Context) => {
            let passages = case.context.as_ref().map(|passages| passages.iter().map(|passage| passage.text.as_str()));
            passages.map(|texts| Cow::Owned(texts.collect::<Vec<_>>().join("\n\n")))
        }
        Some(Field::Tags) => Some(Cow::Owned(case.tags.join(", "))),
        Some(Field::Query) => case.query.as_deref().map(Cow::Borrowed),
        Some(Field::Reference) => case.text(Field::Reference, None).map(Cow::Borrowed),
        _ => {
            let key = name.strip_prefix("metadata.").unwrap_or(name);
            match case.metadata.get(key).or_else(|| nested(case, key)) {
                None | Some(Json::Null) => None,
                Some(Json::String(text)) => Some(Cow::Borrowed(text.as_str())),
                Some(other) => Some(Cow::Owned(other.to_string())),
            }
        }
    };
    found.ok_or_else(|| {
        ScoreError::other(
            ErrorKind::Missing,
            format!("the prompt wants `{{{{{name}}}}}`, which the case does not have"),
        )
    })
}

/// What a path such as `item.topic` leads to in the metadata.
fn nested<'a>(case: &'a Case, path: &str) -> Option<&'a Json> {
    let mut keys = path.split('.');
    let first = case.metadata.get(keys.next()?)?;
    keys.try_fold(first, |value, key| match value {
        Json::Array(items) => items.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    })
}

/// Whether a case has what a name in a prompt stands for.
pub(super) fn has(case: &Case, name: &str) -> bool {
    value(case, name).is_ok()
}

/// Adds the names that a prompt may have for this case.
pub(super) fn add_names(case: &Case, names: &mut BTreeSet<String>) {
    const FIELDS: [&str; 4] = ["query", "context", "reference", "tags"];
    for name in FIELDS.into_iter().chain(case.metadata.keys().map(String::as_str)) {
        let is_empty = name == "tags" && case.tags.is_empty();
        if !names.contains(name) && names.len() < MOST_NAMES && has(case, name) && !is_empty {
            names.insert(name.to_owned());
        }
    }
}

/// Names that a message shows at most.
const MOST_NAMES: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Example;

    #[test]
    fn fields_of_the_case_are_put_in() {
        let case: Case = serde_json::from_str(
            r#"{"id":"1","query":"Who? {{id}}","context":[{"text":"a"},{"text":"b"}],"metadata":{"style":"brief","n":3,"item":{"names":["Ada","Eve"]}}}"#,
        )
        .unwrap();
        let generate = Generate {
            system: Some("Be {{style}}.".into()),
            prompt: Some("{{context}}\n{{ query }} {{metadata.n}} {{item.names.1}}".into()),
            examples: vec![Example { prompt: "Who {{n}}?".into(), response: "{{me}}".into() }],
            ..Generate::default()
        };
        let messages = GenerationPrompt::new(&generate).unwrap().messages(&case).unwrap();
        let texts: Vec<&str> = messages.iter().map(|message| message.text.as_str()).collect();
        assert_eq!(texts, ["Be brief.", "Who 3?", "{{me}}", "a\n\nb\nWho? {{id}} 3 Eve"]);
        let other = Generate { prompt: Some("{{colour}}".into()), ..Generate::default() };
        let error = GenerationPrompt::new(&other).unwrap().messages(&case).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Missing);
        assert_eq!(error.to_string(), "the prompt wants `{{colour}}`, which the case does not have");
    }

    #[test]
    fn a_conversation_comes_after_instructions_and_examples_unless_there_is_a_prompt() {
        let case: Case = serde_json::from_str(
            r#"{"id":"1","query":"Why?","messages":[{"role":"user","text":"Who?"},{"role":"assistant","text":"Me."},{"role":"user","text":"Why?"}]}"#,
        )
        .unwrap();
        let generate = Generate {
            system: Some("Be brief.".into()),
            examples: vec![Example { prompt: "Where?".into(), response: "Here.".into() }],
            ..Generate::default()
        };
        let texts = |generate: &Generate| {
            let messages = GenerationPrompt::new(generate).unwrap().messages(&case).unwrap();
            messages.into_iter().map(|message| message.text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(texts(&generate), "Be brief. Where? Here. Who? Me. Why?");
        assert_eq!(texts(&Generate { prompt: Some("{{query}}".into()), ..generate }), "Be brief. Where? Here. Why?");
    }

    #[test]
    fn prompts_with_names_take_what_they_lack_from_the_configuration_and_must_differ() {
        let text = "system: Be brief.\nexamples: [{prompt: A?, response: B.}]\nprompts:\n  - {name: plain}\n  - {name: strict, \
                    system: Be strict., prompt: 'Q: {{query}}', examples: [], parameters: {temperature: 0.5}}\n";
        let generate: Generate = serde_json::from_value(crate::yaml::from_yaml(text).unwrap()).unwrap();
        let prompts = GenerationPrompt::from_config(&generate).unwrap();
        let case: Case = serde_json::from_str(r#"{"id":"1","query":"Who?"}"#).unwrap();
        let texts = |at: usize| {
            let messages: Vec<String> =
                prompts[at].messages(&case).unwrap().into_iter().map(|message| message.text).collect();
            messages.join("|")
        };
        assert_eq!((texts(0), texts(1)), ("Be brief.|A?|B.|Who?".to_owned(), "Be strict.|Q: Who?".to_owned()));
        assert_eq!((prompts[0].parameters.temperature, prompts[1].parameters.temperature), (None, Some(0.5)));
        let unnamed = Generate { prompts: Vec::new(), ..generate.clone() };
        assert_eq!(
            prompts[0].sha256,
            GenerationPrompt::new(&unnamed).unwrap().sha256,
            "a name is no part of a question"
        );
        let mut twice = generate;
        twice.prompts[1] = NamedPrompt { name: "again".into(), ..NamedPrompt::default() };
        let error = GenerationPrompt::from_config(&twice).unwrap_err().to_string();
        assert!(error.starts_with("prompts `plain` and `again` ask the same"), "{error}");
    }

    #[test]
    fn the_hash_tells_prompts_apart() {
        let one = GenerationPrompt::new(&Generate::default()).unwrap().sha256;
        let other =
            GenerationPrompt::new(&Generate { system: Some("x".into()), ..Generate::default() }).unwrap().sha256;
        assert_ne!(one, other);
    }
}
