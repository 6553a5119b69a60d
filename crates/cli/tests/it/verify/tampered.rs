//! Every change is found, and its name is said.

use std::fs;

use serde_json::{Map, Value as Json, json};

use super::{CASES, Project};

/// Changes a row of a `.jsonl` file.
fn row(text: &str, number: usize, change: impl FnOnce(&mut Json)) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut line = serde_json::from_str(&lines[number]).unwrap();
    change(&mut line);
    lines[number] = line.to_string();
    lines.join("\n") + "\n"
}

/// Changes a score of a row.
fn score(text: &str, number: usize, metric: &str, change: impl FnOnce(&mut Json)) -> String {
    row(text, number, |line| change(&mut line["scores"][metric]))
}

/// Changes the order, or the number, of rows.
fn rows(text: &str, change: impl FnOnce(&mut Vec<&str>)) -> String {
    let mut lines = text.lines().collect();
    change(&mut lines);
    lines.join("\n") + "\n"
}

/// Changes a whole document.
fn document(text: &str, change: impl FnOnce(&mut Json)) -> String {
    let mut value = serde_json::from_str(text).unwrap();
    change(&mut value);
    value.to_string() + "\n"
}

fn remove(value: &mut Json, key: &str) {
    value.as_object_mut().unwrap().shift_remove(key);
}

type Change = Box<dyn Fn(&str) -> String>;

fn change(change: impl Fn(&str) -> String + 'static) -> Change {
    Box::new(change)
}

/// What is done to a file, and what is said about it.
type Tampering = (&'static str, Change, &'static str);

fn of_rows() -> Vec<Tampering> {
    vec![
        (
            "removed metric",
            change(|text| row(text, 3, |line| remove(&mut line["scores"], "verdict"))),
            "case `a`, verdict: the metric is missing from the row",
        ),
        (
            "removed scores",
            change(|text| row(text, 0, |line| line["scores"] = Json::Object(Map::new()))),
            "case `a`, token_f1: the metric is missing from the row",
        ),
        (
            "removed score",
            change(|text| score(text, 0, "token_f1", |score| remove(score, "value"))),
            "case `a`, token_f1: `value` is nothing in the file and 0.2222222222222222 now",
        ),
        (
            "added metric",
            change(|text| row(text, 0, |line| line["scores"]["bleu"] = json!({"value": 1.0}))),
            "case `a`, bleu: the metric was added to the row",
        ),
        (
            "one ulp",
            change(|text| {
                score(text, 0, "token_f1", |score| {
                    let value = score["value"].as_f64().unwrap();
                    score["value"] = json!(f64::from_bits(value.to_bits() + 1));
                })
            }),
            "case `a`, token_f1: `value` is 0.22222222222222224 in the file and 0.2222222222222222 now",
        ),
        (
            "label",
            change(|text| score(text, 3, "verdict", |score| score["label"] = "PASS".into())),
            "case `a`, verdict: `label` is \"PASS\" in the file and \"unsure\" now",
        ),
        (
            "part",
            change(|text| score(text, 0, "token_f1", |score| score["parts"]["recall"] = json!(0.9))),
            "token_f1: `parts.recall` is 0.9 in the file and 1.0 now",
        ),
        (
            "evidence text",
            change(|text| score(text, 0, "token_f1", |score| score["evidence"][0]["text"] = "Sydney".into())),
            "the evidence says \"Sydney\", but at its place stands \"Canberra\"",
        ),
        (
            "span start",
            change(|text| score(text, 0, "token_f1", |score| score["evidence"][0]["start"] = 27.into())),
            "`evidence[0].start` is 27 in the file and 28 now",
        ),
        (
            "span end",
            change(|text| score(text, 0, "token_f1", |score| score["evidence"][0]["end"] = 9999.into())),
            "a span points outside of the text: `response`, 28 to 9999",
        ),
        (
            "evidence removed",
            change(|text| score(text, 0, "token_f1", |score| remove(score, "evidence"))),
            "token_f1: `evidence` is nothing in the file and [",
        ),
        (
            "evidence kind",
            change(|text| score(text, 0, "token_f1", |score| score["evidence"][0]["kind"] = "missing".into())),
            "`evidence[0].kind` is \"missing\" in the file and \"matched\" now",
        ),
        (
            "note",
            change(|text| score(text, 0, "right", |score| score["evidence"][1]["note"] = "other words".into())),
            "right: `evidence[1].note` is \"other words\" in the file and \"the same words\" now",
        ),
        (
            "support",
            change(|text| score(text, 0, "right", |score| score["evidence"][1]["support"]["end"] = 7.into())),
            "right: `evidence[1].support.end` is 7 in the file and 8 now",
        ),
        (
            "error text",
            change(|text| score(text, 2, "token_f1", |score| score["error"] = "no reason".into())),
            "case `c`, token_f1: `error` is \"no reason\" in the file and \"the case has no `response`\" now",
        ),
        (
            "error kind",
            change(|text| score(text, 2, "token_f1", |score| score["kind"] = "failed".into())),
            "case `c`, token_f1: `kind` is \"failed\" in the file and \"missing\" now",
        ),
        (
            "not_applicable reason",
            change(|text| score(text, 1, "token_f1", |score| score["not_applicable"] = "a whim".into())),
            "case `b`, token_f1: `not_applicable` is \"a whim\" in the file",
        ),
        (
            "state",
            change(|text| score(text, 2, "token_f1", |score| *score = json!({"value": 1.0}))),
            "case `c`, token_f1: `error` is nothing in the file",
        ),
        (
            "duplicate value key",
            change(|text| {
                text.replacen("{\"value\":0.2222222222222222,", "{\"value\":0.2222222222222222,\"value\":1.0,", 1)
            }),
            "case `a`: `scores.token_f1.value` stands in the row twice",
        ),
        (
            "duplicate value key before the right one",
            change(|text| {
                text.replacen("{\"value\":0.2222222222222222,", "{\"value\":1.0,\"value\":0.2222222222222222,", 1)
            }),
            "case `a`: `scores.token_f1.value` stands in the row twice",
        ),
        (
            "extra key in a score",
            change(|text| score(text, 0, "token_f1", |score| score["weight"] = 2.into())),
            "token_f1: `weight` is 2 in the file and nothing now",
        ),
        (
            "extra key in a row",
            change(|text| row(text, 0, |line| line["checked"] = true.into())),
            "case `a`: `checked` is true in the file and nothing now",
        ),
        (
            "removed row",
            change(|text| rows(text, |lines| _ = lines.remove(1))),
            "case `b`: the row is missing from the file",
        ),
        (
            "removed last row",
            change(|text| rows(text, |lines| _ = lines.pop())),
            "case `=d`: the row is missing from the file",
        ),
        ("duplicated row", change(|text| rows(text, |lines| lines.insert(1, lines[1]))), "case `b`: row 3 was added"),
        ("swapped rows", change(|text| rows(text, |lines| lines.swap(1, 2))), "row 3 was moved"),
        (
            "row moved to the end",
            change(|text| {
                rows(text, |lines| {
                    let line = lines.remove(1);
                    lines.push(line);
                })
            }),
            "case `b`: row 5 was moved",
        ),
        ("added row", change(|text| text.to_owned() + "{\"id\":\"x\",\"scores\":{}}\n"), "case `x`: row 6 was added"),
        (
            "changed id",
            change(|text| row(text, 1, |line| line["id"] = "B".into())),
            "case `b`: the row is missing from the file",
        ),
        (
            "changed model",
            change(|text| row(text, 1, |line| line["model"] = "m2".into())),
            "case `b, model m2`: row 2 was added",
        ),
        (
            "changed prompt",
            change(|text| row(text, 1, |line| line["prompt"] = "short".into())),
            "case `b, prompt short`: row 2 was added",
        ),
        ("no result", change(|text| rows(text, |lines| lines[1] = "[1]")), "row 2 is no result"),
        ("cut off", change(|text| text[..text.len() - 9].to_owned()), "row 5 is no result"),
        (
            "written differently",
            change(|text| text.replacen("\"scores\":{", "\"scores\": {", 1)),
            "case `a`: the row says the same, but is written differently",
        ),
        (
            "last line break",
            change(|text| text.trim_end().to_owned()),
            "the file of results has changed since its manifest was written",
        ),
    ]
}

fn of_manifest() -> Vec<Tampering> {
    let at = |pointer: &'static str, value: Json| {
        change(move |text| document(text, |run| *run.pointer_mut(pointer).unwrap() = value.clone()))
    };
    vec![
        ("metric version", at("/metrics/0/version", 9.into()), "`metrics[0].version` is 9 in the file and "),
        (
            "metric options",
            change(|text| document(text, |run| run["metrics"][1]["options"] = json!({"profile": "published"}))),
            "case `a`, hallucination: ",
        ),
        (
            "profile",
            change(|text| document(text, |run| run["metrics"][0]["profile"] = "improved".into())),
            "`metrics[0].profile` is \"improved\" in the file and nothing now",
        ),
        (
            "metric range",
            at("/metrics/0/range", json!([0.0, 2.0])),
            "`metrics[0].range[1]` is 2.0 in the file and 1.0 now",
        ),
        ("unknown metric", at("/metrics/0/id", "tokens".into()), "the metric `tokens` is unknown to this program"),
        ("summary mean", at("/summary/metrics/0/mean", json!(0.9)), "`summary.metrics[0].mean` is 0.9 in the file"),
        ("count", at("/summary/cases", 6.into()), "`summary.cases` is 6 in the file and 5 now"),
        (
            "count of failures",
            at("/summary/metrics/0/failed", 0.into()),
            "`summary.metrics[0].failed` is 0 in the file and 1 now",
        ),
        ("lost rows", at("/summary/lost_rows", 0.into()), "`summary.lost_rows` is 0 in the file and 1 now"),
        ("gate limit", at("/gates/0/gate/limit", json!(0.1)), "the manifest was changed after it was written"),
        (
            "gate limit that turns it",
            at("/gates/0/gate/limit", json!(0.9)),
            "`gates[0].passed` is true in the file and false now",
        ),
        ("gate verdict", at("/gates/0/passed", false.into()), "`gates[0].passed` is false in the file and true now"),
        ("gate removed", at("/gates", json!([])), "the manifest was changed after it was written"),
        ("summary source", at("/summary/source", "b.jsonl".into()), "`summary.source` is \"b.jsonl\" in the file"),
        (
            "format number",
            at("/probare/format", 1.into()),
            "the format number is 1 in the file; this program reads 2 to 4",
        ),
        ("an earlier format", at("/probare/format", 2.into()), "`means_over` is \"cases\" in the file and nothing now"),
        ("lines digest", at("/lines", "00".into()), "`lines` is \"00\" in the file and "),
        ("title", at("/title", "Better".into()), "the manifest was changed after it was written"),
        ("stop", at("/stop", "strict".into()), "`stop` is \"strict\" in the file and \"complete\" now"),
        ("input digest", at("/inputs/0/sha256", "11".into()), "the input `cases.jsonl` has changed: SHA-256 11"),
        ("input rows", at("/inputs/0/rows", 7.into()), "`inputs[0].rows` is 7 in the file and 6 now"),
        ("mapping", at("/input_options/mapping", json!({})), "case `a`, token_f1: `value` is "),
        ("limit", change(|text| document(text, |run| run["input_options"]["limit"] = 2.into())), "row 5 was added"),
        (
            "longest row",
            at("/input_options/max_row_size", 1_000_000.into()),
            "the manifest was changed after it was written",
        ),
        ("seal", at("/seal", "22".into()), "it says 22"),
        ("extra key", change(|text| document(text, |run| run["by"] = "me".into())), "unknown field `by`"),
        (
            "duplicate key",
            change(|text| text.replacen("\"lines\":", "\"lines\":\"0\",\"lines\":", 1)),
            "`lines` stands in the manifest twice",
        ),
    ]
}

#[test]
fn every_change_of_a_row_is_named_in_lines() {
    let project = Project::new();
    for (what, change, named) in of_rows() {
        project.after("r.jsonl", change, "r.jsonl").differs(what, named);
    }
    project.verify(&["r.jsonl"]).agrees();
}

#[test]
fn every_change_of_a_row_is_named_in_a_document() {
    let project = Project::new();
    for (what, change, named) in of_rows() {
        if ["no result", "cut off", "last line break", "added row"].contains(&what) {
            continue;
        }
        let inside = |text: &str| {
            let (head, rest) = text.split_once("\"results\":[\n").unwrap();
            let (lines, tail) = rest.split_once("\n],\n").unwrap();
            let lines = change(&(lines.replace("},\n", "}\n") + "\n"));
            format!("{head}\"results\":[\n{}\n],\n{tail}", lines.trim_end().replace("}\n", "},\n"))
        };
        project.after("r.json", inside, "r.json").differs(what, named);
    }
    project.verify(&["r.json"]).agrees();
}

#[test]
fn every_change_of_the_manifest_is_named_beside_and_inside() {
    let project = Project::new();
    for (what, change, named) in of_manifest() {
        for (changed, verified) in [("r.jsonl.run.json", "r.jsonl"), ("r.csv.run.json", "r.csv"), ("r.json", "r.json")]
        {
            // A table shows a difference in its own words.
            let named = if changed == "r.csv.run.json" && named.starts_with("case ") { "case `a`, " } else { named };
            project.after(changed, &change, verified).differs(&format!("{what} in {changed}"), named);
        }
        let page = |text: &str| {
            let (head, rest) = text.split_once("id=\"probare-run\">").unwrap();
            let (inner, tail) = rest.split_once("</script>").unwrap();
            format!("{head}id=\"probare-run\">{}</script>{tail}", change(inner).trim_end().replace('<', "\\u003c"))
        };
        let named = if named.starts_with("case ") || named.starts_with("row ") { "the page shows" } else { named };
        project.after("r.html", page, "r.html").differs(&format!("{what} in the page"), named);
    }
}

#[test]
fn a_document_is_compared_beside_its_rows() {
    let project = Project::new();
    let changes: [Tampering; 6] = [
        (
            "source",
            change(|text| text.replacen("\"source\":\"cases", "\"source\":\"taken", 1)),
            "`source` is \"taken.jsonl\"",
        ),
        ("results digest", change(|text| document(text, |run| remove(run, "seal"))), "but it says nothing"),
        (
            "white space",
            change(|text| text.replacen(",\n\"lines\"", ",\"lines\"", 1)),
            "the file says the same, but is written differently",
        ),
        (
            "results twice",
            change(|text| text.replacen("\n],\n", "\n],\n\"results\":[],\n", 1)),
            "`results` stands in the file twice",
        ),
        ("removed key", change(|text| document(text, |run| remove(run, "summary"))), "missing field `summary`"),
        ("something behind", change(|text| format!("{text}{{}}")), "something follows its end"),
    ];
    for (what, change, named) in changes {
        project.after("r.json", change, "r.json").differs(what, named);
    }
    project
        .after("r.jsonl.run.json", |text| document(text, |_| ()), "r.jsonl")
        .differs("manifest in one line", "the manifest says the same, but is written differently");
}

#[test]
fn every_change_of_a_table_is_named() {
    let project = Project::new();
    let changes: [Tampering; 9] = [
        (
            "value",
            change(|text| text.replacen("a,,0,0.2222222222222222,", "a,,0,0.2222222222222223,", 1)),
            "case `a`, token_f1: `token_f1` is \"0.2222222222222223\" in the file and \"0.2222222222222222\" now",
        ),
        (
            "status",
            change(|text| text.replacen("\nc,,0,,failed,", "\nc,,0,,scored,", 1)),
            "case `c`, token_f1: `token_f1.status` is \"scored\" in the file and \"failed\" now",
        ),
        (
            "note",
            change(|text| text.replacen("the case has no `reference`", "no reference", 1)),
            "case `b`, token_f1: `token_f1.note` is \"no reference\"",
        ),
        (
            "column",
            change(|text| text.replacen("token_f1.note", "token_f1.remark", 1)),
            "the column `token_f1.note` is missing",
        ),
        (
            "removed row",
            change(|text| rows(text, |lines| _ = lines.remove(2))),
            "case `b`: the row is missing from the file",
        ),
        ("swapped rows", change(|text| rows(text, |lines| lines.swap(2, 3))), "row 3 was moved"),
        (
            "quoted",
            change(|text| text.replacen("\nb,", "\n\"b\",", 1)),
            "case `b`: the row says the same, but is written differently",
        ),
        (
            "a cell more",
            change(|text| text.replacen("\nb,", "\nb,,", 1)),
            "row 2 is no result: it has 16 cells, but there are 15 columns",
        ),
        ("a quotation mark", change(|text| text.replacen("\nb,", "\n\"b,", 1)), "a quotation mark is not closed"),
    ];
    for (what, change, named) in changes {
        project.after("r.csv", change, "r.csv").differs(what, named);
    }
}

#[test]
fn every_change_of_a_page_is_named() {
    let project = Project::new();
    let changes: [Tampering; 6] = [
        ("shown value", change(|text| text.replacen("0.2222222222222222", "0.9", 1)), "case `a`: the page shows"),
        (
            "shown response",
            change(|text| text.replacen("George Eliot wrote", "Jane Austen wrote", 1)),
            "case `b`: the page shows",
        ),
        (
            "shown mean",
            change(|text| text.replacen("<span class=\"mean\">", "<span class=\"mean\">1", 1)),
            "the page shows",
        ),
        ("shown title", change(|text| text.replacen("<h1><bdi>A", "<h1><bdi>The", 1)), "the page shows"),
        ("a script", change(|text| text.replacen("<footer>", "<script>alert(1)</script><footer>", 1)), "<script>alert"),
        ("something behind", change(|text| format!("{text} ")), "the page shows"),
    ];
    for (what, change, named) in changes {
        project.after("r.html", change, "r.html").differs(what, named);
    }
    let said = project.after(
        "r.html",
        |text| {
            let ours = format!("{{\"probare\":{{\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
            text.replacen(&ours, "{\"probare\":{\"version\":\"0.0.9\"", 1)
        },
        "r.html",
    );
    said.differs("another version", "tables and texts of the page: not checked, because release 0.0.9 wrote them");
}

#[test]
fn a_changed_input_is_named_and_everything_else_is_still_compared() {
    let project = Project::new();
    project.write("cases.jsonl", &CASES.replacen("George Eliot wrote", "George Eliot  rote", 1));
    for name in ["r.jsonl", "r.json", "r.csv", "r.parquet", "r.html", "r.jsonl.gz", "r.csv.zst"] {
        let said = project.verify(&[name]);
        said.differs(name, "the input `cases.jsonl` has changed: SHA-256 ");
        assert!(said.text.contains("5 cases, 20 scores computed again"), "{}", said.text);
    }
}

#[test]
fn a_file_that_is_packed_again_is_named() {
    let project = Project::new();
    let path = project.path().join("r.jsonl.gz");
    let bytes = fs::read(&path).unwrap();
    // The time in the header of a gzip file says nothing about its content.
    let mut changed = bytes.clone();
    changed[4] ^= 1;
    fs::write(&path, &changed).unwrap();
    project.verify(&["r.jsonl.gz"]).differs("header", "the file of results has changed since its manifest was written");
    fs::write(&path, &bytes[..bytes.len() - 20]).unwrap();
    project.verify(&["r.jsonl.gz"]).differs("cut off", "the file cannot be read any further");
}

#[test]
fn hostile_rows_do_not_reach_the_terminal() {
    let project = Project::new();
    let said =
        project.after("r.jsonl", |text| row(text, 1, |line| line["id"] = "\u{1b}[31mred\u{202e}".into()), "r.jsonl");
    said.differs("id", "was added");
    assert!(!said.text.contains(['\u{1b}', '\u{202e}']), "{}", said.text);
}

#[test]
fn many_disagreements_are_counted_and_the_first_are_shown() {
    let project = Project::new();
    let added = |text: &str| text.to_owned() + &"{\"id\":\"x\",\"scores\":{}}\n".repeat(500);
    let said = project.after("r.jsonl", added, "r.jsonl");
    said.differs("rows", "501 places differ");
    assert!(said.text.contains("and 401 more"), "{}", said.text);
}
