//! [`LabelSheet`]: the file of labels that `probare view` keeps, as columns beside cases.

use std::path::Path;

use probare_analysis::{LabelError, LabelFile, LabelTable};
use probare_core::Case;
use probare_report::number::count_with_noun;

use super::super::remark;
use crate::failure::Failure;

/// What stands for all people where nobody is named.
const ALL: &str = "label";

/// A file of labels.
pub struct LabelSheet {
    /// Who said what.
    pub labelled: LabelTable,
    /// Where the cases have what each person said.
    pub columns: Vec<String>,
}

impl LabelSheet {
    /// Reads a file of labels about a metric; nothing where it is a file of another kind. `named` are people; the default of the flag
    /// stands for all of them.
    pub fn read(file: &str, metric: &str, named: &[String]) -> Result<Option<Self>, Failure> {
        if !LabelFile::is_label_file(Path::new(file)) {
            return Ok(None);
        }
        let named = if matches!(named, [one] if one == ALL) { &[] } else { named };
        let labelled = LabelTable::read(Path::new(file), metric, named)?;
        if let Some(about) = &labelled.about {
            remark(&format!("the labels of `{file}` are about `{about}`"));
        }
        if labelled.deferred > 0 {
            remark(&format!(
                "{} left open by people",
                count_with_noun(labelled.deferred as u64, "case was", "cases were")
            ));
        }
        let columns = labelled.people.iter().map(|name| format!("label of {name}")).collect();
        Ok(Some(Self { labelled, columns }))
    }

    /// The labelled outputs as cases, with one column a person.
    pub fn cases(&self) -> Result<Vec<Case>, Failure> {
        let mut cases = self.labelled.cases()?;
        for (case, output) in cases.iter_mut().zip(&self.labelled.outputs) {
            for (column, said) in self.columns.iter().zip(&output.labels) {
                if let Some(said) = said {
                    case.metadata.insert(column.clone(), said.clone().into());
                }
            }
        }
        Ok(cases)
    }
}

impl From<LabelError> for Failure {
    fn from(error: LabelError) -> Self {
        let failure = Self::from_error(&error);
        match error {
            LabelError::OtherMetric { .. } => {
                failure.hint("give the metric the name of one of them: --metric NAME=ID:OPTION=VALUE").into_usage()
            }
            LabelError::NoPerson { .. } => failure.hint("name one of these people with --label").into_usage(),
            LabelError::Line { .. } => {
                failure.hint(r#"a label is {"id": "case", "metric": "…", "label": "…", "by": "who", "at": 1767225600}"#)
            }
            _ => failure,
        }
    }
}
