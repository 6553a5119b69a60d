//! One answer is compared with one reference: each kind of reference is looked for in its own way, and each mention has its doubts.

use std::ops::Range;

use probare_english::text_analysis::TextAnalysis;
use probare_text::quantities::Amount;

use super::amounts;
use super::answer::{MatchMethod, Occurrence};
use super::calendar::{self, CalendarDate, DateComparison};
use super::doubts::AnswerContext;
use super::forms::{find_run_together, list_items, reference_amounts};
use super::names::{NameMatch, PersonName};
use super::phrase::ReferencePhrase;
use super::question::{QuestionKind, is_content};
use super::spans::SpanSet;
use super::verdict::{AnswerVerdict, Rejection};
use super::words::WordGap;
use super::yes_no;

/// Most mentions of one reference that are looked at.
const MOST_MENTIONS: usize = 40;

/// Most dates of a reference that are compared one by one; what has more is a text.
const MOST_DATES: usize = 8;

/// How likely an answer is right although it lacks a reference: fitted on natural answers, where references are incomplete.
pub(super) mod open {
    /// A part of the reference is there, or all of it in a doubtful place: doubts that deny nothing never make an answer `wrong`.
    pub const MENTIONED: f64 = 0.15;
    /// Another number or date stands in its place.
    pub const CONFLICT: f64 = 0.1;
    /// A name is asked for, and others are given.
    pub const NAME: f64 = 0.05;
    /// A place can be told by what it lies in or near.
    pub const PLACE: f64 = 0.2;
    /// A thing or a reason can be put in other words.
    pub const WORDING: f64 = 0.3;
}

/// One answer, and what was read from it.
#[derive(Debug)]
pub(crate) struct ReferenceMatcher<'a> {
    context: AnswerContext<'a>,
    amounts: Option<Vec<Amount>>,
    days: Option<Vec<CalendarDate>>,
}

impl<'a> ReferenceMatcher<'a> {
    /// Nothing is read before it is needed.
    pub fn new(context: AnswerContext<'a>) -> Self {
        Self { context, amounts: None, days: None }
    }

    /// The verdict that one reference gives.
    pub fn match_reference(&mut self, index: usize, form: &str) -> AnswerVerdict {
        let verdict = self.match_form(index, form);
        if verdict.matched >= 0.6 {
            return verdict;
        }
        match find_run_together(self.context.answer.text, form) {
            Some(bytes) => self.mention_verdict(
                index,
                &[self.context.answer.words_in(&bytes)],
                MatchMethod::RunTogether,
                1.0,
                false,
            ),
            None => verdict,
        }
    }

    fn match_form(&mut self, index: usize, form: &str) -> AnswerVerdict {
        let question = self.context.question;
        if question.kind == QuestionKind::YesOrNo
            && let Some(expected) = yes_no::reference_polarity(form)
        {
            return self.yes_or_no(index, expected);
        }
        let phrase = ReferencePhrase::new(form, question);
        if phrase.words.is_empty() {
            return self.symbol(index, form);
        }
        let days = calendar::calendar_dates(form, question.kind);
        let is_date = (1..=MOST_DATES).contains(&days.len()) && self.is_mostly(&days, form, &phrase);
        if is_date
            && !phrase.is_all_of(self.context.answer)
            && let Some(verdict) = self.match_dates(index, &days)
        {
            return verdict;
        }
        let amounts = if is_date { Vec::new() } else { reference_amounts(form, question) };
        let exact = phrase.exact_occurrences(self.context.answer);
        if let [amount] = &amounts[..]
            && let Some(verdict) = self.match_number(index, form, amount, &exact)
        {
            return verdict;
        }
        if !exact.is_empty() {
            return self.best_mention(index, exact, 1.0, is_date || !amounts.is_empty());
        }
        if let Some(items) = list_items(form, &phrase, question) {
            return self.match_list(index, &items, &phrase);
        }
        self.match_phrase(index, &phrase)
    }

    /// A reference without words, such as a symbol: equal characters.
    fn symbol(&self, index: usize, form: &str) -> AnswerVerdict {
        let (form, text) = (form.trim(), self.context.answer.text);
        let mut verdict = AnswerVerdict::unmatched(index, 0.0);
        if form.is_empty() {
            verdict.matched = f64::from(text.trim().is_empty());
        } else if let Some(at) = text.find(form) {
            verdict.matched = 1.0;
            verdict.matches.push((at..at + form.len(), MatchMethod::Exact));
        }
        verdict
    }

    fn yes_or_no(&self, index: usize, expected: bool) -> AnswerVerdict {
        let answer = self.context.answer;
        let read = TextAnalysis::new(answer.text).yes_or_no(Some(&TextAnalysis::new(&self.context.question.text)));
        // Words for yes or no decide; what a statement means for the question is likely and no more.
        let way = if read.is_said && read.marker.is_some() { MatchMethod::YesOrNo } else { MatchMethod::Statement };
        let bytes = read.marker.unwrap_or(0..answer.text.len());
        match read.sense {
            Some(sense) if sense == expected => AnswerVerdict {
                matched: way.confidence(),
                matches: vec![(bytes, way)],
                ..AnswerVerdict::unmatched(index, 0.0)
            },
            Some(_) => {
                let open = if way == MatchMethod::YesOrNo { 0.0 } else { open::WORDING };
                AnswerVerdict::unmatched(index, open).with_rejection(bytes, Rejection::Opposite)
            }
            None => AnswerVerdict::unmatched(index, open::WORDING),
        }
    }

    /// The verdict on a mention that has these parts.
    fn mention_verdict(
        &self,
        index: usize,
        parts: &[Range<usize>],
        way: MatchMethod,
        coverage: f64,
        is_number: bool,
    ) -> AnswerVerdict {
        let answer = self.context.answer;
        let mut verdict = AnswerVerdict::unmatched(index, 0.0);
        let mut confidence = 1.0;
        for (doubt, words) in self.context.mention_doubts(parts, is_number) {
            confidence *= 1.0 - doubt.share();
            verdict.rejections.push((answer.bytes(&words), Rejection::Mention(doubt)));
        }
        verdict.matches = parts.iter().map(|part| (answer.bytes(part), way)).collect();
        (verdict.matched, verdict.doubt) = (way.confidence() * (1.0 + coverage) / 2.0, 1.0 - confidence);
        verdict
    }

    /// The verdict on the best of several mentions; those that cover less than `needed` are a part of the reference.
    fn best_mention(&self, index: usize, mentions: Vec<Occurrence>, needed: f64, is_number: bool) -> AnswerVerdict {
        let mut best: Option<AnswerVerdict> = None;
        for mention in mentions.into_iter().take(MOST_MENTIONS) {
            probare_cancellation::count_steps(1);
            if self.is_echo(&mention.words) {
                continue;
            }
            let parts = std::slice::from_ref(&mention.words);
            let mut verdict = self.mention_verdict(index, parts, mention.method, mention.coverage, is_number);
            if mention.coverage < needed {
                verdict.matched = mention.method.confidence() * mention.coverage / needed / 2.0;
            }
            if best.as_ref().is_none_or(|known| verdict.value() > known.value()) {
                best = Some(verdict);
            }
            if best.as_ref().is_some_and(|best| best.value() > 0.99) {
                break;
            }
        }
        best.unwrap_or_else(|| AnswerVerdict::unmatched(index, open::CONFLICT))
    }

    /// Whether a number only repeats the question: `season 4`.
    fn is_echo(&self, mention: &Range<usize>) -> bool {
        let answer = self.context.answer;
        let is_number = mention.len() == 1 && answer.words[mention.start].starts_with_digit();
        is_number
            && mention.start > 0
            && answer.words[mention.start].gap <= WordGap::Space
            && is_content(&answer.words[mention.start - 1])
            && self.context.question.contains_pair(answer.word(mention.start - 1), answer.word(mention.start))
    }

    /// The dates of the answer that the question does not have.
    fn answer_days(&mut self) -> &[CalendarDate] {
        let scene = self.context;
        self.days.get_or_insert_with(|| {
            let mut days = calendar::calendar_dates(scene.answer.text, scene.question.kind);
            let is_new = |at: usize| !scene.question.has_any(&[scene.answer.word(at)]);
            days.retain(|day| scene.answer.words_in(&day.span).any(is_new));
            days
        })
    }

    /// Whether a reference is a date rather than a phrase with a date in it.
    fn is_mostly(&self, days: &[CalendarDate], form: &str, phrase: &ReferencePhrase) -> bool {
        let is_time = matches!(self.context.question.kind, QuestionKind::Time { .. });
        let spans = SpanSet::new(days.iter().map(|day| day.span.clone()));
        let inside = phrase.content.iter().filter(|(at, _)| spans.contains(&phrase.words[*at].span));
        let share = inside.count() as f64 / phrase.content.len().max(1) as f64;
        let is_bare_number = form.trim().bytes().all(|byte| byte.is_ascii_digit());
        if is_time { share >= 0.5 } else { share >= 0.8 && !is_bare_number }
    }

    fn match_dates(&mut self, index: usize, days: &[CalendarDate]) -> Option<AnswerVerdict> {
        let kind = self.context.question.kind;
        let (mut met, mut way, mut other) = (Vec::new(), MatchMethod::Date, None);
        for day in days {
            match calendar::compare_dates(day, self.answer_days(), kind) {
                DateComparison::Given(span) => met.push(span),
                DateComparison::Coarser(span) => {
                    met.push(span);
                    way = MatchMethod::PartOfDate;
                }
                DateComparison::Different(span) => other = Some(span),
                DateComparison::Nothing => return None,
            }
        }
        if met.is_empty() {
            return other.map(|span| {
                AnswerVerdict::unmatched(index, open::CONFLICT).with_rejection(span, Rejection::OtherDate)
            });
        }
        met.sort_by_key(|span| span.start);
        met.dedup();
        let parts: Vec<Range<usize>> = met.iter().map(|span| self.context.answer.words_in(span)).collect();
        let mut verdict = self.mention_verdict(index, &parts, way, 1.0, true);
        if let Some(span) = other {
            verdict.matched /= 2.0;
            verdict.rejections.push((span, Rejection::OtherDate));
        }
        Some(verdict)
    }

    /// The verdict on a number. Where all of the reference stands around it (`exact`), the noun that is counted is part of the mention.
    fn match_number(
        &mut self,
        index: usize,
        form: &str,
        reference: &Amount,
        exact: &[Occurrence],
    ) -> Option<AnswerVerdict> {
        let is_rough = ["about", "around", "approximately", "roughly", "over", "nearly", "some"]
            .iter()
            .any(|word| form.to_ascii_lowercase().starts_with(word));
        let answer = self.context.answer;
        let mut mentions = Vec::new();
        let mut other = None;
        let amounts = std::mem::take(&mut self.amounts).unwrap_or_else(|| amounts::numbers(answer.text, true));
        for amount in &amounts {
            probare_cancellation::count_steps(1);
            let words = answer.words_in(&amount.span);
            if words.is_empty() || self.is_echo(&words) {
                continue;
            }
            if amounts::matches_reference(reference, amount, is_rough) {
                let holds = |known: &&Occurrence| known.words.start <= words.start && words.end <= known.words.end;
                let words = exact.iter().find(holds).map_or(words, |known| known.words.clone());
                mentions.push(Occurrence { words, method: MatchMethod::Number, coverage: 1.0 });
            } else {
                other.get_or_insert_with(|| amount.span.clone());
            }
        }
        self.amounts = Some(amounts);
        match (mentions.is_empty(), other) {
            (false, _) => Some(self.best_mention(index, mentions, 1.0, true)),
            (true, Some(span)) => {
                Some(AnswerVerdict::unmatched(index, open::CONFLICT).with_rejection(span, Rejection::OtherNumber))
            }
            (true, None) => None,
        }
    }

    fn match_list(&mut self, index: usize, items: &[&str], phrase: &ReferencePhrase) -> AnswerVerdict {
        let mut parts = Vec::new();
        let (mut found, mut trust, mut way) = (0_usize, 0.0, MatchMethod::Exact);
        for item in items {
            probare_cancellation::count_steps(1);
            let verdict = self.match_form(index, item);
            if verdict.matched < 0.5 {
                continue;
            }
            found += 1;
            trust += verdict.matched;
            if let Some((bytes, how)) = verdict.matches.first() {
                parts.push(self.context.answer.words_in(bytes));
                way = if how.confidence() < way.confidence() { *how } else { way };
            }
        }
        if found == 0 {
            return self.match_phrase(index, phrase);
        }
        parts.sort_by_key(|part| part.start);
        let mut verdict = self.mention_verdict(index, &parts, way, 1.0, false);
        verdict.matched =
            if found == items.len() { trust / found as f64 } else { found as f64 / items.len() as f64 / 2.0 };
        verdict
    }

    fn match_phrase(&mut self, index: usize, phrase: &ReferencePhrase) -> AnswerVerdict {
        let (answer, question) = (self.context.answer, self.context.question);
        let mut mentions = phrase.alias_occurrences(answer, question);
        mentions.extend(phrase.initials_occurrences(answer));
        let (named, others) = match PersonName::from_phrase(phrase).filter(PersonName::has_first) {
            Some(name) => self.name_occurrences(&name),
            None => (Vec::new(), Vec::new()),
        };
        mentions.extend(named);
        if !mentions.is_empty() {
            return self.best_mention(index, mentions, 0.0, false);
        }
        let alike = phrase.similar_occurrence(answer).filter(|mention| mention.coverage > 0.0);
        if let Some(mention) = alike {
            let is_somebody_else = !others.is_empty();
            let mut verdict = self.best_mention(index, vec![mention], phrase.required_coverage(), false);
            if is_somebody_else {
                // A surname that belongs to somebody else is no match; what shows that comes first.
                verdict.matched = verdict.matched.min(0.4);
                verdict.matches.clear();
                let bearers = others.iter().map(|words| (answer.bytes(words), Rejection::OtherBearer));
                verdict.rejections.splice(0..0, bearers);
            }
            return verdict;
        }
        let is_place = question.has_any(&["where", "which"]);
        AnswerVerdict::unmatched(
            index,
            match (phrase.is_proper(), is_place) {
                (true, false) => open::NAME,
                (true, true) => open::PLACE,
                (false, _) => open::WORDING,
            },
        )
    }

    /// Where a person's name stands in the answer, and where somebody else of the surname does.
    fn name_occurrences(&self, name: &PersonName<'_>) -> (Vec<Occurrence>, Vec<Range<usize>>) {
        let (answer, question) = (self.context.answer, self.context.question);
        let is_person = question.kind == QuestionKind::Person || name.is_personal();
        let (mut same, mut others) = (Vec::new(), Vec::new());
        for meeting in name.name_matches(answer, question) {
            match meeting {
                // A part of what is no person's name is not enough.
                NameMatch::Same(mention) if is_person || mention.coverage > 0.6 => same.push(mention),
                NameMatch::Same(_) => {}
                NameMatch::Another(mention) => others.push(mention.words),
            }
        }
        (same, others)
    }
}
