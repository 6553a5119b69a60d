//! Cuts text into words as the English Web Treebank does.
//!
//! Contractions, possessives and hyphenated compounds come apart (`do` `n't`, `Kim` `'s`, `state` `-` `owned`), currency
//! signs, percent signs and units leave their number, abbreviations keep their full stop, and addresses stay whole.
//! Every character that is not white space ends up in exactly one token.

use probare_cancellation::count_steps;

use crate::Span;
use crate::closed_lists::{
    ABBREVIATIONS, AFFIXES, CURRENCY_PREFIXES, ELISIONS, EMOTICONS, FUSED_WORDS, UNITS, is_listed,
};

/// The spans of all tokens, in order.
pub(crate) fn tokens(text: &str) -> Vec<Span> {
    let mut tokens = Vec::with_capacity(text.len() / 5 + 1);
    let mut tokenizer = Tokenizer { text, tokens: &mut tokens, open_single_quote: false };
    let mut start = None;
    for (position, character) in text.char_indices() {
        if is_space(character) {
            if let Some(start) = start.take() {
                tokenizer.chunk(start, position);
            }
        } else {
            start.get_or_insert(position);
        }
    }
    if let Some(start) = start {
        tokenizer.chunk(start, text.len());
    }
    tokens
}

/// White space, and the invisible characters that are used like it.
pub(crate) fn is_space(character: char) -> bool {
    character.is_whitespace() || character.is_control() || matches!(character, '\u{200B}' | '\u{FEFF}' | '\u{2060}')
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '’' | '`' | 'ʼ')
}

/// Letters and digits, with the accents that may follow them as characters of their own.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || is_mark(character)
}

/// Characters that belong to the one before: accents, variation selectors, skin tones, joiners.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36F}' | '\u{FE00}'..='\u{FE0F}' | '\u{200D}' | '\u{1F3FB}'..='\u{1F3FF}')
}

struct Tokenizer<'t, 'o> {
    text: &'t str,
    tokens: &'o mut Vec<Span>,
    /// A single quotation mark was opened, so the next `s'` may be its end and not a plural possessive.
    open_single_quote: bool,
}

impl Tokenizer<'_, '_> {
    fn push(&mut self, start: usize, end: usize) {
        if start < end {
            self.tokens.push(start..end);
        }
    }

    /// The character that begins at a byte.
    fn char_at(&self, position: usize) -> Option<char> {
        self.text.get(position..)?.chars().next()
    }

    /// The character that ends at a byte.
    fn char_before(&self, position: usize) -> Option<char> {
        self.text.get(..position)?.chars().next_back()
    }

    /// One stretch without white space.
    fn chunk(&mut self, start: usize, end: usize) {
        if let Some((address_start, address_end)) = address(&self.text[start..end]) {
            self.pieces(start, start + address_start);
            self.push(start + address_start, start + address_end);
            self.pieces(start + address_end, end);
        } else {
            self.pieces(start, end);
        }
    }

    fn pieces(&mut self, start: usize, end: usize) {
        let mut position = start;
        while position < end {
            count_steps(1);
            let piece_end = self.piece(position, end).clamp(position + 1, end);
            debug_assert!(self.text.is_char_boundary(piece_end), "pieces end between characters");
            position = piece_end;
        }
    }

    /// Takes the tokens at the beginning of a stretch and returns where they end.
    fn piece(&mut self, start: usize, end: usize) -> usize {
        let rest = &self.text[start..end];
        let Some(first) = rest.chars().next() else { return end };
        if let Some(length) = emoticon(rest) {
            self.push(start, start + length);
            return start + length;
        }
        if is_word(first) {
            return self.word(start, end);
        }
        let after_first = start + first.len_utf8();
        let second = if after_first < end { self.char_at(after_first) } else { None };
        if is_apostrophe(first) {
            return self.apostrophe(start, end, second);
        }
        if first == '+' && second.is_some_and(|character| character.is_ascii_digit()) {
            return self.word_from(start, after_first, end);
        }
        if first == '.' && second.is_some_and(char::is_alphanumeric) && self.begins_stretch(start) {
            // ".doc", ".5"
            return self.word_from(start, after_first, end);
        }
        let length = run_length(rest, first);
        self.push(start, start + length);
        start + length
    }

    fn begins_stretch(&self, position: usize) -> bool {
        self.char_before(position).is_none_or(|character| is_space(character) || "([\"'“‘".contains(character))
    }

    fn apostrophe(&mut self, start: usize, end: usize, second: Option<char>) -> usize {
        let first = self.char_at(start).map_or(1, char::len_utf8);
        if second.is_some_and(is_apostrophe) {
            let length = first + second.map_or(0, char::len_utf8);
            self.push(start, start + length);
            return start + length;
        }
        let word_end = self.extent(start + first, end);
        let word = &self.text[start + first..word_end];
        let begins = self.begins_stretch(start);
        // '72, '90s; 'em, 'til; a clitic that stands alone: 's, 'll.
        let is_year = word.chars().next().is_some_and(|character| character.is_ascii_digit());
        let is_clitic = is_listed(&["s", "m", "d", "ll", "re", "ve", "t"], word);
        if (begins && is_year && word.len() <= 3) || is_listed(ELISIONS, word) || is_clitic {
            self.push(start, word_end);
            return word_end;
        }
        self.open_single_quote = begins;
        self.push(start, start + first);
        start + first
    }

    /// Where the word that begins here ends, joiners inside it included.
    fn extent(&self, start: usize, end: usize) -> usize {
        let mut position = start;
        let mut number = None;
        while position < end {
            count_steps(1);
            let Some(character) = self.char_at(position) else { break };
            let next = position + character.len_utf8();
            if is_word(character) {
                position = next;
                continue;
            }
            let following = if next < end { self.char_at(next) } else { None };
            let Some(following) = following.filter(|character| character.is_alphanumeric()) else { break };
            let previous = if position > start { self.char_before(position) } else { None };
            let Some(previous) = previous else { break };
            let is_joined = if character == '-' {
                let number = number.get_or_insert_with(|| HyphenatedNumber::new(&self.text[start..end]));
                number.hyphen_joins(position - start).unwrap_or_else(|| is_listed(AFFIXES, &self.text[start..position]))
            } else {
                self.joins(start, position, end, previous, character, following)
            };
            if !is_joined {
                break;
            }
            position = next;
        }
        position
    }

    /// Whether a mark between two characters belongs to the word. A hyphen stays inside after an affix ("e-mail",
    /// "pre-war") and in [some numbers](HyphenatedNumber).
    fn joins(&self, start: usize, at: usize, end: usize, previous: char, mark: char, following: char) -> bool {
        let digits = previous.is_ascii_digit() && following.is_ascii_digit();
        match mark {
            // A full stop without a space: "3.5", "U.S", "file.doc", but not "end.Next".
            '.' => {
                let part = &self.text[start..at];
                let length = part.rsplit('.').next().map_or(0, |last| last.chars().count());
                digits || length < 3 || !(previous.is_lowercase() && following.is_uppercase())
            }
            ',' => {
                let after = &self.text[at + 1..end];
                let group = after.bytes().take_while(u8::is_ascii_digit).count();
                digits && group == 3
            }
            ':' | '/' => digits,
            '&' => previous.is_alphabetic() && following.is_alphabetic() && self.text[start..at].chars().count() <= 3,
            _ if is_apostrophe(mark) => following.is_alphabetic(),
            _ => false,
        }
    }

    fn word(&mut self, start: usize, end: usize) -> usize {
        self.word_from(start, start, end)
    }

    /// A word whose letters begin at `letters`, after a mark that belongs to it.
    fn word_from(&mut self, start: usize, letters: usize, end: usize) -> usize {
        let mut word_end = self.extent(letters, end);
        let word = &self.text[start..word_end];
        match self.char_at(word_end).filter(|_| word_end < end) {
            Some('.') if self.keeps_full_stop(start, word_end, end) => word_end += 1,
            Some('$') if is_listed(CURRENCY_PREFIXES, word) => word_end += 1,
            Some(mark) if is_apostrophe(mark) => {
                let after = word_end + mark.len_utf8();
                let ends = after >= end || !self.char_at(after).is_some_and(is_word);
                if ends && (word.ends_with('s') || word.ends_with('S')) && !self.open_single_quote {
                    // The plural possessive: "parents'".
                    self.split_word(start, word_end);
                    self.push(word_end, after);
                    return after;
                }
            }
            _ => {}
        }
        self.split_word(start, word_end);
        word_end
    }

    /// Whether the full stop after a word is part of it.
    fn keeps_full_stop(&self, start: usize, word_end: usize, end: usize) -> bool {
        let word = &self.text[start..word_end];
        let after = word_end + 1;
        if self.char_at(after).filter(|_| after < end) == Some('.') {
            return false;
        }
        let is_letters_with_stops =
            word.contains('.') && word.split('.').all(|part| part.chars().count() == 1 && is_letter(part));
        if is_letters_with_stops || is_listed(ABBREVIATIONS, word) {
            return true;
        }
        // An initial, if a name follows on the same line.
        let mut characters = word.chars();
        let single = characters.next().filter(|character| character.is_uppercase() && characters.next().is_none());
        if single.is_none_or(|letter| letter == 'I') || after != end {
            return false;
        }
        let rest = &self.text[after..];
        let gap = rest.len() - rest.trim_start_matches([' ', '\t', '\u{A0}']).len();
        gap > 0 && rest[gap..].chars().next().is_some_and(char::is_uppercase)
    }

    /// Contractions, possessives, fused words and units.
    fn split_word(&mut self, start: usize, end: usize) {
        let mut cuts = vec![end];
        let mut rest = &self.text[start..end];
        while let Some(cut) = contraction(rest).or_else(|| fused(rest)).or_else(|| unit(rest)) {
            count_steps(1);
            rest = &rest[..cut];
            cuts.push(start + cut);
        }
        let mut from = start;
        for to in cuts.into_iter().rev() {
            self.push(from, to);
            from = to;
        }
    }
}

/// The digits and hyphens at the beginning of a word: a hyphen among them stays inside in telephone numbers and dates.
struct HyphenatedNumber {
    length: usize,
    joins: bool,
}

impl HyphenatedNumber {
    fn new(stretch: &str) -> Self {
        let length = stretch.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'-').count();
        count_steps(length / 16);
        let mut groups = stretch[..length].trim_end_matches('-').split('-').map(str::len);
        let first = [groups.next(), groups.next(), groups.next()];
        let joins = first[2].is_some() || matches!(first, [Some(3 | 5), Some(4), None]);
        Self { length, joins }
    }

    /// Whether the hyphen at this place stays inside; nothing where it stands behind something else.
    fn hyphen_joins(&self, at: usize) -> Option<bool> {
        (at < self.length).then_some(self.joins)
    }
}

fn is_letter(part: &str) -> bool {
    part.chars().all(char::is_alphabetic)
}

/// Where the clitic of a contraction begins: `n't`, `'s`, `'ll` …
fn contraction(word: &str) -> Option<usize> {
    let (at, mark) = word.char_indices().rev().find(|(_, character)| is_apostrophe(*character))?;
    if at == 0 {
        return None;
    }
    let clitic = &word[at + mark.len_utf8()..];
    if clitic.eq_ignore_ascii_case("t") {
        let before = word[..at].char_indices().next_back()?;
        return (before.1.eq_ignore_ascii_case(&'n') && before.0 > 0).then_some(before.0);
    }
    is_listed(&["s", "m", "d", "ll", "re", "ve"], clitic).then_some(at)
}

/// Where the second half of a word such as `cannot` or `gonna` begins.
fn fused(word: &str) -> Option<usize> {
    FUSED_WORDS.iter().find(|(whole, _)| whole.eq_ignore_ascii_case(word)).map(|(_, cut)| *cut)
}

/// Where the unit begins that is written to a number without a space: `5pm`, `48M`, `3.5km`.
fn unit(word: &str) -> Option<usize> {
    let cut = word.find(char::is_alphabetic)?;
    let (number, letters) = word.split_at(cut);
    let is_number = number.starts_with(|character: char| character.is_ascii_digit())
        && number.chars().all(|character| character.is_ascii_digit() || ".,:".contains(character));
    (is_number && is_listed(UNITS, letters)).then_some(cut)
}

/// The length of the emoticon at the beginning, if it stands alone.
fn emoticon(rest: &str) -> Option<usize> {
    let known = EMOTICONS.iter().filter(|known| rest.starts_with(**known)).max_by_key(|known| known.len())?;
    let after = rest[known.len()..].chars().next();
    after.is_none_or(|character| !is_word(character)).then_some(known.len())
}

/// The length of a mark: repeated ones (`...`, `--`, `!?!`) and what modifies it belong together.
fn run_length(rest: &str, first: char) -> usize {
    let continues = |character: char| match first {
        '!' | '?' => matches!(character, '!' | '?'),
        '.' | '-' | '*' | '=' | '~' | '<' | '>' | '+' | '|' | '#' | '…' => character == first,
        _ => false,
    };
    let mut length = first.len_utf8();
    let mut joined = false;
    for character in rest[length..].chars() {
        if !continues(character) && !is_mark(character) && !joined {
            break;
        }
        // A joiner takes the next character with it: families and flags of emoji.
        joined = character == '\u{200D}';
        length += character.len_utf8();
    }
    length
}

/// The part of a stretch that is an address of the web or of a mailbox, without the punctuation around it.
fn address(chunk: &str) -> Option<(usize, usize)> {
    let inner = chunk.trim_start_matches(['(', '[', '<', '{', '"', '\'', '“', '‘']);
    let start = chunk.len() - inner.len();
    let inner = inner.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '>', '}', '"', '\'', '”', '’', '*']);
    let is_web = inner.contains("://") || inner.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("www."));
    let is_mail = inner.split_once('@').is_some_and(|(name, host)| {
        let is_plain = |character: char| character.is_alphanumeric() || "._-+%".contains(character);
        !name.is_empty() && host.contains('.') && name.chars().all(is_plain) && host.chars().all(is_plain)
    });
    (is_web || is_mail).then_some((start, start + inner.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forms(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|span| &text[span]).collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(forms(text).join(" "), expected);
    }

    #[test]
    fn contractions_come_apart() {
        check("I don't, can't and won’t.", "I do n't , ca n't and wo n’t .");
        check("Kim's dogs' owner hasn't said she'll go", "Kim 's dogs ' owner has n't said she 'll go");
        check("We cannot; gonna try", "We can not ; gon na try");
        check("I'd've gone", "I 'd 've gone");
    }

    #[test]
    fn numbers_leave_their_signs_and_units() {
        check("It cost $48M, 20% of US$1,250.50.", "It cost $ 48 M , 20 % of US$ 1,250.50 .");
        check("at 5:45pm on 11/28/2000", "at 5:45 pm on 11/28/2000");
        check("the 1990s, the 21st, '72 and +44", "the 1990s , the 21st , '72 and +44");
        check("€300k (approx. 3.5km)", "€ 300 k ( approx. 3.5 km )");
    }

    #[test]
    fn hyphens_split_except_after_affixes_and_in_telephone_numbers() {
        check("state-owned e-mail, pre-war", "state - owned e-mail , pre-war");
        check("call 713-853-3989 or 345-9945, pages 5-10", "call 713-853-3989 or 345-9945 , pages 5 - 10");
    }

    #[test]
    fn abbreviations_keep_their_full_stop() {
        check(
            "Mr. J. Smith of the U.S. met Dr. Who, e.g. at 5 p.m.",
            "Mr. J. Smith of the U.S. met Dr. Who , e.g. at 5 p.m.",
        );
        check("This is plan B. It works.", "This is plan B. It works .");
        check("Sentence one.Sentence two.", "Sentence one . Sentence two .");
    }

    #[test]
    fn addresses_stay_whole() {
        check(
            "See (http://a.org/b?c=d), www.x.com or me@b-c.org.",
            "See ( http://a.org/b?c=d ) , www.x.com or me@b-c.org .",
        );
    }

    #[test]
    fn marks_and_faces() {
        check("Wait... what?! :) -- \"yes\"", "Wait ... what ?! :) -- \" yes \"");
        check("'Stop' he said", "' Stop ' he said");
        check("👩‍👩‍👧 ok ❤️!", "👩‍👩‍👧 ok ❤️ !");
    }

    #[test]
    fn nothing_but_white_space_is_lost() {
        let text = "a''b ''' `` x’’ -.5 $$ 1,2,3 a.b.c. \u{200B}né\u{301}e…";
        let joined: String = forms(text).concat();
        let expected: String = text.chars().filter(|character| !is_space(*character)).collect();
        assert_eq!(joined, expected);
    }
}
