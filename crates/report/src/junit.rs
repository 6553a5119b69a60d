//! [`Junit`]: the run as test results that CI systems read.
//!
//! One suite per run, one test per metric and case. A *failure* is a value by which a single case fails (a gate on single
//! cases, a limit of the benchmark), an *error* a case that could not be scored or a row that could not be read, *skipped*
//! a question that does not apply, or a failure that is excused: situations that are never mixed. Every gate is a test of
//! the run as well; one on a mean, a rate or labels fails there and nowhere else. The counts stand in the head of the file, so the tests wait in a
//! temporary file until they are known; memory stays flat.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Seek, Write};

use probare_core::{CaseResult, Event, Evidence, MetricInfo, MetricResult, Outcome, Problem, RunEnd, Sink};
use tempfile::SpooledTempFile;

use crate::escape::{excerpt, xml};
use crate::number::rounded_against;
use crate::status::model_and_repeat;
use crate::{Gate, GateVerdict, OutputWriter, RendererOptions, Summary, VERSION};

/// Bytes of tests that are kept in memory before they go to a temporary file.
const IN_MEMORY: usize = 1 << 20;

/// Pieces of evidence that a failure lists.
const EVIDENCE: usize = 20;

/// Why a metric does not apply that was never meant to: where each case has metrics of its own, as in a session of tests. It is
/// no test, not even a skipped one.
pub const NOT_ASKED: &str = "it was not asked of this case";

/// Writes a `JUnit` file.
#[derive(Debug)]
pub struct Junit {
    output: OutputWriter,
    options: RendererOptions,
    metrics: Vec<MetricInfo>,
    tests: BufWriter<SpooledTempFile>,
    counts: Counts,
    /// Reused for every test.
    test: String,
}

#[derive(Debug, Default)]
struct Counts {
    tests: u64,
    failures: u64,
    errors: u64,
    skipped: u64,
}

/// How a test ended. The words are as given; they are escaped when they are written.
enum Ending<'a> {
    Passed,
    Failure { message: String, details: String },
    Error { message: &'a str },
    Skipped { message: &'a str },
}

/// What is known of a test beside its name.
#[derive(Debug, Clone, Copy, Default)]
struct Properties<'a> {
    value: Option<f64>,
    model: Option<&'a str>,
    prompt: Option<&'a str>,
    repeat: Option<u32>,
}

impl Junit {
    /// The file goes to `output`.
    pub fn new(output: OutputWriter, options: RendererOptions) -> Self {
        let tests = BufWriter::new(tempfile::spooled_tempfile_in(IN_MEMORY, output.folder()));
        Self { output, options, metrics: Vec::new(), tests, counts: Counts::default(), test: String::new() }
    }

    fn case(&mut self, result: &CaseResult) -> io::Result<()> {
        let metrics = std::mem::take(&mut self.metrics);
        for (metric, named) in metrics.iter().zip(&result.results) {
            self.result(result, metric, named)?;
        }
        self.metrics = metrics;
        Ok(())
    }

    fn result(&mut self, result: &CaseResult, metric: &MetricInfo, named: &MetricResult) -> io::Result<()> {
        let id = &match model_and_repeat(result) {
            Some(whose) => format!("{} ({whose})", result.case.id),
            None => result.case.id.clone(),
        };
        let about = |value: Option<f64>| Properties {
            value,
            model: result.model.as_deref(),
            prompt: result.prompt.as_deref(),
            repeat: (result.repeat > 0).then_some(result.repeat),
        };
        match named {
            Ok(Outcome::Scored(score)) => {
                let value = score.value.get();
                let missed: Vec<String> =
                    self.options.failing_case(&metric.name, value).map(|gate| failure(gate, metric, value)).collect();
                let ending = match (missed.is_empty(), &result.excused) {
                    (true, _) => Ending::Passed,
                    (false, Some(excuse)) => Ending::Skipped { message: excuse },
                    (false, None) => {
                        Ending::Failure { message: missed.join("; "), details: evidence_lines(&score.evidence) }
                    }
                };
                self.write(&metric.name, id, about(Some(value)), &ending)
            }
            Ok(Outcome::Labelled(_)) => self.write(&metric.name, id, about(None), &Ending::Passed),
            Ok(Outcome::NotApplicable { reason }) if reason == NOT_ASKED => Ok(()),
            Ok(Outcome::NotApplicable { reason }) => {
                self.write(&metric.name, id, about(None), &Ending::Skipped { message: reason })
            }
            Err(error) => self.write(&metric.name, id, about(None), &Ending::Error { message: &error.to_string() }),
        }
    }

    fn lost_row(&mut self, problem: &Problem) -> io::Result<()> {
        let place = match problem.line {
            Some(line) => format!("{}:{line}", problem.file),
            None => problem.file.clone(),
        };
        self.write("input", &place, Properties::default(), &Ending::Error { message: &problem.reason })
    }

    fn gates(&mut self, verdicts: &[GateVerdict]) -> io::Result<()> {
        for verdict in verdicts {
            let ending = if verdict.passed {
                Ending::Passed
            } else {
                Ending::Failure { message: verdict.to_string(), details: String::new() }
            };
            let properties = Properties { value: verdict.value, ..Properties::default() };
            let name = match &verdict.group {
                Some(group) => format!("{} in group {group}", verdict.gate),
                None => verdict.gate.to_string(),
            };
            self.write("gate", &name, properties, &ending)?;
        }
        Ok(())
    }

    fn write(&mut self, class: &str, name: &str, about: Properties<'_>, ending: &Ending<'_>) -> io::Result<()> {
        let mut test = std::mem::take(&mut self.test);
        test.clear();
        let written = self.describe(&mut test, class, name, about, ending);
        debug_assert!(written.is_ok(), "writing to a string does not fail");
        let result = self.tests.write_all(test.as_bytes());
        self.test = test;
        result
    }

    fn describe(
        &mut self,
        test: &mut String,
        class: &str,
        name: &str,
        about: Properties<'_>,
        ending: &Ending<'_>,
    ) -> std::fmt::Result {
        self.counts.tests += 1;
        write!(test, "    <testcase classname=\"{}\" name=\"{}\">", xml(class), xml(name))?;
        let Properties { value, model, prompt, repeat } = about;
        let properties = [
            ("model", model.map(str::to_owned)),
            ("prompt", prompt.map(str::to_owned)),
            ("repeat", repeat.map(|repeat| repeat.to_string())),
            ("value", value.map(|value| format!("{value:?}"))),
        ];
        if properties.iter().any(|(_, value)| value.is_some()) {
            test.push_str("<properties>");
            for (name, value) in properties {
                if let Some(value) = value {
                    write!(test, "<property name=\"{name}\" value=\"{}\"/>", xml(&value))?;
                }
            }
            test.push_str("</properties>");
        }
        match ending {
            Ending::Passed => {}
            Ending::Failure { message, details } => {
                self.counts.failures += 1;
                write!(test, "<failure type=\"gate\" message=\"{}\">{}</failure>", xml(message), xml(details))?;
            }
            Ending::Error { message } => {
                self.counts.errors += 1;
                write!(test, "<error type=\"failed\" message=\"{}\"/>", xml(message))?;
            }
            Ending::Skipped { message } => {
                self.counts.skipped += 1;
                write!(test, "<skipped message=\"{}\"/>", xml(message))?;
            }
        }
        test.push_str("</testcase>\n");
        Ok(())
    }

    fn finish(&mut self, finish: &RunEnd) -> io::Result<()> {
        let summary = Summary::required(finish)?;
        self.gates(&summary.verdicts)?;
        let title = self.options.title(&summary.source);
        let Counts { tests, failures, errors, skipped } = self.counts;
        let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"");
        writeln!(self.output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(self.output, "<testsuites name=\"probare\" {counts}>")?;
        writeln!(self.output, "  <testsuite name=\"{}\" {counts}>", xml(&title))?;
        writeln!(self.output, "    <properties>")?;
        let mut properties = vec![
            ("probare".to_owned(), VERSION.to_owned()),
            ("source".to_owned(), summary.source.clone()),
            ("cases".to_owned(), summary.cases.to_string()),
            ("outputs".to_owned(), summary.outputs.to_string()),
        ];
        let reasons = summary.incomplete().map(str::to_owned).into_iter().chain(summary.lacking());
        properties.extend(reasons.map(|why| ("incomplete".to_owned(), why)));
        for metric in &summary.metrics {
            let mean = metric.mean().map_or_else(|| "no mean".to_owned(), |mean| format!("mean {mean:?}"));
            let text = format!(
                "{mean}, {} scored, {} not applicable, {} failed",
                metric.denominator(),
                metric.not_applicable,
                metric.failed
            );
            properties.push((metric.info.name.clone(), text));
            if metric.coverage().is_some() {
                properties.push((format!("{} labels", metric.info.name), metric.label_words()));
            }
        }
        for remark in summary.label_remarks() {
            let (word, words) = remark.parts();
            properties.push((word.to_owned(), words.to_owned()));
        }
        for warning in summary.verdicts.iter().filter_map(GateVerdict::warning) {
            properties.push(("warning".to_owned(), warning));
        }
        for (name, value) in properties {
            writeln!(self.output, "      <property name=\"{}\" value=\"{}\"/>", xml(&name), xml(&value))?;
        }
        writeln!(self.output, "    </properties>")?;
        self.tests.flush()?;
        let tests = self.tests.get_mut();
        tests.rewind()?;
        io::copy(tests, &mut self.output)?;
        writeln!(self.output, "  </testsuite>\n</testsuites>")?;
        self.output.finish(finish.stop).map(|_| ())
    }
}

impl Sink for Junit {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        match event {
            Event::Started { metrics, .. } => {
                self.metrics = metrics.to_vec();
                Ok(())
            }
            Event::Scored(result) => self.case(result),
            Event::Problem(problem) if problem.lost => self.lost_row(problem),
            Event::Finished(finish) => self.finish(finish),
            _ => Ok(()),
        }
    }
}

/// Why a case fails by a gate on single cases.
fn failure(gate: &Gate, metric: &MetricInfo, value: f64) -> String {
    match gate {
        Gate::Any { relation, limit, .. } => {
            format!("{} is {}; fails if {} {limit}", metric.name, rounded_against(value, *limit), relation.sign())
        }
        other => format!("{} is {value}; fails if {other}", metric.name),
    }
}

/// Evidence in one line each, for the reader of a CI log.
fn evidence_lines(evidence: &[Evidence]) -> String {
    let mut lines: Vec<String> = (evidence.iter().take(EVIDENCE))
        .map(|piece| {
            let mut line = format!("{}: {}", piece.kind.name(), excerpt(&piece.text, 200));
            if let Some(place) = &piece.place {
                let index = place.index.map(|index| format!("[{index}]")).unwrap_or_default();
                line.push_str(&format!(" (in {}{index}, bytes {} to {})", place.field, place.start, place.end));
            }
            if let Some(note) = &piece.note {
                line.push_str(&format!(": {}", excerpt(note, 200)));
            }
            line
        })
        .collect();
    if evidence.len() > EVIDENCE {
        lines.push(format!("and {} more", evidence.len() - EVIDENCE));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use crate::Gates;
    use crate::testing::{HOSTILE, MemoryOutput, events, events_of, hostile, metrics, result};

    use super::*;

    fn rendered(results: &[CaseResult], gates: Vec<Gate>) -> String {
        let written = MemoryOutput::default();
        let options = RendererOptions { gates: Gates::new(gates), ..RendererOptions::default() };
        events_of(&mut Junit::new(written.output(), options.clone()), &options, &metrics(), results);
        written.text().replace(VERSION, "[version]")
    }

    #[test]
    fn failure_error_and_skipped_are_apart() {
        insta::assert_snapshot!(rendered(&[result("a", 0.5)], vec![Gate::fail_if_any("relevance<0.7").unwrap()]), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="probare" tests="5" failures="2" errors="2" skipped="1">
          <testsuite name="Evaluation of cases.jsonl" tests="5" failures="2" errors="2" skipped="1">
            <properties>
              <property name="probare" value="[version]"/>
              <property name="source" value="cases.jsonl"/>
              <property name="cases" value="1"/>
              <property name="outputs" value="1"/>
              <property name="incomplete" value="hallucination has no mean: none of 1 case could be scored"/>
              <property name="relevance" value="mean 0.5, 1 scored, 0 not applicable, 0 failed"/>
              <property name="topic_pivot" value="no mean, 0 scored, 1 not applicable, 0 failed"/>
              <property name="hallucination" value="no mean, 0 scored, 0 not applicable, 1 failed"/>
            </properties>
            <testcase classname="input" name="cases.jsonl:3"><error type="failed" message="expected `,` or `}`"/></testcase>
            <testcase classname="relevance" name="a"><properties><property name="value" value="0.5"/></properties><failure type="gate" message="relevance is 0.5; fails if &lt; 0.7">matched: press (in response, bytes 4 to 9): named in the query</failure></testcase>
            <testcase classname="topic_pivot" name="a"><skipped message="the query has one topic"/></testcase>
            <testcase classname="hallucination" name="a"><error type="failed" message="the case has no `reference`"/></testcase>
            <testcase classname="gate" name="any relevance &lt; 0.7"><properties><property name="value" value="0.5"/></properties><failure type="gate" message="failed: relevance &lt; 0.7 in 1 of 1 scored case, the worst 0.5; fails if in any"></failure></testcase>
          </testsuite>
        </testsuites>
        "#);
    }

    #[test]
    fn a_case_may_fail_without_a_gate_on_the_run() {
        let written = MemoryOutput::default();
        let case_limits = Gates::new(vec![Gate::fail_if_any("relevance<1").unwrap()]);
        let options = RendererOptions { case_limits, ..RendererOptions::default() };
        events(&mut Junit::new(written.output(), options), &metrics(), &[result("a", 0.5), result("b", 1.0)]);
        let text = written.text();
        assert_eq!(text.matches("<failure ").count(), 1);
        assert!(text.contains("relevance is 0.5; fails if &lt; 1"));
        assert!(!text.contains("classname=\"gate\""));
    }

    #[test]
    fn the_gate_of_each_group_is_a_test_of_its_own() {
        let tagged = |id: &str, value: f64, tag: &str| {
            let mut result = result(id, value);
            result.results.truncate(1);
            result.case.tags = vec![tag.to_owned()];
            result
        };
        let results = [tagged("a", 0.9, "en"), tagged("b", 0.2, "de")];
        let gates = Gates::new(vec![Gate::fail_under("relevance=0.5").unwrap()]).in_each_group(true);
        let options = RendererOptions { gates, by: Some(crate::GroupBy::Tags), ..RendererOptions::default() };
        let written = MemoryOutput::default();
        events_of(&mut Junit::new(written.output(), options.clone()), &options, &metrics()[..1], &results);
        let text = written.text();
        let names: Vec<&str> = text
            .lines()
            .filter_map(|line| line.split_once("classname=\"gate\" name=\"")?.1.split('"').next())
            .collect();
        assert_eq!(
            names,
            ["relevance &lt; 0.5", "relevance &lt; 0.5 in group de", "relevance &lt; 0.5 in group en"],
            "{text}"
        );
    }

    #[test]
    fn a_gate_on_the_mean_is_one_test_of_the_run() {
        let mut results = vec![result("a", 0.1), result("b", 1.0), result("c", 1.0)];
        for result in &mut results {
            result.results.truncate(1);
        }
        let passed = rendered(&results, vec![Gate::fail_under("relevance=0.7").unwrap()]);
        assert_eq!(passed.matches("<failure ").count(), 0, "{passed}");
        let missed = rendered(&results, vec![Gate::fail_under("relevance=0.8").unwrap()]);
        assert_eq!(missed.matches("<failure ").count(), 1);
        let rate = rendered(&results, vec![Gate::fail_pass_rate("relevance>=0.5:90%").unwrap()]);
        assert_eq!(rate.matches("<failure ").count(), 1);
        assert!(rate.contains("name=\"relevance &gt;= 0.5 in less than 90 %\""), "{rate}");
    }

    #[test]
    fn an_excused_case_is_skipped_with_the_reason() {
        let mut excused = result("a", 0.1);
        excused.results.truncate(1);
        excused.excused = Some("a bad example on purpose".into());
        let text = rendered(&[excused], vec![Gate::fail_if_any("relevance<0.5").unwrap()]);
        assert!(text.contains("<skipped message=\"a bad example on purpose\"/>"), "{text}");
        assert_eq!(text.matches("<failure ").count(), 0, "neither the case nor the gate: {text}");
    }

    #[test]
    fn counts_agree_with_the_tests_and_hostile_text_comes_back_whole() {
        let text = rendered(&[result("a", 0.9), hostile()], vec![Gate::fail_under("relevance=0.7").unwrap()]);
        let document = roxmltree::Document::parse(&text).unwrap();
        let named = |name: &'static str| document.descendants().filter(move |node| node.has_tag_name(name));
        let suite = named("testsuite").next().unwrap();
        for (tag, attribute) in
            [("testcase", "tests"), ("failure", "failures"), ("error", "errors"), ("skipped", "skipped")]
        {
            assert_eq!(suite.attribute(attribute).unwrap(), named(tag).count().to_string(), "{tag}");
        }
        let shown = HOSTILE.replace('\u{1b}', "\\u{1b}").replace('\u{0}', "\\u{0}").replace('\u{8}', "\\u{8}");
        assert!(named("testcase").any(|test| test.attribute("name") == Some(&shown)));
    }

    #[test]
    fn a_test_says_whose_output_it_is_about() {
        let mut repeated = result("a", 0.9);
        (repeated.model, repeated.repeat) = (Some("m".into()), 1);
        let text = rendered(&[repeated], Vec::new());
        let expected = "name=\"a (m, output 2)\"><properties><property name=\"model\" value=\"m\"/>\
                      <property name=\"repeat\" value=\"1\"/><property name=\"value\" value=\"0.9\"/></properties>";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn many_cases_pass_through_the_temporary_file() {
        let results = vec![result("a", 0.9); 5000];
        let text = rendered(&results, Vec::new());
        assert!(text.len() > IN_MEMORY);
        let options = roxmltree::ParsingOptions { nodes_limit: u32::MAX, ..roxmltree::ParsingOptions::default() };
        let document = roxmltree::Document::parse_with_options(&text, options).unwrap();
        assert_eq!(document.descendants().filter(|node| node.has_tag_name("testcase")).count(), 15_001);
    }
}
