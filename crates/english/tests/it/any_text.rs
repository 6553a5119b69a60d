//! Laws that hold for every text: nothing panics, spans are where they say, trees are trees.

use probare_english::claims::{ClaimOptions, claims};
use probare_english::{ParsedSentence, ParsedText, Parser, Strokes};
use proptest::prelude::*;

fn check(text: &str) -> Result<(), TestCaseError> {
    let document = Parser::english().parse(text);
    let mut end = 0;
    for token in document.tokens() {
        prop_assert!(token.span.start >= end, "tokens are ordered and do not overlap");
        prop_assert_eq!(text.get(token.span.clone()), Some(token.form.as_str()));
        prop_assert!(!token.form.is_empty() && !token.lemma.is_empty());
        end = token.span.end;
    }
    prop_assert_eq!(letters(text), letters(&document.tokens().map(|token| token.form.as_str()).collect::<String>()));
    for sentence in &document.sentences {
        check_tree(sentence)?;
        prop_assert!(sentence.tokens.len() <= 400);
        prop_assert_eq!(sentence.to_tree(Strokes::Ascii).lines().count(), sentence.tokens.len());
    }
    check_claims(text, &document)
}

fn letters(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).collect()
}

fn check_tree(sentence: &ParsedSentence) -> Result<(), TestCaseError> {
    let roots = sentence.tokens.iter().filter(|token| token.head.is_none()).count();
    prop_assert_eq!(roots, 1);
    for start in 0..sentence.tokens.len() {
        let mut word = start;
        let mut steps = 0;
        while let Some(head) = sentence.tokens[word].head {
            word = head;
            steps += 1;
            prop_assert!(steps <= sentence.tokens.len(), "a cycle");
        }
        prop_assert_eq!(sentence.tokens[word].relation, "root");
    }
    Ok(())
}

fn check_claims(text: &str, document: &ParsedText) -> Result<(), TestCaseError> {
    for options in [ClaimOptions::published(), ClaimOptions::improved()] {
        for claim in claims(document, &options) {
            let sentence = &document.sentences[claim.sentence];
            for component in [&claim.subject, &claim.verb, &claim.object] {
                prop_assert!(text.get(component.span.clone()).is_some());
                prop_assert!(component.phrase.contains(&component.head));
                prop_assert!(component.phrase.end <= sentence.tokens.len());
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_characters(text in any::<String>()) {
        check(&text)?;
    }

    #[test]
    fn any_printable_characters(text in "\\PC{0,200}") {
        check(&text)?;
    }

    #[test]
    fn words_and_marks(pieces in prop::collection::vec(
        prop::sample::select(vec![
            "The", "company", "was", "acquired", "by", "Google", ",", ".", "!", "?", "...", " ", " ", " ", "\n", "\n\n",
            "don't", "'s", "'", "\"", "“", "”", "(", ")", "$", "5", "1,250", "4.5", "%", "-", "--", "e-mail", "U.S.", "Mr.",
            "which", "and", "is", "not", "http://a.b/c", "x@y.zz", ":)", "'60s", "café", "naïve", "e\u{301}", "👍🏽", "東京",
            "\u{200D}", "İ", "ß", "ﬁ", "`", "´", "n't", "I'd've", "A.", "5pm", "#", "@", "&", "AT&T", "…", "\u{0}", "\t",
        ]),
        0..60,
    )) {
        check(&pieces.concat())?;
    }
}

#[test]
fn long_sentences_are_cut() {
    for text in ["word ".repeat(900), "a,".repeat(900), "(".repeat(900), "x".repeat(20_000), "-a".repeat(900)] {
        check(&text).unwrap();
    }
}

#[test]
fn no_words_no_sentences() {
    for text in ["", " ", "\n\n\t", "\u{FEFF}"] {
        assert!(Parser::english().parse(text).sentences.is_empty());
    }
}

#[test]
fn tagging_gives_the_tags_of_parsing() {
    let text = "She sells sea shells. They cost $5 each.";
    let (tagged, parsed) = (Parser::english().tag(text), Parser::english().parse(text));
    for (tagged, parsed) in tagged.tokens().zip(parsed.tokens()) {
        assert_eq!((&tagged.lemma, tagged.upos, tagged.xpos), (&parsed.lemma, parsed.upos, parsed.xpos));
        assert_eq!((tagged.head, tagged.relation), (None, "_"));
    }
}

#[test]
fn words_given_are_words_kept() {
    let sentence = Parser::english().parse_words(&["New York", "", "is", "big"]);
    let forms: Vec<&str> = sentence.tokens.iter().map(|token| token.form.as_str()).collect();
    assert_eq!(forms, ["New York", "", "is", "big"]);
    assert_eq!(sentence.tokens[2].span, 10..12);
    assert!(Parser::english().parse_words(&[]).tokens.is_empty());
}

#[test]
fn a_broken_model_is_an_error() {
    assert!(Parser::from_bytes(b"").is_err());
    assert!(Parser::from_bytes(b"PROBNLP\0\x01").is_err());
    assert!(Parser::from_bytes(&[0xFF; 100]).is_err());
}
