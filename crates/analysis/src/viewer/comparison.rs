//! Runs compared with each other, by what `probare compare` computes; and a run as a page that is one file.

use std::sync::{Arc, PoisonError};
use std::{fs, io};

use super::contract::Comparison;
use super::{RunViewer, Version, ViewerError};
use crate::compare::{ComparisonReport, ResultsSource, compare};
use probare_engine::{CaseSelection, export};
use probare_report::comparison::ComparisonRequest;
use probare_report::html::page_settings;

/// Changed cases of each metric whose results and texts are looked up, as on the command line.
const SHOWN: usize = 50;

/// Comparisons that are kept.
const COMPARISONS: usize = 16;

impl RunViewer {
    /// Holds runs against the first of them: keys, with `@MODEL` or `@prompt:NAME` behind them for a part of the outputs. `by`
    /// says what slices are made by.
    pub fn compare(&self, sides: &[String], by: &str) -> Result<Arc<Comparison>, ViewerError> {
        let mut opened = Vec::new();
        for side in sides {
            let (key, part) = side.split_once('@').map_or((side.as_str(), None), |(key, part)| (key, Some(part)));
            opened.push((self.find_run(key)?, part));
        }
        let versions: Vec<Version> = opened.iter().map(|(run, _)| run.version()).collect();
        let key = format!("{}\n{by}", sides.join("\n"));
        let lock = || self.comparisons.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((kept, made)) = lock().get(&key)
            && *kept == versions
        {
            return Ok(Arc::clone(made));
        }
        let mut results = Vec::new();
        for (run, part) in &opened {
            let whole = match &run.results {
                Some(file) => ResultsSource::from_file(file, self.registries),
                None => ResultsSource::from_store(&run.store, run.stored.run, self.registries),
            };
            let whole = part.map_or(whole.clone(), |part| whole.with_part(part));
            let name = match (&run.results, whole.part_name()) {
                (None, Some(part)) => format!("{part} in {}", run.name),
                (Some(_), Some(_)) => format!("{}@{}", run.name, part.unwrap_or_default()),
                (_, None) => run.name.clone(),
            };
            results.push(ResultsSource { name, ..whole });
        }
        // Any text is something to group by.
        let by = Some(by).filter(|by| !by.is_empty()).and_then(|by| by.parse().ok());
        let asked = ComparisonRequest { by, seed: 1, ..ComparisonRequest::default() };
        let ComparisonReport { comparison, evidences } = compare(&results, &asked, SHOWN)?;
        let made = Arc::new(Comparison {
            comparison: comparison.to_view(&evidences),
            keys: opened.iter().map(|(run, _)| run.key.clone()).collect(),
            settings: page_settings(&[]),
        });
        let mut kept = lock();
        if kept.len() >= COMPARISONS {
            kept.clear();
        }
        kept.insert(key, (versions, Arc::clone(&made)));
        Ok(made)
    }

    /// A run as one page that opens by a double click, with its cases and their evidence: what `-o x.html` writes. Where there is
    /// a filter, it is about the cases that fit, and says so.
    pub fn export_page(&self, key: &str, filter: &str) -> Result<Vec<u8>, ViewerError> {
        let run = self.find_run(key)?;
        let wrong = |error: io::Error| ViewerError::in_file(self.folder.path(), &error.to_string());
        let folder = tempfile::tempdir_in(self.folder.path()).map_err(wrong)?;
        let path = folder.path().join("page.html");
        let selection = if filter.is_empty() {
            None
        } else {
            let fitting = self.list(&run, filter, "")?;
            let words = format!("{} of {} cases: {filter}", fitting.len(), self.list(&run, "", "")?.len());
            Some(CaseSelection { positions: fitting.iter().copied().collect(), words })
        };
        export(&run.store, &run.stored, vec![path.clone()], selection)?;
        fs::read(&path).map_err(wrong)
    }
}
