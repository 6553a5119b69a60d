//! What the tests of all renderers share: metrics, results, hostile text, and an output in memory.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use probare_core::{
    BenchmarkData, Better, Case, CaseResult, Event, Evidence, EvidenceKind, Field, MetricInfo, Outcome,
    Output as Answer, Passage, Problem, Profile, RunEnd, SampleDimensions, Score, ScoreError, Sink, Stop,
};

use crate::{OutputWriter, RendererOptions, Summary};

/// Text that no renderer may pass on as it is.
pub(crate) const HOSTILE: &str =
    "</script><script>alert('x')</script>\u{1b}[31m\u{202e}=cmd|'/C calc'!A0 `tick` | pipe\u{0}\u{8}& \"quoted\" ]]>";

/// Three metrics: the first higher, the last lower is better.
pub(crate) fn metrics() -> Vec<MetricInfo> {
    let metric = |name: &str, better| MetricInfo {
        name: name.to_owned(),
        id: name.to_owned().into(),
        summary: format!("what {name} measures").into(),
        better,
        range: (0.0, 1.0),
        version: 1,
        profile: Some(Profile::Published),
        options: serde_json::Value::Null,
        decision_thresholds: None,
        is_descriptive: false,
        code: None,
    };
    vec![
        metric("relevance", Better::Higher),
        metric("topic_pivot", Better::Higher),
        metric("hallucination", Better::Lower),
    ]
}

/// A case with a value, a question that does not apply and a failure.
pub(crate) fn result(id: &str, value: f64) -> CaseResult {
    let response = "The press made books cheap.";
    let case = Case {
        id: id.to_owned(),
        query: Some("Why did books become cheap?".into()),
        response: Some(Answer::new(response)),
        context: Some(vec![Passage::from("The printing press spread after 1450.")]),
        ..Case::default()
    };
    let score = Score::from_number(value)
        .unwrap()
        .with_part("cosine", value / 2.0)
        .unwrap()
        .because([Evidence::found(Field::Response, 4..9, response).with_note("named in the query")]);
    CaseResult::new(
        case,
        vec![
            Ok(score.into()),
            Ok(Outcome::not_applicable("the query has one topic")),
            Err(ScoreError::MissingField(Field::Reference)),
        ],
    )
}

/// A case in which every text is hostile.
pub(crate) fn hostile() -> CaseResult {
    let case = Case {
        id: HOSTILE.to_owned(),
        query: Some(HOSTILE.to_owned()),
        response: Some(Answer::new(HOSTILE)),
        context: Some(vec![Passage::from(HOSTILE)]),
        tags: vec![HOSTILE.to_owned()],
        ..Case::default()
    };
    let evidence =
        Evidence::at(EvidenceKind::Unsupported, Field::Response, 3..20, HOSTILE).with_note(HOSTILE.to_owned());
    CaseResult::new(
        case,
        vec![
            Ok(Score::from_number(0.5)
                .unwrap()
                .labelled(HOSTILE)
                .because([evidence, Evidence::missing(HOSTILE)])
                .into()),
            Ok(Outcome::not_applicable(HOSTILE)),
            Err(ScoreError::UnreadableReply { reason: HOSTILE.to_owned() }),
        ],
    )
}

/// Runs a whole run through a sink: start, one lost row, one warning, the cases, the end with its summary.
pub(crate) fn events(sink: &mut dyn Sink, metrics: &[MetricInfo], results: &[CaseResult]) {
    events_of(sink, &RendererOptions::default(), metrics, results);
}

/// The same with a summary that counts what these options need.
pub(crate) fn events_of(
    sink: &mut dyn Sink,
    options: &RendererOptions,
    metrics: &[MetricInfo],
    results: &[CaseResult],
) {
    let mut summary = Summary::new(options);
    let mut send = |event: &Event<'_>| {
        summary.event(event).unwrap();
        sink.event(event).unwrap();
    };
    send(&Event::Started { source: "cases.jsonl", metrics, dimensions: SampleDimensions::default() });
    let problem = |lost| Problem {
        file: "cases.jsonl".into(),
        line: Some(3),
        column: None,
        reason: "expected `,` or `}`".into(),
        hint: None,
        lost,
        id: None,
    };
    send(&Event::Problem(&problem(true)));
    send(&Event::Problem(&problem(false)));
    for result in results {
        send(&Event::Scored(result));
    }
    summary.conclude(Stop::Complete);
    let finish = RunEnd { summary: Some(BenchmarkData::new(summary)), ..RunEnd::with_stop(Stop::Complete) };
    sink.event(&Event::Finished(&finish)).unwrap();
}

/// What is written to the [`Output`] can be read here afterwards.
#[derive(Debug, Clone, Default)]
pub(crate) struct MemoryOutput(Arc<Mutex<Vec<u8>>>);

impl MemoryOutput {
    pub(crate) fn output(&self) -> OutputWriter {
        OutputWriter::to_writer(Box::new(self.clone()))
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }
}

impl Write for MemoryOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
