//! Driving under adversity: panics wherever somebody else's code runs, limits, interruptions, sources that never end.

use std::collections::BTreeSet;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use probare_core::{
    AnswerSender, Backend, BackendAnswer, BuildError, Case, CaseBatch, CaseResult, CaseSource, DefaultCasePolicy,
    ErrorKind, Event, InputFile, JudgeAction, MemorySource, MetricRequest, MetricResult, ModelReply, NoBackend,
    Problem, Profile, ScoreError, Sink, SourceError, Stop, Submission, Trust,
};
use probare_engine::{
    CallResult, DriveError, DriveOptions, DriveOutcome, Plan, Response, RunContext, SampleProvider, drive,
};
use probare_metrics::registry;
use serde_json::json;

fn case(number: usize) -> Case {
    let text = json!({"id": number.to_string(), "query": "q", "response": {"text": "a b"}, "reference": ["a"]});
    serde_json::from_value(text).unwrap()
}

fn cases(count: usize) -> Vec<Case> {
    (0..count).map(case).collect()
}

fn plan(metric: &str) -> Plan {
    let request: MetricRequest = metric.parse().unwrap();
    Plan::new(&[request], Profile::Published, registry()).unwrap()
}

const JUDGE: &str = "judge_same_answer:judges=[\"j\"]";

/// What came, in order.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Sink for Seen {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let line = match event {
            Event::Scored(result) => match &result.results[0] {
                Ok(_) => result.case.id.clone(),
                Err(error) => format!("{}: {error}", result.case.id),
            },
            Event::Interrupted { under_way, .. } => format!("interrupted {under_way}"),
            _ => return Ok(()),
        };
        self.0.lock().unwrap().push(line);
        Ok(())
    }
}

impl Seen {
    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Keeps the ids of what is finished.
#[derive(Default)]
struct Kept {
    ids: Mutex<BTreeSet<usize>>,
    recall: Option<usize>,
    /// A case whose results are known, and say that it was cancelled.
    cancelled: Option<usize>,
    respond: Option<usize>,
    keep: Option<usize>,
}

fn trip(at: Option<usize>, case: &Case) {
    assert!(at != Some(case.id.parse().unwrap()), "a trap");
}

impl SampleProvider for Kept {
    fn recall(&self, case: &mut Case) -> io::Result<Option<Vec<MetricResult>>> {
        trip(self.recall, case);
        let is_cancelled = self.cancelled == Some(case.id.parse().unwrap());
        Ok(is_cancelled.then(|| vec![Err(ScoreError::other(ErrorKind::Cancelled, "interrupted by the user"))]))
    }

    fn respond(&self, case: &mut Case, _: &[CallResult]) -> Response {
        trip(self.respond, case);
        Response::Done(Ok(()))
    }

    fn save(&self, result: &CaseResult) -> io::Result<()> {
        trip(self.keep, &result.case);
        self.ids.lock().unwrap().insert(result.case.id.parse().unwrap());
        Ok(())
    }
}

/// A judge that counts what it is asked, takes its time, and stops at one case.
#[derive(Default)]
struct Judge {
    asked: AtomicUsize,
    width: usize,
    takes: Option<fn(usize) -> Duration>,
    trap: Option<usize>,
}

impl Backend for Judge {
    fn answer(&self, _: &str, turn: &JudgeAction) -> Vec<BackendAnswer> {
        let JudgeAction::Ask(questions) = turn else { return Vec::new() };
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        thread::sleep(self.takes.map_or(Duration::ZERO, |takes| takes(number)));
        assert!(self.trap != Some(number), "a trap");
        vec![BackendAnswer::Reply(ModelReply::text(r#"{"reason": "x", "same": true}"#)); questions.len()]
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

struct Setting<'a> {
    source: Box<dyn CaseSource>,
    metric: &'a str,
    outside: &'a dyn Backend,
    sampler: Option<&'a dyn SampleProvider>,
    options: DriveOptions,
}

impl Default for Setting<'_> {
    fn default() -> Self {
        Self {
            source: Box::new(MemorySource::new(cases(500), Vec::new())),
            metric: "token_f1",
            outside: &NoBackend,
            sampler: None,
            options: DriveOptions { jobs: NonZeroUsize::new(3).unwrap(), ..DriveOptions::default() },
        }
    }
}

fn driven(setting: Setting<'_>, sink: impl Sink) -> Result<DriveOutcome, DriveError> {
    let Setting { source, metric, outside, sampler, options } = setting;
    let around = RunContext { rules: &DefaultCasePolicy, backend: outside, sampler };
    drive(source, "test", &plan(metric), around, &options, Box::new(sink))
}

/// Gives some cases and then does what it is told.
struct Trapped {
    cases: MemorySource,
    then: Next,
}

impl CaseSource for Trapped {
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        self.cases.next_batch().or_else(self.then)
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        Ok(Vec::new())
    }
}

struct BadBatch;

impl CaseBatch for BadBatch {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        panic!("a trap")
    }
}

fn numbers(count: usize) -> Vec<String> {
    (0..count).map(|number| number.to_string()).collect()
}

/// What a source gives next.
type Next = fn() -> Option<Result<Box<dyn CaseBatch>, SourceError>>;

#[test]
fn a_result_that_says_cancelled_is_passed_on_and_the_run_ends() {
    let (seen, kept) = (Seen::default(), Kept { cancelled: Some(40), ..Kept::default() });
    let driven = driven(Setting { sampler: Some(&kept), ..Setting::default() }, seen.clone()).unwrap();
    assert_eq!((driven.stop, driven.cases), (Stop::Complete, 500));
    assert_eq!(seen.lines()[40], "40: interrupted by the user");
}

#[test]
fn a_source_that_panics_or_fails_ends_the_run_and_what_came_before_is_passed_on_and_kept() {
    let traps: [Next; 3] = [|| panic!("a trap"), || Some(Ok(Box::new(BadBatch))), || Some(Err("a trap".into()))];
    for then in traps {
        let (seen, kept) = (Seen::default(), Kept::default());
        let source = Box::new(Trapped { cases: MemorySource::new(cases(200), Vec::new()), then });
        let error = driven(Setting { source, sampler: Some(&kept), ..Setting::default() }, seen.clone()).unwrap_err();
        assert!(error.to_string().contains("a trap"), "{error}");
        assert_eq!(seen.lines(), numbers(200));
        assert_eq!(kept.ids.lock().unwrap().len(), 200);
    }
}

#[test]
fn a_keeper_that_panics_ends_the_run_and_what_is_finished_is_kept() {
    for kept in [Kept { recall: Some(300), ..Kept::default() }, Kept { keep: Some(300), ..Kept::default() }] {
        let seen = Seen::default();
        let error = driven(Setting { sampler: Some(&kept), ..Setting::default() }, seen.clone()).unwrap_err();
        assert!(matches!(error, DriveError::Bug { .. }), "{error}");
        let ids = kept.ids.lock().unwrap();
        assert!(ids.len() >= 200 && !ids.contains(&300), "{}", ids.len());
        assert!(
            seen.lines().iter().all(|id| ids.contains(&id.parse().unwrap())),
            "nothing is reported that is not kept"
        );
    }
}

#[test]
fn a_model_or_judge_that_panics_fails_one_case_and_no_other() {
    let (seen, kept) = (Seen::default(), Kept { respond: Some(7), ..Kept::default() });
    driven(Setting { sampler: Some(&kept), ..Setting::default() }, seen.clone()).unwrap();
    let lines = seen.lines();
    assert_eq!(lines.len(), 500);
    assert!(lines[7].starts_with("7: ") && lines[7].contains("a trap"), "{}", lines[7]);
    assert_eq!(lines.iter().filter(|line| line.contains(": ")).count(), 1);

    let (seen, judge) = (Seen::default(), Judge { width: 8, trap: Some(20), ..Judge::default() });
    driven(Setting { outside: &judge, metric: JUDGE, ..Setting::default() }, seen.clone()).unwrap();
    let lines = seen.lines();
    assert_eq!((lines.len(), lines.iter().filter(|line| line.contains("a trap")).count()), (500, 1));
}

#[test]
fn a_report_that_panics_or_fails_ends_the_run_and_what_is_finished_is_kept() {
    struct Bad(fn() -> io::Result<()>, usize);
    impl Sink for Bad {
        fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
            self.1 += usize::from(matches!(event, Event::Scored(_)));
            if self.1 == 100 { self.0() } else { Ok(()) }
        }
    }
    let ways: [fn() -> io::Result<()>; 2] = [|| panic!("a trap"), || Err(io::Error::other("a trap"))];
    for way in ways {
        let kept = Kept::default();
        let ended = driven(Setting { sampler: Some(&kept), ..Setting::default() }, Bad(way, 0));
        assert!(ended.is_err());
        assert!(kept.ids.lock().unwrap().len() >= 100);
    }
}

/// A batch with one bad row among twenty.
struct Mixed(bool);

impl CaseBatch for Mixed {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        let bad = Problem {
            file: String::new(),
            line: None,
            column: None,
            reason: String::new(),
            hint: None,
            lost: true,
            id: None,
        };
        (0..20).map(|number| if number == 10 { Err(bad.clone()) } else { Ok(case(number)) }).collect()
    }
}

impl CaseSource for Mixed {
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        (!std::mem::replace(&mut self.0, true)).then(|| Ok(Box::new(Mixed(true)) as Box<dyn CaseBatch>))
    }
    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        Ok(Vec::new())
    }
}

#[test]
fn nobody_works_on_a_case_beyond_the_limit_or_behind_a_bad_row_under_strict() {
    for limit in [0, 1, 5, 64, 65, 499, 500, 501] {
        let (seen, judge) = (Seen::default(), Judge { width: 64, ..Judge::default() });
        let options = DriveOptions { limit: Some(limit), ..Setting::default().options };
        let driven =
            driven(Setting { outside: &judge, metric: JUDGE, options, ..Setting::default() }, seen.clone()).unwrap();
        let wanted = usize::try_from(limit).unwrap().min(500);
        assert_eq!((driven.cases, driven.stop), (wanted as u64, Stop::Complete));
        assert_eq!(seen.lines(), numbers(wanted));
        assert_eq!(judge.asked.load(Ordering::Relaxed), wanted, "limit {limit}");
    }

    let judge = Judge { width: 64, ..Judge::default() };
    let options = DriveOptions { strict: true, ..Setting::default().options };
    let setting =
        Setting { source: Box::new(Mixed(false)), outside: &judge, metric: JUDGE, options, ..Setting::default() };
    let driven = driven(setting, Seen::default()).unwrap();
    assert_eq!((driven.stop, driven.cases, driven.lost), (Stop::Strict, 10, 1));
    assert_eq!(judge.asked.load(Ordering::Relaxed), 10);
}

#[test]
fn a_row_that_cannot_be_read_is_a_case_that_failed_where_that_is_wanted() {
    for (lost_rows_fail, cases) in [(false, 19), (true, 20)] {
        let seen = Seen::default();
        let options = DriveOptions { lost_rows_fail, ..Setting::default().options };
        let driven =
            driven(Setting { source: Box::new(Mixed(false)), options, ..Setting::default() }, seen.clone()).unwrap();
        assert_eq!((driven.cases, driven.lost, seen.lines().len()), (cases, 1, usize::try_from(cases).unwrap()));
        // A row without an id and a line is called by its number.
        assert_eq!(seen.lines()[10].starts_with("11: "), lost_rows_fail, "{}", seen.lines()[10]);
    }
}

#[test]
fn order_is_that_of_the_file_whatever_takes_how_long() {
    let takes: fn(usize) -> Duration = |number| Duration::from_micros(number as u64 * 7919 % 5000);
    let (seen, uneven) = (Seen::default(), Judge { width: 48, takes: Some(takes), ..Judge::default() });
    driven(Setting { outside: &uneven, metric: JUDGE, ..Setting::default() }, seen.clone()).unwrap();
    assert_eq!(seen.lines(), numbers(500));
}

#[test]
fn an_interruption_ends_a_run_whose_source_never_does() {
    let source = Box::new(Trapped {
        cases: MemorySource::new(cases(100), Vec::new()),
        then: || {
            thread::sleep(Duration::from_secs(30));
            None
        },
    });
    let (seen, interrupted) = (Seen::default(), Arc::new(AtomicBool::new(false)));
    let options = DriveOptions { interrupted: Arc::clone(&interrupted), ..Setting::default().options };
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        interrupted.store(true, Ordering::Relaxed);
    });
    let start = Instant::now();
    let driven = driven(Setting { source, options, ..Setting::default() }, seen.clone()).unwrap();
    assert!(start.elapsed() < Duration::from_millis(1300), "{:?}", start.elapsed());
    assert_eq!((driven.stop, driven.cases), (Stop::Interrupted, 100));
    let mut wanted = numbers(100);
    wanted.push("interrupted 0".to_owned());
    assert_eq!(seen.lines(), wanted);
}

#[test]
fn an_interruption_says_at_once_what_is_under_way_and_begins_nothing_more() {
    let judge = Judge { width: 16, takes: Some(|_| Duration::from_millis(600)), ..Judge::default() };
    let (seen, interrupted) = (Seen::default(), Arc::new(AtomicBool::new(false)));
    let options = DriveOptions { interrupted: Arc::clone(&interrupted), ..Setting::default().options };
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        interrupted.store(true, Ordering::Relaxed);
    });
    let driven =
        driven(Setting { outside: &judge, metric: JUDGE, options, ..Setting::default() }, seen.clone()).unwrap();
    assert_eq!(driven.stop, Stop::Interrupted);
    assert_eq!(judge.asked.load(Ordering::Relaxed), 16, "as many as may wait, and no more");
    let mut wanted = vec!["interrupted 16".to_owned()];
    wanted.extend(numbers(16));
    assert_eq!(seen.lines(), wanted, "what was under way is finished and passed on");
}

/// A judge that answers nobody until so many cases wait at once, and then all of them; every tenth never, if it is told so.
struct Patient {
    width: usize,
    waiting: Mutex<Vec<AnswerSender>>,
    most: AtomicUsize,
    threads: Mutex<BTreeSet<String>>,
    drops: bool,
}

impl Patient {
    fn new(width: usize, drops: bool) -> Arc<Self> {
        let (waiting, most, threads) = (Mutex::default(), AtomicUsize::new(0), Mutex::default());
        Arc::new(Self { width, waiting, most, threads, drops })
    }

    /// Answers those who wait whenever nobody new has come for a while.
    fn answers(self: &Arc<Self>) {
        let patient = Arc::clone(self);
        thread::spawn(move || {
            let mut before = 0;
            while Arc::strong_count(&patient) > 1 {
                thread::sleep(Duration::from_millis(20));
                let mut waiting = patient.waiting.lock().unwrap();
                if waiting.len() > before && waiting.len() < patient.width {
                    before = waiting.len();
                    continue;
                }
                patient.most.fetch_max(waiting.len(), Ordering::Relaxed);
                before = 0;
                // The last first.
                for (at, sender) in waiting.drain(..).enumerate().collect::<Vec<_>>().into_iter().rev() {
                    if !(patient.drops && at % 10 == 0) {
                        sender(vec![BackendAnswer::Reply(ModelReply::text(r#"{"reason": "x", "same": true}"#))]);
                    }
                }
            }
        });
    }
}

struct Waiting(Arc<Patient>);

impl Backend for Waiting {
    fn answer(&self, _: &str, _: &JudgeAction) -> Vec<BackendAnswer> {
        panic!("whoever can wait elsewhere does not wait here")
    }

    fn submit(&self, _: &str, turn: JudgeAction) -> Submission {
        assert!(matches!(turn, JudgeAction::Ask(_)));
        let patient = Arc::clone(&self.0);
        patient.threads.lock().unwrap().insert(format!("{:?}", thread::current().id()));
        Submission::Pending(Box::new(move |sender| patient.waiting.lock().unwrap().push(sender)))
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
        self.0.width
    }

    fn threads(&self) -> usize {
        1
    }

    fn trust(&self) -> Trust {
        Trust::LocalOnly
    }
}

#[test]
fn four_hundred_cases_wait_at_once_on_two_threads_and_come_in_order() {
    let (seen, patient) = (Seen::default(), Patient::new(400, false));
    patient.answers();
    let options = DriveOptions { jobs: NonZeroUsize::new(2).unwrap(), ..DriveOptions::default() };
    let outside = Waiting(Arc::clone(&patient));
    let driven = driven(Setting { outside: &outside, metric: JUDGE, options, ..Setting::default() }, seen.clone());
    assert_eq!(driven.unwrap().cases, 500);
    assert_eq!(seen.lines(), numbers(500));
    assert_eq!(patient.most.load(Ordering::Relaxed), 400, "as many as may wait");
    assert!(patient.threads.lock().unwrap().len() <= 2, "{:?}", patient.threads);
}

#[test]
fn an_answer_that_never_comes_fails_one_case_and_no_other() {
    let (seen, patient) = (Seen::default(), Patient::new(50, true));
    patient.answers();
    let outside = Waiting(Arc::clone(&patient));
    let driven = driven(Setting { outside: &outside, metric: JUDGE, ..Setting::default() }, seen.clone()).unwrap();
    assert_eq!((driven.cases, driven.stop), (500, Stop::Complete));
    let lost = seen.lines().iter().filter(|line| line.contains("the answer was lost")).count();
    assert!((50..=120).contains(&lost), "{lost}");
}

#[test]
fn an_interruption_waits_for_answers_under_way_and_begins_nothing_more() {
    let (seen, patient) = (Seen::default(), Patient::new(32, false));
    let interrupted = Arc::new(AtomicBool::new(false));
    let options = DriveOptions { interrupted: Arc::clone(&interrupted), ..Setting::default().options };
    let later = Arc::clone(&patient);
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        interrupted.store(true, Ordering::Relaxed);
        thread::sleep(Duration::from_millis(200));
        later.answers();
    });
    let kept = Kept::default();
    let outside = Waiting(Arc::clone(&patient));
    let setting = Setting { outside: &outside, metric: JUDGE, options, sampler: Some(&kept), ..Setting::default() };
    let driven = driven(setting, seen.clone()).unwrap();
    assert_eq!(driven.stop, Stop::Interrupted);
    assert_eq!(seen.lines()[0], "interrupted 32");
}
