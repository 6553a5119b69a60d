//! The six types of questions, and what can be set.

use probare_core::Profile;

/// Types of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuestionType {
    /// Yes or no.
    YesNo,
    /// Name one of an open list.
    ListOne,
    /// Name several of an open list.
    ListMany,
    /// Choose one option.
    PickOne,
    /// Choose several options.
    PickMany,
    /// Yes or no, and why.
    YesNoRationale,
}

impl QuestionType {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 6] =
        [Self::YesNo, Self::ListOne, Self::ListMany, Self::PickOne, Self::PickMany, Self::YesNoRationale];

    /// The name in question files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::YesNo => "Yes/No",
            Self::ListOne => "ListOne",
            Self::ListMany => "ListMany",
            Self::PickOne => "PickOne",
            Self::PickMany => "PickMany",
            Self::YesNoRationale => "Yes/No with Rationale",
        }
    }

    /// The type of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Id of the metric that grades its answers.
    pub const fn metric(self) -> &'static str {
        match self {
            Self::YesNo => "yes_no",
            Self::ListOne => "list_one",
            Self::ListMany => "list_many",
            Self::PickOne => "pick_one",
            Self::PickMany => "pick_many",
            Self::YesNoRationale => "yes_no_rationale",
        }
    }

    /// Whether the options are closed.
    pub const fn is_pick(self) -> bool {
        matches!(self, Self::PickOne | Self::PickMany)
    }

    /// Whether one value is asked for.
    pub const fn is_one(self) -> bool {
        matches!(self, Self::ListOne | Self::PickOne)
    }
}

/// What can be set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GradingOptions {
    /// Which definition.
    pub profile: Profile,
    /// Whether yes and no are compared letter by letter.
    pub strict_yes_no: bool,
    /// Least similarity of a near spelling.
    pub fuzzy_threshold: f64,
    /// Share of the score that the yes or no carries where reasons count too.
    pub rationale_weight: f64,
    /// Whether synonyms count; by default for lists.
    pub synonyms: Option<bool>,
    /// Whether near spellings count; by default for options.
    pub fuzzy: Option<bool>,
}

impl GradingOptions {
    /// The same with the defaults where a question of this type does not care.
    #[must_use]
    pub fn for_kind(self, kind: QuestionType) -> Self {
        let usual = Self::default();
        match kind {
            QuestionType::YesNo => Self { profile: self.profile, strict_yes_no: self.strict_yes_no, ..usual },
            // Reasons are a list, for which near spellings count only where that is asked for.
            QuestionType::YesNoRationale if self.fuzzy == Some(true) => self,
            QuestionType::YesNoRationale => Self { fuzzy_threshold: usual.fuzzy_threshold, ..self },
            _ => Self { strict_yes_no: usual.strict_yes_no, rationale_weight: usual.rationale_weight, ..self },
        }
    }
}

impl Default for GradingOptions {
    fn default() -> Self {
        Self {
            profile: Profile::Published,
            strict_yes_no: false,
            fuzzy_threshold: 0.85,
            rationale_weight: 0.5,
            synonyms: None,
            fuzzy: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for kind in QuestionType::ALL {
            assert_eq!(QuestionType::from_name(kind.name()), Some(kind));
        }
        assert_eq!(QuestionType::from_name("Essay"), None);
    }
}
