//! Formulas over names and numbers, with `+ - * / ^`, brackets and a few functions: `calculate_output` of a multi grader, derived
//! metrics of promptfoo.

use std::collections::BTreeMap;

/// Brackets and signs inside of each other at most.
const DEEPEST: usize = 64;

/// The value of a formula in which the names stand for these numbers.
pub fn evaluate(formula: &str, names: &BTreeMap<&str, f64>) -> Result<f64, String> {
    let mut reader = FormulaReader { rest: formula, names, depth: 0 };
    let value = reader.sum()?;
    reader.skip_spaces();
    if !reader.rest.is_empty() {
        return Err(format!("`{}` is not expected", reader.rest));
    }
    if value.is_finite() { Ok(value) } else { Err("it has no finite value".to_owned()) }
}

struct FormulaReader<'a> {
    rest: &'a str,
    names: &'a BTreeMap<&'a str, f64>,
    depth: usize,
}

impl FormulaReader<'_> {
    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn takes(&mut self, sign: char) -> bool {
        self.skip_spaces();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        loop {
            if self.takes('+') {
                value += self.product()?;
            } else if self.takes('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.signed()?;
        loop {
            if self.takes('*') {
                value *= self.signed()?;
            } else if self.takes('/') {
                value /= self.signed()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn signed(&mut self) -> Result<f64, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("it goes more than {DEEPEST} levels deep"));
        }
        let value = if self.takes('-') {
            -self.signed()?
        } else {
            let base = self.atom()?;
            if self.takes('^') { base.powf(self.signed()?) } else { base }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn atom(&mut self) -> Result<f64, String> {
        if self.takes('(') {
            let value = self.sum()?;
            return if self.takes(')') { Ok(value) } else { Err("`)` is missing".to_owned()) };
        }
        let is_word = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '.');
        let end = self.rest.find(|sign| !is_word(sign)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if word.is_empty() {
            return Err("a name or a number is missing".to_owned());
        }
        self.rest = rest;
        if let Some(value) = self.names.get(word) {
            return Ok(*value);
        }
        if let Ok(number) = word.parse::<f64>() {
            return Ok(number);
        }
        if !self.takes('(') {
            return Err(format!("`{word}` is none of the names"));
        }
        let mut values = vec![self.sum()?];
        while self.takes(',') {
            values.push(self.sum()?);
        }
        if !self.takes(')') {
            return Err("`)` is missing".to_owned());
        }
        apply(word, &values)
    }
}

fn apply(name: &str, values: &[f64]) -> Result<f64, String> {
    Ok(match (name, values) {
        ("min", values) => values.iter().copied().fold(f64::INFINITY, f64::min),
        ("max", values) => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        ("abs", [value]) => value.abs(),
        ("floor", [value]) => value.floor(),
        ("ceil", [value]) => value.ceil(),
        ("exp", [value]) => value.exp(),
        ("sqrt", [value]) => value.sqrt(),
        ("log", [value]) => value.ln(),
        _ => {
            return Err(format!(
                "`{name}` is none of min, max, abs, floor, ceil, exp, sqrt, log, or has too many values"
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_have_values() {
        let names = BTreeMap::from([("name", 0.5), ("email", 1.0)]);
        let value = |formula: &str| evaluate(formula, &names);
        assert_eq!(value("(name + email) / 2"), Ok(0.75));
        assert_eq!(value("0.5 * name + 0.5*email"), Ok(0.75));
        assert_eq!(value("min(name, email) ^ 2"), Ok(0.25));
        assert_eq!(value("max(name,email,3) - floor(1.9) + abs(-2)"), Ok(4.0));
        assert_eq!(value("-name^2"), Ok(-0.25));
        assert_eq!(value("2^-1 + sqrt(4) + ceil(0.2) + exp(0) + log(1)"), Ok(4.5));
        for (formula, reason) in [
            ("name +", "a name or a number is missing"),
            ("name email", "`email` is not expected"),
            ("other", "`other` is none of the names"),
            ("(name", "`)` is missing"),
            ("name / 0", "no finite value"),
            ("sin(name)", "`sin` is none of"),
            ("sqrt(1, 2)", "too many values"),
        ] {
            let error = value(formula).unwrap_err();
            assert!(error.contains(reason), "{formula}: {error}");
        }
        assert!(value(&"(".repeat(10_000)).is_err());
        assert!(value(&"-".repeat(10_000)).is_err());
    }
}
