//! Quotations checked per CPU-second: a thousand citations of one transcript of 100,000 words, side by side with Python.
//!
//! The transcript is normalised and indexed within the time that is measured, once for all citations, here as in Python.

use std::error::Error;
use std::path::Path;

use probare_metrics::interviews::quotations::{QuotationFinding, QuotationSource, QuotationStatus, check_citation};
use probare_stats::Random;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::comparison::RUNS;
use crate::corpus::{save, text};
use crate::{comparison, processor_time};

const CITATIONS: usize = 1_000;
const TRANSCRIPT_WORDS: usize = 100_000;
/// Kinds of citations come round after so many.
const CYCLE: usize = 20;
/// What looks for the nearest stretch in our Python version, which rests on these libraries, and how many citations it is given: the slow one gets a part, with the
/// same mixture of kinds. With a cutoff rapidfuzz only tells whether something is near; otherwise it finds the nearest
/// stretch whatever its distance, as is done here.
const MATCHERS: [(&str, usize); 3] =
    [("rapidfuzz", CITATIONS), ("rapidfuzz-cutoff", CITATIONS), ("difflib", 2 * CYCLE)];

/// What the script tells.
#[derive(Debug, Deserialize)]
struct ScriptResult {
    /// Processor seconds.
    seconds: f64,
    /// Library and version.
    version: String,
    /// For each citation whether it was found, exactly or nearly.
    found: Vec<bool>,
}

/// A transcript and citations that are said to come from it.
#[derive(Debug)]
pub struct QuotationInput {
    transcript: String,
    citations: Vec<Json>,
}

impl QuotationInput {
    /// So many words and citations from a seed.
    pub fn new(words: usize, citations: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let transcript = text(&mut random, words);
        let citations = (0..citations).map(|number| json!(citation(&transcript, number, &mut random))).collect();
        Self { transcript, citations }
    }

    /// Checks all citations.
    pub fn findings(&self) -> Vec<QuotationFinding> {
        let source = QuotationSource::new(self.transcript.as_str());
        self.citations.iter().map(|quote| check_citation(quote, Some(&source), Some(0), &[&source])).collect()
    }
}

/// Prints how many citations per CPU-second are checked, and what became of them.
pub fn print() -> Result<(), Box<dyn Error>> {
    let input = QuotationInput::new(TRANSCRIPT_WORDS, CITATIONS, 11);
    let (rate, findings) = measure_ours(&input)?;
    println!("\n{:48} {:>16}", "quotations", "citations/CPU-s");
    println!("{:48} {rate:>16.0}", format!("{CITATIONS} citations of one text of {TRANSCRIPT_WORDS} words"));
    let counts: Vec<String> = QuotationStatus::ALL
        .iter()
        .map(|status| (status, findings.iter().filter(|finding| finding.status == *status).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(status, count)| format!("{count} {}", status.name()))
        .collect();
    println!("({})", counts.join(", "));
    Ok(())
}

/// Prints both rates, their ratio, and on how many citations the two agree that they were found or not.
pub fn side_by_side(folder: &Path) -> Result<(), Box<dyn Error>> {
    let input = QuotationInput::new(TRANSCRIPT_WORDS, CITATIONS, 11);
    let findings = input.findings();
    let file = folder.join("quotations.json");
    save(&file, json!({"content": input.transcript, "citations": input.citations}).to_string())?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/quotations_reference.py");
    for (matcher, most) in MATCHERS {
        let name = format!("quotes, our {matcher}");
        let arguments = [&*file.to_string_lossy(), matcher, &most.to_string()];
        let (mut their_rate, mut rate, mut last) = (0.0_f64, 0.0_f64, None);
        for _ in 0..RUNS {
            let theirs = match comparison::run_script::<ScriptResult>("python3", &script, &arguments) {
                Ok(theirs) => theirs,
                Err(reason) => {
                    println!("{name:24} left out: {reason}");
                    break;
                }
            };
            their_rate = their_rate.max(theirs.found.len() as f64 / theirs.seconds);
            let window =
                processor_time::rate_in_window(input.citations.len(), theirs.seconds, || drop(input.findings()));
            rate = rate.max(window.ok_or("this system does not tell the processor time")?);
            last = Some(theirs);
        }
        let Some(theirs) = last else { continue };
        let rows = theirs.found.len();
        let same = findings.iter().map(is_found).zip(&theirs.found).filter(|(ours, theirs)| ours == *theirs);
        let remark = format!("found or not: {} of {rows} agree ({})", same.count(), theirs.version);
        comparison::print_line(&name, their_rate, rate, &remark);
    }
    Ok(())
}

fn measure_ours(input: &QuotationInput) -> Result<(f64, Vec<QuotationFinding>), Box<dyn Error>> {
    let mut findings = input.findings();
    let rate = processor_time::rate(input.citations.len(), || findings = input.findings())
        .ok_or("this system does not tell the processor time")?;
    Ok((rate, findings))
}

/// Whether the words are there, exactly or nearly.
fn is_found(finding: &QuotationFinding) -> bool {
    finding.status.is_found() || matches!(finding.status, QuotationStatus::Fuzzy | QuotationStatus::NumberMismatch)
}

/// A stretch of the transcript of eight to thirty words. Its number says what was done to it: of twenty, eight are
/// copied, three have other typography, two leave something out, two have other letters, two have other words, and three
/// are invented.
pub fn citation(transcript: &str, number: usize, random: &mut Random) -> String {
    let length = 8 + random.below(23);
    let start = transcript.floor_char_boundary(random.below(transcript.len().saturating_sub(400).max(1)));
    let mut words: Vec<String> = transcript[start..].split(' ').skip(1).take(length).map(str::to_owned).collect();
    let changes = 1 + random.below(2);
    match number % CYCLE {
        0..=7 => {}
        8..=10 => return format!("“{}”", words.join("  ").to_uppercase()),
        11 | 12 if words.len() >= 4 => {
            let middle = words.len() / 2;
            words.splice(middle - 1..=middle, ["[...]".to_owned()]);
        }
        13 | 14 => {
            let mut characters: Vec<char> = words.join(" ").chars().collect();
            let letters: Vec<usize> = (0..characters.len()).filter(|at| characters[*at].is_alphabetic()).collect();
            for _ in 0..changes {
                if let Some(at) = letters.get(random.below(letters.len())) {
                    // No word of the transcript has this letter.
                    characters[*at] = 'q';
                }
            }
            return characters.into_iter().collect();
        }
        15 | 16 => {
            for _ in 0..changes {
                let at = random.below(words.len());
                if let Some(word) = words.get_mut(at) {
                    *word = text(random, 1).to_lowercase().replace('.', "");
                }
            }
        }
        _ => return text(random, length),
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_citation_is_told_apart() {
        let input = QuotationInput::new(5_000, 200, 1);
        let findings = input.findings();
        let count = |status: QuotationStatus| findings.iter().filter(|finding| finding.status == status).count();
        assert_eq!(
            (count(QuotationStatus::Exact), count(QuotationStatus::Normalised), count(QuotationStatus::Elided)),
            (80, 30, 20)
        );
        assert!(count(QuotationStatus::Fuzzy) >= 20 && count(QuotationStatus::NotFound) >= 30);
    }

    #[test]
    fn a_short_transcript_still_gives_citations() {
        let mut random = Random::new(1);
        for number in 0..CYCLE {
            assert!(citation("", number, &mut random).len() < 1_000);
        }
    }
}
