//! What was examined and what came of it.

use std::borrow::Cow;
use std::ops::Range;

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

    /// Where the context bears it out or says otherwise.
    pub const fn source(&self) -> Option<&Source> {
        match &self.standing {
            Standing::Supported { source, .. } | Standing::Contradicted { source, .. } => Some(source),
            Standing::Unsupported { .. } => None,
        }
    }

    /// Why the context does not bear it out, or how it does where that is not plain.
    pub fn reason(&self) -> Option<&str> {
        match &self.standing {
            Standing::Supported { note, .. } => note.as_deref(),
            Standing::Unsupported { reason } | Standing::Contradicted { reason, .. } => Some(reason),
        }
    }
}
