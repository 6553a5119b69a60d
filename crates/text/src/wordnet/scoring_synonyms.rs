//! The synonyms that scoring uses: in canonical form, without those that would match by accident.

use super::WordNet;
use crate::number_words::canonical;
use crate::stopwords;

impl WordNet {
    /// The [`synonyms`](Self::synonyms) of `value` in [canonical](canonical) form and in the same order, each once.
    /// Left out are the value itself, stop words of NLTK (WordNet lists `he` for helium), single characters and pure
    /// numbers. A value that is a number has none: `5` would gain `v`.
    pub fn scoring_synonyms(&self, value: &str) -> Vec<String> {
        let own = canonical(value);
        let mut synonyms = Vec::new();
        if is_number(&own) {
            return synonyms;
        }
        for synonym in self.synonyms(value) {
            let form = canonical(&synonym);
            let is_long_enough = form.chars().nth(1).is_some();
            let is_useful = is_long_enough && form != own && !stopwords::nltk().contains(&form) && !is_number(&form);
            if is_useful && !synonyms.contains(&form) {
                synonyms.push(form);
            }
        }
        synonyms
    }
}

/// Whether a canonical form is one number: digits, perhaps with dots between them.
fn is_number(form: &str) -> bool {
    form.contains(char::is_numeric) && form.chars().all(|letter| letter.is_numeric() || letter == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accidents_are_left_out() {
        let wordnet = WordNet::embedded();
        assert_eq!(wordnet.synonyms("helium"), ["atomic number 2", "he"]);
        assert_eq!(wordnet.scoring_synonyms("helium"), ["atomic number 2"]);
        assert_eq!(wordnet.scoring_synonyms("snow").iter().filter(|form| form.len() < 2).count(), 0);
    }

    #[test]
    fn numbers_have_no_synonyms() {
        let wordnet = WordNet::embedded();
        for number in ["5", "five", "5.0", "twelve"] {
            assert_eq!(wordnet.scoring_synonyms(number), Vec::<String>::new(), "{number}");
        }
    }
}
