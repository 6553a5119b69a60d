//! [`GoldenTally`]: how many vectors agreed, which did not, and which were known not to.

/// Disagreements printed in full; the rest is counted.
const PRINTED: usize = 50;

/// Counts the checks of one golden file.
#[derive(Debug, Default)]
pub struct GoldenTally {
    known: Vec<(String, String)>,
    met: Vec<bool>,
    checked: usize,
    agreed: usize,
    excused: usize,
    disagreed: usize,
    /// Known disagreements that agreed after all.
    stale: Vec<String>,
}

impl GoldenTally {
    /// A tally with the disagreements that are known, as id and reason.
    pub(crate) fn new(known: Vec<(String, String)>) -> Self {
        Self { met: vec![false; known.len()], known, ..Self::default() }
    }

    /// Records the result of one vector: what differs goes into the error.
    pub fn check(&mut self, id: &str, result: Result<(), String>) {
        self.checked += 1;
        let known = self.known.iter().position(|(known, _)| known == id);
        if let Some(at) = known {
            self.met[at] = true;
        }
        match (result, known) {
            (Ok(()), None) => self.agreed += 1,
            (Ok(()), Some(_)) => {
                self.agreed += 1;
                self.stale.push(id.to_owned());
            }
            (Err(difference), Some(at)) => {
                self.excused += 1;
                eprintln!("  {id}: known disagreement ({}): {difference}", self.known[at].1);
            }
            (Err(difference), None) => {
                self.disagreed += 1;
                if self.disagreed <= PRINTED {
                    eprintln!("  {id}: {difference}");
                }
            }
        }
    }

    /// Prints the summary; the error says why the file as a whole does not pass. `complete` is true for the project's
    /// own files, where a known disagreement that is gone or that agrees must leave the list.
    pub(crate) fn finish(self, name: &str, least_share: f64, complete: bool) -> Result<(), String> {
        if self.disagreed > PRINTED {
            eprintln!("  … and {} more", self.disagreed - PRINTED);
        }
        let excused = if self.excused > 0 { format!(", {} known disagreements", self.excused) } else { String::new() };
        let summary = format!("{name}: {} of {} agreed{excused}", self.agreed, self.checked);
        eprintln!("{summary}");
        if self.checked == 0 {
            return Err(format!("{name}: nothing was checked"));
        }
        let share = (self.agreed + self.excused) as f64 / self.checked as f64;
        if share < least_share {
            return Err(format!("{summary}; at least {least_share} of them must"));
        }
        if complete && !self.stale.is_empty() {
            return Err(format!("{name}: listed as known disagreements but agree: {}", self.stale.join(", ")));
        }
        let absent: Vec<&str> =
            self.known.iter().zip(&self.met).filter(|(_, met)| !**met).map(|((id, _), _)| id.as_str()).collect();
        if complete && !absent.is_empty() {
            return Err(format!("{name}: listed as known disagreements but not in the file: {}", absent.join(", ")));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(id: &str) -> Vec<(String, String)> {
        vec![(id.into(), "the original divides twice".into())]
    }

    #[test]
    fn one_disagreement_fails_unless_a_share_is_allowed() {
        let mut tally = GoldenTally::new(Vec::new());
        tally.check("a", Ok(()));
        tally.check("b", Err("expected 1, got 2".into()));
        let message = tally.finish("f", 1.0, true).unwrap_err();
        assert!(message.contains("1 of 2"), "{message}");

        let mut tally = GoldenTally::new(Vec::new());
        tally.check("a", Ok(()));
        tally.check("b", Err("expected 1, got 2".into()));
        assert_eq!(tally.finish("f", 0.5, true), Ok(()));
    }

    #[test]
    fn nothing_checked_does_not_pass() {
        assert!(GoldenTally::new(Vec::new()).finish("f", 0.0, false).is_err());
    }

    #[test]
    fn a_known_disagreement_passes_only_while_it_disagrees() {
        let mut tally = GoldenTally::new(known("a"));
        tally.check("a", Err("expected 1, got 2".into()));
        assert_eq!(tally.finish("f", 1.0, true), Ok(()));

        let mut tally = GoldenTally::new(known("a"));
        tally.check("a", Ok(()));
        assert!(tally.finish("f", 1.0, true).unwrap_err().contains("but agree: a"));

        let mut tally = GoldenTally::new(known("gone"));
        tally.check("a", Ok(()));
        assert!(tally.finish("f", 1.0, true).unwrap_err().contains("not in the file: gone"));

        let mut tally = GoldenTally::new(known("gone"));
        tally.check("a", Ok(()));
        assert_eq!(tally.finish("f", 1.0, false), Ok(()), "another folder need not hold the same ids");
    }
}
