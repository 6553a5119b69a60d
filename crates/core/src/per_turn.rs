//! [`PerTurn`]: any metric, turn by turn of a conversation.
//!
//! A turn is a message of the user, or several in a row, and all that follows up to the next one. Each becomes a case of its own: the
//! user's words are its `query`, the last words of the assistant its `response`, what `turns` expects of it its `reference`,
//! `expected_tool_calls` and `context`. Evidence leads back to the messages.

use std::borrow::Cow;
use std::ops::Range;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use crate::{
    AnalysisCache, BackendAnswer, BuildError, Case, CaseMessage, ErrorKind, Evidence, Field, FieldSpan, Judge,
    JudgeAction, Metric, MetricDef, Outcome, Output, OwnMetric, Passage, Role, Sample, Score, ScoreError, Scorer,
    TurnExpectation, read_options,
};

/// How the values of the turns become one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TurnsOver {
    /// Their mean.
    #[default]
    Mean,
    /// The least of them.
    Min,
    /// The greatest of them.
    Max,
    /// That of the last turn that has one.
    Last,
}

/// Which turns are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TurnsOnly {
    /// Those that `turns` speaks of.
    Expected,
    /// All.
    All,
}

/// Where the passages of a turn come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TurnPassages {
    /// From `turns`, else from the case.
    #[default]
    Given,
    /// From the results of the turn's calls.
    Results,
}

/// What a metric is taken over, where it is not the whole case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TurnUnit {
    /// Each turn of the conversation.
    Turn,
}

/// Options that every metric takes beside its own.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PerTurnOptions {
    /// Score each turn of the conversation by itself; the options `over`, `only` and `passages` go with it.
    #[expect(dead_code, reason = "that it is there says all")]
    per: TurnUnit,
    /// With `per`: how the values of the turns become one.
    #[serde(default)]
    over: TurnsOver,
    /// With `per`: the turns that `turns` speaks of (where the case has `turns`), or all (where it has none).
    #[serde(default)]
    only: Option<TurnsOnly>,
    /// With `per`: whether the passages of a turn are those that were given, or the results of its calls.
    #[serde(default)]
    passages: TurnPassages,
}

/// Most pieces of evidence of all turns together; the rest is counted in a note.
const MOST_PIECES: usize = 50;

/// Names of these options.
const OPTION_NAMES: [&str; 4] = ["per", "over", "only", "passages"];

/// Whether options ask for a score per turn.
pub fn is_per_turn(options: &Json) -> bool {
    options.get("per").is_some()
}

/// What a single turn does not have.
const CASE_LEVEL_FIELDS: [Field; 4] = [Field::Citations, Field::Retrieved, Field::Relevant, Field::ExpectedMessages];

/// Why a metric cannot be taken per turn.
fn objection(definition: &MetricDef) -> Option<String> {
    if !definition.per_turn {
        return Some("it looks at the conversation as a whole".to_owned());
    }
    if let Some(field) = definition.needs.iter().find(|field| CASE_LEVEL_FIELDS.contains(field)) {
        return Some(format!("it needs `{field}`, which a turn does not have"));
    }
    definition.metadata.first().map(|key| format!("it needs `metadata.{key}`, which belongs to the whole case"))
}

/// A metric that is taken turn by turn.
pub(crate) struct PerTurn {
    needs: Cow<'static, [Field]>,
    inner: Scorer,
    options: PerTurnOptions,
}

impl PerTurn {
    /// Takes the options of a score per turn out of those of a metric; nothing where there are none.
    pub(crate) fn take(options: &mut Json) -> Option<Json> {
        let map = options.as_object_mut().filter(|map| map.contains_key("per"))?;
        let taken = OPTION_NAMES.into_iter().filter_map(|name| Some((name.to_owned(), map.shift_remove(name)?)));
        Some(Json::Object(taken.collect()))
    }

    /// Wraps a metric that is ready.
    pub(crate) fn wrap(definition: &MetricDef, inner: Scorer, options: &Json) -> Result<Scorer, BuildError> {
        if let Some(objection) = objection(definition) {
            let id = definition.id;
            return Err(BuildError::Options(format!("`{id}` cannot be taken per turn: {objection}")));
        }
        Self::wrap_scorer(Cow::Borrowed(definition.needs), inner, options)
    }

    /// Wraps a metric of the user's own that is ready.
    pub(crate) fn wrap_own(metric: &OwnMetric, inner: Scorer, options: &Json) -> Result<Scorer, BuildError> {
        if let Some(field) = metric.needs.iter().find(|field| CASE_LEVEL_FIELDS.contains(field)) {
            let id = &metric.id;
            let reason = format!("`{id}` cannot be taken per turn: it needs `{field}`, which a turn does not have");
            return Err(BuildError::Options(reason));
        }
        Self::wrap_scorer(Cow::Owned(metric.needs.clone()), inner, options)
    }

    fn wrap_scorer(needs: Cow<'static, [Field]>, inner: Scorer, options: &Json) -> Result<Scorer, BuildError> {
        let options: PerTurnOptions = read_options(options)?;
        let is_pure = matches!(inner, Scorer::Pure(_));
        let wrapped = Box::new(Self { needs, inner, options });
        Ok(if is_pure { Scorer::Pure(wrapped) } else { Scorer::Judge(wrapped) })
    }

    /// Adds these options to the schema of a metric that can be taken per turn.
    pub(crate) fn describe(definition: &MetricDef, schema: &mut schemars::Schema) {
        if objection(definition).is_some() {
            return;
        }
        let own = schemars::schema_for!(PerTurnOptions).to_value();
        for table in ["properties", "$defs"] {
            let Some(Json::Object(added)) = own.get(table).cloned() else { continue };
            let known = schema.ensure_object().entry(table).or_insert_with(|| Json::Object(Map::new()));
            if let Json::Object(known) = known {
                for (name, value) in added {
                    known.entry(name).or_insert(value);
                }
            }
        }
    }

    /// Scores all turns; where a judge wants to ask, what all turns ask next. They ask side by side, so that the rounds of a
    /// long conversation are those of its longest turn.
    fn advance(&self, sample: Sample<'_>, replies: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let Some(turns) = turns(sample, &self.options)? else {
            return Ok(JudgeAction::Done(Outcome::not_applicable("the case has no `messages` to take turns from")));
        };
        let mut rest = replies;
        let mut outcomes: Vec<Option<Outcome>> = vec![None; turns.len()];
        let mut answers: Vec<Vec<BackendAnswer>> = vec![Vec::new(); turns.len()];
        loop {
            let mut round: Option<JudgeAction> = None;
            let mut waiting: Vec<(usize, usize)> = Vec::new();
            for (at, turn) in turns.iter().enumerate().filter(|(at, _)| outcomes[*at].is_none()).collect::<Vec<_>>() {
                // Never a mean over some of the turns.
                let with_turn =
                    |error: ScoreError| ScoreError::other(error.kind(), format!("turn {}: {error}", turn.number));
                match self.next_of_turn(sample, turn, &answers[at]).map_err(with_turn)? {
                    JudgeAction::Done(outcome) => outcomes[at] = Some(outcome),
                    next => {
                        let count = answer_count(&next);
                        if add_to_round(&mut round, next) {
                            waiting.push((at, count));
                        }
                    }
                }
            }
            let Some(round) = round else { break };
            let count = answer_count(&round);
            if count == 0 || rest.len() < count {
                return Ok(round);
            }
            for (at, count) in waiting {
                let (own, others) = rest.split_at(count);
                answers[at].extend_from_slice(own);
                rest = others;
            }
        }
        let outcomes: Vec<(&TurnCase, Outcome)> = turns.iter().zip(outcomes.into_iter().flatten()).collect();
        self.join(sample, &outcomes).map(JudgeAction::Done)
    }

    /// What one turn comes to, or asks next.
    fn next_of_turn(
        &self,
        sample: Sample<'_>,
        turn: &TurnCase,
        answers: &[BackendAnswer],
    ) -> Result<JudgeAction, ScoreError> {
        let cache = AnalysisCache::new(sample.run_cache());
        let messages = sample.case.messages.as_deref().unwrap_or_default();
        let earlier = messages.get(..turn.start).unwrap_or_default();
        let inner = Sample::from_case(&turn.case).with_cache(&cache).with_earlier_messages(earlier);
        if let Some(lack) = self.needs.iter().find(|field| !inner.has(**field)) {
            return Ok(JudgeAction::Done(Outcome::not_applicable(format!("the turn has no `{lack}`"))));
        }
        match &self.inner {
            Scorer::Pure(metric) => metric.score(inner).map(JudgeAction::Done),
            Scorer::Judge(judge) => judge.next_action(inner, answers),
        }
    }

    /// One score of those of the turns.
    fn join(&self, sample: Sample<'_>, outcomes: &[(&TurnCase, Outcome)]) -> Result<Outcome, ScoreError> {
        let scored: Vec<(&TurnCase, &Score)> =
            outcomes.iter().filter_map(|(turn, outcome)| Some((*turn, outcome.score()?))).collect();
        let order = |left: &&(&TurnCase, &Score), right: &&(&TurnCase, &Score)| {
            left.1.value.get().total_cmp(&right.1.value.get())
        };
        let chosen = match self.options.over {
            TurnsOver::Mean => None,
            TurnsOver::Min => scored.iter().min_by(order),
            // Of equal ones the first.
            TurnsOver::Max => scored.iter().rev().max_by(order),
            TurnsOver::Last => scored.last(),
        };
        let mut score = match (chosen, scored.is_empty()) {
            (_, true) => {
                let reason = outcomes.iter().find_map(|(turn, outcome)| match outcome {
                    Outcome::NotApplicable { reason } => {
                        Some(format!("no turn has a value; turn {}: {reason}", turn.number))
                    }
                    Outcome::Labelled(one) => {
                        Some(format!("no turn has a value; turn {}: the label `{}` alone", turn.number, one.label))
                    }
                    Outcome::Scored(_) => None,
                });
                let reason = reason.unwrap_or_else(|| "the conversation has no turn to be scored".to_owned());
                return Ok(Outcome::not_applicable(reason));
            }
            (Some((_, chosen)), _) => Score { label: chosen.label.clone(), by: chosen.by, ..Score::new(chosen.value) },
            (None, _) => {
                let sum: f64 = scored.iter().map(|(_, score)| score.value.get()).sum();
                Score::from_number(sum / scored.len() as f64)?
            }
        };
        for (turn, one) in &scored {
            score = score.with_part(format!("turn.{}", turn.number), one.value.get())?;
        }
        score = score
            .with_part("turns", outcomes.len() as f64)?
            .with_part("scored", scored.len() as f64)?
            .with_part("not_applicable", (outcomes.len() - scored.len()) as f64)?;
        let mut evidence = Vec::new();
        for (turn, one) in &scored {
            evidence.extend(one.evidence.iter().map(|piece| turn.map_evidence(sample.case, piece)));
        }
        for (turn, outcome) in outcomes {
            if let Outcome::NotApplicable { reason } = outcome {
                evidence.push(Evidence::note(format!("turn {}: {reason}", turn.number)));
            }
        }
        if evidence.len() > MOST_PIECES {
            let over = evidence.len() - MOST_PIECES;
            evidence.truncate(MOST_PIECES);
            evidence.push(Evidence::note(format!("{over} more pieces of evidence are omitted")));
        }
        Ok(score.because(evidence).into())
    }
}

/// How many answers a turn of a judge wants.
fn answer_count(turn: &JudgeAction) -> usize {
    match turn {
        JudgeAction::Ask(questions) => questions.len(),
        JudgeAction::Embed { texts, .. } => texts.len(),
        JudgeAction::Run(programs) => programs.len(),
        JudgeAction::Done(_) => 0,
    }
}

/// Adds what a turn asks to what the others ask; false where the two cannot be asked together, so that it waits.
fn add_to_round(round: &mut Option<JudgeAction>, next: JudgeAction) -> bool {
    match (round.as_mut(), next) {
        (None, next) => *round = Some(next),
        (Some(JudgeAction::Ask(all)), JudgeAction::Ask(more)) => all.extend(more),
        (Some(JudgeAction::Run(all)), JudgeAction::Run(more)) => all.extend(more),
        (Some(JudgeAction::Embed { model, texts }), JudgeAction::Embed { model: other, texts: more })
            if *model == other =>
        {
            texts.extend(more);
        }
        _ => return false,
    }
    true
}

impl Metric for PerTurn {
    fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
        match self.advance(sample, &[])? {
            JudgeAction::Done(outcome) => Ok(outcome),
            _ => Err(ScoreError::Internal { reason: "a metric that computes asks".into() }),
        }
    }
}

impl Judge for PerTurn {
    fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        self.advance(sample, answers)
    }

    fn sole_embedding_model(&self) -> Option<&str> {
        self.inner.sole_embedding_model()
    }

    fn embedding_model(&self) -> Option<&str> {
        self.inner.embedding_model()
    }

    fn program_environment(&self) -> Option<&str> {
        self.inner.program_environment()
    }
}

/// Bytes of a joined text and where they come from.
#[derive(Debug)]
struct SourceSegment {
    /// In the joined text.
    here: Range<usize>,
    place: FieldSpan,
}

/// Texts that were joined by line ends, each with its place.
#[derive(Debug, Default)]
struct JoinedText {
    text: String,
    pieces: Vec<SourceSegment>,
}

impl JoinedText {
    fn push(&mut self, text: &str, message: usize, path: Cow<'static, str>) {
        if !self.pieces.is_empty() {
            self.text.push('\n');
        }
        let start = self.text.len();
        self.text.push_str(text);
        let place = FieldSpan::inside(Field::Messages, message, path, 0..text.len());
        self.pieces.push(SourceSegment { here: start..self.text.len(), place });
    }

    fn push_message(&mut self, message: &CaseMessage, number: usize) {
        for (path, text) in message.spoken_texts() {
            self.push(text, number, path);
        }
    }

    /// Where some bytes come from: of those that reach over several texts, the part in the first.
    fn source_span(&self, span: &Range<usize>) -> Option<FieldSpan> {
        let at = self.pieces.iter().position(|piece| span.start <= piece.here.end && piece.here.start <= span.start)?;
        let piece = &self.pieces[at];
        let mut place = piece.place.clone();
        place.start = span.start - piece.here.start;
        place.end = span.end.min(piece.here.end) - piece.here.start;
        Some(place)
    }
}

/// A turn as a case of its own.
struct TurnCase {
    number: usize,
    case: Case,
    /// First message of the turn.
    start: usize,
    /// The item of `turns` that speaks of it.
    item: Option<usize>,
    query: JoinedText,
    response: JoinedText,
    /// Where each passage comes from: a result. Empty where they are those of `turns` or of the case.
    results: Vec<FieldSpan>,
    has_own_context: bool,
}

impl TurnCase {
    /// Evidence about the turn as evidence about the conversation.
    fn map_evidence(&self, whole: &Case, piece: &Evidence) -> Evidence {
        let mut mapped = piece.clone();
        mapped.support = piece.support.as_ref().and_then(|place| self.map_span(place));
        if let Some(place) = &piece.place {
            mapped.place = self.map_span(place);
            if let Some(place) = &mapped.place {
                // A span over several messages is cut, and its words with it.
                let text = whole.text_at(place).unwrap_or_default();
                let words = text.get(place.start..place.end).unwrap_or_default();
                if !mapped.quotes(words) {
                    let shown = Evidence::at(piece.kind, place.field, place.start..place.end, &text);
                    (mapped.text, mapped.cut) = (shown.text, shown.cut);
                }
            }
        }
        let note = match &piece.note {
            Some(note) => format!("turn {}: {note}", self.number),
            None => format!("turn {}", self.number),
        };
        mapped.note = Some(note.into());
        mapped
    }

    fn map_span(&self, place: &FieldSpan) -> Option<FieldSpan> {
        let span = place.start..place.end;
        let in_item = |path: String| Some(FieldSpan::inside(Field::Turns, self.item?, path, span.clone()));
        let index = place.index.unwrap_or_default();
        let inside = place.path.as_deref().unwrap_or_default();
        match place.field {
            Field::Response => self.response.source_span(&span),
            Field::Query => self.query.source_span(&span),
            Field::Messages => Some(FieldSpan { index: Some(index + self.start), ..place.clone() }),
            Field::Reference => in_item(format!("/reference/{index}")),
            Field::ExpectedToolCalls => in_item(format!("/expected_tool_calls/{index}{inside}")),
            Field::Context => match self.results.get(index) {
                Some(result) => Some(FieldSpan { start: span.start, end: span.end, ..result.clone() }),
                None if self.has_own_context => in_item(format!("/context/{index}/text")),
                None => Some(place.clone()),
            },
            _ => Some(place.clone()),
        }
    }
}

/// The turns of a case that are scored, in order; nothing where there are no messages.
fn turns(sample: Sample<'_>, options: &PerTurnOptions) -> Result<Option<Vec<TurnCase>>, ScoreError> {
    let case = sample.case;
    let Some(messages) = case.messages.as_deref() else { return Ok(None) };
    let starts = starts(messages);
    let ends = starts.iter().skip(1).copied().chain([messages.len()]);
    let ranges: Vec<Range<usize>> = starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect();
    let expected = case.turns.as_deref().unwrap_or_default();
    let numbers: Vec<usize> = expected.iter().enumerate().map(|(at, item)| item.turn.unwrap_or(at)).collect();
    for (at, item) in expected.iter().enumerate() {
        if numbers[..at].contains(&numbers[at]) {
            let reason = format!("two items of `turns` speak of turn {}", numbers[at]);
            return Err(ScoreError::other(ErrorKind::Failed, reason));
        }
        check_user_text(at, item, ranges.get(numbers[at]), messages)?;
    }
    let only = options.only.unwrap_or(if case.turns.is_some() { TurnsOnly::Expected } else { TurnsOnly::All });
    let count = ranges.len().max(numbers.iter().map(|number| number + 1).max().unwrap_or(0));
    let item_of = |number: usize| numbers.iter().position(|known| *known == number);
    let mut found = Vec::new();
    for number in (0..count).filter(|number| only == TurnsOnly::All || item_of(*number).is_some()) {
        // Between the last turn and one that is expected much later there is nothing to be scored.
        if number >= ranges.len() && item_of(number).is_none() {
            continue;
        }
        let range = ranges.get(number).cloned();
        // What a model answered just now belongs to the last turn, where the messages end with the user.
        let is_last = number + 1 == ranges.len();
        let output =
            sample.output().filter(|_| is_last && !messages.last().is_some_and(|last| last.has_role(Role::Assistant)));
        found.push(turn_case(case, output, number, range, item_of(number), options));
    }
    Ok(Some(found))
}

/// The first message of each turn. Where no user speaks all messages are one.
fn starts(messages: &[CaseMessage]) -> Vec<usize> {
    let is_user = |at: usize| messages[at].has_role(Role::User);
    let starts: Vec<usize> = (0..messages.len()).filter(|at| is_user(*at) && (*at == 0 || !is_user(at - 1))).collect();
    if starts.is_empty() && messages.iter().any(|message| message.has_role(Role::Assistant)) { vec![0] } else { starts }
}

/// The user's words of an expectation must be those of the conversation: else it speaks of another one.
fn check_user_text(
    at: usize,
    item: &TurnExpectation,
    range: Option<&Range<usize>>,
    messages: &[CaseMessage],
) -> Result<(), ScoreError> {
    let (Some(expected), Some(range)) = (&item.user, range) else { return Ok(()) };
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut joined = JoinedText::default();
    for number in range.clone().filter(|number| messages[*number].has_role(Role::User)) {
        joined.push_message(&messages[number], number);
    }
    if squeezed(expected) == squeezed(&joined.text) {
        return Ok(());
    }
    let reason =
        format!("`turns` item {at} says {:?} but the user said {:?}", squeezed(expected), squeezed(&joined.text));
    Err(ScoreError::other(ErrorKind::Failed, reason))
}

/// One turn as a case. One that is expected and never came has an empty answer and no calls.
fn turn_case(
    case: &Case,
    output: Option<&Output>,
    number: usize,
    range: Option<Range<usize>>,
    item: Option<usize>,
    options: &PerTurnOptions,
) -> TurnCase {
    let messages = case.messages.as_deref().unwrap_or_default();
    let expected = item.and_then(|item| case.turns.as_deref()?.get(item));
    let start = range.as_ref().map_or(messages.len(), |range| range.start);
    let own = range.and_then(|range| messages.get(range)).unwrap_or_default();
    let (mut query, mut response) = (JoinedText::default(), JoinedText::default());
    for (at, message) in own.iter().enumerate().filter(|(_, message)| message.has_role(Role::User)) {
        query.push_message(message, start + at);
    }
    let is_spoken = |message: &&(usize, &CaseMessage)| {
        message.1.has_role(Role::Assistant) && message.1.spoken_texts().next().is_some()
    };
    if let Some((at, message)) = own.iter().enumerate().collect::<Vec<_>>().iter().rev().find(is_spoken) {
        response.push_message(message, start + at);
    }
    if let Some(output) = output {
        let place = FieldSpan::new(Field::Response, 0..output.text.len());
        response =
            JoinedText { text: output.text.clone(), pieces: vec![SourceSegment { here: 0..output.text.len(), place }] };
    }
    let is_answered = output.is_some() || own.iter().any(|message| message.has_role(Role::Assistant));
    let mut results = Vec::new();
    let context = match options.passages {
        TurnPassages::Given => expected.and_then(|expected| expected.context.clone()).or_else(|| case.context.clone()),
        TurnPassages::Results => {
            let mut passages = Vec::new();
            for (at, message) in own.iter().enumerate().filter(|(_, message)| message.has_role(Role::Tool)) {
                for (path, text) in message.spoken_texts() {
                    results.push(FieldSpan::inside(Field::Messages, start + at, path, 0..text.len()));
                    passages.push(Passage::from(text));
                }
            }
            (!passages.is_empty()).then_some(passages)
        }
    };
    let has_own_context = results.is_empty() && expected.is_some_and(|expected| expected.context.is_some());
    // Calls that stand beside the messages belong to the only turn there is.
    let tool_calls = case
        .tool_calls
        .clone()
        .filter(|_| number == 0 && !messages.iter().any(|message| !message.tool_calls.is_empty()));
    let user = expected.and_then(|expected| expected.user.clone());
    let turn = Case {
        id: case.id.clone(),
        query: (!query.pieces.is_empty()).then(|| query.text.clone()).or(user),
        // Nobody answered: nothing to be scored, unless an answer was expected.
        response: (is_answered || expected.is_some()).then(|| Output {
            text: response.text.clone(),
            ..output.or(case.response.as_ref()).cloned().unwrap_or_default()
        }),
        context,
        reference: expected.and_then(|expected| expected.reference.clone()),
        messages: Some(own.to_vec()),
        tools: case.tools.clone(),
        tool_calls,
        expected_tool_calls: expected.and_then(|expected| expected.expected_tool_calls.clone()),
        metadata: case.metadata.clone(),
        ..Case::default()
    };
    TurnCase { number, case: turn, start, item, query, response, results, has_own_context }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Better, EvidenceKind, MetricKind, ModelReply, Profile};

    /// Whether the response is the reference; the words that are looked at are evidence.
    struct Same;

    impl Metric for Same {
        fn score(&self, sample: Sample<'_>) -> Result<Outcome, ScoreError> {
            let (response, reference) = (sample.response()?, &sample.references()?[0]);
            if response == "broken" {
                return Err(ScoreError::other(ErrorKind::Unparseable, "no sense"));
            }
            let piece = Evidence::at(EvidenceKind::Compared, Field::Response, 0..response.len(), response)
                .with_support(FieldSpan::in_item(Field::Reference, 0, 0..reference.len()));
            Ok(Score::from_bool(response == reference)
                .labelled(if response == reference { "same" } else { "other" })
                .because([piece])
                .into())
        }
    }

    struct Asks;

    impl Judge for Asks {
        fn next_action(&self, sample: Sample<'_>, answers: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
            match answers {
                [] => Ok(JudgeAction::Ask(vec![crate::ChatRequest::default()])),
                [one] => {
                    let is_right = one.reply()?.response_text()? == sample.response()?;
                    Ok(JudgeAction::Done(Score::from_bool(is_right).into()))
                }
                _ => Err(ScoreError::Internal { reason: "asked once".into() }),
            }
        }
    }

    const fn definition(kind: MetricKind, needs: &'static [Field]) -> MetricDef {
        MetricDef {
            id: "same",
            family: "text",
            summary: "",
            kind,
            range: (0.0, 1.0),
            better: Better::Higher,
            needs,
            metadata: &[],
            profiles: &[Profile::Published],
            identity: false,
            whole: None,
            thresholds: None,
            prompts: None,
            per_turn: true,
            is_descriptive: false,
            since: "0.3",
            version: 1,
            page: "",
            schema: || schemars::schema_for!(bool),
            build: |_| Ok(Scorer::Pure(Box::new(Same))),
        }
    }

    static RANKED: MetricDef = definition(MetricKind::Pure, &[Field::Relevant]);
    static SAME: MetricDef = definition(MetricKind::Pure, &[Field::Response, Field::Reference]);

    #[expect(clippy::needless_pass_by_value, reason = "written where it is used")]
    fn case(turns: Json) -> Case {
        serde_json::from_value(json!({"id": "a", "messages": [
            {"role": "system", "text": "Be brief."},
            {"role": "user", "text": "One?"}, {"role": "user", "text": "Quick."},
            {"role": "assistant", "text": "Let me see.", "tool_calls": [{"id": "1", "name": "f"}]},
            {"role": "tool", "id": "1", "text": "r"},
            {"role": "assistant", "text": "yes"},
            {"role": "user", "text": "Two?"},
            {"role": "assistant", "parts": [{"type": "text", "text": "no"}]},
        ], "turns": turns}))
        .unwrap()
    }

    fn score(options: Json, case: &Case) -> Result<Outcome, ScoreError> {
        SAME.build(options, Profile::Published).unwrap().score(Sample::from_case(case))
    }

    fn value(options: Json, case: &Case) -> f64 {
        score(options, case).unwrap().score().unwrap().value.get()
    }

    #[test]
    fn turns_are_scored_and_joined() {
        let case = case(json!([{"reference": ["yes"], "user": "One? Quick."}, {"reference": ["maybe"]}]));
        let outcome = score(json!({"per": "turn"}), &case).unwrap();
        let whole = outcome.score().unwrap();
        assert_eq!((whole.value.get(), whole.label.as_deref()), (0.5, None));
        let parts: Vec<(&str, f64)> = whole.parts.iter().collect();
        assert_eq!(parts, [("turn.0", 1.0), ("turn.1", 0.0), ("turns", 2.0), ("scored", 2.0), ("not_applicable", 0.0)]);
        assert_eq!(value(json!({"per": "turn", "over": "min"}), &case), 0.0);
        assert_eq!(value(json!({"per": "turn", "over": "max"}), &case), 1.0);
        assert_eq!(value(json!({"per": "turn", "over": "last"}), &case), 0.0);
        // Evidence points into the conversation.
        let places: Vec<Json> = whole.evidence.iter().map(|piece| json!(piece)).collect();
        assert_eq!(
            places,
            [
                json!({"kind": "compared", "field": "messages", "index": 5, "path": "/text", "start": 0, "end": 3, "text": "yes", "note": "turn 0",
                    "support": {"field": "turns", "index": 0, "path": "/reference/0", "start": 0, "end": 3}}),
                json!({"kind": "compared", "field": "messages", "index": 7, "path": "/parts/0/text", "start": 0, "end": 2, "text": "no", "note": "turn 1",
                    "support": {"field": "turns", "index": 1, "path": "/reference/0", "start": 0, "end": 5}}),
            ]
        );
    }

    #[test]
    fn only_turns_that_are_spoken_of_count_and_missed_ones_are_empty_answers() {
        let one = case(json!([{"turn": 1, "reference": ["no"]}]));
        let outcome = score(json!({"per": "turn"}), &one).unwrap();
        assert_eq!(outcome.score().unwrap().parts.get("turns"), Some(1.0));
        let all = score(json!({"per": "turn", "only": "all"}), &one).unwrap();
        assert_eq!(all.score().unwrap().parts.get("not_applicable"), Some(1.0));
        assert_eq!(
            value(
                json!({"per": "turn"}),
                &case(json!([{"turn": 1, "reference": ["no"]}, {"turn": 4, "reference": ["x"]}]))
            ),
            0.5
        );
        let none = score(json!({"per": "turn"}), &case(Json::Null)).unwrap();
        assert!(matches!(none, Outcome::NotApplicable { .. }));
        assert!(matches!(score(json!({"per": "turn"}), &Case::default()).unwrap(), Outcome::NotApplicable { .. }));
    }

    #[test]
    fn what_is_stale_or_broken_is_an_error() {
        let error = score(json!({"per": "turn"}), &case(json!([{"user": "Three?", "reference": ["x"]}]))).unwrap_err();
        assert_eq!(error.to_string(), "`turns` item 0 says \"Three?\" but the user said \"One? Quick.\"");
        let twice = score(json!({"per": "turn"}), &case(json!([{"turn": 1}, {"turn": 1}]))).unwrap_err();
        assert!(twice.to_string().contains("two items"), "{twice}");
        let mut broken = case(json!([{"reference": ["yes"]}, {"reference": ["no"]}]));
        broken.messages.as_mut().unwrap()[5].text = Some("broken".to_owned());
        let error = score(json!({"per": "turn"}), &broken).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Unparseable, "turn 0: no sense"));
    }

    #[test]
    fn options_are_checked() {
        for (options, part) in [
            (json!({"per": "case"}), "unknown variant `case`"),
            (json!({"per": "turn", "over": "sum"}), "unknown variant `sum`"),
            (json!({"per": "turn", "only": 3}), "option `only` must be"),
        ] {
            let error = SAME.build(options.clone(), Profile::Published).unwrap_err().to_string();
            assert!(error.contains(part), "{options}: {error}");
        }
        let error = RANKED.build(json!({"per": "turn"}), Profile::Published).unwrap_err().to_string();
        assert_eq!(error, "`same` cannot be taken per turn: it needs `relevant`, which a turn does not have");
    }

    #[test]
    fn a_judge_is_asked_turn_by_turn() {
        let wrapped = PerTurn::wrap(&SAME, Scorer::Judge(Box::new(Asks)), &json!({"per": "turn"})).unwrap();
        let case = case(json!([{"reference": ["yes"]}, {"reference": ["no"]}]));
        let replies = crate::FnBackend(|_: &str, turn: &JudgeAction| match turn {
            JudgeAction::Ask(questions) => vec![BackendAnswer::Reply(ModelReply::text("yes")); questions.len()],
            _ => Vec::new(),
        });
        let outcome = wrapped.score_with("m", Sample::from_case(&case), &replies).unwrap();
        let score = outcome.score().unwrap();
        assert_eq!((score.value.get(), score.parts.get("turn.1")), (0.5, Some(0.0)));
        let error = wrapped.score(Sample::from_case(&case)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Missing);
    }
    #[test]
    fn a_judge_is_asked_about_any_number_of_turns() {
        let wrapped = PerTurn::wrap(&SAME, Scorer::Judge(Box::new(Asks)), &json!({"per": "turn"})).unwrap();
        let turn = |at: usize| {
            [json!({"role": "user", "text": format!("{at}?")}), json!({"role": "assistant", "text": "yes"})]
        };
        let messages: Vec<Json> = (0..200).flat_map(turn).collect();
        let expected: Vec<Json> = (0..200).map(|_| json!({"reference": ["yes"]})).collect();
        let case: Case = serde_json::from_value(json!({"id": "a", "messages": messages, "turns": expected})).unwrap();
        let rounds = std::sync::atomic::AtomicUsize::new(0);
        let replies = crate::FnBackend(|_: &str, turn: &JudgeAction| {
            rounds.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            vec![BackendAnswer::Reply(ModelReply::text("yes")); answer_count(turn)]
        });
        let outcome = wrapped.score_with("m", Sample::from_case(&case), &replies).unwrap();
        let score = outcome.score().unwrap();
        assert_eq!((score.value.get(), score.parts.get("scored")), (1.0, Some(200.0)));
        drop(outcome);
        assert_eq!(rounds.into_inner(), 1, "all turns ask side by side");
    }
}
