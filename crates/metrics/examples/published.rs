//! Digests of what the metrics `care` and `rag` say in the `published` profile, so that two versions of the code can be compared:
//! `cargo run -p probare-metrics --all-features --example published [-- FOLDER]`.
//!
//! 20,000 exchanges and 5,000 responses with contexts are made by a seed from the sentences of the labelled sets for development,
//! with words left out, repeated, changed and cut. A line a metric: its id, how many cases were scored, the SHA-256 of all values
//! with their evidence. FOLDER is where the labelled sets are; a comparison of two versions gives both the same one.

#![allow(clippy::disallowed_methods, reason = "a tool for developers, not a part of the program")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use probare_core::{Case, Output, Passage, Profile, Sample, Sha256};
use probare_metrics::registry;
use probare_stats::Random;
use serde_json::Value;

/// Generated exchanges for the metrics of the family `care`.
const EXCHANGES: usize = 20_000;
/// Generated responses for the metrics of the family `rag`.
const RESPONSES: usize = 5_000;

fn main() -> Result<(), Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/labelled");
    let folder = env::args().nth(1).map_or(here, PathBuf::from);
    let care =
        ["synthesis/development.jsonl", "synthesis/second_development.jsonl", "ordinary/exchanges_development.jsonl"];
    let rag = ["rag/development.jsonl", "ordinary/responses_development.jsonl"];
    let users = sentences(&folder, &care, "user")?;
    let replies = sentences(&folder, &care, "assistant")?;
    let responses = sentences(&folder, &rag, "response")?;
    let contexts = sentences(&folder, &rag, "context")?;

    let mut random = Random::new(18);
    let exchanges: Vec<Case> = (0..EXCHANGES).map(|_| exchange(&mut random, &users, &replies)).collect();
    print("care", &exchanges)?;
    let mut random = Random::new(81);
    let responses: Vec<Case> = (0..RESPONSES).map(|_| response(&mut random, &responses, &contexts)).collect();
    print("rag", &responses)
}

/// A line for each metric of a family.
fn print(family: &str, cases: &[Case]) -> Result<(), Box<dyn Error>> {
    for definition in registry().iter().filter(|definition| definition.family == family) {
        let metric = definition.build(Value::Null, Profile::Published)?;
        let (mut digest, mut scored) = (Sha256::default(), 0);
        for case in cases {
            let line = match metric.score(Sample::from_case(case)) {
                Ok(outcome) => {
                    scored += usize::from(outcome.score().is_some());
                    serde_json::to_string(&outcome)?
                }
                Err(error) => error.to_string(),
            };
            digest.update(line);
            digest.update("\n");
        }
        println!("{:26} {scored:>6} of {:>6} {}", definition.id, cases.len(), digest.hex());
    }
    Ok(())
}

/// The sentences of one field in labelled files, cut at their marks.
fn sentences(folder: &Path, files: &[&str], field: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let mut found = Vec::new();
    for file in files {
        let path = folder.join(file);
        let content = fs::read_to_string(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        for line in content.lines() {
            let row: Value = serde_json::from_str(line)?;
            let texts = match &row[field] {
                Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
                text => text.as_str().into_iter().collect::<Vec<_>>(),
            };
            for text in texts {
                found.extend(text.split_inclusive(['.', '!', '?', '\n']).map(str::to_owned));
            }
        }
    }
    Ok(found)
}

fn exchange(random: &mut Random, users: &[String], replies: &[String]) -> Case {
    Case {
        query: Some(text(random, users, 3)),
        response: Some(Output::new(text(random, replies, 5))),
        ..Case::default()
    }
}

/// A response whose sentences are in part those of its context.
fn response(random: &mut Random, responses: &[String], contexts: &[String]) -> Case {
    let chunks: Vec<String> = (0..=random.below(3)).map(|_| text(random, contexts, 6)).collect();
    let mut reply = text(random, responses, 3);
    if random.below(3) > 0 {
        let chunk = &chunks[random.below(chunks.len())];
        let sentences: Vec<String> = chunk.split_inclusive(['.', '!', '?']).map(str::to_owned).collect();
        reply.push(' ');
        reply.push_str(&text(random, &sentences, 2));
    }
    Case {
        query: Some(text(random, responses, 1)),
        response: Some(Output::new(reply)),
        context: Some(chunks.iter().map(|chunk| Passage::from(chunk.as_str())).collect()),
        ..Case::default()
    }
}

/// Up to `most` sentences, one of three of them changed.
fn text(random: &mut Random, sentences: &[String], most: usize) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(most) {
        let sentence = &sentences[random.below(sentences.len())];
        if random.below(3) == 0 {
            text.push_str(&changed(random, sentence));
        } else {
            text.push_str(sentence);
        }
        if random.below(8) > 0 && !text.ends_with([' ', '\n']) {
            text.push(' ');
        }
    }
    text
}

/// A sentence with one thing different: a word less, twice, denied, in capitals, quoted, another number, or cut short.
fn changed(random: &mut Random, sentence: &str) -> String {
    let mut words: Vec<String> = sentence.split(' ').map(str::to_owned).collect();
    let at = random.below(words.len());
    match random.below(8) {
        0 => drop(words.remove(at)),
        1 => words.insert(at, words[at].clone()),
        2 => words.insert(at, "not".to_owned()),
        3 => words[at] = words[at].to_uppercase(),
        4 => words[at] = format!("“{}”", words[at]),
        5 => words[at] = random.below(3_000).to_string(),
        6 => words.truncate(at + 1),
        _ => words[at] = format!("{}\u{301}🙂", words[at]),
    }
    words.join(" ")
}
