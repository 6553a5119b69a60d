//! The answer of a case, read once for all measures of the improved profile.

use std::hash::BuildHasher;
use std::rc::Rc;

use probare_core::{Profile, Sample, ScoreError};
use probare_metrics::source_texts::SourceTexts;
use rustc_hash::FxBuildHasher;

use crate::synthlink::deep_search::improved::ParsedAnswer;

/// The response with what it copied from the sources under `key`; nothing in the published profile, which parses nothing.
pub fn parsed_answer(
    sample: Sample<'_>,
    profile: Profile,
    key: &str,
) -> Result<Option<Rc<ParsedAnswer<'static>>>, ScoreError> {
    if profile == Profile::Published {
        return Ok(None);
    }
    let response = sample.response()?;
    let read = || ParsedAnswer::new(response.to_owned(), &SourceTexts::from_sample_or_empty(sample, key).texts);
    Ok(Some(sample.cached(FxBuildHasher.hash_one(key), read)))
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Output};

    use super::*;

    #[test]
    fn only_the_improved_profile_parses() {
        let case = Case { response: Some(Output::new("The press was new.")), ..Case::default() };
        let sample = Sample::from_case(&case);
        assert!(parsed_answer(sample, Profile::Published, "sources").unwrap().is_none());
        let answer = parsed_answer(sample, Profile::Improved, "sources").unwrap().unwrap();
        assert_eq!(answer.sentences.len(), 1);
        assert!(parsed_answer(Sample::from_case(&Case::default()), Profile::Improved, "sources").is_err());
    }
}
