//! [`translate`]: a configuration of promptfoo as a configuration and cases of ours.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use probare_core::{Case, Output};
use probare_files::read_plain_text;
use probare_promptfoo::configuration::{Cell, CellAnswer, Column, Configuration, is_configuration};
use probare_promptfoo::{Script, TypeSupport, js, yaml};
use probare_report::{OutputWriter, refuse_overlap};
use serde_json::{Map, Value as Json, json};

use super::chat::{chat_list, chat_messages};
use super::code::{
    CODE_FILE, ScriptTable, VARIABLES_FILE, WORKERS, missing_file, provider_entry, provider_script, variables,
};
use super::derived::{DerivedMetrics, named_weights};
use super::folder::{Folder, LARGEST};
use super::obstacles::{
    ImportContext, has_rubric_prompt, have_code, named_judge, obstacles, ready_assertions, times, types_that_need,
};
use super::providers::{MappedModel, mapped_model, name_models_apart};
use crate::exchange::ExchangeError;

/// The metric that grades tests.
const METRIC: &str = "promptfoo_test";

/// The metric that grades tests of which a model decides a part.
const JUDGED_METRIC: &str = "promptfoo_judged_test";

/// Whether the lines of a document that cannot be parsed begin with keys of promptfoo.
fn looks_like_promptfoo(text: &str) -> bool {
    let has = |key: &str| text.lines().any(|line| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')));
    (has("providers") || has("targets")) && !["datasets", "models", "metrics"].into_iter().any(has)
}

/// What became of a configuration of promptfoo.
#[derive(Debug, Clone, Default)]
pub struct Translation {
    /// Cells of its table: tests times columns.
    pub cells: usize,
    /// Tests, after repeats and variables were expanded.
    pub tests: usize,
    /// Cells whose answer is known without asking anybody.
    pub known: usize,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// What is not run, each with the reason and how often.
    pub not_run: Vec<String>,
    /// Whether something is not run that no case of ours stands for.
    pub loses_more: bool,
    /// Formulas over the sums of its columns.
    pub derived: DerivedMetrics,
    /// Files that were written.
    pub written: Vec<PathBuf>,
}

/// Whether a file is a configuration of promptfoo.
pub fn is_promptfoo_configuration(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let text = || read_plain_text(path, LARGEST).ok();
    let document = match extension {
        "yaml" | "yml" => {
            let Some(text) = text() else { return false };
            match yaml::parse(&text) {
                Ok(document) => Some(document),
                // What is wrong with it is said when it is read.
                Err(_) => return looks_like_promptfoo(&text),
            }
        }
        // Results of promptfoo are JSON, too, and may be long.
        "json" => text().and_then(|text| js::parse_json(&text).ok()),
        _ => None,
    };
    document.is_some_and(|document| is_configuration(&document))
}

/// What the user says about a configuration of promptfoo.
#[derive(Debug, Clone, Default)]
pub struct TranslateOptions {
    /// Who is asked what a model decides; the one that the file names where empty.
    pub judges: Vec<String>,
    /// Whether its code may be run.
    pub allow_code: bool,
    /// The model whose vectors `similar` compares.
    pub embedding: Option<String>,
}

/// Writes the configuration `config`, and its cases in a folder beside it; without one nothing is written.
pub fn translate(
    source: &Path,
    config: Option<&Path>,
    options: &TranslateOptions,
) -> Result<Translation, ExchangeError> {
    let wrong = |reason: String| {
        let file = source.display();
        ExchangeError::Invalid(format!("`{file}` cannot be used as a configuration of promptfoo: {reason}"))
    };
    let text = read_plain_text(source, LARGEST).map_err(|error| wrong(error.to_string()))?;
    let folder = source.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let files = Folder(folder);
    let configuration = Configuration::read(&text, &files).map_err(wrong)?;
    let cells = configuration.cells(&files).map_err(wrong)?;
    let place = config.unwrap_or(Path::new("probare.yaml"));
    let stem = place.file_stem().map_or_else(|| "probare".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let cases_folder = format!("{stem}.cases");
    let cases_place = place.with_file_name(&cases_folder);
    let mut translator = Translator::new(&configuration, &cells, options, folder);
    translator.name_models(&cases_place);
    let mut table = ScriptTable::default();
    let datasets = translator.datasets(&mut table);
    let mut translation = translator.summary(&table);
    if config.is_none() {
        return Ok(translation);
    }
    let mut files: Vec<(PathBuf, String)> = Vec::new();
    for dataset in &datasets {
        let mut lines = String::new();
        for case in &dataset.cases {
            lines.push_str(&serde_json::to_string(case).unwrap_or_default());
            lines.push('\n');
        }
        files.push((cases_place.join(format!("{}.jsonl", dataset.name)), lines));
    }
    let programs = translator.code_models();
    if !table.is_empty() || programs {
        files.extend(WORKERS.map(|(name, text)| (cases_place.join(name), text.to_owned())));
    }
    if programs {
        let asked = cells.iter().filter(|cell| translator.is_asked(cell));
        files.push((cases_place.join(VARIABLES_FILE), variables(asked).to_string()));
    }
    if !table.is_empty() {
        // The files of both may move together where they lie beside each other.
        let shown =
            if is_same_folder(place, source) { "..".to_owned() } else { absolute(folder).display().to_string() };
        files.push((cases_place.join(CODE_FILE), table.to_json(&shown).to_string()));
    }
    let content = translator.config_text(source, place, &cases_folder, &datasets, &table);
    files.insert(0, (place.to_owned(), content));
    let writes: Vec<PathBuf> = files.iter().map(|(path, _)| path.clone()).collect();
    refuse_overlap(&[source.to_owned()], &writes)?;
    // The configuration comes last: what it names is there then.
    for (path, text) in files.iter().rev() {
        OutputWriter::write_file(path, text.as_bytes()).map_err(probare_report::ReportError::from)?;
    }
    let weights = |case: &Case| named_weights(case_assertions(case));
    let columns = datasets.iter().map(|file| (file.name.clone(), file.cases.iter().map(weights).collect()));
    translation.derived.datasets = columns.collect();
    translation.written = writes;
    Ok(translation)
}

/// The assertions that a case brings.
fn case_assertions(case: &Case) -> &[Json] {
    let parts = case.metadata.get("promptfoo").and_then(|parts| parts.get("assert")).and_then(Json::as_array);
    parts.map_or(&[], Vec::as_slice)
}

/// The path from the root, where it can be had.
fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}

/// Whether two files lie in one folder.
fn is_same_folder(one: &Path, other: &Path) -> bool {
    let folder =
        |path: &Path| absolute(path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new(".")));
    folder(one) == folder(other)
}

/// A file of cases.
struct CaseFile {
    name: String,
    cases: Vec<Case>,
}

struct Translator<'a> {
    configuration: &'a Configuration,
    cells: &'a [Cell],
    /// By provider: the model, or why there is none.
    models: Vec<Result<MappedModel, String>>,
    columns: Vec<Column>,
    /// Tests and prompts in which some models take part and others do not.
    partial: BTreeSet<(usize, usize)>,
    /// Tests and prompts in which models have a `transform` of their own each.
    mixed: BTreeSet<(usize, usize)>,
    /// Whether models are asked: a run of ours asks them for every case, also where the answer is known.
    asks_models: bool,
    /// Who is asked what a model decides, or why nobody is.
    judges: Result<Vec<String>, String>,
    /// The folder of the configuration, where its code may be run.
    code_folder: Option<PathBuf>,
    /// The model whose vectors `similar` compares.
    embedding: Option<String>,
    notes: Vec<String>,
}

impl<'a> Translator<'a> {
    fn new(configuration: &'a Configuration, cells: &'a [Cell], options: &TranslateOptions, folder: &Path) -> Self {
        let mut notes = configuration.notes.clone();
        let judges =
            if options.judges.is_empty() { named_judge(cells, &mut notes) } else { Ok(options.judges.clone()) };
        let models: Vec<Result<MappedModel, String>> = configuration
            .providers
            .iter()
            .map(|provider| mapped_model(&provider.id, &provider.label, &provider.config, &mut notes))
            .collect();
        let code_folder = options.allow_code.then(|| absolute(folder));
        let columns = configuration.columns();
        let (partial, mixed) = (BTreeSet::new(), BTreeSet::new());
        let embedding = options.embedding.clone();
        let asks_models = false;
        Self {
            configuration,
            cells,
            models,
            columns,
            partial,
            mixed,
            asks_models,
            judges,
            code_folder,
            embedding,
            notes,
        }
    }

    /// Gives providers that are code, where that may be run, and all models names of their own.
    fn name_models(&mut self, cases: &Path) {
        for (model, provider) in self.models.iter_mut().zip(&self.configuration.providers) {
            let Some(script) = provider_script(&provider.id) else { continue };
            let label = &provider.label;
            *model = match (&self.code_folder, script.file.as_deref()) {
                (None, _) => Err(format!(
                    "the provider `{label}` is code of the configuration, which is not run: `--allow-code` runs it"
                )),
                (Some(folder), Some(file)) if !folder.join(file).is_file() => {
                    Err(format!("the provider `{label}` is code that is not there (`{file}`)"))
                }
                (Some(folder), _) => Ok(MappedModel {
                    entry: provider_entry(provider, &script, folder, &absolute_new(cases), &mut self.notes),
                }),
            };
        }
        name_models_apart(&mut self.models);
        self.find_mixed();
        self.find_partial();
        self.asks_models = self.cells.iter().any(|cell| self.is_asked(cell));
    }

    /// Whether a program answers for one of the models that are asked.
    fn code_models(&self) -> bool {
        let is_code =
            |model: &usize| self.models[*model].as_ref().is_ok_and(|model| model.entry.get("command").is_some());
        self.asked_models().iter().any(is_code)
    }

    fn find_mixed(&mut self) {
        let mut first: BTreeMap<(usize, usize), &[Script]> = BTreeMap::new();
        for cell in self.cells {
            let can_ask = cell.answer == CellAnswer::Asked && self.models[self.provider(cell)].is_ok();
            let place = (cell.test, self.columns[cell.column].prompt);
            if can_ask && **first.entry(place).or_insert(&cell.transforms) != *cell.transforms {
                self.mixed.insert(place);
            }
        }
    }

    fn find_partial(&mut self) {
        let mut askers: BTreeMap<(usize, usize), BTreeSet<usize>> = BTreeMap::new();
        for cell in self.cells.iter().filter(|cell| self.is_asked(cell)) {
            askers.entry((cell.test, self.columns[cell.column].prompt)).or_default().insert(self.provider(cell));
        }
        let all: BTreeSet<usize> = askers.values().flatten().copied().collect();
        self.partial = askers.into_iter().filter(|(_, some)| *some != all).map(|(place, _)| place).collect();
    }

    /// Whether a cell is asked of a model of ours.
    fn is_asked(&self, cell: &Cell) -> bool {
        cell.answer == CellAnswer::Asked && self.obstacle(cell).is_none()
    }

    /// Whether a model that is asked elsewhere does not take part in the test with this prompt: a run of ours asks all its
    /// models all its cases.
    fn is_partial(&self, cell: &Cell) -> bool {
        self.partial.contains(&(cell.test, self.columns[cell.column].prompt))
    }

    fn provider(&self, cell: &Cell) -> usize {
        self.columns[cell.column].provider
    }

    fn asked_models(&self) -> Vec<usize> {
        let asked: BTreeSet<usize> =
            self.cells.iter().filter(|cell| self.is_asked(cell)).map(|cell| self.provider(cell)).collect();
        asked.into_iter().collect()
    }

    /// Why a cell has no answer here, where it has none.
    fn obstacle(&self, cell: &Cell) -> Option<String> {
        if let Some(reason) = self.transform_obstacle(cell) {
            return Some(reason);
        }
        match &cell.answer {
            CellAnswer::NotRun(reason) => Some(reason.clone()),
            CellAnswer::Asked if self.mixed.contains(&(cell.test, self.columns[cell.column].prompt)) => Some(
                "the models have a `transform` of their own each, and a case here is one for all of them".to_owned(),
            ),
            CellAnswer::Asked if self.is_partial(cell) => Some(
                "only some of the models are asked this test with this prompt, and a run here asks all of them"
                    .to_owned(),
            ),
            CellAnswer::Asked if chat_list(&cell.prompt).is_some() && chat_messages(&cell.prompt).is_none() => {
                Some("its prompt is a conversation with more than texts, which is not sent here".to_owned())
            }
            CellAnswer::Asked => self.models[self.provider(cell)].as_ref().err().cloned(),
            CellAnswer::Known(_) if self.asks_models => Some(
                "it is known, and a run here asks its models for every case: put it into a configuration of its own"
                    .to_owned(),
            ),
            CellAnswer::Known(_) | CellAnswer::Error(_) => None,
        }
    }

    /// Why the answer of a cell is not made into what is judged.
    fn transform_obstacle(&self, cell: &Cell) -> Option<String> {
        cell.transforms.first()?;
        let Some(folder) = &self.code_folder else {
            return Some(
                "its `transform` is code of the configuration, which is not run: `--allow-code` runs it".to_owned(),
            );
        };
        cell.transforms.iter().find_map(|script| missing_file(folder, &script.to_json()))
    }

    /// Whether the outputs of a test cannot be graded beside each other: code makes others of them, or may look at prompts that
    /// differ.
    fn code_keeps_apart(&self, cell: &Cell) -> bool {
        let mut others = self.cells.iter().filter(|other| other.test == cell.test);
        others.any(|other| !other.transforms.is_empty() || have_code(&other.assertions) && other.prompt != cell.prompt)
    }

    fn import_context<'s>(&'s self, cell: &'s Cell) -> ImportContext<'s> {
        let compares =
            cell.assertions.iter().any(|entry| entry.get("type").and_then(Json::as_str) == Some("max-score"));
        let no_judge = match &self.judges {
            Ok(_) if compares => Some("asks a model, and `max-score` beside it compares by computing alone"),
            Ok(_) => None,
            Err(reason) => Some(reason.as_str()),
        };
        ImportContext {
            is_asked: self.is_asked(cell),
            no_judge,
            has_embedding: self.embedding.is_some() && !compares,
            judging: &cell.judging,
            code_folder: self.code_folder.as_deref(),
            code_keeps_apart: compares && self.code_keeps_apart(cell),
        }
    }

    fn summary(&self, table: &ScriptTable) -> Translation {
        let (counts, judged) = self.assertion_counts();
        let mut not_run = self.configuration.not_run.clone();
        let loses_more = !not_run.is_empty();
        not_run.extend(counts.into_iter().map(|(what, count)| format!("{what} ({})", times(count))));
        let tests: BTreeSet<usize> = self.cells.iter().map(|cell| cell.test).collect();
        Translation {
            cells: self.cells.len(),
            tests: tests.len(),
            known: (self.cells.iter())
                .filter(|cell| matches!(cell.answer, CellAnswer::Known(_)) && !self.asks_models)
                .count(),
            notes: self.translation_notes(&judged, table),
            not_run,
            loses_more,
            derived: DerivedMetrics { formulas: self.configuration.derived.clone(), ..DerivedMetrics::default() },
            written: Vec::new(),
        }
    }

    /// What cannot be run, and the assertions that judges decide, each with the number of its runs.
    fn assertion_counts(&self) -> (BTreeMap<String, usize>, BTreeMap<&str, usize>) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut judged: BTreeMap<&str, usize> = BTreeMap::new();
        for cell in self.cells {
            if let Some(reason) = self.obstacle(cell) {
                *counts.entry(format!("an answer: {reason}")).or_default() += 1;
                continue;
            }
            let context = self.import_context(cell);
            for (name, reason) in obstacles(&cell.assertions, &context) {
                *counts.entry(format!("`{name}`: {reason}")).or_default() += 1;
            }
            if context.no_judge.is_none() {
                for name in types_that_need(&cell.assertions, TypeSupport::Judged) {
                    *judged.entry(name).or_default() += 1;
                }
            }
        }
        (counts, judged)
    }

    fn translation_notes(&self, judged: &BTreeMap<&str, usize>, table: &ScriptTable) -> Vec<String> {
        let mut notes = self.notes.clone();
        if let (Ok(judges), false) = (&self.judges, judged.is_empty()) {
            let types: Vec<String> =
                judged.iter().map(|(name, count)| format!("`{name}` ({})", times(*count))).collect();
            notes.push(format!(
                "{} asked of {} in words of ours: no verdict of promptfoo's",
                types.join(", ") + if types.len() == 1 { " is" } else { " are" },
                judges.join(", ")
            ));
            if self.cells.iter().any(has_rubric_prompt) {
                notes.push("`rubricPrompt` is not used: the judges are asked in words of ours".to_owned());
            }
        }
        let embedded =
            self.cells.iter().flat_map(|cell| types_that_need(&cell.assertions, TypeSupport::Embedded)).count();
        if let (Some(model), true) = (&self.embedding, embedded > 0) {
            notes.push(format!(
                "`similar` ({}) is decided by vectors of {model}: no verdict of promptfoo's",
                times(embedded)
            ));
        }
        if !table.is_empty() {
            notes.push(format!("code of the configuration is run, with your rights: {}", table.description()));
        }
        let programs = self.asked_models().into_iter().filter_map(|model| self.models[model].as_ref().ok());
        let programs = programs.filter(|model| model.entry.get("command").is_some());
        notes.extend(programs.filter_map(|model| {
            Some(format!("the provider `{}` is code that is run, with your rights", model.entry.get("name")?.as_str()?))
        }));
        if self.cells.iter().any(|cell| self.is_asked(cell) && cell.repeat >= self.configuration.repeat) {
            notes.push(
                "`options.repeat` of a test is not heeded where a model is asked: all tests are repeated alike"
                    .to_owned(),
            );
        }
        notes.extend(self.undefined_note());
        let unchecked = self.cells.iter().filter(|cell| cell.assertions.is_empty()).count();
        if unchecked > 0 {
            let runs = if unchecked == 1 { "1 run has".to_owned() } else { format!("{unchecked} runs have") };
            notes.push(format!("{runs} no assertions: that passes, as in promptfoo, and nothing is checked"));
        }
        notes
    }

    /// The names that were to be printed and have no value, with the number of runs.
    fn undefined_note(&self) -> Option<String> {
        const MOST_SHOWN: usize = 10;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in self.cells.iter().flat_map(|cell| &cell.undefined) {
            *counts.entry(name).or_default() += 1;
        }
        let shown =
            counts.iter().take(MOST_SHOWN).map(|(name, count)| format!("{} ({})", js::quote(name), times(*count)));
        let mut shown: Vec<String> = shown.collect();
        if counts.len() > MOST_SHOWN {
            shown.push(format!("and {} more", counts.len() - MOST_SHOWN));
        }
        let are = if counts.len() == 1 { "has no value and prints" } else { "have no value and print" };
        (!counts.is_empty()).then(|| format!("{} {are} nothing, as in promptfoo", shown.join(", ")))
    }

    /// One file for each column whose answers are known, or cannot be had; one for each prompt that models are asked.
    fn datasets(&self, table: &mut ScriptTable) -> Vec<CaseFile> {
        let mut files: Vec<CaseFile> = Vec::new();
        let mut known: BTreeSet<(String, usize)> = BTreeSet::new();
        let mut add = |name: String, cell: &Cell| {
            // Several models are asked one case.
            if !known.insert((name.clone(), cell.test)) {
                return;
            }
            let case = self.case(cell, table);
            match files.iter_mut().find(|file| file.name == name) {
                Some(file) => file.cases.push(case),
                None => files.push(CaseFile { name, cases: vec![case] }),
            }
        };
        for cell in self.cells {
            let column = self.columns[cell.column];
            let prompt = column.prompt + 1;
            if self.is_asked(cell) {
                // Repeats of models are those of the run.
                if cell.repeat == 0 {
                    add(format!("prompt-{prompt}"), cell);
                }
                continue;
            }
            let label = plain_name(&self.configuration.providers[column.provider].label);
            add(format!("{label}-{}-prompt-{prompt}", column.provider + 1), cell);
        }
        files
    }

    fn case(&self, cell: &Cell, table: &mut ScriptTable) -> Case {
        let provider = &self.configuration.providers[self.provider(cell)];
        let mut parts = Map::new();
        let assertions = ready_assertions(&cell.assertions, &self.import_context(cell), table);
        parts.insert("assert".to_owned(), Json::Array(assertions));
        if !cell.transforms.is_empty() && self.obstacle(cell).is_none() {
            let numbers = cell.transforms.iter().map(|script| Json::from(table.number(script.to_json())));
            parts.insert("transforms".to_owned(), Json::Array(numbers.collect()));
        }
        if let Some(threshold) = cell.threshold {
            parts.insert("threshold".to_owned(), json!(threshold));
        }
        for (key, from) in [("functions", "functions"), ("tools", "tools")] {
            if let Some(value) = provider.config.get(from) {
                parts.insert(key.to_owned(), value.clone());
            }
        }
        let mut case = Case { id: format!("test-{}", cell.test + 1), ..Case::default() };
        match (&cell.answer, self.obstacle(cell)) {
            (_, Some(reason)) => {
                parts.insert("not_run".to_owned(), Json::from(reason));
            }
            (CellAnswer::Known(output), None) => {
                let text = output.as_str().map_or_else(|| js::json(output, 0), str::to_owned);
                case.response = Some(Output { text, model: Some(provider.label.clone()), repeat: cell.repeat });
                parts.insert("response".to_owned(), json!({"cost": 0}));
                if !output.is_string() {
                    parts.insert("output".to_owned(), output.clone());
                }
                self.add_outputs(cell, &mut parts);
            }
            (CellAnswer::Error(reason), None) => {
                parts.insert("error".to_owned(), Json::from(reason.as_str()));
            }
            (CellAnswer::Asked | CellAnswer::NotRun(_), None) => {}
        }
        match chat_messages(&cell.prompt).filter(|_| self.is_asked(cell)) {
            Some(messages) => {
                case.query = messages.last().and_then(|message| message.text.clone());
                case.messages = Some(messages);
            }
            None => case.query = Some(cell.prompt.clone()),
        }
        case.metadata.insert("promptfoo".to_owned(), Json::Object(parts));
        case.metadata.insert("vars".to_owned(), Json::Object(cell.vars.clone()));
        if let Some(description) = &cell.description {
            case.metadata.insert("description".to_owned(), Json::from(description.as_str()));
        }
        if !cell.metadata.is_empty() {
            case.metadata.insert("test".to_owned(), Json::Object(cell.metadata.clone()));
        }
        case
    }

    /// All outputs of a test, where one of its assertions compares them.
    fn add_outputs(&self, cell: &Cell, parts: &mut Map<String, Json>) {
        let is_across = |entry: &Json| entry.get("type").and_then(Json::as_str) == Some("max-score");
        if !cell.assertions.iter().any(is_across) || self.import_context(cell).code_keeps_apart {
            return;
        }
        let others: Vec<&Cell> = self.cells.iter().filter(|other| other.test == cell.test).collect();
        let output = |other: &&Cell| match &other.answer {
            CellAnswer::Known(output) => Some(output.clone()),
            _ => None,
        };
        if let Some(outputs) = others.iter().map(output).collect::<Option<Vec<Json>>>() {
            parts.insert("outputs".to_owned(), Json::Array(outputs));
            let place = others.iter().position(|other| other.column == cell.column);
            parts.insert("column".to_owned(), json!(place));
        }
    }

    /// The program that runs the code of the tests, as JSON; nothing where there is none. Its files are arguments, so that their
    /// digests are kept with every result.
    fn command(&self, source: &Path, place: &Path, cases_folder: &str, table: &ScriptTable) -> Option<Json> {
        let folder = self.code_folder.as_ref().filter(|_| !table.is_empty())?;
        let (program, worker) = table.program();
        let mut words =
            vec![program.to_owned(), format!("{cases_folder}/{worker}"), format!("{cases_folder}/{CODE_FILE}")];
        let is_beside = is_same_folder(place, source);
        let file = |file: &str| if is_beside { file.to_owned() } else { folder.join(file).display().to_string() };
        words.extend(table.files().into_iter().map(file));
        Some(json!(words))
    }

    fn config_text(
        &self,
        source: &Path,
        place: &Path,
        cases_folder: &str,
        files: &[CaseFile],
        table: &ScriptTable,
    ) -> String {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for cell in self.cells {
            collect_metrics(&cell.assertions, &mut names);
        }
        let mut text = format!("# Made from {} of promptfoo.\n", plain_comment(&source.display().to_string()));
        if let Some(description) = &self.configuration.description {
            text.push_str(&format!("# {}\n", plain_comment(description)));
        }
        text.push_str("datasets:\n");
        for file in files {
            let path = format!("{cases_folder}/{}.jsonl", file.name);
            text.push_str(&format!("  - {{name: {}, path: {}}}\n", json!(file.name), json!(path)));
        }
        let needs =
            |support: TypeSupport| self.cells.iter().any(|cell| !types_that_need(&cell.assertions, support).is_empty());
        let embedding = self.embedding.as_ref().filter(|_| needs(TypeSupport::Embedded));
        let judges = self.judges.as_ref().ok().filter(|_| needs(TypeSupport::Judged));
        if let Some(judges) = judges {
            text.push_str(&format!("judges: {}\n", json!(judges)));
        }
        let metric = if judges.is_some() || embedding.is_some() { JUDGED_METRIC } else { METRIC };
        let asked = self.asked_models();
        if !asked.is_empty() {
            text.push_str("models:\n");
            for index in &asked {
                if let Ok(model) = &self.models[*index] {
                    text.push_str(&format!("  - {}\n", model.entry));
                }
            }
            if self.configuration.repeat > 1 {
                text.push_str(&format!("generate: {{repeats: {}}}\n", self.configuration.repeat));
            }
        }
        let command = self.command(source, place, cases_folder, table);
        text.push_str("metrics:\n");
        for name in std::iter::once(None).chain(names.into_iter().map(Some)) {
            let entry = metric_entry(metric, name, embedding.map(String::as_str), command.as_ref());
            text.push_str(&format!("  - {entry}\n"));
        }
        text.push_str(&format!("gates:\n  - {{metric: {metric}, fail_labels: [{{label: fail, over: 0}}]}}\n"));
        text
    }
}

/// A metric of a configuration, for one of the other tool's metrics or for all assertions.
fn metric_entry(metric: &str, name: Option<&str>, embedding: Option<&str>, command: Option<&Json>) -> String {
    let options = [("metric", name), ("embedding", embedding)];
    let options = options.iter().filter_map(|(key, value)| Some(format!("{key}: {}", json!((*value)?))));
    let options = options.collect::<Vec<_>>().join(", ");
    let mut entry = format!("id: {metric}");
    if let Some(name) = name {
        entry.push_str(&format!(", name: {}", json!(name)));
    }
    if let Some(command) = command {
        entry.push_str(&format!(", command: {command}"));
    }
    if !options.is_empty() {
        entry.push_str(&format!(", options: {{{options}}}"));
    }
    let is_plain = !entry.contains(',');
    if is_plain { metric.to_owned() } else { format!("{{{entry}}}") }
}

/// A path from the root of what need not be there yet.
fn absolute_new(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn collect_metrics<'a>(entries: &'a [Json], names: &mut BTreeSet<&'a str>) {
    for entry in entries {
        names.extend(entry.get("metric").and_then(Json::as_str).filter(|name| !name.is_empty()));
        if let Some(inner) = entry.get("assert").and_then(Json::as_array) {
            collect_metrics(inner, names);
        }
    }
}

/// A name of letters, digits and hyphens.
fn plain_name(label: &str) -> String {
    let letters: String = label
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' })
        .collect();
    let name = letters.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    let short: String = name.chars().take(40).collect();
    if short.is_empty() { "provider".to_owned() } else { short }
}

/// A text on one line.
fn plain_comment(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
