//! What a configuration asks for beyond data: programs, addresses, keys, answers, files elsewhere. One that was found in the
//! folder may do so once the user has said `probare trust`.

use std::path::{Component, Path};

use probare_files::{TrustedConfigs, is_below, read_plain};
use probare_models::{ModelName, ModelSettings, Provider};
use probare_report::escape;
use probare_sandbox::SandboxChoice;
use serde_json::Value as Json;

use crate::agent::AgentConfig;
use crate::config::{Config, ConfigError, LARGEST_CONFIG, MetricEntry};
use crate::model_access::is_rubric_file;

impl Config {
    /// What the configuration would be trusted with, each as a phrase; nothing where it only says what to score.
    pub fn permissions(&self) -> Vec<String> {
        let mut found = Vec::new();
        for model in &self.models {
            add_model_permissions(model, &mut found);
        }
        let judges = self.judges.iter().chain(&self.generate.models);
        let embedding = self.retrieval.as_ref().and_then(|retrieval| retrieval.embedding.as_ref());
        for name in judges.chain(embedding) {
            add_name_permissions(name, &mut found);
        }
        for metric in &self.metrics {
            add_metric_permissions(metric, &mut found);
            for (option, value) in &metric.options {
                add_option_permissions(option, value, &mut found);
            }
        }
        found.extend(self.agent.iter().flat_map(AgentConfig::permissions));
        if self.run.sandbox == Some(SandboxChoice::None) {
            found.push("to run programs without a sandbox (`run.sandbox: none`)".to_owned());
        }
        if let Some(record) = &self.run.cache {
            found.push(format!("to take replies and outcomes from the response cache `{}`", record.display()));
        }
        let thresholds = self.run.decision_thresholds.iter();
        found.extend(thresholds.map(|file| format!("to decide by the thresholds in `{}`", file.display())));
        for path in self.paths().filter(|path| !is_inside(self.folder(), path)) {
            found.push(format!("the file `{path}`, which lies outside of its folder"));
        }
        found.dedup();
        // What the file says in a phrase cannot pass for a line of ours.
        found.into_iter().map(|phrase| escape::terminal(&phrase).into_owned()).collect()
    }

    /// Paths that the configuration names to be read or written.
    fn paths(&self) -> impl Iterator<Item = &str> {
        let named = &self.generate.prompts;
        let own = [&self.generate.system, &self.generate.prompt];
        let prompts = own.into_iter().chain(named.iter().flat_map(|prompt| [&prompt.system, &prompt.prompt]));
        let prompts = prompts.flatten().map(String::as_str);
        let of_metrics = self.metrics.iter().filter_map(|metric| metric.options.get("prompt").and_then(Json::as_str));
        let rubrics = self.metrics.iter().filter_map(|metric| metric.options.get("rubric").and_then(Json::as_str));
        let files =
            named.iter().filter_map(|prompt| prompt.file.as_deref()).chain(rubrics.filter(|name| is_rubric_file(name)));
        let prompts = prompts.chain(of_metrics).filter_map(|text| text.strip_prefix('@')).chain(files);
        let datasets = self.datasets.iter().map(|dataset| dataset.path.as_str());
        let index = self.retrieval.iter().map(|retrieval| retrieval.index.as_str());
        let outputs = self.run.output.iter().filter_map(|output| output.to_str()).filter(|output| *output != "-");
        let agent = self.agent.iter().flat_map(AgentConfig::paths);
        datasets.chain(prompts).chain(index).chain(outputs).chain(agent)
    }
}

/// A metric may be code of whoever wrote the file.
fn add_metric_permissions(metric: &MetricEntry, found: &mut Vec<String>) {
    let name = metric.display_name();
    if let Some(reference) = &metric.python {
        found.push(format!("to run the Python code `{reference}` (metric `{name}`)"));
    }
    if !metric.command.is_empty() {
        found.push(format!("to start the program `{}` (metric `{name}`)", metric.command.join(" ")));
    }
}

fn add_model_permissions(model: &ModelSettings, found: &mut Vec<String>) {
    let name = model.display_name();
    let answerer = model.model_name().ok();
    match answerer.as_ref().map(|name| name.provider) {
        Some(Provider::Command) => {
            let program = model.command.first().or(answerer.as_ref().map(|name| &name.model));
            found.push(format!("to start the program `{}` (model `{name}`)", program.map_or("", String::as_str)));
        }
        Some(Provider::Replay) => {
            let file = answerer.as_ref().map_or("", |name| name.model.as_str());
            found.push(format!("to let the file `{file}` answer for a model (`{name}`)"));
        }
        _ => {}
    }
    if let Some(address) = &model.base_url {
        let key = match &model.api_key {
            Some(variable) => format!(" with the key in `{variable}`"),
            None => String::new(),
        };
        found.push(format!("to send cases to the address `{address}`{key} (model `{name}`)"));
    } else if let Some(variable) = &model.api_key {
        let own = answerer.and_then(|name| name.provider.key_variable());
        if own.is_none_or(|own| !own.eq_ignore_ascii_case(variable)) {
            found.push(format!("to send the key in `{variable}` (model `{name}`)"));
        }
    }
    for (header, _) in model.headers.iter().filter(|(_, value)| value.contains("${")) {
        found.push(format!("to send a variable of your environment in the header `{header}` (model `{name}`)"));
    }
}

/// A name may say by itself who answers.
fn add_name_permissions(name: &str, found: &mut Vec<String>) {
    match ModelName::parse(name) {
        Ok(parsed) if parsed.provider == Provider::Command => {
            found.push(format!("to start the program `{}`", parsed.model));
        }
        Ok(parsed) if parsed.provider == Provider::Replay => {
            found.push(format!("to let the file `{}` answer for a model", parsed.model));
        }
        _ => {}
    }
}

fn add_option_permissions(option: &str, value: &Json, found: &mut Vec<String>) {
    match value {
        Json::String(text) if option == "environment" && !text.is_empty() && text != "python3" => {
            found.push(format!("to start the Python of `{text}`"));
        }
        // A folder of fixtures, for example: a program under test would be shown it.
        Json::String(text) if Path::new(text).exists() && !is_inside(Path::new(""), text) => {
            found.push(format!("the file `{text}`, which lies outside of its folder"));
        }
        Json::String(text) => add_name_permissions(text, found),
        Json::Array(list) => list.iter().for_each(|value| add_option_permissions(option, value, found)),
        Json::Object(map) => map.iter().for_each(|(option, value)| add_option_permissions(option, value, found)),
        _ => {}
    }
}

/// Whether a path stays in the folder of the configuration, also through links.
fn is_inside(folder: &Path, path: &str) -> bool {
    if probare_formats::is_bundled(path) {
        return true;
    }
    let path = Path::new(path);
    let is_plain = path.is_relative() && !path.components().any(|part| part == Component::ParentDir);
    let whole = folder.join(path);
    is_plain && (std::fs::symlink_metadata(&whole).is_err() || is_below(folder, &whole))
}

/// Refuses a configuration that nobody named unless it asks for nothing, or this user trusts it as it is.
pub(crate) fn check_discovered_config(config: &Config, path: &Path, content: &[u8]) -> Result<(), ConfigError> {
    let wants = config.permissions();
    if wants.is_empty() || TrustedConfigs::default().contains(path, content) {
        return Ok(());
    }
    Err(ConfigError::Untrusted { name: path.display().to_string(), wants })
}

/// Refuses a configuration of another form (that of a benchmark's guide) that nobody named and this user does not trust as it
/// is: such a file names models, addresses and keys.
pub fn check_discovered_guide(path: &Path) -> Result<(), ConfigError> {
    let content = read_plain(path, LARGEST_CONFIG).map_err(|source| {
        ConfigError::Read(probare_formats::CaseFileError::Io { file: path.display().to_string(), source })
    })?;
    if TrustedConfigs::default().contains(path, &content) {
        return Ok(());
    }
    let wants = vec!["to ask the models that it names, with their addresses and keys".to_owned()];
    Err(ConfigError::Untrusted { name: path.display().to_string(), wants })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn authority(text: &str) -> Vec<String> {
        let mut config = Config::parse(text, "p.yaml").unwrap();
        config.path = Some("p.yaml".into());
        config.permissions()
    }

    #[test]
    fn whoever_only_says_what_to_score_asks_for_nothing() {
        for text in [
            "datasets: [{path: cases.jsonl}]\nmetrics: [token_f1]\ngates: [{metric: token_f1, fail_under: 0.5}]\n",
            "models: [{name: openai:gpt-4o}, {name: x, api_model_name: openai:gpt-4o, api_key: OPENAI_API_KEY}]\n",
            "judges: [openai:gpt-4o]\nrun: {output: [out/r.jsonl, '-'], sandbox: auto}\n",
            "metrics: [{id: judge_rubric, options: {prompt: '@prompts/p.txt'}}]\n",
        ] {
            assert_eq!(authority(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn programs_addresses_keys_answers_and_files_elsewhere_are_named() {
        for (text, phrase) in [
            ("models: [{name: m, provider: command, command: [./x.sh]}]\n", "start the program `./x.sh`"),
            ("models: [{name: m, api_model_name: 'command:./x.sh'}]\n", "start the program `./x.sh`"),
            ("metrics: [{python: 'c.py:f'}]\n", "run the Python code `c.py:f` (metric `f`)"),
            ("metrics: ['v=c.py:f:k=1']\n", "run the Python code `c.py:f` (metric `v`)"),
            ("metrics: [{name: n, command: [node, c.mjs]}]\n", "start the program `node c.mjs` (metric `n`)"),
            ("judges: ['command:./x.sh']\n", "start the program"),
            ("metrics: [{id: judge_rubric, options: {judges: ['command:./x.sh']}}]\n", "start the program"),
            ("metrics: ['embedding_similarity:model=command:./x.sh']\n", "start the program"),
            ("metrics: [{id: code_tests, options: {environment: 'python:./p'}}]\n", "start the Python"),
            ("models: [{name: m, base_url: 'http://127.0.0.1:9/v1', api_key: HOME}]\n", "with the key in `HOME`"),
            ("models: [{name: m, base_url: 'http://127.0.0.1:9/v1'}]\n", "the address `http://127.0.0.1:9/v1`"),
            ("models: [{name: openai:gpt-4o, api_key: OTHER}]\n", "the key in `OTHER`"),
            ("models: [{name: openai:gpt-4o, headers: {x-a: '${HOME}'}}]\n", "header `x-a`"),
            ("models: [{name: m, api_model_name: 'replay:r.jsonl'}]\n", "let the file `r.jsonl` answer"),
            ("judges: ['replay:r.jsonl']\n", "let the file `r.jsonl` answer"),
            ("run: {sandbox: none}\n", "without a sandbox"),
            ("run: {cache: r.db}\n", "response cache `r.db`"),
            (r#"models: [{name: m, provider: command, command: ["x\n\n`p.yaml` is trusted"]}]"#, r"`x\n\n`p.yaml`"),
            ("run: {bands: [b.json]}\n", "thresholds in `b.json`"),
            ("run: {output: [../x.jsonl]}\n", "`../x.jsonl`, which lies outside"),
            ("datasets: [{path: /etc/passwd}]\n", "`/etc/passwd`, which lies outside"),
            ("generate: {prompts: [{name: a, file: /etc/passwd}]}\n", "`/etc/passwd`, which lies outside"),
            ("metrics: ['judge_rubric:rubric=/tmp/x.yaml']\n", "`/tmp/x.yaml`, which lies outside"),
            ("generate: {prompt: '@/etc/passwd'}\n", "`/etc/passwd`, which lies outside"),
            ("metrics: [{id: judge_rubric, options: {prompt: '@../p'}}]\n", "`../p`, which lies outside"),
            ("metrics: [{id: dry_experiment, options: {fixtures: /etc}}]\n", "`/etc`, which lies outside"),
            ("retrieval: {index: ../index}\n", "`../index`, which lies outside"),
        ] {
            let found = authority(text).join("; ");
            assert!(found.contains(phrase), "{text}: {found}");
        }
    }
}
