//! What a search finds, in which order, and why.

use probare_retrieval::{Filter, Index, Mode, RetrievalError, SearchRequest, terms};

use crate::support::{TestCorpus, letters};

fn search(question: &str, mode: Mode, k: usize, filter: &[&str]) -> SearchRequest {
    let filter: Vec<String> = filter.iter().map(|text| (*text).to_owned()).collect();
    SearchRequest { question: question.to_owned(), k, filter: Filter::parse(&filter).unwrap(), mode }
}

fn ids(index: &Index, search: &SearchRequest) -> Vec<String> {
    let embedder = letters();
    index.search(search, Some(&embedder)).unwrap().hits.iter().map(|hit| hit.id.clone()).collect()
}

/// BM25 by its formula: k1 1.2, b 0.75, idf ln(1 + (N - n + 0.5) / (n + 0.5)).
fn bm25(texts: &[String], question: &str) -> Vec<f64> {
    let documents: Vec<Vec<String>> = texts.iter().map(|text| terms(text)).collect();
    let average = documents.iter().map(Vec::len).sum::<usize>() as f64 / documents.len() as f64;
    let mut query_terms = terms(question);
    query_terms.dedup();
    let score = |document: &Vec<String>| {
        let share = |term: &String| {
            let holding = documents.iter().filter(|other| other.contains(term)).count() as f64;
            let count = document.iter().filter(|other| *other == term).count() as f64;
            let rarity = (1.0 + (documents.len() as f64 - holding + 0.5) / (holding + 0.5)).ln();
            rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * document.len() as f64 / average))
        };
        query_terms.iter().map(share).sum::<f64>()
    };
    documents.iter().map(score).collect()
}

#[test]
fn words_are_ranked_by_the_formula() {
    // Passages below 40 words, whose length the index keeps exactly.
    let texts: Vec<String> =
        (0..30).map(|at| format!("{} ferry {} harbour", "boat ".repeat(at % 7), "ferry ".repeat(at % 3))).collect();
    let files: Vec<(String, String)> =
        texts.iter().enumerate().map(|(at, text)| (format!("{at:02}.txt"), text.clone())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let place = TestCorpus::new(&files);
    place.build(None).unwrap();
    let index = place.open();
    let expected = bm25(&texts, "ferry boats");
    let found = index.search(&search("ferry boats", Mode::Words, 30, &[]), None).unwrap();
    assert_eq!(found.hits.len(), 30);
    for hit in &found.hits {
        let expected_score = expected[usize::try_from(hit.number).unwrap()];
        assert!((hit.score - expected_score).abs() < 1e-4, "{}: {} instead of {expected_score}", hit.id, hit.score);
        let shares: f64 = hit.words.as_ref().unwrap().terms.iter().map(|share| share.score).sum();
        assert!((shares - hit.score).abs() < 1e-12);
    }
    assert!(
        found
            .hits
            .windows(2)
            .all(|pair| pair[0].score > pair[1].score
                || pair[0].score == pair[1].score && pair[0].number < pair[1].number)
    );
}

#[test]
fn equals_come_in_the_order_of_the_corpus_wherever_the_list_is_cut() {
    let files: Vec<(String, String)> =
        (0..200).map(|at| (format!("{at:03}.txt"), "The same words.".to_owned())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let place = TestCorpus::new(&files);
    place.build(Some(&letters())).unwrap();
    let index = place.open();
    for mode in [Mode::Words, Mode::Vectors, Mode::Hybrid, Mode::HybridRanks] {
        for k in [1, 3, 7, 50] {
            let expected: Vec<String> = (0..k).map(|at| format!("{at:03}.txt#1")).collect();
            assert_eq!(ids(&index, &search("same words", mode, k, &[])), expected, "{mode:?} {k}");
        }
    }
}

#[test]
fn filters_hold_for_every_ranking() {
    let place = TestCorpus::interviews();
    place.build(Some(&letters())).unwrap();
    let index = place.open();
    for mode in [Mode::Words, Mode::Vectors, Mode::Hybrid, Mode::HybridRanks] {
        for (filter, expected) in [
            (&["COUNTRY=Denmark"][..], &["DK-101", "DK-104", "DK-107"][..]),
            (&["COUNTRY=Denmark,Poland", "YEAR=2018..2020"], &["DK-101", "DK-104", "PL-401"]),
            (&["PROJECT=FR-2*", "YEAR=2019.."], &["FR-205", "FR-209"]),
            (&["TYPE=debrief"], &["PT-308"]),
            (&["RECORD LANG=English", "COUNTRY=Portugal", "TYPE=interview"], &["PT-301", "PT-304"]),
        ] {
            let mut projects: Vec<String> = ids(&index, &search("What did you do in the winter?", mode, 1000, filter))
                .iter()
                .map(|id| id[..6].to_owned())
                .collect();
            projects.sort();
            projects.dedup();
            assert_eq!(projects, expected, "{mode:?} {filter:?}");
        }
    }
    // What is found with a filter is what is found without, the rest left out.
    let all = ids(&index, &search("grant from the fund", Mode::Words, 1000, &[]));
    let danish = ids(&index, &search("grant from the fund", Mode::Words, 1000, &["COUNTRY=Denmark"]));
    let filtered: Vec<String> = all.into_iter().filter(|id| id.starts_with("DK")).collect();
    assert_eq!(danish, filtered);
}

#[test]
fn hybrid_is_the_sum_of_what_words_and_vectors_add() {
    let place = TestCorpus::interviews();
    place.build(Some(&letters())).unwrap();
    let index = place.open();
    let hits_in = |mode| {
        let found = index.search(&search("Who buys the mussels?", mode, 20, &[]), Some(&letters())).unwrap();
        assert_eq!(found.mode, mode);
        found.hits
    };
    let hits = hits_in(Mode::Hybrid);
    let (words, vectors) = (hits_in(Mode::Words)[0].score, hits_in(Mode::Vectors)[0].score);
    for hit in &hits {
        let by_words = hit.words.as_ref().map_or(0.0, |share| share.score / words);
        let by_vectors = hit.vectors.as_ref().map_or(0.0, |share| share.cosine.max(0.0) / vectors);
        assert!((hit.score - (0.2 * by_words + 0.8 * by_vectors)).abs() < 1e-12, "{}", hit.explanation());
        assert!(hit.vectors.is_some(), "vectors say something of every passage: {}", hit.explanation());
    }
    assert!(hits[0].explanation().contains("cosine"));
    for hit in hits_in(Mode::HybridRanks) {
        let ranks = [hit.words.as_ref().map(|share| share.rank), hit.vectors.as_ref().and_then(|share| share.rank)];
        let sum: f64 = ranks.iter().flatten().map(|rank| 1.0 / (60.0 + *rank as f64)).sum();
        assert!((hit.score - sum).abs() < 1e-15);
    }
}

#[test]
fn without_vectors_words_are_searched_and_it_is_said() {
    let place = TestCorpus::interviews();
    place.build(None).unwrap();
    let index = place.open();
    let found = index.search(&SearchRequest::new("mussels"), Some(&letters())).unwrap();
    assert_eq!((found.mode, found.hits.len() > 1), (Mode::Words, true));
    assert_eq!(found.remarks, ["searched by words alone: the index holds no vectors"]);
    let only = index.search(&search("mussels", Mode::Vectors, 5, &[]), Some(&letters()));
    assert!(matches!(only, Err(RetrievalError::NoVectors(_))));
    place.build(Some(&letters())).unwrap();
    let found = place.open().search(&SearchRequest::new("mussels"), None).unwrap();
    assert_eq!(found.remarks, ["searched by words alone: `letters` is not there to embed the question"]);
}

#[test]
fn a_filter_that_lets_nothing_through_says_why() {
    let place = TestCorpus::interviews();
    place.build(None).unwrap();
    let index = place.open();
    let found = index.search(&search("mussels", Mode::Words, 5, &["COUNTRY=FR"]), None).unwrap();
    assert!(found.hits.is_empty());
    assert_eq!(found.remarks, ["no document has such a `COUNTRY`; there are Denmark, France, Portugal, Poland"]);
    let both = index.search(&search("mussels", Mode::Words, 5, &["COUNTRY=France", "TYPE=debrief"]), None).unwrap();
    assert_eq!(both.remarks, ["no document fulfils all conditions of the filter at once"]);
    let error = index.search(&search("mussels", Mode::Words, 5, &["Country=France"]), None).unwrap_err();
    assert!(error.to_string().starts_with("no document has a field `Country`; there are"), "{error}");
}

#[test]
fn words_are_looked_for_in_fields_too_and_nothing_found_is_said() {
    let place = TestCorpus::interviews();
    place.build(None).unwrap();
    let index = place.open();
    let found = index.search(&search("Poland?", Mode::Words, 1000, &["TYPE=interview"]), None).unwrap();
    let polish = found.hits.iter().filter(|hit| hit.metadata["COUNTRY"] == "Poland").count();
    assert!(polish > 0, "{:?}", found.remarks);
    for hit in &found.hits {
        let terms = &hit.words.as_ref().unwrap().terms;
        assert!(!terms.is_empty(), "a term of the question stands somewhere: {}", hit.id);
        let is_in_field = terms.iter().all(|share| share.term.contains(" in "));
        assert_eq!(is_in_field, hit.score == 0.0, "fields add nothing to a score: {}", hit.explanation());
    }
    let nothing = index.search(&search("Zyzzyva", Mode::Words, 5, &[]), None).unwrap();
    assert!(nothing.hits.is_empty());
    assert_eq!(nothing.remarks, ["no passage holds a word of the question, in its text or in a field"]);
    let filtered = index.search(&search("Zyzzyva", Mode::Words, 5, &["COUNTRY=Denmark"]), None).unwrap();
    assert_eq!(
        filtered.remarks,
        ["no passage that the filter lets through holds a word of the question, in its text or in a field"]
    );
}

#[test]
fn questions_of_any_kind_are_answered() {
    let place = TestCorpus::interviews();
    place.build(Some(&letters())).unwrap();
    let index = place.open();
    for question in ["", " ", "!!!", "\u{0}", "AND OR NOT \"", "語", &"long ".repeat(5000)] {
        for mode in [Mode::Words, Mode::Vectors, Mode::Hybrid, Mode::HybridRanks] {
            let found = index.search(&search(question, mode, 5, &[]), Some(&letters())).unwrap();
            assert!(found.hits.len() <= 5);
        }
    }
    let everything = index.search(&search("the", Mode::Hybrid, usize::MAX, &[]), Some(&letters())).unwrap();
    assert!(everything.hits.len() as u64 <= index.header().passages);
}

/// So many records in one file, all about the same, with fields to filter by.
fn records(count: usize) -> TestCorpus {
    let line = |at: usize| {
        let record =
            serde_json::json!({"FILE": format!("{at:05}"), "YEAR": at % 90, "text": format!("The ferry of day {at}.")});
        format!("{record}\n")
    };
    TestCorpus::new(&[("records.jsonl", &(0..count).map(line).collect::<String>())])
}

fn different_words(count: usize) -> String {
    (0..count).map(|at| format!("day {at}x ")).collect()
}

#[test]
fn a_search_counts_what_it_looks_at_and_ends_when_nobody_waits() {
    use probare_cancellation::{Cancellation, CancelledError, with_step_count};
    const RECORDS: usize = 6_000;
    let place = records(RECORDS);
    place.build(Some(&letters())).unwrap();
    let index = place.open();
    let nobody = Cancellation::default();
    nobody.cancel();
    let years = "YEAR=1,2,3,4,5,6,7,8,9,10";
    let searches = [
        ("words", search("the ferry", Mode::Words, 5, &[]), RECORDS),
        ("filtered words", search("the ferry", Mode::Words, 5, &[years]), RECORDS * 2),
        ("vectors", search("the ferry", Mode::Vectors, 5, &[]), RECORDS),
        ("both", search("the ferry", Mode::Hybrid, 5, &[]), RECORDS * 2),
        ("a filter that lets nothing through", search("the ferry", Mode::Words, 5, &["YEAR=99.."]), RECORDS),
        ("more words than passages", search(&different_words(20_000), Mode::Words, 5, &[]), 20_000),
    ];
    for (name, search, least) in searches {
        let embedder = letters();
        let looked = || index.search(&search, Some(&embedder)).unwrap();
        let (found, steps) = with_step_count(looked);
        assert!(steps >= least as u64, "{name}: {steps} steps");
        assert!(steps <= 40 * (RECORDS + search.question.len()) as u64, "{name}: {steps} steps");
        assert_eq!(found, looked(), "{name}");
        assert_eq!(nobody.run(looked), Err(CancelledError), "{name}");
    }
}

#[test]
fn a_question_of_twice_as_many_words_takes_twice_as_long() {
    use probare_cancellation::with_step_count;
    let place = records(50);
    place.build(None).unwrap();
    let index = place.open();
    let steps = |words: usize| {
        let query = search(&different_words(words), Mode::Words, 5, &[]);
        with_step_count(|| index.search(&query, None).unwrap()).1
    };
    let (short, long) = (steps(4_000), steps(32_000));
    assert!(long <= 10 * short, "{short} steps, then {long}");
}

#[test]
fn many_words_rank_as_the_formula_says_too() {
    // So many that passages are not passed over; the formula knows nothing of that.
    let texts: Vec<String> = (0..60).map(|at| format!("word{at} word{} word{} boat", at * 7 % 60, at % 5)).collect();
    let files: Vec<(String, String)> =
        texts.iter().enumerate().map(|(at, text)| (format!("{at:02}.txt"), text.clone())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let place = TestCorpus::new(&files);
    place.build(None).unwrap();
    let index = place.open();
    let question: String = (0..50).map(|at| format!("word{at} ")).collect();
    let expected = bm25(&texts, &question);
    let found = index.search(&search(&question, Mode::Words, 60, &[]), None).unwrap();
    assert_eq!(found.hits.len(), expected.iter().filter(|score| **score > 0.0).count());
    for hit in &found.hits {
        let expected_score = expected[usize::try_from(hit.number).unwrap()];
        assert!((hit.score - expected_score).abs() < 1e-4, "{}: {} instead of {expected_score}", hit.id, hit.score);
    }
    let best = index.search(&search(&question, Mode::Words, 7, &[]), None).unwrap();
    assert_eq!(best.hits, found.hits[..7]);
}
