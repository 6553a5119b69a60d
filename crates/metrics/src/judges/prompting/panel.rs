//! [`PanelOptions`]: several models judge the same case, and how their verdicts become one.

use probare_core::{BackendAnswer, BuildError, ChatRequest, JudgeAction, Message, Parameters, ScoreError};
use probare_stats::mean;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::{JudgeReply, option_error};

/// How several verdicts become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VoteRule {
    /// The verdict that most judges give; where several are given equally often nothing is decided.
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
pub struct PanelOptions {
    /// How verdicts become one: `majority` (default), `mean`, `median` or `lowest`.
    pub vote: VoteRule,
    /// Verdicts that are enough; if absent, every judge that could change the result is needed.
    pub least: Option<usize>,
    /// Judges that are asked first; the others are asked only where these do not agree. All if absent.
    pub first: Option<usize>,
}

impl VoteRule {
    /// One verdict of several; nothing of none.
    pub fn combine(self, values: &[f64]) -> Option<PanelVerdict> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let value = match self {
            Self::Lowest => sorted.first().copied(),
            Self::Mean => mean(&sorted),
            Self::Median if sorted.len() % 2 == 1 => sorted.get(middle).copied(),
            Self::Median => Some(f64::midpoint(*sorted.get(middle.checked_sub(1)?)?, *sorted.get(middle)?)),
            Self::Majority => {
                let counted = frequencies(&sorted);
                let most = counted.iter().map(|(_, count)| *count).max()?;
                let leading: Vec<f64> =
                    counted.iter().filter(|(_, count)| *count == most).map(|(value, _)| *value).collect();
                return Some(PanelVerdict { value: mean(&leading)?, is_tied: leading.len() > 1 });
            }
        };
        value.map(|value| PanelVerdict { value, is_tied: false })
    }

    /// Whether verdicts that are missing could change what those that were given come to.
    fn could_change(self, given: &[f64], missing: usize) -> bool {
        if missing == 0 {
            return false;
        }
        if self == Self::Majority {
            let mut sorted = given.to_vec();
            sorted.sort_by(f64::total_cmp);
            let mut counts: Vec<usize> = frequencies(&sorted).into_iter().map(|(_, count)| count).collect();
            counts.sort_unstable_by(|first, second| second.cmp(first));
            let count = |place: usize| counts.get(place).copied().unwrap_or(0);
            return count(0) <= count(1) + missing;
        }
        // All others grow with each verdict, so that the ends of the scale tell.
        let with = |value: f64| self.combine(&[given, &vec![value; missing]].concat()).map(|verdict| verdict.value);
        with(0.0) != with(1.0)
    }
}

/// How often each value comes, of values in order.
fn frequencies(sorted: &[f64]) -> Vec<(f64, usize)> {
    sorted.chunk_by(|first, second| first == second).map(|same| (same[0], same.len())).collect()
}

/// What a panel says together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PanelVerdict {
    /// The value; of verdicts that are given equally often their mean.
    pub value: f64,
    /// Whether several verdicts are given equally often, so that nothing is decided.
    pub is_tied: bool,
}

/// What one judge said to each of its questions.
#[derive(Debug)]
pub struct JudgeReplies<T> {
    pub verdicts: Vec<Result<T, ScoreError>>,
}

/// What comes next.
pub enum PanelProgress<T> {
    /// These questions.
    Ask(JudgeAction),
    /// Everybody was heard; judges that were not asked are missing at the end.
    Complete(Vec<JudgeReplies<T>>),
}

/// The judges of a metric.
#[derive(Debug, Clone, Default)]
pub struct JudgePanel {
    judges: Vec<String>,
    options: PanelOptions,
    schema: Option<Json>,
}

/// One question: which judge, and which of its questions.
#[derive(Clone, Copy)]
struct Slot {
    seat: usize,
    variant: usize,
}

impl JudgePanel {
    /// The judges by name; one without a name where none is named. `schema` is what replies have to keep.
    pub fn new(judges: Vec<String>, panel: PanelOptions, schema: Option<Json>) -> Result<Self, BuildError> {
        let seats = judges.len().max(1);
        for (name, given) in [("least", panel.least), ("first", panel.first)] {
            if given.is_some_and(|count| count == 0 || count > seats) {
                return Err(option_error(format!(
                    "`panel.{name}` is a number from 1 to {seats}, the number of `judges`"
                )));
            }
        }
        Ok(Self { judges, options: panel, schema })
    }

    fn judge_count(&self) -> usize {
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
    pub fn advance<T>(
        &self,
        answers: &[BackendAnswer],
        variants: usize,
        messages: &dyn Fn(usize) -> Vec<Message>,
        read: &dyn Fn(usize, &JudgeReply<'_>) -> Result<T, String>,
        agree: &dyn Fn(&[JudgeReplies<T>]) -> bool,
    ) -> Result<PanelProgress<T>, ScoreError> {
        let first = self.options.first.unwrap_or(self.judge_count());
        let mut rest = answers;
        let mut seats = match self.advance_stage(0..first, &mut rest, variants, messages, read)? {
            PanelProgress::Complete(seats) => seats,
            ask @ PanelProgress::Ask(_) => return Ok(ask),
        };
        if first < self.judge_count() && !agree(&seats) {
            match self.advance_stage(first..self.judge_count(), &mut rest, variants, messages, read)? {
                PanelProgress::Complete(others) => seats.extend(others),
                ask @ PanelProgress::Ask(_) => return Ok(ask),
            }
        }
        Ok(PanelProgress::Complete(seats))
    }

    fn advance_stage<T>(
        &self,
        seats: std::ops::Range<usize>,
        pending: &mut &[BackendAnswer],
        variants: usize,
        messages: &dyn Fn(usize) -> Vec<Message>,
        read: &dyn Fn(usize, &JudgeReply<'_>) -> Result<T, String>,
    ) -> Result<PanelProgress<T>, ScoreError> {
        let slots: Vec<Slot> =
            seats.clone().flat_map(|seat| (0..variants).map(move |variant| Slot { seat, variant })).collect();
        let Some(answers) = next_answers(pending, slots.len())? else {
            return Ok(PanelProgress::Ask(JudgeAction::Ask(
                slots.iter().map(|slot| self.question(*slot, messages)).collect(),
            )));
        };
        let mut verdicts: Vec<Result<T, MissingVerdict>> =
            answers.iter().zip(&slots).map(|(answer, slot)| read_answer(answer, slot.variant, read)).collect();
        // One more try for replies that came and could not be read.
        let again: Vec<usize> = (0..slots.len())
            .filter(|at| matches!(verdicts.get(*at), Some(Err(MissingVerdict::Unreadable(_)))))
            .collect();
        if !again.is_empty() {
            let Some(answers) = next_answers(pending, again.len())? else {
                let questions = again.iter().filter_map(|at| match (slots.get(*at), verdicts.get(*at)) {
                    (Some(slot), Some(Err(MissingVerdict::Unreadable(reason)))) => {
                        Some(self.retry_question(*slot, messages, reason))
                    }
                    _ => None,
                });
                return Ok(PanelProgress::Ask(JudgeAction::Ask(questions.collect())));
            };
            for (answer, at) in answers.iter().zip(again) {
                if let (Some(place), Some(slot)) = (verdicts.get_mut(at), slots.get(at)) {
                    *place = read_answer(answer, slot.variant, read);
                }
            }
        }
        let mut verdicts = verdicts.into_iter().map(|verdicts| verdicts.map_err(ScoreError::from));
        Ok(PanelProgress::Complete(
            seats.map(|_| JudgeReplies { verdicts: verdicts.by_ref().take(variants).collect() }).collect(),
        ))
    }

    fn question(&self, slot: Slot, messages: &dyn Fn(usize) -> Vec<Message>) -> ChatRequest {
        ChatRequest {
            messages: messages(slot.variant),
            parameters: Parameters { schema: self.schema.clone(), ..Parameters::default() },
            seat: slot.seat,
            attempt: 0,
            coded: true,
        }
    }

    /// The same once more. What was said before is not repeated: it may hold what the judge was shown.
    fn retry_question(&self, slot: Slot, messages: &dyn Fn(usize) -> Vec<Message>, reason: &str) -> ChatRequest {
        let mut question = self.question(slot, messages);
        question.attempt = 1;
        if let Some(last) = question.messages.last_mut() {
            last.text.push_str(&format!(
                "\n\nAn earlier reply of yours could not be read: {reason}. Reply with the JSON object alone."
            ));
        }
        question
    }

    /// One verdict of the judges' values. A verdict that is missing and could change it is an error, unless as many came as
    /// are said to be enough.
    pub fn vote(&self, values: &[Result<f64, ScoreError>]) -> Result<PanelVerdict, ScoreError> {
        let given: Vec<f64> = values.iter().filter_map(|value| value.as_ref().ok().copied()).collect();
        let lost = values.iter().enumerate().find_map(|(seat, value)| Some((seat, value.as_ref().err()?)));
        let least = self.options.least.map(|least| least.min(values.len()));
        let is_enough = match least {
            Some(least) => given.len() >= least,
            None => !self.options.vote.could_change(&given, values.len() - given.len()),
        };
        match (lost, self.options.vote.combine(&given)) {
            (Some((_, error)), _) if !is_enough && values.len() == 1 => Err(error.clone()),
            (Some((seat, error)), _) if !is_enough => {
                let needed = match least {
                    Some(least) => format!("{least} are needed"),
                    None => "one that is missing could change the result".to_owned(),
                };
                let (came, all, name) = (given.len(), values.len(), self.name(seat));
                let reason = format!("{came} of {all} judges gave a verdict, and {needed}; {name}: {error}");
                Err(ScoreError::other(error.kind(), reason))
            }
            (_, Some(verdict)) => Ok(verdict),
            (_, None) => Err(ScoreError::Internal { reason: "no judge was heard".to_owned() }),
        }
    }
}

/// The next answers; nothing where none came yet.
fn next_answers<'a>(
    pending: &mut &'a [BackendAnswer],
    count: usize,
) -> Result<Option<&'a [BackendAnswer]>, ScoreError> {
    if pending.is_empty() {
        return Ok(None);
    }
    let (answers, rest) = pending.split_at_checked(count).ok_or_else(|| ScoreError::Internal {
        reason: format!("{count} answers are expected, {} came", pending.len()),
    })?;
    *pending = rest;
    Ok(Some(answers))
}

/// Why there is no verdict.
enum MissingVerdict {
    /// A reply came and cannot be read.
    Unreadable(String),
    /// None came, or the model declined.
    Lost(ScoreError),
}

impl From<MissingVerdict> for ScoreError {
    fn from(unsaid: MissingVerdict) -> Self {
        match unsaid {
            MissingVerdict::Unreadable(reason) => Self::UnreadableReply { reason },
            MissingVerdict::Lost(error) => error,
        }
    }
}

fn read_answer<T>(
    answer: &BackendAnswer,
    variant: usize,
    read: &dyn Fn(usize, &JudgeReply<'_>) -> Result<T, String>,
) -> Result<T, MissingVerdict> {
    let reply = answer.reply().map_err(MissingVerdict::Lost)?;
    let text = reply.response_text().map_err(MissingVerdict::Lost)?;
    read(variant, &JudgeReply { text, code: reply.code.as_deref() }).map_err(MissingVerdict::Unreadable)
}

#[cfg(test)]
mod tests {
    use probare_core::{ErrorKind, ModelReply};

    use super::*;

    fn bench(judges: usize, panel: PanelOptions) -> JudgePanel {
        JudgePanel::new((0..judges).map(|seat| format!("m{seat}")).collect(), panel, None).unwrap()
    }

    fn hold(bench: &JudgePanel, replies: &[ModelReply]) -> PanelProgress<String> {
        let answers: Vec<BackendAnswer> = replies.iter().cloned().map(BackendAnswer::Reply).collect();
        let read = |_, reply: &JudgeReply<'_>| match reply.text {
            "?" => Err("nonsense".to_owned()),
            text => Ok(text.to_owned()),
        };
        let agree = |seats: &[JudgeReplies<String>]| {
            seats.iter().all(|seat| {
                seat.verdicts.first().is_some_and(|verdict| verdict.is_ok() && *verdict == seats[0].verdicts[0])
            })
        };
        bench.advance(&answers, 1, &|_| vec![Message::user("q")], &read, &agree).unwrap()
    }

    fn next_questions(progress: PanelProgress<String>) -> Vec<(usize, u32)> {
        match progress {
            PanelProgress::Ask(JudgeAction::Ask(questions)) => {
                questions.iter().map(|question| (question.seat, question.attempt)).collect()
            }
            _ => panic!("a question is expected"),
        }
    }

    fn heard(progress: PanelProgress<String>) -> Vec<Result<String, ErrorKind>> {
        let PanelProgress::Complete(seats) = progress else { panic!("all were heard") };
        seats.into_iter().flat_map(|seat| seat.verdicts).map(|verdict| verdict.map_err(|error| error.kind())).collect()
    }

    #[test]
    fn what_cannot_be_read_is_asked_for_once_more_and_then_unparseable() {
        let bench = bench(2, PanelOptions::default());
        assert_eq!(next_questions(hold(&bench, &[])), [(0, 0), (1, 0)]);
        let (good, bad) = (ModelReply::text("yes"), ModelReply::text("?"));
        assert_eq!(next_questions(hold(&bench, &[good.clone(), bad.clone()])), [(1, 1)]);
        let ends = heard(hold(&bench, &[good.clone(), bad.clone(), bad.clone()]));
        assert_eq!(ends, [Ok("yes".to_owned()), Err(ErrorKind::Unparseable)]);
        assert_eq!(heard(hold(&bench, &[good.clone(), bad, good])), [Ok("yes".to_owned()), Ok("yes".to_owned())]);
    }

    #[test]
    fn refusals_and_failures_are_not_asked_again() {
        let refused = ModelReply { content: probare_core::ReplyContent::Refused("no".into()), ..ModelReply::text("") };
        let failed = ModelReply::failed(ErrorKind::TimedOut, "late");
        let ends = heard(hold(&bench(2, PanelOptions::default()), &[refused, failed]));
        assert_eq!(ends, [Err(ErrorKind::Refused), Err(ErrorKind::TimedOut)]);
    }

    #[test]
    fn further_judges_are_asked_where_the_first_do_not_agree() {
        let bench = bench(3, PanelOptions { first: Some(2), ..PanelOptions::default() });
        assert_eq!(next_questions(hold(&bench, &[])), [(0, 0), (1, 0)]);
        let (yes, no) = (ModelReply::text("yes"), ModelReply::text("no"));
        assert_eq!(heard(hold(&bench, &[yes.clone(), yes.clone()])).len(), 2);
        assert_eq!(next_questions(hold(&bench, &[yes.clone(), no.clone()])), [(2, 0)]);
        assert_eq!(heard(hold(&bench, &[yes.clone(), no, yes])).len(), 3);
    }

    #[test]
    fn votes_are_counted_as_they_say() {
        let value =
            |vote: VoteRule, values: &[f64]| vote.combine(values).map(|verdict| (verdict.value, verdict.is_tied));
        let values = [1.0, 0.0, 0.5, 0.5];
        assert_eq!(value(VoteRule::Majority, &values), Some((0.5, false)));
        assert_eq!(value(VoteRule::Majority, &[1.0, 0.0]), Some((0.5, true)), "equally frequent: nothing is decided");
        assert_eq!(value(VoteRule::Majority, &[0.0, 0.5, 0.0, 0.5, 1.0]), Some((0.25, true)));
        assert_eq!(value(VoteRule::Mean, &values), Some((0.5, false)));
        assert_eq!(value(VoteRule::Median, &[0.0, 1.0, 1.0]), Some((1.0, false)));
        assert_eq!(value(VoteRule::Median, &[0.0, 1.0]), Some((0.5, false)));
        assert_eq!(value(VoteRule::Lowest, &values), Some((0.0, false)));
        for vote in [VoteRule::Majority, VoteRule::Mean, VoteRule::Median, VoteRule::Lowest] {
            assert_eq!(vote.combine(&[]), None);
        }
    }

    #[test]
    fn a_missing_verdict_matters_where_it_could_change_the_result() {
        for (vote, given, missing, could) in [
            (VoteRule::Majority, &[1.0, 1.0][..], 1, false),
            (VoteRule::Majority, &[1.0, 0.0], 1, true),
            (VoteRule::Majority, &[1.0, 1.0, 0.0], 1, true),
            (VoteRule::Majority, &[1.0, 1.0, 1.0, 0.0], 1, false),
            (VoteRule::Majority, &[1.0], 1, true),
            (VoteRule::Majority, &[], 2, true),
            (VoteRule::Mean, &[1.0, 1.0], 1, true),
            (VoteRule::Median, &[1.0, 1.0], 1, false),
            (VoteRule::Median, &[1.0, 0.0], 1, true),
            (VoteRule::Lowest, &[0.0], 2, false),
            (VoteRule::Lowest, &[0.5, 1.0], 1, true),
            (VoteRule::Lowest, &[0.5, 1.0], 0, false),
        ] {
            assert_eq!(vote.could_change(given, missing), could, "{vote:?} {given:?} and {missing} missing");
        }
    }

    #[test]
    fn too_few_verdicts_are_an_error_and_never_a_value() {
        let lost = || Err(ScoreError::UnreadableReply { reason: "x".into() });
        let value = |verdict: Result<PanelVerdict, ScoreError>| verdict.map(|verdict| (verdict.value, verdict.is_tied));
        let bench3 = bench(3, PanelOptions::default());
        assert_eq!(value(bench3.vote(&[Ok(1.0), Ok(1.0), lost()])), Ok((1.0, false)), "a third changes nothing");
        let error = bench3.vote(&[Ok(1.0), Ok(0.0), lost()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "2 of 3 judges gave a verdict, and one that is missing could change the result; judge 3 (m2): the judge's reply could not be read: x"
        );
        let error = bench3.vote(&[Ok(1.0), lost(), lost()]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unparseable);
        assert!(error.to_string().contains("1 of 3 judges") && error.to_string().contains("judge 2 (m1)"), "{error}");
        let strict = bench(3, PanelOptions { least: Some(3), ..PanelOptions::default() });
        assert!(strict.vote(&[Ok(1.0), Ok(1.0), lost()]).is_err());
        let lenient = bench(3, PanelOptions { least: Some(2), ..PanelOptions::default() });
        assert_eq!(
            value(lenient.vote(&[Ok(1.0), Ok(0.0), lost()])),
            Ok((0.5, true)),
            "two are enough, and they are split"
        );
        assert!(lenient.vote(&[Ok(1.0), lost(), lost()]).is_err());
        assert!(
            JudgePanel::new(vec!["a".into()], PanelOptions { least: Some(2), ..PanelOptions::default() }, None)
                .is_err()
        );
    }
}
