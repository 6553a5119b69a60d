//! "The bridge cost $48 million": the past of `cost` looks like a noun, and a tree may take it for one. Where an amount
//! follows and a noun stands before, it is the verb.

use std::ops::Range;

use probare_nlp::claims::{Claim, Component};
use probare_nlp::{Document, Sentence, Upos};
use probare_text::anchors::{Anchor, AnchorKind};

/// Words that may stand between the verb and the amount.
const BETWEEN: [&str; 9] = ["about", "around", "almost", "just", "nearly", "only", "over", "roughly", "some"];

/// The claims whose verb `cost` was taken for a noun.
pub(super) fn prices(document: &Document, anchors: &[Anchor]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (number, sentence) in document.sentences.iter().enumerate() {
        for (index, token) in sentence.tokens.iter().enumerate() {
            if token.upos != Upos::Noun || !token.form.eq_ignore_ascii_case("cost") {
                continue;
            }
            if let (Some(object), Some(subject)) = (amount(sentence, index + 1, anchors), subject(sentence, index)) {
                claims.push(Claim {
                    subject,
                    verb: component(sentence, index..index + 1),
                    lemma: "cost".to_owned(),
                    object,
                    negated: false,
                    hedged: false,
                    passive: false,
                    sentence: number,
                });
            }
        }
    }
    claims
}

/// The words of a range; the last is the head.
fn component(sentence: &Sentence, words: Range<usize>) -> Component {
    let tokens = sentence.tokens.get(words.clone()).unwrap_or_default();
    let text = tokens.iter().map(|token| token.form.as_str()).collect::<Vec<_>>().join(" ");
    let span = tokens.first().map_or(0, |first| first.span.start)..tokens.last().map_or(0, |last| last.span.end);
    Component { text, span, head: words.end.saturating_sub(1), phrase: words }
}

/// The number that follows, at most one word off.
fn amount(sentence: &Sentence, mut next: usize, anchors: &[Anchor]) -> Option<Component> {
    if BETWEEN.contains(&sentence.tokens.get(next)?.form.to_lowercase().as_str()) {
        next += 1;
    }
    let start = sentence.tokens.get(next)?.span.start;
    let at = anchors.partition_point(|anchor| anchor.span.start < start);
    let anchor = anchors.get(at).filter(|anchor| anchor.span.start == start && anchor.kind == AnchorKind::Numeric)?;
    let words = sentence.tokens.get(next..)?.iter().take_while(|token| token.span.end <= anchor.span.end).count();
    (words > 0).then(|| component(sentence, next..next + words))
}

/// The noun or name right before, unless the sentence has had its verb by then ("the reports put the cost at").
fn subject(sentence: &Sentence, cost: usize) -> Option<Component> {
    let before = sentence.tokens.get(..cost)?;
    if before.iter().any(|token| matches!(token.upos, Upos::Verb | Upos::Aux)) {
        return None;
    }
    let last = before.last()?;
    let words = match last.upos {
        Upos::Noun | Upos::Pron => 1,
        Upos::Propn => before.iter().rev().take_while(|token| token.upos == Upos::Propn).count(),
        _ => return None,
    };
    Some(component(sentence, cost - words..cost))
}

#[cfg(test)]
mod tests {
    use probare_nlp::Parser;
    use probare_text::anchors::find_anchors;

    use super::*;

    fn found(text: &str) -> Vec<(String, String)> {
        let mut document = Parser::english().parse(text);
        // However the tagger reads it, here it is a noun.
        for token in document.sentences.iter_mut().flat_map(|sentence| &mut sentence.tokens) {
            if token.form == "cost" {
                token.upos = Upos::Noun;
            }
        }
        let claims = prices(&document, &find_anchors(text));
        claims.into_iter().map(|claim| (claim.subject.text, claim.object.text)).collect()
    }

    #[test]
    fn a_noun_before_and_an_amount_behind_make_a_verb() {
        assert_eq!(found("The old bridge cost about $48 million.")[0].0, "bridge");
        assert_eq!(found("Anna Berg cost $5.")[0].0, "Anna Berg");
        assert_eq!(found("The cost is high."), []);
        assert_eq!(found("They estimate the bridge cost $5."), []);
    }
}
