//! [`Template`]: a prompt as a file: what the judge is told, and where what it is told about goes.
//!
//! Two parts, headed `[system]` and `[user]`, each on a line of its own. `{{name}}` is replaced; names in what is put in are
//! not looked at again.

use probare_core::{BuildError, Message};

use super::wrong;

/// A piece of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text as it stands there.
    Text(String),
    /// `{{name}}`, to be replaced.
    Name(String),
}

/// A prompt with places to fill.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    system: Vec<Piece>,
    user: Vec<Piece>,
}

impl Template {
    /// Reads a template that may use `names`, and must use `data`.
    pub fn new(text: &str, names: &[&str]) -> Result<Self, BuildError> {
        let heading = "`prompt` has two parts, headed `[system]` and `[user]`, each on a line of its own";
        let body = text.trim_start().strip_prefix("[system]").ok_or_else(|| wrong(heading))?;
        let (system, user) = body.split_once("\n[user]").ok_or_else(|| wrong(heading))?;
        let template = Self { system: known_pieces(system.trim(), names)?, user: known_pieces(user.trim(), names)? };
        let has_data = template
            .system
            .iter()
            .chain(&template.user)
            .any(|piece| matches!(piece, Piece::Name(name) if name == "data"));
        if !has_data {
            return Err(wrong("`prompt` does not say where the texts to judge go; put `{{data}}` there"));
        }
        Ok(template)
    }

    /// The messages, with these values.
    pub fn messages(&self, values: &[(&str, &str)]) -> Vec<Message> {
        let fill = |pieces: &[Piece]| {
            let mut text = String::new();
            for piece in pieces {
                match piece {
                    Piece::Text(own) => text.push_str(own),
                    Piece::Name(name) => {
                        text.push_str(values.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value));
                    }
                }
            }
            text
        };
        vec![Message::system(fill(&self.system)), Message::user(fill(&self.user))]
    }
}

/// The pieces of a prompt that may use `names`.
fn known_pieces(text: &str, names: &[&str]) -> Result<Vec<Piece>, BuildError> {
    let pieces = pieces(text)?;
    for piece in &pieces {
        if let Piece::Name(name) = piece
            && !names.contains(&name.as_str())
        {
            let known: Vec<String> = names.iter().map(|name| format!("`{{{{{name}}}}}`")).collect();
            return Err(wrong(format!("`prompt` holds `{{{{{name}}}}}`; known are {}", known.join(", "))));
        }
    }
    Ok(pieces)
}

/// The pieces of a prompt, whatever names it uses.
pub fn pieces(text: &str) -> Result<Vec<Piece>, BuildError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, remaining) = after.split_once("}}").ok_or_else(|| wrong("`prompt` holds `{{` without its `}}`"))?;
        pieces.push(Piece::Text(before.to_owned()));
        pieces.push(Piece::Name(name.trim().to_owned()));
        rest = remaining;
    }
    pieces.push(Piece::Text(rest.to_owned()));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_in_once() {
        let template = Template::new("[system]\nBe {{form}}.\n[user]\n{{data}}!", &["form", "data"]).unwrap();
        let messages = template.messages(&[("form", "brief"), ("data", "{{form}} [user]")]);
        assert_eq!(messages, [Message::system("Be brief."), Message::user("{{form}} [user]!")]);
    }

    #[test]
    fn what_is_wrong_with_a_template_is_told() {
        for (text, part) in [
            ("Be kind.", "two parts"),
            ("[system]\nx\n[user]\ny", "{{data}}"),
            ("[system]\n{{levls}}\n[user]\n{{data}}", "known are `{{data}}`, `{{levels}}`"),
            ("[system]\n{{data\n[user]\nx", "without its"),
        ] {
            let error = Template::new(text, &["data", "levels"]).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
