//! What a newcomer types first and gets wrong: the message says what to do instead.

use std::fs;

use crate::program::{both_streams, run};

#[test]
fn names_of_other_tools_lead_to_a_metric() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cases.jsonl"), "{\"id\": \"a\", \"response\": \"x\"}\n").unwrap();
    for (name, nearest) in [
        ("faithfulness", "`judge_claims`"),
        ("g_eval", "`judge_rubric`"),
        ("llm_rubric", "`judge_rubric`"),
        ("answer_relevancy", "`judge_answer_relevancy`"),
        ("context_recall", "`judge_context_recall`"),
        ("noise_sensitivity", "`judge_noise_sensitivity`"),
        ("token_f1,answer_match", "`-m token_f1 -m answer_match`"),
    ] {
        let output = run(folder.path(), &["score", "cases.jsonl", "-m", name]);
        let said = both_streams(&output);
        assert_eq!(output.status.code(), Some(64), "{said}");
        assert!(said.contains(&format!("unknown metric `{name}`")) && said.contains(nearest), "{said}");
    }
}

#[test]
fn a_run_a_folder_and_a_port_are_told_where_they_belong() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, hint) in [
        (&["show", "1", "--id", "A1"][..], "probare view 1"),
        (&["score", ".", "-m", "token_f1"], "`.` is a folder, not a file of cases"),
        (&["serve", "--port", "3"], "--listen"),
    ] {
        let said = both_streams(&run(folder.path(), arguments));
        assert!(said.contains(hint), "{arguments:?}: {said}");
    }
}

#[test]
fn tables_from_excel_are_named_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let utf_16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("id,response\na,x\n".bytes().flat_map(|byte| [byte, 0])).collect();
    fs::write(folder.path().join("unicode.csv"), utf_16).unwrap();
    fs::write(folder.path().join("german.csv"), "sep=;\nid;response\na;x\n").unwrap();
    for (file, hint) in
        [("unicode.csv", "iconv -f UTF-16 -t UTF-8"), ("german.csv", "an instruction for Excel: delete it")]
    {
        let output = run(folder.path(), &["score", file, "-m", "json_valid"]);
        assert!(!output.status.success() && both_streams(&output).contains(hint), "{file}: {}", both_streams(&output));
    }
}

#[test]
fn columns_with_what_is_expected_are_proposed_for_the_reference() {
    let folder = tempfile::tempdir().unwrap();
    for column in ["gold_answer", "correct_answer", "expected answer"] {
        fs::write(folder.path().join("cases.csv"), format!("id,question,{column}\na,q,x\n")).unwrap();
        let said = both_streams(&run(folder.path(), &["validate", "cases.csv"]));
        assert!(said.contains("reference=") && !said.contains("response="), "{column}: {said}");
    }
}

#[test]
fn a_second_run_says_that_it_writes_in_place_of_an_earlier_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cases.jsonl"), "{\"id\": \"a\", \"response\": \"{}\"}\n").unwrap();
    let score = || both_streams(&run(folder.path(), &["score", "cases.jsonl", "-m", "json_valid", "-o", "out.jsonl"]));
    assert!(!score().contains("in place of"));
    assert!(score().contains("wrote out.jsonl, in place of an earlier file"));
}

#[test]
fn the_workflow_of_a_project_below_a_repository_stands_where_github_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    let made = run(folder.path(), &["init", "checks/bot"]);
    assert!(made.status.success(), "{}", both_streams(&made));
    let workflow = fs::read_to_string(folder.path().join(".github/workflows/probare.yml")).unwrap();
    for words in
        ["working-directory: \"checks/bot\"", "uses: probare/probare@", "pull-requests: write", "branches: [\"main\"]"]
    {
        assert!(workflow.contains(words), "{words}: {workflow}");
    }
    assert!(
        !folder.path().join("checks/bot/.github").exists() && folder.path().join("checks/bot/probare.yaml").exists()
    );
    fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/trunk\n").unwrap();
    assert!(run(folder.path(), &["init", "checks/bot", "--force", "--ci", "gitlab"]).status.success());
    let job = fs::read_to_string(folder.path().join(".gitlab-ci.yml")).unwrap();
    assert!(job.contains("cd \"checks/bot\"") && job.contains("junit: \"checks/bot/out/probare/junit.xml\""), "{job}");
    assert!(folder.path().join("checks/bot/ci/gate.py").exists());
    let none = tempfile::tempdir().unwrap();
    assert!(run(none.path(), &["init", "--ci", "none"]).status.success());
    assert!(!none.path().join(".github").exists() && none.path().join("probare.yaml").exists());
    let alone = tempfile::tempdir().unwrap();
    assert!(run(alone.path(), &["init"]).status.success());
    let workflow = fs::read_to_string(alone.path().join(".github/workflows/probare.yml")).unwrap();
    assert!(workflow.contains("working-directory: \".\""), "{workflow}");
}

#[test]
fn everyday_families_and_options_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let listed = both_streams(&run(folder.path(), &["list"]));
    let families: Vec<&str> =
        listed.lines().filter(|line| !line.starts_with(' ') && !line.contains(' ') && !line.is_empty()).collect();
    assert_eq!(families[..4], ["text", "answers", "rag", "retrieval"], "{listed}");
    let page = both_streams(&run(folder.path(), &["explain", "hallucination"]));
    let place = |words: &str| page.find(words).unwrap_or_else(|| panic!("{words}: {page}"));
    assert!(place("Options") < place("Formula") && place("Examples") < place("Formula"), "{page}");
}
