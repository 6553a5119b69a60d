//! [`LabelTable`]: what the lines of a file of labels come to, one row an output and one column a person.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use probare_core::Case;
use probare_store::HumanLabel;

use super::file::{LabelledOutputKey, LatestLabel};
use super::{DEFER, LabelError, LabelFile};

/// An output that somebody labelled.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledOutput {
    /// The case.
    pub id: String,
    /// How many cases of the same id come before it.
    pub occurrence: u32,
    /// Whose output, model and prompt; anybody's where it is not said.
    pub source: Option<String>,
    /// Which of several; any where it is not said.
    pub repeat: Option<u32>,
    /// The digest of the answer, where the file has the answer.
    pub answer: Option<String>,
    /// What each person said, in the order of [`LabelTable::people`]; nothing where somebody deferred.
    pub labels: Vec<Option<String>>,
    /// Where a line about it stands.
    last: LatestLabel,
}

impl LabelledOutput {
    /// Whether it is this output that was labelled.
    pub fn matches_output(&self, id: &str, source: Option<&str>, repeat: u32, answer: Option<&str>) -> bool {
        self.id == id
            && self.source.as_deref().is_none_or(|own| Some(own) == source)
            && self.repeat.is_none_or(|own| own == repeat)
            && self.answer.as_deref().zip(answer).is_none_or(|(own, other)| own == other)
    }
}

/// All labels about one metric.
#[derive(Debug)]
pub struct LabelTable {
    /// Who labelled.
    pub people: Vec<String>,
    /// The outputs, in the order in which they were first labelled.
    pub outputs: Vec<LabelledOutput>,
    /// The metric that people were shown, where it is another than the one that is meant.
    pub about: Option<String>,
    /// Labels that say nothing yet.
    pub deferred: usize,
    file: LabelFile,
}

impl LabelTable {
    /// Reads the labels about a metric; of these people, or of all where none is named. Labels about no metric count as well. Where
    /// the file has none about this metric, but about one other alone, those are taken.
    pub fn read(path: &Path, metric: &str, people: &[String]) -> Result<Self, LabelError> {
        let file = LabelFile::new(path);
        let decisions = file.decisions()?;
        let of = |decision: &LatestLabel| decision.label.metric.clone();
        let known: BTreeSet<String> = decisions.iter().filter_map(of).collect();
        let is_known = known.contains(metric) || decisions.iter().any(|decision| decision.label.metric.is_none());
        let about = match (is_known, known.len()) {
            (true, _) | (_, 0) => None,
            (false, 1) => known.first().cloned(),
            (false, _) => {
                let known = known.into_iter().collect::<Vec<_>>().join(", ");
                return Err(LabelError::OtherMetric { path: path.to_owned(), metric: metric.to_owned(), known });
            }
        };
        let meant = about.as_deref().unwrap_or(metric);
        let is_meant = |decision: &&LatestLabel| decision.label.metric.as_deref().is_none_or(|own| own == meant);
        let meant: Vec<&LatestLabel> = decisions.iter().filter(is_meant).collect();
        let all: BTreeSet<&str> = meant.iter().map(|decision| decision.label.by.as_str()).collect();
        if let Some(name) = people.iter().find(|name| !all.contains(name.as_str())) {
            let known = all.into_iter().collect::<Vec<_>>().join(", ");
            return Err(LabelError::NoPerson { path: path.to_owned(), name: name.clone(), known });
        }
        let people: Vec<String> =
            if people.is_empty() { all.into_iter().map(str::to_owned).collect() } else { people.to_vec() };
        let mut outputs: Vec<LabelledOutput> = Vec::new();
        let mut places: HashMap<LabelledOutputKey, usize> = HashMap::new();
        let mut deferred = 0;
        for decision in meant {
            let HumanLabel { id, occurrence, repeat, label, by, .. } = &decision.label;
            let Some(column) = people.iter().position(|name| name == by) else { continue };
            let place = *places.entry(decision.output()).or_insert_with(|| {
                outputs.push(LabelledOutput {
                    id: id.clone(),
                    occurrence: *occurrence,
                    source: decision.label.source_name(),
                    repeat: *repeat,
                    answer: decision.answer.clone(),
                    labels: vec![None; people.len()],
                    last: decision.clone(),
                });
                outputs.len() - 1
            });
            if label == DEFER {
                deferred += 1;
            } else {
                outputs[place].labels[column] = Some(label.clone());
            }
        }
        outputs.retain(|output| output.labels.iter().any(Option::is_some));
        Ok(Self { people, outputs, about, deferred, file })
    }

    /// The labelled outputs as cases, each with its row of labels. A line without its case is an error: there is nothing to judge.
    pub fn cases(&self) -> Result<Vec<Case>, LabelError> {
        let mut cases = Vec::new();
        let lasts: Vec<LatestLabel> = self.outputs.iter().map(|output| output.last.clone()).collect();
        if lasts.is_empty() {
            return Ok(cases);
        }
        self.file.each_text(&lasts, |decision, text| {
            let label: Result<HumanLabel, _> = serde_json::from_str(text);
            let Some(mut case) = label.ok().and_then(|label| label.case) else {
                let id = &decision.label.id;
                let words = format!("`{}`: the label of `{id}` has no case beside it", self.file.path().display());
                return Err(LabelError::Refused(words));
            };
            case.id.clone_from(&decision.label.id);
            cases.push(case);
            Ok(())
        })?;
        Ok(cases)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(id: &str, by: &str, label: &str, metric: &str) -> String {
        format!(
            r#"{{"id":"{id}","model":"m","repeat":0,"metric":"{metric}","label":"{label}","by":"{by}","at":1,"case":{{"id":"{id}","response":{{"text":"x"}}}}}}"#
        ) + "\n"
    }

    #[test]
    fn people_are_columns_and_what_was_deferred_is_no_label() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.jsonl");
        let lines = [
            line("a", "Ben", "pass", "f1"),
            line("a", "Ada", "fail", "f1"),
            line("b", "Ada", "defer", "f1"),
            line("c", "Ben", "defer", "f1"),
            line("c", "Ben", "pass", "f1"),
            line("a", "Ada", "pass", "other"),
        ];
        fs::write(&path, lines.concat()).unwrap();
        let labelled = LabelTable::read(&path, "f1", &[]).unwrap();
        assert_eq!(labelled.people, ["Ada", "Ben"]);
        let rows: Vec<(&str, Vec<Option<&str>>)> = (labelled.outputs.iter())
            .map(|output| (output.id.as_str(), output.labels.iter().map(Option::as_deref).collect()))
            .collect();
        assert_eq!(rows, [("a", vec![Some("fail"), Some("pass")]), ("c", vec![None, Some("pass")])]);
        assert_eq!(labelled.cases().unwrap().len(), 2);
        assert_eq!((labelled.deferred, labelled.about.as_deref()), (1, None));
        let ada = LabelTable::read(&path, "f1", &["Ada".to_owned()]).unwrap();
        assert_eq!((ada.people.len(), ada.outputs.len()), (1, 1));
        assert!(ada.outputs[0].matches_output("a", Some("m"), 0, None));
        assert!(!ada.outputs[0].matches_output("a", Some("n"), 0, None));
        assert!(!ada.outputs[0].matches_output("a", Some("m"), 0, Some("another answer")));

        let error = LabelTable::read(&path, "f1", &["Eve".to_owned()]).unwrap_err().to_string();
        assert!(error.ends_with("has no label of `Eve`, but of Ada, Ben"), "{error}");
        let error = LabelTable::read(&path, "f2", &[]).unwrap_err().to_string();
        assert!(error.ends_with("has no label about `f2`, but about f1, other"), "{error}");
    }

    #[test]
    fn labels_about_one_other_metric_are_told_and_taken_and_a_missing_case_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("labels.jsonl");
        fs::write(&path, r#"{"id":"a","metric":"f1","label":"pass","by":"Ada","at":1}"#).unwrap();
        let labelled = LabelTable::read(&path, "f2", &[]).unwrap();
        assert_eq!(labelled.about.as_deref(), Some("f1"));
        assert!(labelled.outputs[0].matches_output("a", Some("any"), 3, Some("any")));
        assert!(labelled.cases().unwrap_err().to_string().contains("`a` has no case beside it"));
    }
}
