//! Annotations for GitHub Actions: lines of the form `::error file=F,line=N,title=T::MESSAGE`, which its runner takes from
//! what a step prints and shows beside the change. GitHub shows ten errors and ten warnings of a step, so no more are
//! written: missed gates first, then rows that could not be read, then what failed, then single cases beyond a limit.

use std::io::{self, Write};

use probare_core::{CaseResult, Event, MetricInfo, Problem, RunEnd, Sink};

use crate::escape::{excerpt, terminal};
use crate::number::{count_with_noun, rounded};
use crate::status::{model_and_repeat, score};
use crate::{OutputWriter, RendererOptions, Summary};

/// Annotations of one kind that GitHub shows of a step.
pub const MOST: usize = 10;

/// One annotation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// Whether it is an error; a warning otherwise.
    pub is_error: bool,
    /// The file that it is about.
    pub file: Option<String>,
    /// The line of that file.
    pub line: Option<u64>,
    /// A few words.
    pub title: String,
    /// What is wrong; as it is, not escaped.
    pub message: String,
}

impl Annotation {
    /// An error about no file.
    pub fn error(title: &str, message: String) -> Self {
        Self { is_error: true, file: None, line: None, title: title.to_owned(), message }
    }

    fn about(problem: &Problem) -> Self {
        let hint = problem.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
        Self {
            is_error: problem.lost,
            file: Some(problem.file.clone()),
            line: problem.line,
            title: if problem.lost { "row not read" } else { "remark about the input" }.to_owned(),
            message: format!("{}{hint}", problem.reason),
        }
    }
}

/// The lines of these annotations, as many as GitHub shows of each kind; the last place of a kind says how many are left out.
pub fn lines(annotations: &[Annotation]) -> String {
    let mut text = String::new();
    for (is_error, word) in [(true, "error"), (false, "warning")] {
        let all: Vec<&Annotation> = annotations.iter().filter(|annotation| annotation.is_error == is_error).collect();
        let shown = if all.len() > MOST { MOST - 1 } else { all.len() };
        for annotation in &all[..shown] {
            text.push_str(&line(annotation, word));
        }
        if shown < all.len() {
            let message = format!("{} more are not shown", all.len() - shown);
            text.push_str(&line(&Annotation { is_error, ..Annotation::error("and more", message) }, word));
        }
    }
    text
}

fn line(annotation: &Annotation, word: &str) -> String {
    let mut properties = Vec::new();
    if let Some(file) = &annotation.file {
        properties.push(format!("file={}", property(file)));
        properties.extend(annotation.line.map(|line| format!("line={line}")));
    }
    properties.push(format!("title={}", property(&format!("probare: {}", annotation.title))));
    format!("::{word} {}::{}\n", properties.join(","), data(&excerpt(&annotation.message, 1000)))
}

/// A message: one line, in which the runner's own signs are spelt out.
fn data(text: &str) -> String {
    terminal(text).replace('%', "%25")
}

/// A property, in which a colon and a comma would end it.
fn property(text: &str) -> String {
    data(&excerpt(text, 300)).replace(':', "%3A").replace(',', "%2C")
}

/// Writes the annotations of a run when it ends.
#[derive(Debug)]
pub struct Github {
    output: OutputWriter,
    options: RendererOptions,
    metrics: Vec<MetricInfo>,
    /// Single cases beyond a limit: the first ones, and how many there are.
    cases: Vec<Annotation>,
    beyond: u64,
}

impl Github {
    /// The lines go to `output`.
    pub fn new(output: OutputWriter, options: RendererOptions) -> Self {
        Self { output, options, metrics: Vec::new(), cases: Vec::new(), beyond: 0 }
    }

    fn case(&mut self, result: &CaseResult) {
        if result.excused.is_some() {
            return;
        }
        for (metric, named) in self.metrics.iter().zip(&result.results) {
            let Some(value) = score(named).map(|score| score.value.get()) else { continue };
            for gate in self.options.failing_case(&metric.name, value) {
                self.beyond += 1;
                if self.cases.len() < MOST {
                    let whose = model_and_repeat(result).map(|whose| format!(" ({whose})")).unwrap_or_default();
                    let message =
                        format!("case {}{whose}: {} is {}; {gate}", result.case.id, metric.name, rounded(value));
                    self.cases.push(Annotation::error("case beyond a limit", message));
                }
            }
        }
    }

    fn finish(&mut self, finish: &RunEnd) -> io::Result<()> {
        let summary = Summary::required(finish)?;
        let mut all = Vec::new();
        if let Some(why) = summary.incomplete() {
            all.push(Annotation::error("incomplete", why.to_owned()));
        }
        let missed = summary.verdicts.iter().filter(|verdict| !verdict.passed);
        all.extend(missed.map(|verdict| Annotation::error("gate failed", verdict.to_string())));
        all.extend(summary.problems.iter().map(Annotation::about));
        for metric in summary.metrics.iter().filter(|metric| metric.failed > 0) {
            let why: Vec<&str> = metric.failed_reasons.kept.iter().map(|reason| reason.reason.as_str()).collect();
            let cases = count_with_noun(metric.failed, "case", "cases");
            let message = format!("{} failed in {cases}: {}", metric.info.name, why.join("; "));
            all.push(Annotation::error("not scored", message));
        }
        all.append(&mut self.cases);
        if self.beyond > MOST as u64 {
            let message = format!("{} in all", count_with_noun(self.beyond, "value", "values"));
            all.push(Annotation::error("cases beyond a limit", message));
        }
        self.output.write_all(lines(&all).as_bytes())?;
        self.output.finish(finish.stop).map(|_| ())
    }
}

impl Sink for Github {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => {
                self.metrics = metrics.to_vec();
                Ok(())
            }
            Event::Scored(result) => {
                self.case(result);
                Ok(())
            }
            Event::Finished(finish) => self.finish(finish),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{MemoryOutput, events_of, hostile, metrics, result};
    use crate::{Gate, Gates};

    use super::*;

    fn rendered(results: &[CaseResult], gates: Vec<Gate>) -> String {
        let written = MemoryOutput::default();
        let options = RendererOptions { gates: Gates::new(gates), ..RendererOptions::default() };
        events_of(&mut Github::new(written.output(), options.clone()), &options, &metrics(), results);
        written.text()
    }

    #[test]
    fn what_ends_a_run_badly_is_annotated() {
        let gates = vec![Gate::fail_under("relevance=0.7").unwrap(), Gate::fail_if_any("relevance<0.2").unwrap()];
        insta::assert_snapshot!(rendered(&[result("a,b", 0.5), result("c", 0.1)], gates), @r#"
        ::error title=probare%3A gate failed::failed: mean relevance 0.3 over 2 scored cases; fails if < 0.7
        ::error title=probare%3A gate failed::failed: relevance < 0.2 in 1 of 2 scored cases, the worst 0.1; fails if in any
        ::error file=cases.jsonl,line=3,title=probare%3A row not read::expected `,` or `}`
        ::error title=probare%3A not scored::hallucination failed in 2 cases: the case has no `reference`
        ::error title=probare%3A case beyond a limit::case c: relevance is 0.1; any relevance < 0.2
        ::warning file=cases.jsonl,line=3,title=probare%3A remark about the input::expected `,` or `}`
        "#);
    }

    #[test]
    fn text_of_others_cannot_become_an_annotation_of_its_own() {
        let mut evil = hostile();
        evil.case.id = "x\n::error::100 % mine\r\n::stop-commands::t".to_owned();
        let text = rendered(&[evil], vec![Gate::fail_if_any("relevance<1").unwrap()]);
        assert!(text.lines().all(|line| line.starts_with("::error ") || line.starts_with("::warning ")), "{text}");
        assert!(text.contains("case x ::error::100 %25 mine ::stop"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn there_are_no_more_than_github_shows() {
        let results: Vec<CaseResult> = (0..40).map(|number| result(&number.to_string(), 0.1)).collect();
        let text = rendered(&results, vec![Gate::fail_if_any("relevance<0.2").unwrap()]);
        assert_eq!(text.lines().filter(|line| line.starts_with("::error ")).count(), MOST, "{text}");
        assert!(text.lines().any(|line| line.contains("more are not shown")), "{text}");
    }
}
