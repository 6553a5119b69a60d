//! [`SeededSource`]: cases in an order that is drawn before any result is known.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use probare_core::{Case, CaseBatch, CaseSource, InputFile, Problem, SourceError};
use probare_report::comparison::{case_content_hash, case_order_key};
use rustc_hash::FxHashMap;

use super::baseline::CaseKey;

/// Rows that travel together: a thread takes so many at once.
const ROWS_PER_BATCH: usize = 16;

/// All samples of a run, in the seeded order of their cases. The samples of a case stay together.
pub struct SeededSource {
    rows: VecDeque<Result<Case, Problem>>,
    inputs: Vec<InputFile>,
    keys: Vec<CaseKey>,
}

impl SeededSource {
    /// Reads everything, since the order is known only then. Rows that cannot be read come first.
    ///
    /// Outputs of one case count as one value, as they do in the mean of a complete run. Were they cases of their own, those that
    /// are alike would come one after the other, and the evidence would count them several times.
    #[expect(clippy::disallowed_methods, reason = "it puts in order what the runner asks for, which scores it")]
    pub fn read(mut inner: Box<dyn CaseSource>, limit: Option<u64>, seed: u64) -> Result<Self, SourceError> {
        let mut rows: VecDeque<Result<Case, Problem>> = VecDeque::new();
        let mut cases = CaseOutputs::default();
        let most = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let mut outputs = 0;
        while let Some(batch) = inner.next_batch() {
            // Nobody works on what stands behind the limit, but its file is read to the end for its digest.
            for row in batch?.cases() {
                if outputs == most {
                    break;
                }
                match row {
                    Err(problem) => rows.push_back(Err(problem)),
                    Ok(case) => {
                        outputs += 1;
                        cases.add(case);
                    }
                }
            }
        }
        let mut ordered: Vec<([u8; 32], CaseKey, Vec<Case>)> = Vec::with_capacity(cases.list.len());
        for (occurrence, outputs) in cases.list {
            let (id, content) = (outputs[0].id.clone(), case_content_hash(&outputs[0]));
            let place = case_order_key(seed, &id, occurrence);
            ordered.push((place, CaseKey { id, occurrence, content, outputs: outputs.len() as u64 }, outputs));
        }
        ordered.sort_by_key(|(place, ..)| *place);
        let mut keys = Vec::with_capacity(ordered.len());
        for (_, key, outputs) in ordered {
            keys.push(key);
            rows.extend(outputs.into_iter().map(Ok));
        }
        Ok(Self { rows, inputs: inner.inputs()?, keys })
    }

    /// How many cases there are, each with all of its samples.
    pub const fn case_count(&self) -> usize {
        self.keys.len()
    }

    /// By what each case is known, in their order.
    pub(crate) fn keys(&self) -> &[CaseKey] {
        &self.keys
    }

    /// The samples, in their order.
    pub fn samples(&self) -> impl Iterator<Item = &Case> {
        self.rows.iter().filter_map(|row| row.as_ref().ok())
    }

    /// Leaves out all cases but the first ones.
    pub fn truncate_cases(&mut self, cases: usize) {
        let problems = self.rows.iter().take_while(|row| row.is_err()).count();
        let samples: u64 = self.keys.iter().take(cases).map(|key| key.outputs).sum();
        self.rows.truncate(problems.saturating_add(usize::try_from(samples).unwrap_or(usize::MAX)));
    }

    /// The files that were read.
    pub fn take_inputs(&mut self) -> Vec<InputFile> {
        std::mem::take(&mut self.inputs)
    }
}

/// Cases with their outputs, in the order in which they begin.
#[derive(Default)]
struct CaseOutputs {
    /// Which case of its id each is, counted from 0, and its outputs.
    list: Vec<(u32, Vec<Case>)>,
    /// The last case of each id.
    last: FxHashMap<String, usize>,
}

impl CaseOutputs {
    /// Takes in an output. Of a run the store knows its case; in a file it belongs to the last case of its id, unless it has the
    /// model and the repeat of that one's first output: then another case of the same id begins, as in summaries.
    fn add(&mut self, output: Case) {
        let seat = |case: &Case| {
            let given = case.response.as_ref();
            (given.and_then(|output| output.model.clone()), given.map_or(0, |output| output.repeat))
        };
        let row = |case: &Case| case.sample.map(|sample| (sample.dataset, sample.row));
        let next = self.list.len();
        match self.last.entry(output.id.clone()) {
            Entry::Vacant(place) => {
                place.insert(next);
                self.list.push((0, vec![output]));
            }
            Entry::Occupied(mut place) => {
                let (occurrence, outputs) = &mut self.list[*place.get()];
                let first = &outputs[0];
                let is_same = row(first) == row(&output) && (row(first).is_some() || seat(first) != seat(&output));
                if is_same {
                    outputs.push(output);
                } else {
                    let occurrence = *occurrence + 1;
                    place.insert(next);
                    self.list.push((occurrence, vec![output]));
                }
            }
        }
    }
}

struct SeededBatch(Vec<Result<Case, Problem>>);

impl CaseBatch for SeededBatch {
    fn cases(&self) -> Vec<Result<Case, Problem>> {
        self.0.clone()
    }
}

impl CaseSource for SeededSource {
    fn next_batch(&mut self) -> Option<Result<Box<dyn CaseBatch>, SourceError>> {
        let count = self.rows.len().min(ROWS_PER_BATCH);
        let rows: Vec<_> = self.rows.drain(..count).collect();
        (!rows.is_empty()).then(|| Ok(Box::new(SeededBatch(rows)) as Box<dyn CaseBatch>))
    }

    fn inputs(&mut self) -> Result<Vec<InputFile>, SourceError> {
        Ok(self.take_inputs())
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{MemorySource, Output, SampleKey, seeded_order};

    use super::*;

    #[test]
    fn cases_come_in_the_seeded_order_with_their_samples_together() {
        let sample = |row: u64, repeat: u32| Case {
            id: format!("c{row}"),
            sample: Some(SampleKey { dataset: 0, row, occurrence: 0, model: Some(0), prompt: None, repeat }),
            ..Case::default()
        };
        let all: Vec<Case> = (0..40).flat_map(|row| [sample(row, 0), sample(row, 1)]).collect();
        let read = |seed, limit| {
            let source = MemorySource::new(all.clone(), Vec::new());
            let mut source = SeededSource::read(Box::new(source), limit, seed).unwrap();
            let count = source.case_count();
            let mut found = Vec::new();
            #[expect(clippy::disallowed_methods, reason = "a test of the source")]
            while let Some(batch) = source.next_batch() {
                found.extend(batch.unwrap().cases().into_iter().map(|case| {
                    let case = case.unwrap();
                    (case.id.clone(), case.sample.unwrap().repeat)
                }));
            }
            (count, found)
        };
        let (count, found) = read(7, None);
        assert_eq!((count, found.len()), (40, 80));
        let ids: Vec<String> = (0..40).map(|row| format!("c{row}")).collect();
        let order = seeded_order(7, ids.iter().map(String::as_str));
        for (at, place) in order.into_iter().enumerate() {
            assert_eq!(found[2 * at], (ids[place].clone(), 0));
            assert_eq!(found[2 * at + 1], (ids[place].clone(), 1));
        }
        assert_ne!(read(8, None).1, found);
        assert_eq!(read(7, Some(20)).0, 10, "a limit counts samples");
    }

    /// Ids, models, repeats and occurrences in the order in which they come.
    fn read_rows(rows: Vec<(&str, Option<&str>, u32)>, limit: Option<u64>) -> (SeededSource, Vec<(String, u32)>) {
        let case = |(id, model, repeat): (&str, Option<&str>, u32)| Case {
            id: id.to_owned(),
            response: Some(Output { text: String::new(), model: model.map(str::to_owned), repeat }),
            ..Case::default()
        };
        let source = MemorySource::new(rows.into_iter().map(case).collect(), Vec::new());
        let source = SeededSource::read(Box::new(source), limit, 3).unwrap();
        let found = source.samples().map(|case| (case.id.clone(), case.response.as_ref().unwrap().repeat)).collect();
        (source, found)
    }

    #[test]
    fn outputs_of_a_case_are_one_case_wherever_they_stand_in_a_file() {
        let rows = vec![("a", None, 0), ("b", None, 0), ("a", None, 1), ("b", None, 1), ("a", None, 2), ("c", None, 0)];
        let (mut source, found) = read_rows(rows.clone(), None);
        let mut outputs: Vec<(&str, u64)> = source.keys().iter().map(|key| (key.id.as_str(), key.outputs)).collect();
        outputs.sort_unstable();
        assert_eq!(outputs, [("a", 3), ("b", 2), ("c", 1)]);
        for id in ["a", "b", "c"] {
            let repeats: Vec<u32> = found.iter().filter(|(of, _)| of == id).map(|(_, repeat)| *repeat).collect();
            let places: Vec<usize> = (0..found.len()).filter(|at| found[*at].0 == id).collect();
            assert_eq!(repeats, (0..u32::try_from(repeats.len()).unwrap()).collect::<Vec<_>>());
            assert_eq!(places.last().unwrap() - places[0] + 1, places.len(), "{found:?}");
        }
        let first = usize::try_from(source.keys()[0].outputs).unwrap();
        source.truncate_cases(1);
        assert_eq!(source.samples().count(), first);
        assert_eq!(read_rows(rows, Some(4)).1.len(), 4, "a limit counts rows, as it does in a complete run");
        let (source, _) = read_rows(vec![("a", Some("m"), 0), ("a", Some("n"), 0), ("a", Some("m"), 0)], None);
        assert_eq!(source.keys().iter().map(|key| key.outputs).sum::<u64>(), 3);
        assert_eq!(source.case_count(), 2, "the same model again is another case of the same id");
    }

    #[test]
    fn cases_of_one_id_do_not_come_together() {
        let ids: Vec<String> = (0..40).map(|at| format!("doc{}", at / 10)).collect();
        let rows = ids.iter().map(|id| (id.as_str(), None, 0)).collect();
        let (source, found) = read_rows(rows, None);
        assert_eq!(source.case_count(), 40);
        let changes = found.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
        assert!(changes > 15, "{found:?}");
    }
}
