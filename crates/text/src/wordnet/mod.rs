//! WordNet 3.0: synonyms, antonyms, word families, base forms and semantic categories of English words.
//!
//! The whole database except its glosses is a table of 3 MB inside the binary. It is used where it lies: nothing is
//! parsed or unpacked at start, and a look-up reads a few hundred bytes. Another WordNet folder can take its place at
//! run time ([`WordNet::from_dir`]).
//!
//! ```
//! use probare_text::wordnet::{PartOfSpeech, WordNet};
//!
//! let wordnet = WordNet::embedded();
//! assert_eq!(wordnet.synonyms("bicycle"), ["bike", "cycle", "pedal", "wheel"]);
//! assert_eq!(wordnet.base_forms("mice", PartOfSpeech::Noun), ["mouse"]);
//! assert!(wordnet.is_antonym("hotter", "cold"));
//!
//! let teacher = wordnet.synsets("teacher", PartOfSpeech::Noun)[0];
//! assert_eq!(wordnet.lexname(teacher), "noun.person");
//! ```
//!
//! From the outside in: [`synonyms`](WordNet::synonyms) and its companions in `synonyms.rs`, `enriched.rs` and
//! `word_family.rs` answer questions about words; `morphology.rs` leads from an inflected form to lemmas;
//! `hierarchy.rs` walks from synset to synset; `net.rs` and `decode.rs` read single entries of the table, whose layout
//! is in `table.rs`, `records.rs`, `dictionary.rs` and `symbols.rs`. [`build`](mod@build) writes that table from the
//! files of WordNet.
//!
//! Words are matched without regard to case, and a space in a collocation equals the underscore of the files.
//! All lists come in a fixed order.

pub mod build;
mod category;
mod decode;
mod dictionary;
mod entries;
mod hierarchy;
mod letter_case;
mod morphology;
mod net;
mod part_of_speech;
mod reader;
mod recent;
mod records;
mod relation;
mod scoring_synonyms;
mod symbols;
mod synonyms;
mod table;
mod word_family;

pub use category::Category;
pub use decode::Senses;
pub use entries::{Pointer, Sense, Synset};
pub use net::WordNet;
pub use part_of_speech::{PartOfSpeech, PartsOfSpeech};
pub use relation::SynsetRelation;
pub use table::TableError;

/// The licence under which Princeton University gives WordNet 3.0; it has to accompany every copy of the data.
pub const LICENSE: &str = include_str!("../../data/WORDNET-LICENSE");
