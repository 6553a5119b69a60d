//! Letters that are written in more than one way.

use probare_text::number_words::canonical;

/// The canonical form of a text whose marked letters are written out with two: å as aa, ø as oe, ü as ue. Nothing where
/// that changes nothing.
pub(super) fn expand_letters(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut spelled = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            'å' | 'Å' => spelled.push_str("aa"),
            'ø' | 'Ø' | 'ö' | 'Ö' | 'œ' | 'Œ' => spelled.push_str("oe"),
            'ä' | 'Ä' | 'æ' | 'Æ' => spelled.push_str("ae"),
            'ü' | 'Ü' => spelled.push_str("ue"),
            'ð' | 'Ð' | 'þ' | 'Þ' => spelled.push_str("th"),
            other => spelled.push(other),
        }
    }
    let form = canonical(&spelled);
    (form != canonical(text)).then_some(form)
}

/// A form without its spaces, by which `co-operation` and `cooperation` meet. Nothing for forms too short to tell apart.
pub(super) fn without_spaces(form: &str) -> Option<String> {
    let joined: String = form.chars().filter(|character| *character != ' ').collect();
    (joined.chars().count() >= 6).then_some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_letters_have_two_spellings() {
        assert_eq!(expand_letters("Århus").as_deref(), Some("aarhus"));
        assert_eq!(expand_letters("Köln").as_deref(), Some("koeln"));
        assert_eq!(expand_letters("Straße"), None, "ss in both");
        assert_eq!(expand_letters("Odense"), None);
        assert_eq!(without_spaces("co operation").as_deref(), Some("cooperation"));
        assert_eq!(without_spaces("a b"), None);
    }
}
