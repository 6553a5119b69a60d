//! Runs of a desk held against each other, by what `probare compare` computes; and a run as a page that is one file.

use std::fs;
use std::sync::{Arc, PoisonError};

use probare_report::comparison::Asked;
use serde_json::Value as Json;

use super::{Desk, DeskError, Version};
use crate::compare::{Compared, Results, compare};
use crate::runs::export;

/// Changed cases of each metric whose results and texts are looked up, as on the command line.
const SHOWN: usize = 50;

/// Comparisons that are kept.
const COMPARISONS: usize = 16;

impl Desk {
    /// Holds runs against the first of them: keys, with `@MODEL` behind them for the outputs of one model. `by` says what slices
    /// are made by.
    pub fn compare(&self, sides: &[String], by: &str) -> Result<Arc<Json>, DeskError> {
        let mut opened = Vec::new();
        for side in sides {
            let (key, model) = side.split_once('@').map_or((side.as_str(), None), |(key, model)| (key, Some(model)));
            opened.push((self.find(key)?, model.map(str::to_owned)));
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
        for (run, model) in &opened {
            let whole = match &run.results {
                Some(file) => Results::whole(file),
                None => Results::stored(&run.store, run.stored.run),
            };
            let name = match (&run.results, model) {
                (None, Some(model)) => format!("{model} in {}", run.name),
                (Some(_), Some(model)) => format!("{}@{model}", run.name),
                (_, None) => run.name.clone(),
            };
            results.push(Results { name, model: model.clone(), ..whole });
        }
        // Any text is something to group by.
        let by = Some(by).filter(|by| !by.is_empty()).and_then(|by| by.parse().ok());
        let asked = Asked { by, seed: 1, ..Asked::default() };
        let Compared { comparison, evidences } = compare(&results, &asked, SHOWN)?;
        let mut told = comparison.to_desk(&evidences);
        let keys: Vec<&str> = opened.iter().map(|(run, _)| run.key.as_str()).collect();
        told["keys"] = keys.into();
        let made = Arc::new(told);
        let mut kept = lock();
        if kept.len() >= COMPARISONS {
            kept.clear();
        }
        kept.insert(key, (versions, Arc::clone(&made)));
        Ok(made)
    }

    /// A run as one page that opens by a double click, with all its cases and their evidence: what `-o x.html` writes.
    pub fn saved(&self, key: &str) -> Result<Vec<u8>, DeskError> {
        let run = self.find(key)?;
        let path = self.folder.path().join(format!("{}.html", run.key));
        export(&run.store, &run.stored, vec![path.clone()])?;
        let read = fs::read(&path).and_then(|page| fs::remove_file(&path).map(|()| page));
        read.map_err(|error| DeskError::File { path, reason: error.to_string() })
    }
}
