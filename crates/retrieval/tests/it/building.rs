//! How an index comes about, is brought up to date, and survives.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use probare_retrieval::{Embedder, Index, IndexBuilder, IndexSettings, RetrievalError, SearchRequest, corpus};

use crate::support::{TestCorpus, letters};

const FERRY: &str = "The ferry leaves at six. It carries forty cars.";
const ORCHARD: &str = "The orchard has ninety trees. Pears are picked in August.";

/// Everything that an index answers to some questions.
fn answers(index: &Index, embedder: &Embedder) -> Vec<String> {
    let questions = ["When does the ferry leave?", "pears", "trees and cars", "nothing of the kind"];
    let found = questions
        .iter()
        .flat_map(|question| index.search(&SearchRequest::new(*question), Some(embedder)).unwrap().hits);
    found.map(|hit| hit.to_json().to_string()).collect()
}

#[test]
fn places_lead_back_to_the_bytes_of_the_file() {
    let text = "\u{feff}Søren: Ja.\r\nInterviewer: We saw the ferry.\n\nIt left at six.\n";
    let place = TestCorpus::new(&[("a/DK-1_interview_danish.txt", text)]);
    place.build(None).unwrap();
    let index = place.open();
    for number in 0..index.header().passages {
        let passage = index.passage(number).unwrap();
        let bytes = fs::read(place.corpus().join(&passage.document)).unwrap();
        assert_eq!(&bytes[passage.span.clone()], passage.text.as_bytes());
        assert_eq!(passage.metadata["RECORD LANG"], "danish");
        assert_eq!((passage.id.as_str(), passage.line), ("a/DK-1_interview_danish.txt#1", 1));
    }
}

#[test]
fn only_changed_files_are_read_and_the_answers_are_those_of_a_fresh_index() {
    let place = TestCorpus::new(&[("ferry.txt", FERRY), ("orchard.txt", ORCHARD), ("z.txt", "Zebras.")]);
    let embedder = letters();
    let first = place.build(Some(&embedder)).unwrap();
    assert_eq!((first.read, first.documents, first.embedded), (3, 3, first.passages));
    assert!(place.build(Some(&embedder)).unwrap().is_unchanged);
    place.write("orchard.txt", "The orchard was sold. Pears are gone.");
    place.write("b.txt", "A boat.");
    fs::remove_file(place.corpus().join("z.txt")).unwrap();
    let second = place.build(Some(&embedder)).unwrap();
    assert_eq!((second.read, second.removed, second.documents, second.embedded), (2, 1, 3, 2));
    let fresh = TestCorpus::new(&[
        ("b.txt", "A boat."),
        ("ferry.txt", FERRY),
        ("orchard.txt", "The orchard was sold. Pears are gone."),
    ]);
    fresh.build(Some(&embedder)).unwrap();
    assert_eq!(answers(&place.open(), &embedder), answers(&fresh.open(), &embedder));
    assert_eq!(place.open().header().digest(), fresh.open().header().digest());
}

#[test]
fn another_cut_or_another_model_makes_it_anew() {
    let place = TestCorpus::new(&[("ferry.txt", FERRY)]);
    place.build(None).unwrap();
    let with = place.build(Some(&letters())).unwrap();
    assert_eq!((with.read, with.embedded), (1, with.passages));
    let files = corpus::list_files(&place.corpus(), None).unwrap();
    let settings = IndexSettings { split: probare_retrieval::passages::Split { words: 5, overlap: 0 } };
    let cut = IndexBuilder::new(&place.index(), settings).build(&files, &mut |_| ()).unwrap();
    assert_eq!((cut.read, cut.passages), (1, 2));
    assert!(place.open().header().vectors.is_none());
}

#[test]
fn a_build_that_fails_or_is_ended_leaves_the_index_as_it_was() {
    let place = TestCorpus::new(&[("ferry.txt", FERRY)]);
    let embedder = letters();
    place.build(Some(&embedder)).unwrap();
    let before = answers(&place.open(), &embedder);
    place.write("bad.jsonl", "{\"FILE\": \"ferry.txt\", \"text\": \"again\"}");
    let error = place.build(Some(&embedder)).unwrap_err();
    assert_eq!(error.to_string(), "`ferry.txt` and `bad.jsonl` both hold a document called `ferry.txt`");
    place.write("bad.jsonl", "{");
    assert!(matches!(place.build(Some(&embedder)).unwrap_err(), RetrievalError::Corpus(_)));
    fs::remove_file(place.corpus().join("bad.jsonl")).unwrap();
    place.write("more.txt", ORCHARD);
    let files = corpus::list_files(&place.corpus(), None).unwrap();
    let ended = IndexBuilder::new(&place.index(), IndexSettings::default())
        .with_vectors(&embedder)
        .with_cancellation(Arc::new(AtomicBool::new(true)))
        .build(&files, &mut |_| ());
    assert!(matches!(ended, Err(RetrievalError::Cancelled)));
    assert_eq!(answers(&place.open(), &embedder), before);
    let left: Vec<String> = fs::read_dir(place.index())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("building"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_index_that_is_open_answers_while_another_takes_its_place() {
    let place = TestCorpus::new(&[("ferry.txt", FERRY)]);
    let embedder = letters();
    place.build(Some(&embedder)).unwrap();
    let open = place.open();
    let before = answers(&open, &embedder);
    place.write("more.txt", ORCHARD);
    place.build(Some(&embedder)).unwrap();
    assert_eq!(answers(&open, &embedder), before);
    assert_eq!(place.open().header().documents, 2);
}

#[test]
fn vectors_of_a_killed_build_are_not_computed_again() {
    let sentence = format!("The ferry {}left.", "slowly ".repeat(90));
    let place = TestCorpus::new(&[("ferry.txt", &vec![sentence; 300].join(" ")), ("zzz.jsonl", "{")]);
    let counted = Arc::new(AtomicUsize::new(0));
    let counting = Arc::clone(&counted);
    // Texts that are equal need one vector; these differ by nothing, so each batch is counted as it comes.
    let embedder = Embedder::from_function("counting", move |texts| {
        counting.fetch_add(texts.len(), Ordering::Relaxed);
        texts.iter().map(|text| vec![1.0, text.len() as f32]).collect()
    });
    // A build that ends before its time leaves its vectors behind.
    assert!(place.build(Some(&embedder)).is_err());
    let first = counted.load(Ordering::Relaxed);
    assert!(first > 0, "nothing was embedded before the file that cannot be read");
    let part = fs::read_dir(place.index())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_name().unwrap().to_string_lossy().starts_with("embedded"))
        .unwrap();
    // The last of them is cut short, as by a kill in the middle of a write.
    let bytes = fs::read(&part).unwrap();
    fs::write(&part, &bytes[..bytes.len() - 3]).unwrap();
    fs::remove_file(place.corpus().join("zzz.jsonl")).unwrap();
    let built = place.build(Some(&embedder)).unwrap();
    assert_eq!(built.passages, 300);
    assert_eq!(counted.load(Ordering::Relaxed), first, "equal texts were known from the first build");
    assert!(!part.exists());
    assert_eq!(place.open().vector(299).unwrap(), place.open().vector(0).unwrap());
}

#[test]
fn what_is_no_index_is_told() {
    let place = TestCorpus::new(&[("ferry.txt", FERRY)]);
    assert!(matches!(Index::open(&place.index()), Err(RetrievalError::NoIndex(_))));
    assert!(matches!(Index::open(&place.corpus().join("ferry.txt")), Err(RetrievalError::NoIndex(_))));
    let files = corpus::list_files(&place.corpus(), None).unwrap();
    let mixed = IndexBuilder::new(&place.corpus(), IndexSettings::default()).build(&files, &mut |_| ());
    assert!(matches!(mixed, Err(RetrievalError::NotEmpty { .. })));
    place.build(None).unwrap();
    for name in ["texts", "passages", "documents", "heads.jsonl", "columns.json", "index.json"] {
        let path = place.index().join("generation-1").join(name);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(matches!(Index::open(&place.index()), Err(RetrievalError::Damaged { .. })), "{name}");
        fs::write(&path, bytes).unwrap();
    }
    fs::write(place.index().join("generation-1/index.json"), "{\"format\": 99}").unwrap();
    assert!(matches!(Index::open(&place.index()), Err(RetrievalError::Format { found: 99, .. })));
    // Made anew, it is whole again.
    assert_eq!(place.build(None).unwrap().read, 1);
    assert_eq!(place.open().header().documents, 1);
}

#[test]
fn an_empty_document_is_no_problem() {
    let place = TestCorpus::new(&[("empty.txt", ""), ("space.txt", " \n ")]);
    let built = place.build(Some(&letters())).unwrap();
    assert_eq!((built.documents, built.passages), (2, 0));
    assert!(place.open().search(&SearchRequest::new("anything"), Some(&letters())).unwrap().hits.is_empty());
}
