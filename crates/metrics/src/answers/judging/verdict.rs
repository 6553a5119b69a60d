//! The judgement: each gold answer is looked for, each mention is questioned, and one that stands makes the answer right.

use std::ops::Range;

use super::answer::{Answer, Way};
use super::forms::forms;
use super::objections::{Reason, Scene};
use super::proof::Ground;
use super::question::Question;
use super::trial::Trial;

/// Most gold answers that are looked for.
const MOST_GOLDS: usize = 200;

/// What the judgement rests on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verdict {
    /// Whether the answer is right.
    pub is_right: bool,
    /// Index of the gold answer that decided.
    pub gold: usize,
    /// Share of that gold that was met.
    pub coverage: f64,
    /// Share that had to be met.
    pub needed: f64,
    /// Where it was met: bytes of the answer and how.
    pub met: Vec<(Range<usize>, Way)>,
    /// What speaks against it: bytes of the answer and why.
    pub against: Vec<(Range<usize>, Against)>,
    /// For yes and no: whether the answer says it, or it only follows from what is stated.
    pub is_said: Option<bool>,
    /// What it rests on.
    pub ground: Ground,
}

/// What speaks against an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Against {
    /// The gold is mentioned and does not count.
    Mention(Reason),
    /// Another number stands where the number should.
    OtherNumber,
    /// Another date stands where the date should.
    OtherDate,
    /// Somebody else of that surname.
    OtherBearer,
    /// The opposite of yes or no.
    Opposite,
}

impl Against {
    /// How the evidence calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mention(reason) => reason.name(),
            Self::OtherNumber => "another number",
            Self::OtherDate => "another date",
            Self::OtherBearer => "somebody else of that name",
            Self::Opposite => "the opposite",
        }
    }
}

impl Verdict {
    /// The gold was not met, or not enough of it.
    pub fn absent(gold: usize, coverage: f64, needed: f64) -> Self {
        Self {
            is_right: false,
            gold,
            coverage,
            needed,
            met: Vec::new(),
            against: Vec::new(),
            is_said: None,
            ground: Ground::Absent,
        }
    }

    /// The same where another rule takes it for shown.
    #[must_use]
    pub fn shown(self) -> Self {
        Self { ground: Ground::Said, ..self }
    }

    /// Whether something speaks against what was met.
    pub fn is_contradicted(&self) -> bool {
        !self.is_right && (!self.against.is_empty() || self.coverage >= self.needed)
    }

    /// How well an answer that is not right does, for the choice among several golds.
    fn rank(&self) -> (bool, bool, f64) {
        (self.is_right, !self.against.is_empty(), self.coverage)
    }
}

/// Judges an answer. `golds` are alternatives: one suffices.
pub(crate) fn judge(query: &str, golds: &[String], response: &str) -> Option<Verdict> {
    let answer = Answer::new(response);
    let question = Question::new(query);
    let scene = Scene { answer: &answer, question: &question };
    let mut trial = Trial::new(scene);
    let mut best: Option<Verdict> = None;
    let mut consider = |verdict: Verdict| {
        let is_better = best
            .as_ref()
            .is_none_or(|known| verdict.rank().partial_cmp(&known.rank()).is_some_and(std::cmp::Ordering::is_gt));
        if is_better {
            best = Some(verdict);
        }
        best.as_ref().is_some_and(|verdict| verdict.is_right)
    };
    let forms: Vec<(usize, &str)> = forms(golds).take(MOST_GOLDS).collect();
    // Where a surname alone is a gold as well, full names tell whether it is somebody else's.
    for (_, form) in &forms {
        let is_surname =
            |(_, other): &(usize, &str)| !other.contains(' ') && form.len() > other.len() && form.ends_with(other);
        if form.contains(' ') && forms.iter().any(is_surname) {
            trial.note_bearer(form);
        }
    }
    for (index, form) in &forms {
        if consider(trial.verdict(*index, form)) {
            break;
        }
    }
    best.map(|verdict| {
        let gold = golds.get(verdict.gold).map_or("", String::as_str);
        Verdict { ground: scene.ground(&verdict, gold), ..verdict }
    })
}
