//! A reading that hands on what it cannot decide: where it is unsure a judge is asked, and nowhere else.
//!
//! Some metrics have a judge that answers the same question. With their option `judge` the reading decides what it can; about the
//! rest, or about every case, the judge is asked. It does not see what was read. Its value stands in place of the value of the
//! reading, which stays as the part `reading`.

use probare_core::{
    Answer, Bands, Better, BuildError, Decider, Evidence, Judge, MetricDef, Outcome, Profile, Sample, Score,
    ScoreError, Scorer, Turn, UNSURE,
};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::judges::{judge_claims, judge_rubric, judge_same_answer};

/// When the judge is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum When {
    /// The reading decides alone.
    Never,
    /// Where the reading is unsure.
    #[serde(rename = "when_unsure")]
    Unsure,
    /// About every case that the reading applies to.
    Always,
}

/// The option that says when.
pub const OPTION: &str = "judge";

/// Options that go to the judge.
const OF_JUDGE: [&str; 4] = ["judges", "panel", "prompt", "schema"];

/// The judge that answers the same question as a metric.
struct Second {
    metric: &'static str,
    judge: &'static MetricDef,
    /// What it is asked, beside what every judge takes.
    options: fn() -> Json,
    /// Labels of a good and of a bad value where there are no bands.
    labels: (&'static str, &'static str),
    /// Whether its reading says by itself where it is unsure: the careful one, where there are several.
    is_unsure: bool,
}

const SECONDS: &[Second] = &[
    Second {
        metric: "hallucination",
        judge: &judge_claims::DEF,
        options: || json!({}),
        labels: ("supported", "unsupported"),
        is_unsure: true,
    },
    Second {
        metric: "verdict",
        judge: &judge_rubric::DEF,
        options: || {
            rubric(
                "Can the response stand: is it borne out by the context, and does it answer what was asked?",
                ("FAIL", "it says something that the context does not bear out, or does not answer"),
                ("PASS", "everything that it says is borne out, and it answers what was asked"),
            )
        },
        labels: ("PASS", "FAIL"),
        is_unsure: true,
    },
    same_answer("answer_match", true),
    same_answer("yes_no", true),
    same_answer("pick_one", false),
    same_answer("pick_many", false),
    same_answer("list_one", false),
    same_answer("list_many", false),
    Second {
        metric: "agency_language",
        judge: &judge_rubric::DEF,
        options: || {
            rubric(
                "Does the reply leave to the person what is theirs to decide?",
                ("fail", "it orders, presses, or decides in their place"),
                ("pass", "it offers, asks or informs, and leaves the choice to them"),
            )
        },
        labels: ("pass", "fail"),
        is_unsure: false,
    },
    Second {
        metric: "unverifiable_reassurance",
        judge: &judge_rubric::DEF,
        options: || {
            rubric(
                "Does the reply keep from promising what nobody can know?",
                ("fail", "it promises or plays down an outcome that it cannot know"),
                ("pass", "whatever comfort it gives, it claims nothing that it cannot know"),
            )
        },
        labels: ("pass", "fail"),
        is_unsure: false,
    },
    Second {
        metric: "topic_pivot",
        judge: &judge_rubric::DEF,
        options: || {
            rubric(
                "Does the reply stay with what the person has just said?",
                ("fail", "it leaves that for another matter without having taken it up"),
                ("pass", "it takes up what the person said, even where it goes on from there"),
            )
        },
        labels: ("pass", "fail"),
        is_unsure: false,
    },
];

const fn same_answer(metric: &'static str, is_unsure: bool) -> Second {
    let options = || json!({"rule_first": false});
    Second { metric, judge: &judge_same_answer::DEF, options, labels: ("right", "wrong"), is_unsure }
}

fn rubric(question: &str, worst: (&str, &str), best: (&str, &str)) -> Json {
    let level = |(label, means): (&str, &str)| json!({"label": label, "means": means});
    json!({"question": question, "levels": [level(worst), level(best)], "references": false})
}

/// The metrics whose question a judge can answer, too.
pub fn metrics() -> impl Iterator<Item = &'static str> {
    SECONDS.iter().map(|second| second.metric)
}

/// The judge that a metric with these options asks, where it asks one.
pub fn second(metric: &str, options: &Json) -> Option<&'static MetricDef> {
    let is_wanted = options.get(OPTION).is_some_and(|when| when.as_str() != Some("never"));
    is_wanted.then(|| SECONDS.iter().find(|second| second.metric == metric)).flatten().map(|second| second.judge)
}

/// The options of the reading alone.
pub fn without(options: &Json) -> Json {
    let mut options = options.clone();
    take(&mut options);
    options
}

/// Takes what is about the judge out of the options of a metric.
fn take(options: &mut Json) -> Option<Map<String, Json>> {
    let map = options.as_object_mut().filter(|map| map.contains_key(OPTION))?;
    let mut taken = Map::new();
    for name in [OPTION].into_iter().chain(OF_JUDGE) {
        taken.extend(map.shift_remove(name).map(|value| (name.to_owned(), value)));
    }
    if map.is_empty() {
        *options = Json::Null;
    }
    Some(taken)
}

/// The wish for a judge, as it stands in the options of a metric.
pub struct Wish {
    when: When,
    second: &'static Second,
    judge: Json,
    /// The profile that the options ask for.
    profile: Option<String>,
}

impl Wish {
    /// Takes the wish out of the options; nothing where the reading decides alone.
    pub fn take(metric: &MetricDef, options: &mut Json) -> Result<Option<Self>, BuildError> {
        let Some(mut taken) = take(options) else { return Ok(None) };
        let given = taken.shift_remove(OPTION).unwrap_or_default();
        let wrong = |reason: String| BuildError::Options(format!("`{OPTION}`: {reason}"));
        let when: When = serde_json::from_value(given.clone())
            .map_err(|_| wrong(format!("one of never, when_unsure, always is expected, not {given}")))?;
        if when == When::Never {
            return match taken.keys().next() {
                None => Ok(None),
                Some(name) => Err(wrong(format!("nobody is asked, so `{name}` has no effect"))),
            };
        }
        let Some(second) = SECONDS.iter().find(|second| second.metric == metric.id) else {
            let known: Vec<&str> = metrics().collect();
            let reason =
                format!("no judge answers the question of `{}`; there is one for {}", metric.id, known.join(", "));
            return Err(wrong(reason));
        };
        let profile = options.get("profile").and_then(Json::as_str).map(str::to_owned);
        let mut judge = (second.options)();
        if let Json::Object(judge) = &mut judge {
            judge.extend(taken);
        }
        Ok(Some(Self { when, second, judge, profile }))
    }

    /// The metric, built for a profile unless its options name another one, with its judge.
    pub fn grant(
        self,
        metric: &MetricDef,
        profile: Profile,
        reading: Scorer,
        bands: Option<Bands>,
    ) -> Result<Scorer, BuildError> {
        let wrong = |reason: String| BuildError::Options(format!("`{OPTION}`: {reason}"));
        let profile = self.profile.as_deref().unwrap_or(profile.name());
        let has_one_reading = !metric.profiles.contains(&Profile::Careful);
        let is_read_with_care = has_one_reading || profile == Profile::Careful.name();
        let can_be_unsure = bands.is_some() || self.second.is_unsure && is_read_with_care;
        if self.when == When::Unsure && !can_be_unsure {
            let careful = if self.second.is_unsure { "read with the careful profile, " } else { "" };
            let reason = format!(
                "it is never unsure by itself: {careful}say from where on it is sure with bands (`probare calibrate`), or ask always"
            );
            return Err(wrong(reason));
        }
        let Second { judge: definition, labels, .. } = self.second;
        let Scorer::Judge(judge) = definition.build(self.judge, metric.profile(Profile::default()))? else {
            return Err(wrong(format!("`{}` asks nobody", definition.id)));
        };
        let better = metric.better;
        Ok(Scorer::Judge(Box::new(Cascade {
            when: self.when,
            reading,
            bands,
            better,
            definition,
            judge,
            labels: *labels,
        })))
    }
}

/// A reading and the judge behind it.
struct Cascade {
    when: When,
    reading: Scorer,
    bands: Option<Bands>,
    better: Better,
    definition: &'static MetricDef,
    judge: Box<dyn Judge>,
    labels: (&'static str, &'static str),
}

impl Cascade {
    /// What the judge said, in the scale of the reading.
    fn judged(&self, read: &Score, told: Score) -> Result<Score, ScoreError> {
        let value = told.value.get();
        let score = Score::from_number(if self.better == Better::Higher { value } else { 1.0 - value })?;
        let (good, bad) = if self.bands.is_some() { ("pass", "fail") } else { self.labels };
        let label = match value.total_cmp(&0.5) {
            std::cmp::Ordering::Greater => good,
            std::cmp::Ordering::Less => bad,
            std::cmp::Ordering::Equal => UNSURE,
        };
        let mut score = score.with_part("reading", read.value.get())?;
        for (name, value) in told.parts.iter() {
            score = score.with_part(name.to_owned(), value)?;
        }
        Ok(score.labelled(label).because(told.evidence).decided_by(Decider::Judge))
    }
}

impl Judge for Cascade {
    fn next(&self, sample: Sample<'_>, heard: &[Answer]) -> Result<Turn, ScoreError> {
        let mut read = match self.reading.score(sample)? {
            Outcome::Scored(read) => read.decided_by(Decider::Reading),
            outcome @ Outcome::NotApplicable { .. } => return Ok(Turn::Done(outcome)),
        };
        if let Some(bands) = &self.bands {
            read.label = Some(bands.label(read.value.get(), self.better).into());
        }
        if self.when == When::Unsure && !read.is_unsure() {
            return Ok(Turn::Done(read.into()));
        }
        let stays = |read: Score, why: String| {
            Ok(Turn::Done(read.because([Evidence::note(format!("no judge decides this: {why}"))]).into()))
        };
        if let Some(lack) = self.definition.lacks(sample) {
            return stays(read, format!("the case has no `{lack}`"));
        }
        match self.judge.next(sample, heard)? {
            Turn::Done(Outcome::Scored(told)) => Ok(Turn::Done(self.judged(&read, told)?.into())),
            Turn::Done(Outcome::NotApplicable { reason }) => stays(read, reason.into_owned()),
            turn => Ok(turn),
        }
    }
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Output, Reply};

    use super::*;

    fn case(response: &str) -> Case {
        Case {
            query: Some("Who won?".to_owned()),
            response: Some(Output::new(response)),
            reference: Some(vec!["Ada Novak".to_owned()]),
            ..Case::default()
        }
    }

    fn built(id: &str, mut options: Json, bands: Option<Bands>) -> Result<Scorer, BuildError> {
        let definition = crate::registry().get(id).unwrap();
        let wish = Wish::take(definition, &mut options)?.unwrap();
        wish.grant(definition, Profile::Careful, definition.build(options, Profile::Careful)?, bands)
    }

    const BANDS: Bands = Bands { pass: Some(0.9), fail: None, error: 0.05, confidence: 0.95 };

    #[test]
    fn every_second_is_a_judge_and_stands_behind_a_reading() {
        for second in SECONDS {
            let scorer = built(second.metric, json!({"judge": "always", "judges": ["house"]}), None).unwrap();
            assert!(matches!(scorer, Scorer::Judge(_)), "{}", second.metric);
        }
    }

    #[test]
    fn the_judge_is_asked_where_the_reading_is_unsure_and_nowhere_else() {
        let scorer = built("answer_match", json!({"judge": "when_unsure", "judges": ["house"]}), Some(BANDS)).unwrap();
        let Scorer::Judge(judge) = &scorer else { panic!("it asks") };
        let sure = case("Ada Novak");
        let Turn::Done(Outcome::Scored(score)) = judge.next(Sample::of(&sure), &[]).unwrap() else {
            panic!("it is sure")
        };
        assert_eq!((score.by, score.label.as_deref()), (Some(Decider::Reading), Some("pass")));

        let unsure = case("Somebody from the north.");
        let turn = judge.next(Sample::of(&unsure), &[]).unwrap();
        let Turn::Ask(questions) = &turn else { panic!("it asks: {turn:?}") };
        let text = format!("{questions:?}");
        assert!(
            text.contains("Somebody from the north") && !text.contains("wrong:"),
            "the finding is not shown: {text}"
        );
        let heard = [Answer::Reply(Reply::text(r#"{"reason": "she is from there", "same": true}"#))];
        let Turn::Done(Outcome::Scored(score)) = judge.next(Sample::of(&unsure), &heard).unwrap() else {
            panic!("done")
        };
        assert_eq!((score.value.get(), score.parts.get("reading")), (1.0, Some(0.0)));
        assert_eq!((score.by, score.label.as_deref()), (Some(Decider::Judge), Some("pass")));
    }

    /// The end of asking, with these replies.
    fn heard(judge: &dyn Judge, case: &Case, replies: &[&str]) -> Score {
        let asked = judge.next(Sample::of(case), &[]).unwrap();
        let Turn::Ask(questions) = &asked else { panic!("it asks: {asked:?}") };
        assert_eq!(questions.len(), replies.len(), "one question for each seat");
        let heard: Vec<Answer> = replies.iter().map(|reply| Answer::Reply(Reply::text(*reply))).collect();
        match judge.next(Sample::of(case), &heard).unwrap() {
            Turn::Done(Outcome::Scored(score)) => score,
            turn => panic!("done: {turn:?}"),
        }
    }

    #[test]
    fn a_panel_of_two_decides_together() {
        let case = case("Somebody from the north.");
        let (same, other) = (r#"{"reason": "so", "same": true}"#, r#"{"reason": "so", "same": false}"#);
        // Where it is split a majority takes the lower verdict, and a mean is unsure.
        for (vote, replies, value, label) in [
            ("majority", [same, same], 1.0, "right"),
            ("majority", [other, other], 0.0, "wrong"),
            ("majority", [same, other], 0.0, "wrong"),
            ("mean", [same, same], 1.0, "right"),
            ("mean", [same, other], 0.5, "unsure"),
        ] {
            let options = json!({"judge": "when_unsure", "judges": ["first", "second"], "panel": {"vote": vote}});
            let Scorer::Judge(judge) = built("answer_match", options, None).unwrap() else { panic!("it asks") };
            let score = heard(judge.as_ref(), &case, &replies);
            assert_eq!((score.value.get(), score.label.as_deref()), (value, Some(label)), "{vote}: {replies:?}");
            assert_eq!((score.by, score.parts.get("reading")), (Some(Decider::Judge), Some(0.0)));
        }
    }

    #[test]
    fn verdict_and_yes_no_ask_where_they_are_unsure_by_themselves() {
        let case = |query: &str, response: &str| Case {
            query: Some(query.to_owned()),
            response: Some(Output::new(response)),
            context: Some(vec!["The annual pass costs 150 euros and is valid for one year.".into()]),
            reference: Some(vec!["yes".to_owned()]),
            metadata: [("metric".to_owned(), json!("yes"))].into_iter().collect(),
            ..Case::default()
        };
        let options = || json!({"judge": "when_unsure", "judges": ["house"]});
        for (id, query, sure, unsure) in [
            (
                "verdict",
                "What does the annual pass cost?",
                "The annual pass costs 180 euros and is valid for one year.",
                "Whoever buys the pass can swim until next summer.",
            ),
            ("yes_no", "Is there a pass?", "Yes, for a year.", "Whoever comes often saves a lot."),
        ] {
            let Scorer::Judge(judge) = built(id, options(), None).unwrap() else { panic!("it asks") };
            let sure = case(query, sure);
            let turn = judge.next(Sample::of(&sure), &[]).unwrap();
            assert!(
                matches!(&turn, Turn::Done(Outcome::Scored(score)) if score.by == Some(Decider::Reading)),
                "{turn:?}"
            );
            let turn = judge.next(Sample::of(&case(query, unsure)), &[]).unwrap();
            assert!(matches!(turn, Turn::Ask(_)), "{id}: {turn:?}");
        }
    }

    #[test]
    fn a_reading_that_is_unsure_by_itself_needs_no_bands() {
        let options = json!({"judge": "when_unsure", "judges": ["house"]});
        let scorer = built("hallucination", options, None).unwrap();
        let Scorer::Judge(judge) = &scorer else { panic!("it asks") };
        let case = |response: &str| Case {
            response: Some(Output::new(response)),
            context: Some(vec!["The annual pass costs 150 euros and is valid for one year.".into()]),
            ..Case::default()
        };
        for (response, label) in [
            ("The annual pass costs 150 euros.", "supported"),
            ("The annual pass costs 180 euros and is valid for one year.", "contradicted"),
        ] {
            let case = case(response);
            let Turn::Done(Outcome::Scored(score)) = judge.next(Sample::of(&case), &[]).unwrap() else {
                panic!("{response}: it is sure")
            };
            assert_eq!((score.by, score.label.as_deref()), (Some(Decider::Reading), Some(label)), "{response}");
        }
        let turn = judge.next(Sample::of(&case("Whoever buys the pass can swim until next summer.")), &[]).unwrap();
        assert!(matches!(turn, Turn::Ask(_)), "{turn:?}");
    }

    #[test]
    fn wishes_that_cannot_be_honoured_are_refused() {
        for (id, options, part) in [
            ("token_f1", json!({"judge": "always"}), "no judge answers the question of `token_f1`"),
            ("answer_match", json!({"judge": "sometimes"}), "one of never, when_unsure, always"),
            ("list_one", json!({"judge": "when_unsure"}), "never unsure by itself"),
            ("verdict", json!({"judge": "when_unsure"}), "read with the careful profile"),
            ("hallucination", json!({"judge": "when_unsure"}), "read with the careful profile"),
            ("answer_match", json!({"judge": "never", "judges": ["house"]}), "`judges` has no effect"),
        ] {
            let definition = crate::registry().get(id).unwrap();
            let mut rest = options.clone();
            let told = match Wish::take(definition, &mut rest) {
                Ok(Some(wish)) => {
                    let reading = definition.build(rest, Profile::Reference).unwrap();
                    wish.grant(definition, Profile::Reference, reading, None).err()
                }
                Ok(None) => None,
                Err(error) => Some(error),
            };
            let told = told.map(|error| error.to_string()).unwrap_or_default();
            assert!(told.contains(part), "{options}: {told}");
        }
        assert_eq!(without(&json!({"judge": "always", "judges": ["a"], "k": 3})), json!({"k": 3}));
    }
}
