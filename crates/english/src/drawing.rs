//! Draws dependency trees for a terminal: one word a line, its head's arm at the left, the order of the text kept.

use std::fmt::Write;

use crate::document::{ParsedSentence, ParsedText};

/// Which characters to draw with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strokes {
    /// Box-drawing characters.
    #[default]
    Unicode,
    /// Only ASCII.
    Ascii,
}

impl Strokes {
    /// Branch, last branch, continued line, nothing.
    fn parts(self) -> [&'static str; 4] {
        match self {
            Self::Unicode => ["├─ ", "└─ ", "│  ", "   "],
            Self::Ascii => ["|- ", "`- ", "|  ", "   "],
        }
    }
}

impl ParsedText {
    /// All trees, one after the other, separated by empty lines.
    pub fn to_tree(&self, strokes: Strokes) -> String {
        self.sentences.iter().map(|sentence| sentence.to_tree(strokes)).collect::<Vec<_>>().join("\n")
    }
}

impl ParsedSentence {
    /// The tree from its root: each line is a word, its relation and its tag; dependents are indented below their head
    /// in the order of the text. A sentence that was only tagged is drawn flat.
    pub fn to_tree(&self, strokes: Strokes) -> String {
        let mut output = String::new();
        let children = self.children_by_head();
        let [branch, last_branch, line, nothing] = strokes.parts();
        let roots: Vec<usize> = (0..self.tokens.len()).filter(|&index| self.tokens[index].head.is_none()).collect();
        for root in roots {
            // A stack instead of recursion: a chain of words may be as deep as the sentence is long.
            let mut waiting = vec![(root, String::new(), String::new())];
            while let Some((index, arm, indent)) = waiting.pop() {
                let token = &self.tokens[index];
                let _ = writeln!(output, "{arm}{}  {} {}", token.form, token.relation, token.upos);
                for (place, &child) in children[index].iter().enumerate().rev() {
                    let is_last = place + 1 == children[index].len();
                    let (stroke, below) = if is_last { (last_branch, nothing) } else { (branch, line) };
                    waiting.push((child, format!("{indent}{stroke}"), format!("{indent}{below}")));
                }
            }
        }
        output
    }

    fn children_by_head(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.tokens.len()];
        for (index, token) in self.tokens.iter().enumerate() {
            if let Some(list) = token.head.and_then(|head| children.get_mut(head)) {
                list.push(index);
            }
        }
        children
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::ParsedToken;
    use crate::labels::Upos;

    #[test]
    fn dependents_hang_below_their_head() {
        let words =
            [("Dogs", Some(1), "nsubj"), ("chase", None, "root"), ("small", Some(3), "amod"), ("cats", Some(1), "obj")];
        let tokens = words
            .into_iter()
            .map(|(form, head, relation)| ParsedToken {
                span: 0..0,
                form: form.to_owned(),
                lemma: form.to_owned(),
                upos: Upos::X,
                xpos: "FW",
                head,
                relation,
            })
            .collect();
        let tree = ParsedSentence { tokens }.to_tree(Strokes::Ascii);
        assert_eq!(tree, "chase  root X\n|- Dogs  nsubj X\n`- cats  obj X\n   `- small  amod X\n");
    }
}
