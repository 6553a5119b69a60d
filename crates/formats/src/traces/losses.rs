//! [`TraceLoss`]: what an import of traces could not use, or had to guess.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

/// What kind of thing was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TraceLossKind {
    /// A model call without any text.
    NoContent,
    /// An attribute that should be JSON but is not.
    Unparsed,
    /// A message or part whose shape differs from the conventions.
    NotInSchema,
    /// A part of an unknown kind.
    UnknownPart,
    /// A part that is an image, audio or a file.
    BinaryPart,
    /// A role that metrics ignore.
    UnknownRole,
    /// Further answers after the first.
    ExtraChoices,
    /// A model call whose input shares nothing with the earlier messages.
    BrokenHistory,
    /// A tool span whose result differs from the one in the conversation.
    ResultsDiffer,
    /// Attributes that the exporter left out.
    Dropped,
    /// A span whose parent is not in the file.
    OrphanSpan,
    /// Several spans with the same id.
    DuplicateSpan,
    /// Spans that are ancestors of each other.
    Cycle,
    /// Spans of something other than models, tools or agents.
    OtherSpans,
    /// Log records of spans that are not in the file.
    OtherRecords,
    /// A known attribute that the import does not use.
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

    /// The noun for one, the noun for several, and the rest of the sentence for both.
    const fn meaning(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::NoContent => ("model call without text", "model calls without text", "; turn content capture on"),
            Self::Unparsed => {
                ("attribute is not JSON", "attributes are not JSON", "; a length limit may have truncated them")
            }
            Self::NotInSchema => ("place", "places", " where a message differs from the conventions"),
            Self::UnknownPart => {
                ("part of a message", "parts of messages", " of an unknown kind; only the name is kept")
            }
            Self::BinaryPart => {
                ("image, audio or file in a message", "images, audio or files in messages", "; only the name is kept")
            }
            Self::UnknownRole => ("message", "messages", " with a role that metrics ignore"),
            Self::ExtraChoices => ("span", "spans", " with several answers; the first one counts"),
            Self::BrokenHistory => {
                ("model call", "model calls", " whose input shares nothing with the earlier messages")
            }
            Self::ResultsDiffer => (
                "tool span",
                "tool spans",
                " with a result that differs from the conversation; the one in the conversation is kept",
            ),
            Self::Dropped => ("span", "spans", " from which the exporter dropped attributes"),
            Self::OrphanSpan => ("span", "spans", " whose parent is not in the file"),
            Self::DuplicateSpan => ("span", "spans", " that occur more than once; the last one counts"),
            Self::Cycle => {
                let rest = "; the first span of each cycle counts as its root";
                ("span that is its own ancestor", "spans that are their own ancestors", rest)
            }
            Self::OtherSpans => ("span", "spans", " not from a model, tool or agent"),
            Self::OtherRecords => ("log record of a span that is", "log records of spans that are", " not in the file"),
            Self::NotRead => ("known attribute", "known attributes", " not used"),
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
    /// The position, attribute, role or number.
    pub what: Option<String>,
    /// The setting that would keep it, if one is known.
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

/// A line for each kind: how many, what they are, and the settings that would keep them.
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
