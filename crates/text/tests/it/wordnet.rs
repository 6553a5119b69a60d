//! WordNet against golden vectors, against damaged tables and against folders that someone wrote by hand.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use probare_testing::{golden, list, same, text};
use probare_text::wordnet::build::{WordNetBuildError, build};
use probare_text::wordnet::{PartOfSpeech, WordNet};
use proptest::prelude::*;
use tempfile::TempDir;

#[test]
fn golden_synonyms() {
    golden("socioscope", "synonyms.jsonl", |case| {
        let value = text(case, "value")?;
        let wordnet = WordNet::embedded();
        let strings = |field: &str| -> Result<Vec<String>, String> {
            list(case, field)?
                .iter()
                .map(|item| item.as_str().map(str::to_owned).ok_or_else(|| format!("{field}: not text")))
                .collect()
        };
        same("synonyms", &strings("synonyms")?, &wordnet.synonyms(value))?;
        same("enriched", &strings("enriched")?, &wordnet.scoring_synonyms(value))
    });
}

#[test]
fn the_embedded_table_is_whole() {
    let bytes = embedded_bytes();
    assert!(bytes.len() < 3_000_000, "{} bytes", bytes.len());
    let wordnet = WordNet::from_bytes(bytes).unwrap();
    assert_eq!((wordnet.lemma_count(), wordnet.synset_count()), (147_306, 117_659));
    // One in seventeen, since a test build takes its time; step and block size have no common factor.
    for synset in wordnet.all_synsets().step_by(17) {
        let names = wordnet.words(synset);
        let part = wordnet.category(synset).unwrap().part_of_speech();
        assert!(!names.is_empty());
        for name in names {
            assert!(wordnet.senses(&name, part).any(|sense| sense.synset == synset), "{name}");
        }
        for pointer in wordnet.pointers(synset) {
            assert!(wordnet.category(pointer.target).is_some());
        }
    }
}

#[test]
fn senses_come_with_their_counts_most_usual_first() {
    let wordnet = WordNet::embedded();
    let senses: Vec<_> = wordnet.senses("Car", PartOfSpeech::Noun).collect();
    assert_eq!(senses.iter().map(|sense| sense.count).collect::<Vec<_>>(), [71, 2, 0, 0, 0]);
    assert_eq!(wordnet.words(senses[0].synset), ["car", "auto", "automobile", "machine", "motorcar"]);
    assert_eq!(wordnet.synset_name(senses[0].synset).as_deref(), Some("car.n.01"));
    assert_eq!(wordnet.lexname(senses[0].synset), "noun.artifact");
    assert_eq!(wordnet.senses("cars", PartOfSpeech::Noun).count(), 0);
}

#[test]
fn names_keep_their_capitals() {
    let wordnet = WordNet::embedded();
    let denmark = wordnet.synsets("denmark", PartOfSpeech::Noun)[0];
    assert_eq!(wordnet.words(denmark), ["Denmark", "Kingdom of Denmark", "Danmark"]);
    assert_eq!(wordnet.lexname(denmark), "noun.location");
}

#[test]
fn a_changed_byte_is_noticed() {
    let bytes = embedded_bytes();
    for at in (0..bytes.len()).step_by(bytes.len() / 12) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(WordNet::from_bytes(damaged).is_err(), "byte {at}");
    }
    let half = bytes.len() / 2;
    let error = WordNet::from_bytes(bytes[..half].to_vec()).unwrap_err().to_string();
    assert!(error.contains(&format!("has {half} bytes")), "{error}");
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300), with_magic: bool) {
        let start: &[u8] = if with_magic { b"PRBWNET\x02" } else { b"" };
        prop_assert!(WordNet::from_bytes([start, &bytes].concat()).is_err());
    }

    #[test]
    fn any_text_can_be_asked_about(word in "\\PC{0,12}|[a-z_ ]{0,9}s?|.{0,6}") {
        ask_everything(WordNet::embedded(), &word);
    }

    /// Damage under a checksum that agrees: what is read is nonsense, but nothing leads outside the table.
    #[test]
    fn a_forged_table_gives_nonsense_and_never_a_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let mut bytes = small_table();
        for (at, value) in changes {
            let at = 16 + at.index(bytes.len() - 16);
            bytes[at] = value;
        }
        if let Ok(wordnet) = WordNet::from_bytes(sealed(bytes)) {
            for word in ["dogs", "dog", "Animal", "went", "quickly", "New York", "", "zz"] {
                ask_everything(&wordnet, word);
            }
            for synset in wordnet.all_synsets().take(50) {
                wordnet.synset_name(synset);
                wordnet.words(synset);
            }
        }
    }
}

/// Uses every look-up once; what they answer is tested elsewhere.
fn ask_everything(wordnet: &WordNet, word: &str) {
    let synonyms = wordnet.synonyms(word);
    assert!(synonyms.is_sorted());
    wordnet.scoring_synonyms(word);
    wordnet.antonyms(word);
    wordnet.derived_words(word);
    wordnet.parts_of_speech(word);
    wordnet.is_antonym(word, "dog");
    for part in PartOfSpeech::ALL {
        wordnet.base_forms(word, part);
        let synsets = wordnet.synsets(word, part);
        if let Some(first) = synsets.first() {
            wordnet.ancestors(*first);
        }
    }
}

#[test]
fn a_folder_of_ones_own_is_read_at_run_time() {
    let folder = small_folder();
    let wordnet = WordNet::from_dir(folder.path()).unwrap();
    assert_eq!(wordnet.synonyms("dogs"), ["dog", "hound"]);
    assert_eq!(wordnet.senses("dog", PartOfSpeech::Noun).map(|sense| sense.count).collect::<Vec<_>>(), [42]);
    assert_eq!(wordnet.base_forms("went", PartOfSpeech::Verb), ["go"]);
    // The last of two lines counts; the base that `goes` has in its line is no lemma, and no rule applies instead.
    assert_eq!(wordnet.base_forms("oxen", PartOfSpeech::Noun), ["animal"]);
    assert_eq!(wordnet.base_forms("goes", PartOfSpeech::Verb), Vec::<String>::new());
    let new_york = wordnet.synsets("new york", PartOfSpeech::Noun)[0];
    assert_eq!(wordnet.words(new_york), ["New York", "NYC", "Århus"]);
    assert_eq!(wordnet.synonyms("ÅRHUS"), ["new york", "nyc"]);
    assert!(wordnet.is_antonym("stayed", "went"));
    assert_eq!(wordnet.derived_words("quickly"), ["quick"]);
    let quick = wordnet.synsets("quick", PartOfSpeech::Adjective)[0];
    assert!(wordnet.is_satellite(quick));
    assert_eq!(wordnet.synset_name(quick).as_deref(), Some("quick.s.01"));
}

#[test]
fn a_circle_of_hypernyms_has_an_end() {
    let wordnet = WordNet::from_dir(small_folder().path()).unwrap();
    let go = wordnet.synsets("go", PartOfSpeech::Verb)[0];
    let stay = wordnet.synsets("stay", PartOfSpeech::Verb)[0];
    assert_eq!(wordnet.ancestors(go).get(&stay), Some(&1));
}

#[test]
fn a_missing_file_is_named() {
    let folder = small_folder();
    fs::remove_file(folder.path().join("verb.exc")).unwrap();
    let error = build(folder.path()).unwrap_err();
    assert!(matches!(&error, WordNetBuildError::Read { path, .. } if path.ends_with("verb.exc")), "{error}");
    assert!(error.source().is_some());
}

#[test]
fn a_line_that_cannot_be_understood_is_named() {
    for (file, content, expected) in [
        ("data.verb", "00000001 38 v 01 go 0 zero", "data.verb` line 1: expected how many pointers there are"),
        ("data.verb", "00000001 03 v 01 go 0 000", "line 1: expected a lexicographer file of this part of speech"),
        ("data.verb", "\n\n00000001 38 v 00 000", "line 3: expected at least one word"),
        (
            "data.verb",
            "00000002 38 v 01 stay 0 000\n00000001 38 v 01 go 0 001 @ 00000009 v 0000",
            "line 2: there is no synset 9 in `data.verb`",
        ),
        (
            "data.verb",
            "00000001 38 v 01 go 0 001 ! 00000001 v 0001",
            "line 1: expected both words of a pointer, or none",
        ),
        (
            "data.verb",
            "00000002 38 v 01 stay 0 000\n00000001 38 s 01 go 0 000",
            "line 2: expected an adjective, as satellites are",
        ),
        ("index.verb", "  licence\ngo v 2 0 2 0 00000001", "index.verb` line 2: expected the offset of a synset"),
        ("index.verb", "go v 1 0 1 0 00000077", "line 1: there is no synset 77 in `data.verb`"),
        ("cntlist.rev", "go%9:38:00:: 1 20", "line 1: expected the key of a sense: lemma, `%`, type from 1 to 5, `:`"),
    ] {
        let folder = small_folder();
        #[expect(clippy::disallowed_methods, reason = "a dictionary in a folder of the test's own")]
        fs::write(folder.path().join(file), content).unwrap();
        let message = build(folder.path()).unwrap_err().to_string();
        assert!(message.ends_with(expected), "{message}");
    }
}

/// The bytes that are inside the binary.
fn embedded_bytes() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/wordnet.bin")).unwrap()
}

fn small_table() -> Vec<u8> {
    static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| build(small_folder().path()).unwrap());
    TABLE.clone()
}

/// Writes the checksum (FNV-1a) that belongs to the bytes into their header.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = bytes[16..]
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    bytes[8..16].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// A WordNet of eight meanings, in which two verbs are each other's hypernyms.
fn small_folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (file, content) in [
        (
            "data.noun",
            "  1 a licence\n\
             00000001 05 n 01 animal 0 000 | alive\n\
             00000002 05 n 02 dog 0 hound 0 001 @ 00000001 n 0000 | barks\n\
             00000003 15 n 03 New_York 0 NYC 0 Århus 0 001 @i 00000004 n 0000 | big\n\
             00000004 15 n 01 city 0 000 | many houses\n",
        ),
        (
            "index.noun",
            "animal n 1 0 1 0 00000001\n\
             city n 1 0 1 0 00000004\n\
             dog n 1 1 @ 1 1 00000002\n\
             hound n 1 1 @ 1 0 00000002\n\
             new_york n 1 1 @i 1 0 00000003\n\
             nyc n 1 1 @i 1 0 00000003\n\
             århus n 1 1 @i 1 0 00000003\n",
        ),
        ("noun.exc", "oxen ox\noxen animal\n"),
        (
            "data.verb",
            "00000001 38 v 01 go 0 002 @ 00000002 v 0000 ! 00000002 v 0101 01 + 02 00 | move\n\
             00000002 38 v 01 stay 0 002 @ 00000001 v 0000 ! 00000001 v 0101 01 + 02 00 | do not move\n",
        ),
        ("index.verb", "go v 1 2 @ ! 1 1 00000001\nstay v 1 2 @ ! 1 0 00000002\n"),
        ("verb.exc", "goes wend\nwent go\n"),
        ("data.adj", "00000001 00 s 01 quick(p) 0 000 | fast\n"),
        ("index.adj", "quick a 1 0 1 0 00000001\n"),
        ("adj.exc", ""),
        ("data.adv", "00000001 02 r 01 quickly 0 001 \\ 00000001 a 0101 | fast\n"),
        ("index.adv", "quickly r 1 1 \\ 1 0 00000001\n"),
        ("adv.exc", ""),
        ("cntlist.rev", "dog%1:05:00:: 1 42\n"),
    ] {
        #[expect(clippy::disallowed_methods, reason = "a dictionary in a folder of the test's own")]
        fs::write(folder.path().join(file), content).unwrap();
    }
    folder
}
