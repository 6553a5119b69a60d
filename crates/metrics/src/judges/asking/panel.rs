//! [`Panel`]: several models judge the same case, and how their verdicts become one.

use probare_core::{Answer, BuildError, Message, Parameters, Question, ScoreError, Turn};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::{JudgeReply, wrong};

/// How several verdicts become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Vote {
    /// The verdict that most judges give; of equally frequent ones the lower.
    #[default]
    Majority,
    /// The mean.
    Mean,
    /// The one in the middle; of two in the middle their mean.
    Median,
    /// The lowest: every judge has to be satisfied.
    Lowest,
}

/// Several models as one judge.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Panel {
    /// How verdicts become one: `majority` (default), `mean`, `median` or `lowest`.
    pub vote: Vote,
    /// Judges that must give a verdict that can be read; more than half if absent.
    pub least: Option<usize>,
    /// Judges that are asked first; the others are asked only where these do not agree. All if absent.
    pub first: Option<usize>,
}

impl Vote {
    /// One value of several; nothing of none.
    pub(crate) fn of(self, values: &[f64]) -> Option<f64> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        match self {
            Self::Lowest => sorted.first().copied(),
            Self::Mean => (!sorted.is_empty()).then(|| sorted.iter().sum::<f64>() / sorted.len() as f64),
            Self::Median if sorted.len() % 2 == 1 => sorted.get(middle).copied(),
            Self::Median => Some(f64::midpoint(*sorted.get(middle.checked_sub(1)?)?, *sorted.get(middle)?)),
            Self::Majority => {
                let count = |value: f64| sorted.iter().filter(|other| **other == value).count();
                // Sorted, so that of equally frequent values the first, which is the lowest, stays.
                sorted.iter().copied().reduce(|best, value| if count(value) > count(best) { value } else { best })
            }
        }
    }
}

/// What one judge said to each of its questions.
#[derive(Debug)]
pub(crate) struct Seat<T> {
    pub said: Vec<Result<T, ScoreError>>,
}

/// What comes next.
pub(crate) enum Held<T> {
    /// These questions.
    Ask(Turn),
    /// Everybody was heard; judges that were not asked are missing at the end.
    Heard(Vec<Seat<T>>),
}

/// The judges of a metric.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bench {
    judges: Vec<String>,
    panel: Panel,
    schema: Option<Json>,
}

/// One question: which judge, and which of its questions.
#[derive(Clone, Copy)]
struct Slot {
    seat: usize,
    variant: usize,
}

impl Bench {
    /// The judges by name; one without a name where none is named. `schema` is what replies have to keep.
    pub fn new(judges: Vec<String>, panel: Panel, schema: Option<Json>) -> Result<Self, BuildError> {
        let seats = judges.len().max(1);
        for (name, given) in [("least", panel.least), ("first", panel.first)] {
            if given.is_some_and(|count| count == 0 || count > seats) {
                return Err(wrong(format!("`panel.{name}` is a number from 1 to {seats}, the number of `judges`")));
            }
        }
        Ok(Self { judges, panel, schema })
    }

    fn seats(&self) -> usize {
        self.judges.len().max(1)
    }

    /// What evidence and parts call a judge.
    pub fn name(&self, seat: usize) -> String {
        match self.judges.get(seat) {
            Some(name) => format!("judge {} ({name})", seat + 1),
            None => format!("judge {}", seat + 1),
        }
    }

    /// Asks every judge `variants` questions, those first that are to be asked first, and reads what they say. What is heard
    /// so far decides alone what comes next, so that a recorded run can be held again.
    pub fn hold<T>(
        &self,
        heard: &[Answer],
        variants: usize,
        messages: &dyn Fn(usize) -> Vec<Message>,
        read: &dyn Fn(usize, &JudgeReply<'_>) -> Result<T, String>,
        agree: &dyn Fn(&[Seat<T>]) -> bool,
    ) -> Result<Held<T>, ScoreError> {
        let first = self.panel.first.unwrap_or(self.seats());
        let mut rest = heard;
        let mut seats = match self.stage(0..first, &mut rest, variants, messages, read)? {
            Held::Heard(seats) => seats,
            ask @ Held::Ask(_) => return Ok(ask),
        };
        if first < self.seats() && !agree(&seats) {
            match self.stage(first..self.seats(), &mut rest, variants, messages, read)? {
                Held::Heard(others) => seats.extend(others),
                ask @ Held::Ask(_) => return Ok(ask),
            }
        }
        Ok(Held::Heard(seats))
    }

    fn stage<T>(
        &self,
        seats: std::ops::Range<usize>,
        heard: &mut &[Answer],
        variants: usize,
        messages: &dyn Fn(usize) -> Vec<Message>,
        read: &dyn Fn(usize, &JudgeReply<'_>) -> Result<T, String>,
    ) -> Result<Held<T>, ScoreError> {
        let slots: Vec<Slot> =
            seats.clone().flat_map(|seat| (0..variants).map(move |variant| Slot { seat, variant })).collect();
        let Some(answers) = taken(heard, slots.len())? else {
            return Ok(Held::Ask(Turn::Ask(slots.iter().map(|slot| self.question(*slot, messages)).collect())));
        };
        let mut said: Vec<Result<T, Unsaid>> =
            answers.iter().zip(&slots).map(|(answer, slot)| hear(answer, slot.variant, read)).collect();
        // One more try for replies that came and could not be read.
        let again: Vec<usize> =
            (0..slots.len()).filter(|at| matches!(said.get(*at), Some(Err(Unsaid::Unreadable(_))))).collect();
        if !again.is_empty() {
            let Some(answers) = taken(heard, again.len())? else {
                let asked = again.iter().filter_map(|at| match (slots.get(*at), said.get(*at)) {
                    (Some(slot), Some(Err(Unsaid::Unreadable(reason)))) => Some(self.again(*slot, messages, reason)),
                    _ => None,
                });
                return Ok(Held::Ask(Turn::Ask(asked.collect())));
            };
            for (answer, at) in answers.iter().zip(again) {
                if let (Some(place), Some(slot)) = (said.get_mut(at), slots.get(at)) {
                    *place = hear(answer, slot.variant, read);
                }
            }
        }
        let mut said = said.into_iter().map(|said| said.map_err(ScoreError::from));
        Ok(Held::Heard(seats.map(|_| Seat { said: said.by_ref().take(variants).collect() }).collect()))
    }

    fn question(&self, slot: Slot, messages: &dyn Fn(usize) -> Vec<Message>) -> Question {
        Question {
            messages: messages(slot.variant),
            parameters: Parameters { schema: self.schema.clone(), ..Parameters::default() },
            seat: slot.seat,
            attempt: 0,
            coded: true,
        }
    }

    /// The same once more. What was said before is not repeated: it may hold what the judge was shown.
    fn again(&self, slot: Slot, messages: &dyn Fn(usize) -> Vec<Message>, reason: &str) -> Question {
        let mut question = self.question(slot, messages);
        question.attempt = 1;
        if let Some(last) = question.messages.last_mut() {
            last.text.push_str(&format!(
                "\n\nAn earlier reply of yours could not be read: {reason}. Reply with the JSON object alone."
            ));
        }
        question
    }

    /// One value of the judges' values. Too few verdicts are an error of the kind of the first that is missing.
    pub fn vote(&self, values: &[Result<f64, ScoreError>]) -> Result<f64, ScoreError> {
        let given: Vec<f64> = values.iter().filter_map(|value| value.as_ref().ok().copied()).collect();
        let needed = self.panel.least.unwrap_or(values.len() / 2 + 1).min(values.len());
        let lost = values.iter().enumerate().find_map(|(seat, value)| Some((seat, value.as_ref().err()?)));
        match (lost, self.panel.vote.of(&given)) {
            (Some((_, error)), _) if given.len() < needed && values.len() == 1 => Err(error.clone()),
            (Some((seat, error)), _) if given.len() < needed => Err(ScoreError::other(
                error.kind(),
                format!(
                    "{} of {} judges gave a verdict, {needed} are needed; {}: {error}",
                    given.len(),
                    values.len(),
                    self.name(seat)
                ),
            )),
            (_, Some(value)) => Ok(value),
            (_, None) => Err(ScoreError::Internal { reason: "no judge was heard".to_owned() }),
        }
    }
}

/// The next answers; nothing where none came yet.
fn taken<'a>(heard: &mut &'a [Answer], count: usize) -> Result<Option<&'a [Answer]>, ScoreError> {
    if heard.is_empty() {
        return Ok(None);
    }
    let (answers, rest) = heard.split_at_checked(count).ok_or_else(|| ScoreError::Internal {
        reason: format!("{count} answers are expected, {} came", heard.len()),
    })?;
    *heard = rest;
    Ok(Some(answers))
}

/// Why there is no verdict.
enum Unsaid {
    /// A reply came and cannot be read.
    Unreadable(String),
    /// None came, or the model declined.
    Lost(ScoreError),
}

impl From<Unsaid> for ScoreError {
    fn from(unsaid: Unsaid) -> Self {
        match unsaid {
            Unsaid::Unreadable(reason) => Self::UnreadableReply { reason },
            Unsaid::Lost(error) => error,
        }
    }
}

fn hear<T>(
    answer: &Answer,
    variant: usize,
    read: &dyn Fn(usize, &JudgeReply<'_>) -> Result<T, String>,
) -> Result<T, Unsaid> {
    let reply = answer.reply().map_err(Unsaid::Lost)?;
    let text = reply.read().map_err(Unsaid::Lost)?;
    read(variant, &JudgeReply { text, code: reply.code.as_deref() }).map_err(Unsaid::Unreadable)
}

#[cfg(test)]
mod tests {
    use probare_core::{ErrorKind, Reply};

    use super::*;

    fn bench(judges: usize, panel: Panel) -> Bench {
        Bench::new((0..judges).map(|seat| format!("m{seat}")).collect(), panel, None).unwrap()
    }

    fn hold(bench: &Bench, replies: &[Reply]) -> Held<String> {
        let heard: Vec<Answer> = replies.iter().cloned().map(Answer::Reply).collect();
        let read = |_, reply: &JudgeReply<'_>| match reply.text {
            "?" => Err("nonsense".to_owned()),
            text => Ok(text.to_owned()),
        };
        let agree = |seats: &[Seat<String>]| {
            seats.iter().all(|seat| seat.said.first().is_some_and(|said| said.is_ok() && *said == seats[0].said[0]))
        };
        bench.hold(&heard, 1, &|_| vec![Message::user("q")], &read, &agree).unwrap()
    }

    fn asked(held: Held<String>) -> Vec<(usize, u32)> {
        match held {
            Held::Ask(Turn::Ask(questions)) => questions.iter().map(|asked| (asked.seat, asked.attempt)).collect(),
            _ => panic!("a question is expected"),
        }
    }

    fn heard(held: Held<String>) -> Vec<Result<String, ErrorKind>> {
        let Held::Heard(seats) = held else { panic!("all were heard") };
        seats.into_iter().flat_map(|seat| seat.said).map(|said| said.map_err(|error| error.kind())).collect()
    }

    #[test]
    fn what_cannot_be_read_is_asked_for_once_more_and_then_unparseable() {
        let bench = bench(2, Panel::default());
        assert_eq!(asked(hold(&bench, &[])), [(0, 0), (1, 0)]);
        let (good, bad) = (Reply::text("yes"), Reply::text("?"));
        assert_eq!(asked(hold(&bench, &[good.clone(), bad.clone()])), [(1, 1)]);
        let ends = heard(hold(&bench, &[good.clone(), bad.clone(), bad.clone()]));
        assert_eq!(ends, [Ok("yes".to_owned()), Err(ErrorKind::Unparseable)]);
        assert_eq!(heard(hold(&bench, &[good.clone(), bad, good])), [Ok("yes".to_owned()), Ok("yes".to_owned())]);
    }

    #[test]
    fn refusals_and_failures_are_not_asked_again() {
        let refused = Reply { content: probare_core::Content::Refused("no".into()), ..Reply::text("") };
        let failed = Reply::failed(ErrorKind::TimedOut, "late");
        let ends = heard(hold(&bench(2, Panel::default()), &[refused, failed]));
        assert_eq!(ends, [Err(ErrorKind::Refused), Err(ErrorKind::TimedOut)]);
    }

    #[test]
    fn further_judges_are_asked_where_the_first_do_not_agree() {
        let bench = bench(3, Panel { first: Some(2), ..Panel::default() });
        assert_eq!(asked(hold(&bench, &[])), [(0, 0), (1, 0)]);
        let (yes, no) = (Reply::text("yes"), Reply::text("no"));
        assert_eq!(heard(hold(&bench, &[yes.clone(), yes.clone()])).len(), 2);
        assert_eq!(asked(hold(&bench, &[yes.clone(), no.clone()])), [(2, 0)]);
        assert_eq!(heard(hold(&bench, &[yes.clone(), no, yes])).len(), 3);
    }

    #[test]
    fn votes_are_counted_as_they_say() {
        let values = [1.0, 0.0, 0.5, 0.5];
        assert_eq!(Vote::Majority.of(&values), Some(0.5));
        assert_eq!(Vote::Majority.of(&[1.0, 0.0]), Some(0.0), "the lower of equally frequent ones");
        assert_eq!(Vote::Mean.of(&values), Some(0.5));
        assert_eq!(Vote::Median.of(&[0.0, 1.0, 1.0]), Some(1.0));
        assert_eq!(Vote::Median.of(&[0.0, 1.0]), Some(0.5));
        assert_eq!(Vote::Lowest.of(&values), Some(0.0));
        for vote in [Vote::Majority, Vote::Mean, Vote::Median, Vote::Lowest] {
            assert_eq!(vote.of(&[]), None);
        }
    }

    #[test]
    fn too_few_verdicts_are_an_error_and_never_a_value() {
        let lost = || Err(ScoreError::UnreadableReply { reason: "x".into() });
        let bench3 = bench(3, Panel::default());
        assert_eq!(bench3.vote(&[Ok(1.0), Ok(1.0), lost()]), Ok(1.0));
        let error = bench3.vote(&[Ok(1.0), lost(), lost()]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unparseable);
        assert!(error.to_string().contains("1 of 3 judges") && error.to_string().contains("judge 2 (m1)"), "{error}");
        let strict = bench(3, Panel { least: Some(3), ..Panel::default() });
        assert!(strict.vote(&[Ok(1.0), Ok(1.0), lost()]).is_err());
        assert!(Bench::new(vec!["a".into()], Panel { least: Some(2), ..Panel::default() }, None).is_err());
    }
}
