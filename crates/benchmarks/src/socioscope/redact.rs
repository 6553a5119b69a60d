//! [`Redaction`]: reports without the names of people and without long passages.
//!
//! Names are those of speakers (`Søren:` at the start of a line) with the words that follow them as family names, and
//! what the records give as NAME, as wholes and in their parts, compared without case, accents, hyphens and apostrophes.
//! Each occurrence becomes its position in its text, `[name 12-17]`; a passage longer
//! than a short phrase becomes `[passage of 131 characters]`, or its position where a check knows it. Scores, statuses and
//! positions stay: whoever has the transcripts can look every one of them up.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use probare_text::aligned_text::AlignedText;
use probare_text::normalise::{normalise, normalise_aligned};
use probare_text::stopwords::nltk;
use serde_json::Value as Json;

use super::input::Corpus;

/// Characters up to which a text is no passage.
const PHRASE: usize = 60;

/// Fields whose texts are passages of a transcript.
const PASSAGES: [&str; 4] = ["page_content", "text", "quote", "difference"];

/// What is to be hidden.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redaction {
    /// Names and their parts, [folded](normalise).
    names: BTreeSet<String>,
}

/// Words before a colon that are no names.
const ROLES: [&str; 5] = ["interviewer", "respondent", "the", "moderator", "translator"];

impl Redaction {
    /// The names in a corpus.
    pub fn new(corpus: &Corpus) -> Self {
        let mut redaction = Self::default();
        for transcript in corpus.transcripts() {
            let text = &transcript.text;
            let speakers: BTreeSet<&str> = text.lines().filter_map(speaker).chain(small_speakers(text)).collect();
            for speaker in speakers {
                redaction.add_with_followers(speaker, text);
            }
            introduced(text).for_each(|name| redaction.add(name));
            if let Some(Json::String(name)) = transcript.metadata.get("NAME") {
                redaction.add(name);
            }
        }
        for role in ROLES {
            redaction.names.remove(role);
        }
        redaction
    }

    /// Adds each word of a name: as a whole, however it is joined, and its parts.
    fn add(&mut self, name: &str) {
        for word in name.split_whitespace().filter(|word| !PARTICLES.contains(word)) {
            for spelling in [word.to_owned(), customary_spelling(word)] {
                let folded = normalise(&spelling);
                // A name of two parts may be written as one: Anne-Marie, Annemarie.
                self.names.insert(folded.replace(' ', ""));
                let parts = spelling.split(is_joint).map(normalise);
                self.names.extend(parts.chain(folded.split(' ').map(str::to_owned)).filter(|part| part.len() > 2));
            }
        }
        self.names.retain(|name| name.len() > 1);
    }

    /// Adds a name, and the words of a name that follow it in the text: capitalised ones, with the small words between them
    /// that belong to family names.
    fn add_with_followers(&mut self, name: &str, text: &str) {
        self.add(name);
        // A label may be written small, and the name in the text not.
        let is_small = name.starts_with(char::is_lowercase);
        for spelling in [Some(name.to_owned()), is_small.then(|| capitalised(name))].into_iter().flatten() {
            for (at, _) in text.match_indices(spelling.as_str()) {
                if let Some(rest) = text[at + spelling.len()..].strip_prefix(' ') {
                    self.add(name_at_start(rest, false));
                }
            }
        }
    }

    /// A text with its names hidden, and nothing but its length where it is long.
    pub fn text(&self, text: &str) -> String {
        let length = text.chars().count();
        if length > PHRASE { format!("[passage of {length} characters]") } else { self.names(text) }
    }

    /// A text with its names hidden, in whatever case and with whatever accents, hyphens and apostrophes they are written.
    pub fn names(&self, text: &str) -> String {
        let mut hidden = String::with_capacity(text.len());
        let (mut at, mut characters) = (0, 0);
        for span in self.places(text) {
            let before = &text[at..span.start];
            hidden.push_str(before);
            characters += before.chars().count();
            let length = text[span.clone()].chars().count();
            hidden.push_str(&format!("[name {characters}-{}]", characters + length));
            characters += length;
            at = span.end;
        }
        hidden.push_str(&text[at..]);
        hidden
    }

    /// Where names stand. Parts that nothing but a joint separates are one name.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let folded = normalise_aligned(text);
        let mut places: Vec<Range<usize>> = Vec::new();
        let mut start = 0;
        for word in folded.text().split(' ') {
            let span = start..start + word.len();
            start = span.end + 1;
            let written = folded.original_span(span.clone());
            let Some(length) = self.name_length(word, &text[written.clone()]) else { continue };
            let place = folded.original_span(span.start..span.start + length);
            match places.last_mut() {
                Some(last) if is_joined(&text[last.end..place.start]) => last.end = place.end,
                _ => places.push(place),
            }
        }
        places
    }

    /// How much of a folded word is a name: all of it, or all but the `s` behind an apostrophe.
    fn name_length(&self, word: &str, written: &str) -> Option<usize> {
        let is_name = |word: &str| {
            // A small word such as `will` is a name only where it is written as one.
            self.names.contains(word) && (written.starts_with(char::is_uppercase) || !nltk().contains(word))
        };
        if is_name(word) {
            return Some(word.len());
        }
        let mut ending = written.chars().rev();
        let is_possessive =
            ending.next().is_some_and(|last| matches!(last, 's' | 'S')) && ending.next().is_some_and(is_joint);
        word.strip_suffix('s').filter(|name| is_possessive && is_name(name)).map(str::len)
    }

    /// Hides what a value holds: passages by their length, names everywhere. Numbers and keys stay.
    pub fn json(&self, value: &mut Json) {
        match value {
            Json::String(text) => *text = self.names(text),
            Json::Array(list) => list.iter_mut().for_each(|item| self.json(item)),
            Json::Object(object) => {
                for (name, member) in object.iter_mut() {
                    match member {
                        Json::String(text) if PASSAGES.contains(&name.as_str()) && !is_question(name, text) => {
                            *text = self.text(text);
                        }
                        Json::Array(_) if name == "difference" => *member = Json::Null,
                        // Keys of transcripts are how their positions are looked up.
                        _ if name == "source" || name == "metric" || name == "type" => {}
                        _ => self.json(member),
                    }
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
}

/// Questions are no passages, however long.
fn is_question(name: &str, text: &str) -> bool {
    name == "text" && text.trim_end().ends_with('?')
}

/// The name before a colon at the start of a line, with the small words of family names in it.
fn speaker(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(':')?;
    let mut words = name.split_whitespace().filter(|word| !PARTICLES.contains(word));
    let is_name = name.chars().count() <= 40
        && name.split_whitespace().count() <= 5
        && words.clone().count() <= 3
        && words.next().is_some()
        && name.split_whitespace().all(|word| is_capitalised(word) || PARTICLES.contains(&word));
    is_name.then_some(name.trim()).filter(|name| !name.is_empty())
}

/// Single small words before a colon at the start of several lines: transcripts whose speakers are written without capitals.
fn small_speakers(text: &str) -> impl Iterator<Item = &str> {
    let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
    for line in text.lines() {
        if let Some((label, _)) = line.split_once(':')
            && label.chars().count() > 1
            && label.chars().all(|character| character.is_lowercase() || is_joint(character))
            && !nltk().contains(&normalise(label))
        {
            *labels.entry(label).or_default() += 1;
        }
    }
    labels.into_iter().filter(|(_, lines)| *lines > 1).map(|(label, _)| label)
}

/// Words behind which somebody's name stands.
const INTRODUCTIONS: [&str; 12] = [
    "my name is ",
    "name's ",
    "name’s ",
    "i am called ",
    "they call me ",
    "mr ",
    "mrs ",
    "ms ",
    "dr ",
    "mr. ",
    "mrs. ",
    "dr. ",
];

/// Names that the text itself introduces: `My name is Amina al-Rashid`, `Mr van der Berg`.
fn introduced(text: &str) -> impl Iterator<Item = &str> {
    // ASCII alone is folded, so that places stay what they are.
    let lower = text.to_ascii_lowercase();
    let mut names = Vec::new();
    for (number, introduction) in INTRODUCTIONS.iter().enumerate() {
        for (at, _) in lower.match_indices(introduction) {
            let starts_word = !text[..at].ends_with(char::is_alphanumeric);
            // Whoever says their name may be written down without capitals.
            let name = name_at_start(&text[at + introduction.len()..], number < 5);
            if starts_word && !name.is_empty() {
                names.push(name);
            }
        }
    }
    names.into_iter()
}

/// The words of a name that a text begins with: up to three of them, with particles between. The first may be written small
/// where a name must stand there.
fn name_at_start(text: &str, is_certain: bool) -> &str {
    let (mut end, mut names, mut at) = (0, 0, 0);
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        let plain = word.trim_end_matches(|character: char| !character.is_alphanumeric());
        let is_whole = plain.len() == word.len();
        let is_particle = is_whole && PARTICLES.contains(&plain);
        let is_plain = plain.chars().all(|character| character.is_alphabetic() || is_joint(character));
        let is_name = !plain.is_empty()
            && !nltk().contains(&normalise(plain))
            && (is_capitalised(plain) || (is_certain && names == 0 && is_plain));
        if !is_particle && !is_name {
            break;
        }
        if !is_particle {
            names += 1;
            end = at + plain.len();
        }
        at += piece.len();
        // A name ends with its line and at a mark of punctuation.
        if names == 3 || !is_whole || piece.ends_with('\n') {
            break;
        }
    }
    &text[..end]
}

/// Small words of family names. They are no names by themselves.
const PARTICLES: [&str; 30] = [
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "das", "do", "du", "la", "le", "el", "al",
    "bin", "ibn", "ben", "bint", "abu", "ter", "ten", "te", "zu", "zum", "zur", "af", "av",
];

/// A word with its first letter as a capital.
fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map(|first| first.to_uppercase().chain(characters).collect()).unwrap_or_default()
}

/// Signs that join the parts of a name.
fn is_joint(character: char) -> bool {
    matches!(character, '-' | '‐' | '‑' | '–' | '\'' | '’' | '‘' | 'ʼ' | '´' | '`')
}

fn is_joined(between: &str) -> bool {
    !between.is_empty() && between.chars().all(is_joint)
}

/// The customary spelling without accents, where it has more letters: Müller, Mueller.
fn customary_spelling(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    for character in AlignedText::new(word).nfc().text().chars() {
        match character {
            'ä' | 'Ä' => text.push_str("ae"),
            'ö' | 'Ö' | 'ø' | 'Ø' => text.push_str("oe"),
            'ü' | 'Ü' => text.push_str("ue"),
            'å' | 'Å' => text.push_str("aa"),
            other => text.push(other),
        }
    }
    text
}

fn is_capitalised(word: &str) -> bool {
    // `al-Rashid`, `d'Angelo`: the small part is joined to the name.
    if let Some((small, name)) = word.split_once(is_joint)
        && (PARTICLES.contains(&small) || matches!(small, "d" | "l"))
    {
        return is_capitalised(name);
    }
    let mut characters = word.chars();
    characters.next().is_some_and(char::is_uppercase)
        && characters.clone().next().is_some()
        && characters.all(|character| character.is_alphabetic() || character == '.' || is_joint(character))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn redaction() -> Redaction {
        let corpus = r#"[{"FILE": "a", "text": "Interviewer: Who are you?\nSøren: I am Søren Kjærgaard, and this is Birgit.\nBirgit: Yes."}]"#;
        Redaction::new(&Corpus::read(corpus.as_bytes(), "corpus.json").unwrap())
    }

    #[test]
    fn names_become_positions() {
        assert_eq!(
            redaction().names("With Søren Kjærgaard, not Søren's."),
            "With [name 5-10] [name 11-20], not [name 26-31]'s."
        );
        assert_eq!(redaction().names("Interviewer: nobody"), "Interviewer: nobody");
        assert_eq!(redaction().text(&"x".repeat(61)), "[passage of 61 characters]");
    }

    #[test]
    fn names_are_known_however_they_are_written() {
        let corpus = r#"[{"FILE": "a", "NAME": "maria van Müller", "text": "Anne-Marie: I am Anne-Marie O'Brien.\nSØREN: Yes.\nWill: I will."}]"#;
        let redaction = Redaction::new(&Corpus::read(corpus.as_bytes(), "corpus.json").unwrap());
        for text in [
            "Anne-Marie",
            "anne-marie",
            "Annemarie",
            "ANNE‑MARIE",
            "Anne",
            "marie",
            "O'Brien",
            "O’Brien",
            "o'brien",
            "OBrien",
            "Brien",
            "Maria",
            "maria",
            "MARIA",
            "Müller",
            "Muller",
            "Mueller",
            "MÜLLER",
            "Mu\u{308}ller",
            "Søren",
            "soren",
            "SØREN",
            "Soeren",
            "Will",
        ] {
            let end = text.chars().count();
            assert_eq!(redaction.names(text), format!("[name 0-{end}]"), "{text}");
            for possessive in ["'s", "’s"] {
                let whole = format!("see {text}{possessive} view");
                assert_eq!(redaction.names(&whole), format!("see [name 4-{}]{possessive} view", 4 + end), "{whole}");
            }
        }
        for text in ["I will marinate it", "annexe", "he's there", "O", "Marian's", ""] {
            assert_eq!(redaction.names(text), text);
        }
        assert_eq!(redaction.names("Anne-Marie O'Brien's"), "[name 0-10] [name 11-18]'s");
    }

    #[test]
    fn names_without_capitals_with_particles_and_from_introductions_are_known() {
        let corpus = r#"[{"FILE": "a", "text": "interviewer: Who are you?\nfatima: my name is fatima, Fatima al-Rashid.\nfatima: Yes. Mr van der Berg taught me.\nPiet van Dijk: I knew Rashid's father, Jan de Vries.\nnote: short\nnote: long"}]"#;
        let redaction = Redaction::new(&Corpus::read(corpus.as_bytes(), "corpus.json").unwrap());
        for name in ["fatima", "Fatima", "al-Rashid", "Rashid", "rashid", "Berg", "Piet", "Dijk"] {
            let hidden = redaction.names(&format!("see {name} there"));
            assert!(!hidden.contains(name), "{name}: {hidden}");
        }
        assert_eq!(
            redaction.names("the man of the van, and the van der walls"),
            "the man of the van, and the van der walls"
        );
    }

    #[test]
    fn keys_and_scores_stay() {
        let mut value = json!({"source": "Birgit.txt", "answer": "Birgit", "score": 0.5,
            "citations": [{"quote": "a quotation that is long enough to give away who it was that spoke here"}]});
        redaction().json(&mut value);
        assert_eq!(value["source"], "Birgit.txt");
        assert_eq!(value["answer"], "[name 0-6]");
        assert_eq!(value["citations"][0]["quote"], "[passage of 71 characters]");
    }
}
