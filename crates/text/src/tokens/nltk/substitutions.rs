//! The rewriting rules of NLTK's word tokenizer, applied in its order to a few words with punctuation.
//!
//! Every rule inserts spaces or rewrites double quotes, so a word ends up as a piece of the text or as a pair of quotes.

use std::ops::Range;

use crate::python;
use crate::tokens::rewrite_buffer::{Glyph, RewriteBuffer, pad, starts_with};

/// A token of the word tokenizer.
pub(super) enum TreebankToken {
    /// A piece of the text.
    Piece(Range<usize>),
    /// Quotes at these bytes that became two back-ticks.
    OpeningQuotes(Range<usize>),
    /// Quotes at these bytes that became two apostrophes.
    ClosingQuotes(Range<usize>),
}

/// The rules, with buffers that are kept from one use to the next.
#[derive(Default)]
pub(super) struct Substitutions {
    rewriting: RewriteBuffer,
}

/// A word that is cut in two: its halves, and whether white space has to follow.
type Contraction = (&'static str, &'static str, bool);

const CONTRACTIONS: [Contraction; 8] = [
    ("can", "not", false),
    ("d", "'ye", false),
    ("gim", "me", false),
    ("gon", "na", false),
    ("got", "ta", false),
    ("lem", "me", false),
    ("more", "'n", false),
    ("wan", "na", true),
];

impl Substitutions {
    /// Cuts the bytes `region` of `text`, which start and end at white space or at an end of `sentence`.
    pub(super) fn cut(
        &mut self,
        text: &str,
        sentence: &Range<usize>,
        region: Range<usize>,
        words: &mut Vec<TreebankToken>,
    ) {
        // The white space around belongs to the context of the rules, its kind too.
        let before = text[sentence.start..region.start].chars().next_back().map_or(0, char::len_utf8);
        let after = text[region.end..sentence.end].chars().next().map_or(0, char::len_utf8);
        let start = region.start - before;
        self.rewriting.start(text, start..region.end + after);
        self.open_quotes();
        if region.end == sentence.end {
            self.cut_final_full_stop();
        }
        self.cut_commas_and_colons(region.end == sentence.end);
        self.cut_marks();
        self.cut_trailing_apostrophes();
        self.close_quotes();
        self.collapse_space();
        self.cut_clitics();
        self.cut_contractions();
        self.collect(words);
    }

    fn open_quotes(&mut self) {
        if !self.rewriting.contains_any(&['«', '“', '‘', '„', '`', '"', '\'']) {
            return;
        }
        self.rewriting.substitute(|glyphs, at, output| match glyphs[at].character {
            '«' | '“' | '‘' | '„' => pad(&glyphs[at..=at], output),
            '`' => {
                let run = glyphs[at..].iter().take_while(|glyph| glyph.character == '`').count();
                pad(&glyphs[at..at + run], output)
            }
            _ => 0,
        });
        // The context starts with white space unless it starts the sentence.
        if let Some(first) = self.rewriting.glyphs.first().copied().filter(|first| first.character == '"') {
            self.rewriting.glyphs.splice(0..1, quotes('`', first, first));
        }
        self.rewriting.substitute(
            |glyphs, at, output| {
                if starts_with(&glyphs[at..], "``") { pad(&glyphs[at..at + 2], output) } else { 0 }
            },
        );
        self.rewriting.substitute(|glyphs, at, output| {
            if !matches!(glyphs[at].character, ' ' | '(' | '[' | '{' | '<') {
                return 0;
            }
            let length = match &glyphs[at + 1..] {
                rest if starts_with(rest, "\"") => 1,
                rest if starts_with(rest, "''") => 2,
                _ => return 0,
            };
            let pair = quotes('`', glyphs[at + 1], glyphs[at + length]);
            output.extend([glyphs[at], Glyph::SPACE]);
            output.extend(pair);
            output.push(Glyph::SPACE);
            1 + length
        });
        self.rewriting.substitute(|glyphs, at, output| {
            if glyphs[at].character != '\'' || !is_lone_letter(&glyphs[at + 1..]) {
                return 0;
            }
            output.extend([glyphs[at], Glyph::SPACE, glyphs[at + 1]]);
            2
        });
    }

    /// The full stop that ends the sentence, with closing quotes and brackets behind it.
    fn cut_final_full_stop(&mut self) {
        let glyphs = &self.rewriting.glyphs;
        let closing =
            |glyph: &&Glyph| matches!(glyph.character, ']' | ')' | '}' | '>' | '"' | '\'' | '»' | '”' | '’' | ' ');
        let spaces = glyphs.iter().rev().take_while(|glyph| python::is_space(glyph.character)).count();
        let closed = glyphs.len() - spaces;
        let stop = closed - glyphs[..closed].iter().rev().take_while(closing).count();
        if stop < 2 || glyphs[stop - 1].character != '.' || glyphs[stop - 2].character == '.' {
            return;
        }
        self.rewriting.glyphs.push(Glyph::SPACE);
        self.rewriting.glyphs.insert(stop, Glyph::SPACE);
        self.rewriting.glyphs.insert(stop - 1, Glyph::SPACE);
    }

    fn cut_commas_and_colons(&mut self, ends_sentence: bool) {
        if !self.rewriting.contains_any(&[',', ':']) {
            return;
        }
        self.rewriting.substitute(|glyphs, at, output| match (glyphs[at].character, glyphs.get(at + 1)) {
            (',' | ':', Some(&next)) if !python::is_decimal(next.character) => {
                output.extend([Glyph::SPACE, glyphs[at], Glyph::SPACE, next]);
                2
            }
            _ => 0,
        });
        if ends_sentence && self.rewriting.glyphs.last().is_some_and(|glyph| matches!(glyph.character, ',' | ':')) {
            self.rewriting.glyphs.insert(self.rewriting.glyphs.len() - 1, Glyph::SPACE);
        }
    }

    fn cut_marks(&mut self) {
        self.rewriting.substitute(|glyphs, at, output| match glyphs[at].character {
            ';' | '@' | '#' | '$' | '%' | '&' | '?' | '!' => pad(&glyphs[at..=at], output),
            '.' => match glyphs[at..].iter().take_while(|glyph| glyph.character == '.').count() {
                0 | 1 => 0,
                run => pad(&glyphs[at..at + run], output),
            },
            _ => 0,
        });
    }

    fn cut_trailing_apostrophes(&mut self) {
        if !self.rewriting.contains_any(&['\'']) {
            return;
        }
        self.rewriting.substitute(|glyphs, at, output| {
            if glyphs[at].character == '\'' || !starts_with(&glyphs[at + 1..], "' ") {
                return 0;
            }
            output.extend([glyphs[at], Glyph::SPACE, glyphs[at + 1], Glyph::SPACE]);
            3
        });
    }

    /// Asterisks, brackets and double dashes on the way: nothing between them and the closing quotes depends on order.
    fn close_quotes(&mut self) {
        self.rewriting.substitute(|glyphs, at, output| match glyphs[at].character {
            '*' | '[' | ']' | '(' | ')' | '{' | '}' | '<' | '>' | '»' | '”' | '’' => pad(&glyphs[at..=at], output),
            '-' | '\'' if glyphs.get(at + 1).is_some_and(|next| next.character == glyphs[at].character) => {
                pad(&glyphs[at..at + 2], output)
            }
            '"' => {
                output.push(Glyph::SPACE);
                output.extend(quotes('\'', glyphs[at], glyphs[at]));
                output.push(Glyph::SPACE);
                1
            }
            _ => 0,
        });
    }

    /// One plain space between words and at both ends.
    fn collapse_space(&mut self) {
        let mut after_space = true;
        self.rewriting.substitute(|glyphs, at, output| {
            let space = python::is_space(glyphs[at].character);
            if space && !after_space {
                output.push(Glyph::SPACE);
            }
            let consumed = usize::from(space);
            after_space = space;
            consumed
        });
        self.rewriting.glyphs.insert(0, Glyph::SPACE);
        if !after_space {
            self.rewriting.glyphs.push(Glyph::SPACE);
        }
    }

    fn cut_clitics(&mut self) {
        if !self.rewriting.contains_any(&['\'']) {
            return;
        }
        self.cut_endings(&["'s ", "'S ", "'m ", "'M ", "'d ", "'D ", "' "]);
        self.cut_endings(&["'ll ", "'LL ", "'re ", "'RE ", "'ve ", "'VE ", "n't ", "N'T "]);
    }

    /// Cuts the first of `endings` that follows a character other than an apostrophe or a space.
    fn cut_endings(&mut self, endings: &[&str]) {
        self.rewriting.substitute(|glyphs, at, output| {
            if matches!(glyphs[at].character, '\'' | ' ') {
                return 0;
            }
            let Some(ending) = endings.iter().find(|ending| starts_with(&glyphs[at + 1..], ending)) else { return 0 };
            // All endings are ASCII: as many glyphs as bytes.
            output.extend([glyphs[at], Glyph::SPACE]);
            output.extend_from_slice(&glyphs[at + 1..=at + ending.len()]);
            1 + ending.len()
        });
    }

    fn cut_contractions(&mut self) {
        if !may_hold_contraction(&self.rewriting.glyphs) {
            return;
        }
        for (head, tail, before_space) in CONTRACTIONS {
            self.cut_contraction(head, tail, |glyphs, start, end| {
                let ends = if before_space {
                    glyphs.get(end).is_some_and(|glyph| glyph.character == ' ')
                } else {
                    is_boundary(glyphs, end)
                };
                ends && is_boundary(glyphs, start)
            });
        }
        for tail in ["is", "was"] {
            self.cut_contraction(" 't", tail, |glyphs, _, end| is_boundary(glyphs, end));
        }
    }

    /// Cuts between `head` and `tail` wherever both follow each other, in any case, and `holds` for their start and end.
    fn cut_contraction(&mut self, head: &str, tail: &str, holds: impl Fn(&[Glyph], usize, usize) -> bool) {
        let found = |glyphs: &[Glyph], at: usize| {
            let rest = &glyphs[at..];
            is_folded(rest, head)
                && is_folded(&rest[head.len()..], tail)
                && holds(glyphs, at, at + head.len() + tail.len())
        };
        if !(0..self.rewriting.glyphs.len()).any(|at| found(&self.rewriting.glyphs, at)) {
            return;
        }
        self.rewriting.substitute(|glyphs, at, output| {
            if !found(glyphs, at) {
                return 0;
            }
            let (first, second) = glyphs[at..at + head.len() + tail.len()].split_at(head.len());
            for half in [first, second] {
                output.push(Glyph::SPACE);
                output.extend_from_slice(half);
            }
            output.push(Glyph::SPACE);
            head.len() + tail.len()
        });
    }

    fn collect(&self, words: &mut Vec<TreebankToken>) {
        for word in self.rewriting.glyphs.split(|glyph| glyph.character == ' ') {
            let (Some(first), Some(last)) = (word.first(), word.last()) else { continue };
            let span = first.start..last.end;
            words.push(match (first.rewritten, first.character) {
                (false, _) => TreebankToken::Piece(span),
                (true, '`') => TreebankToken::OpeningQuotes(span),
                (true, _) => TreebankToken::ClosingQuotes(span),
            });
        }
    }
}

/// Two quotes for what stands from `first` to `last`.
fn quotes(character: char, first: Glyph, last: Glyph) -> [Glyph; 2] {
    [Glyph::replacing(character, first, last); 2]
}

/// Whether `glyphs` start with `text`, which is lower-case ASCII, in any case as Python's `(?i)` sees it.
fn is_folded(glyphs: &[Glyph], text: &str) -> bool {
    let mut glyphs = glyphs.iter();
    text.chars().all(|character| glyphs.next().is_some_and(|glyph| folded(glyph.character) == character))
}

fn folded(character: char) -> char {
    match character {
        'ſ' => 's',
        'ı' | 'İ' => 'i',
        _ => character.to_ascii_lowercase(),
    }
}

/// Whether some word starts as a contraction does; most do not, and are spared ten searches.
fn may_hold_contraction(glyphs: &[Glyph]) -> bool {
    (0..glyphs.len()).any(|at| match folded(glyphs[at].character) {
        '\'' => is_folded(&glyphs[at..], "'t"),
        'c' | 'd' | 'g' | 'l' | 'm' | 'w' => CONTRACTIONS
            .iter()
            .any(|(head, tail, _)| is_folded(&glyphs[at..], head) && is_folded(&glyphs[at + head.len()..], tail)),
        _ => false,
    })
}

/// `\b` between the glyphs before and at `at`.
fn is_boundary(glyphs: &[Glyph], at: usize) -> bool {
    let is_word = |index: usize| glyphs.get(index).is_some_and(|glyph| python::is_word(glyph.character));
    at.checked_sub(1).is_some_and(is_word) != is_word(at)
}

/// Whether a word of one character follows that is no clitic.
fn is_lone_letter(glyphs: &[Glyph]) -> bool {
    let is_clitic = ["re", "ve", "ll", "m", "t", "s", "d", "n"].iter().any(|clitic| is_folded(glyphs, clitic));
    let is_word = |index: usize| glyphs.get(index).is_some_and(|glyph| python::is_word(glyph.character));
    !is_clitic && is_word(0) && !is_word(1)
}
