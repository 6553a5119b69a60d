//! Writes a page with made-up cases, to look at: `cargo run -p probare-report --example sample -- report.html`.
//!
//! The extension chooses the renderer, so the same run can be seen in every format.

#![allow(clippy::disallowed_methods, reason = "a tool for developers, not a part of the program")]

use std::borrow::Cow;
use std::error::Error;
use std::path::Path;

use probare_core::{
    BenchmarkData, Better, Case, CaseResult, Event, Evidence, EvidenceKind, Field, FieldSpan, MetricInfo, Outcome,
    Output, Passage, Problem, Profile, RunEnd, SampleDimensions, Score, ScoreError, Sink, Stop,
};
use probare_report::{Gate, Gates, GroupBy, RendererOptions, Summary, TerminalStyle, open, terminal};

/// Query, passage, answer, words of the answer that the passage supports, words that nothing supports.
const ANSWERS: [(&str, &str, &str, &str, &str); 6] = [
    (
        "When was the city library reopened, and who paid for the new roof?",
        "The city library reopened on 14 May 2019 after two years of works. The new roof was paid for by the county.",
        "The library reopened on 14 May 2019. The roof was paid for by the county and a private foundation.",
        "14 May 2019",
        "a private foundation",
    ),
    (
        "How long can I keep an opened jar of pesto?",
        "Once opened, keep the jar refrigerated and consume within five days.",
        "Keep it in the refrigerator and use it within five days. Covered with oil it keeps for a month.",
        "within five days",
        "keeps for a month",
    ),
    (
        "Which documents do I need to register a second-hand bicycle trailer?",
        "For registration bring proof of identity, the purchase contract and, where available, the frame number.",
        "You need proof of identity, the purchase contract and the insurance certificate of the trailer.",
        "proof of identity, the purchase contract",
        "the insurance certificate of the trailer",
    ),
    (
        "What did the second interviewee say about working from home?",
        "Interview 2: It gave me two hours a day back. I would not go back to the old way, not for any money.",
        "She says it gave her two hours a day back and that she would not go back to the old way.",
        "two hours a day back",
        "",
    ),
    (
        "Is the 12 mg tablet available without prescription?",
        "The 6 mg tablet is available without prescription. The 12 mg tablet requires a prescription.",
        "Yes, the tablet is available without prescription in most pharmacies.",
        "available without prescription",
        "in most pharmacies",
    ),
    (
        "Summarise the three risks named in the annual report.",
        "The report names three risks: supply of copper, exchange rates, and the age of the plant in Lund.",
        "The report names supply of copper, exchange rates and the age of the plant in Lund.",
        "supply of copper, exchange rates",
        "",
    ),
];

fn metrics() -> Vec<MetricInfo> {
    let metric = |name: &str, summary: &'static str, better, version| MetricInfo {
        name: name.to_owned(),
        id: Cow::Owned(name.to_owned()),
        summary: summary.into(),
        better,
        range: (0.0, 1.0),
        version,
        profile: Some(Profile::Published),
        options: serde_json::Value::Null,
        decision_thresholds: None,
        is_descriptive: false,
        code: None,
    };
    vec![
        metric("relevance", "How much of the query the response takes up", Better::Higher, 1),
        metric("completeness", "Share of what was asked that is answered", Better::Higher, 1),
        metric("hallucination", "Share of statements that the context does not support", Better::Lower, 2),
        metric("quote_fidelity", "Share of quotations that stand in the passage they name", Better::Higher, 1),
        metric("verdict", "Whether the answer can be shown to a customer", Better::Higher, 1),
        metric("unverifiable_reassurance_of_the_customer", "Promises that nobody can keep", Better::Higher, 1),
    ]
}

/// Numbers between 0 and 1 that look scattered and are the same on every run.
fn scattered(number: u32, step: f64) -> f64 {
    (f64::from(number) * step + 0.37).fract()
}

fn case(number: u32) -> Result<CaseResult, ScoreError> {
    let (query, passage, answer, supported, unsupported) = ANSWERS[number as usize % ANSWERS.len()];
    let mut case = Case {
        id: format!("support-{number:04}"),
        query: Some(query.to_owned()),
        response: Some(Output { text: answer.to_owned(), model: Some("assistant-large".to_owned()), repeat: 0 }),
        context: Some(vec![Passage::from(passage), Passage::from("Opening hours: Monday to Friday, 9 to 17.")]),
        tags: vec!["customer care".to_owned(), format!("lang:{}", ["en", "de", "fr"][number as usize % 3])],
        ..Case::default()
    };
    let place = |field: Field, index, text: &str, words: &str| {
        text.find(words).map(|start| FieldSpan { index, ..FieldSpan::new(field, start..start + words.len()) })
    };
    let mut found = Vec::new();
    let mut wrong = Vec::new();
    if let Some(FieldSpan { start, end, .. }) = place(Field::Response, None, answer, supported) {
        let mut evidence = Evidence::found(Field::Response, start..end, answer).with_note("stands in passage 1");
        if let Some(support) = place(Field::Context, Some(0), passage, supported) {
            evidence = evidence.with_support(support);
        }
        found.push(evidence);
        let whole = answer.find('.').map_or(answer.len(), |at| at + 1);
        found.push(
            Evidence::at(EvidenceKind::Compared, Field::Response, 0..whole, answer)
                .with_note("sentence 1 of the response"),
        );
    }
    if !unsupported.is_empty()
        && let Some(FieldSpan { start, end, .. }) = place(Field::Response, None, answer, unsupported)
    {
        let evidence = Evidence::at(EvidenceKind::Unsupported, Field::Response, start..end, answer);
        wrong.push(evidence.with_note("no passage says so"));
    }
    let good = 0.55 + 0.45 * scattered(number, 0.618).sqrt();
    let relevance = Score::from_number(good)?
        .with_part("cosine", good * 0.9)?
        .with_part("jaccard", good * 0.7)?
        .because(found.clone());
    let complete = scattered(number, 0.414).sqrt();
    let mut completeness = Score::from_number(complete)?.because(found);
    if complete < 0.6 {
        completeness = completeness.because([Evidence::missing("who paid").with_note("asked, not answered")]);
    }
    let share = if wrong.is_empty() { 0.0 } else { scattered(number, 0.732) * 0.6 };
    let label = if share > 0.3 { "unsupported" } else { "supported" };
    let hallucination = Score::from_number(share)?.labelled(label).because(wrong);
    let (verdict, word) = if share > 0.3 {
        (0.0, "FAIL")
    } else if complete < 0.5 {
        (0.5, "WARN")
    } else {
        (1.0, "PASS")
    };
    // A violation that is found: its evidence is of the same kind as that of a good thing.
    let promise = answer.find("most pharmacies").map(|start| {
        Evidence::found(Field::Response, start..start + "most pharmacies".len(), answer).with_note("a promise")
    });
    let reassurance = Score::from_bool(promise.is_none()).because(promise);
    let mut results = vec![
        Ok(relevance.into()),
        Ok(completeness.into()),
        Ok(hallucination.into()),
        Ok(Outcome::not_applicable("the response quotes nothing")),
        Ok(Score::from_number(verdict)?.labelled(word).into()),
        Ok(reassurance.into()),
    ];
    if number % 6 == 3 {
        results[3] = Ok(Score::from_number(1.0)?.into());
    }
    if number % 47 == 11 {
        case.response = None;
        results = (0..6).map(|_| Err(ScoreError::MissingField(Field::Response))).collect();
    }
    Ok(CaseResult::new(case, results))
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "report.html".to_owned());
    let metrics = metrics();
    let gates = Gates::new(vec![
        Gate::fail_under("relevance=0.7")?,
        Gate::fail_if("hallucination>0.1")?,
        Gate::fail_if_any("completeness<0.3")?,
        Gate::fail_pass_rate("relevance>=0.8:80%")?,
        Gate::fail_labels("verdict:FAIL>10%")?,
    ]);
    let by = Some(GroupBy::Tag("lang".to_owned()));
    let options = RendererOptions {
        title: Some("Support assistant, week 19".to_owned()),
        gates,
        by,
        ..RendererOptions::default()
    };
    let mut sink = open(Path::new(&path), &options)?;
    let mut summary = Summary::new(&options);
    let mut send = |event: &Event<'_>| summary.event(event).and_then(|()| sink.event(event));
    send(&Event::Started {
        source: "support-week-19.jsonl",
        metrics: &metrics,
        dimensions: SampleDimensions::default(),
    })?;
    let problem = Problem {
        file: "support-week-19.jsonl".to_owned(),
        line: Some(118),
        column: Some(42),
        reason: "expected `,` or `}`".to_owned(),
        hint: Some("the row ends in the middle of a string".to_owned()),
        lost: true,
        id: None,
    };
    send(&Event::Problem(&problem))?;
    let cases = std::env::args().nth(2).map_or(Ok(240), |number| number.parse::<u32>())?;
    for number in 1..=cases {
        send(&Event::Scored(&case(number)?))?;
    }
    summary.conclude(Stop::Complete);
    print!("{}", terminal::render(&summary, &summary.verdicts, TerminalStyle::for_stream(&std::io::stdout())));
    let finish = RunEnd { summary: Some(BenchmarkData::new(summary)), ..RunEnd::with_stop(Stop::Complete) };
    sink.event(&Event::Finished(&finish))?;
    Ok(())
}
