//! [`SgiPrompts`]: what models and judges are told: our own prompts, or those that somebody puts into a folder.
//!
//! The official texts are not ours to ship. A folder may hold any of the [`PromptFile`]s; what it does not hold is asked with our own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use probare_core::{BenchmarkError, InputFile, Sha256, closest};
use probare_formats::{files_below, folder_input, read_whole};
use serde_json::{Map, Value as Json, json};

use super::Subtask;
use crate::sgi::metrics::reasoning::options_text;
use crate::sgi::metrics::{self, Upstream};

/// Bytes of the largest prompt.
const LARGEST: u64 = 1 << 20;

/// Hexadecimal digits of a digest that are shown.
const SHOWN_DIGITS: usize = 12;

/// A file that a folder of prompts may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptFile {
    pub name: &'static str,
    /// The option of a metric that it stands for; nothing where a model under test is asked with it.
    pub option: Option<&'static str>,
    /// The subtasks that it is for.
    pub subtasks: &'static [Subtask],
}

const RESEARCH: &[Subtask] = &[Subtask::DeepResearch, Subtask::DeepResearchGold];

/// All of them.
#[rustfmt::skip]
pub const PROMPT_FILES: [PromptFile; 12] = [
    PromptFile { name: "deep_research.txt", option: None, subtasks: RESEARCH },
    PromptFile { name: "idea_generation.txt", option: None, subtasks: &[Subtask::IdeaGeneration] },
    PromptFile { name: "dry_experiment.txt", option: None, subtasks: &[Subtask::DryExperiment] },
    PromptFile { name: "wet_experiment.txt", option: None, subtasks: &[Subtask::WetExperiment] },
    PromptFile { name: "experimental_reasoning.txt", option: None, subtasks: &[Subtask::ExperimentalReasoning] },
    PromptFile { name: "answer_parser.txt", option: Some("parser_prompt"), subtasks: RESEARCH },
    PromptFile { name: "answer_parser_dry.txt", option: Some("parser_prompt"), subtasks: &[Subtask::DryExperiment] },
    PromptFile { name: "judge_steps.txt", option: Some("prompt"), subtasks: RESEARCH },
    PromptFile { name: "judge_answer.txt", option: Some("answer_prompt"), subtasks: RESEARCH },
    PromptFile { name: "judge_ideas.txt", option: Some("prompt"), subtasks: &[Subtask::IdeaGeneration] },
    PromptFile { name: "judge_outputs.txt", option: Some("prompt"), subtasks: &[Subtask::DryExperiment] },
    PromptFile { name: "judge_reasoning.txt", option: Some("prompt"), subtasks: &[Subtask::ExperimentalReasoning] },
];

/// Our own text that follows a question; the whole of it where it has a place for the question.
const fn own_task_prompt(subtask: Subtask) -> &'static str {
    match subtask {
        Subtask::DeepResearch | Subtask::DeepResearchGold => include_str!("prompts/deep_research.txt"),
        Subtask::IdeaGeneration => include_str!("prompts/idea_generation.txt"),
        Subtask::DryExperiment => include_str!("prompts/dry_experiment.txt"),
        Subtask::WetExperiment => include_str!("prompts/wet_experiment.txt"),
        Subtask::ExperimentalReasoning => include_str!("prompts/experimental_reasoning.txt"),
    }
}

/// The prompts of a run.
#[derive(Debug, Clone, Default)]
pub struct SgiPrompts {
    /// The folder as it is named; nothing where all prompts are ours.
    folder: Option<PathBuf>,
    /// The files that were in it, by name.
    texts: BTreeMap<&'static str, String>,
    /// The folder as an input of the run.
    input: Option<InputFile>,
}

impl SgiPrompts {
    /// Reads a folder. A file of another name is an error, since it would be meant and not used.
    pub fn read(folder: &Path) -> Result<Self, BenchmarkError> {
        let shown = folder.display().to_string();
        let known = || PROMPT_FILES.map(|file| file.name);
        let files = files_below(folder, &mut |_, extension| extension == "txt").map_err(|(place, error)| {
            BenchmarkError::data(format!("cannot read the folder of prompts `{}`: {error}", place.display()))
        })?;
        let (mut texts, mut inputs) = (BTreeMap::new(), Vec::new());
        for path in files {
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            let Some(file) = PROMPT_FILES.into_iter().find(|file| file.name == name) else {
                let error = BenchmarkError::data(format!("`{}` is not a prompt of SGI-Bench", path.display()));
                return Err(match closest(&name, known()) {
                    Some(similar) => error.hint(format!("a similar name exists: `{similar}`")),
                    None => error.hint(format!("the files are {}", known().join(", "))),
                });
            };
            let (bytes, input) =
                read_whole(&path.display().to_string(), LARGEST).map_err(|error| BenchmarkError::from_error(&error))?;
            let text = String::from_utf8(bytes)
                .map_err(|_| BenchmarkError::data(format!("`{}` is not valid UTF-8", path.display())))?;
            texts.insert(file.name, text.trim_start_matches('\u{feff}').to_owned());
            inputs.push(input);
        }
        if texts.is_empty() {
            return Err(BenchmarkError::data(format!("the folder of prompts `{shown}` holds no prompt"))
                .hint(format!("it may hold {}", known().join(", "))));
        }
        let input = InputFile { option: Some("/prompts".to_owned()), ..folder_input(&shown, &inputs) };
        Ok(Self { folder: Some(folder.to_owned()), texts, input: Some(input) })
    }

    /// The folder as an input of the run.
    pub fn input(&self) -> Option<&InputFile> {
        self.input.as_ref()
    }

    /// Paths of the files that were read.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.folder.iter().flat_map(|folder| self.texts.keys().map(|name| folder.join(name))).collect()
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    fn task_file(subtask: Subtask) -> Option<PromptFile> {
        PROMPT_FILES.into_iter().find(|file| file.option.is_none() && file.subtasks.contains(&subtask))
    }

    /// What a model is asked: the question with what follows it, or the prompt with the question in its place.
    pub fn task_prompt(&self, subtask: Subtask, question: &str, options: &[&str]) -> String {
        let given = Self::task_file(subtask).and_then(|file| self.text(file.name));
        let prompt = given.unwrap_or_else(|| own_task_prompt(subtask));
        // The line break that ends the file.
        let prompt = prompt.strip_suffix('\n').unwrap_or(prompt);
        if prompt.contains("{{question}}") {
            return fill(prompt, &[("{{question}}", question), ("{{options}}", &options_text(options))]);
        }
        let list = if options.is_empty() { String::new() } else { format!("\n{}", options_text(options)) };
        format!("{question}{list}{prompt}")
    }

    /// The options that say how the judges of a subtask are asked; only those that the folder gives.
    pub fn metric_options(&self, subtask: Subtask) -> Map<String, Json> {
        let files = PROMPT_FILES.into_iter().filter(|file| file.subtasks.contains(&subtask));
        files.filter_map(|file| Some((file.option?.to_owned(), json!(self.text(file.name)?)))).collect()
    }

    /// Whose prompts they are, with the digests of those that the subtasks use; those of models only where models are asked. Nothing where
    /// nobody is asked.
    pub fn describe(&self, subtasks: &[Subtask], upstream: Upstream, asks_models: bool) -> String {
        let is_used = |file: &PromptFile| {
            let is_asked = match file.option {
                None => asks_models,
                Some("answer_prompt") => upstream.is_official(),
                Some(_) => true,
            };
            is_asked && file.subtasks.iter().any(|subtask| subtasks.contains(subtask))
        };
        let (given, own): (Vec<PromptFile>, Vec<PromptFile>) =
            PROMPT_FILES.into_iter().filter(is_used).partition(|file| self.texts.contains_key(file.name));
        let list = |files: &[PromptFile]| {
            let one = |file: &PromptFile| {
                let digest = Sha256::hex_digest(self.used_text(file).as_bytes());
                format!("{} {}", file.name, &digest[..SHOWN_DIGITS])
            };
            files.iter().map(one).collect::<Vec<_>>().join(", ")
        };
        match &self.folder {
            Some(folder) if own.is_empty() && !given.is_empty() => {
                format!("prompts from {}: {}", folder.display(), list(&given))
            }
            Some(folder) if !given.is_empty() => {
                format!("prompts from {}: {}; own prompts: {}", folder.display(), list(&given), list(&own))
            }
            Some(folder) if own.is_empty() => format!("prompts from {}: none is used", folder.display()),
            _ if own.is_empty() => String::new(),
            _ => format!("own prompts: {}", list(&own)),
        }
    }

    /// The text that is used for a file: that of the folder, or ours.
    fn used_text(&self, file: &PromptFile) -> String {
        if let Some(text) = self.text(file.name) {
            return text.to_owned();
        }
        let Some(subtask) = file.subtasks.first() else { return String::new() };
        match file.option {
            None => own_task_prompt(*subtask).to_owned(),
            Some(option) => {
                own_prompt(subtask.judged_beside().unwrap_or(subtask.metric()), option).unwrap_or_default().to_owned()
            }
        }
    }
}

/// What a metric asks with where its option of this name says nothing else.
fn own_prompt(metric: &str, option: &str) -> Option<&'static str> {
    let definition = metrics::FAMILY.iter().find(|definition| definition.id == metric)?;
    let prompts = definition.prompts?(&json!({"upstream": Upstream::Official2026.name()}));
    prompts.into_iter().find_map(|(name, own)| (name == option).then_some(own))
}

/// A prompt with its places filled; what is put in is not looked at again.
fn fill(prompt: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = prompt;
    while let Some((at, place, value)) =
        values.iter().filter_map(|(place, value)| Some((rest.find(place)?, *place, *value))).min()
    {
        text.push_str(&rest[..at]);
        text.push_str(value);
        rest = &rest[at + place.len()..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_follows_the_question_or_has_a_place_for_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("wet_experiment.txt"), "\nWrite steps.\n").unwrap();
        std::fs::write(folder.path().join("deep_research.txt"), "Answer {{question}} at once: {{options}}.\n").unwrap();
        std::fs::write(folder.path().join("judge_steps.txt"), "Judge {{solution}}").unwrap();
        let prompts = SgiPrompts::read(folder.path()).unwrap();
        assert_eq!(prompts.task_prompt(Subtask::WetExperiment, "Q?", &[]), "Q?\nWrite steps.");
        let prompt = prompts.task_prompt(Subtask::DeepResearch, "{{options}}?", &["a", "b"]);
        assert_eq!(prompt, "Answer {{options}}? at once: A. a\nB. b.");
        assert_eq!(prompts.metric_options(Subtask::DeepResearchGold)["prompt"], "Judge {{solution}}");
        assert!(prompts.metric_options(Subtask::DryExperiment).is_empty());
        let description = prompts.describe(&[Subtask::DeepResearch], Upstream::LlmRouterBench, true);
        let digest = &Sha256::hex_digest(b"Judge {{solution}}")[..12];
        assert!(
            description.starts_with("prompts from ") && description.contains(&format!("judge_steps.txt {digest}")),
            "{description}"
        );
        assert!(
            description.contains("; own prompts: answer_parser.txt ") && !description.contains("judge_answer"),
            "{description}"
        );
        let description = prompts.describe(&[Subtask::IdeaGeneration], Upstream::Official2026, true);
        assert!(
            description.starts_with("own prompts: idea_generation.txt ") && description.contains("judge_ideas.txt "),
            "{description}"
        );
        let description = prompts.describe(&[Subtask::IdeaGeneration], Upstream::Official2026, false);
        assert!(description.starts_with("own prompts: judge_ideas.txt "), "{description}");
        assert!(prompts.describe(&[Subtask::WetExperiment], Upstream::Official2026, false).ends_with("none is used"));
        let own = SgiPrompts::default();
        assert_eq!(own.describe(&[Subtask::WetExperiment], Upstream::Official2026, false), "");
        assert_eq!(prompts.paths().len(), 3);
    }

    #[test]
    fn what_is_wrong_with_a_folder_of_prompts_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let message = || {
            let error = SgiPrompts::read(folder.path()).unwrap_err();
            format!("{error} | {}", error.hint.as_deref().unwrap_or_default())
        };
        assert!(message().contains("holds no prompt | it may hold deep_research.txt"), "{}", message());
        std::fs::write(folder.path().join("deepresearch.txt"), "x").unwrap();
        assert!(
            message().contains("is not a prompt of SGI-Bench | a similar name exists: `deep_research.txt`"),
            "{}",
            message()
        );
        assert!(SgiPrompts::read(&folder.path().join("nowhere")).unwrap_err().to_string().contains("nowhere"));
    }
}
