//! What was said, as metrics read it: the texts of a conversation with their places, the values in them, and the words that name the
//! same thing.

pub(super) mod acts;
pub(super) mod passages;
pub(super) mod requests;
mod values;
mod vocabulary;

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use probare_core::{Case, Evidence, EvidenceKind, Field, Place, Role, Sample};
use probare_nlp::lexicon::{self, Sort};
use probare_nlp::reading::Reading;

pub(super) use values::{Kind, Meaning, Value, argument_values, is_same, values, within};
pub(super) use vocabulary::{is_related, lemmas, name_words, senses, slot};

use super::trace::turns;

/// A text that the user or the assistant said.
#[derive(Debug)]
pub(super) struct TalkText {
    /// Number of its message.
    pub message: usize,
    /// JSON Pointer to it inside of the message.
    pub path: Cow<'static, str>,
    /// Number of its turn.
    pub turn: Option<usize>,
    pub is_user: bool,
    pub reading: Reading,
}

impl TalkText {
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
    pub fn place(&self, span: Range<usize>) -> Place {
        Place::inside(Field::Messages, self.message, self.path.clone(), span)
    }
}

/// All that the user and the assistant said, in order.
#[derive(Debug, Default)]
pub(super) struct Talk {
    pub texts: Vec<TalkText>,
}

/// Why a question about a conversation does not apply to a case without one.
pub(super) const NO_MESSAGES: &str = "the case has no `messages`";

impl Talk {
    /// What was said, read once for all metrics of the case.
    pub fn of(sample: Sample<'_>) -> Option<Rc<Self>> {
        let messages = sample.case.messages.as_deref()?;
        Some(sample.reading(0, || {
            let turns = turns(messages);
            let mut texts = Vec::new();
            for (message, said) in messages.iter().enumerate() {
                let is_user = said.is_by(Role::User);
                if !is_user && !said.is_by(Role::Assistant) {
                    continue;
                }
                for (path, text) in said.said_texts() {
                    texts.push(TalkText { message, path, turn: turns[message], is_user, reading: Reading::of(text) });
                }
            }
            Self { texts }
        }))
    }

    /// What the user said.
    pub fn of_user(&self) -> impl DoubleEndedIterator<Item = &TalkText> {
        self.texts.iter().filter(|text| text.is_user)
    }

    /// What was said in the turn of a text, by both. Turns follow each other, so this is a stretch of all texts.
    pub fn in_turn_of(&self, text: &TalkText) -> &[TalkText] {
        let start = self.texts.partition_point(|other| other.turn < text.turn);
        let end = self.texts.partition_point(|other| other.turn <= text.turn);
        &self.texts[start..end]
    }

    /// What the assistant said.
    pub fn of_assistant(&self) -> impl DoubleEndedIterator<Item = &TalkText> {
        self.texts.iter().filter(|text| !text.is_user)
    }
}

/// Whether a text of the user asks for the same again.
pub(super) fn wants_again(reading: &Reading) -> bool {
    (0..reading.tokens.len())
        .any(|token| lexicon::expression(Sort::Again, |ahead| reading.word(token + ahead)).is_some())
}
