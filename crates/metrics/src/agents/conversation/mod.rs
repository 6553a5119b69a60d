//! What was said, as metrics read it: the texts of a conversation with their places, the values in them, and the words that name the
//! same thing.

mod values;
mod vocabulary;

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use probare_core::{Case, Evidence, EvidenceKind, Field, FieldSpan, Role, Sample};
use probare_english::lexicon::{self, LexicalRole};
use probare_english::text_analysis::TextAnalysis;

pub(super) use values::{ExtractedValue, ValueKind, ValueMeaning, argument_values, is_same_value, values, values_in};
pub(super) use vocabulary::{is_related, name_words, slot_name};

/// A text that the user or the assistant said.
#[derive(Debug)]
pub(super) struct ConversationText {
    /// Number of its message.
    pub message: usize,
    /// JSON Pointer to it inside of the message.
    pub path: Cow<'static, str>,
    pub is_user: bool,
    pub analysis: TextAnalysis,
}

impl ConversationText {
    /// The words.
    pub fn text<'a>(&self, case: &'a Case) -> Cow<'a, str> {
        let message = case.messages.as_deref().and_then(|messages| messages.get(self.message));
        message.and_then(|message| message.text_at(&self.path)).unwrap_or_default()
    }

    /// Evidence at some bytes of it.
    pub fn evidence(&self, case: &Case, kind: EvidenceKind, span: Range<usize>) -> Evidence {
        Evidence::at(kind, Field::Messages, span, &self.text(case)).in_item(self.message).at_path(self.path.clone())
    }

    /// The place of some bytes of it.
    pub fn place(&self, span: Range<usize>) -> FieldSpan {
        FieldSpan::inside(Field::Messages, self.message, self.path.clone(), span)
    }
}

/// All that the user and the assistant said, in order.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub texts: Vec<ConversationText>,
}

/// Why a question about a conversation does not apply to a case without one.
pub(super) const NO_MESSAGES: &str = "the case has no `messages`";

impl Conversation {
    /// What was said, read once for all metrics of the case.
    pub fn for_sample(sample: Sample<'_>) -> Option<Rc<Self>> {
        let messages = sample.case.messages.as_deref()?;
        Some(sample.cached(0, || {
            let mut texts = Vec::new();
            for (message, spoken) in messages.iter().enumerate() {
                let is_user = spoken.has_role(Role::User);
                if !is_user && !spoken.has_role(Role::Assistant) {
                    continue;
                }
                for (path, text) in spoken.spoken_texts() {
                    texts.push(ConversationText { message, path, is_user, analysis: TextAnalysis::new(text) });
                }
            }
            Self { texts }
        }))
    }
}

/// Whether a text of the user asks for the same again.
pub(super) fn asks_to_repeat(analysis: &TextAnalysis) -> bool {
    (0..analysis.tokens.len())
        .any(|token| lexicon::expression_length(LexicalRole::Again, |ahead| analysis.word(token + ahead)).is_some())
}
