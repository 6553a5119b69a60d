//! [`Subtask`]: the four text subtasks of SGI-Bench.

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
}

impl Subtask {
    /// All of them, in the order of the benchmark.
    pub const ALL: [Self; 4] = [Self::DeepResearch, Self::IdeaGeneration, Self::DryExperiment, Self::WetExperiment];

    /// The metric that scores it.
    pub const fn metric(self) -> &'static str {
        match self {
            Self::DeepResearch => "deep_research",
            Self::IdeaGeneration => "idea_generation",
            Self::DryExperiment => "dry_experiment",
            Self::WetExperiment => "wet_experiment",
        }
    }

    /// Its name in configurations.
    pub const fn dataset_id(self) -> &'static str {
        match self {
            Self::DeepResearch => "sgibench-deepresearch",
            Self::IdeaGeneration => "sgibench-ideageneration",
            Self::DryExperiment => "sgibench-dryexperiment",
            Self::WetExperiment => "sgibench-wetexperiment",
        }
    }

    /// Its name for readers.
    pub const fn title(self) -> &'static str {
        match self {
            Self::DeepResearch => "Deep research",
            Self::IdeaGeneration => "Idea generation",
            Self::DryExperiment => "Dry experiments",
            Self::WetExperiment => "Wet experiments",
        }
    }

    /// The subtask that a word means: the id of its data set, its metric, or the beginning of that.
    pub fn from_word(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase().replace('-', "_");
        Self::ALL.into_iter().find(|subtask| {
            let (id, metric) = (subtask.dataset_id().replace('-', "_"), subtask.metric());
            let short = metric.split('_').next().unwrap_or_default();
            word == id || word == metric || word == short || format!("sgibench_{word}") == id
        })
    }

    /// The tag of its cases.
    pub fn tag(self) -> String {
        format!("subtask:{}", self.metric())
    }

    /// What is asked of a model beside the question: how to answer, with an example of the form.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::DeepResearch => include_str!("prompts/deep_research.txt"),
            Self::IdeaGeneration => include_str!("prompts/idea_generation.txt"),
            Self::DryExperiment => include_str!("prompts/dry_experiment.txt"),
            Self::WetExperiment => include_str!("prompts/wet_experiment.txt"),
        }
    }

    /// The figures that its summary shows, by the names of the published fields.
    pub const fn figures(self) -> &'static [&'static str] {
        match self {
            Self::DeepResearch => &["exact_match", "step_level_acc"],
            Self::IdeaGeneration => &["final_score", "effectiveness", "novelty", "detailedness", "feasibility"],
            Self::DryExperiment => &["PassAll@5", "PassAll@3", "PassAll@1", "SER", "AET"],
            Self::WetExperiment => &["action_sequence_similarity", "parameter_accuracy", "final_score"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subtask_is_known_by_several_words() {
        for word in ["wet", "wet_experiment", "wet-experiment", "sgibench-wetexperiment", "wetexperiment", "WET"] {
            assert_eq!(Subtask::from_word(word), Some(Subtask::WetExperiment), "{word}");
        }
        assert_eq!(Subtask::from_word("damp"), None);
    }
}
