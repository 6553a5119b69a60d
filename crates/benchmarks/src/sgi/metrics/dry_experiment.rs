//! Whether a program with the functions of the answer prints what it should, with five sets of data.

use std::rc::Rc;

use probare_core::{
    BackendAnswer, BuildError, ChatRequest, ErrorKind, Evidence, EvidenceKind, Field, Judge, JudgeAction, Outcome,
    Profile, Sample, Score, ScoreError, metric,
};
use probare_metrics::bounded_evidence::{BoundedEvidence, truncate_for_note};
use probare_metrics::judges::prompting::{PromptTemplate, QuotedTexts, TextPlaces};
use probare_text::python::strip;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::deep_research::{PARSER_PLACES, question};
use super::dry::TESTS;
use super::dry::assembly::{self, AssemblyRequest, AssemblyResult};
use super::dry::comparison::{ComparisonMethod, read_judgment};
use super::dry::measures::ExperimentMeasures;
use super::dry::trial::{Trial, TrialSettings, is_plain_name};
use super::extraction::answer::prediction;
use super::extraction::replies::{ReplyParseOptions, UNREADABLE, reply_text as reply_words};

/// The options with prompts and what is asked without them, for whoever takes their digest.
const PROMPTS: [(&str, &str); 2] = [("prompt", PROMPT), ("parser_prompt", PARSER_PROMPT)];

/// The prompt of the judge, unless another is given.
const PROMPT: &str = include_str!("prompts/outputs.txt");

/// The prompt of the answer parser, unless another is given.
const PARSER_PROMPT: &str = include_str!("prompts/answer_parser.txt");

const FORM: &str = "Reply with one JSON object and nothing else: {\"judgment\": \"correct\" or \"incorrect\", \"reason\": \"why, in \
     one sentence\"}.";

/// Places of the prompt about outputs.
const PLACES: TextPlaces<'_> =
    TextPlaces { known: &["reference_output", "output"], needed: &["reference_output", "output"] };

/// The form that an answer is brought into: nothing but functions.
const EXAMPLE: &str = "def area(side):\n    return side * side\n\ndef volume(side):\n    return side ** 3";

/// Seconds of a program under test, unless another limit is given.
const SECONDS: u32 = 300;

/// MiB of a program under test, unless another limit is given.
const MEBIBYTES: u32 = 4096;

/// Options of `dry_experiment`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DryExperiment {
    /// Which definition: `published` (the published scores) or `improved` (every flag below switched on, and no score where a judge's
    /// reply cannot be read).
    pub profile: Profile,
    /// Names of the models that are asked: the one that compares outputs and, if there is a second, the one that brings the answer
    /// into form; else the first does both. The judges of the run if absent.
    pub judges: Vec<String>,
    /// Which Python runs the programs: `conda:NAME`, `venv:FOLDER` or `python:PATH`; `python3` of the machine if absent.
    pub environment: Option<String>,
    /// Seconds that the program under test may take. Default 300. The data program may take 600, or as long where that is longer.
    pub timeout: Option<u32>,
    /// MiB that all processes of a program may take together. Default 4096.
    pub memory_mib: Option<u32>,
    /// Folder with the files that three of the published samples need.
    pub fixtures: Option<String>,
    /// Run the five tests beside each other; times are then those of a busy machine, and the evidence says so. Default false.
    pub parallel: bool,
    /// End a function with a line break before the next line of the program; the published program joins both lines.
    pub ensure_final_newline: Option<bool>,
    /// Read bare `true`, `false` and `null` in a judge's reply; the published reader voids such a reply.
    pub lenient_json_constants: Option<bool>,
    /// Cut lines where Python does; the published program also cuts at form feeds and other signs, which shifts functions.
    pub python_lines: Option<bool>,
    /// The judge's prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
    /// The answer parser's prompt in place of ours.
    pub parser_prompt: Option<String>,
}

metric!(DryExperiment as Judge {
    summary: "Whether a program with the functions of the answer prints what it should, with five sets of data",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    metadata: ["incomplete_main_code", "incomplete_functions"],
    profiles: [Published, Improved],
    whole: |parts| parts.get("PassAll@5"),
    prompts: |_| PROMPTS.to_vec(),
    prepare: ExperimentJudge::new,
    since: "0.2",
    version: 2,
    page: "dry_experiment.md",
});

struct ExperimentJudge {
    profile: Profile,
    judges: Vec<String>,
    settings: TrialSettings,
    final_newline: bool,
    python_lines: bool,
    reply_options: ReplyParseOptions,
    judge: PromptTemplate,
    parser: PromptTemplate,
}

/// What an experiment of a row is about.
struct Task<'a> {
    main: &'a str,
    names: Vec<String>,
    idx: &'a str,
    data: Vec<&'a str>,
    outputs: Vec<&'a str>,
    prediction: &'a str,
    span: std::ops::Range<usize>,
}

/// Key of what is published of a case.
const PUBLISHED: u64 = 0x5347_4945;

/// What the published record holds beyond scores.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedExperiment {
    /// The answer that was put in.
    pub prediction: String,
    /// Whether at least one function was put in.
    pub replaced: bool,
    /// The program that was run.
    pub code: Option<String>,
    /// Why nothing was run.
    pub error: Option<String>,
    /// The tests.
    pub tests: Vec<TestResult>,
}

/// One test, field by field as it is published.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestResult {
    /// Number of the test, from 0.
    pub unit_test_idx: usize,
    /// Its exit code.
    pub returncode: i32,
    /// Its seconds.
    pub runtime: f64,
    /// What went wrong.
    pub error: String,
    /// What was compared.
    pub model_output: String,
    /// What it was compared with.
    pub expected_output: String,
    /// Whether it passed.
    pub pass: bool,
    /// How that was decided.
    pub comparison_method: &'static str,
}

/// What is published of a case that was scored just now; nothing of one that was scored before.
pub fn published_record(sample: Sample<'_>) -> Rc<Option<PublishedExperiment>> {
    sample.cached(PUBLISHED, || None)
}

impl<'a> Task<'a> {
    fn new(sample: Sample<'a>, has_fixtures: bool) -> Result<Self, ScoreError> {
        let metadata = &sample.case.metadata;
        let wrong = |reason: String| ScoreError::other(ErrorKind::Failed, reason);
        let text = |name: &str| match metadata.get(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => Ok(Some(text.as_str())),
            Some(other) => Err(wrong(format!("`{name}` is {other}, where a text is expected"))),
        };
        let missing = |name: &str| ScoreError::other(ErrorKind::Missing, format!("the case has no `{name}`"));
        let names = match metadata.get("incomplete_functions") {
            Some(Json::Array(items)) => {
                let names: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
                names.ok_or_else(|| wrong("`incomplete_functions` holds something that is no name".to_owned()))?
            }
            _ => return Err(wrong("`incomplete_functions` is not a list of names".to_owned())),
        };
        let common = text("data_code")?;
        let (mut data, mut outputs) = (Vec::new(), Vec::new());
        for number in 0..TESTS {
            let name = format!("unit_test_{number}_output");
            outputs.push(text(&name)?.ok_or_else(|| missing(&name))?);
            data.push(text(&format!("unit_test_{number}_data"))?.or(common).unwrap_or_default());
        }
        let main = text("incomplete_main_code")?.ok_or_else(|| missing("incomplete_main_code"))?;
        let (span, prediction) = prediction(sample.response()?);
        let given = text("idx")?;
        let idx = given.unwrap_or(&sample.case.id);
        if (given.is_some() || has_fixtures) && !is_plain_name(idx) {
            let reason = format!(
                "`idx` is {idx:?}, where one plain name is expected: it names a folder in that of the fixtures, and nothing beside it"
            );
            return Err(wrong(reason));
        }
        Ok(Self { main, names, idx, data, outputs, prediction, span })
    }
}

impl ExperimentJudge {
    fn new(options: DryExperiment) -> Result<Self, BuildError> {
        let fair = options.profile == Profile::Improved;
        let timeout = options.timeout.unwrap_or(SECONDS);
        let mebibytes = options.memory_mib.unwrap_or(MEBIBYTES);
        if timeout == 0 || mebibytes < 16 {
            return Err(BuildError::Options("`timeout` is at least 1 second and `memory_mib` at least 16".into()));
        }
        Ok(Self {
            profile: options.profile,
            judges: options.judges,
            settings: TrialSettings {
                environment: options.environment.unwrap_or_default(),
                seconds: timeout,
                mebibytes,
                fixtures: options.fixtures.filter(|folder| !folder.is_empty()),
                parallel: options.parallel,
            },
            final_newline: options.ensure_final_newline.unwrap_or(fair),
            python_lines: options.python_lines.unwrap_or(fair),
            reply_options: ReplyParseOptions {
                accepts_constants: options.lenient_json_constants.unwrap_or(fair),
                ..ReplyParseOptions::default()
            },
            judge: PromptTemplate::with_places(options.prompt.as_deref().unwrap_or(PROMPT), &["form", "data"], PLACES)?,
            parser: PromptTemplate::with_places(
                options.parser_prompt.as_deref().unwrap_or(PARSER_PROMPT),
                &["type", "example", "data"],
                PARSER_PLACES,
            )?,
        })
    }

    fn is_improved(&self) -> bool {
        self.profile == Profile::Improved
    }

    /// The program that puts the functions of these texts in.
    fn assembly(&self, task: &Task<'_>, texts: Vec<&str>) -> JudgeAction {
        let request = AssemblyRequest {
            main: task.main,
            names: &task.names,
            texts,
            final_newline: self.final_newline,
            python_lines: self.python_lines,
        };
        JudgeAction::Run(vec![request.program(&self.settings.environment)])
    }

    /// Asks for the answer as nothing but functions.
    fn parse(&self, task: &Task<'_>) -> JudgeAction {
        let mut text = QuotedTexts::default();
        text.add_block("text", task.prediction);
        let form = [("type", "text"), ("example", EXAMPLE), ("data", text.text()), ("text", task.prediction)];
        JudgeAction::Ask(vec![question(self.parser.messages(&form), usize::from(self.judges.len() > 1))])
    }

    fn comparison(&self, expected: &str, printed: &str) -> ChatRequest {
        let mut data = QuotedTexts::default();
        data.add_block("reference output", expected).add_block("output of the program", printed);
        let values = [("form", FORM), ("data", data.text()), ("reference_output", expected), ("output", printed)];
        question(self.judge.messages(&values), 0)
    }

    /// Whether a test printed what it should, how that was decided, and in what words.
    fn test_verdict(
        &self,
        trial: &Trial,
        (printed, expected): (&str, &str),
        replies: &mut std::slice::Iter<'_, BackendAnswer>,
    ) -> Result<(bool, ComparisonMethod, String), ScoreError> {
        if !trial.is_fine() {
            return Ok((false, ComparisonMethod::ExecutionFailed, trial.error.clone()));
        }
        if printed == expected {
            return Ok((true, ComparisonMethod::ExactMatch, String::new()));
        }
        let missing = || ScoreError::Internal { reason: "a comparison was not answered".into() };
        let (pass, method, remark) =
            read_judgment(replies.next().ok_or_else(missing)?, self.reply_options, self.profile);
        let words = remark?;
        if self.is_improved() && method == ComparisonMethod::Unreadable {
            let reason = "the judge's reply about the output of a test holds no verdict".to_owned();
            return Err(ScoreError::UnreadableReply { reason });
        }
        Ok((pass, method, words))
    }

    fn outcome(
        &self,
        sample: Sample<'_>,
        task: &Task<'_>,
        found: &AssemblyResult,
        trials: &[Trial],
        replies: &[BackendAnswer],
    ) -> Result<Outcome, ScoreError> {
        let mut evidence = BoundedEvidence::default();
        let response = sample.response().unwrap_or_default();
        evidence.push(|| {
            Evidence::at(EvidenceKind::Matched, Field::Response, task.span.clone(), response)
                .with_note("functions of this answer were put into the program")
        });
        note_functions(found, &mut evidence);
        if self.settings.parallel {
            evidence
                .push(|| Evidence::note("the tests ran beside each other: their times are those of a busy machine"));
        }
        let mut replies = replies.iter();
        let mut tests = Vec::with_capacity(trials.len());
        let mut unreadable = 0_u8;
        for (number, (trial, &expected)) in trials.iter().zip(&task.outputs).enumerate() {
            let printed = trial.text();
            let (pass, method, words) = self.test_verdict(trial, (printed.as_str(), expected), &mut replies)?;
            unreadable += u8::from(method == ComparisonMethod::Unreadable);
            evidence.push(|| test_evidence(number, trial, expected, (pass, method), &words));
            tests.push(TestResult {
                unit_test_idx: number,
                returncode: trial.returncode,
                runtime: trial.runtime,
                error: trial.error.clone(),
                model_output: printed,
                expected_output: expected.to_owned(),
                pass,
                comparison_method: method.name(),
            });
        }
        let passed: Vec<(&Trial, bool)> = trials.iter().zip(tests.iter().map(|test| test.pass)).collect();
        let measures = ExperimentMeasures::from_trials(&passed);
        let score = experiment_score(&measures, unreadable)?;
        let record = PublishedExperiment {
            prediction: task.prediction.to_owned(),
            replaced: true,
            code: found.code.clone(),
            error: None,
            tests,
        };
        let _ = sample.cached(PUBLISHED, || Some(record));
        let label = if measures.pass_all(TESTS) { "passed" } else { "failed" };
        Ok(score.labelled(label).because(evidence.finish()).into())
    }
}

fn experiment_score(measures: &ExperimentMeasures, unreadable: u8) -> Result<Score, ScoreError> {
    let flag = |at_least: usize| f64::from(u8::from(measures.pass_all(at_least)));
    let mut score = Score::from_bool(measures.pass_all(TESTS))
        .with_part("PassAll@5", flag(5))?
        .with_part("PassAll@3", flag(3))?
        .with_part("PassAll@1", flag(1))?
        .with_part("pass_count", measures.passed as f64)?
        .with_part("SER", measures.ser)?;
    if unreadable > 0 {
        score = score.with_part(UNREADABLE, f64::from(unreadable))?;
    }
    for (name, seconds) in [("AET", measures.aet), ("AET_all", measures.aet_all)] {
        if let Some(seconds) = seconds {
            score = score.with_part(name, seconds)?;
        }
    }
    Ok(score)
}

/// Nothing could be put in: nothing is run.
fn not_replaced(sample: Sample<'_>, task: &Task<'_>, found: &AssemblyResult) -> Result<Outcome, ScoreError> {
    const ERROR: &str = "Failed to replace functions in main code";
    let mut evidence = BoundedEvidence::default();
    let response = sample.response().unwrap_or_default();
    evidence.push(|| {
        Evidence::at(EvidenceKind::Compared, Field::Response, task.span.clone(), response)
            .with_note("no function of this answer could be put into the program, so nothing was run")
    });
    note_functions(found, &mut evidence);
    let mut score = Score::from_bool(false);
    for name in ["PassAll@5", "PassAll@3", "PassAll@1", "SER"] {
        score = score.with_part(name, 0.0)?;
    }
    let record = PublishedExperiment {
        prediction: task.prediction.to_owned(),
        replaced: false,
        code: None,
        error: Some(ERROR.to_owned()),
        tests: Vec::new(),
    };
    let _ = sample.cached(PUBLISHED, || Some(record));
    Ok(score.labelled("not_replaced").because(evidence.finish()).into())
}

/// What became of the functions.
fn note_functions(found: &AssemblyResult, evidence: &mut BoundedEvidence) {
    const TEXTS: [&str; 2] = ["the answer", "the answer parser's reply"];
    for function in &found.functions {
        let name = &function.name;
        let reasons: Vec<String> =
            function.errors.iter().zip(TEXTS).map(|((_, words), text)| format!("{text}: {words}")).collect();
        match function.from {
            Some(text) => evidence.push(|| {
                let joined = if function.joined {
                    "; its last line has no line break and was joined with the next line of the program"
                } else {
                    ""
                };
                Evidence::note(format!("`{name}` is from {}{joined}", TEXTS.get(text).unwrap_or(&"a text")))
            }),
            None if reasons.is_empty() => evidence.push(|| Evidence::note(format!("`{name}` was not put in"))),
            None => evidence.push(|| Evidence::missing(name.clone()).with_note(reasons.join("; "))),
        }
    }
}

/// A test in a few words, beside what it should have printed.
fn test_evidence(
    number: usize,
    trial: &Trial,
    expected: &str,
    ended: (bool, ComparisonMethod),
    words: &str,
) -> Evidence {
    let (pass, method) = ended;
    let verdict = if pass { "passed" } else { "failed" };
    let how = match method {
        ComparisonMethod::ExactMatch => "printed letter by letter".to_owned(),
        ComparisonMethod::Judge => format!("by the judge: {}", truncate_for_note(words)),
        ComparisonMethod::Unreadable => "the judge's reply cannot be read".to_owned(),
        ComparisonMethod::NoReply => "no judge answered".to_owned(),
        ComparisonMethod::ExecutionFailed => {
            format!("code {}: {}", trial.returncode, truncate_for_note(last_line(words)))
        }
    };
    let kind = if pass { EvidenceKind::Matched } else { EvidenceKind::Compared };
    let refused = trial
        .refused_line()
        .map(|line| format!("; the sandbox does not permit what `{}` asks for", truncate_for_note(line)));
    let cut = if trial.is_cut { "; only the beginning of what it printed was kept and compared" } else { "" };
    let how = how + &refused.unwrap_or_default() + cut;
    let seconds = if trial.runtime < 0.0 { String::new() } else { format!(" after {:.3} s", trial.runtime) };
    Evidence::at(kind, Field::Metadata, 0..expected.len(), expected)
        .at_path(format!("/unit_test_{number}_output"))
        .with_note(format!("test {number} {verdict}{seconds}, {how}"))
}

fn last_line(text: &str) -> &str {
    strip(text).lines().last().unwrap_or_default()
}

impl Judge for ExperimentJudge {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let task = Task::new(sample, self.settings.fixtures.is_some())?;
        let Some((first, mut rest)) = answers.split_first() else {
            return Ok(self.assembly(&task, vec![task.prediction]));
        };
        let mut found = assembly::read_result(first.program_result()?)?;
        let is_whole = found.functions.iter().all(|function| function.from.is_some());
        if !is_whole {
            // The answer alone does not do; the published program asks the parser in any case.
            let Some((reply, others)) = rest.split_first() else { return Ok(self.parse(&task)) };
            rest = others;
            let parsed = strip(reply_words(reply, self.profile)?);
            if !parsed.is_empty() {
                let Some((ran, others)) = rest.split_first() else {
                    return Ok(self.assembly(&task, vec![task.prediction, parsed]));
                };
                rest = others;
                found = assembly::read_result(ran.program_result()?)?;
            }
        }
        let Some(code) = &found.code else {
            return Ok(JudgeAction::Done(not_replaced(sample, &task, &found)?));
        };
        if rest.is_empty() {
            let programs = task.data.iter().map(|data| self.settings.program(Some(task.idx), code, data));
            return Ok(JudgeAction::Run(programs.collect::<Result<_, _>>()?));
        }
        if rest.len() < TESTS {
            return Err(ScoreError::Internal { reason: format!("{} of {TESTS} tests were answered", rest.len()) });
        }
        let (ran, replies) = rest.split_at(TESTS);
        let trials: Vec<Trial> =
            ran.iter().map(|answer| self.settings.read(answer.program_result()?)).collect::<Result<_, ScoreError>>()?;
        let open: Vec<ChatRequest> = trials
            .iter()
            .zip(&task.outputs)
            .filter(|(trial, expected)| trial.is_fine() && trial.text() != ***expected)
            .map(|(trial, expected)| self.comparison(expected, &trial.text()))
            .collect();
        if !open.is_empty() && replies.is_empty() {
            return Ok(JudgeAction::Ask(open));
        }
        Ok(JudgeAction::Done(self.outcome(sample, &task, &found, &trials, replies)?))
    }

    fn program_environment(&self) -> Option<&str> {
        Some(&self.settings.environment)
    }
}
