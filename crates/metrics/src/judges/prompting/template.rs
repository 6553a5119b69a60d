//! [`PromptTemplate`]: a prompt as a file: what the judge is told, and where what it is told about goes.
//!
//! Two parts, headed `[system]` and `[user]`, each on a line of its own. `{{name}}` is replaced; names in what is put in are
//! not looked at again.

use probare_core::{BuildError, Message};

use super::option_error;

/// A piece of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePiece {
    /// Text as it stands there.
    Text(String),
    /// `{{name}}`, to be replaced.
    Name(String),
}

/// A prompt with places to fill.
#[derive(Debug, Clone)]
pub struct PromptTemplate {
    /// Nothing where all of it is said by the user.
    system: Option<Vec<TemplatePiece>>,
    user: Vec<TemplatePiece>,
}

/// The places of a published prompt, each for one text as it stands, in place of `{{data}}`, where all are quoted line by line.
#[derive(Debug, Clone, Copy)]
pub struct TextPlaces<'a> {
    /// Their names.
    pub known: &'a [&'a str],
    /// Those without which the judge would not see what it judges.
    pub needed: &'a [&'a str],
}

impl PromptTemplate {
    /// Reads a template that may use `names`, and must use `data`.
    pub fn new(text: &str, names: &[&str]) -> Result<Self, BuildError> {
        let heading = "`prompt` has two parts, headed `[system]` and `[user]`, each on a line of its own";
        let body = text.trim_start().strip_prefix("[system]").ok_or_else(|| option_error(heading))?;
        let (system, user) = body.split_once("\n[user]").ok_or_else(|| option_error(heading))?;
        let template =
            Self { system: Some(known_pieces(system.trim(), names)?), user: known_pieces(user.trim(), names)? };
        if !template.uses("data") {
            return Err(option_error("`prompt` does not say where the texts to judge go; put `{{data}}` there"));
        }
        Ok(template)
    }

    /// Reads a template that may also be one message of the user, and may put each text where it wants it.
    pub fn with_places(text: &str, names: &[&str], places: TextPlaces<'_>) -> Result<Self, BuildError> {
        let known = [names, places.known].concat();
        if let Some(body) = text.trim_start().strip_prefix("[system]") {
            let heading = "a prompt that begins with `[system]` goes on with `[user]` on a line of its own";
            let (system, user) = body.split_once("\n[user]").ok_or_else(|| option_error(heading))?;
            // Blank lines of a published text are part of it; the line breaks of the headings and of the file are not.
            let inside = |part: &str| part.strip_prefix('\n').unwrap_or(part).to_owned();
            let (system, user) = (inside(system), inside(user));
            let (system, user) =
                (known_pieces(&system, &known)?, known_pieces(without_last_line_break(&user), &known)?);
            return Self { system: Some(system), user }.checked(places);
        }
        Self { system: None, user: known_pieces(without_last_line_break(text), &known)? }.checked(places)
    }

    /// An error where something is missing that the judge has to see.
    fn checked(self, places: TextPlaces<'_>) -> Result<Self, BuildError> {
        match places.needed.iter().find(|name| !self.uses(name)) {
            Some(name) if !self.uses("data") => Err(option_error(format!(
                "the prompt does not say where the texts to judge go; put `{{{{{name}}}}}` there, or `{{{{data}}}}` for all of them"
            ))),
            _ => Ok(self),
        }
    }

    fn uses(&self, placeholder: &str) -> bool {
        let pieces = self.system.iter().flatten().chain(&self.user);
        pieces.into_iter().any(|piece| matches!(piece, TemplatePiece::Name(name) if name == placeholder))
    }

    /// The messages, with these values.
    pub fn messages(&self, values: &[(&str, &str)]) -> Vec<Message> {
        let fill = |pieces: &[TemplatePiece]| {
            let mut text = String::new();
            for piece in pieces {
                match piece {
                    TemplatePiece::Text(own) => text.push_str(own),
                    TemplatePiece::Name(name) => {
                        text.push_str(values.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value));
                    }
                }
            }
            text
        };
        let system = self.system.as_ref().map(|pieces| Message::system(fill(pieces)));
        system.into_iter().chain([Message::user(fill(&self.user))]).collect()
    }
}

/// A text without the line break that ends its file.
fn without_last_line_break(text: &str) -> &str {
    text.strip_suffix('\n').unwrap_or(text)
}

/// The pieces of a prompt that may use `names`.
fn known_pieces(text: &str, names: &[&str]) -> Result<Vec<TemplatePiece>, BuildError> {
    let pieces = template_pieces(text)?;
    for piece in &pieces {
        if let TemplatePiece::Name(name) = piece
            && !names.contains(&name.as_str())
        {
            let known: Vec<String> = names.iter().map(|name| format!("`{{{{{name}}}}}`")).collect();
            return Err(option_error(format!("`prompt` holds `{{{{{name}}}}}`; known are {}", known.join(", "))));
        }
    }
    Ok(pieces)
}

/// The pieces of a prompt, whatever names it uses.
pub fn template_pieces(text: &str) -> Result<Vec<TemplatePiece>, BuildError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, remaining) =
            after.split_once("}}").ok_or_else(|| option_error("`prompt` holds `{{` without its `}}`"))?;
        pieces.push(TemplatePiece::Text(before.to_owned()));
        pieces.push(TemplatePiece::Name(name.trim().to_owned()));
        rest = remaining;
    }
    pieces.push(TemplatePiece::Text(rest.to_owned()));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_in_once() {
        let template = PromptTemplate::new("[system]\nBe {{form}}.\n[user]\n{{data}}!", &["form", "data"]).unwrap();
        let messages = template.messages(&[("form", "brief"), ("data", "{{form}} [user]")]);
        assert_eq!(messages, [Message::system("Be brief."), Message::user("{{form}} [user]!")]);
    }

    #[test]
    fn a_published_prompt_is_one_message_with_a_place_for_each_text() {
        let places = TextPlaces { known: &["question", "solution"], needed: &["solution"] };
        let read = |text: &str| PromptTemplate::with_places(text, &["form", "data"], places);
        let values = [("question", "Q {{solution}}"), ("solution", "S"), ("data", "D"), ("form", "F")];
        let messages = read("Judge.\n{{ question }}\n{{solution}}\n").unwrap().messages(&values);
        assert_eq!(messages, [Message::user("Judge.\nQ {{solution}}\nS")]);
        let messages = read("[system]\n{{form}}\n[user]\n{{data}}\n").unwrap().messages(&values);
        assert_eq!(messages, [Message::system("F"), Message::user("D")]);
        let messages = read("[system]\n\n{{form}}\n\n[user]\n\n{{solution}}\n\n").unwrap().messages(&values);
        assert_eq!(messages, [Message::system("\nF\n"), Message::user("\nS\n")], "blank lines are part of it");
        for (text, part) in [
            ("Judge {{question}}.", "put `{{solution}}` there"),
            ("{{solution}} {{answer}}", "known are `{{form}}`, `{{data}}`, `{{question}}`, `{{solution}}`"),
            ("[system]\n{{solution}}", "goes on with `[user]`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_template_is_told() {
        for (text, part) in [
            ("Be kind.", "two parts"),
            ("[system]\nx\n[user]\ny", "{{data}}"),
            ("[system]\n{{levls}}\n[user]\n{{data}}", "known are `{{data}}`, `{{levels}}`"),
            ("[system]\n{{data\n[user]\nx", "without its"),
        ] {
            let error = PromptTemplate::new(text, &["data", "levels"]).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
