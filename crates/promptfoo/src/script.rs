//! [`Script`]: code that a configuration brings, and what the original makes of what it returns. Nothing is run here: whoever
//! may start code of the user's own hands in what it returned.

use serde_json::{Map, Value, json};

use crate::assertion::{Assertion, AssertionResult, Fault, Verdict};
use crate::js;

/// What a script is for, which says how it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptRole {
    /// The value of an assertion: called with output and context.
    Assertion,
    /// Makes another output of the output: the same.
    Transform,
    /// Answers a prompt.
    Provider,
}

impl ScriptRole {
    const fn name(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Transform => "transform",
            Self::Provider => "provider",
        }
    }
}

/// Languages by the ending of a file.
const LANGUAGES: [(&str, &[&str]); 2] =
    [("javascript", &[".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"]), ("python", &[".py"])];

/// Code that a configuration brings: written in it, or a function of a file below its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// What it is for.
    pub role: ScriptRole,
    /// `javascript` or `python`; `exec` is the command of a provider.
    pub language: String,
    /// The code itself.
    pub source: Option<String>,
    /// The file with the code, as the configuration writes it.
    pub file: Option<String>,
    /// The function of the file; the usual one where absent.
    pub function: Option<String>,
}

impl Script {
    /// Code that stands in the configuration.
    pub fn inline(role: ScriptRole, language: &str, source: &str) -> Self {
        Self { role, language: language.to_owned(), source: Some(source.to_owned()), file: None, function: None }
    }

    /// A file of code, perhaps with the name of a function behind a colon; nothing where it is no code that is known here.
    pub fn from_file(role: ScriptRole, path: &str) -> Option<Self> {
        let language = |file: &str| {
            LANGUAGES
                .iter()
                .find(|(_, endings)| endings.iter().any(|ending| file.ends_with(ending)))
                .map(|found| found.0)
        };
        let (file, function) = match path.rsplit_once(':') {
            Some((file, function)) if language(file).is_some() => (file, Some(function)),
            _ => (path, None),
        };
        Some(Self {
            role,
            language: language(file)?.to_owned(),
            source: None,
            file: Some(file.to_owned()),
            function: function.filter(|name| !name.is_empty()).map(str::to_owned),
        })
    }

    /// A transform as a configuration writes it: JavaScript, or a file. Nothing where it is neither.
    pub fn transform(value: &Value) -> Option<Self> {
        let text = value.as_str()?;
        match text.strip_prefix("file://") {
            Some(path) => Self::from_file(ScriptRole::Transform, path),
            None => Some(Self::inline(ScriptRole::Transform, "javascript", text)),
        }
    }

    /// As the workers that run it read it.
    pub fn to_json(&self) -> Value {
        let mut map = Map::new();
        map.insert("role".to_owned(), json!(self.role.name()));
        map.insert("language".to_owned(), json!(self.language));
        for (key, value) in [("source", &self.source), ("file", &self.file), ("function", &self.function)] {
            if let Some(value) = value {
                map.insert(key.to_owned(), json!(value));
            }
        }
        Value::Object(map)
    }
}

/// What the original makes of what the code of a `javascript` or `python` assertion returned. Where it would count a failure of
/// the code as a failed assertion, this is an error: nothing was decided.
pub fn script_verdict(assertion: &Assertion, returned: &Value) -> AssertionResult {
    let mut verdict = match returned {
        Value::Bool(pass) => Verdict::new(*pass != assertion.negated),
        Value::Number(_) => numbered(assertion, js::to_number(returned)),
        Value::Object(result) => graded(assertion, result)?,
        Value::String(text) if assertion.kind == "python" => return script_verdict(assertion, &read_text(text)?),
        other => return Err(not_a_result(other)),
    };
    if assertion.weight() == 0.0 {
        verdict.pass = true;
    }
    Ok(verdict)
}

fn numbered(assertion: &Assertion, score: f64) -> Verdict {
    let passes = assertion.threshold().map_or(score > 0.0, |threshold| score >= threshold);
    Verdict::scored(passes != assertion.negated, score)
}

/// An object with `pass`, `score` and `reason`.
fn graded(assertion: &Assertion, result: &Map<String, Value>) -> AssertionResult {
    let is_python = assertion.kind == "python";
    let pass = result.get("pass").or_else(|| result.get("pass_").filter(|_| is_python));
    let (Some(Value::Bool(mut pass)), Some(score), Some(Value::String(reason))) =
        (pass.cloned(), result.get("score").and_then(Value::as_f64), result.get("reason"))
    else {
        return Err(not_a_result(&Value::Object(result.clone())));
    };
    // Only of Python code does promptfoo hold the score of such an object against the threshold.
    pass &= !is_python || assertion.threshold().is_none_or(|threshold| score >= threshold);
    let verdict = Verdict::scored(pass != assertion.negated, score);
    Ok(if reason.is_empty() { verdict } else { verdict.because(reason.clone()) })
}

/// Python code may return its result as a text.
fn read_text(text: &str) -> Result<Value, Fault> {
    let told = || not_a_result(&Value::from(text));
    match text.to_lowercase().as_str() {
        "true" => return Ok(Value::Bool(true)),
        "false" => return Ok(Value::Bool(false)),
        _ => {}
    }
    if text.starts_with('{') {
        return js::parse_json(text).ok().filter(Value::is_object).ok_or_else(told);
    }
    // The longest beginning that is a number counts, as for `parseFloat`.
    let trimmed = js::trim(text);
    let is_part = |letter: char| letter.is_ascii_digit() || matches!(letter, '.' | '-' | '+' | 'e' | 'E');
    let length = trimmed.find(|letter| !is_part(letter)).unwrap_or(trimmed.len());
    let number =
        (1..=length).rev().find_map(|end| trimmed[..end].parse::<f64>().ok().filter(|number| number.is_finite()));
    number.map(Value::from).ok_or_else(told)
}

fn not_a_result(returned: &Value) -> Fault {
    let shown: String = js::json(returned, 0).chars().take(120).collect();
    Fault::Error(format!(
        "its code returned {shown}; expected true or false, a number, or an object with `pass`, `score` and `reason`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(assertion: &Value, returned: &Value) -> Result<(bool, f64), Fault> {
        script_verdict(&Assertion::from_json(assertion).unwrap(), returned).map(|verdict| (verdict.pass, verdict.score))
    }

    #[test]
    fn what_code_returns_decides_as_in_the_original() {
        let javascript = |returned: Value| verdict(&json!({"type": "javascript", "threshold": 0.5}), &returned);
        assert_eq!(javascript(json!(true)), Ok((true, 1.0)));
        assert_eq!(javascript(json!(false)), Ok((false, 0.0)));
        assert_eq!(javascript(json!(0.5)), Ok((true, 0.5)));
        assert_eq!(javascript(json!(0.4)), Ok((false, 0.4)));
        let graded = json!({"pass": true, "score": 0.2, "reason": "short"});
        assert_eq!(javascript(graded.clone()), Ok((true, 0.2)), "the threshold is not asked");
        assert_eq!(verdict(&json!({"type": "python", "threshold": 0.5}), &graded), Ok((false, 0.2)));
        let negated = |returned: Value| verdict(&json!({"type": "not-python"}), &returned);
        assert_eq!(negated(json!(true)), Ok((false, 0.0)));
        assert_eq!(negated(json!(0)), Ok((true, 0.0)));
        assert_eq!(negated(json!({"pass_": false, "score": 3, "reason": ""})), Ok((true, 3.0)));
        assert_eq!(verdict(&json!({"type": "javascript", "weight": 0}), &json!(-1)), Ok((true, -1.0)));
    }

    #[test]
    fn texts_are_results_of_python_alone() {
        let python = |text: &str| verdict(&json!({"type": "python"}), &json!(text));
        assert_eq!(python("True"), Ok((true, 1.0)));
        assert_eq!(python("0.25 of it"), Ok((true, 0.25)));
        assert_eq!(python("-2e1x"), Ok((false, -20.0)));
        assert_eq!(python(r#"{"pass": true, "score": 1, "reason": "x"}"#), Ok((true, 1.0)));
        for wrong in ["yes", "", "{", "[1]"] {
            assert!(matches!(python(wrong), Err(Fault::Error(_))), "{wrong}");
        }
        for wrong in [
            json!("true"),
            json!(null),
            json!([1]),
            json!({"pass": true}),
            json!({"pass": 1, "score": 1, "reason": ""}),
        ] {
            let said = verdict(&json!({"type": "javascript"}), &wrong).unwrap_err();
            assert!(matches!(said, Fault::Error(reason) if reason.contains("expected true or false")), "{wrong}");
        }
    }

    #[test]
    fn files_of_code_are_told_by_their_ending() {
        let parts = |path: &str| Script::from_file(ScriptRole::Assertion, path).map(|script| script.to_json());
        assert_eq!(parts("a/check.mjs:near").unwrap()["function"], "near");
        assert_eq!(parts("check.py").unwrap(), json!({"role": "assertion", "language": "python", "file": "check.py"}));
        assert_eq!(parts("check.rb"), None);
        assert_eq!(Script::transform(&json!("output.trim()")).unwrap().source.as_deref(), Some("output.trim()"));
        assert_eq!(Script::transform(&json!("file://t.py:tidy")).unwrap().function.as_deref(), Some("tidy"));
        assert_eq!(Script::transform(&json!("file://t.rb")), None);
    }
}
