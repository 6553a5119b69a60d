//! Metrics of earlier releases that are gone, with what replaces each. The ids are never used again.

use probare_core::RetiredMetric;

/// The retired metrics, by id.
pub static RETIRED: &[RetiredMetric] = &[
    RetiredMetric {
        id: "answered_question",
        family: "agents",
        since: "0.4",
        reason: "none of its flags on new transcripts was right",
        replacement: "`judge_rubric:rubric=answered_question,per=turn` asks a model whether every question is taken up",
    },
    RetiredMetric {
        id: "asked_again",
        family: "agents",
        since: "0.4",
        reason: "it found 11 of 24 repeated questions in new wordings, and 4 of its 15 flags were wrong",
        replacement: "`judge_rubric:rubric=asked_again` asks a model",
    },
    RetiredMetric {
        id: "claimed_actions",
        family: "agents",
        since: "0.4",
        reason: "its rules missed most wordings of a false claim and flagged stock phrases",
        replacement: "`judge_rubric:rubric=claimed_actions` asks a model about the whole conversation, \
                      `judge_rubric:rubric=claimed_actions,per=turn` about each turn; `tool_calls` compares the calls with expected ones",
    },
    RetiredMetric {
        id: "grounded_in_tools",
        family: "agents",
        since: "0.4",
        reason: "most of its flags were wrong on transcripts that its rules had not seen",
        replacement: "`judge_claims:per=turn,passages=results` asks a model which tool result supports each claim; \
                      `hallucination:per=turn,passages=results` compares without one",
    },
    RetiredMetric {
        id: "repeats_itself",
        family: "agents",
        since: "0.4",
        reason: "its rules were never shown to be right on new text",
        replacement: "`loops` counts repeated texts and calls; `judge_rubric` asks a model, with a question of your own",
    },
];

#[cfg(test)]
mod tests {
    use probare_core::{MetricRequest, Profile};

    use super::*;
    use crate::registry;

    #[test]
    fn a_retired_id_is_refused_with_its_replacement_and_never_listed() {
        for metric in RETIRED {
            let unknown = registry().get(metric.id).unwrap_err();
            assert_eq!(unknown.to_string(), format!("metric `{}` was retired in 0.4: {}", metric.id, metric.reason));
            assert_eq!(unknown.hint().as_deref(), Some(metric.replacement));
            assert!(registry().iter().all(|known| known.id != metric.id), "{} is listed", metric.id);
        }
        assert!(RETIRED.is_sorted_by_key(|metric| metric.id));
    }

    #[test]
    fn every_metric_that_a_replacement_names_exists() {
        for metric in RETIRED {
            let quoted = metric.replacement.split('`').skip(1).step_by(2);
            for written in quoted {
                let request: MetricRequest = written.parse().unwrap();
                let built = registry().get(&request.id).unwrap().build(request.options, Profile::Published);
                assert!(built.is_ok(), "{} names {written}", metric.id);
            }
        }
    }
}
