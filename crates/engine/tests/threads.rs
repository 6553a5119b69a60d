//! The number of threads changes no byte: all metrics, with the options of their pages and in both profiles, on the examples
//! of all pages.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::{collections::BTreeSet, io};

use probare_core::{
    Backend, BackendAnswer, BuildError, Case, DefaultCasePolicy, Event, JudgeAction, MemorySource, MetricInfo,
    MetricRequest, ModelReply, Outcome, Profile, Program, ProgramResult, Sink, Submission, Trust,
};
use probare_engine::{DriveOptions, Plan, RunContext, drive};
use probare_metrics::registry;
use probare_testing::page_examples;
use serde_json::{Value, json};

/// How often the examples come: a worker meets a case again after others, and there is work for all of them.
const ROUNDS: usize = 3;

/// The case of an example under the field names of a case.
fn read(example: &Value, id: &str) -> Case {
    let mut case = example["case"].clone();
    let fields = case.as_object_mut().expect("a case is an object");
    fields.insert("id".into(), json!(id));
    if let Some(reference) = fields.get_mut("reference").filter(|reference| reference.is_string()) {
        *reference = json!([reference.take()]);
    }
    for passage in fields.get_mut("context").and_then(Value::as_array_mut).into_iter().flatten() {
        if passage.is_string() {
            *passage = json!({"text": passage.take()});
        } else if let Some(text) = passage.as_object_mut().and_then(|passage| passage.shift_remove("page_content")) {
            passage["text"] = text;
        }
    }
    serde_json::from_value(case).unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// Every metric with every set of options of its page, in every profile.
fn requests() -> Vec<MetricRequest> {
    let mut requests = Vec::new();
    for definition in registry().iter() {
        let mut sets = vec![json!({})];
        for (_, example) in page_examples(definition.page) {
            let mut options = example.get("params").cloned().unwrap_or_else(|| json!({}));
            if let Some(options) = options.as_object_mut() {
                options.shift_remove("profile");
            }
            if !sets.contains(&options) {
                sets.push(options);
            }
        }
        for options in sets {
            for profile in
                definition.profiles.iter().filter(|profile| definition.build(options.clone(), **profile).is_ok())
            {
                requests.push(MetricRequest {
                    name: format!("{} {profile} {options}", definition.id),
                    id: definition.id.to_owned(),
                    options: options.clone(),
                    profile: Some(*profile),
                    code: None,
                });
            }
        }
    }
    requests
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for round in 0..ROUNDS {
        for definition in registry().iter() {
            for (line, example) in page_examples(definition.page) {
                cases.push(read(&example, &format!("{}, line {line}, round {round}", definition.id)));
            }
        }
    }
    cases
}

/// All result lines, and which metrics gave a score in which profile.
type Kept = (String, BTreeSet<(String, &'static str)>);

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Kept>>, Vec<MetricInfo>);

impl Sink for Lines {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => self.1 = metrics.to_vec(),
            Event::Scored(result) => {
                let mut kept = self.0.lock().unwrap();
                writeln!(kept.0, "{}", result.line_text(&self.1)).unwrap();
                for (metric, outcome) in self.1.iter().zip(&result.results) {
                    if matches!(outcome, Ok(Outcome::Scored(_))) {
                        kept.1.insert((metric.id.to_string(), metric.profile.unwrap_or_default().name()));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// What became of programs, as the pages say, by the name of one of their files.
fn ran_on_pages() -> Vec<(String, ProgramResult)> {
    let mut known = Vec::new();
    for (_, example) in registry().iter().flat_map(|definition| page_examples(definition.page)) {
        for entry in example["ran"].as_array().into_iter().flatten() {
            let mut entry = entry.clone();
            let file = entry.as_object_mut().and_then(|entry| entry.remove("file")).expect("a program has a file");
            let ran = serde_json::from_value(entry).expect("what became of it");
            known.push((file.as_str().expect("it is a name").to_owned(), ran));
        }
    }
    known
}

/// A judge that says everything that any metric asks for, to so many cases at once, vectors of two numbers, and what pages
/// say of programs.
struct Says {
    width: usize,
    ran: Vec<(String, ProgramResult)>,
}

impl Says {
    fn ran(&self, program: &Program) -> BackendAnswer {
        let is_known = |(file, _): &&(String, ProgramResult)| program.files.iter().any(|(name, _)| name == file);
        self.ran.iter().find(is_known).map_or_else(
            || BackendAnswer::ProgramResult(ProgramResult::default()),
            |(_, ran)| BackendAnswer::ProgramResult(ran.clone()),
        )
    }
}

impl Backend for Says {
    fn answer(&self, _: &str, turn: &JudgeAction) -> Vec<BackendAnswer> {
        if let JudgeAction::Embed { texts, .. } = turn {
            return texts.iter().map(|text| BackendAnswer::Vector(vec![1.0, text.len() as f32])).collect();
        }
        if let JudgeAction::Run(programs) = turn {
            return programs.iter().map(|program| self.ran(program)).collect();
        }
        let JudgeAction::Ask(questions) = turn else { return Vec::new() };
        let verdict = r#"{"reason": "x", "level": "good", "score": 8, "same": true, "better": "A", "steps": [{"step": 1, "met": true, "quote": ""}]}"#;
        vec![BackendAnswer::Reply(ModelReply::text(verdict)); questions.len()]
    }

    fn submit(&self, metric: &str, turn: JudgeAction) -> Submission {
        Submission::Answered(self.answer(metric, &turn))
    }

    fn can_embed(&self, _: &str) -> Result<(), BuildError> {
        Ok(())
    }

    fn model_digest(&self, _: &str) -> Option<String> {
        None
    }

    fn can_run(&self, _: &str) -> Result<(), BuildError> {
        Ok(())
    }

    fn max_concurrent_cases(&self) -> usize {
        self.width
    }

    fn threads(&self) -> usize {
        self.width
    }

    fn trust(&self) -> Trust {
        Trust::LocalOnly
    }
}

fn lines(plan: &Plan, cases: &[Case], jobs: usize) -> Kept {
    let options = DriveOptions { jobs: NonZeroUsize::new(jobs).unwrap(), ..DriveOptions::default() };
    let sink = Lines::default();
    let around =
        RunContext { rules: &DefaultCasePolicy, backend: &Says { width: jobs, ran: ran_on_pages() }, sampler: None };
    let driven = drive(
        Box::new(MemorySource::new(cases.to_vec(), Vec::new())),
        "pages",
        plan,
        around,
        &options,
        Box::new(sink.clone()),
    )
    .unwrap();
    assert_eq!(driven.cases, cases.len() as u64);
    let kept = sink.0.lock().unwrap();
    kept.clone()
}

#[test]
fn one_thread_and_eight_give_the_same_bytes_with_all_metrics() {
    let plan = Plan::new(&requests(), Profile::Published, registry()).unwrap();
    let cases = cases();
    let (one, scored) = lines(&plan, &cases, 1);
    let (eight, _) = lines(&plan, &cases, 8);
    let differing = one.lines().zip(eight.lines()).find(|(one, eight)| one != eight);
    assert!(differing.is_none(), "{differing:?}");
    assert_eq!(one.len(), eight.len());
    for definition in registry().iter() {
        for profile in definition.profiles {
            let key = (definition.id.to_owned(), profile.name());
            assert!(scored.contains(&key), "{} scored nothing in the profile {profile}", definition.id);
        }
    }
    // The same case in another round, after other cases: only its id differs.
    let scores = |round: usize| -> Vec<String> {
        let wanted = format!("round {round}");
        one.lines().filter(|line| line.contains(&wanted)).map(|line| line.replacen(&wanted, "", 1)).collect()
    };
    assert_eq!(scores(0), scores(ROUNDS - 1));
}
