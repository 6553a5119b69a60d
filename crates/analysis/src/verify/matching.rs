//! [`RowMatcher`]: rows of a file beside computed results, by id, model, repeat and occurrence.
//!
//! Both come in the order of the cases, so that usually the next row belongs to the next result and nothing is kept. What
//! finds no partner waits for it; rows with the same key are matched in their order.

use std::collections::VecDeque;
use std::io;

use probare_core::{CaseResult, ErrorKind, MetricInfo, MetricResult};
use probare_engine::EXPECTATIONS;
use probare_formats::results::{FileRows, KeyedRow, RowContent, RowFormat, RowKey};
use probare_report::ReportFormat;
use rustc_hash::FxHashMap;

use super::Verdict;
use super::row_differences::{compare_cells, compare_lines};

/// The rows of a file, and what is out of step.
pub(super) struct RowMatcher {
    /// Nothing once the file has ended.
    rows: Option<FileRows>,
    columns: Option<Vec<String>>,
    form: RowFormat,
    metrics: Vec<String>,
    /// Rows read and results seen so far.
    row: u64,
    case: u64,
    /// The furthest of both that found their partners.
    last_row: u64,
    last_case: u64,
    waiting_rows: FxHashMap<RowKey, VecDeque<KeyedRow>>,
    waiting_cases: FxHashMap<RowKey, VecDeque<(u64, CaseResult)>>,
    /// Of a page, which may leave cases out.
    page: Option<PageProgress>,
}

/// What is known of a page that is being gone through: its rows come in input order.
#[derive(Default)]
struct PageProgress {
    /// The row that waits for its case.
    next: Option<KeyedRow>,
    /// Cases that it leaves out.
    left_out: Vec<RowKey>,
}

/// A page with fewer cases than this has all of them.
const WHOLE_PAGE: u64 = 1_000;

impl RowMatcher {
    /// Starts; columns that are missing, added or moved are named.
    pub(super) fn new(
        (format, version): (ReportFormat, u32),
        metrics: &[MetricInfo],
        rows: FileRows,
        verdict: &mut Verdict,
    ) -> Self {
        let form = RowFormat::new(format, version, metrics);
        let columns = rows.columns().map(<[String]>::to_vec);
        if let (Some(recorded), Some(wanted)) = (&columns, form.columns()) {
            compare_columns(recorded, wanted, verdict);
        }
        Self {
            rows: Some(rows),
            columns,
            form,
            metrics: metrics.iter().map(|metric| metric.name.clone()).collect(),
            row: 0,
            case: 0,
            last_row: 0,
            last_case: 0,
            waiting_rows: FxHashMap::default(),
            waiting_cases: FxHashMap::default(),
            page: (format == ReportFormat::Html).then(PageProgress::default),
        }
    }

    /// Finds the row of a result and compares them.
    pub(super) fn match_result(&mut self, result: &CaseResult, verdict: &mut Verdict) -> io::Result<()> {
        self.case += 1;
        if self.page.is_some() {
            return self.take_on_page(result, verdict);
        }
        let in_step = self.waiting_rows.is_empty() && self.waiting_cases.is_empty();
        if in_step {
            // The usual case, in which nothing needs to be understood.
            let Some(content) = self.read(verdict) else {
                self.report_missing_row(result, verdict);
                return Ok(());
            };
            if self.form.is_written_as(&content, result)? {
                (self.last_row, self.last_case) = (self.row, self.case);
                return Ok(());
            }
            return match self.with_key(content, verdict) {
                Some(row) => self.settle(Some(row), result, verdict),
                None => self.settle(None, result, verdict),
            };
        }
        self.settle(None, result, verdict)
    }

    /// The case is the next one on the page, or it is not on the page at all.
    fn take_on_page(&mut self, result: &CaseResult, verdict: &mut Verdict) -> io::Result<()> {
        let mut page = self.page.take().unwrap_or_default();
        if page.next.is_none() {
            page.next = self.read(verdict).and_then(|content| self.with_key(content, verdict));
        }
        let key = self.form.key_of(result);
        let found = page.next.take_if(|row| row.key == key);
        let compared = if let Some(row) = found {
            self.pair(self.case, &row, result, verdict)
        } else {
            if (page.left_out.len() as u64) < WHOLE_PAGE {
                page.left_out.push(key);
            }
            Ok(())
        };
        self.page = Some(page);
        compared
    }

    /// Finds the partner of a result, `next` being the row that was read last, if it has no partner yet.
    fn settle(&mut self, mut next: Option<KeyedRow>, result: &CaseResult, verdict: &mut Verdict) -> io::Result<()> {
        let key = self.form.key_of(result);
        if let Some(row) = pop(&mut self.waiting_rows, &key) {
            // Rows behind it have found their cases already: it stands too early.
            if row.number < self.last_row {
                report_moved(&row, verdict);
            }
            return self.pair(self.case, &row, result, verdict);
        }
        loop {
            let row = match next.take() {
                Some(row) => row,
                None => match self.read(verdict) {
                    None => {
                        self.report_missing_row(result, verdict);
                        return Ok(());
                    }
                    Some(content) => match self.with_key(content, verdict) {
                        Some(row) => row,
                        None => continue,
                    },
                },
            };
            if let Some((number, earlier)) = pop(&mut self.waiting_cases, &row.key) {
                self.pair_late(number, &row, &earlier, verdict)?;
                continue;
            }
            if row.key == key {
                return self.pair(self.case, &row, result, verdict);
            }
            self.waiting_rows.entry(row.key.clone()).or_default().push_back(row);
            self.waiting_cases.entry(key).or_default().push_back((self.case, result.clone()));
            return Ok(());
        }
    }

    /// A row whose case came before.
    fn pair_late(&mut self, number: u64, row: &KeyedRow, result: &CaseResult, verdict: &mut Verdict) -> io::Result<()> {
        if number < self.last_case {
            report_moved(row, verdict);
        }
        self.pair(number, row, result, verdict)
    }

    fn pair(&mut self, case: u64, row: &KeyedRow, result: &CaseResult, verdict: &mut Verdict) -> io::Result<()> {
        self.last_row = self.last_row.max(row.number);
        self.last_case = self.last_case.max(case);
        if self.form.is_written_as(&row.content, result)? {
            return Ok(());
        }
        let now = self.form.format_row(result)?;
        verdict.absent = self.metrics_without_reply(result, &verdict.judged);
        match (&self.columns, &row.content, &now) {
            (Some(columns), _, _) => compare_cells(&self.form, columns, &row.content, &now, &result.case, verdict),
            (None, RowContent::Text(recorded), RowContent::Text(now)) => {
                compare_lines(recorded, now, self.form.is_earlier(), &result.case, verdict);
            }
            _ => {}
        }
        Ok(())
    }

    /// Judged metrics that miss a reply for this case, and what follows from them.
    fn metrics_without_reply(&self, result: &CaseResult, judged: &[String]) -> Vec<String> {
        let is_missing = |named: &MetricResult| named.as_ref().is_err_and(|error| error.kind() == ErrorKind::Missing);
        let names = self.metrics.iter().zip(&result.results);
        let mut absent: Vec<String> = names
            .filter(|(name, named)| judged.contains(name) && is_missing(named))
            .map(|(name, _)| name.clone())
            .collect();
        if !absent.is_empty() {
            absent.push(EXPECTATIONS.to_owned());
        }
        absent
    }

    /// A result without a row. Once the file has ended nothing can come any more, so nothing is kept.
    fn report_missing_row(&self, result: &CaseResult, verdict: &mut Verdict) {
        debug_assert!(self.rows.is_none(), "a row may still come");
        report_missing(&self.form.key_of(result), verdict);
    }

    fn read(&mut self, verdict: &mut Verdict) -> Option<RowContent> {
        let next = self.rows.as_mut()?.next();
        if !matches!(next, Some(Ok(_))) {
            self.rows = None;
        }
        match next? {
            Ok(content) => {
                self.row += 1;
                Some(content)
            }
            Err(reason) => {
                verdict.about_file(format!("after row {} the file cannot be read any further: {reason}", self.row));
                None
            }
        }
    }

    /// The row with its key; what has none is named.
    fn with_key(&self, content: RowContent, verdict: &mut Verdict) -> Option<KeyedRow> {
        match self.form.key(&content, self.columns.as_deref()) {
            Ok(key) => Some(KeyedRow { number: self.row, key, content }),
            Err(reason) => {
                verdict.about_file(format!("row {} is no result: {reason}", self.row));
                None
            }
        }
    }

    /// Names what never found a partner.
    pub(super) fn finish(&mut self, verdict: &mut Verdict) -> io::Result<()> {
        if let Some(PageProgress { next, left_out }) = self.page.take() {
            if let Some(row) = next {
                report_added(row.number, &row.key, verdict);
            }
            if self.case < WHOLE_PAGE {
                for key in &left_out {
                    report_missing(key, verdict);
                }
            }
        }
        while let Some(content) = self.read(verdict) {
            let Some(row) = self.with_key(content, verdict) else { continue };
            match pop(&mut self.waiting_cases, &row.key) {
                Some((number, result)) => self.pair_late(number, &row, &result, verdict)?,
                None => report_added(row.number, &row.key, verdict),
            }
        }
        let mut cases: Vec<(u64, RowKey)> = Vec::new();
        for (key, waiting) in self.waiting_cases.drain() {
            cases.extend(waiting.into_iter().map(|(number, _)| (number, key.clone())));
        }
        cases.sort();
        for (_, key) in &cases {
            report_missing(key, verdict);
        }
        let mut rows: Vec<(u64, RowKey)> = Vec::new();
        for (key, waiting) in self.waiting_rows.drain() {
            rows.extend(waiting.into_iter().map(|row| (row.number, key.clone())));
        }
        rows.sort();
        for (number, key) in &rows {
            report_added(*number, key, verdict);
        }
        Ok(())
    }
}

fn report_moved(row: &KeyedRow, verdict: &mut Verdict) {
    verdict.about_case(
        &key_text(&row.key),
        format!("row {} was moved: its case stands elsewhere in the input", row.number),
    );
}

fn report_missing(key: &RowKey, verdict: &mut Verdict) {
    verdict.about_case(&key_text(key), "the row is missing from the file".to_owned());
}

fn report_added(number: u64, key: &RowKey, verdict: &mut Verdict) {
    verdict.about_case(&key_text(key), format!("row {number} was added: there is no such case, or not so often"));
}

/// A key in words.
fn key_text(key: &RowKey) -> String {
    let mut words = key.id.clone();
    if let Some(model) = &key.model {
        words.push_str(&format!(", model {model}"));
    }
    if let Some(prompt) = &key.prompt {
        words.push_str(&format!(", prompt {prompt}"));
    }
    if key.repeat > 0 {
        words.push_str(&format!(", repeat {}", key.repeat));
    }
    words
}

/// The first that waits under a key.
fn pop<T>(waiting: &mut FxHashMap<RowKey, VecDeque<T>>, key: &RowKey) -> Option<T> {
    let queue = waiting.get_mut(key)?;
    let first = queue.pop_front();
    if queue.is_empty() {
        waiting.remove(key);
    }
    first
}

fn compare_columns(recorded: &[String], wanted: &[String], verdict: &mut Verdict) {
    if recorded == wanted {
        return;
    }
    for name in wanted.iter().filter(|name| !recorded.contains(name)) {
        verdict.about_file(format!("the column `{name}` is missing"));
    }
    for name in recorded.iter().filter(|name| !wanted.contains(name)) {
        verdict.about_file(format!("the column `{name}` was added"));
    }
    let mut sorted = (recorded.to_vec(), wanted.to_vec());
    sorted.0.sort();
    sorted.1.sort();
    if sorted.0 == sorted.1 {
        verdict.about_file("the columns stand in another order".to_owned());
    } else if recorded.len() != recorded.iter().collect::<std::collections::BTreeSet<_>>().len() {
        verdict.about_file("a column occurs twice".to_owned());
    }
}
