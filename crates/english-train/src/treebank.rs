//! Reads a treebank in CoNLL-U, plain or gzipped.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::TrainError;
use probare_english::labels::{self, Upos};
use probare_english::tagger::Tag;

/// A word with its annotation.
#[derive(Debug, Clone)]
pub(crate) struct AnnotatedToken {
    pub(crate) form: String,
    pub(crate) lemma: String,
    pub(crate) tag: Tag,
    /// Index of the head, `None` for the root.
    pub(crate) head: Option<usize>,
    pub(crate) relation: &'static str,
    /// Whether white space follows in the text.
    pub(crate) space_after: bool,
}

/// A sentence.
#[derive(Debug, Clone, Default)]
pub(crate) struct AnnotatedSentence {
    pub(crate) tokens: Vec<AnnotatedToken>,
    /// Whether a paragraph or document begins here.
    pub(crate) new_paragraph: bool,
}

/// Reads one part: `<part>.conllu`, `<part>.conllu.gz`, or a file whose name ends so (`en_ewt-ud-train.conllu`).
pub(crate) fn load_part(folder: &Path, part: &str) -> Result<Vec<AnnotatedSentence>, TrainError> {
    let path = find(folder, part)?;
    let failed = |source| TrainError::Io { path: path.clone(), source };
    let bytes = fs::read(&path).map_err(failed)?;
    let text = if path.extension().is_some_and(|extension| extension == "gz") {
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).map_err(failed)?;
        text
    } else {
        String::from_utf8(bytes).map_err(|_| TrainError::Treebank(format!("`{}` is not text", path.display())))?
    };
    sentences(&text)
        .map_err(|(line, reason)| TrainError::Treebank(format!("`{}`, line {line}: {reason}", path.display())))
}

fn find(folder: &Path, part: &str) -> Result<PathBuf, TrainError> {
    let entries = fs::read_dir(folder).map_err(|source| TrainError::Io { path: folder.to_owned(), source })?;
    let mut matching: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name().and_then(|name| name.to_str()).is_some_and(|name| {
                name.ends_with(&format!("{part}.conllu")) || name.ends_with(&format!("{part}.conllu.gz"))
            })
        })
        .collect();
    matching.sort();
    matching.into_iter().next().ok_or_else(|| {
        let folder = folder.display();
        TrainError::Treebank(format!("no file ending in `{part}.conllu` or `{part}.conllu.gz` in `{folder}`"))
    })
}

/// All sentences of a CoNLL-U text. Multiword ranges only say where white space is; empty nodes are left out.
pub(crate) fn sentences(text: &str) -> Result<Vec<AnnotatedSentence>, (usize, &'static str)> {
    let mut sentences = Vec::new();
    let mut current = AnnotatedSentence::default();
    // Last word of the multiword token that is being read, and whether white space follows it.
    let mut range: Option<(usize, bool)> = None;
    for (line, number) in text.lines().zip(1..) {
        if line.is_empty() {
            if !current.tokens.is_empty() {
                sentences.push(std::mem::take(&mut current));
            }
            range = None;
        } else if let Some(comment) = line.strip_prefix('#') {
            let comment = comment.trim_start();
            current.new_paragraph |= comment.starts_with("newpar") || comment.starts_with("newdoc");
        } else {
            word(line, &mut current, &mut range).map_err(|reason| (number, reason))?;
        }
    }
    if !current.tokens.is_empty() {
        sentences.push(current);
    }
    Ok(sentences)
}

fn word(line: &str, sentence: &mut AnnotatedSentence, range: &mut Option<(usize, bool)>) -> Result<(), &'static str> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [id, form, lemma, upos, xpos, _, head, relation, _, misc] = columns[..] else {
        return Err("a line does not have ten columns");
    };
    let space_after = !misc.split('|').any(|item| item == "SpaceAfter=No");
    if let Some((_, last)) = id.split_once('-') {
        *range = Some((last.parse().map_err(|_| "a multiword range is not a range")?, space_after));
        return Ok(());
    }
    if id.contains('.') {
        return Ok(());
    }
    let id: usize = id.parse().map_err(|_| "an id is not a number")?;
    let space_after = match *range {
        Some((last, space)) if id <= last => id == last && space,
        _ => space_after,
    };
    let head: usize = head.parse().map_err(|_| "a head is not a number")?;
    let upos = Upos::from_name(upos).ok_or("an unknown universal tag")?;
    let xpos = labels::xpos(xpos).ok_or("an unknown Penn tag")?;
    sentence.tokens.push(AnnotatedToken {
        form: form.to_owned(),
        lemma: lemma.to_owned(),
        tag: Tag { upos, xpos },
        head: head.checked_sub(1),
        relation: labels::relation(relation).ok_or("an unknown relation")?,
        space_after,
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_give_white_space_and_empty_nodes_vanish() {
        let text = "# newpar\n# text = I can't.\n\
            1\tI\tI\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n\
            2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n\
            2\tca\tcan\tAUX\tMD\t_\t0\troot\t_\t_\n\
            3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_\n\
            3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_\n\
            4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n";
        let sentences = sentences(text).unwrap();
        let spaces: Vec<bool> = sentences[0].tokens.iter().map(|token| token.space_after).collect();
        assert_eq!(spaces, [true, false, false, true]);
        assert_eq!(sentences[0].tokens[1].head, None);
        assert!(sentences[0].new_paragraph);
    }

    #[test]
    fn a_bad_line_is_named() {
        assert_eq!(sentences("1\tI\n").unwrap_err().0, 1);
    }
}
