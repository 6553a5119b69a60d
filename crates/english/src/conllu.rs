//! CoNLL-U, the exchange format of Universal Dependencies.

use std::fmt::Write;

use crate::document::{ParsedSentence, ParsedText};

impl ParsedText {
    /// The document in CoNLL-U: ten tab-separated columns a word, an empty line after each sentence. Columns that this
    /// crate does not know (features, enhanced dependencies) are `_`. `text` is the text that was parsed; it gives the
    /// comment lines and the marks where no space follows a word.
    pub fn to_conllu(&self, text: &str) -> String {
        let mut output = String::new();
        for (sentence, number) in self.sentences.iter().zip(1..) {
            let span = sentence.span();
            let line = text.get(span).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
            // Writing to a string cannot fail.
            let _ = writeln!(output, "# sent_id = {number}\n# text = {line}");
            words(sentence, &mut output);
            output.push('\n');
        }
        output
    }
}

fn words(sentence: &ParsedSentence, output: &mut String) {
    for (index, token) in sentence.tokens.iter().enumerate() {
        let touches = sentence.tokens.get(index + 1).is_some_and(|next| next.span.start == token.span.end);
        let head = match (token.head, token.relation) {
            (Some(head), _) => (head + 1).to_string(),
            (None, "root") => "0".to_owned(),
            (None, _) => "_".to_owned(),
        };
        let _ = writeln!(
            output,
            "{}\t{}\t{}\t{}\t{}\t_\t{head}\t{}\t_\t{}",
            index + 1,
            token.form,
            token.lemma,
            token.upos,
            token.xpos,
            token.relation,
            if touches { "SpaceAfter=No" } else { "_" }
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::document::{ParsedSentence, ParsedText, ParsedToken};
    use crate::labels::Upos;

    #[test]
    fn columns_are_in_place() {
        let token = |span, form: &str, upos, xpos, head, relation| ParsedToken {
            span,
            form: form.to_owned(),
            lemma: form.to_lowercase(),
            upos,
            xpos,
            head,
            relation,
        };
        let sentence = ParsedSentence {
            tokens: vec![
                token(0..2, "Go", Upos::Verb, "VB", None, "root"),
                token(2..3, "!", Upos::Punct, ".", Some(0), "punct"),
            ],
        };
        let document = ParsedText { sentences: vec![sentence] };
        assert_eq!(
            document.to_conllu("Go!"),
            "# sent_id = 1\n# text = Go!\n1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No\n2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_\n\n"
        );
    }
}
