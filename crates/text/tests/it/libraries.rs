//! Tokens and Python functions against golden vectors that the libraries themselves gave.

use probare_testing::{golden, list, number, same, text};
use probare_text::python;
use probare_text::tokens::{rouge, sacrebleu, sklearn, squad};
use serde_json::{Value, json};

#[test]
fn golden_tokens_of_libraries() {
    golden("text", "tokens.jsonl", |case| {
        let source = text(case, "text")?;
        let tokens = match text(case, "definition")? {
            "sacrebleu_13a" => sacrebleu::tokens_13a(source),
            "sacrebleu_intl" => sacrebleu::tokens_international(source),
            "rouge" => rouge::tokens(source, false),
            "rouge_stemmed" => rouge::tokens(source, true),
            "sklearn_terms" => sklearn::terms(source),
            "squad" => squad::tokens(source),
            other => return Err(format!("no tokens are called `{other}` here")),
        };
        let expected: Vec<&str> = list(case, "tokens")?.iter().filter_map(Value::as_str).collect();
        same("tokens", &expected, &tokens.texts().collect::<Vec<_>>())
    });
}

#[test]
fn golden_python_functions() {
    golden("text", "python.jsonl", |case| {
        let got = match text(case, "function")? {
            "lower" => json!(python::lower(text(case, "value")?)),
            "split" => json!(python::split(text(case, "value")?).collect::<Vec<_>>()),
            "repr" => json!(python::repr_str(text(case, "value")?)),
            "repr_float" => json!(python::repr_float(number(case, "value")?)),
            "round" => {
                let digits = case["digits"].as_i64().and_then(|digits| i32::try_from(digits).ok());
                json!(python::round(number(case, "value")?, digits.ok_or("the vector has no `digits`")?))
            }
            other => return Err(format!("no function is called `{other}` here")),
        };
        same("result", &case["expected"], &got)
    });
}
