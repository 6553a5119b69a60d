//! [`TraceLoss`]: what an import of traces could not use, or had to guess.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// What kind of thing was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TraceLossKind {
    /// A call of a model without any text.
    NoContent,
    /// An attribute that should be JSON and is none.
    Unparsed,
    /// A message or part of another shape than the conventions have.
    NotInSchema,
    /// A part of a kind that is not known.
    UnknownPart,
    /// A part that is a picture, a sound or a file.
    BinaryPart,
    /// A role that metrics pass over.
    UnknownRole,
    /// Answers beside the first.
    ExtraChoices,
    /// A call of a model whose input has nothing in common with what was said before.
    BrokenHistory,
    /// A span of a tool with another result than the conversation has.
    ResultsDiffer,
    /// Attributes that the exporter left out.
    Dropped,
    /// A span whose parent is not in the file.
    OrphanSpan,
    /// Several spans of one id.
    DuplicateSpan,
    /// Spans that are each other's parents.
    Cycle,
    /// Spans that are none of models, tools or agents.
    OtherSpans,
    /// Log records of spans that are not in the file.
    OtherRecords,
    /// An attribute that is known and not used.
    NotRead,
}

impl TraceLossKind {
    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoContent => "no_content",
            Self::Unparsed => "unparsed",
            Self::NotInSchema => "not_in_schema",
            Self::UnknownPart => "unknown_part",
            Self::BinaryPart => "binary_part",
            Self::UnknownRole => "unknown_role",
            Self::ExtraChoices => "extra_choices",
            Self::BrokenHistory => "broken_history",
            Self::ResultsDiffer => "results_differ",
            Self::Dropped => "dropped",
            Self::OrphanSpan => "orphan_span",
            Self::DuplicateSpan => "duplicate_span",
            Self::Cycle => "cycle",
            Self::OtherSpans => "other_spans",
            Self::OtherRecords => "other_records",
            Self::NotRead => "not_read",
        }
    }

    /// What one of them is, what several are, and what is to be said of both.
    const fn meaning(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::NoContent => {
                ("call of a model without texts", "calls of models without texts", "; switch content capture on")
            }
            Self::Unparsed => {
                ("attribute is not JSON", "attributes are not JSON", "; a limit on their length may have cut them")
            }
            Self::NotInSchema => ("place", "places", " where a message does not have the shape of the conventions"),
            Self::UnknownPart => ("part of a message", "parts of messages", " of an unknown kind, kept by name alone"),
            Self::BinaryPart => {
                ("picture, sound or file in a message", "pictures, sounds or files in messages", ", kept by name alone")
            }
            Self::UnknownRole => ("message", "messages", " of a role that metrics pass over"),
            Self::ExtraChoices => ("span", "spans", " with more answers than the first, which is taken"),
            Self::BrokenHistory => {
                ("call of a model", "calls of models", " whose input has nothing in common with what was said before")
            }
            Self::ResultsDiffer => {
                ("span of a tool", "spans of tools", " with another result than the conversation has, which is kept")
            }
            Self::Dropped => ("span", "spans", " of which the exporter left attributes out"),
            Self::OrphanSpan => ("span", "spans", " whose parent is not in the file"),
            Self::DuplicateSpan => ("span", "spans", " that came more than once; the last one counts"),
            Self::Cycle => {
                let rest = "; the first of each circle is taken for its root";
                ("span that is its own forebear", "spans that are their own forebears", rest)
            }
            Self::OtherSpans => ("span", "spans", " outside of models, tools and agents"),
            Self::OtherRecords => ("log record of a span that is", "log records of spans that are", " not in the file"),
            Self::NotRead => ("attribute that is", "attributes that are", " known and not used"),
        }
    }
}

/// One thing that was lost.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TraceLoss {
    /// What kind of thing.
    pub kind: TraceLossKind,
    /// The span it happened in.
    pub span: Option<String>,
    /// The place, attribute, role or number.
    pub what: Option<String>,
    /// The setting that brings it back, where one is known.
    pub setting: Option<&'static str>,
}

impl fmt::Display for TraceLoss {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind.name())?;
        for (word, told) in [("span", &self.span), ("what", &self.what)] {
            if let Some(told) = told {
                write!(formatter, ", {word} `{told}`")?;
            }
        }
        Ok(())
    }
}

/// Collects what is lost, each thing once.
#[derive(Debug, Default)]
pub(super) struct LossCollector {
    list: Vec<TraceLoss>,
    known: HashSet<TraceLoss>,
}

impl LossCollector {
    pub fn add(&mut self, kind: TraceLossKind, span: Option<&str>, what: Option<String>) {
        self.put(TraceLoss { kind, span: span.map(str::to_owned), what, setting: None });
    }

    pub fn put(&mut self, lost: TraceLoss) {
        if self.known.insert(lost.clone()) {
            self.list.push(lost);
        }
    }

    pub fn into_list(self) -> Vec<TraceLoss> {
        self.list
    }
}

/// A line for each kind: how many, what they are, and the settings that bring them back.
pub(crate) fn summary(lost: &[TraceLoss]) -> Vec<String> {
    let mut kinds: BTreeMap<TraceLossKind, (u64, Vec<&'static str>)> = BTreeMap::new();
    for one in lost {
        let (number, settings) = kinds.entry(one.kind).or_default();
        // Some count by themselves.
        let counted = matches!(one.kind, TraceLossKind::OtherSpans | TraceLossKind::OtherRecords);
        let told = one.what.as_deref().filter(|_| counted).and_then(|what| what.parse::<u64>().ok());
        *number += told.unwrap_or(1);
        settings.extend(one.setting.filter(|setting| !settings.contains(setting)));
    }
    let line = |(kind, (number, settings)): (TraceLossKind, (u64, Vec<&str>))| {
        let how = if settings.is_empty() { String::new() } else { format!(" ({})", settings.join("; ")) };
        let (one, several, rest) = kind.meaning();
        format!("{}: {number} {}{rest}{how}", kind.name(), if number == 1 { one } else { several })
    };
    kinds.into_iter().map(line).collect()
}
