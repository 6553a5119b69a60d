//! The answer of a case, read once for all measures of the careful profile.

use std::hash::BuildHasher;
use std::rc::Rc;

use probare_core::{Profile, Sample, ScoreError};
use rustc_hash::FxBuildHasher;

use super::Sources;
use crate::deep_search::careful::Answer;

/// The response with what it copied from the sources under `key`; nothing in the reference profile, which parses nothing.
pub fn careful_answer(
    sample: Sample<'_>,
    profile: Profile,
    key: &str,
) -> Result<Option<Rc<Answer<'static>>>, ScoreError> {
    if profile == Profile::Reference {
        return Ok(None);
    }
    let response = sample.response()?;
    let read = || Answer::new(response.to_owned(), &Sources::if_any(sample, key).texts);
    Ok(Some(sample.reading(FxBuildHasher.hash_one(key), read)))
}

#[cfg(test)]
mod tests {
    use probare_core::{Case, Output};

    use super::*;

    #[test]
    fn only_the_careful_profile_parses() {
        let case = Case { response: Some(Output::new("The press was new.")), ..Case::default() };
        let sample = Sample::of(&case);
        assert!(careful_answer(sample, Profile::Reference, "sources").unwrap().is_none());
        let answer = careful_answer(sample, Profile::Careful, "sources").unwrap().unwrap();
        assert_eq!(answer.sentences.len(), 1);
        assert!(careful_answer(Sample::of(&Case::default()), Profile::Careful, "sources").is_err());
    }
}
