//! An index of generated passages: time to make it, its size, the memory it takes, and how long searches take; BM25 beside
//! `bm25s` and `rank_bm25`.
//!
//! Words are drawn so that a few are frequent and most are rare, as in language. Vectors are seeded by the text: embedding a
//! million passages would take hours, and the time of a search does not depend on what the vectors say.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use probare_retrieval::passages::Split;
use probare_retrieval::{Embedder, Filter, Index, IndexBuilder, IndexSettings, Mode, SearchRequest, corpus, terms};
use probare_stats::Random;
use serde::Deserialize;
use serde_json::json;

use crate::comparison;
use crate::corpus::save;

/// Passages of a document, and words of a passage.
const IN_DOCUMENT: usize = 50;
const WORDS: usize = 40;
/// Words that there are.
const VOCABULARY: usize = 60_000;
/// Values of the field that is filtered by: each holds for 4 % of the documents.
const GROUPS: usize = 25;
/// Numbers of a vector.
const DIMENSIONS: usize = 384;
/// Passages that Python is given too.
const COMPARED_PASSAGES: usize = 100_000;
/// Questions to Python.
const QUESTIONS: usize = 200;

/// A word by its rank: the frequent ones are short.
fn word(rank: usize) -> String {
    let mut rank = rank + 1;
    let mut word = String::new();
    while rank > 0 {
        word.push(char::from(b'a' + u8::try_from(rank % 21).unwrap_or(0)));
        word.push(char::from(b"aeiou"[rank % 5]));
        rank /= 21;
    }
    word
}

/// A number from 0 to 1.
fn unit(random: &mut Random) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A rank drawn so that its logarithm is even: it is as likely to fall on 1 to 10 as on 1,000 to 10,000.
fn draw_rank(random: &mut Random) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a rank below the size of the vocabulary"
    )]
    let rank = (VOCABULARY as f64).powf(unit(random)) as usize;
    rank.min(VOCABULARY - 1)
}

/// The text of a document: sentences of half a passage each.
fn text(random: &mut Random, passages: usize) -> String {
    let mut text = String::new();
    for _ in 0..passages * 2 {
        for at in 0..WORDS / 2 {
            let word = word(draw_rank(random));
            if at == 0 {
                let mut letters = word.chars();
                let first = letters.next().map(|first| first.to_ascii_uppercase());
                text.extend(first);
                text.push_str(letters.as_str());
            } else {
                let _ = write!(text, " {word}");
            }
        }
        text.push_str(". ");
    }
    text
}

/// Writes a corpus of so many passages; gives its folder.
fn write_corpus(folder: &Path, passages: usize) -> Result<PathBuf, Box<dyn Error>> {
    let place = folder.join(format!("corpus-{passages}"));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place)?;
    let mut random = Random::new(17);
    let documents = passages.div_ceil(IN_DOCUMENT);
    let files = documents.div_ceil(1000);
    for file in 0..files {
        let mut lines = String::new();
        for document in file * 1000..((file + 1) * 1000).min(documents) {
            let record = json!({
                "FILE": format!("D-{document:06}"), "COUNTRY": format!("C{:02}", document % GROUPS),
                "YEAR": 2000 + document % 24, "text": text(&mut random, IN_DOCUMENT),
            });
            let _ = writeln!(lines, "{record}");
        }
        fs::write(place.join(format!("{file:04}.jsonl")), lines)?;
    }
    Ok(place)
}

/// A vector that depends on the text alone.
fn seeded_embedder() -> Embedder {
    Embedder::from_function("seeded", |texts| {
        let vector = |text: &&str| {
            let seed = text.bytes().fold(14_695_981_039_346_656_037_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(1_099_511_628_211)
            });
            let mut random = Random::new(seed);
            #[expect(clippy::cast_possible_truncation, reason = "a vector is kept in single precision")]
            let numbers: Vec<f32> = (0..DIMENSIONS).map(|_| (unit(&mut random) - 0.5) as f32).collect();
            numbers
        };
        texts.iter().map(vector).collect()
    })
}

fn size(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let of = |entry: fs::DirEntry| {
        let path = entry.path();
        if path.is_dir() { size(&path) } else { entry.metadata().map_or(0, |metadata| metadata.len()) }
    };
    entries.flatten().map(of).sum()
}

/// A line of `/proc/self/status` in MB: what is held, or the most that was.
fn memory(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Milliseconds at half and at 99 % of some searches.
fn percentiles(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort();
    let at = |share: usize| times.get((times.len() * share / 100).min(times.len().saturating_sub(1)));
    let milliseconds = |share| at(share).map_or(0.0, |time| time.as_secs_f64() * 1000.0);
    (milliseconds(50), milliseconds(99))
}

fn question(random: &mut Random) -> String {
    let words: Vec<String> = (0..4).map(|_| word(draw_rank(random).max(20))).collect();
    words.join(" ")
}

/// Makes an index of 100,000 passages, a million where `full` is set, and searches it.
pub fn print(folder: &Path, full: bool) -> Result<(), Box<dyn Error>> {
    let passages = if full { 1_000_000 } else { 100_000 };
    println!("\nretrieval: {passages} passages of {WORDS} words, vectors of {DIMENSIONS} numbers seeded by the text");
    let place = write_corpus(folder, passages)?;
    let index = folder.join(format!("index-{passages}"));
    let _ = fs::remove_dir_all(&index);
    let files = corpus::list_files(&place, None)?;
    let settings = IndexSettings { split: Split { words: WORDS, overlap: 0 } };
    let embedder = seeded_embedder();
    let started = Instant::now();
    let built = IndexBuilder::new(&index, settings).with_vectors(&embedder).build(&files, &mut |_| ())?;
    println!(
        "{:32} {:>8.1} s   {:>6} MB on disk, most memory {} MB",
        format!("index, {} passages", built.passages),
        started.elapsed().as_secs_f64(),
        size(&index) / 1_000_000,
        memory("VmHWM"),
    );
    let started = Instant::now();
    let again = IndexBuilder::new(&index, settings).with_vectors(&embedder).build(&files, &mut |_| ())?;
    println!(
        "{:32} {:>8.1} s",
        if again.is_unchanged { "again, nothing changed" } else { "again" },
        started.elapsed().as_secs_f64()
    );
    let started = Instant::now();
    let open = Index::open(&index)?;
    println!("{:32} {:>8.1} ms", "open", started.elapsed().as_secs_f64() * 1000.0);
    for (name, mode, filter, count) in [
        ("words", Mode::Words, None, 500),
        ("words, 4 % filter", Mode::Words, Some("COUNTRY=C07"), 200),
        ("vectors", Mode::Vectors, None, 50),
        ("vectors, 4 % filter", Mode::Vectors, Some("COUNTRY=C07"), 200),
        ("hybrid", Mode::Hybrid, None, 50),
    ] {
        let filter: Vec<String> = filter.iter().map(|text| (*text).to_owned()).collect();
        let mut random = Random::new(23);
        let mut times = Vec::new();
        for _ in 0..count + 5 {
            let search =
                SearchRequest { question: question(&mut random), k: 10, filter: Filter::parse(&filter)?, mode };
            let vector = embedder.embed(&[&search.question])?.remove(0);
            let started = Instant::now();
            open.search_with(&search, mode, Some(&vector))?;
            times.push(started.elapsed());
        }
        // The first ones read the files into memory.
        let (half, most) = percentiles(times.split_off(5));
        println!("{:32} p50 {half:>8.2} ms   p99 {most:>8.2} ms", format!("search, {name}"));
    }
    println!("{:32} {} MB with all that is mapped", "memory after the searches", memory("VmRSS"));
    Ok(())
}

/// What the script tells.
#[derive(Debug, Deserialize)]
struct ScriptResult {
    version: String,
    index_seconds: f64,
    seconds: f64,
    questions: usize,
    /// For each question the numbers of the ten best.
    found: Vec<Vec<usize>>,
}

/// The same questions to `bm25s` and `rank_bm25`, on 100,000 passages that are cut into terms already.
pub fn side_by_side(folder: &Path) -> Result<(), Box<dyn Error>> {
    let place = write_corpus(folder, COMPARED_PASSAGES)?;
    let index = folder.join("index-beside");
    let _ = fs::remove_dir_all(&index);
    let settings = IndexSettings { split: Split { words: WORDS, overlap: 0 } };
    let started = Instant::now();
    IndexBuilder::new(&index, settings).build(&corpus::list_files(&place, None)?, &mut |_| ())?;
    let own_index = started.elapsed().as_secs_f64();
    let open = Index::open(&index)?;
    let mut lines = String::new();
    for number in 0..open.header().passages {
        let _ = writeln!(lines, "{}", terms(&open.passage(number)?.text).join(" "));
    }
    let (texts, asked) = (folder.join("passages.txt"), folder.join("questions.txt"));
    save(&texts, lines)?;
    let mut random = Random::new(29);
    let questions: Vec<String> = (0..QUESTIONS).map(|_| question(&mut random)).collect();
    let cut: Vec<String> = questions.iter().map(|question| format!("{}\n", terms(question).join(" "))).collect();
    save(&asked, cut.concat())?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/bm25.py");
    for library in ["bm25s", "rank_bm25"] {
        let arguments = [library, &texts.display().to_string(), &asked.display().to_string()];
        let answer: ScriptResult = match comparison::run_script("python3", &script, &arguments) {
            Ok(answer) => answer,
            Err(reason) => {
                println!("{library:24} left out: {reason}");
                continue;
            }
        };
        let started = Instant::now();
        let mut found = Vec::new();
        for question in &questions[..answer.questions.min(questions.len())] {
            let search =
                SearchRequest { question: question.clone(), k: 10, filter: Filter::default(), mode: Mode::Words };
            let hits = open.search_with(&search, Mode::Words, None)?;
            found.push(hits.iter().filter_map(|hit| usize::try_from(hit.number).ok()).collect::<Vec<_>>());
        }
        let own = found.len() as f64 / started.elapsed().as_secs_f64();
        let both =
            found.iter().zip(&answer.found).flat_map(|(ours, theirs)| ours.iter().filter(|id| theirs.contains(id)));
        let (both, all) = (both.count(), found.iter().map(Vec::len).sum::<usize>());
        comparison::print_line(
            &format!("BM25 {library}"),
            answer.questions as f64 / answer.seconds,
            own,
            &format!(
                "{both} of {all} ({}; index {:.1} s, ours {own_index:.1} s from the files)",
                answer.version, answer.index_seconds
            ),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_has_as_many_passages_as_were_asked_for() {
        let mut random = Random::new(1);
        let cut = probare_retrieval::passages::passages(&text(&mut random, 7), Split { words: WORDS, overlap: 0 });
        assert_eq!(cut.len(), 7);
        assert_ne!(word(3), word(4));
    }
}
