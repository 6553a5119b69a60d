//! Templates, expansion of variables, CSV.

use probare_promptfoo::template::{Globals, render_prompt};
use probare_promptfoo::{csv_tests, expansion, js, yaml};
use probare_testing::{Golden, same};
use serde_json::{Map, Value, json};

/// A golden file with the vectors that are known to disagree.
fn golden(file: &str, known: &[(&str, &str)], check: impl FnMut(&Value) -> Result<(), String>) {
    let mut golden = Golden::new("promptfoo", file);
    for (id, reason) in known {
        golden = golden.with_known_disagreement(id, reason);
    }
    golden.check_lines(check);
}

#[test]
fn golden_template() {
    golden("template.jsonl", &[], |vector| {
        let template = vector["template"].as_str().ok_or("no template")?;
        let vars = vector["vars"].as_object().ok_or("no variables")?;
        match (render_prompt(template, vars, &Globals::default()), vector.get("rendered")) {
            (Err(_), None) => Ok(()),
            (Ok(found), Some(expected)) => same("rendered", expected, &Value::from(found)),
            (found, expected) => Err(format!("expected {expected:?}, got {found:?}")),
        }
    });
}

#[test]
fn golden_expansion() {
    golden("expansion.jsonl", &[], |vector| {
        let test = json!({"vars": vector["vars"], "options": vector.get("options").cloned().unwrap_or_default()});
        let rows = expansion::expand_variables(&test)?;
        let repeat = vector.pointer("/options/repeat").and_then(Value::as_u64).unwrap_or(1);
        let found: Vec<Value> = (0..repeat)
            .flat_map(|_| rows.clone())
            .map(|vars| {
                let output = render_prompt("x {{a}}/{{b}}\n", &vars, &Globals::default()).unwrap();
                json!({"vars": vars, "output": output})
            })
            .collect();
        let expected = vector["tests"].as_array().ok_or("no tests")?;
        let is_same = expected.len() == found.len()
            && expected.iter().zip(&found).all(|(left, right)| js::deep_equal(left, right));
        if is_same { Ok(()) } else { Err(format!("expected {expected:?}, got {found:?}")) }
    });
}

#[test]
fn golden_scalars() {
    let old = "the reader of YAML takes an old form of a number for a number";
    let date = "a date stays the text that it is; the original makes an object of it, which prints `[object Object]`";
    let endless = "a number without end is refused";
    let known = [
        ("scalars/15", old),
        ("scalars/16", old),
        ("scalars/31", date),
        ("scalars/33", date),
        ("scalars/39", endless),
        ("scalars/40", endless),
        ("scalars/41", endless),
    ];
    golden("scalars.jsonl", &known, |vector| {
        let text = format!("x: {}\n", vector["yaml"].as_str().ok_or("no value")?);
        let found = yaml::parse(&text).and_then(|vars| {
            let vars: Map<String, Value> = vars.as_object().cloned().unwrap_or_default();
            render_prompt("{{ x }}\n", &vars, &Globals::default()).map_err(|error| error.reason)
        });
        match (found, vector.get("rendered").and_then(Value::as_str)) {
            (Err(_), None) => Ok(()),
            (Ok(found), Some(expected)) => same("rendered", expected, found.strip_suffix('\n').unwrap_or(&found)),
            (found, expected) => Err(format!("expected {expected:?}, got {found:?}")),
        }
    });
}

#[test]
fn golden_csv() {
    golden("csv.jsonl", &[], |vector| {
        let (found, key) = if vector["kind"] == "expected" {
            let cell = vector["cell"].as_str().ok_or("no cell")?;
            (csv_tests::parse_assertion(cell).map(|assertion| vec![assertion]), "assert")
        } else {
            let delimiter = vector.get("env").and_then(|env| env["PROMPTFOO_CSV_DELIMITER"].as_str());
            let delimiter = delimiter.and_then(|text| text.chars().next()).unwrap_or(',');
            (csv_tests::read(vector["text"].as_str().ok_or("no text")?, delimiter).map(|read| read.tests), "tests")
        };
        match (found, vector.get(key)) {
            (Err(_), None) => Ok(()),
            (Ok(found), Some(expected)) if js::deep_equal(&Value::from(found.clone()), expected) => Ok(()),
            (found, expected) => Err(format!("expected {expected:?}, got {found:?}")),
        }
    });
}
