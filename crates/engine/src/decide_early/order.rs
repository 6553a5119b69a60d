//! [`SeededSource`]: cases in an order that is drawn before any result is known.

use std::collections::{BTreeMap, VecDeque};

use probare_core::{Case, CaseBatch, CaseSource, InputFile, Problem, SourceError, seeded_order};
use probare_report::comparison::case_content_hash;

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
    #[expect(clippy::disallowed_methods, reason = "it puts in order what the runner asks for, which scores it")]
    pub fn read(mut inner: Box<dyn CaseSource>, limit: Option<u64>, seed: u64) -> Result<Self, SourceError> {
        let mut problems = Vec::new();
        let mut cases: Vec<Vec<Case>> = Vec::new();
        while let Some(batch) = inner.next_batch() {
            for row in batch?.cases() {
                match row {
                    Err(problem) => problems.push(Err(problem)),
                    Ok(case) => match cases.last_mut().filter(|last| is_same_case(&last[0], &case)) {
                        Some(samples) => samples.push(case),
                        None => cases.push(vec![case]),
                    },
                }
            }
        }
        let most = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        cases.truncate(most);
        let mut occurrences: BTreeMap<String, u32> = BTreeMap::new();
        let mut numbered = Vec::with_capacity(cases.len());
        for samples in &cases {
            let count = occurrences.entry(samples[0].id.clone()).or_default();
            numbered.push(*count);
            *count += 1;
        }
        let order = seeded_order(seed, cases.iter().map(|samples| samples[0].id.as_str()));
        let mut rows: VecDeque<Result<Case, Problem>> = problems.into();
        let mut keys = Vec::with_capacity(cases.len());
        for place in order {
            let samples = std::mem::take(&mut cases[place]);
            let first = &samples[0];
            let (id, content) = (first.id.clone(), case_content_hash(first));
            keys.push(CaseKey { id, occurrence: numbered[place], content });
            rows.extend(samples.into_iter().map(Ok));
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

    /// Leaves out all samples but the first ones.
    pub fn truncate_samples(&mut self, samples: usize) {
        let problems = self.rows.iter().take_while(|row| row.is_err()).count();
        self.rows.truncate(problems + samples);
    }

    /// The files that were read.
    pub fn take_inputs(&mut self) -> Vec<InputFile> {
        std::mem::take(&mut self.inputs)
    }
}

fn is_same_case(one: &Case, other: &Case) -> bool {
    let place = |case: &Case| case.sample.map(|sample| (sample.dataset, sample.row));
    place(one).is_some() && place(one) == place(other)
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
    use probare_core::{MemorySource, SampleKey};

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
        assert_eq!(read(7, Some(10)).0, 10);
    }
}
