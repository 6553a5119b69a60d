//! Floors on the accuracy of tags and trees: on plain sentences whose analysis nobody disputes, and on the test part of the
//! treebank where it is at hand.
//!
//! `gold_trees.txt` has a sentence a line and a word as `form|tag|head|relation`, heads counted from 1 and 0 for the root. It
//! was written by hand by the guidelines of Universal Dependencies, not taken from a parser.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;

use flate2::read::GzDecoder;
use probare_english::Parser;
use probare_testing::external_data;

/// A word: where it stands among the characters that are no white space, and its analysis.
struct Word {
    place: (usize, usize),
    tag: String,
    /// Place of its head; nothing for the root.
    head: Option<(usize, usize)>,
    relation: String,
}

/// Right, given and found words.
#[derive(Default)]
struct Counts {
    tags: usize,
    heads: usize,
    relations: usize,
    gold: usize,
    found: usize,
}

impl Counts {
    fn add(&mut self, gold: &[Word], text: &str) {
        let found: HashMap<(usize, usize), Word> = parsed(text).into_iter().map(|word| (word.place, word)).collect();
        self.gold += gold.len();
        self.found += found.len();
        for word in gold {
            let Some(same) = found.get(&word.place) else { continue };
            let is_head = same.head == word.head;
            self.tags += usize::from(same.tag == word.tag);
            self.heads += usize::from(is_head);
            self.relations += usize::from(is_head && same.relation == word.relation);
        }
    }

    /// Tags, UAS and LAS as F1 over words.
    fn shares(&self) -> [f64; 3] {
        [self.tags, self.heads, self.relations].map(|right| 2.0 * right as f64 / (self.gold + self.found) as f64)
    }
}

/// The words of a text as the parser sees them.
fn parsed(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let place = |at: usize| text[..at].chars().filter(|character| !character.is_whitespace()).count();
    for sentence in Parser::english().parse(text).sentences {
        let places: Vec<(usize, usize)> =
            sentence.tokens.iter().map(|token| (place(token.span.start), place(token.span.end))).collect();
        for (token, own) in sentence.tokens.iter().zip(&places) {
            words.push(Word {
                place: *own,
                tag: token.upos.to_string(),
                head: token.head.map(|head| places[head]),
                relation: token.relation.to_owned(),
            });
        }
    }
    words
}

/// Words from their forms, tags, heads and relations, in order.
fn words(rows: &[(&str, &str, usize, &str)]) -> Vec<Word> {
    let mut places = Vec::with_capacity(rows.len());
    let mut end = 0;
    for (form, ..) in rows {
        let start = end;
        end += form.chars().filter(|character| !character.is_whitespace()).count();
        places.push((start, end));
    }
    rows.iter()
        .zip(&places)
        .map(|((_, tag, head, relation), place)| Word {
            place: *place,
            tag: (*tag).to_owned(),
            head: head.checked_sub(1).map(|head| places[head]),
            relation: (*relation).to_owned(),
        })
        .collect()
}

/// Tags, UAS and LAS on the plain sentences, just under what is measured (0.9902, 0.9967, 0.9739).
const PLAIN: [f64; 3] = [0.984, 0.990, 0.967];

/// The same on the treebank, sentence by sentence with words from the parser (0.9467, 0.8558, 0.8249).
const TREEBANK: [f64; 3] = [0.940, 0.850, 0.819];

#[test]
fn plain_sentences_have_the_trees_that_nobody_disputes() {
    let mut counts = Counts::default();
    let mut sentences = 0;
    for line in include_str!("gold_trees.txt").lines() {
        let rows: Vec<(&str, &str, usize, &str)> = line
            .split(' ')
            .map(|word| {
                let fields: Vec<&str> = word.split('|').collect();
                let [form, tag, head, relation] = fields[..] else { panic!("`{word}` has not four fields") };
                (form, tag, head.parse().expect("a head is a number"), relation)
            })
            .collect();
        let mut text = String::new();
        for (form, tag, ..) in &rows {
            if !text.is_empty() && *tag != "PUNCT" && !form.starts_with('\'') {
                text.push(' ');
            }
            text.push_str(form);
        }
        let gold = words(&rows);
        assert_eq!(gold.iter().filter(|word| word.head.is_none()).count(), 1, "{text}");
        let before = counts.relations;
        counts.add(&gold, &text);
        if counts.relations - before < gold.len() {
            println!("otherwise: {text}");
        }
        sentences += 1;
    }
    let [tags, heads, relations] = counts.shares();
    println!("{sentences} plain sentences, {} words: tags {tags:.4}, UAS {heads:.4}, LAS {relations:.4}", counts.gold);
    assert!(sentences >= 40);
    assert!(
        tags >= PLAIN[0] && heads >= PLAIN[1] && relations >= PLAIN[2],
        "tags {tags}, UAS {heads}, LAS {relations}"
    );
}

#[test]
fn the_test_part_of_the_treebank_is_read_as_the_model_card_says() {
    let Some(folder) = external_data("PROBARE_UD_EWT", "ud-english-ewt", "the English Web Treebank") else { return };
    let mut content = String::new();
    GzDecoder::new(File::open(folder.join("test.conllu.gz")).unwrap()).read_to_string(&mut content).unwrap();
    let mut counts = Counts::default();
    for sentence in content.split("\n\n").filter(|sentence| !sentence.trim().is_empty()) {
        let text = sentence.lines().find_map(|line| line.strip_prefix("# text = ")).expect("a sentence has its text");
        let rows: Vec<Vec<&str>> = sentence
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split('\t').collect::<Vec<_>>())
            .filter(|fields| fields[0].bytes().all(|byte| byte.is_ascii_digit()))
            .collect();
        let rows: Vec<(&str, &str, usize, &str)> =
            rows.iter().map(|fields| (fields[1], fields[3], fields[6].parse().unwrap(), fields[7])).collect();
        counts.add(&words(&rows), text);
    }
    let [tags, heads, relations] = counts.shares();
    println!("treebank, {} words: tags {tags:.4}, UAS {heads:.4}, LAS {relations:.4}", counts.gold);
    assert!(counts.gold > 20_000);
    assert!(tags >= TREEBANK[0] && heads >= TREEBANK[1] && relations >= TREEBANK[2]);
}
