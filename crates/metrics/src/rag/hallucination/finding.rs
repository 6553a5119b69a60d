//! What was examined and what came of it.

use std::borrow::Cow;
use std::ops::Range;

use probare_core::UNSURE;

use super::careful::{Exchange, Proof};

/// What an anchor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnchorType {
    /// Money, a percentage, a measured quantity, a cardinal.
    Numeric,
    /// A date of any precision, a time, a length of time.
    Date,
    /// Subject, verb, object.
    Claim,
    /// A name; the careful profile alone asks for it.
    Name,
    /// A sentence as a whole; the careful profile alone asks for it.
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
pub struct Source {
    /// Index of the chunk.
    pub chunk: usize,
    /// Bytes of the chunk.
    pub span: Range<usize>,
}

/// What the context says of an anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It bears the anchor out.
    Supported {
        /// Where.
        source: Source,
        /// How, where that is not plain.
        note: Option<Cow<'static, str>>,
    },
    /// It does not speak of it, or of something else.
    Unsupported {
        /// What is missing.
        reason: Cow<'static, str>,
    },
    /// Neither was proved. The careful profile alone leaves something open.
    Open {
        /// What stands against a proof.
        reason: Cow<'static, str>,
    },
    /// It says something that cannot be true together with it. The careful profile alone tells this from absence.
    Contradicted {
        /// What is against it.
        reason: Cow<'static, str>,
        /// Where.
        source: Source,
    },
}

/// Something in a response that a context can bear out or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
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
    pub standing: Standing,
    /// The sentence of the context that comes nearest to a sentence, whether it bears it out or not.
    pub nearest: Option<Source>,
}

impl Finding {
    /// Whether the context bears it out.
    pub const fn is_supported(&self) -> bool {
        matches!(self.standing, Standing::Supported { .. })
    }

    /// Whether the context says otherwise.
    pub const fn is_contradicted(&self) -> bool {
        matches!(self.standing, Standing::Contradicted { .. })
    }

    /// Whether neither was proved.
    pub const fn is_open(&self) -> bool {
        matches!(self.standing, Standing::Open { .. })
    }

    /// Where the context bears it out or says otherwise.
    pub const fn source(&self) -> Option<&Source> {
        match &self.standing {
            Standing::Supported { source, .. } | Standing::Contradicted { source, .. } => Some(source),
            Standing::Unsupported { .. } | Standing::Open { .. } => None,
        }
    }

    /// Why the context does not bear it out, or how it does where that is not plain.
    pub fn reason(&self) -> Option<&str> {
        match &self.standing {
            Standing::Supported { note, .. } => note.as_deref(),
            Standing::Unsupported { reason } | Standing::Open { reason } | Standing::Contradicted { reason, .. } => {
                Some(reason)
            }
        }
    }

    /// Takes a lack that proves nothing for an open question; what was proved of a sentence stays.
    pub(super) fn leave_open(&mut self) {
        if self.kind == AnchorType::Sentence {
            return;
        }
        if let Standing::Contradicted { source, .. } = &self.standing {
            self.nearest = Some(source.clone());
        }
        if let Standing::Unsupported { reason } | Standing::Contradicted { reason, .. } = &mut self.standing {
            self.standing = Standing::Open { reason: std::mem::take(reason) };
        }
    }
}

/// What was proved of a response; the careful profile alone proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// Each of its sentences is a copy of places that are shown.
    Supported,
    /// A sentence says more than the context does, or there is no context.
    Unsupported,
    /// A sentence and a place of the context cannot both hold.
    Contradicted,
    /// Nothing was proved.
    Unsure,
}

impl Label {
    /// The word in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::Unsupported => "unsupported",
            Self::Contradicted => "contradicted",
            Self::Unsure => UNSURE,
        }
    }

    /// What follows from the proofs of all sentences: one accusation is enough, support needs every one of them.
    pub(super) fn of<'p>(proofs: impl Iterator<Item = &'p Proof>) -> Self {
        let mut label = None;
        for proof in proofs {
            label = match proof {
                Proof::Exchanged { exchange: Exchange::Stronger, .. } => Some(Self::Unsupported),
                Proof::Exchanged { .. } => return Self::Contradicted,
                Proof::Open { .. } if label != Some(Self::Unsupported) => Some(Self::Unsure),
                Proof::Supported(_) if label.is_none() => Some(Self::Supported),
                Proof::Open { .. } | Proof::Supported(_) => label,
            };
        }
        label.unwrap_or(Self::Unsure)
    }
}
