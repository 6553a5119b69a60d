//! [`Cluster`]: which cases hang together, because they are about the same text or come from the same source.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use probare_core::Case;
use rustc_hash::FxHashMap;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use super::groups::metadata_text;

/// Clusters that are told apart; with more of them there are no intervals.
const MOST: usize = 1 << 20;

/// The column whose values say which cases hang together: a key of the metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster(String);

impl FromStr for Cluster {
    type Err = Infallible;

    /// `KEY` or `metadata.KEY`: columns that are no field of a case are kept in its metadata.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.strip_prefix("metadata.").unwrap_or(text).to_owned()))
    }
}

impl fmt::Display for Cluster {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Cluster {
    /// The cluster of a case; nothing where it lacks the column.
    pub fn cluster_of(&self, case: &Case) -> Option<String> {
        metadata_text(case, &self.0).map(Cow::into_owned)
    }
}

/// The clusters of a run.
#[derive(Debug, Clone)]
pub struct Clusters {
    /// The column that names them.
    pub column: Cluster,
    /// Cases that lack the column: each of them stands alone.
    pub without: u64,
    numbers: FxHashMap<String, u32>,
    next: u32,
    is_full: bool,
}

impl Clusters {
    pub(super) fn new(column: Cluster) -> Self {
        Self { column, without: 0, numbers: FxHashMap::default(), next: 0, is_full: false }
    }

    pub(super) fn restart(&mut self) {
        *self = Self::new(self.column.clone());
    }

    /// How many clusters are named.
    pub fn count(&self) -> u64 {
        self.numbers.len() as u64
    }

    /// Why there are no intervals, where that is so.
    pub(super) fn problem(&self) -> Option<String> {
        if self.is_full {
            return Some(format!("there are more than {MOST} clusters"));
        }
        let has_cases = self.without > 0;
        (self.numbers.is_empty() && has_cases).then(|| format!("no case has a column `{}`", self.column))
    }

    /// The number of the cluster of a case.
    pub(super) fn number(&mut self, case: &Case) -> u32 {
        let name = self.column.cluster_of(case);
        if let Some(known) = name.as_ref().and_then(|name| self.numbers.get(name)) {
            return *known;
        }
        let number = self.next;
        if self.next as usize >= MOST {
            self.is_full = true;
            return number;
        }
        self.next += 1;
        match name {
            Some(name) => {
                self.numbers.insert(name, number);
            }
            None => self.without += 1,
        }
        number
    }
}

impl Serialize for Clusters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Clusters", 3)?;
        map.serialize_field("column", &self.column.to_string())?;
        map.serialize_field("clusters", &self.count())?;
        map.serialize_field("without", &self.without)?;
        map.end()
    }
}
