//! [`Rubric`]: a question with levels and examples, as a file: those that come with the program, and the user's own.

use std::borrow::Cow;

use probare_core::{BuildError, Field};
use schemars::JsonSchema;
use serde::Deserialize;

use super::option_error;

/// The rubrics that come with the program, by name.
const LIBRARY: [(&str, &str); 14] = [
    ("answered_question", include_str!("../../../data/rubrics/answered_question.yaml")),
    ("asked_again", include_str!("../../../data/rubrics/asked_again.yaml")),
    ("bias", include_str!("../../../data/rubrics/bias.yaml")),
    ("claimed_actions", include_str!("../../../data/rubrics/claimed_actions.yaml")),
    ("conciseness", include_str!("../../../data/rubrics/conciseness.yaml")),
    ("correctness", include_str!("../../../data/rubrics/correctness.yaml")),
    ("helpfulness", include_str!("../../../data/rubrics/helpfulness.yaml")),
    ("instruction_following", include_str!("../../../data/rubrics/instruction_following.yaml")),
    ("safe_advice", include_str!("../../../data/rubrics/safe_advice.yaml")),
    ("style_guide", include_str!("../../../data/rubrics/style_guide.yaml")),
    ("summary_coverage", include_str!("../../../data/rubrics/summary_coverage.yaml")),
    ("task_completion", include_str!("../../../data/rubrics/task_completion.yaml")),
    ("tone", include_str!("../../../data/rubrics/tone.yaml")),
    ("trajectory_quality", include_str!("../../../data/rubrics/trajectory_quality.yaml")),
];

/// Most examples of a rubric.
const MOST_EXAMPLES: usize = 20;

/// A rubric.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rubric {
    /// Its name.
    pub name: String,
    /// Which version; it goes up with every change of question, levels or examples.
    pub version: u32,
    /// What it is about, in a line.
    #[serde(default)]
    pub summary: String,
    /// Fields without which it does not apply: `reference`, `context`, `query`; `messages` for one about what an agent did, which
    /// does not apply to a case without messages and calls, and is an error where a part of them could not be read.
    #[serde(default)]
    pub needs: Vec<Field>,
    /// What is asked about the response.
    pub question: String,
    /// The levels, from the worst to the best.
    pub levels: Vec<RubricLevel>,
    /// Responses with the level that each has.
    #[serde(default)]
    pub examples: Vec<RubricExample>,
}

/// A level of a rubric.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RubricLevel {
    /// Its name, which the judge repeats.
    pub label: String,
    /// What it means.
    #[serde(default)]
    pub means: String,
    /// Its value from 0 to 1; evenly spaced in the order of the list if absent.
    #[serde(default)]
    pub value: Option<f64>,
}

/// A response with its level.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RubricExample {
    /// What was asked.
    #[serde(default)]
    pub query: Option<String>,
    /// The right answer.
    #[serde(default)]
    pub reference: Option<String>,
    /// What was given to answer from.
    #[serde(default)]
    pub context: Option<String>,
    /// What was said and done before, message by message.
    #[serde(default)]
    pub conversation: Option<String>,
    /// What was answered.
    pub response: String,
    /// The level.
    pub level: String,
    /// Why.
    #[serde(default)]
    pub reason: String,
}

impl Rubric {
    /// The rubrics that come with the program.
    pub fn library() -> impl Iterator<Item = Self> {
        // A test reads all of them.
        LIBRARY.iter().filter_map(|(_, text)| Self::from_yaml(text).ok())
    }

    /// The rubric that an option names, or whose text it is.
    pub fn from_option(option: &str) -> Result<Self, BuildError> {
        Self::from_yaml(&Self::option_text(option)?)
    }

    /// The text of the rubric that an option names.
    pub fn option_text(option: &str) -> Result<Cow<'_, str>, BuildError> {
        if let Some((_, text)) = LIBRARY.iter().find(|(name, _)| *name == option) {
            return Ok(Cow::Borrowed(text));
        }
        if option.contains('\n') {
            return Ok(Cow::Borrowed(option));
        }
        let known = LIBRARY.map(|(name, _)| name).join(", ");
        let similar = probare_core::closest(option, LIBRARY.iter().map(|(name, _)| *name));
        let hint = similar.map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
        Err(option_error(format!(
            "there is no rubric `{option}`; {hint}known are {known}; one of your own is a file that ends in .yaml"
        )))
    }

    /// Reads the text of a rubric.
    pub fn from_yaml(text: &str) -> Result<Self, BuildError> {
        // Lines of the file around a mistake would repeat it at length.
        let options = serde_saphyr::options! { with_snippet: false };
        let rubric: Self = serde_saphyr::from_str_with_options(text, options)
            .map_err(|error| option_error(format!("the rubric cannot be read: {error}")))?;
        rubric.check()?;
        Ok(rubric)
    }

    fn check(&self) -> Result<(), BuildError> {
        let wrong = |reason: String| Err(option_error(format!("the rubric `{}`: {reason}", self.name)));
        if self.question.trim().is_empty() {
            return wrong("`question` is empty".to_owned());
        }
        if self.levels.len() < 2 {
            return wrong("`levels` needs at least two levels".to_owned());
        }
        if self.examples.len() > MOST_EXAMPLES {
            return wrong(format!("it has {} examples, at most {MOST_EXAMPLES} are shown", self.examples.len()));
        }
        let is_level = |name: &str| self.levels.iter().any(|level| level.label == name);
        match self.examples.iter().find(|example| !is_level(&example.level)) {
            Some(example) => wrong(format!("an example has the level `{}`, which is none of `levels`", example.level)),
            None => Ok(()),
        }
    }

    /// The examples, as they are shown to a judge.
    pub(crate) fn examples_text(&self) -> String {
        let mut text = String::new();
        for example in &self.examples {
            text.push_str(&format!("\n\nAn example of `{}`:", example.level));
            let fields = [
                ("context", example.context.as_deref()),
                ("query", example.query.as_deref()),
                ("reference", example.reference.as_deref()),
                ("conversation", example.conversation.as_deref()),
                ("response", Some(example.response.as_str())),
            ];
            for (name, value) in fields {
                if let Some(value) = value {
                    text.push_str(&format!("\n- {name}: {}", value.replace('\n', "\n  ")));
                }
            }
            if !example.reason.is_empty() {
                text.push_str(&format!("\n- because: {}", example.reason));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rubric_of_the_library_can_be_used() {
        assert_eq!(Rubric::library().count(), LIBRARY.len());
        for (name, text) in LIBRARY {
            let rubric = Rubric::from_yaml(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(rubric.name, name);
            assert!(!rubric.summary.is_empty() && rubric.version >= 1 && rubric.levels.len() >= 3, "{name}");
            for level in &rubric.levels {
                assert!(!level.means.is_empty(), "{name}: `{}` says what it means", level.label);
            }
            let shown = rubric.examples.iter().map(|example| example.level.as_str());
            let shown = shown.collect::<std::collections::BTreeSet<_>>().len();
            assert!(shown >= 2, "{name}: examples of two levels at least");
        }
    }

    #[test]
    fn what_is_wrong_with_a_rubric_is_told() {
        for (text, part) in [
            ("correctnes", "did you mean `correctness`?"),
            ("name: a\nversion: 1\nquestion: ''\nlevels: []\n", "`question` is empty"),
            ("name: a\nversion: 1\nquestion: Q\nlevels: [{label: x}]\n", "at least two levels"),
            (
                "name: a\nversion: 1\nquestion: Q\nlevels: [{label: x}, {label: y}]\nexamples: [{response: r, level: z}]\n",
                "the level `z`",
            ),
            ("name: a\nversion: 1\nquestion: Q\nlevles: []\n", "levles"),
        ] {
            let error = Rubric::from_option(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
