//! [`Redaction`]: reports without the names of people and without long passages.
//!
//! Names are those of speakers (`Søren:` at the start of a line) with the words that follow them as family names, and
//! what the records give as NAME. Each occurrence becomes its position in its text, `[name 12-17]`; a passage longer
//! than a short phrase becomes `[passage of 131 characters]`, or its position where a check knows it. Scores, statuses and
//! positions stay: whoever has the transcripts can look every one of them up.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::input::Corpus;

/// Characters up to which a text is no passage.
const PHRASE: usize = 60;

/// Fields whose texts are passages of a transcript.
const PASSAGES: [&str; 4] = ["page_content", "text", "quote", "difference"];

/// What is to be hidden.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Redaction {
    names: BTreeSet<String>,
}

impl Redaction {
    /// The names in a corpus.
    pub fn new(corpus: &Corpus) -> Self {
        let mut names = BTreeSet::new();
        for transcript in corpus.transcripts() {
            let speakers: BTreeSet<&str> = transcript.text.lines().filter_map(speaker).collect();
            for speaker in speakers {
                add_with_followers(speaker, &transcript.text, &mut names);
            }
            if let Some(Json::String(name)) = transcript.metadata.get("NAME") {
                names.extend(name.split_whitespace().filter(|word| is_capitalised(word)).map(str::to_owned));
            }
        }
        for role in ["Interviewer", "Respondent", "The", "Moderator", "Translator"] {
            names.remove(role);
        }
        Self { names }
    }

    /// A text with its names hidden, and nothing but its length where it is long.
    pub fn text(&self, text: &str) -> String {
        let length = text.chars().count();
        if length > PHRASE { format!("[passage of {length} characters]") } else { self.names(text) }
    }

    /// A text with its names hidden.
    pub fn names(&self, text: &str) -> String {
        let mut hidden = String::with_capacity(text.len());
        let mut at = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let is_word = rest.starts_with(char::is_alphanumeric);
            let end = rest
                .char_indices()
                .find(|(_, character)| character.is_alphanumeric() != is_word)
                .map_or(rest.len(), |(end, _)| end);
            let (piece, after) = rest.split_at(end);
            let length = piece.chars().count();
            if self.names.contains(piece) {
                hidden.push_str(&format!("[name {at}-{}]", at + length));
            } else {
                hidden.push_str(piece);
            }
            at += length;
            rest = after;
        }
        hidden
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

/// The name before a colon at the start of a line.
fn speaker(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(':')?;
    let is_name = name.chars().count() <= 40
        && name.split_whitespace().count() <= 3
        && name.split_whitespace().all(is_capitalised);
    is_name.then_some(name.trim()).filter(|name| !name.is_empty())
}

/// Adds the words of a name, and capitalised words that follow it in the text.
fn add_with_followers(name: &str, text: &str, names: &mut BTreeSet<String>) {
    names.extend(name.split_whitespace().map(str::to_owned));
    for (at, _) in text.match_indices(name) {
        let rest = &text[at + name.len()..];
        for word in rest.split(' ').skip(1).take(2) {
            let plain = word.trim_end_matches(|character: char| !character.is_alphanumeric());
            if !rest.starts_with(' ') || !is_capitalised(plain) {
                break;
            }
            names.insert(plain.to_owned());
            if plain.len() < word.len() {
                break;
            }
        }
    }
}

fn is_capitalised(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(char::is_uppercase)
        && characters.clone().next().is_some()
        && characters.all(|character| character.is_alphabetic() || matches!(character, '-' | '\'' | '’' | '.'))
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
    fn keys_and_scores_stay() {
        let mut value = json!({"source": "Birgit.txt", "answer": "Birgit", "score": 0.5,
            "citations": [{"quote": "a quotation that is long enough to give away who it was that spoke here"}]});
        redaction().json(&mut value);
        assert_eq!(value["source"], "Birgit.txt");
        assert_eq!(value["answer"], "[name 0-6]");
        assert_eq!(value["citations"][0]["quote"], "[passage of 71 characters]");
    }
}
