//! One answer on trial: each kind of gold answer has its own way to be looked for, and each mention is questioned.

use std::ops::Range;

use probare_nlp::reading::Reading;
use probare_text::porter::stem;
use probare_text::quantities::Amount;

use super::amounts;
use super::answer::{Occurrence, Way};
use super::calendar::{self, Day, Finding};
use super::forms::{amounts_of, list_items};
use super::names::{Meeting, Name};
use super::objections::Scene;
use super::phrase::Phrase;
use super::question::{Asked, is_content};
use super::spans::Spans;
use super::verdict::{Against, Verdict};
use super::words::Gap;
use super::yes_no;

/// Share of the words of a list that is as good as all its items.
const MOST_OF_LIST: f64 = 0.9;

/// Most mentions of one gold that are questioned.
const MOST_MENTIONS: usize = 40;

/// One answer on trial: what is read from it once is kept.
#[derive(Debug)]
pub(crate) struct Trial<'a> {
    scene: Scene<'a>,
    amounts: Option<Vec<Amount>>,
    days: Option<Vec<Day>>,
    /// Bytes of surnames that belong to somebody else.
    bearers: Vec<Range<usize>>,
}

impl<'a> Trial<'a> {
    /// Nothing is read before it is needed.
    pub fn new(scene: Scene<'a>) -> Self {
        Self { scene, amounts: None, days: None, bearers: Vec::new() }
    }

    /// Remembers where the answer names somebody else of the surname of a full gold name.
    pub fn note_bearer(&mut self, form: &str) {
        let phrase = Phrase::new(form, self.scene.question);
        let Some(name) = Name::of(&phrase).filter(Name::has_first) else { return };
        for meeting in name.meetings(self.scene.answer, self.scene.question) {
            probare_cancellation::steps(1);
            if let Meeting::Another(occurrence) = meeting {
                self.bearers.push(occurrence.words);
            }
        }
    }

    /// The verdict that one gold answer gives.
    pub fn verdict(&mut self, index: usize, form: &str) -> Verdict {
        let question = self.scene.question;
        if question.asked == Asked::YesOrNo
            && let Some(expected) = yes_no::gold_sense(form)
        {
            return self.yes_or_no(index, expected);
        }
        let phrase = Phrase::new(form, question);
        if phrase.words.is_empty() {
            return self.bare(index, form);
        }
        let gold_days = calendar::days(form, question.asked);
        let is_date = !gold_days.is_empty() && self.is_mostly(&gold_days, form, &phrase);
        let gold_amounts = if is_date { Vec::new() } else { amounts_of(form, question) };
        let is_amount = is_date || !gold_amounts.is_empty();
        let mut exact = phrase.exact(self.scene.answer);
        if let [gold] = &gold_amounts[..] {
            exact.retain(|mention| self.is_in_same_number(mention, gold));
        }
        if !exact.is_empty() {
            let verdict = self.standing(index, exact, 1.0, is_amount);
            let verdict = if is_date { self.check_days(verdict, &gold_days) } else { verdict };
            return if gold_amounts.is_empty() { verdict } else { self.check_count(verdict, &gold_amounts) };
        }
        if is_date && let Some(verdict) = self.dated(index, &gold_days) {
            return verdict;
        }
        if let [_, _, ..] = &gold_amounts[..]
            && let Some(items) = list_items(form, &phrase, question)
        {
            return self.listed(index, &items, &phrase, true);
        }
        if let Some(gold) = gold_amounts.first()
            && let Some(verdict) = self.counted(index, form, gold)
        {
            return verdict;
        }
        if let Some(items) = list_items(form, &phrase, question) {
            return self.listed(index, &items, &phrase, false);
        }
        self.phrased(index, &phrase)
    }

    /// A gold without words, such as a symbol: equal characters.
    fn bare(&self, index: usize, form: &str) -> Verdict {
        let form = form.trim();
        let mut verdict = Verdict::absent(index, 0.0, 1.0);
        let place = if form.is_empty() { None } else { self.scene.answer.text.find(form) };
        let is_both_empty = form.is_empty() && self.scene.answer.text.trim().is_empty();
        if let Some(at) = place {
            verdict.met.push((at..at + form.len(), Way::Exact));
        }
        verdict.is_right = place.is_some() || is_both_empty;
        verdict.coverage = f64::from(verdict.is_right);
        verdict
    }

    fn yes_or_no(&self, index: usize, expected: bool) -> Verdict {
        let mut verdict = Verdict::absent(index, 0.0, 1.0);
        let answer = self.scene.answer;
        let read = Reading::of(answer.text).yes_or_no(Some(&Reading::of(&self.scene.question.text)));
        verdict.is_said = Some(read.is_said);
        if let Some(sense) = read.sense {
            let bytes = read.marker.unwrap_or_else(|| answer.bytes(&(0..1)));
            verdict.is_right = sense == expected;
            verdict.coverage = f64::from(verdict.is_right);
            if verdict.is_right {
                verdict.met.push((bytes, Way::Sense));
            } else {
                verdict.against.push((bytes, Against::Opposite));
            }
        }
        verdict
    }

    /// The verdict on mentions that cover enough: right if one of them stands.
    fn standing(&self, index: usize, mentions: Vec<Occurrence>, needed: f64, is_amount: bool) -> Verdict {
        let answer = self.scene.answer;
        let mut verdict = Verdict::absent(index, 0.0, needed);
        for mention in mentions.into_iter().take(MOST_MENTIONS) {
            probare_cancellation::steps(1);
            verdict.coverage = verdict.coverage.max(mention.coverage);
            let bytes = answer.bytes(&mention.words);
            if self.is_somebody_else(&mention.words) {
                verdict.against.push((bytes, Against::OtherBearer));
                continue;
            }
            if self.is_echo(&mention.words) {
                continue;
            }
            if let Some((reason, cue)) = self.scene.objection(&mention.words, is_amount) {
                let whole = cue.start.min(mention.words.start)..cue.end.max(mention.words.end);
                verdict.against.push((answer.bytes(&whole), Against::Mention(reason)));
            } else {
                verdict.is_right = true;
                verdict.against.clear();
                verdict.met = vec![(bytes, mention.way)];
                return verdict;
            }
        }
        verdict
    }

    fn is_somebody_else(&self, mention: &Range<usize>) -> bool {
        self.bearers
            .iter()
            .any(|bearer| mention.len() < bearer.len() && bearer.start <= mention.start && mention.end <= bearer.end)
    }

    /// Whether a number only repeats the question: `season 4`.
    fn is_echo(&self, mention: &Range<usize>) -> bool {
        let answer = self.scene.answer;
        let is_number = mention.len() == 1 && answer.words[mention.start].starts_with_digit();
        is_number
            && mention.start > 0
            && answer.words[mention.start].gap <= Gap::Space
            && is_content(&answer.words[mention.start - 1])
            && self.scene.question.holds_pair(answer.word(mention.start - 1), answer.word(mention.start))
    }

    /// Whether the words of a number stand in no number of another kind: `40` of `€40` in `$40`.
    fn is_in_same_number(&mut self, mention: &Occurrence, gold: &Amount) -> bool {
        let bytes = self.scene.answer.bytes(&mention.words);
        let amounts = self.answer_amounts();
        let from = amounts.partition_point(|amount| amount.span.end <= bytes.start);
        let mut around = amounts[from..].iter().take_while(|amount| amount.span.start < bytes.end).peekable();
        around.peek().is_none() || around.any(|amount| amounts::is_given(gold, amount, true))
    }

    fn answer_days(&mut self) -> &[Day] {
        let scene = self.scene;
        self.days.get_or_insert_with(|| calendar::days(scene.answer.text, scene.question.asked))
    }

    fn answer_amounts(&mut self) -> &[Amount] {
        let scene = self.scene;
        self.amounts.get_or_insert_with(|| amounts::numbers(scene.answer.text, false))
    }

    /// Whether a gold is a date rather than a phrase with a date in it.
    fn is_mostly(&self, days: &[Day], form: &str, phrase: &Phrase) -> bool {
        let is_time = matches!(self.scene.question.asked, Asked::Time { .. });
        let spans = Spans::new(days.iter().map(|day| day.span.clone()));
        let inside = phrase.content.iter().filter(|(at, _)| spans.hold(&phrase.words[*at].span));
        let share = inside.count() as f64 / phrase.content.len().max(1) as f64;
        let is_bare_number = form.trim().bytes().all(|byte| byte.is_ascii_digit());
        if is_time { share >= 0.5 } else { share >= 0.8 && !is_bare_number }
    }

    /// The gold's date stands there word for word; the era may still differ.
    fn check_days(&mut self, verdict: Verdict, gold: &[Day]) -> Verdict {
        let [day] = gold else { return verdict };
        let asked = self.scene.question.asked;
        let finding = calendar::compare(day, self.answer_days(), asked);
        let is_other_era = matches!(&finding, Finding::Different(span) if verdict.met.iter().any(|(met, _)| met.start < span.end && span.start < met.end));
        match finding {
            Finding::Different(span) if is_other_era => {
                Verdict { is_right: false, met: Vec::new(), against: vec![(span, Against::OtherDate)], ..verdict }
            }
            _ => verdict,
        }
    }

    fn dated(&mut self, index: usize, gold: &[Day]) -> Option<Verdict> {
        let asked = self.scene.question.asked;
        let mut verdict = Verdict::absent(index, 0.0, 1.0);
        let mut given = 0_usize;
        for day in gold {
            match calendar::compare(day, self.answer_days(), asked) {
                Finding::Given(span) => {
                    let words = self.scene.answer.words_in(&span);
                    if let Some((reason, _)) = self.scene.objection(&words, true) {
                        verdict.against.push((span, Against::Mention(reason)));
                    } else {
                        given += 1;
                        verdict.met.push((span, Way::Date));
                    }
                }
                Finding::Different(span) => verdict.against.push((span, Against::OtherDate)),
                Finding::Nothing => return None,
            }
        }
        verdict.coverage = given as f64 / gold.len() as f64;
        verdict.is_right = given == gold.len();
        if verdict.is_right {
            verdict.against.clear();
        }
        Some(verdict)
    }

    /// The gold's number stands there; another number may still stand before the noun that is counted.
    fn check_count(&mut self, verdict: Verdict, gold: &[Amount]) -> Verdict {
        let Some(noun) = self.scene.question.counted().filter(|_| verdict.is_right && gold.len() == 1) else {
            return verdict;
        };
        let answer = self.scene.answer;
        let noun_behind = |bytes: &Range<usize>| {
            let words = answer.words_in(bytes);
            (words.end..words.end + 3)
                .any(|at| answer.words.get(at).is_some_and(|word| word.gap <= Gap::Space && stem(&word.text) == noun))
        };
        let is_met = verdict.met.iter().any(|(bytes, _)| noun_behind(bytes));
        let first = verdict.met.first().map_or(0, |(bytes, _)| bytes.start);
        let value = amounts::value(&gold[0]);
        let other = self
            .answer_amounts()
            .iter()
            .find(|amount| amount.span.start < first && amounts::value(amount) != value && noun_behind(&amount.span))
            .map(|amount| amount.span.clone());
        match other {
            Some(span) if !is_met => {
                Verdict { is_right: false, met: Vec::new(), against: vec![(span, Against::OtherNumber)], ..verdict }
            }
            _ => verdict,
        }
    }

    fn counted(&mut self, index: usize, form: &str, gold: &Amount) -> Option<Verdict> {
        let is_rough = ["about", "around", "approximately", "roughly", "over", "nearly", "some"]
            .iter()
            .any(|word| form.to_ascii_lowercase().starts_with(word));
        let scene = self.scene;
        let mut verdict = Verdict::absent(index, 0.0, 1.0);
        let amounts = if amounts::is_share(gold) || amounts::value(gold) < 1.0 {
            amounts::numbers(scene.answer.text, true)
        } else {
            self.answer_amounts().to_vec()
        };
        for amount in &amounts {
            probare_cancellation::steps(1);
            let words = scene.answer.words_in(&amount.span);
            if !amounts::is_given(gold, amount, is_rough) || self.is_echo(&words) {
                continue;
            }
            if let Some((reason, _)) = scene.objection(&words, true) {
                verdict.against.push((amount.span.clone(), Against::Mention(reason)));
            } else {
                verdict.is_right = true;
                verdict.coverage = 1.0;
                verdict.against.clear();
                verdict.met.push((amount.span.clone(), Way::Number));
                return Some(self.check_count(verdict, std::slice::from_ref(gold)));
            }
        }
        let other = amounts.iter().find(|amount| !self.is_echo(&scene.answer.words_in(&amount.span)))?;
        verdict.against.push((other.span.clone(), Against::OtherNumber));
        Some(verdict)
    }

    fn listed(&mut self, index: usize, items: &[&str], phrase: &Phrase, are_amounts: bool) -> Verdict {
        let mut verdict = Verdict::absent(index, 0.0, 1.0);
        let mut found = 0_usize;
        for item in items {
            probare_cancellation::steps(1);
            let phrase = Phrase::new(item, self.scene.question);
            let exact = phrase.exact(self.scene.answer);
            let part = if are_amounts {
                self.verdict(index, item)
            } else if exact.is_empty() {
                self.phrased(index, &phrase)
            } else {
                self.standing(index, exact, 1.0, false)
            };
            found += usize::from(part.is_right);
            verdict.met.extend(part.met.into_iter().take(1));
            verdict.against.extend(part.against);
        }
        verdict.needed = if items.len() <= 4 { 1.0 } else { 0.75 };
        verdict.coverage = found as f64 / items.len() as f64;
        verdict.is_right = verdict.coverage >= verdict.needed;
        if verdict.is_right {
            verdict.against.clear();
            return verdict;
        }
        // Two people may share one surname: `Wilbur and Orville Wright`.
        let is_mentioned = verdict.against.iter().any(|(_, against)| matches!(against, Against::Mention(_)));
        match phrase.alike(self.scene.answer).filter(|_| !is_mentioned) {
            Some(whole) if whole.coverage >= MOST_OF_LIST => self.standing(index, vec![whole], MOST_OF_LIST, false),
            _ => verdict,
        }
    }

    fn phrased(&mut self, index: usize, phrase: &Phrase) -> Verdict {
        let (answer, question) = (self.scene.answer, self.scene.question);
        let needed = phrase.needed();
        let mut others = phrase.aliases(answer, question);
        others.extend(phrase.initials(answer));
        if !others.is_empty() {
            let verdict = self.standing(index, others, needed, false);
            if verdict.is_right || !verdict.against.is_empty() {
                return verdict;
            }
        }
        if let Some(verdict) = self.named(index, phrase) {
            return verdict;
        }
        match phrase.alike(answer) {
            Some(mention) if mention.coverage >= needed => self.standing(index, vec![mention], needed, false),
            Some(mention) => Verdict::absent(index, mention.coverage, needed),
            None => Verdict::absent(index, 0.0, needed),
        }
    }

    /// The verdict on a person's name; nothing where the gold is none or the answer does not have it.
    fn named(&mut self, index: usize, phrase: &Phrase) -> Option<Verdict> {
        let (answer, question) = (self.scene.answer, self.scene.question);
        let name = Name::of(phrase).filter(Name::has_first)?;
        let is_person = question.asked == Asked::Person || name.is_personal();
        let meetings = name.meetings(answer, question);
        let (same, another): (Vec<_>, Vec<_>) =
            meetings.into_iter().partition(|meeting| matches!(meeting, Meeting::Same(_)));
        let same: Vec<Occurrence> = same
            .into_iter()
            .filter_map(|meeting| match meeting {
                // A part of what is no person's name is not enough.
                Meeting::Same(occurrence) => (is_person || occurrence.coverage > 0.6).then_some(occurrence),
                Meeting::Another(_) => None,
            })
            .collect();
        if !same.is_empty() {
            let least = same.iter().map(|occurrence| occurrence.coverage).fold(1.0, f64::min);
            return Some(self.standing(index, same, least, false));
        }
        if is_person
            && another.is_empty()
            && let Some(first) = name.first_alone(answer)
        {
            let coverage = first.coverage;
            return Some(self.standing(index, vec![first], coverage, false));
        }
        let mut verdict = Verdict::absent(index, 0.0, 1.0);
        for meeting in another {
            probare_cancellation::steps(1);
            if let Meeting::Another(occurrence) = meeting {
                verdict.coverage = verdict.coverage.max(occurrence.coverage.min(0.99));
                verdict.against.push((answer.bytes(&occurrence.words), Against::OtherBearer));
            }
        }
        (!verdict.against.is_empty()).then_some(verdict)
    }
}
