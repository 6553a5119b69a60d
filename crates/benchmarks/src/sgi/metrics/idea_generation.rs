//! How good a research idea is: four objective scores, and votes of three judges who compare it with a reference in both orders.

use std::collections::BTreeSet;

use probare_core::{
    BackendAnswer, BuildError, ChatRequest, ErrorKind, Evidence, EvidenceKind, Field, Judge, JudgeAction, Outcome,
    Parameters, Profile, Sample, Score, ScoreError, ScoreParts, metric,
};
use probare_metrics::bounded_evidence::BoundedEvidence;
use probare_metrics::judges::prompting::{PromptTemplate, QuotedTexts, TextPlaces, judge_evidence, option_error};
use probare_text::python::PyValue;
use schemars::JsonSchema;
use serde::Deserialize;

use super::extraction::replies::reply_text;
use super::idea::{
    DIMENSION_NAMES, FIELDS, FinalScore, GraphOptions, IdeaReference, ObjectiveOptions, ObjectiveScores, RESPECTS,
    RespectVotes, TextVectors, VoteCount, VoteOptions, context_text, count_votes, final_score, idea_text,
    objective_scores, parse_idea, parse_vote, texts_to_embed, win_threshold, won_respects,
};

/// The prompt, unless another is given.
const PROMPT: &str = include_str!("prompts/ideas.txt");

const FORM: &str = "Reply with five lines and nothing else, one for each respect in the order above: its name, a colon, `[Win A]` or \
     `[Win B]`, the word because, and the reason in one sentence. For example: Effectiveness: [Win A] because it …";

/// Places of the prompt.
const PLACES: TextPlaces<'_> = TextPlaces { known: &["context", "idea_a", "idea_b"], needed: &["idea_a", "idea_b"] };

/// Judges that vote.
const JUDGES: usize = 3;

/// Votes of one round: every judge in both orders.
pub const VOTES: usize = 2 * JUDGES;

/// Options of `idea_generation`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct IdeaGeneration {
    /// Which definition: `published` (the published scores) or `improved` (every flag below switched on, unreadable votes asked for
    /// again, and no score where they stay so).
    pub profile: Profile,
    /// Names of the three models that vote; the judges of the run if absent.
    pub judges: Vec<String>,
    /// The embedding model. Default `all-MiniLM-L6-v2`.
    pub model: Option<String>,
    /// An empty idea earns nothing; by the published scores it has no fault of length or repetition and is new, which gives 8 points of
    /// 10 and more.
    pub empty_idea_scores_zero: Option<bool>,
    /// Keywords that are one text stay one text; the published scorer takes them letter by letter.
    pub whole_keywords: Option<bool>,
    /// In a plan step 2 comes before step 10; in the published one behind.
    pub natural_order: Option<bool>,
    /// `[WinA]` and `Win  A` are A; the published reader takes them for B.
    pub strict_verdicts: Option<bool>,
    /// A verdict stands as words of its own behind a label; the published reader finds one in `Darwin also`, and takes the first of an
    /// echoed `[Win A/Win B]`.
    pub whole_word_verdicts: Option<bool>,
    /// JSON that is not an object counts as an idea that cannot be read, with 0 points; the published scorer fails on it and leaves the
    /// case out of the mean.
    pub object_or_zero: Option<bool>,
    /// How often a vote that cannot be read is asked for again. Default 0 in the published profile, 2 in the improved one.
    pub reasks: Option<u32>,
    /// The prompt in place of ours, or `@FILE` to read it from a file.
    pub prompt: Option<String>,
}

metric!(IdeaGeneration as Judge {
    summary: "How good a research idea is, by four objective scores and the votes of three judges in both orders",
    range: (0.0, 1.0),
    better: Higher,
    needs: [Response],
    metadata: ["core_idea"],
    profiles: [Published, Improved],
    whole: whole,
    prompts: |_| vec![("prompt", PROMPT)],
    prepare: IdeaJudge::new,
    since: "0.2",
    version: 2,
    page: "idea_generation.md",
});

fn whole(parts: &ScoreParts) -> Option<f64> {
    Some(parts.get("final_score")? / 100.0)
}

/// How everything is read.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct IdeaFlags {
    objective: ObjectiveOptions,
    votes: VoteOptions,
    object_or_zero: bool,
}

impl IdeaFlags {
    fn for_profile(profile: Profile) -> Self {
        let fair = profile == Profile::Improved;
        Self {
            objective: ObjectiveOptions {
                whole_keywords: fair,
                empty_is_nothing: fair,
                graph: GraphOptions { natural_order: fair, ..GraphOptions::default() },
            },
            votes: VoteOptions { strict_verdicts: fair, whole_words: fair },
            object_or_zero: fair,
        }
    }
}

struct IdeaJudge {
    profile: Profile,
    judges: Vec<String>,
    model: String,
    flags: IdeaFlags,
    reasks: usize,
    template: PromptTemplate,
}

/// Most times that a vote is asked for again.
const MOST_REASKS: u32 = 8;

impl IdeaJudge {
    fn new(options: IdeaGeneration) -> Result<Self, BuildError> {
        if !options.judges.is_empty() && options.judges.len() != JUDGES {
            return Err(option_error(format!(
                "`judges` names {JUDGES} models that vote; there are {}",
                options.judges.len()
            )));
        }
        let mut flags = IdeaFlags::for_profile(options.profile);
        let set = |flag: &mut bool, given: Option<bool>| *flag = given.unwrap_or(*flag);
        set(&mut flags.objective.empty_is_nothing, options.empty_idea_scores_zero);
        set(&mut flags.objective.whole_keywords, options.whole_keywords);
        set(&mut flags.objective.graph.natural_order, options.natural_order);
        set(&mut flags.votes.strict_verdicts, options.strict_verdicts);
        set(&mut flags.votes.whole_words, options.whole_word_verdicts);
        set(&mut flags.object_or_zero, options.object_or_zero);
        let reasks = options.reasks.unwrap_or(if options.profile == Profile::Improved { 2 } else { 0 });
        if reasks > MOST_REASKS {
            return Err(option_error(format!("`reasks` is a number from 0 to {MOST_REASKS}")));
        }
        Ok(Self {
            profile: options.profile,
            judges: options.judges,
            model: options.model.unwrap_or_else(|| "all-MiniLM-L6-v2".to_owned()),
            flags,
            reasks: reasks as usize,
            template: PromptTemplate::with_places(
                options.prompt.as_deref().unwrap_or(PROMPT),
                &["form", "data"],
                PLACES,
            )?,
        })
    }

    fn name(&self, seat: usize) -> String {
        self.judges
            .get(seat)
            .map_or_else(|| format!("judge {}", seat + 1), |name| format!("judge {} ({name})", seat + 1))
    }

    /// The flags of the other profile, whose score is also shown.
    fn other_flags(&self) -> IdeaFlags {
        IdeaFlags::for_profile(if self.profile == Profile::Improved { Profile::Published } else { Profile::Improved })
    }

    fn question(&self, sample: Sample<'_>, pair: &Pair, slot: usize, attempt: usize) -> ChatRequest {
        let (generated, reference) = (idea_text(&pair.idea), idea_text(&pair.reference.idea));
        let (first, second) = if slot.is_multiple_of(2) { (&reference, &generated) } else { (&generated, &reference) };
        let mut data = QuotedTexts::default();
        let context = context_text(&sample.case.metadata);
        data.add_block("context", &context).add_block("idea A", first).add_block("idea B", second);
        ChatRequest {
            messages: self.template.messages(&[
                ("form", FORM),
                ("data", data.text()),
                ("context", &context),
                ("idea_a", first),
                ("idea_b", second),
            ]),
            parameters: Parameters { temperature: Some(0.1), ..Parameters::default() },
            seat: slot / 2,
            attempt: u32::try_from(attempt).unwrap_or(u32::MAX),
            coded: false,
        }
    }

    /// The replies so far, one for each vote: the last that came. Also what is to be asked again.
    fn replies<'a>(&self, answers: &'a [BackendAnswer]) -> Result<Ballot<'a>, ScoreError> {
        let short = || ScoreError::Internal { reason: format!("{} votes came", answers.len()) };
        let (first, mut rest) = answers.split_at_checked(VOTES).ok_or_else(short)?;
        let read = |answer: &'a BackendAnswer| reply_text(answer, self.profile);
        let mut replies: Vec<&str> = first.iter().map(read).collect::<Result<_, _>>()?;
        let unread = |replies: &[&str]| -> Vec<usize> {
            (0..VOTES).filter(|at| parse_vote(replies[*at], self.flags.votes).is_none()).collect()
        };
        let mut again = unread(&replies);
        let mut round = 0;
        while !rest.is_empty() && !again.is_empty() {
            let (next, later) = rest.split_at_checked(again.len()).ok_or_else(short)?;
            for (slot, answer) in again.iter().zip(next) {
                replies[*slot] = read(answer)?;
            }
            rest = later;
            round += 1;
            again = unread(&replies);
        }
        Ok(Ballot { replies, again, rounds: round })
    }

    /// What every vote says, and what votes come to in every respect.
    fn note_votes(&self, replies: &[&str], assessment: &Assessment, evidence: &mut BoundedEvidence) {
        for (slot, (reply, votes)) in replies.iter().zip(&assessment.votes).enumerate() {
            let order = if slot % 2 == 0 { "reference first" } else { "idea first" };
            let name = self.name(slot / 2);
            evidence.push(|| match votes {
                Some(votes) => {
                    let sides: Vec<String> = RESPECTS
                        .iter()
                        .zip(&votes.0)
                        .map(|(respect, vote)| {
                            format!("{respect}: {}", if vote.is_b { "the idea" } else { "the reference" })
                        })
                        .collect();
                    let reasons: Vec<&str> = votes.0.iter().map(|vote| vote.reason.as_str()).collect();
                    judge_evidence(format!("{name}, {order}: {}", sides.join(", ")), &reasons.join(" / "))
                }
                None => judge_evidence(format!("{name}, {order}: void, no verdict in every respect"), reply),
            });
        }
        for (at, (respect, counted)) in RESPECTS.iter().zip(&assessment.counts).enumerate() {
            evidence.push(|| {
                Evidence::note(format!(
                    "{respect}: {} for the idea, {} for the reference: {}",
                    counted.generated,
                    counted.original,
                    counted.result(win_threshold(at))
                ))
            });
        }
    }

    fn outcome(
        &self,
        sample: Sample<'_>,
        pair: &Pair,
        vectors: &TextVectors<'_>,
        replies: &[&str],
    ) -> Result<Outcome, ScoreError> {
        let assessment = Assessment::new(pair, vectors, replies, self.flags);
        let valid = assessment.votes.iter().flatten().count();
        if self.profile == Profile::Improved && valid < VOTES {
            let reason = format!("{valid} of {VOTES} votes can be read after asking again");
            return Err(ScoreError::UnreadableReply { reason });
        }
        let other = Assessment::new(pair, vectors, replies, self.other_flags());
        let mut evidence = BoundedEvidence::default();
        let response = sample.response()?;
        evidence.push(|| {
            let filled = FIELDS.iter().filter(|name| pair.idea.get(name).is_some_and(PyValue::is_truthy)).count();
            Evidence::at(EvidenceKind::Matched, Field::Response, 0..response.len(), response)
                .with_note(format!("{filled} of {} fields of an idea hold something", FIELDS.len()))
        });
        self.note_votes(replies, &assessment, &mut evidence);
        let mut score = assessment.score()?;
        if (other.final_score.score - assessment.final_score.score).abs() > 1e-9 {
            let name = if self.profile == Profile::Improved { "final_score_published" } else { "final_score_improved" };
            score = score.with_part(name, other.final_score.score)?;
            evidence.push(|| Evidence::note(difference_note(&assessment, &other)));
        }
        let record = PublishedIdea {
            idea: pair.idea.clone(),
            reference: pair.reference.idea.clone(),
            objective: assessment.objective.clone(),
            counts: assessment.counts,
            votes: assessment.votes.clone(),
            judges: (0..JUDGES).map(|seat| self.judges.get(seat).cloned().unwrap_or_else(|| self.name(seat))).collect(),
        };
        let _ = sample.cached(PUBLISHED, || Some(record));
        Ok(score.because(evidence.finish()).into())
    }
}

/// Key of what is published of a case.
const PUBLISHED: u64 = 0x5347_4949;

/// What the published record holds beyond scores.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedIdea {
    /// The idea.
    pub idea: PyValue,
    /// What it was held against.
    pub reference: PyValue,
    /// Objective scores.
    pub objective: ObjectiveScores,
    /// Votes in each respect.
    pub counts: [VoteCount; 5],
    /// Votes of each judge in each order, seen from the order reference, idea.
    pub votes: Vec<Option<RespectVotes>>,
    /// The names of the judges; each has two votes, the second with the ideas swapped.
    pub judges: Vec<String>,
}

/// What is published of a case that was scored just now; nothing of one that was scored before.
pub fn published_record(sample: Sample<'_>) -> std::rc::Rc<Option<PublishedIdea>> {
    sample.cached(PUBLISHED, || None)
}

/// What the judges said so far.
struct Ballot<'a> {
    /// One reply for each vote.
    replies: Vec<&'a str>,
    /// Votes that cannot be read.
    again: Vec<usize>,
    /// How often such were asked for again.
    rounds: usize,
}

/// The idea of a case and what it is held against.
struct Pair {
    idea: PyValue,
    reference: IdeaReference,
}

/// An idea with its scores under one profile.
struct Assessment {
    objective: ObjectiveScores,
    votes: Vec<Option<RespectVotes>>,
    counts: [VoteCount; 5],
    final_score: FinalScore,
}

impl Assessment {
    fn new(pair: &Pair, vectors: &TextVectors<'_>, replies: &[&str], flags: IdeaFlags) -> Self {
        let objective = objective_scores(&pair.idea, &pair.reference, vectors, flags.objective);
        let votes: Vec<Option<RespectVotes>> = replies
            .iter()
            .enumerate()
            .map(|(slot, reply)| {
                let votes = parse_vote(reply, flags.votes)?;
                // In the second order the idea was A.
                Some(if slot % 2 == 0 { votes } else { votes.flipped() })
            })
            .collect();
        let counts = count_votes(&votes);
        let final_score = final_score(&objective, won_respects(&counts));
        Self { objective, votes, counts, final_score }
    }

    /// The score with the parts that come from objective scores and votes.
    fn score(&self) -> Result<Score, ScoreError> {
        let value = self.final_score.score;
        let mut score = Score::from_number(value / 100.0)?.with_part("final_score", value)?;
        for (name, dimension) in DIMENSION_NAMES.iter().zip(self.final_score.dimensions) {
            score = score
                .with_part(*name, dimension.value)?
                .with_part(format!("{name}_objective"), dimension.objective)?
                .with_part(format!("{name}_subjective"), dimension.subjective)?;
        }
        let valid = self.votes.iter().flatten().count();
        for (name, number) in [
            ("novelty_similarity", self.objective.novelty_similarity),
            ("cutting_edge", self.objective.cutting_edge),
            ("valid_votes", valid as f64),
            ("flipped", flip_rate(&self.votes)),
            ("agreement", agreement(&self.counts)),
        ] {
            score = score.with_part(name, number)?;
        }
        Ok(score)
    }
}

/// Why two readings differ.
fn difference_note(own: &Assessment, other: &Assessment) -> String {
    let mut why = Vec::new();
    if own.objective != other.objective {
        why.push("objective scores");
    }
    if own.votes.iter().map(Option::is_some).ne(other.votes.iter().map(Option::is_some)) {
        why.push("which votes can be read");
    } else if own.counts != other.counts {
        why.push("what votes say");
    }
    format!(
        "in the other profile the final score is {:.4}; the profiles differ in {}",
        other.final_score.score,
        why.join(" and ")
    )
}

/// Share of the judges' verdicts that change with the order, over judges of whom both orders can be read.
fn flip_rate(votes: &[Option<RespectVotes>]) -> f64 {
    let (mut flipped, mut all) = (0_u32, 0_u32);
    for pair in votes.chunks(2) {
        if let [Some(first), Some(second)] = pair {
            for (one, other) in first.0.iter().zip(&second.0) {
                flipped += u32::from(one.is_b != other.is_b);
                all += 1;
            }
        }
    }
    if all == 0 { 0.0 } else { f64::from(flipped) / f64::from(all) }
}

/// Share of the votes that are on the side of most, over all respects.
fn agreement(counts: &[VoteCount; 5]) -> f64 {
    let most: u32 = counts.iter().map(|count| count.original.max(count.generated)).sum();
    let all: u32 = counts.iter().map(|count| count.original + count.generated).sum();
    if all == 0 { 0.0 } else { f64::from(most) / f64::from(all) }
}

/// The score of an idea that cannot be read.
fn unreadable_outcome(response: &str, why: &'static str) -> Result<Outcome, ScoreError> {
    let mut score = Score::from_number(0.0)?.with_part("final_score", 0.0)?;
    for name in DIMENSION_NAMES {
        score = score.with_part(name, 0.0)?;
    }
    let seen = Evidence::at(EvidenceKind::Compared, Field::Response, 0..response.len(), response).with_note(why);
    Ok(score.labelled("unreadable").because([seen]).into())
}

impl Judge for IdeaJudge {
    fn next_action(&self, sample: Sample<'_>, received: &[BackendAnswer]) -> Result<JudgeAction, ScoreError> {
        let response = sample.response()?;
        let Some(idea) = parse_idea(response) else {
            return Ok(JudgeAction::Done(unreadable_outcome(
                response,
                "no idea can be read: neither JSON nor one of its fields",
            )?));
        };
        if !matches!(idea, PyValue::Dict(_)) {
            if self.flags.object_or_zero {
                return Ok(JudgeAction::Done(unreadable_outcome(response, "the idea is JSON, but no object")?));
            }
            let reason =
                "the idea is JSON, but no object; the published scorer fails on it and leaves it out of the mean";
            return Err(ScoreError::other(ErrorKind::Failed, reason));
        }
        let reference = IdeaReference::new(&sample.case.metadata)
            .map_err(|error| ScoreError::other(ErrorKind::Failed, error.to_string()))?;
        let pair = Pair { idea, reference };
        let mut seen = BTreeSet::new();
        let mut texts = texts_to_embed(&pair.idea, &pair.reference, self.flags.objective);
        texts.extend(texts_to_embed(&pair.idea, &pair.reference, self.other_flags().objective));
        texts.retain(|text| seen.insert(text.clone()));
        if received.is_empty() {
            return Ok(JudgeAction::Embed { model: self.model.clone(), texts });
        }
        let (embedded, answers) = received.split_at_checked(texts.len()).ok_or_else(|| ScoreError::Internal {
            reason: format!("{} vectors came for {} texts", received.len(), texts.len()),
        })?;
        let mut vectors = TextVectors::new();
        for (text, answer) in texts.iter().zip(embedded) {
            vectors.insert(text, answer.vector()?);
        }
        if answers.is_empty() {
            return Ok(JudgeAction::Ask((0..VOTES).map(|slot| self.question(sample, &pair, slot, 0)).collect()));
        }
        let Ballot { replies, again, rounds } = self.replies(answers)?;
        if !again.is_empty() && rounds < self.reasks {
            return Ok(JudgeAction::Ask(
                again.iter().map(|slot| self.question(sample, &pair, *slot, rounds + 1)).collect(),
            ));
        }
        Ok(JudgeAction::Done(self.outcome(sample, &pair, &vectors, &replies)?))
    }

    fn embedding_model(&self) -> Option<&str> {
        Some(&self.model)
    }
}
