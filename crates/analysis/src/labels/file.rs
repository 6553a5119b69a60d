//! [`LabelFile`]: a file of labels that is only ever added to, read as far as it has grown.
//!
//! A line is a [`HumanLabel`]. A later line of the same person about the same output replaces the earlier one, which stays in the file. A line
//! that was not written to its end is not JSON; it is skipped and counted, and the next one begins on a line of its own.

use std::collections::HashMap;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use probare_core::Sha256;
use probare_files::open_plain;
use probare_report::OutputWriter;

use probare_store::HumanLabel;

/// The longest line that is read: a case with everything that was given to the model.
const LONGEST_LINE: u64 = 64 << 20;

/// What is wrong with a file of labels.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelError {
    /// It cannot be read or written.
    #[error("`{}`: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    /// A line is no label.
    #[error("`{}`, line {line}: {reason}", path.display())]
    Line {
        path: PathBuf,
        /// Which line, from 1.
        line: u64,
        reason: String,
    },
    /// It has labels about other metrics than the one that is meant.
    #[error("`{}` has no label about `{metric}`, but about {known}", path.display())]
    OtherMetric { path: PathBuf, metric: String, known: String },
    /// It has no label of this person.
    #[error("`{}` has no label of `{name}`, but of {known}", path.display())]
    NoPerson { path: PathBuf, name: String, known: String },
    /// A label cannot be written.
    #[error("the label was not kept")]
    NotKept(#[source] io::Error),
    /// What was given is no label, or cannot be used as one.
    #[error("{0}")]
    Refused(String),
}

/// What somebody said last about an output.
#[derive(Debug, Clone, PartialEq)]
pub struct LatestLabel {
    /// The label, without the case.
    pub label: HumanLabel,
    /// The digest of the answer that was labelled, where the line has it.
    pub answer: Option<String>,
    /// Where the line stands in the file.
    place: Range<u64>,
}

/// Who said something about what.
type LatestLabelKey = (String, Option<String>, LabelledOutputKey);

/// An output, as labels name it: id, occurrence, data set, model and prompt, repeat and the digest of the answer.
pub(super) type LabelledOutputKey = (String, u32, Option<String>, Option<String>, Option<u32>, Option<String>);

impl LatestLabel {
    pub(crate) fn from_label(mut label: HumanLabel, place: Range<u64>) -> Self {
        let answer = label.case.take().and_then(|case| Some(answer_digest(&case.response?.text)));
        Self { label, answer, place }
    }

    /// The output that it is about.
    pub(super) fn output(&self) -> LabelledOutputKey {
        let HumanLabel { id, occurrence, dataset, repeat, .. } = &self.label;
        (id.clone(), *occurrence, dataset.clone(), self.label.source_name(), *repeat, self.answer.clone())
    }

    fn key(&self) -> LatestLabelKey {
        (self.label.by.clone(), self.label.metric.clone(), self.output())
    }
}

/// By what an answer is known in labels.
pub(crate) fn answer_digest(text: &str) -> String {
    Sha256::hex_digest(text)
}

/// What was read so far.
#[derive(Debug, Default)]
struct LabelFileState {
    /// Up to here.
    end: u64,
    /// When the file was written that was read.
    written: Option<SystemTime>,
    lines: u64,
    decisions: Arc<Vec<LatestLabel>>,
    places: HashMap<LatestLabelKey, usize>,
    torn: u64,
}

/// A file of labels. It is made when the first label is added.
#[derive(Debug)]
pub struct LabelFile {
    path: PathBuf,
    read: Mutex<LabelFileState>,
}

impl LabelFile {
    /// The file at this path, whether it is there already or not.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), read: Mutex::default() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a file begins with a label: JSON with at least `id`, `label`, `by` and `at`, and nothing that a label has not.
    pub fn is_label_file(path: &Path) -> bool {
        let Ok(file) = open_plain(path) else { return false };
        let mut lines = BufReader::new(file.take(LONGEST_LINE)).lines().map_while(Result::ok);
        lines.find(|line| !line.trim().is_empty()).is_some_and(|line| serde_json::from_str::<HumanLabel>(&line).is_ok())
    }

    /// What everybody said last, in the order in which it was first said.
    pub fn decisions(&self) -> Result<Arc<Vec<LatestLabel>>, LabelError> {
        Ok(Arc::clone(&self.refresh()?.decisions))
    }

    /// Lines that were not written to their end.
    pub fn torn_lines(&self) -> Result<u64, LabelError> {
        Ok(self.refresh()?.torn)
    }

    pub fn add(&self, label: &HumanLabel) -> Result<(), LabelError> {
        let line = serde_json::to_string(label).map_err(|error| self.wrong(io::Error::other(error)))?;
        if line.len() as u64 >= LONGEST_LINE {
            return Err(LabelError::Refused(format!("the case `{}` is too long to be kept with a label", label.id)));
        }
        // What cannot be read is not added to.
        drop(self.refresh()?);
        OutputWriter::append_line(&self.path, &line).map_err(LabelError::NotKept)?;
        // What was added here is read alone, and not the whole file once more.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.written = std::fs::metadata(&self.path).and_then(|found| found.modified()).ok();
        Ok(())
    }

    /// The lines that count, as they stand in the file.
    pub fn export(&self) -> Result<Vec<u8>, LabelError> {
        let decisions = self.decisions()?;
        let mut made = Vec::new();
        if decisions.is_empty() {
            return Ok(made);
        }
        self.each_text(&decisions, |_, text| {
            made.extend_from_slice(text.trim_end().as_bytes());
            made.push(b'\n');
            Ok(())
        })?;
        Ok(made)
    }

    /// The lines of some decisions, read again.
    pub(super) fn each_text(
        &self,
        decisions: &[LatestLabel],
        mut visit: impl FnMut(&LatestLabel, &str) -> Result<(), LabelError>,
    ) -> Result<(), LabelError> {
        let mut file = open_plain(&self.path).map_err(|error| self.wrong(error))?;
        for decision in decisions {
            let length = usize::try_from(decision.place.end - decision.place.start).unwrap_or_default();
            let mut text = vec![0; length];
            file.seek(SeekFrom::Start(decision.place.start)).map_err(|error| self.wrong(error))?;
            file.read_exact(&mut text).map_err(|error| self.wrong(error))?;
            visit(decision, &String::from_utf8_lossy(&text))?;
        }
        Ok(())
    }

    fn wrong(&self, source: io::Error) -> LabelError {
        LabelError::File { path: self.path.clone(), source }
    }

    /// What was read, with what came since.
    fn refresh(&self) -> Result<std::sync::MutexGuard<'_, LabelFileState>, LabelError> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = match open_plain(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                *read = LabelFileState::default();
                return Ok(read);
            }
            Err(error) => return Err(self.wrong(error)),
        };
        let found = file.metadata().map_err(|error| self.wrong(error))?;
        let written = found.modified().ok();
        if found.len() < read.end || written != read.written {
            // Somebody put another file there, edited a line or added one.
            *read = LabelFileState { written, ..LabelFileState::default() };
        }
        if found.len() == read.end {
            return Ok(read);
        }
        file.seek(SeekFrom::Start(read.end)).map_err(|error| self.wrong(error))?;
        let mut file = BufReader::new(file);
        let mut text = Vec::new();
        loop {
            text.clear();
            let taken = (&mut file).take(LONGEST_LINE + 1).read_until(b'\n', &mut text);
            let taken = taken.map_err(|error| self.wrong(error))? as u64;
            if taken == 0 {
                return Ok(read);
            }
            let line = read.lines + 1;
            let bad = |reason: String| LabelError::Line { path: self.path.clone(), line, reason };
            if taken > LONGEST_LINE {
                return Err(bad(format!("it is longer than {LONGEST_LINE} bytes")));
            }
            let is_whole = text.ends_with(b"\n");
            let place = read.end..read.end + taken;
            match serde_json::from_slice::<HumanLabel>(&text) {
                Ok(label) => read.keep(LatestLabel::from_label(label, place)),
                Err(_) if text.trim_ascii().is_empty() => {}
                // Its end may be on the way.
                Err(error) if !is_whole && !error.is_data() => return Ok(read),
                Err(error) if error.is_data() => return Err(bad(error.to_string())),
                Err(_) => read.torn += 1,
            }
            read.end += taken;
            read.lines += 1;
        }
    }
}

impl LabelFileState {
    fn keep(&mut self, decision: LatestLabel) {
        let decisions = Arc::make_mut(&mut self.decisions);
        match self.places.entry(decision.key()) {
            std::collections::hash_map::Entry::Occupied(place) => decisions[*place.get()] = decision,
            std::collections::hash_map::Entry::Vacant(place) => {
                place.insert(decisions.len());
                decisions.push(decision);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use probare_core::{Case, Output};

    use super::*;

    fn label(id: &str, label: &str, by: &str) -> HumanLabel {
        let case =
            Case { id: id.to_owned(), response: Some(Output::new(format!("answer to {id}"))), ..Case::default() };
        HumanLabel {
            id: id.to_owned(),
            label: label.to_owned(),
            by: by.to_owned(),
            at: 1_767_225_600,
            metric: Some("token_f1".to_owned()),
            case: Some(case),
            ..HumanLabel::default()
        }
    }

    fn short_decisions(file: &LabelFile) -> Vec<(String, String, String)> {
        let short = |decision: &LatestLabel| {
            let HumanLabel { id, label, by, .. } = &decision.label;
            (id.clone(), by.clone(), label.clone())
        };
        file.decisions().unwrap().iter().map(short).collect()
    }

    fn decision(id: &str, by: &str, label: &str) -> (String, String, String) {
        (id.to_owned(), by.to_owned(), label.to_owned())
    }

    #[test]
    fn a_later_line_of_the_same_person_replaces_the_earlier_and_nothing_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let file = LabelFile::new(folder.path().join("labels.jsonl"));
        assert!(short_decisions(&file).is_empty() && !file.path().exists(), "it is made with the first label");
        assert_eq!(file.export().unwrap(), b"");
        for (id, word, by) in [("a", "pass", "Ada"), ("a", "fail", "Ben"), ("b", "defer", "Ada"), ("a", "fail", "Ada")]
        {
            file.add(&label(id, word, by)).unwrap();
        }
        let now = [decision("a", "Ada", "fail"), decision("a", "Ben", "fail"), decision("b", "Ada", "defer")];
        assert_eq!(short_decisions(&file), now);
        assert_eq!(short_decisions(&LabelFile::new(file.path())), now, "whoever reads it first sees the same");
        assert_eq!(fs::read_to_string(file.path()).unwrap().lines().count(), 4, "every decision stays in the file");
        let exported = folder.path().join("exported.jsonl");
        fs::write(&exported, file.export().unwrap()).unwrap();
        assert_eq!(short_decisions(&LabelFile::new(&exported)), now);
        assert_eq!(fs::read_to_string(&exported).unwrap().lines().count(), 3);
        // Another answer to the same question is another thing to judge, and another metric asks another question.
        let mut other = label("a", "pass", "Ada");
        other.case = Some(Case { response: Some(Output::new("something else")), ..Case::default() });
        file.add(&other).unwrap();
        file.add(&HumanLabel { metric: None, ..label("a", "pass", "Ada") }).unwrap();
        assert_eq!(short_decisions(&file).len(), 5);
    }

    #[test]
    fn a_file_that_is_edited_by_hand_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = LabelFile::new(folder.path().join("labels.jsonl"));
        file.add(&label("a", "pass", "Ada")).unwrap();
        file.add(&label("b", "pass", "Ada")).unwrap();
        assert_eq!(short_decisions(&file).len(), 2);
        // The same length, other words.
        let edited = fs::read_to_string(file.path()).unwrap().replacen("pass", "fail", 1);
        std::thread::sleep(std::time::Duration::from_millis(20));
        fs::write(file.path(), edited).unwrap();
        assert_eq!(short_decisions(&file), [decision("a", "Ada", "fail"), decision("b", "Ada", "pass")]);
        file.add(&label("c", "pass", "Ada")).unwrap();
        assert_eq!(short_decisions(&file).len(), 3);
    }

    #[test]
    fn a_torn_line_is_passed_over_and_the_next_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = LabelFile::new(folder.path().join("labels.jsonl"));
        file.add(&label("a", "pass", "Ada")).unwrap();
        let whole = fs::read_to_string(file.path()).unwrap();
        fs::write(file.path(), format!("{whole}{}", &whole[..whole.len() / 2])).unwrap();
        assert_eq!(short_decisions(&file), [decision("a", "Ada", "pass")]);
        assert_eq!(file.torn_lines().unwrap(), 0, "its end may be on the way");
        file.add(&label("b", "fail", "Ada")).unwrap();
        assert_eq!(short_decisions(&file), [decision("a", "Ada", "pass"), decision("b", "Ada", "fail")]);
        assert_eq!(file.torn_lines().unwrap(), 1);
        assert_eq!(short_decisions(&LabelFile::new(file.path())).len(), 2);
        // Without a line break at its end a line can still be whole.
        fs::write(file.path(), whole.trim_end()).unwrap();
        assert_eq!(short_decisions(&LabelFile::new(file.path())).len(), 1);
    }

    #[test]
    fn what_is_no_label_is_refused_with_its_line_and_not_added_to() {
        let folder = tempfile::tempdir().unwrap();
        let file = LabelFile::new(folder.path().join("labels.jsonl"));
        fs::write(file.path(), "\n{\"id\": \"a\", \"query\": \"?\"}\n").unwrap();
        let error = file.decisions().unwrap_err().to_string();
        assert!(error.contains("labels.jsonl`, line 2: unknown field `query`"), "{error}");
        assert!(file.add(&label("a", "pass", "Ada")).is_err());
        assert!(!LabelFile::is_label_file(file.path()));
        assert!(!LabelFile::is_label_file(folder.path()) && !LabelFile::is_label_file(&folder.path().join("none")));
        assert!(LabelFile::new(folder.path()).decisions().is_err());
    }

    #[test]
    fn hostile_words_stay_words_on_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = LabelFile::new(folder.path().join("labels.jsonl"));
        let note = "</script><img src=x onerror=alert(1)>\n{\"id\":\"z\",\"label\":\"pass\"}\u{2028}\u{0}\u{202e}";
        file.add(&HumanLabel {
            note: Some(note.to_owned()),
            tags: vec!["\"\n".to_owned()],
            ..label("a", "pass", "A\"\n")
        })
        .unwrap();
        assert_eq!(fs::read_to_string(file.path()).unwrap().matches('\n').count(), 1);
        let decisions = file.decisions().unwrap();
        assert_eq!(decisions[0].label.note.as_deref(), Some(note));
        assert_eq!(decisions[0].label.tags, ["\"\n"]);
        assert!(LabelFile::is_label_file(file.path()));
    }
}
