//! Writes a [`Report`] byte for byte as `serde_json` does with two spaces of indent, in a fraction of the time.
//!
//! A report is mostly what stands between its values, and that is known beforehand: each head of a field, with the comma
//! before it, its line break, indent and name, is one constant. A text is copied whole where nothing in it must be escaped,
//! which is nearly always. A test holds the two ways of writing against each other.

use std::io::{self, Write};

use serde::Serialize;

use super::javascript::Number;
use super::report::{ByCheck, CaseResult, LabelComparison};
use super::{Checked, Report, Shown};

/// So much is gathered before it is written.
const GATHERED: usize = 1 << 16;

/// Writes a report to `out`, in large pieces.
pub(super) fn write(report: &Report<'_>, out: impl Write) -> io::Result<()> {
    let mut text = Text { out, gathered: Vec::with_capacity(2 * GATHERED) };
    text.put("{\n  \"summary\": ");
    text.other(&report.summary, "  ")?;
    text.put(",\n  \"failures\": [");
    text.objects(report.failed(), Text::failure)?;
    text.put("],\n  \"results\": [");
    text.objects(report.results.iter(), Text::result)?;
    text.put("]\n}");
    text.out.write_all(&text.gathered)?;
    text.out.flush()
}

/// The head of a field behind another, with so much indent.
macro_rules! next {
    (6, $name:literal) => {
        concat!(",\n      \"", $name, "\": ")
    };
    (10, $name:literal) => {
        concat!(",\n          \"", $name, "\": ")
    };
}

struct Text<W: Write> {
    out: W,
    gathered: Vec<u8>,
}

impl<W: Write> Text<W> {
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a constant is copied by a few instructions where its length is known")]
    fn put(&mut self, text: &str) {
        self.gathered.extend_from_slice(text.as_bytes());
    }

    /// The objects of a list, between its brackets.
    fn objects<T>(
        &mut self,
        items: impl Iterator<Item = T>,
        fields: impl Fn(&mut Self, T) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut is_first = true;
        for item in items {
            self.put(if is_first { "\n    {" } else { ",\n    {" });
            is_first = false;
            fields(self, item)?;
            self.put("\n    }");
            if self.gathered.len() >= GATHERED {
                self.out.write_all(&self.gathered)?;
                self.gathered.clear();
            }
        }
        if !is_first {
            self.put("\n  ");
        }
        Ok(())
    }

    /// A failed case, as [`super::Failure`] has it, without putting one together.
    fn failure(&mut self, result: &CaseResult<'_>) -> io::Result<()> {
        self.put("\n      \"id\": ");
        self.string(result.id)?;
        self.put(next!(6, "failed"));
        self.list(result.failed().map(|(check, _)| check.name()), "\n        ")?;
        self.put(next!(6, "evidence"));
        self.fields(result.evidence(), |text, value| match value {
            Shown::Score(score) => text.whole(score),
            Shown::Similarity(similarity) => text.hundredths(similarity),
            Shown::Flag(flag) => text.flag(flag),
            Shown::Texts(texts) => text.list(texts.iter().copied(), "\n          "),
        })?;
        self.put(next!(6, "expected_failure"));
        self.flag(result.is_negative_example)
    }

    fn result(&mut self, result: &CaseResult<'_>) -> io::Result<()> {
        self.put("\n      \"id\": ");
        self.string(result.id)?;
        self.put(next!(6, "checks"));
        self.by_check(&result.checks, Self::checked)?;
        self.put(next!(6, "pass"));
        self.flag(result.pass)?;
        self.put(next!(6, "is_negative_example"));
        self.flag(result.is_negative_example)?;
        if let Some(compared) = &result.label_comparison {
            self.put(next!(6, "label_comparison"));
            self.by_check(compared, Self::comparison)?;
        }
        Ok(())
    }

    fn checked(&mut self, checked: &Checked<'_>) -> io::Result<()> {
        self.put("{\n          \"pass\": ");
        self.flag(checked.pass())?;
        let reason = match checked {
            Checked::Agency { pass: _, score, pos_hits, neg_hits, applicable, reason } => {
                self.put(next!(10, "score"));
                self.whole(*score)?;
                self.put(next!(10, "pos_hits"));
                self.hits(pos_hits)?;
                self.put(next!(10, "neg_hits"));
                self.hits(neg_hits)?;
                if !applicable {
                    self.put(next!(10, "applicable"));
                    self.put("false");
                }
                reason
            }
            Checked::Reassurance { pass: _, hits, mind_reading_hits, guarantee_hits, reason } => {
                self.put(next!(10, "hits"));
                self.hits(hits)?;
                self.put(next!(10, "mind_reading_hits"));
                self.hits(mind_reading_hits)?;
                self.put(next!(10, "guarantee_hits"));
                self.hits(guarantee_hits)?;
                reason
            }
            Checked::Pivot {
                pass: _,
                applicable,
                pass_strength,
                anchor_similarity,
                ack_present,
                anchor_text,
                vuln_hits,
                ack_hits,
                reason,
            } => {
                self.put(next!(10, "applicable"));
                self.flag(*applicable)?;
                self.put(next!(10, "pass_strength"));
                self.string(pass_strength.name())?;
                self.put(next!(10, "anchor_similarity"));
                self.hundredths(*anchor_similarity)?;
                self.put(next!(10, "ack_present"));
                self.flag(*ack_present)?;
                self.put(next!(10, "anchor_text"));
                self.string(anchor_text)?;
                self.put(next!(10, "vuln_hits"));
                self.hits(vuln_hits)?;
                self.put(next!(10, "ack_hits"));
                self.hits(ack_hits)?;
                reason
            }
        };
        if let Some(reason) = reason {
            self.put(next!(10, "reason"));
            self.string(reason)?;
        }
        self.put("\n        }");
        Ok(())
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "as all others that write a value")]
    fn comparison(&mut self, comparison: &LabelComparison) -> io::Result<()> {
        self.put("{\n          \"expected\": ");
        self.flag(comparison.expected)?;
        self.put(next!(10, "actual"));
        self.flag(comparison.actual)?;
        self.put(next!(10, "match"));
        self.flag(comparison.matched)?;
        self.put("\n        }");
        Ok(())
    }

    fn by_check<T>(&mut self, items: &ByCheck<T>, value: impl Fn(&mut Self, &T) -> io::Result<()>) -> io::Result<()> {
        self.fields(items.0.iter().map(|(check, item)| (check.name(), item)), value)
    }

    /// An object in a field with six spaces of indent.
    #[inline]
    fn fields<T>(
        &mut self,
        items: impl Iterator<Item = (&'static str, T)>,
        value: impl Fn(&mut Self, T) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut is_first = true;
        for (name, item) in items {
            self.put(if is_first { "{\n        \"" } else { ",\n        \"" });
            is_first = false;
            self.put(name);
            self.put("\": ");
            value(self, item)?;
        }
        self.put(if is_first { "{}" } else { "\n      }" });
        Ok(())
    }

    fn hits(&mut self, hits: &[&str]) -> io::Result<()> {
        self.list(hits.iter().copied(), "\n            ")
    }

    /// A list of texts. `line` is the line break and the indent of each; the bracket behind them has two spaces less.
    #[inline]
    fn list<'t>(&mut self, items: impl Iterator<Item = &'t str>, line: &str) -> io::Result<()> {
        let mut is_first = true;
        for item in items {
            self.put(if is_first { "[" } else { "," });
            is_first = false;
            self.put(line);
            self.string(item)?;
        }
        if is_first {
            self.put("[]");
        } else {
            self.put(&line[..line.len() - 2]);
            self.put("]");
        }
        Ok(())
    }

    fn string(&mut self, text: &str) -> io::Result<()> {
        if must_be_escaped(text.as_bytes()) {
            return Ok(serde_json::to_writer(&mut self.gathered, text)?);
        }
        self.put("\"");
        self.put(text);
        self.put("\"");
        Ok(())
    }

    #[inline]
    #[expect(clippy::unnecessary_wraps, reason = "as all others that write a value")]
    fn flag(&mut self, flag: bool) -> io::Result<()> {
        self.put(if flag { "true" } else { "false" });
        Ok(())
    }

    fn whole(&mut self, number: i64) -> io::Result<()> {
        Ok(serde_json::to_writer(&mut self.gathered, &number)?)
    }

    /// A share, which mostly has two decimals.
    fn hundredths(&mut self, number: Number) -> io::Result<()> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is compared afterwards")]
        let hundredths = (number.0 * 100.0).round() as u8;
        // What comes back the same has these decimals and no others.
        if f64::from(hundredths) / 100.0 != number.0 || !(1..100).contains(&hundredths) {
            return Ok(serde_json::to_writer(&mut self.gathered, &number)?);
        }
        self.gathered.extend([b'0', b'.', b'0' + hundredths / 10]);
        if !hundredths.is_multiple_of(10) {
            self.gathered.push(b'0' + hundredths % 10);
        }
        Ok(())
    }

    /// Anything else; the lines behind its first get this indent.
    fn other(&mut self, value: &impl Serialize, indent: &str) -> io::Result<()> {
        let text = serde_json::to_string_pretty(value)?;
        self.put(&text.replace('\n', &format!("\n{indent}")));
        Ok(())
    }
}

/// Whether a text has a character that JSON does not take as it is. Eight bytes are looked at together.
fn must_be_escaped(bytes: &[u8]) -> bool {
    /// The lowest bit of each byte.
    const EACH: u64 = u64::MAX / 0xff;
    // The highest bit of each byte that is zero; of others only where a lower byte is zero.
    let zeros = |eight: u64| eight.wrapping_sub(EACH) & !eight & (EACH << 7);
    let marks = |eight: u64| {
        let below_space = eight.wrapping_sub(EACH * 0x20) & !eight & (EACH << 7);
        below_space | zeros(eight ^ (EACH * u64::from(b'"'))) | zeros(eight ^ (EACH * u64::from(b'\\')))
    };
    let (eights, rest) = bytes.as_chunks();
    // The last eight once more, or a short text with spaces behind it.
    let last = match bytes.last_chunk() {
        Some(last) => *last,
        None => std::array::from_fn(|at| rest.get(at).copied().unwrap_or(b' ')),
    };
    eights.iter().chain([&last]).fold(0, |found, eight| found | marks(u64::from_le_bytes(*eight))) != 0
}

#[cfg(test)]
mod tests {
    use probare_core::Profile;

    use super::super::{Case, Checker, Schema, evaluate, load};
    use super::*;

    fn assert_same(cases: &[Case<'_>], profile: Profile) {
        let checker = Checker { profile, ..Checker::default() };
        let report = evaluate(cases, &checker);
        let mut written = Vec::new();
        write(&report, &mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), serde_json::to_string_pretty(&report).unwrap());
    }

    #[test]
    fn every_byte_is_as_in_the_usual_form() {
        let messages =
            ["I'm scared. My \"dad\" died.", "a\\b\n", "What is the capital of France?", "I feel so alone 😀"];
        let replies = [
            "You need to calm down. You should see that it will be fine, I promise. She loves you.",
            "I hear you: that sounds \"hard\".\n\nWhat would help you most?",
            "Here are facts about the moon.\t\u{1}\u{7f}",
            "Paris",
            "I'm sorry. I'm so sorry about your dad; that is scary. It's up to you.",
        ];
        let extras =
            ["", r#","tags":["negative_example"]"#, r#","expected":{"topic_pivot":true,"agency_language":false}"#];
        let checks = [
            r#"["agency_language","unverifiable_reassurance","topic_pivot"]"#,
            r#"["topic_pivot"]"#,
            r#"["topic_pivot","agency_language"]"#,
        ];
        let mut lines = String::new();
        for number in 0..4_000 {
            let [user, reply] =
                [messages[number % 4], replies[number % 5]].map(|text| serde_json::to_string(text).unwrap());
            let (extra, checks) = (extras[number % 3], checks[number / 60 % 3]);
            let line = format!(r#"{{"id":"A-{number}","user":{user},"assistant":{reply},"checks":{checks}{extra}}}"#);
            lines.push_str(&(line + "\n"));
        }
        let cases = load(&lines, &Schema::bundled()).unwrap();
        for profile in [Profile::Reference, Profile::Careful] {
            assert_same(&cases, profile);
            assert_same(&cases[..1], profile);
            assert_same(&[], profile);
        }
    }

    #[test]
    fn a_case_may_ask_for_nothing_or_for_the_same_twice() {
        let lax = Schema::read(r#"{"type": "object"}"#).unwrap();
        let line = |checks: &str| {
            format!(r#"{{"id":"é\"1","user":"I'm scared","assistant":"You must stop. Facts.","checks":[{checks}]}}"#)
        };
        let twice = line(r#""agency_language","topic_pivot","agency_language""#);
        assert_same(&load(&format!("{}\n{twice}", line("")), &lax).unwrap(), Profile::Reference);
    }

    #[test]
    fn what_must_be_escaped_is_seen_anywhere() {
        for length in 0..40 {
            let plain = "é~ !#[]\u{7f}".chars().cycle().take(length).collect::<String>();
            assert!(!must_be_escaped(plain.as_bytes()), "{plain}");
            for (at, _) in plain.char_indices() {
                for mark in ['"', '\\', '\0', '\u{1f}'] {
                    let mut text = plain.clone();
                    text.insert(at, mark);
                    assert!(must_be_escaped(text.as_bytes()), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn shares_are_written_as_javascript_does() {
        for number in (0..=1_000).map(|number| f64::from(number) / 1_000.0).chain([-0.5, 1.5, 2.0, 1e300, 0.1 + 0.2]) {
            let mut text = Text { out: Vec::new(), gathered: Vec::new() };
            text.hundredths(Number(number)).unwrap();
            assert_eq!(String::from_utf8(text.gathered).unwrap(), serde_json::to_string(&Number(number)).unwrap());
        }
    }
}
