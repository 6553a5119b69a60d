//! [`Subtask`]: the subtasks of SGI-Bench.

use probare_core::Case;

/// One subtask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subtask {
    /// Research questions with a short answer.
    DeepResearch,
    /// Research ideas.
    IdeaGeneration,
    /// Experiments by program.
    DryExperiment,
    /// Experiments in the laboratory.
    WetExperiment,
    /// Questions with pictures and options.
    ExperimentalReasoning,
    /// Research questions of a data set of its own, which is no part of the overall score.
    DeepResearchGold,
}

impl Subtask {
    /// All of them, in the order of the benchmark.
    pub const ALL: [Self; 6] = [
        Self::DeepResearch,
        Self::IdeaGeneration,
        Self::DryExperiment,
        Self::WetExperiment,
        Self::ExperimentalReasoning,
        Self::DeepResearchGold,
    ];

    /// Those that need no pictures: the mean of these four is SGI-4. With experimental reasoning they are SGI-Score.
    pub const FOUR: [Self; 4] = [Self::DeepResearch, Self::IdeaGeneration, Self::DryExperiment, Self::WetExperiment];

    /// Its name in results, which no other subtask has.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DeepResearchGold => "deep_research_gold",
            other => other.metric(),
        }
    }

    /// The metric that scores it.
    pub const fn metric(self) -> &'static str {
        match self {
            Self::DeepResearch | Self::DeepResearchGold => "deep_research",
            Self::IdeaGeneration => "idea_generation",
            Self::DryExperiment => "dry_experiment",
            Self::WetExperiment => "wet_experiment",
            Self::ExperimentalReasoning => "experimental_reasoning",
        }
    }

    /// The metric that is computed beside it where somebody judges.
    pub const fn judged_beside(self) -> Option<&'static str> {
        match self {
            Self::ExperimentalReasoning => Some("reasoning_validity"),
            _ => None,
        }
    }

    /// Its name in configurations.
    pub const fn dataset_id(self) -> &'static str {
        match self {
            Self::DeepResearch => "sgibench-deepresearch",
            Self::IdeaGeneration => "sgibench-ideageneration",
            Self::DryExperiment => "sgibench-dryexperiment",
            Self::WetExperiment => "sgibench-wetexperiment",
            Self::ExperimentalReasoning => "sgibench-experimentalreasoning",
            Self::DeepResearchGold => "sgibench-deepresearch-gold",
        }
    }

    /// Its name for readers.
    pub const fn title(self) -> &'static str {
        match self {
            Self::DeepResearch => "Deep research",
            Self::IdeaGeneration => "Idea generation",
            Self::DryExperiment => "Dry experiments",
            Self::WetExperiment => "Wet experiments",
            Self::ExperimentalReasoning => "Reasoning",
            Self::DeepResearchGold => "Research (Gold)",
        }
    }

    /// The subtask that a word means: the id of its data set, its name, or the beginning of that.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase().replace('-', "_");
        Self::ALL.into_iter().find(|subtask| {
            let (id, name) = (subtask.dataset_id().replace('-', "_"), subtask.name());
            let short = match subtask {
                Self::DeepResearchGold => "gold",
                Self::ExperimentalReasoning => "reasoning",
                other => other.name().split('_').next().unwrap_or_default(),
            };
            word == id || word == name || word == short || format!("sgibench_{word}") == id
        })
    }

    /// The tag of its cases.
    pub fn tag(self) -> String {
        format!("subtask:{}", self.name())
    }

    /// The figures that its summary shows, by the names of the published fields.
    pub const fn figures(self) -> &'static [&'static str] {
        match self {
            Self::DeepResearch | Self::DeepResearchGold => &["exact_match", "step_level_acc"],
            Self::IdeaGeneration => &["final_score", "effectiveness", "novelty", "detailedness", "feasibility"],
            Self::DryExperiment => &["PassAll@5", "PassAll@3", "PassAll@1", "SER", "AET"],
            Self::WetExperiment => &["action_sequence_similarity", "parameter_accuracy", "final_score"],
            Self::ExperimentalReasoning => &["MCA"],
        }
    }

    /// Further figures, of the records that have them: those of the official scripts of 2026, and of judges that are not always asked.
    pub const fn further_figures(self) -> &'static [&'static str] {
        match self {
            Self::DeepResearch | Self::DeepResearchGold => &["llm_judge", "step_level_acc_llmrouterbench"],
            Self::WetExperiment => &["soft_action_sequence_similarity", "soft_parameter_accuracy", "soft_final_score"],
            Self::ExperimentalReasoning => &["RV", "RV_text_only"],
            Self::IdeaGeneration | Self::DryExperiment => &[],
        }
    }
}

/// The subtask of a case.
pub fn case_subtask(case: &Case) -> Option<Subtask> {
    let tag = case.tags.iter().find_map(|tag| tag.strip_prefix("subtask:"))?;
    Subtask::ALL.into_iter().find(|subtask| subtask.name() == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subtask_is_known_by_several_words() {
        for word in ["wet", "wet_experiment", "wet-experiment", "sgibench-wetexperiment", "wetexperiment", "WET"] {
            assert_eq!(Subtask::from_word(word), Some(Subtask::WetExperiment), "{word}");
        }
        for (word, subtask) in [
            ("deep", Subtask::DeepResearch),
            ("gold", Subtask::DeepResearchGold),
            ("sgibench-deepresearch-gold", Subtask::DeepResearchGold),
            ("deepresearch_gold", Subtask::DeepResearchGold),
            ("reasoning", Subtask::ExperimentalReasoning),
            ("experimental_reasoning", Subtask::ExperimentalReasoning),
        ] {
            assert_eq!(Subtask::from_word(word), Some(subtask), "{word}");
        }
        assert_eq!(Subtask::from_word("damp"), None);
        let names: std::collections::BTreeSet<&str> = Subtask::ALL.map(Subtask::name).into_iter().collect();
        assert_eq!(names.len(), Subtask::ALL.len());
    }
}
