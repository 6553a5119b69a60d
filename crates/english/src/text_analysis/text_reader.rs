//! From characters to sentences of tokens. Marks of Markdown, bullets and numerals of lists go before sentences are cut.

use probare_cancellation::count_steps;

use super::analysis::{AnalysisSentence, AnalysisToken, BlockKind, BoilerplateKind, Mood, TextAnalysis};
use super::quotations::quoted_ranges;
use super::{boilerplate, mood};
use crate::Span;
use crate::closed_lists::{TITLES, is_listed};
use crate::lexicon::{LexicalRoles, expanded_spelling, lexical_roles};

/// Most tokens of a sentence; a longer one is cut, so that no rule that looks around in it takes time beyond the length
/// of the text.
const LONGEST: usize = 200;

/// Lines from this length on may have been broken by an editor.
const MIN_WRAPPED_LENGTH: usize = 50;

impl TextAnalysis {
    /// Reads a text.
    pub fn new(original: &str) -> Self {
        read(original)
    }
}

fn read(original: &str) -> TextAnalysis {
    // A word and its space take five bytes or six; grown by doubling, the lists would be copied time and again.
    let analysis = TextAnalysis {
        text: String::with_capacity(original.len() + 16),
        tokens: Vec::with_capacity(original.len() / 5 + 8),
        sentences: Vec::with_capacity(4),
    };
    let apart = quoted_ranges(original);
    let mut reader = TextReader {
        analysis,
        word: String::new(),
        first: 0,
        apart,
        passed: 0,
        block: BlockKind::Prose,
        announces: false,
    };
    reader.read(original);
    reader.analysis
}

struct TextReader {
    analysis: TextAnalysis,
    /// The word that is being read, in its normalised form.
    word: String,
    /// First token of the sentence that is being read.
    first: usize,
    /// Quotations and code, in order.
    apart: Vec<Span>,
    /// How many of them have been passed.
    passed: usize,
    block: BlockKind,
    /// Whether the line that ends here announces the list behind it.
    announces: bool,
}

impl TextReader {
    fn read(&mut self, original: &str) {
        let mut at = 0;
        let mut spaced = false;
        let mut line_start = true;
        let mut line = 0;
        while let Some(&byte) = original.as_bytes().get(at) {
            if byte == b' ' {
                spaced = true;
                at += 1;
                continue;
            }
            count_steps(1);
            let Some(character) = original[at..].chars().next() else { break };
            let next = at + character.len_utf8();
            if character.is_alphanumeric() {
                let end = word_end(original, at);
                if line_start && let Some(length) = numeral(&original[at..]) {
                    self.block = BlockKind::Item;
                    at += length;
                    continue;
                }
                self.push_word(&original[at..end], at..end, spaced);
                spaced = false;
                line_start = false;
                at = end;
                continue;
            }
            match character {
                '\n' | '\r' | '\u{2028}' | '\u{2029}' => {
                    if !self.goes_on(original, line..at, next) {
                        let last = self.analysis.tokens.len().wrapping_sub(1);
                        let is_open = self.analysis.tokens.len() > self.first;
                        self.announces = is_open && self.analysis.word(last) == ":" && opens_list(&original[next..]);
                        if self.block == BlockKind::Row && is_ruler(&original[next..]) {
                            self.block = BlockKind::Heading;
                        }
                        self.end_block();
                    }
                    line_start = true;
                    line = next;
                    spaced = true;
                }
                '#' if line_start => self.block = BlockKind::Heading,
                '-' | '•' | '+' if line_start => self.block = BlockKind::Item,
                '*' if line_start && original[next..].starts_with(char::is_whitespace) => self.block = BlockKind::Item,
                '*' if line_start && self.block == BlockKind::Prose && is_bold_heading(&original[at..]) => {
                    self.block = BlockKind::Heading;
                }
                '|' if line_start => self.block = BlockKind::Row,
                '>' if line_start => {}
                // Marks of Markdown are no part of the wording.
                '*' | '#' | '_' | '`' | '~' | '\u{200b}' | '\u{200d}' => {}
                _ if character.is_whitespace() || character == '\u{feff}' => spaced = true,
                _ => {
                    self.push(character, at..next, spaced);
                    spaced = false;
                    line_start = false;
                    if matches!(character, '.' | '!' | '?' | '…') && self.ends_here(original, next, character) {
                        self.end_sentence();
                    }
                }
            }
            at = next;
        }
        self.end_block();
    }

    /// Whether the sentence goes on behind a line end: the line was long enough to have been wrapped and the next one begins
    /// with a small letter.
    fn goes_on(&self, original: &str, line: Span, next: usize) -> bool {
        self.block != BlockKind::Heading
            && line.len() >= MIN_WRAPPED_LENGTH
            && original[next..].starts_with(char::is_lowercase)
    }

    /// Whether a full stop, exclamation or question mark ends the sentence: what follows is a space, the end, or a closing
    /// mark, and what precedes is neither an abbreviation nor an initial.
    fn ends_here(&self, original: &str, next: usize, character: char) -> bool {
        let follows = original[next..].chars().next();
        let closes = follows.is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '”' | '’' | '\'' | ')' | '*' | '»'));
        if !closes {
            return false;
        }
        let before = self.analysis.tokens.len().checked_sub(2).filter(|&before| before >= self.first);
        let Some(before) = before else { return character != '.' || follows.is_none() };
        let word = self.analysis.word(before);
        let is_initial = self.analysis.tokens[before].is_capital && word.len() == 1 && word != "i"
            || matches!(word, "e" | "g" | "s") && self.analysis.word(before.wrapping_sub(1)) == ".";
        character != '.' || !(is_initial || is_listed(TITLES, word))
    }

    fn push_word(&mut self, written: &str, origin: Span, spaced: bool) {
        let mut word = std::mem::take(&mut self.word);
        word.clear();
        if written.is_ascii() {
            word.push_str(written);
            word.make_ascii_lowercase();
        } else {
            let plain = |c: char| if matches!(c, '’' | 'ʼ' | '‘') { '\'' } else { c };
            word.extend(written.chars().flat_map(char::to_lowercase).map(plain));
        }
        while word.ends_with('\'') {
            word.pop();
        }
        match expanded_spelling(&word) {
            // "US" is no chat spelling of a pronoun, nor is "R" in "R. Brown".
            Some(long) if !written.starts_with(char::is_uppercase) || written.len() > 2 => {
                for (number, part) in long.split(' ').enumerate() {
                    self.push_text(part, origin.clone(), spaced || number > 0, Some((lexical_roles(part), false)));
                }
            }
            _ => {
                let is_capital = written.starts_with(char::is_uppercase);
                self.push_text(&word, origin, spaced, Some((lexical_roles(&word), is_capital)));
            }
        }
        self.word = word;
    }

    fn push(&mut self, character: char, origin: Span, spaced: bool) {
        let plain = match character {
            '’' | 'ʼ' | '‘' => '\'',
            '“' | '”' | '„' | '«' | '»' => '"',
            '—' | '–' => '-',
            other => other,
        };
        let mut buffer = [0; 4];
        self.push_text(plain.encode_utf8(&mut buffer), origin, spaced, None);
    }

    /// Appends a token; of a word, its sorts are given and whether it has a capital.
    fn push_text(&mut self, word: &str, origin: Span, spaced: bool, of_word: Option<(LexicalRoles, bool)>) {
        let analysis = &mut self.analysis;
        if spaced && analysis.tokens.len() > self.first {
            analysis.text.push(' ');
        }
        let start = analysis.text.len();
        analysis.text.push_str(word);
        while self.apart.get(self.passed).is_some_and(|range| range.end <= origin.start) {
            self.passed += 1;
        }
        let apart = self.apart.get(self.passed).is_some_and(|range| range.start <= origin.start);
        let is_word = of_word.is_some();
        let (sorts, is_capital) = of_word.unwrap_or_default();
        let length = analysis.tokens.len() - self.first;
        analysis.tokens.push(AnalysisToken {
            at: start..analysis.text.len(),
            origin,
            roles: sorts,
            is_word,
            is_quoted: apart,
            is_capital,
        });
        if length >= LONGEST {
            self.end_sentence();
        }
    }

    fn end_block(&mut self) {
        self.end_sentence();
        self.block = BlockKind::Prose;
    }

    fn end_sentence(&mut self) {
        let analysis = &mut self.analysis;
        let tokens = self.first..analysis.tokens.len();
        if tokens.is_empty() {
            return;
        }
        self.first = tokens.end;
        let end = analysis.text.len();
        analysis.text.push('\n');
        let has_words = analysis.tokens[tokens.clone()].iter().any(|token| token.is_word);
        if !has_words && let Some(last) = analysis.sentences.last_mut() {
            // A closing mark that stands alone belongs to the sentence before it.
            last.tokens.end = tokens.end;
            last.at.end = end;
            return;
        }
        let at = analysis.tokens[tokens.start].at.start..end;
        let opening = tokens.start;
        let sentence = AnalysisSentence {
            tokens,
            at,
            block: self.block,
            mood: Mood::Statement,
            boilerplate: None,
            content_start: opening,
        };
        let announces = std::mem::take(&mut self.announces).then_some(BoilerplateKind::AboutAnswer);
        let aside = boilerplate::boilerplate_kind(analysis, &sentence).or(announces);
        let opening = boilerplate::content_start(analysis, &sentence);
        let mood = mood::mood(analysis, &sentence, opening);
        analysis.sentences.push(AnalysisSentence { mood, boilerplate: aside, content_start: opening, ..sentence });
    }
}

/// Most words of a line in bold that is a heading.
const LONGEST_HEADING: usize = 8;

/// Whether the line that a text opens with is all bold, short, without the end of a sentence, and heads something: "**Prices**".
fn is_bold_heading(text: &str) -> bool {
    // A row of stars is a line across the page. It is known without looking for its end from each of its stars.
    if text.starts_with("******") {
        return false;
    }
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    let line = line.trim_end().trim_end_matches(':');
    let inner = line.strip_prefix("**").and_then(|line| line.strip_suffix("**"));
    let is_heading = |inner: &str| {
        !inner.contains("**")
            && !inner.trim_end().ends_with(['.', '!', '?'])
            && inner.split_whitespace().take(LONGEST_HEADING + 1).count() <= LONGEST_HEADING
    };
    !rest.trim_start().is_empty() && inner.is_some_and(is_heading)
}

/// Whether a text opens with the line under the head of a table: `|---|:--|`.
fn is_ruler(text: &str) -> bool {
    let line = text.split('\n').next().unwrap_or(text).trim();
    line.starts_with('|') && line.contains("--") && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Whether the next line that is not blank is an item of a list or a row of a table.
fn opens_list(text: &str) -> bool {
    let line = text.trim_start();
    let behind = line.trim_start_matches(['-', '*', '•', '+']);
    line.starts_with('|')
        || line.len() > behind.len() && (behind.starts_with(char::is_whitespace) || line.starts_with('•'))
        || numeral(line).is_some()
}

/// Length of the numeral or letter of a list item with its full stop or bracket and the space behind it.
fn numeral(line: &str) -> Option<usize> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let length = if digits == 0 && line.as_bytes().first().is_some_and(u8::is_ascii_lowercase) { 1 } else { digits };
    let rest = line.get(length..)?;
    let closes = if digits == 0 { rest.starts_with(')') } else { rest.starts_with(['.', ')']) };
    ((1..=3).contains(&length) && closes && rest[1..].starts_with([' ', '\t'])).then_some(length + 1)
}

/// Where the word ends that starts at `start`: letters and digits, apostrophes and hyphens between them, and a decimal
/// point or comma between digits.
fn word_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = start;
    loop {
        // Plain letters need no decoding.
        while bytes.get(end).is_some_and(u8::is_ascii_alphanumeric) {
            end += 1;
        }
        let mut characters = text[end..].chars();
        let Some(character) = characters.next() else { return end };
        let follows = |test: fn(char) -> bool| characters.as_str().starts_with(test);
        let joins = match character {
            '\'' | '’' | '-' => follows(char::is_alphanumeric),
            '.' | ',' => {
                text[start..end].ends_with(|c: char| c.is_ascii_digit()) && follows(|next| next.is_ascii_digit())
            }
            // The modifier letter apostrophe is a letter.
            letter => letter.is_alphanumeric(),
        };
        if !joins {
            return end;
        }
        end += character.len_utf8();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(text: &str) -> Vec<String> {
        let analysis = read(text);
        analysis.sentences.iter().map(|sentence| analysis.text[sentence.at.clone()].trim().to_owned()).collect()
    }

    #[test]
    fn sentences_are_normalised() {
        assert_eq!(sentences("You’ll  be fine.\nDon't\tpanic!"), ["you'll be fine.", "don't panic!"]);
        assert_eq!(
            sentences("Dr. Who paid 3.50 e.g. twice. u dont know"),
            ["dr. who paid 3.50 e.g. twice.", "you don't know"]
        );
        assert_eq!(
            sentences("J. K. Rowling met the U.S. team. It rained."),
            ["j. k. rowling met the u.s. team.", "it rained."]
        );
    }

    #[test]
    fn the_page_is_cut_before_the_sentences() {
        assert_eq!(sentences("1. One\n2) Two\n- three\n* four"), ["one", "two", "three", "four"]);
        assert_eq!(sentences("## The **end**\n| a | b |\n> quoted"), ["the end", "a | b |", "quoted"]);
        assert_eq!(
            sentences("This line is long enough to have been wrapped by an editor\nthat breaks lines. 3.5 m\n2 m"),
            ["this line is long enough to have been wrapped by an editor that breaks lines.", "3.5 m", "2 m"]
        );
        let blocks: Vec<BlockKind> =
            read("# A\n\nBees. Ants.\n- did. it\n1. f").sentences.iter().map(|found| found.block).collect();
        assert_eq!(
            blocks,
            [BlockKind::Heading, BlockKind::Prose, BlockKind::Prose, BlockKind::Item, BlockKind::Item, BlockKind::Item]
        );
    }

    #[test]
    fn what_heads_or_announces_a_list_is_no_matter() {
        let asides = |text: &str| -> Vec<bool> {
            let analysis = read(text);
            let is_matter = |found: &AnalysisSentence| found.boilerplate.is_none() && found.block != BlockKind::Heading;
            analysis.sentences.iter().map(is_matter).collect()
        };
        assert_eq!(asides("**Prices**\n- Adults pay 5\n\nTimes (UTC):\n\n1. nine"), [false, true, false, true]);
        assert_eq!(asides("**Paris**"), [true], "a heading heads something");
        assert_eq!(asides("| Day | Price |\n|---|---|\n| Monday | 5 |"), [false, true]);
        assert_eq!(asides("**It closed.**\nIt rained: a lot"), [true, true]);
    }

    #[test]
    fn quotations_and_code_are_set_apart() {
        let analysis = read("He said “you must” and \"go\". Run `rm you`, you. 5\" wide");
        let apart: Vec<&str> = (0..analysis.tokens.len())
            .filter(|&token| analysis.tokens[token].is_quoted && analysis.tokens[token].is_word)
            .map(|token| analysis.word(token))
            .collect();
        assert_eq!(apart, ["you", "must", "go", "rm", "you"]);
    }

    #[test]
    fn tokens_lead_back_to_their_bytes() {
        let text = "É: “Ça va?” — YOU’RE";
        let analysis = read(text);
        let last = analysis.tokens.last().unwrap();
        assert_eq!(&text[last.origin.clone()], "YOU’RE");
        assert_eq!(analysis.word(analysis.tokens.len() - 1), "you're");
        assert_eq!(analysis.sentence_span(&analysis.sentences[0]), 0..text.find("” —").unwrap());
    }

    #[test]
    fn questions_are_seen() {
        let analysis = read("Is it? No. \"Why?\" Well (really?)");
        let questions: Vec<bool> = analysis.sentences.iter().map(AnalysisSentence::is_question).collect();
        assert_eq!(questions, [true, false, true, true]);
    }
}
