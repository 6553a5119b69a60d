//! What was examined and what came of it.

use std::borrow::Cow;
use std::ops::Range;

use probare_core::UNSURE;
use probare_text::anchors::{Anchor, AnchorKind};

/// What an anchor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnchorType {
    /// Money, a percentage, a measured quantity, a cardinal.
    Numeric,
    /// A date of any precision, a time, a length of time.
    Date,
    /// Subject, verb, object.
    Claim,
    /// A name; the improved profile alone asks for it.
    Name,
    /// A sentence as a whole; the improved profile alone asks for it.
    Sentence,
    /// The context itself, where there is none.
    Context,
}

impl AnchorType {
    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Numeric => "numeric",
            Self::Date => "date",
            Self::Claim => "claim",
            Self::Name => "name",
            Self::Sentence => "sentence",
            Self::Context => "context",
        }
    }
}

/// A place in the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextPlace {
    /// Index of the chunk.
    pub chunk: usize,
    /// Bytes of the chunk.
    pub span: Range<usize>,
}

/// What the context says of an anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SupportVerdict {
    /// It bears the anchor out.
    Supported {
        /// Where.
        source: ContextPlace,
        /// How, where that is not plain.
        note: Option<Cow<'static, str>>,
    },
    /// It does not speak of it, or of something else.
    Unsupported {
        /// What is missing.
        reason: Cow<'static, str>,
    },
    /// Neither was proved. The improved profile alone leaves something open.
    Open {
        /// What stands against a proof.
        reason: Cow<'static, str>,
    },
    /// It says something that cannot be true together with it. The improved profile alone tells this from absence.
    Contradicted {
        /// What is against it.
        reason: Cow<'static, str>,
        /// Where.
        source: ContextPlace,
    },
}

/// Something in a response that a context can bear out or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnchorFinding {
    /// What it is.
    pub kind: AnchorType,
    /// Its words; for a claim subject, verb and object.
    pub text: String,
    /// Bytes of the response. For a claim from its first word to its last. Nothing for the missing context.
    pub span: Option<Range<usize>>,
    /// Subject, verb and object of a claim.
    pub components: Option<[String; 3]>,
    /// Whether a claim is denied.
    pub is_negated: bool,
    /// What the context says of it.
    pub verdict: SupportVerdict,
    /// The sentence of the context that comes nearest to a sentence, whether it bears it out or not.
    pub nearest: Option<ContextPlace>,
}

impl AnchorFinding {
    /// Whether the context bears it out.
    pub const fn is_supported(&self) -> bool {
        matches!(self.verdict, SupportVerdict::Supported { .. })
    }

    /// Whether the context says otherwise.
    pub const fn is_contradicted(&self) -> bool {
        matches!(self.verdict, SupportVerdict::Contradicted { .. })
    }

    /// Whether neither was proved.
    pub const fn is_open(&self) -> bool {
        matches!(self.verdict, SupportVerdict::Open { .. })
    }

    /// Where the context bears it out or says otherwise.
    pub const fn source(&self) -> Option<&ContextPlace> {
        match &self.verdict {
            SupportVerdict::Supported { source, .. } | SupportVerdict::Contradicted { source, .. } => Some(source),
            SupportVerdict::Unsupported { .. } | SupportVerdict::Open { .. } => None,
        }
    }

    /// Why the context does not bear it out, or how it does where that is not plain.
    pub fn reason(&self) -> Option<&str> {
        match &self.verdict {
            SupportVerdict::Supported { note, .. } => note.as_deref(),
            SupportVerdict::Unsupported { reason }
            | SupportVerdict::Open { reason }
            | SupportVerdict::Contradicted { reason, .. } => Some(reason),
        }
    }

    /// Takes a lack that proves nothing for an open question; what was proved of a sentence stays.
    pub(super) fn leave_open(&mut self) {
        if self.kind == AnchorType::Sentence {
            return;
        }
        if let SupportVerdict::Contradicted { source, .. } = &self.verdict {
            self.nearest = Some(source.clone());
        }
        if let SupportVerdict::Unsupported { reason } | SupportVerdict::Contradicted { reason, .. } = &mut self.verdict
        {
            self.verdict = SupportVerdict::Open { reason: std::mem::take(reason) };
        }
    }
}

/// What a response is by its value and its sentences; the improved profile alone decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupportLabel {
    /// Its sentences are near-verbatim, or its value is low and none of them vetoes it.
    Supported,
    /// Its value is high, or there is no context.
    Unsupported,
    /// A sentence and a place of the context cannot both hold.
    Contradicted,
    /// Nothing decides.
    Unsure,
}

impl SupportLabel {
    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Unsupported => "unsupported",
            Self::Contradicted => "contradicted",
            Self::Unsure => UNSURE,
        }
    }
}

/// Brings findings into the order of the response.
pub(crate) fn sort_findings(findings: &mut [AnchorFinding]) {
    findings.sort_by_key(|finding| {
        let span = finding.span.clone().unwrap_or(0..0);
        (span.start, span.end, finding.kind)
    });
}

/// The finding of a number or date, whose text is given.
pub(crate) fn anchor_finding(anchor: &Anchor, text: &str, verdict: SupportVerdict) -> AnchorFinding {
    AnchorFinding {
        kind: match anchor.kind {
            AnchorKind::Numeric => AnchorType::Numeric,
            AnchorKind::Date => AnchorType::Date,
        },
        text: text.to_owned(),
        span: Some(anchor.span.clone()),
        components: None,
        is_negated: false,
        verdict,
        nearest: None,
    }
}
