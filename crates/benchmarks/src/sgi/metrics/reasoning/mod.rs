//! Experimental reasoning: questions with pictures and options, of which one is right.

mod choice;
mod pictures;

pub use choice::{ChoiceError, boxed_letter, is_same_letter, key_letter, option_letter, options_text};
pub use pictures::CasePictures;
