//! Labels of people beside the values of finished results: which metric is meant, and what was said of each case.

use std::collections::BTreeMap;
use std::io;

use probare_analysis::{CaseValues, LABEL, LabelledOutput, Levels};
use probare_core::{Event, Job, MetricInfo, Sink, closest};
use probare_formats::ReadOptions;
use probare_stats::mean;

use super::judge::{LabelSheet, human_labels};
use super::open_cases;
use crate::failure::Failure;

/// The metric that is meant, and its place.
pub fn find_metric<'a>(named: Option<&str>, metrics: &'a [MetricInfo]) -> Result<(usize, &'a MetricInfo), Failure> {
    let names = || metrics.iter().map(|metric| metric.name.as_str());
    let known = || names().collect::<Vec<_>>().join(", ");
    match (named, metrics) {
        (Some(name), _) => {
            let found = metrics.iter().enumerate().find(|(_, metric)| metric.name == *name);
            found.ok_or_else(|| {
                let failure = Failure::usage(format!("the results have no metric `{name}`"));
                match closest(name, names()) {
                    Some(similar) => failure.hint(format!("a similar name exists: `{similar}`")),
                    None => failure.hint(format!("they have {}", known())),
                }
            })
        }
        (None, [metric]) => Ok((0, metric)),
        (None, _) => {
            Err(Failure::usage("the results have several metrics")
                .hint(format!("name one of {} with --metric", known())))
        }
    }
}

/// What people say of an output.
pub struct OutputLabel {
    /// Which output of its case; any where the labels do not say.
    pub output: Option<LabelledOutput>,
    /// The mean of what several people say.
    pub value: f64,
}

impl OutputLabel {
    /// Whether it is about this output of its case.
    pub fn is_for(&self, case: &CaseValues) -> bool {
        let CaseValues { id, source, repeat, answer, .. } = case;
        self.output
            .as_ref()
            .is_none_or(|output| output.matches_output(id, source.as_deref(), *repeat, answer.as_deref()))
    }

    /// Whether the label says whose answer it is about.
    pub fn names_output(&self) -> bool {
        self.output.as_ref().is_some_and(|output| output.source.is_some() || output.answer.is_some())
    }
}

/// Where labels are.
pub struct LabelSource<'a> {
    /// A file of labels of `probare view`, or rows with an `id` and a label.
    pub file: &'a str,
    /// Columns with labels, or names of people.
    pub columns: &'a [String],
    /// How rows are read.
    pub reading: ReadOptions,
}

impl LabelSource<'_> {
    /// What people say about a metric, by case. A case without a label is not there.
    pub fn read(&self, info: &MetricInfo) -> Result<BTreeMap<String, Vec<OutputLabel>>, Failure> {
        let levels = Levels::for_metric(&info.id, &info.options);
        let mut labels: BTreeMap<String, Vec<OutputLabel>> = BTreeMap::new();
        if let Some(sheet) = LabelSheet::read(self.file, &info.name, self.columns)? {
            for output in sheet.labelled.outputs {
                let words = output.labels.iter().flatten();
                let read = |word: &String| {
                    let bad = || format!("case `{}`: `{word}` is no label of `{}`", output.id, info.name);
                    levels.word_value(word).ok_or_else(|| Failure::new(bad()).hint(LABEL))
                };
                let values: Vec<f64> = words.map(read).collect::<Result<_, _>>()?;
                if let Some(value) = mean(&values) {
                    labels.entry(output.id.clone()).or_default().push(OutputLabel { output: Some(output), value });
                }
            }
        } else {
            let rows = open_cases(self.file, &self.reading)?;
            let mut said = LabelCollector { columns: self.columns, levels, values: BTreeMap::new(), bad: None };
            probare_engine::scan_cases(Job::new(self.file, Box::new(rows), Vec::new()), None, &mut said)?;
            if let Some(bad) = said.bad {
                return Err(Failure::new(bad).hint(LABEL));
            }
            for (id, values) in said.values {
                if let Some(value) = mean(&values) {
                    labels.insert(id, vec![OutputLabel { output: None, value }]);
                }
            }
        }
        if labels.is_empty() {
            return Err(Failure::new(format!("no row of `{}` has a label", self.file)).hint(format!(
                "labels are looked for in `{}`; name another column with --label",
                self.columns.join("`, `")
            )));
        }
        Ok(labels)
    }
}

/// Gathers labels by case.
struct LabelCollector<'a> {
    columns: &'a [String],
    levels: Levels,
    values: BTreeMap<String, Vec<f64>>,
    bad: Option<String>,
}

impl Sink for LabelCollector<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let Event::Scored(result) = event else { return Ok(()) };
        match human_labels(&result.case, self.columns, &self.levels) {
            Ok(people) => {
                self.values.entry(result.case.id.clone()).or_default().extend(people.into_iter().flatten());
            }
            Err(bad) => {
                self.bad.get_or_insert(bad);
            }
        }
        Ok(())
    }
}
